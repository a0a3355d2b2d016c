#!/usr/bin/env python3
"""The weak levels, and all levels in one run, as ratios of CPU time taken in one run.

Causal consistency against the yardstick's check on the same file (at most 0.17, which is
half of AWDIT's time; at most 218 MB), rc and ra beside it; then `check --level all` on a
million transactions against `ser` alone (at most 1.6), and on a history made by snapshot
isolation against `ser` and `si` together (at most 1.5). What is compared is the CPU time
of `alibi check` less that of `alibi stats` on the same file.

    levels.py ALIBI [ROUNDS [TXNS]]      from the project's root; TXNS instead of a million

Needs ../shared/oracle (genhist.c, yardstick.c).
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

import search

WEAK = "txns=64000 sessions=24 ops=8 keys=2000 shape=mixed"
LARGE = "txns=%d sessions=24 ops=8 keys=10000 shape=blindw"


def generate(genhist, mode, row, path):
    with open(path, "w") as f:
        subprocess.run([genhist, "mode=" + mode] + row.split(), stdout=f, check=True)
    return path


def checking(alibi, level, path):
    """CPU seconds beyond loading, and megabytes."""
    load, _ = search.cost([alibi, "stats", path])
    whole, peak = search.cost([alibi, "check", "--quiet", "--level", level, path])
    return max(whole - load, 0.001), peak


def weak(alibi, tools, folder, rounds):
    path = generate(tools["genhist"], "ser", WEAK, os.path.join(folder, "weak.jsonl"))
    print("%-44s %5s %9s %8s %6s %6s" % ("history", "level", "yardstick", "ours", "ratio", "MB"))
    for title, file in (("as generated", path), ("sorted by session", search.by_session(path))):
        for level in ("rc", "ra", "cc"):
            ours, yard, megabytes = [], [], 0
            for _ in range(rounds):
                out = subprocess.run([tools["yardstick"], path], capture_output=True, text=True).stdout
                yard.append(float(re.search(r"check ([\d.]+)", out).group(1)))
                seconds, peak = checking(alibi, level, file)
                ours.append(seconds)
                megabytes = max(megabytes, peak)
            ratio = statistics.median(o / y for o, y in zip(ours, yard))
            print("%-44s %5s %8.2fs %7.2fs %6.2f %6.0f" % (
                "64,000 mixed, " + title, level, statistics.median(yard), statistics.median(ours),
                ratio, megabytes))


def everything(alibi, tools, folder, rounds, txns):
    print("\n%-44s %9s %8s %6s" % ("--level all", "all", "against", "ratio"))
    for mode, levels in (("ser", ["ser"]), ("si", ["ser", "si"])):
        path = generate(tools["genhist"], mode, LARGE % txns, os.path.join(folder, mode + ".jsonl"))
        ratios, alls, others = [], [], []
        for _ in range(rounds):
            alls.append(checking(alibi, "all", path)[0])
            others.append(sum(checking(alibi, level, path)[0] for level in levels))
            ratios.append(alls[-1] / others[-1])
        print("%-44s %8.2fs %7.2fs %6.2f" % (
            "%d blindw, mode=%s, against %s" % (txns, mode, " + ".join(levels)),
            statistics.median(alls), statistics.median(others), statistics.median(ratios)))


def main():
    alibi = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    txns = int(sys.argv[3]) if len(sys.argv) > 3 else 1000000
    if not os.path.exists(search.ORACLE):
        sys.exit("../shared/oracle is not there: nothing to measure against")
    with tempfile.TemporaryDirectory() as folder:
        tools = {}
        for name in ("genhist", "yardstick"):
            tools[name] = os.path.join(folder, name)
            subprocess.run(["cc", "-O2", "-march=native", "-w", "-o", tools[name],
                            os.path.join(search.ORACLE, name + ".c"), "-lm"], check=True)
        weak(alibi, tools, folder, rounds)
        everything(alibi, tools, folder, rounds, txns)


if __name__ == "__main__":
    main()
