#!/usr/bin/env python3
"""`alibi elle --model cas-register` says what Porcupine says of random histories with crashes.

    porcupine.py ALIBI [COUNT [SEED]]

Needs Go and the module that porcupine/go.mod pins; skipped without them. 10000 take ten seconds.
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

import counted
import registers
from counted import check

alibi = os.path.abspath(sys.argv[1])
count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "porcupine")


def build(folder):
    """The program, or None."""
    program = os.path.join(folder, "porcupine")
    cache = os.environ.get("ALIBI_GO_CACHE", os.path.expanduser("~/.cache/alibi-go"))
    env = dict(os.environ, GOMODCACHE=cache, GOFLAGS="-mod=mod -modcacherw")
    if not shutil.which("go"):
        return None
    r = subprocess.run(["go", "build", "-o", program, "."], cwd=source, env=env,
                       capture_output=True, text=True, timeout=300)
    return program if r.returncode == 0 else None


def said(command, paths):
    lines = []
    for i in range(0, len(paths), 1000):
        r = subprocess.run(command + paths[i:i + 1000], capture_output=True, text=True)
        lines += [line.split("\t") for line in r.stdout.splitlines()]
    return {os.path.splitext(line[0].strip())[0]: line[1].strip() for line in lines}


def compare(program, folder):
    names = []
    while len(names) < count:
        events = registers.history(rng, rng.choice((2, 3, 5)), rng.randint(4, 30), rng.choice((2, 3, 5)),
                                   rng.choice((0.02, 0.05, 0.15)), rng.choice((0, 0.02, 0.1)))
        if all(o[3] == "info" for o in registers.operations(events)):
            continue
        names.append(os.path.join(folder, str(len(names))))
        registers.write_edn(events, names[-1] + ".edn")
        registers.write_log(events, names[-1] + ".log")
    ours = said([alibi, "elle", "--model", "cas-register"], [n + ".edn" for n in names])
    theirs = said([program, "60s"], [n + ".log" for n in names])
    for name in names:
        wanted = {"Ok": "true", "Illegal": "false"}.get(theirs.get(name))
        check(name, wanted and ours.get(name) == wanted, lambda: "%s, Porcupine: %s\n%s" % (
            ours.get(name), theirs.get(name), open(name + ".edn").read()))
    check("both verdicts", len(set(ours.values())) > 1, set(ours.values()))


with tempfile.TemporaryDirectory() as folder:
    program = build(folder)
    if program:
        compare(program, folder)
    else:
        counted.skip("Go, or the module porcupine, is not there")
sys.exit(counted.close())
