#!/usr/bin/env python3
"""Timestamps only help the search: a history has the same verdicts with them and without.

The random histories are those of timestamps.py, with clients' times added. Their
timestamps are right, wrong, equal or missing. Then two histories made by hand: one whose
serial order is not its commit order, and one whose timestamps are of no use.

    versions.py ALIBI [HISTORIES [SEED]]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import counted
from counted import check
from timestamps import random_history

BATCH = 400
MADE, SEARCHED = "an order made of the database's own timestamps", "a search, because"

# Both read what stood there before; 2 read it before 1 wrote it, but committed after 1.
BACKWARD = [
    {"id": 1, "session": 1, "start_ts": 0, "commit_ts": 1, "ops": [["r", "y", None], ["w", "x", 1]]},
    {"id": 2, "session": 2, "start_ts": 0, "commit_ts": 2, "ops": [["r", "x", None], ["w", "z", 2]]}]
# Only 2 before 1 explains this.
USELESS = [
    {"id": 1, "session": 1, "start_ts": 0, "commit_ts": 1, "ops": [["r", "x", 2], ["w", "x", 1]]},
    {"id": 2, "session": 2, "start_ts": 2, "commit_ts": 3, "ops": [["w", "x", 2]]}]


def write(path, header, txns):
    with open(path, "w") as f:
        f.write("\n".join(json.dumps(x) for x in [header] + txns) + "\n")
    return path


def without(txns):
    return [{k: v for k, v in t.items() if k not in ("start_ts", "commit_ts")} for t in txns]


def with_times(rng, txns):
    now = {}
    for t in txns:
        begin = now.get(t["session"], 0) + rng.randint(0, 3)
        now[t["session"]] = begin + rng.randint(0, 6)
        t.update(begin=begin, end=now[t["session"]])


def judged(alibi, level, paths, *words):
    ran = subprocess.run([alibi, "check", "--json", "--level", level] + list(words) + paths,
                         capture_output=True, text=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def main():
    alibi = sys.argv[1]
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 4000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    ways = {}
    with tempfile.TemporaryDirectory() as folder:
        def by_hand(name, txns, level, verdict, basis, *words):
            r = judged(alibi, level, [write(os.path.join(folder, "hand"), {"alibi": 1}, txns)], *words)[0]
            check(name, r["verdict"] == verdict and (r.get("basis") or "").startswith(basis), r)
        by_hand("another order than that of the commits", BACKWARD, "ser", "valid", MADE)
        by_hand("which the commits alone do not tell", BACKWARD, "ser", "unknown", "the database's",
                "--order", "timestamps")
        by_hand("and refuse, if they are said to be serial", BACKWARD, "ser", "violates", "the database's",
                "--order", "timestamps", "--timestamps", "serial")
        for level in ("ser", "si"):
            by_hand("searched at " + level, USELESS, level, "valid", SEARCHED)
        for first in range(0, total, BATCH):
            pairs = []
            for i in range(first, min(total, first + BATCH)):
                rng = random.Random(seed * 1000003 + i)
                header, txns = random_history(rng)
                if rng.random() < 0.5:
                    with_times(rng, txns)
                pairs.append([write(os.path.join(folder, "%d-%s" % (i, name)), header, of) for name, of in
                              (("with", txns), ("without", without(txns)))])
            for level in ("pc", "si", "ser", "sser"):
                results = [judged(alibi, level, list(paths)) for paths in zip(*pairs)]
                check("all are answered at " + level, all(len(r) == len(pairs) for r in results))
                for paths, stamped, plain in zip(pairs, *results):
                    check("the same at " + level, stamped["verdict"] == plain["verdict"],
                          lambda: "%s\n%s\n%s" % (stamped, plain, open(paths[0]).read()))
                    made = (stamped.get("basis") or "").startswith(MADE)
                    way = level + (" made" if made else " " + stamped["verdict"])
                    ways[way] = ways.get(way, 0) + 1
                    if made:
                        check("an order that was made is valid", stamped["verdict"] == "valid", stamped)
            for path in sum(pairs, []):
                os.unlink(path)
    for level in ("pc", "si", "ser", "sser"):
        for way in (" made", " valid", " violates"):
            check("enough histories are%s at %s for the test to mean anything" % (way, level),
                  ways.get(level + way, 0) >= total / 100, ways)
    print(", ".join("%s %d" % w for w in sorted(ways.items())))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
