#!/usr/bin/env python3
"""Jepsen's models by `alibi elle` (docs/models.md): random histories have the verdict that the
definition of the model has, written here a second time.

    models.py ALIBI [COUNT [SEED]]
"""
import collections
import os
import random
import subprocess
import sys
import tempfile

import counted
import registers
from counted import check

alibi = os.path.abspath(sys.argv[1])
count = int(sys.argv[2]) if len(sys.argv) > 2 else 150
rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)


def shown(value):
    """A value as EDN; a set is one."""
    if isinstance(value, (list, tuple)):
        return "[%s]" % " ".join(map(shown, value))
    if isinstance(value, set):
        return "#{%s}" % " ".join(map(shown, value))
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s %s" % (shown(k), shown(v)) for k, v in value.items())
    return {None: "nil"}.get(value, ":" + value if isinstance(value, str) else str(value))


def interleave(make, size, clients=3):
    """Events of random operations: make() is what is asked, answer(kind) what is returned."""
    events, pending, process = [], {}, list(range(clients))
    while size or pending:
        client = rng.randrange(clients)
        if client in pending:
            f, value, answer = pending.pop(client)
            kind = rng.choice(("ok", "ok", "ok", "ok", "fail", "info")) if f != "read" else "ok"
            events.append((process[client], kind, f, answer() if f == "read" else value))
            if kind == "info":
                process[client] = max(process) + 1
        elif size:
            size -= 1
            f, value, answer = make()
            pending[client] = f, value, answer
            events.append((process[client], "invoke", f, value))
    return events


def write(events, path):
    with open(path, "w") as out:
        for index, (process, kind, f, value) in enumerate(events):
            print("{:index %d, :type :%s, :process %d, :f :%s, :value %s}" % (
                index, kind, process, f, shown(value)), file=out)


def verdicts(model, paths, *options):
    r = subprocess.run([alibi, "elle", "--model", model, *options, *paths],
                       capture_output=True, text=True)
    said = dict(line.split(" \t ") for line in r.stdout.splitlines())
    return {path: said.get(path, r.stderr) for path in paths}


def says_little(events):
    """Without a read, or without anything else, a verdict may be unknown."""
    done = [f for _, kind, f, _ in events if kind == "ok"]
    return "read" not in done or set(done) == {"read"}


def compare(model, make, verdict, *options):
    """verdict(events) is true, false, or None: not known."""
    seen = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        wanted = {}
        for i in range(count):
            path = os.path.join(folder, "%d.edn" % i)
            events = make()
            write(events, path)
            wanted[path] = verdict(events)
            if wanted[path] == "true" and says_little(events) and model != "long-fork":
                wanted[path] = None
        said = verdicts(model, list(wanted), *options)
        for path, right in wanted.items():
            seen[right] += 1
            check("%s: %s" % (model, path), right in (None, said[path]),
                  lambda: "%s instead of %s\n%s" % (said[path], right, open(path).read()))
    check("%s: both verdicts" % model, seen["true"] and seen["false"], seen)


# ---- sets ----

def set_events():
    """Adds of 0, 1, …, and reads of what was added, of which some miss something."""
    asked, flaw = [], rng.choice((0, 0, 0.05, 0.3))

    def elements():
        some = {e for e in asked if rng.random() >= flaw}
        some |= {99} if rng.random() < flaw / 20 else set()
        return rng.choice((set, sorted))(some)

    def make():
        if rng.random() < 0.4:
            return "read", None, elements
        asked.append(len(asked))
        return "add", asked[-1], None
    return interleave(make, rng.randint(2, 12)) + [(90, "invoke", "read", None),
                                                  (90, "ok", "read", elements())]


def added(events, f="add"):
    """By element: where it was asked for, and where it was done (None: not surely), but not those
    that failed."""
    found = {v: [i, None] for i, (_, kind, g, v) in enumerate(events) if g == f and kind == "invoke"}
    for i, (_, kind, g, v) in enumerate(events):
        if g == f and kind == "ok":
            found[v][1] = i
        elif g == f and kind == "fail":
            del found[v]
    return found


