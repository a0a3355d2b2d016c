#!/usr/bin/env python3
"""The benchmark of the paper on Isolde: 22 problems with one kind of level, 24 with two.

Five keys and five values, 3 to 10 transactions. `found` must find a history, `none` must
find that there is none; cc and pc differ from 4 transactions on only. Problems run one after the other; each has --timeout seconds.
Prints a table: how many problems were answered rightly, and the seconds of the slowest, by wall
clock. The search goes from few transactions to many, so that `found` does not get
slower with the bound, and `none` includes all smaller sizes.

    synth.py ALIBI [--timeout SECONDS] [--sizes 3-10] [--each]
"""
import argparse
import itertools
import json
import os
import subprocess
import time

CHAIN = ["ra", "cc", "pc", "si", "ser"]
KINDS = ["", "-vis"]


def problems():
    """(one kind or two, found or none, levels that allow, levels that forbid)"""
    for weak, strong in zip(CHAIN, CHAIN[1:]):
        for a, b in itertools.product(KINDS, KINDS):
            yield ("one" if a == b else "two"), "found", weak + a, strong + b
        for a in KINDS:
            yield "one", "none", strong + a, weak + a
    for a, b, c in itertools.product(KINDS, KINDS, KINDS):
        yield ("one" if a == b == c else "two"), "found", "si%s,us%s" % (a, b), "ser" + c
    yield "one", "found", "tap-ra", "ra"
    yield "one", "none", "ra", "tap-ra"
    yield "one", "none", "cc", "tap-cc"
    yield "one", "none", "tap-cc", "cc"
    for level in CHAIN:
        yield "two", "none", level, level + "-vis"
        yield "two", "none", level + "-vis", level


def run(alibi, allow, forbid, txns, timeout):
    """(found, none or limit; seconds)"""
    began = time.monotonic()
    out = subprocess.run([alibi, "synth", "--allow", allow, "--forbid", forbid, "--txns", str(txns),
                          "--keys", "5", "--values", "5", "--timeout", "%gs" % timeout, "--json"],
                         capture_output=True, text=True).stdout
    said = json.loads(out)
    answer = "found" if said["histories"] else "none" if said["all"] else "limit"
    return answer, time.monotonic() - began


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("alibi")
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--sizes", default="3-10")
    parser.add_argument("--each", action="store_true", help="print every problem")
    options = parser.parse_args()
    first, last = map(int, options.sizes.split("-"))
    wrong = 0
    groups = {}
    for problem in problems():
        groups.setdefault(problem[:2], []).append(problem[2:])
    assert {k: len(v) for k, v in groups.items()} == {
        ("one", "found"): 11, ("one", "none"): 11, ("two", "found"): 14, ("two", "none"): 10}
    print("load %s before" % " ".join("%.1f" % n for n in os.getloadavg()))
    print("| transactions | %s |" % " | ".join("%s, %s of %d" % (*k, len(v)) for k, v in groups.items()))
    print("|---:|%s" % ("---|" * len(groups)))
    for txns in range(first, last + 1):
        cells = []
        for (kinds, want), levels in groups.items():
            solved, slowest = 0, 0
            for allow, forbid in levels:
                answer, seconds = run(options.alibi, allow, forbid, txns, options.timeout)
                right = "none" if txns < 4 and allow.startswith("cc") else want
                wrong += answer not in (right, "limit")
                if answer == right:
                    solved += 1
                    slowest = max(slowest, seconds)
                if options.each or answer not in (right, "limit"):
                    print("%d %s / %s: %s in %.2f s" % (txns, allow, forbid, answer, seconds))
            cells.append("%d, %.2f s" % (solved, slowest))
        print("| %d | %s |" % (txns, " | ".join(cells)), flush=True)
    print("load %s after; %d wrong answers" % (" ".join("%.1f" % n for n in os.getloadavg()), wrong))
    return wrong > 0


if __name__ == "__main__":
    raise SystemExit(main())
