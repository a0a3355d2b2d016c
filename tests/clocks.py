#!/usr/bin/env python3
"""Clients' clocks, with and without skew, against brute force on tiny random histories.

At sser, and with --assume-time-order at pc, si and ser, a transaction comes before another
that began more than the skew after its end. ../shared/oracle/oracle.py knows who must
have committed before whom (for unknown transactions); here it is told what clocks say.

    clocks.py ALIBI PROJECT [HISTORIES [SEED]]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import tiny

BATCH = 200


def with_clocks(oracle, skew):
    """Wraps oracle.holds: everybody comes after those that ended before it began."""
    plain = oracle.holds

    def holds(level, txns, world):
        kept = [t.after for t in txns]
        for t in txns:
            t.after = t.after + [u for u in txns if u is not t and u.end is not None
                                 and t.begin is not None and u.end + skew < t.begin]
        try:
            return plain(level, txns, world)
        finally:
            for t, after in zip(txns, kept):
                t.after = after
    return holds


def history(rng):
    """One with clocks: others get some."""
    lines = tiny.history(rng)
    clock = 0
    for t in lines[1:]:
        clock += rng.randint(0, 6)
        t["begin"], t["end"] = clock, clock + rng.randint(0, 12)
        if rng.random() < 0.1:
            del t[rng.choice(["begin", "end"])]
    return lines


def main():
    alibi, project = sys.argv[1:3]
    total = int(sys.argv[3]) if len(sys.argv) > 3 else 600
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    folder_of_oracle = os.path.join(project, "..", "shared", "oracle")
    if not os.path.exists(os.path.join(folder_of_oracle, "oracle.py")):
        print("the brute-force oracle is not at ../shared/oracle: nothing to compare with")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder_of_oracle)
    import oracle
    passed = failed = 0
    plain = oracle.holds
    counts = {}
    for first in range(0, total, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            rng = random.Random(seed * 1000003 + first)
            skew = rng.choice([0, 0, 1, 3, 10])
            in_header = rng.random() < 0.5
            paths, texts = [], []
            for i in range(BATCH):
                lines = history(rng)
                if in_header:
                    lines[0]["skew"] = skew
                paths.append(os.path.join(folder, "%d.jsonl" % i))
                texts.append(tiny.text(lines))
                with open(paths[-1], "w") as f:
                    f.write(texts[-1])
            for level in ("pc", "si", "ser", "sser"):
                words = [alibi, "check", "--json", "--level", level]
                if level != "sser":
                    words.append("--assume-time-order")
                if not in_header:
                    words += ["--clock-skew", str(skew)]
                ran = subprocess.run(words + paths, capture_output=True, text=True)
                results = [json.loads(line) for line in ran.stdout.splitlines()]
                oracle.holds = with_clocks(oracle, skew)
                for text, result in zip(texts, results):
                    want = oracle.decide("ser" if level == "sser" else level,
                                         *oracle.load(text.splitlines()))
                    want = "unknown" if want.startswith("skip") else want
                    counts[level, want] = counts.get((level, want), 0) + 1
                    passed += result["verdict"] == want
                    failed += result["verdict"] != want
                    if result["verdict"] != want and failed <= 5:
                        print("at %s, skew %d, the program says %s (%s), brute force %s:\n%s" % (
                            level, skew, result["verdict"], result.get("reason"), want, text))
                oracle.holds = plain
                if len(results) != len(paths):
                    failed += 1
                    print("the program answered for %d of %d: %s" % (len(results), len(paths), ran.stderr))
    print(", ".join("%s %s %d" % (k + (n,)) for k, n in sorted(counts.items())))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
