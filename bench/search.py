#!/usr/bin/env python3
"""The search against the yardstick, as ratios of CPU time taken in one run.

For each history: the yardstick's check (it prints its own CPU seconds, loading not
counted) and ours, which is the CPU time of `alibi check` less that of `alibi stats` on
the same file: candidates, first order, saturation, search, certificate, verification.
Each history is taken as it was generated (in the order of commits) and sorted by
session, as logs of one file a session are, where nothing in the file tells the order.

    search.py ALIBI [ROUNDS [million]]      from the project's root

Needs ../shared/oracle (genhist.c, yardstick.c).
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.join(HERE, "..", "..", "shared", "oracle")

ROWS = [
    "txns=16000 sessions=24 ops=8 keys=10000 shape=blindw",
    "txns=100000 sessions=24 ops=8 keys=10000 shape=blindw",
    "txns=100000 sessions=200 ops=8 keys=10000 shape=blindw",
    "txns=10000 sessions=20 ops=20 keys=5000 shape=mixed",
]
MILLION = ["txns=1000000 sessions=24 ops=8 keys=10000 shape=blindw"]


def cost(command):
    with open(os.devnull, "w") as null:
        child = subprocess.Popen(command, stdout=null, stderr=null)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit("%s ended with %d" % (" ".join(command), child.returncode))
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def by_session(path):
    with open(path) as f:
        lines = f.readlines()
    lines.sort(key=lambda l: int(re.match(r'{"session":(\d+)', l).group(1)))
    with open(path + ".sorted", "w") as f:
        f.writelines(lines)
    return path + ".sorted"


def main():
    alibi = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    rows = ROWS + (MILLION if "million" in sys.argv else [])
    if not os.path.exists(ORACLE):
        sys.exit("../shared/oracle is not there: nothing to measure against")
    with tempfile.TemporaryDirectory() as folder:
        tools = {}
        for name in ("genhist", "yardstick"):
            tools[name] = os.path.join(folder, name)
            subprocess.run(["cc", "-O2", "-march=native", "-w", "-o", tools[name],
                            os.path.join(ORACLE, name + ".c"), "-lm"], check=True)
        print("%-58s %-8s %5s %9s %8s %6s %6s" % ("history", "file", "level", "yardstick", "ours",
                                                  "ratio", "MB"))
        for row in rows:
            path = os.path.join(folder, "h.jsonl")
            with open(path, "w") as f:
                subprocess.run([tools["genhist"], "mode=ser"] + row.split(), stdout=f, check=True)
            for title, file in (("as is", path), ("sorted", by_session(path))):
                for level in ("ser", "si"):
                    ours, yard, megabytes = [], [], 0
                    for _ in range(rounds):
                        out = subprocess.run([tools["yardstick"], path], capture_output=True,
                                             text=True).stdout
                        yard.append(float(re.search(r"check ([\d.]+)", out).group(1)))
                        load, _ = cost([alibi, "stats", file])
                        whole, peak = cost([alibi, "check", "--level", level, file])
                        ours.append(max(whole - load, 0.001))
                        megabytes = max(megabytes, peak)
                    ratio = statistics.median(o / y for o, y in zip(ours, yard))
                    print("%-58s %-8s %5s %8.2fs %7.2fs %6.2f %6.0f" % (
                        row, title, level, statistics.median(yard), statistics.median(ours), ratio,
                        megabytes))


if __name__ == "__main__":
    main()
