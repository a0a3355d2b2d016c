#!/usr/bin/env python3
"""Registers with compare-and-set and crashed clients: single-operation transactions at sser.

    linearizable.py ALIBI [COUNT [SEED]]

COUNT small histories are decided as a brute force decides them. Long ones of few values are decided
in time.
"""
import collections
import os
import random
import resource
import subprocess
import sys
import tempfile

import counted
import registers
from counted import check

alibi = os.path.abspath(sys.argv[1])
count = int(sys.argv[2]) if len(sys.argv) > 2 else 600
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1


def verdicts(paths):
    """By path, of all in one run; and its CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run([alibi, "check", "--quiet", "--level", "sser", "--timeout", "20s"] + paths,
                       capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (dict(line.split("\t") for line in r.stdout.splitlines()),
            after.ru_utime - before.ru_utime)


def small(folder):
    rng = random.Random(seed)
    wanted = {}
    for i in range(count):
        events = registers.history(rng, rng.choice((2, 3, 5)), rng.randint(4, 14), rng.choice((2, 3)),
                                   rng.choice((0, 0.05, 0.2)), rng.choice((0, 0.1, 0.4)))
        if all(kind == "info" for _, _, _, kind, _, _ in registers.operations(events)):
            continue  # there is nothing to check
        path = os.path.join(folder, "%d.jsonl" % i)
        registers.write_alibi(events, path)
        wanted[path] = "valid" if registers.is_linearizable(events) else "violates"
    said, _ = verdicts(list(wanted))
    for path, verdict in wanted.items():
        check("%s is %s" % (path, verdict), said.get(path) == verdict,
              lambda: "%s\n%s" % (said.get(path), open(path).read()))
    counted.enough(collections.Counter(("sser", v) for v in wanted.values()))


def long(folder):
    """Of 5 and 20 clients. Deciding read by read, this takes minutes."""
    for clients, size in ((5, 5000), (20, 5000)):
        events = registers.history(random.Random(seed), clients, size, crash=0.002)
        path = os.path.join(folder, "%d.jsonl" % clients)
        registers.write_alibi(events, path)
        said, seconds = verdicts([path])
        check("%d operations of %d clients are linearizable" % (size, clients),
              said.get(path) == "valid", said)
        check("and that takes at most 5 s", seconds < 5, seconds)


with tempfile.TemporaryDirectory() as folder:
    small(folder)
    long(folder)
sys.exit(counted.close())
