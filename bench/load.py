#!/usr/bin/env python3
"""Loading and replaying, as ratios taken in one run.

Each row times commands on the same file, one after another, again and again, and
prints the medians of their CPU time (user and system), the ratio that matters,
and the most memory. Absolute times mean nothing on a busy machine; ratios do.

    load.py ALIBI [ROUNDS [TXNS]]      from the project's root; TXNS instead of a million

The histories come from tests/genhist.c. The bare simdjson walk is
bench/json/simdjson_walk.cpp, built here with g++.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests"))
sys.dont_write_bytecode = True
import genhist  # noqa: E402 (it is beside the tests)


def cost(command):
    """CPU seconds and peak MB of one run."""
    with open(os.devnull, "w") as null:
        child = subprocess.Popen(command, stdout=null, stderr=null)
        _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, child.returncode


def row(title, rounds, commands, over, under, limit):
    """commands: name -> words. Prints medians, and the ratio of two of them."""
    runs = {name: [] for name in commands}
    for _ in range(rounds):
        for name, words in commands.items():
            seconds, megabytes, code = cost(words)
            if code not in (0, 1):
                sys.exit("%s ended with %d" % (" ".join(words), code))
            runs[name].append((seconds, megabytes))
    print(title)
    medians = {name: statistics.median(s for s, _ in r) for name, r in runs.items()}
    for name, r in runs.items():
        print("  %-28s %7.2f s %8.0f MB" % (name, medians[name], max(m for _, m in r)))
    ratio = statistics.median(a[0] / b[0] for a, b in zip(runs[over], runs[under]))
    print("  %s / %s: %.2f (at most %.1f)" % (over, under, ratio, limit))


def main():
    alibi = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    txns = int(sys.argv[3]) if len(sys.argv) > 3 else 1000000
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        generator = genhist.build(folder)
        walk = os.path.join(folder, "simdjson_walk")
        subprocess.run(["g++", "-O2", "-std=c++17", "-o", walk,
                        os.path.join(HERE, "json", "simdjson_walk.cpp"), "-lsimdjson"], check=True)
        blind = genhist.generate(generator, os.path.join(folder, "blind.jsonl"),
                                 "mode=ser txns=%d sessions=24 ops=8 keys=10000 shape=blindw" % txns)
        row("%d transactions of 8 operations, 10,000 keys (%d MB)"
            % (txns, os.path.getsize(blind) >> 20), rounds,
            {"bare simdjson walk": [walk, blind], "alibi stats": [alibi, "stats", blind]},
            "alibi stats", "bare simdjson walk", 3)
        os.unlink(blind)
        stamped = genhist.generate(generator, os.path.join(folder, "stamped.jsonl"),
                                   "mode=si txns=%d sessions=50 ops=15 keys=1000 zipf=0.8 stamps=1" % txns)
        row("%d transactions of 15 operations with timestamps, 1,000 keys (%d MB)"
            % (txns, os.path.getsize(stamped) >> 20), rounds,
            {"alibi stats": [alibi, "stats", stamped],
             "alibi check si": [alibi, "check", "--order", "timestamps", "--level", "si", stamped]},
            "alibi check si", "alibi stats", 1.5)


if __name__ == "__main__":
    main()
