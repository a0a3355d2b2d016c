#!/usr/bin/env python3
"""What recording costs a database: throughput with and without it, in interleaved runs.

    bench/record.py ALIBI URL [PAIRS] [SECONDS]

Each round runs the same workload unrecorded, recorded, and, on PostgreSQL, recorded with
--server-order. What is printed are the medians of the ratios to the unrecorded run of the
same round, so that a machine that is busy now and then matters less.
"""
import re
import statistics
import subprocess
import sys
import tempfile


def rate(alibi, url, folder, seconds, *words):
    level = [] if url.startswith("sqlite") else ["--isolation", "repeatable-read"]  # that has only one
    ran = subprocess.run([alibi, "record", url, "--duration", seconds, "--keys", "10000"] + level +
                         list(words) + ([] if "--unrecorded" in words else ["--out", folder + "/h.jsonl"]),
                         capture_output=True, text=True)
    if ran.returncode:
        sys.exit(ran.stderr)
    return int(re.search(r"\((\d+)/s\)", ran.stderr).group(1))


def main():
    alibi, url = sys.argv[1:3]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    seconds = sys.argv[4] if len(sys.argv) > 4 else "10"
    kinds = {"recorded": []}
    if url.startswith("postgres"):
        kinds["with --server-order"] = ["--server-order"]
    ratios = {kind: [] for kind in kinds}
    with tempfile.TemporaryDirectory() as folder:
        for n in range(pairs):
            base = rate(alibi, url, folder, seconds, "--unrecorded")
            for kind, words in kinds.items():
                ratios[kind].append(rate(alibi, url, folder, seconds, *words) / base)
            print("round %d: %d/s unrecorded; %s" % (n + 1, base, ", ".join(
                "%s %.3f" % (kind, r[-1]) for kind, r in ratios.items())), flush=True)
    for kind, r in ratios.items():
        print("%s: median %.3f of the unrecorded throughput (%.3f to %.3f)" % (
            kind, statistics.median(r), min(r), max(r)))


if __name__ == "__main__":
    main()
