#!/usr/bin/env python3
"""The brute force of tests/brute against the reference, ../shared/oracle/oracle.py
(and weak_lists.py for lists at the weak levels).

The two were written apart. What `compare` then finds about the library is worth as
much as this agreement. Without the reference the test is skipped.

    brute.py COMPARE PROJECT [HISTORIES [SEED]]
"""
import collections
import subprocess
import sys

import counted
import reference
import weak_lists
from counted import check


def main():
    compare, project = sys.argv[1:3]
    total = int(sys.argv[3]) if len(sys.argv) > 3 else 5000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    oracle = reference.oracle(project)
    if not oracle:
        return counted.close()
    histories = 0
    counts = collections.Counter()
    lines = []
    with subprocess.Popen([compare, "--print", str(total), str(seed)],
                          stdout=subprocess.PIPE, text=True) as ran:
        for line in ran.stdout:
            if not line.startswith("verdicts"):
                lines.append(line)
                continue
            words = line.split()[1:]
            raw, world = oracle.load(lines)
            for level, verdict in zip(words[::2], words[1::2]):
                want = weak_lists.decide(oracle, level, raw, world)
                if want == "skip: nothing committed":
                    want = "unknown"
                counts[level, want] += 1
                check("at %s our brute force says %s, the reference %s" % (level, verdict, want),
                      verdict == want, lambda: "".join(lines))
            lines = []
            histories += 1
    check("all histories are printed", not ran.returncode and histories == total, (ran.returncode, histories))
    for level in oracle.LEVELS:
        said = ["%d %s" % (n, verdict) for (l, verdict), n in sorted(counts.items()) if l == level]
        if said:
            print("%s: %s" % (level, ", ".join(said)))
    counted.enough(counts)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
