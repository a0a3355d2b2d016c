#!/usr/bin/env python3
"""Streams without timestamps, recorded from PostgreSQL: `watch` says what `check` says.

A server of the test's own, on a free port of 127.0.0.1. A recording at serializable is
cut off at random places, and each beginning of it is checked and watched by the clients'
clocks, with the least horizon that lets nothing be late. So is a copy of which a read was
changed to what its key held before. Verdicts must be the same.

    rounds.py ALIBI [TXNS [BEGINNINGS [SEED]]]
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import harness
from harness import check
from servers import Postgres

alibi = harness.program()
LEVELS = (["--level", "sser"], ["--level", "ser", "--assume-time-order"])
OLD = 5  # so many writes ago
WORKLOADS = {"blindw": ["--keys", "1000", "--ops", "8"], "twitter": ["--keys", "1000"]}


def cost(*words):
    """What it printed last, CPU seconds, and the peak of memory in MB, as far as it was seen: what the
    system says at the end includes this program, before it became that one."""
    peak, used = 0, None
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([alibi, *words], stdout=out, stderr=subprocess.DEVNULL, text=True)
        while not used:
            with open("/proc/%d/status" % child.pid) as f:
                peak = max([peak, *(int(line.split()[1]) for line in f if line.startswith("VmHWM"))])
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            used = usage if pid else time.sleep(0.02)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        return json.loads(out.readlines()[-1]), used.ru_utime + used.ru_stime, peak / 1024


def distances(lines):
    """The least --horizon and --longest for which nothing is late."""
    newest, horizon, longest = 0, 0, 0
    for t in map(json.loads, lines):
        if "ops" in t:
            newest = max(newest, t["end"])
            horizon = max(horizon, newest - t["end"])
            longest = max(longest, t["end"] - t["begin"])
    return ["--horizon", str(horizon), "--longest", str(longest)]


def change_a_read(lines, begin, old):
    """From here on, the first read of a key that was written so often returns an old value."""
    written = {}
    for i, line in enumerate(lines):
        t = json.loads(line)
        for op in t.get("ops", []) if "status" not in t else []:
            values = written.setdefault(json.dumps(op[1]), [])
            if op[0] == "w":
                values.append(op[2])
            elif op[0] == "r" and i > begin and len(values) >= old and not isinstance(op[2], list):
                op[2] = values[-old]
                return lines[:i] + [json.dumps(t) + "\n"] + lines[i + 1:], i
    return None, None


def compare(path, name, lines, level):
    """Both verdicts about these lines, and what they cost."""
    with open(path, "w") as f:
        f.writelines(lines)
    whole = cost("check", "--json", *level, path)
    watch = cost("watch", "--json", *level, *distances(lines), "--round", str(min(4096, len(lines) // 20)), path)
    check("%s, %d lines, %s" % (name, len(lines), level),
          whole[0]["verdict"] == watch[0]["verdict"] and not watch[0]["unverified"], (whole, watch))
    return whole, watch


def try_workload(server, folder, name, txns, beginnings, rng):
    recorded, path = os.path.join(folder, name + ".jsonl"), os.path.join(folder, "part.jsonl")
    r = harness.record(alibi, server.url(), recorded, "--workload", name, "--isolation", "serializable",
                       "--txns", str(txns), *WORKLOADS[name])
    with open(recorded) as f:
        lines = [line for line in f if '"availability"' not in line]
    check("it was recorded", r.code == 0 and len(lines) > txns, r)
    for level in LEVELS:
        whole, watch = compare(path, name, lines, level)
        print("%s, %d transactions, %s: %s; CPU check / watch %.2f, %.0f and %.0f MB, %d rounds" % (
            name, txns, level[1], watch[0]["verdict"], whole[1] / watch[1], whole[2], watch[2],
            watch[0]["rounds"]), flush=True)
    middle, changed, place = rng.randrange(len(lines) // 3, len(lines) // 2), None, None
    for begin, old in ((middle, OLD), (0, OLD), (0, 3), (0, 2)):  # few keys may be read so late
        if not changed:
            changed, place = change_a_read(lines, begin, old)
    if not check("a read was changed", changed):
        return
    verdicts = []
    for n in range(beginnings):
        end = rng.randrange(place, len(lines)) if n % 2 else rng.randrange(2, len(lines))
        verdicts.append(compare(path, name, lines[:end], LEVELS[n // 2 % 2])[0][0]["verdict"])
        verdicts.append(compare(path, name + ", changed", changed[:end], LEVELS[n // 2 % 2])[0][0]["verdict"])
    print("%s: the beginnings are %s" % (name, ", ".join(
        "%d times %s" % (len(list(g)), v) for v, g in itertools.groupby(sorted(verdicts)))), flush=True)
    check("beginnings with and without a violation", len(set(verdicts)) == 2, verdicts)


def main():
    txns, beginnings, seed = (int(n) for n in (sys.argv[2:] + ["3000", "6", "1"][len(sys.argv) - 2:])[:3])
    if not Postgres.available() or "built without" in harness.record(alibi, "postgres://127.0.0.1:1/", "-").stderr:
        harness.skip("PostgreSQL is not installed or not wanted, or alibi was built without it")
        return harness.close()
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, Postgres() as server:
        for name in WORKLOADS:
            try_workload(server, folder, name, txns, beginnings, rng)
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