def reads(events):
    """(where it began, where it ended, what it returned), by their ends"""
    begin = {}
    for i, (process, kind, f, value) in enumerate(events):
        if f == "read" and kind == "invoke":
            begin[process] = i
        elif f == "read" and kind == "ok":
            yield begin[process], i, value


def set_verdict(events):
    there, last = added(events), list(reads(events))[-1]
    lost = [v for v, (_, done) in there.items() if done is not None and done < last[0]
            and v not in last[2]]
    return "false" if lost or any(v not in there for v in last[2]) else "true"


def set_full_verdict(events):
    there, all_reads = added(events), list(reads(events))
    if any(v not in there for r in all_reads for v in r[2]):
        return "false"
    for v, (_, done) in there.items():
        has = [r for r in all_reads if v in r[2]]
        known = min([done] * (done is not None) + [r[1] for r in has], default=None)
        last_absent = max((r[0] for r in all_reads if v not in r[2]), default=-1)
        last_present = max((r[0] for r in has), default=-1)
        if known is not None and last_absent > max(known, last_present):
            return "false"
    return "true"


# ---- comments ----

def comment_events():
    return [(p, kind, "write" if f == "add" else f, v) for p, kind, f, v in set_events()]


def comments_verdict(events):
    there = added(events, "write")
    for _, _, value in reads(events):
        if any(v not in there for v in value):
            return "false"
        last = max((there[v][0] for v in value), default=-1)
        if any(done is not None and done < last and v not in value
               for v, (_, done) in there.items()):
            return "false"
    return "true"


# ---- counter ----

def counter_events():
    least = rng.choice((0, 0, -3))
    sums, off = [0], rng.choice((0, 0, 1))

    def make():
        if rng.random() < 0.4:
            return "read", None, lambda: rng.choice(sums[-3:]) + rng.choice((0, 0, off))
        n = rng.randint(least, 3)
        sums.append(sums[-1] + n)
        return "add", n, None
    return interleave(make, rng.randint(1, 8))


def counter_verdict(events):
    """By all sets of adds that may have been done when the read returned."""
    adds = [(o[2], o[3], o[4], o[5]) for o in registers.operations(events) if o[1] == "add"
            and o[3] != "fail"]
    for begin, end, value in reads(events):
        sums = {0}
        for n, _, asked, done in adds:
            if done is not None and done < begin:
                sums = {s + n for s in sums}
            elif asked < end:
                sums |= {s + n for s in sums}
        if not min(sums) <= value <= max(sums):
            return "false"
    return "true"


# ---- bank ----

def bank_events():
    flaw = rng.choice((0, 0, 0.2))

    def balances():
        a, b = rng.randint(0, 10), rng.randint(0, 6)
        wrong = rng.choice(("total", "negative", "nil", "account")) if rng.random() < flaw else ""
        b = -b - 1 if wrong == "negative" else b
        value = {0: a, 1: b, 2: 20 - a - b + (wrong == "total")}
        return {**value, **({1: None} if wrong == "nil" else {3: 0} if wrong == "account" else {})}

    def make():
        if rng.random() < 0.6:
            return "read", None, balances
        return "transfer", {"from": 0, "to": 1, "amount": 2}, None
    return [(9, "invoke", "read", None), (9, "ok", "read", {0: 20, 1: 0, 2: 0})] + \
        interleave(make, rng.randint(1, 6))


def bank_verdict(events, negative=False):
    for _, _, value in reads(events):
        if None in value.values() or sum(value.values()) != 20 or set(value) - {0, 1, 2} or \
                not negative and min(value.values()) < 0:
            return "false"
    return "true"


# ---- sequential, long-fork ----

def sequential_events():
    """Of a store that is serial, or that forgets parts."""
    stored, flaw, parts = {}, rng.choice((0, 0.3)), 3
    events, done = [], []
    for i in range(rng.randint(2, 8)):
        process = rng.randrange(3)
        if not done or rng.random() < 0.4:
            events += [(process, "invoke", "write", i), (process, "ok", "write", i)]
            stored[i] = parts
            done.append(i)
        else:
            key = rng.choice(done)
            seen = [None if rng.random() < flaw else "%d_%d" % (key, p)
                    for p in reversed(range(parts))]
            events += [(process, "invoke", "read", [key, None]), (process, "ok", "read", [key, seen])]
    return events


