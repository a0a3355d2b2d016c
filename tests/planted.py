#!/usr/bin/env python3
"""Anomalies planted by another generator are found, and nothing else is.

genhist.c makes histories with a known verdict: one anomaly of two or four transactions, in the middle. Timestamps at si must report just
the planted conflict; the search must be right at si and ser; and what it finds must be
explained by that name, with just the planted transactions and the writers of what they
read.

    planted.py ALIBI [TXNS]
"""
import itertools
import json
import os
import subprocess
import sys
import tempfile

import counted
import genhist
from counted import check

TXNS = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
PLANTED = {"lost-update": 2, "write-skew": 2, "long-fork": 4}
SEARCHED = {"none": ("valid", "valid"), "lost-update": ("violates", "violates"),
            "write-skew": ("valid", "violates"), "long-fork": ("violates", "violates")}


def planted_and_writers(path, count):
    """The ids, which are lines, of those that are planted and of the writers of their reads."""
    first = TXNS // 2 + 1
    with open(path) as f:
        lines = [json.loads(line)["ops"] for line in itertools.islice(f, first + count)]
    planted = range(first, first + count)
    read = {(key, value) for t in planted for kind, key, value in lines[t - 1] if kind == "r"}
    writers = {t for t, ops in enumerate(lines, 1) for kind, key, value in ops
               if kind == "w" and (key, value) in read}
    return sorted(writers | set(planted))


def main():
    alibi = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        generator, path = genhist.build(folder), os.path.join(folder, "h.jsonl")

        def generate(*words):
            genhist.generate(generator, path, "txns=%d %s" % (TXNS, " ".join(words)))

        def verdict(*words):
            out = subprocess.run([alibi, "check", "--json"] + list(words) + [path],
                                 capture_output=True, text=True).stdout
            return json.loads(out)

        generate("mode=si", "sessions=50", "ops=15", "keys=1000", "zipf=0.8", "stamps=1",
                 "break=lost-update")
        r = verdict("--order", "timestamps", "--level", "si")
        found = [(v["kind"], sorted(v["txns"]), v["key"]) for v in r["violations"]]
        check("just the planted conflict", found == [
            ("NOCONFLICT", [TXNS // 2 + 1, TXNS // 2 + 2], "k998")], found)
        for shape in ("blindw", "mixed", "rmw"):
            for anomaly, (si, ser) in SEARCHED.items():
                generate("mode=ser", "sessions=24", "keys=2000", "shape=" + shape, "break=" + anomaly)
                for level, want in (("si", si), ("ser", ser)):
                    got = verdict("--level", level)["verdict"]
                    check("%s %s at %s" % (shape, anomaly, level), got == want, got)
                    if got != "violates":
                        continue
                    out = subprocess.run([alibi, "explain", "--json", "--level", level, path],
                                         capture_output=True, text=True).stdout
                    found = [(a["name"], a["txns"]) for a in json.loads(out)["anomalies"]]
                    check("just the %s in %s at %s" % (anomaly, shape, level), found == [
                        (anomaly, planted_and_writers(path, PLANTED[anomaly]))], found)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
