#!/usr/bin/env python3
"""--timeout and --max-memory hold in every stage of a search, and the report says how far it came.

Histories sorted by session (genhist.py) are checked without limits, then with limits that
end them here and there: the answer is `unknown` in time, within the memory, and says what
is proven, or it is the answer without limits. Memory is what the system says the
process had at most, less what the program has before it does anything. The system counts
what a process had before it became the program, so a small one starts it.

    limits.py ALIBI
"""
import json
import os
import subprocess
import sys
import tempfile
import time

import counted
import genhist
from counted import check

HISTORIES = {
    "saturating": "mode=ser txns=12000 sessions=24 ops=8 keys=1200 shape=blindw dup=0.2 dupvalues=500",
    "searching": "mode=ser txns=8000 sessions=24 ops=8 keys=200 shape=mixed reads=0.05 zipf=0.99",
    "violating": "mode=ser txns=10000 sessions=24 ops=8 keys=1000 shape=blindw break=write-skew",
}
TENANTS, OF_TENANT = 5, "mode=ser txns=4000 sessions=16 ops=8 keys=400 shape=blindw"
PROVEN = {
    "nothing": "nothing is proven yet",
    "reads": "; every value read has a candidate writer",
    "known": "the known order has no cycle; the latest of ",
    "found": "found, but not verified",
    "some": " independent components have an order; of the others: ",
}
BEFORE = ("loading", "counting conflicts", "looking for independent components")  # before the search
SLACK_SECONDS, SLACK_MEMORY = 1.0, 1.05
TIMEOUTS, MEMORIES = 5, 7
SURELY = 1  # so many parts of the time are not enough

STARTER = """
import os, sys, time
started = time.monotonic()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(time.monotonic() - started, used.ru_maxrss << 10, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def run(alibi, *words):
    """The result, seconds, and the peak memory in bytes."""
    ran = subprocess.run([sys.executable, "-S", "-E", "-c", STARTER, alibi, "check", "--json"]
                         + list(words), capture_output=True, text=True)
    seconds, peak = ran.stderr.split()
    result = json.loads(ran.stdout)
    result["code"] = ran.returncode
    return result, float(seconds), int(peak)


def memory_at_rest(alibi):
    child = subprocess.Popen([alibi, "stats", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    time.sleep(0.2)
    with open("/proc/%d/status" % child.pid) as f:
        peak = int(f.read().split("VmHWM:")[1].split()[0]) << 10
    child.communicate(b"")
    return peak


def honest(what, result, whole, kind):
    """Right or `unknown`; returns which stage it was in and what was proven."""
    if result["verdict"] != "unknown":
        check(what + ": the right verdict", result["verdict"] == whole["verdict"], result)
        return None
    reason = result["reason"]
    check(what + ": says why", result["code"] == 2 and "the %s limit" % kind in reason, result)
    stage = reason.split(" was reached while ")[1].split(";")[0]
    counted_before = None if stage in BEFORE[:2] else whole["coverage"]
    check(what + ": says what was counted", result.get("coverage") == counted_before, result)
    unsure = result.get("search", {}).get("unsure_reads", 0)
    check(what + ": advises where values repeat", result.get("warning", "").startswith(
        "%d reads have several candidate writers" % unsure) == bool(unsure), result)
    said = [name for name, words in PROVEN.items() if words in reason]
    check(what + ": says what is proven", said or stage in BEFORE, reason)
    return stage, said[-1] if said else None, bool(unsure)


def timeouts(alibi, name, words, whole, seconds):
    """Limits all along the run without one; a busy machine may need a second try. The first are
    reached long before the end, so that nothing else can come of them."""
    seen = set()
    for i in range(TIMEOUTS + 1):
        limit = max(0.001, seconds * i / TIMEOUTS)
        for _ in range(3):
            result, took, _ = run(alibi, "--timeout", "%dms" % (1000 * limit), *words)
            ended = i > SURELY or result["verdict"] == "unknown"
            if ended and took <= limit + SLACK_SECONDS:
                break
        check("%s, %.2f s: in time" % (name, limit), took <= limit + SLACK_SECONDS, took)
        check("%s, %.2f s of %.2f: it ended the search" % (name, limit, seconds), ended, result)
        seen.add(honest("%s, %.2f s" % (name, limit), result, whole, "time"))
    return seen


def memory(alibi, name, words, whole, base, least):
    seen = set()
    for i in range(MEMORIES):
        limit = least + (whole["peak_bytes"] - least) * i // MEMORIES
        result, _, peak = run(alibi, "--max-memory", str(limit), *words)
        what = "%s, %.1f MB" % (name, limit / 1e6)
        check(what + ": within it", peak - base <= SLACK_MEMORY * limit,
              "%.1f MB" % ((peak - base) / 1e6))
        check(what + ": counted", result["peak_bytes"] <= limit, result)
        seen.add(honest(what, result, whole, "memory"))
    return seen


def main():
    alibi = os.path.abspath(sys.argv[1])
    stages, proofs, advised = set(), set(), False
    with tempfile.TemporaryDirectory() as folder:
        generator = genhist.build(folder)
        base = memory_at_rest(alibi)
        least = run(alibi, "--level", "ser", os.devnull)[2]  # less cannot be measured
        paths = {name: [genhist.generate(generator, os.path.join(folder, name), row, by_session=True)]
                 for name, row in HISTORIES.items()}
        apart = genhist.tenants(generator, os.path.join(folder, "tenants"), OF_TENANT, TENANTS, True)
        paths["tenants"], paths["on threads"] = [apart], ["--threads", "2", apart]
        for name, given in paths.items():
            for level in ("ser", "si"):
                words = ["--level", level] + given
                whole, seconds, _ = run(alibi, *words)
                what = "%s at %s" % (name, level)
                check(what, whole["verdict"] != "unknown", whole)
                seen = timeouts(alibi, what, words, whole, seconds)
                seen |= memory(alibi, what, words, whole, base, least)
                stages |= {s[0] for s in seen if s}
                proofs |= {s[1] for s in seen if s}
                advised |= any(s[2] for s in seen if s)
    check("values repeated", advised)
    for stage in ("loading", "looking for candidates", "saturating", "searching"):
        check("a limit was reached while " + stage, stage in stages, stages)
    for proof in ("nothing", "known", "some"):
        check("proven was " + proof, proof in proofs, proofs)
    print("stages: %s; proven: %s" % (sorted(stages), sorted(p for p in proofs if p)))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
