#!/usr/bin/env python3
"""The brute force in C (tests/brute) against the one in Python (oracle.py).

The two were written apart. What `compare` then finds about the library is worth as
much as this agreement. A third one, ../shared/oracle/oracle.py, is asked if it is there.

    brute.py COMPARE PROJECT [HISTORIES [SEED]]
"""
import collections
import subprocess
import sys

import counted
import oracle
import reference
from counted import check


def compare_with(second, level, lines, verdict):
    said = second.decide(level, *second.load(lines))
    said = {"skip: nothing committed": "unknown", "skip: lists at weak levels": verdict}.get(said, said)
    check("at %s oracle.py says %s, the second oracle %s" % (level, verdict, said),
          verdict == said, lambda: "".join(lines))


def main():
    compare, project = sys.argv[1:3]
    total = int(sys.argv[3]) if len(sys.argv) > 3 else 5000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    second = reference.second_oracle(project)
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
            for level, verdict in zip(words[::2], words[1::2]):
                want = oracle.decide(level, lines)
                counts[level, want] += 1
                check("at %s tests/brute says %s, oracle.py %s" % (level, verdict, want),
                      verdict == want, lambda: "".join(lines))
                if second:
                    compare_with(second, level, lines, want)
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
