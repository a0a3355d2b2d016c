#!/usr/bin/env python3
"""`alibi elle --model cas-register` says what Porcupine says of random histories with crashes, and
what Porcupine's own tests expect of the etcd histories that come with it.

    porcupine.py ALIBI [COUNT [SEED]]

Needs Go and the module that porcupine/go.mod pins; skipped without them. 10000 take ten seconds.
"""
import os
import random
import re
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


def go(*words):
    cache = os.environ.get("ALIBI_GO_CACHE", os.path.expanduser("~/.cache/alibi-go"))
    env = dict(os.environ, GOMODCACHE=cache, GOFLAGS="-mod=mod -modcacherw")
    return subprocess.run(["go", *words], cwd=source, env=env, capture_output=True, text=True, timeout=300)


def build(folder):
    """The program, or None."""
    program = os.path.join(folder, "porcupine")
    return program if shutil.which("go") and go("build", "-o", program, ".").returncode == 0 else None


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


def etcd_events(path):
    """A log of Jepsen's as registers.py has it."""
    events, invoked = [], {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            m = re.search(r"(\d+)\s+:(invoke|ok|fail|info)\s+:(read|write|cas)\s+(.*)$", line)
            if not m:
                continue
            process, kind, f_, numbers = int(m[1]), m[2], m[3], [int(n) for n in re.findall(r"\d+", m[4])]
            value = numbers if f_ == "cas" else numbers[0] if numbers else None
            if kind == "invoke":
                invoked[process] = value
            elif kind == "info" or (kind == "fail" and f_ != "cas"):
                value = invoked[process]
            events.append((process, kind, f_, value))
    return events


def etcd(program, folder):
    module = go("list", "-m", "-f", "{{.Dir}}", "github.com/anishathalye/porcupine").stdout.strip()
    tests = os.path.join(module, "porcupine_test.go")
    if not os.path.exists(tests):
        counted.skip("the module comes without its tests")
        return
    with open(tests, encoding="utf-8") as f:
        wanted = re.findall(r"checkJepsen\(t, (\d+), (true|false)\)", f.read())
    check("Porcupine's tests have etcd histories", len(wanted) > 90, len(wanted))
    names, seconds = {}, []
    for number, answer in wanted:
        name = os.path.join(folder, "etcd-%s" % number)
        registers.write_edn(etcd_events(os.path.join(module, "test_data/jepsen/etcd_%03d.log" % int(number))), name + ".edn")
        shutil.copyfile(os.path.join(module, "test_data/jepsen/etcd_%03d.log" % int(number)), name + ".log")
        names[name] = answer
    for command, suffix in (([alibi, "elle", "--model", "cas-register"], ".edn"), ([program, "60s"], ".log")):
        before = sum(os.times()[2:4])
        answers = said(command, [n + suffix for n in names])
        seconds.append(sum(os.times()[2:4]) - before)
        for name, answer in names.items():
            check("%s of %s" % (os.path.basename(command[0]), os.path.basename(name)),
                  answers.get(name) in (answer, {"true": "Ok", "false": "Illegal"}[answer]), (answer, answers.get(name)))
    print("%d etcd histories, %d of them linearizable: CPU seconds of Alibi %.2f, of Porcupine %.2f" % (
        len(names), list(names.values()).count("true"), *seconds))


with tempfile.TemporaryDirectory() as folder:
    program = build(folder)
    if program:
        etcd(program, folder)
        compare(program, folder)
    else:
        counted.skip("Go, or the module porcupine, is not there")
sys.exit(counted.close())
