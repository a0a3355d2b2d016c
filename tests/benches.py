#!/usr/bin/env python3
"""The programs of bench/ still run: each once, on very little.

What they measure of so little means nothing, and is not looked at.

    benches.py ALIBI PROJECT
"""
import os
import subprocess
import sys
import tempfile

import counted
from counted import check

TINY = "1000"  # transactions
LISTED = {
    "applications.py": [["--quick", "sessions", "bank of 10, 1000, times"],
                        ["--quick", "--level", "si", "recorded", "sqlite:%s/applications.db"]],
    "search.py": [["--quick", "16,000 blind", "repeated", "planted", "threads", "times", "levels"]],
    "watch.py": [[TINY, "1"], ["threads", TINY, "1"], ["stages", TINY, "1"], ["spill", TINY],
                 ["clocks", TINY, "1"], ["fences", TINY, "1"], ["sustained", TINY]],
    "load.py": [["1", TINY]],
    "synth.py": [["--sizes", "3-3"]],
    "record.py": [["sqlite:%s/record.db", "1", "1"]],
}


def answers(command):
    return not subprocess.run(command, shell=True, capture_output=True).returncode


def unable(name, alibi):
    """Why a bench cannot run here, or None."""
    if name == "load.py" and not answers("echo 'int main(){}' | g++ -x c++ -o /dev/null - -lsimdjson"):
        return "needs g++ and simdjson"
    if name == "synth.py" and not answers("%s synth --allow ra --forbid cc --txns 3" % alibi):
        return "needs a SAT solver"
    if name in ("applications.py", "record.py") and answers("%s record sqlite: 2>&1 | grep -q 'built without'" % alibi):
        return "needs SQLite"
    return None


def main():
    alibi, project = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    bench = os.path.join(project, "bench")
    there = sorted(n for n in os.listdir(bench) if n.endswith(".py"))
    check("each is run here", there == sorted(LISTED), there)
    with tempfile.TemporaryDirectory() as folder:
        for name, runs in LISTED.items():
            why = unable(name, alibi)
            if why:
                counted.skip("%s %s" % (name, why))
                continue
            for words in runs:
                words = [w.replace("%s", folder) for w in words]
                ran = subprocess.run([sys.executable, "-B", os.path.join(bench, name), alibi] + words,
                                     capture_output=True, text=True, cwd=project)
                check(" ".join([name] + words), ran.returncode == 0 and ran.stdout.strip(),
                      ran.stdout + ran.stderr)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
