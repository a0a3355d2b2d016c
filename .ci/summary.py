#!/usr/bin/env python3
"""Adds up what the suites of several build folders counted.

A suite that closes with `N passed, N failed` counts as that, one of cmocka's as
its tests, any other as one. Lines given as name=passed,failed are added as they
are. The last line is the sum; the exit code is 1 if anything failed.

    summary.py BUILD… NAME=PASSED,FAILED…
"""
import json
import os
import re
import sys


def count(run):
    out = run.get("stdout", "") + run.get("stderr", "")
    closing = re.findall(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", out, re.M)
    if closing:
        passed, failed, skipped = (int(n or 0) for n in closing[-1])
    else:
        passed = sum(map(int, re.findall(r"\[  PASSED  \] (\d+) test", out)))
        failed = sum(map(int, re.findall(r"\[  FAILED  \] (\d+) test", out)))
        skipped = 0
        if not passed and not failed:
            passed, failed = (1, 0) if run["result"] == "OK" else (0, 1)
    if run["result"] not in ("OK", "SKIP") and not failed:
        failed = 1
    return passed, failed, skipped, out


def main():
    total = [0, 0, 0]
    for word in sys.argv[1:]:
        if "=" in word:
            name, numbers = word.split("=")
            rows = [(name,) + tuple(map(int, numbers.split(","))) + (0, "", 0)]
        else:
            with open(os.path.join(word, "meson-logs", "testlog.json"), encoding="utf-8") as f:
                runs = [json.loads(line) for line in f]
            rows = [(os.path.basename(word) + ": " + r["name"],) + count(r) + (r["duration"],) for r in runs]
        for name, passed, failed, skipped, out, seconds in rows:
            print("%-50s %7d passed %3d failed %3d skipped %5.0f s" % (name, passed, failed, skipped, seconds))
            if failed or skipped:
                print(out[-4000:])
            for i, n in enumerate((passed, failed, skipped)):
                total[i] += n
    print("%d passed, %d failed%s" % (total[0], total[1], ", %d skipped" % total[2] if total[2] else ""))
    return total[1] > 0


if __name__ == "__main__":
    sys.exit(main())
