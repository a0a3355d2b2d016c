#!/usr/bin/env python3
"""Few values, written again and again in many sessions, still have an order that is found.

A serial run of random transactions is told session by session, so that nothing is left of
its order. Every read has dozens of writers to choose from. An order must be found within
a minute each (a second mostly).

    few.py ALIBI [HISTORIES [FIRST_SEED]]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import counted
from counted import check

SHAPES = ((120, 30, 5, 4), (400, 24, 3, 2))  # transactions, sessions, keys, values


def history(seed, txns, sessions, keys, values):
    chance = random.Random(seed)
    state, told = {}, [[] for _ in range(sessions)]
    for i in range(txns):
        ops = []
        for _ in range(4):
            key = "k%d" % chance.randrange(keys)
            if chance.random() < 0.5:
                ops.append(["r", key, state.get(key)])
            else:
                state[key] = chance.randrange(values)
                ops.append(["w", key, state[key]])
        told[i % sessions].append(ops)
    return [json.dumps({"session": s, "ops": ops}) for s in range(sessions) for ops in told[s]]


def main():
    alibi, count, first = sys.argv[1], int((sys.argv + ["3"])[2]), int((sys.argv + ["1"] * 2)[3])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "h.jsonl")
        for shape in SHAPES:
            for seed in range(first, first + count):
                with open(path, "w") as f:
                    f.write("\n".join(history(seed, *shape)) + "\n")
                for level in ("ser", "si"):
                    out = subprocess.run([alibi, "check", "--json", "--timeout", "60", "--level", level,
                                          path], capture_output=True, text=True).stdout
                    check("seed %d, %d transactions, %d sessions, %d keys, %d values at %s"
                          % ((seed,) + shape + (level,)), json.loads(out)["verdict"] == "valid", out)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
