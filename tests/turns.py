#!/usr/bin/env python3
"""Every level in one run (check --level all): a limit ends what is not decided, and nothing else.

The histories are a bank at read committed. Balances repeat, so that a read has many candidate
writers, and neither clocks nor the file tell the order: most levels are refuted soon, and `rc`, which holds,
takes very long.
Small ones are decided without limits, and then with tiny ones: no verdict may contradict.

    turns.py ALIBI [HISTORIES [SEED]]
"""
import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import counted
import tiny
from counted import check

LEVELS = ["rc", "ra", "cc", "pc", "si", "ser", "sser"]
REFUTED = ["ra", "cc", "ser", "sser"]  # soon
LIMITS, SLACK = (2, 8, 32), 4  # seconds; a build with sanitizers, or a busy machine, needs more
HARD = 10, 24, 600  # accounts, sessions, transactions
SEARCHING = r"(rc|ra|cc)  \d+ s  [0-9,]+ orders tried, [0-9,]+ conflicts; tries to choose the writer of each read"
KNOWN = "ser violates, known after "
TINY_LIMITS = [["--timeout", "0.0001s"], ["--timeout", "0.001s"], ["--timeout", "0.01s"],
               ["--max-memory", "20K"], ["--max-memory", "60K"], ["--max-memory", "150K"]]


def bank(path, accounts, sessions, txns, seed=1):
    """Transactions at read committed: each read sees what is committed at that moment. The file tells them
    session by session."""
    rng = random.Random(seed)
    state, running, lines = [100] * accounts, {}, ['{"alibi":1,"initial_default":100}']
    while len(lines) <= txns:
        session = rng.randrange(sessions)
        t = running.get(session)
        if t is None:
            a, b = rng.sample(range(accounts), 2)
            plan = [("r", k) for k in range(accounts)] if rng.random() < 0.5 else \
                [("r", a), ("r", b), ("w", a), ("w", b)]
            running[session] = plan, [], {}, {}
        elif t[0]:
            plan, ops, seen, own = t
            kind, key = plan.pop(0)
            if kind == "r":
                seen[key] = state[key]
            else:
                own[key] = seen[key] + rng.choice([-4, -3, -2, -1, 1, 2, 3, 4])
            ops.append([kind, key, own[key] if kind == "w" else seen[key]])
        else:
            for key, value in t[3].items():
                state[key] = value
            lines.append(json.dumps({"session": session, "ops": t[1]}))
            del running[session]
    with open(path, "w") as f:
        f.write("\n".join(lines[:1] + sorted(lines[1:], key=lambda line: json.loads(line)["session"])) + "\n")
    return path


def run(alibi, *words):
    ran = subprocess.run([alibi, "check", "--json", "--level", "all", *words], capture_output=True, text=True)
    return [json.loads(line) for line in ran.stdout.splitlines()], ran


def verdicts(result):
    return {r["level"]: r["verdict"] for r in result.get("levels", [])}


def a_limit_ends_one_level(alibi, folder):
    path = bank(os.path.join(folder, "bank.jsonl"), *HARD)
    for limit in LIMITS:
        started = time.monotonic()
        (result,), _ = run(alibi, "--timeout", "%ds" % limit, path)
        took = time.monotonic() - started
        said = verdicts(result)
        check("the limit holds", took < limit + SLACK, took)
        if all(said.get(level) == "violates" for level in REFUTED):
            break
    check("what is refuted soon is said", all(said.get(level) == "violates" for level in REFUTED), result)
    reason = [r.get("reason", "") for r in result["levels"] if r["level"] == "rc"][0]
    check("the reason says what is proven", "the time limit was reached" in reason
          and "; every value read has a candidate writer" in reason, reason)


def interrupted(alibi, folder):
    """Ctrl-C prints what is known; a terminal shows how the search goes."""
    path = bank(os.path.join(folder, "bank.jsonl"), *HARD)
    for claimed, code in ((None, 2), ("rc", 2), ("ser", 1)):
        lines = open(path).read()
        if claimed:
            lines = lines.replace('"alibi":1', '"alibi":1,"level":"%s"' % claimed, 1)
        given = os.path.join(folder, "claims.jsonl")
        with open(given, "w") as f:
            f.write(lines)
        master, terminal = pty.openpty()
        child = subprocess.Popen([alibi, "check", "--level", "all", given, given], stderr=terminal,
                                 stdout=subprocess.PIPE, text=True)
        os.close(terminal)
        shown, limit = "", time.monotonic() + 60
        while not (re.search(SEARCHING, shown) and KNOWN in shown) and time.monotonic() < limit:
            shown += os.read(master, 4096).decode()
        child.send_signal(signal.SIGINT)
        out = child.communicate(timeout=60)[0]
        while True:  # what is left, until the terminal is closed
            try:
                shown += os.read(master, 4096).decode()
            except OSError:
                break
        os.close(master)
        check("a terminal shows what is known", KNOWN in shown, shown)
        check("and how it goes", re.search(SEARCHING, shown), shown)
        check("Ctrl-C prints what is known", "\n  ser   violates " in out and "\n  rc    unknown  the job was cancelled" in out, out)
        check("once", out.count("\tholds") + out.count("\tdoes not hold") == 1, out)
        check("and says what was not checked", "not checked: " + given in shown, shown)
        check("the exit code is that of what is known", child.returncode == code, child.returncode)


def no_limit_contradicts(alibi, folder, total, seed):
    paths = []
    for i in range(total):
        path = os.path.join(folder, "%d.jsonl" % i)
        if i % 10:
            with open(path, "w") as f:
                f.write(tiny.text(tiny.seeded(seed, i)))
        else:
            bank(path, 4, 4, 20 + i % 50, seed + i)
        paths.append(path)
    whole, _ = run(alibi, *paths)
    decided = open_levels = 0
    for limit in TINY_LIMITS:
        limited, ran = run(alibi, *limit, *paths)
        check("all are answered", len(limited) == len(paths), ran.stderr)
        for path, full, part in zip(paths, map(verdicts, whole), map(verdicts, limited)):
            for level, verdict in part.items():
                decided += verdict != "unknown"
                open_levels += verdict == "unknown"
                check("%s at %s: %s, without limits %s" % (" ".join(limit), level, verdict, full[level]),
                      verdict in ("unknown", full[level]), path)
    check("limits were reached, and not always", decided and open_levels, (decided, open_levels))


def main():
    alibi = sys.argv[1]
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        a_limit_ends_one_level(alibi, folder)
        interrupted(alibi, folder)
        no_limit_contradicts(alibi, folder, total, seed)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
