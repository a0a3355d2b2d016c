#!/usr/bin/env python3
"""The search against brute force, on tiny random histories (tiny.py).

The brute force is oracle.py. Every verdict of the program has passed its verifier;
certificates themselves are tried by program.py and the fuzzer fuzz_verdict.

    search.py ALIBI [HISTORIES [SEED]]
"""
import json
import os
import subprocess
import sys
import tempfile

import counted
import oracle
import tiny
from counted import check

BATCH = 400


def run(alibi, level, paths):
    ran = subprocess.run([alibi, "check", "--json", "--level", level] + paths,
                         capture_output=True, text=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def of_level(whole, level):
    """What --level all says of a level."""
    return [r["verdict"] for r in whole["levels"] if r["level"] == level][0]


def main():
    alibi = sys.argv[1]
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 1500
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, total, BATCH):
            paths, texts = [], []
            for i in range(first, min(total, first + BATCH)):
                path = os.path.join(folder, "%d.jsonl" % i)
                texts.append(tiny.text(tiny.seeded(seed, i)))
                with open(path, "w") as f:
                    f.write(texts[-1])
                paths.append(path)
            everything = run(alibi, "all", paths)
            for level in oracle.LEVELS:
                results = run(alibi, level, paths)
                check("all are answered at " + level, len(results) == len(paths), (len(results), len(paths)))
                for text, result, whole in zip(texts, results, everything):
                    want = oracle.decide(level, text.splitlines())
                    counts[level, want] = counts.get((level, want), 0) + 1
                    check("at %s the program says %s (%s), brute force %s" % (
                        level, result["verdict"], result.get("reason"), want),
                          result["verdict"] == want == of_level(whole, level), text)
            for path in paths:
                os.unlink(path)
    print(", ".join("%s %s %d" % (k + (n,)) for k, n in sorted(counts.items())))
    counted.enough(counts)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
