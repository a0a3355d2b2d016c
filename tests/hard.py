#!/usr/bin/env python3
"""Histories on which one way of searching gets nowhere are decided by another.

Every one of these took minutes, or more memory than there was, by the level's own search
alone; now each takes a second or two. A minute and 500 MB are allowed.

    hard.py ALIBI [HISTORIES [FIRST_SEED]]
"""
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

import application
import counted
from counted import check

SHAPES = ((120, 30, 5, 4), (400, 24, 3, 2))  # transactions, sessions, keys, values
WEAK = "rc", "ra", "cc"
APPLICATIONS = (("bank", "rc", {"keys": 10, "times": 1}, WEAK[:1]), ("flags", "ser", {"keys": 20, "times": 1}, WEAK),
                ("registers", "rc", {"keys": 100, "values": 10}, WEAK[:1]),
                ("registers", "si", {"keys": 100, "values": 2, "times": 1}, WEAK),
                ("lists", "ser", {"keys": 20, "values": 3, "times": 1}, WEAK))


def few_values(seed, txns, sessions, keys, values):
    """A serial run, recorded session by session: every read has dozens of writers to choose from."""
    chance = random.Random(seed)
    state, by_session = {}, [[] for _ in range(sessions)]
    for i in range(txns):
        ops = []
        for _ in range(4):
            key = "k%d" % chance.randrange(keys)
            if chance.random() < 0.5:
                ops.append(["r", key, state.get(key)])
            else:
                state[key] = chance.randrange(values)
                ops.append(["w", key, state[key]])
        by_session[i % sessions].append(ops)
    return [(s, ops) for s in range(sessions) for ops in by_session[s]]


def bank(seed, txns, accounts=10, sessions=24, timed=True):
    """Transfers and reads of all balances, recorded session by session, perhaps with the clients' times."""
    chance = random.Random(seed)
    balance, by_session, ended = [50] * accounts, [[] for _ in range(sessions)], [0] * sessions
    for now in range(10, 10 * txns + 10, 10):
        s = min(chance.sample(range(sessions), 3), key=lambda s: ended[s])
        if chance.random() < 0.5:
            ops = [["r", a, balance[a]] for a in range(accounts)]
        else:
            a, b, sum = *chance.sample(range(accounts), 2), chance.randint(1, 5)
            ops = [["r", a, balance[a]], ["r", b, balance[b]]]
            if balance[a] >= sum:
                balance[a], balance[b] = balance[a] - sum, balance[b] + sum
                ops += [["w", a, balance[a]], ["w", b, balance[b]]]
        begin, ended[s] = max(ended[s], now - chance.randrange(200)), now + chance.randrange(200)
        by_session[s].append({"ops": ops, **({"begin": begin, "end": ended[s]} if timed else {})})
    return [{"alibi": 1, "initial_default": 50}] + [
        {"session": s, **txn} for s in range(sessions) for txn in by_session[s]]


def queries(seed, txns=3000, sessions=30, rows=300):
    """A serial run of queries and writes, recorded session by session."""
    chance = random.Random(seed)
    table, by_session = {}, [[] for _ in range(sessions)]
    for i in range(txns):
        if i % 3:
            key, row = "T/%d" % chance.randrange(rows), {"g": chance.randrange(4), "v": i}
            table[key] = row
            ops = [["w", key, row]]
        else:
            group = chance.randrange(4)
            found = [[key, row] for key, row in table.items() if row["g"] == group]
            ops = [["q", {"from": "T", "where": [["g", "=", group]]}, found]]
        by_session[i % sessions].append(ops)
    return [(s, ops) for s in range(sessions) for ops in by_session[s]]


def fractured_beside_a_list():
    """A list that can have come about in 15!/5! ways, and a fractured read that needs none of them."""
    return ([("list%d" % i, [["append", "l", 1]]) for i in range(15)] +
            [("reader", [["r", "l", [1] * 10]]),
             ("writer", [["w", "x", 1], ["w", "y", 1]]), ("seer", [["r", "x", 1], ["r", "y", None]])])


