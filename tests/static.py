#!/usr/bin/env python3
"""A program that is linked statically checks, explains, verifies and synthesises.

.ci/run builds it (-Ddefault_library=static, -static); no other file is needed to run it.

    static.py ALIBI PROJECT
"""
import os
import subprocess
import sys
import tempfile

import counted
from counted import check

alibi, project = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def run(*words):
    r = subprocess.run([alibi, *words], capture_output=True, text=True)
    return r.returncode, r.stdout + r.stderr


def main():
    dynamic = subprocess.run(["readelf", "-d", alibi], capture_output=True, text=True).stdout
    check("it needs no shared library", "NEEDED" not in dynamic, dynamic)
    history = os.path.join(project, "examples", "levels", "lost-update.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        proof = os.path.join(folder, "proof")
        code, out = run("check", "--level", "si", "--certificate", proof, history)
        check("check", code == 1 and "violates" in out, (code, out))
        code, out = run("verify", history, proof)
        check("verify", code == 1, (code, out))
    code, out = run("explain", "--level", "si", history)
    check("explain", code == 1 and "lost update" in out.replace("-", " "), (code, out))
    code, out = run("synth", "--allow", "si", "--forbid", "ser", "--min")
    check("synth", code == 0 and "w(x,1)" in out, (code, out))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