def sequential_verdict(events):
    """Not known where a part is missing that another process wrote, and none before it is there."""
    all_there = True
    for _, _, (_, parts) in reads(events):
        there = [p is not None for p in parts]
        all_there &= all(there)
        if any(a and not b for a, b in zip(there, there[1:])):
            return "false"
    return "true" if all_there and any(reads(events)) else None


def long_fork_events():
    """Writes of two keys, and reads of both, each at a random moment of its own."""
    events = [(0, "invoke", "txn", [["w", 0, 1]]), (1, "invoke", "txn", [["w", 1, 1]])]
    order, ends = rng.choice(([0, 1], [1, 0])), []
    fork = rng.random() < 0.5
    for process in range(2, 6):
        moment = rng.randint(0, 2)
        seen = order if not fork or rng.random() < 0.5 else order[::-1]
        values = [["r", k, 1 if k in seen[:moment] else None] for k in (0, 1)]
        events.append((process, "invoke", "txn", [["r", 0, None], ["r", 1, None]]))
        ends.append((process, "ok", "txn", values))
    return events + ends + [(0, "ok", "txn", [["w", 0, 1]]), (1, "ok", "txn", [["w", 1, 1]])]


def long_fork_verdict(events):
    seen = {tuple(v[2] for v in value) for _, kind, _, value in events
            if kind == "ok" and len(value) == 2}
    return "false" if {(1, None), (None, 1)} <= seen else "true"


# ---- mistakes ----

def mistakes():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "h.edn")
        for model, events, words in (
                ("set", [(0, "invoke", "add", 1), (0, "ok", "add", 1)], "never read"),
                ("bank", [(0, "invoke", "write", 1), (0, "ok", "write", 1)], "transfer"),
                ("register", [(0, "invoke", "cas", [1, 2]), (0, "ok", "cas", [1, 2])], ":write"),
                ("cas-register", [(0, "invoke", "cas", [None, 2]), (0, "fail", "cas", [None, 2])],
                 "from nil"),
                ("counter", [(0, "invoke", "add", "x"), (0, "ok", "add", "x")], "integer"),
                ("sequential", [(0, "invoke", "read", 1), (0, "ok", "read", 1)], "[key parts]"),
                ("set-full", [(0, "invoke", "read", None), (0, "ok", "read", 7)], "a list or a set")):
            write(events, path)
            said = verdicts(model, [path])[path]
            check("%s: a message about %s" % (model, words), words in said or said == "unknown", said)
        write([(0, "invoke", "cas", [5, [None, 2]]), (0, "ok", "cas", [5, [None, 2]]),
               (1, "invoke", "read", [6, None]), (1, "ok", "read", [6, None]),
               (0, "invoke", "cas", [5, [3, 2]]), (0, "fail", "cas", [5, [3, 2]]),
               (1, "invoke", "read", [5, None]), (1, "ok", "read", [5, 2])], path)
        check("keys of jepsen.independent", verdicts("cas-register", [path])[path] == "true")


compare("set", set_events, set_verdict)
compare("set-full", set_events, set_full_verdict)
compare("comments", comment_events, comments_verdict)
compare("counter", counter_events, counter_verdict)
compare("bank", bank_events, bank_verdict)
compare("bank", bank_events, lambda e: bank_verdict(e, True), "-n", "-o", "20")
compare("sequential", sequential_events, sequential_verdict)
compare("long-fork", long_fork_events, long_fork_verdict)
for model in ("register", "cas-register"):
    compare(model, lambda: [
        e for e in registers.history(rng, 3, rng.randint(3, 12), 3, 0.05, rng.choice((0, 0.2)))
        if model == "cas-register" or e[2] != "cas"],
        lambda e: "true" if registers.is_linearizable(e) else "false")
mistakes()
sys.exit(counted.close())