def longer_than_its_session():
    """One session appends equal elements, and once reads one more than it has appended by then."""
    appended, history = 0, []
    for size in (1, 1, 3, 1, 2, 1, 3, 2):
        more = [["r", "l", [0] * 9]] * (appended == 8)
        history.append(("s", [["r", "l", [0] * appended]] + more + [["append", "l", 0]] * size + more))
        appended += size
    return history


def one_value(txns=10000, sessions=50):
    """All transactions read and write the same value."""
    return [(i % sessions, [["r", "x", 1 if i else None], ["w", "x", 1]]) for i in range(txns)]


def unique_values(seed, sessions, txns=20000, keys=1000):
    """A serial run with a value of its own for each write, recorded session by session."""
    chance = random.Random(seed)
    state, by_session = {}, [[] for _ in range(sessions)]
    places = [i % sessions for i in range(txns)]
    chance.shuffle(places)
    for i, session in enumerate(places):
        ops = []
        for j in range(6):
            key = "k%d" % chance.randrange(keys)
            if chance.random() < 0.5:
                ops.append(["r", key, state.get(key)])
            else:
                state[key] = 6 * i + j
                ops.append(["w", key, state[key]])
        by_session[session].append(ops)
    return [(s, ops) for s in range(sessions) for ops in by_session[s]]


def main():
    alibi, count, first = sys.argv[1], int((sys.argv + ["3"])[2]), int((sys.argv + ["1"] * 2)[3])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "h.jsonl")

        def decide(what, want, *levels):
            for level in levels:
                out = subprocess.run([alibi, "check", "--json", "--timeout", "60", "--max-memory", "500M",
                                      "--level", level, path], capture_output=True, text=True).stdout
                check("%s at %s" % (what, level), json.loads(out)["verdict"] == want, out)

        def write_lines(lines):
            with open(path, "w") as f:
                f.writelines(json.dumps(line) + "\n" for line in lines)

        def write(history):
            write_lines({"session": s, "ops": ops} for s, ops in history)

        for seed in range(first, first + count):
            for shape in SHAPES:
                write(few_values(seed, *shape))
                decide("seed %d, %d transactions, %d sessions, %d keys, %d values" % ((seed,) + shape),
                       "valid", "ser", "si")
        for timed in (True, False):
            write_lines(bank(first, 5000, timed=timed))
            decide("a bank %s times" % ("with" if timed else "without"), "valid", "ser", "si", "pc")
        cpu = {}
        for sessions in (24, 2000, 20000):
            write(unique_values(first, sessions))
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            decide("unique values in %d sessions" % sessions, "valid", "ser", "si")
            cpu[sessions] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        check("many sessions cost not much more than few", max(cpu.values()) < 40 * cpu[24], cpu)
        lines = bank(first, 5000)
        balances = [line for line in lines if "ops" in line and len(line["ops"]) == 10]
        lines[lines.index(balances[1000])]["ops"][3][2] = balances[900]["ops"][3][2]
        write_lines(lines)
        decide("a bank with a wrong read", "violates", "ser", "si")
        write(queries(first))
        decide("queries, session by session", "valid", "si", "pc")
        write(fractured_beside_a_list())
        decide("a fractured read beside a list", "violates", "cc", "ra")
        write(longer_than_its_session())
        decide("a list longer than its session made it", "violates", "rc")
        write(one_value())
        decide("one value", "valid", "cc", "ra", "rc")
        for workload, level, words, levels in APPLICATIONS:
            application.write(path, workload, txns=1500, level=level, seed=first, **words)
            decide("%s at %s of an application, %s" % (workload, level, words), "valid", *levels)
        application.write(path, "bank", txns=2000, keys=10, level="rc", seed=first)
        decide("a bank at read committed", "violates", "ra", "cc")
        subprocess.run([alibi, "generate", "--level", "si", "--txns", "6000", "--sessions", "30", "--ops", "8",
                        "--keys", "60", "--deletes", "0.2", "--seed", "2", "--out", path], check=True)
        decide("snapshots with deletes", "valid", "cc", "ra")
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
