#!/usr/bin/env python3
"""From `alibi check` to the cause: what a violation is called, which transactions show it, and
what to do next.

    cause.py ALIBI
"""
import json
import os
import subprocess
import sys
import tempfile

import counted
from counted import check

alibi = os.path.abspath(sys.argv[1])


def run(*words):
    r = subprocess.run([alibi] + list(words), capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def write(folder, name, txns):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(json.dumps(t) + "\n" for t in txns))
    return path


def named_writers(folder):
    """A read may name a transaction that writes nothing."""
    for name, ops in [("reads", [["r", "y", None]]), ("empty", [])]:
        path = write(folder, name + ".jsonl", [{"id": "a", "ops": ops},
                                               {"id": "b", "ops": [["r", "x", None, {"from": "a"}]]}])
        for level in ("rc", "ser", "sser"):
            code, out, err = run("explain", "--level", level, path)
            check("%s at %s is explained" % (name, level),
                  code == 1 and "wrong-writer" in out and not err, (code, out, err))


def main():
    with tempfile.TemporaryDirectory() as folder:
        named_writers(folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
