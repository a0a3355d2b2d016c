#!/usr/bin/env python3
"""The brute force of tests/brute against the reference, ../shared/oracle/oracle.py
(and weak_lists.py for lists at the weak levels).

The two were written apart. What `compare` then finds about the library is worth as
much as this agreement. Without the reference the test is skipped.

    brute.py COMPARE PROJECT [HISTORIES [SEED]]
"""
import collections
import os
import subprocess
import sys

import weak_lists

SHOWN_MAX = 5


def main():
    compare, project = sys.argv[1:3]
    total = int(sys.argv[3]) if len(sys.argv) > 3 else 5000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    folder = os.path.join(project, "..", "shared", "oracle")
    if not os.path.exists(os.path.join(folder, "oracle.py")):
        print("the reference is not at ../shared/oracle: nothing to compare with")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    import oracle
    passed = failed = histories = 0
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
                if verdict == want:
                    passed += 1
                    continue
                failed += 1
                if failed <= SHOWN_MAX:
                    print("at %s our brute force says %s, the reference %s:\n%s" % (
                        level, verdict, want, "".join(lines)))
            lines = []
            histories += 1
    if ran.returncode or histories != total:
        print("%s printed %d histories of %d" % (compare, histories, total))
        failed += 1
    for level in oracle.LEVELS:
        said = ["%d %s" % (n, verdict) for (l, verdict), n in sorted(counts.items()) if l == level]
        if said:
            print("%s: %s" % (level, ", ".join(said)))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
