"""Histories as applications have them: values repeat, sessions are many and short, clients tell the time.

A small database with many versions. Some of its sessions are active at once, and each step is one
operation of one of them, or a commit. Every value is looked up at the moment of the step, so that the
history holds at the level asked for. The file is sorted by session: nothing in it tells the order.

    application.py WORKLOAD [NAME=VALUE…] > FILE
"""
import bisect
import json
import random
import sys

STEP_MS = 0.5  # how long an operation of one session takes
DEFAULTS = {"txns": 1000, "keys": 100, "sessions": 24, "active": 0, "values": 0, "ops": 6, "seed": 1,
            "level": "ser", "times": 0, "jitter": 1.0, "skew": 0.0, "wrong": 0}


class Database:
    """The committed versions of each key, by commit number."""

    def __init__(self, initial):
        self.initial, self.versions, self.now = initial, {}, 0

    def read(self, key, snapshot):
        commits, values = self.versions.get(key, ((), ()))
        i = bisect.bisect_right(commits, snapshot)
        return values[i - 1] if i else self.initial

    def changed(self, keys, snapshot):
        return any(k in self.versions and self.versions[k][0][-1] > snapshot for k in keys)

    def commit(self, writes):
        self.now += bool(writes)
        for key, value in writes.items():
            commits, values = self.versions.setdefault(key, ([], []))
            commits.append(self.now)
            values.append(value)


def single_keys(kind):
    """Reads, and writes or appends, of single keys; all values differ unless there is a number of them."""
    def program(chance, a):
        while True:
            key = chance.randrange(a["keys"])
            if chance.random() < 0.5:
                yield "r", key, None
            else:
                a["last"] = a.get("last", 0) + 1
                yield kind, key, chance.randrange(a["values"]) if a["values"] else a["last"]
    return program


def flags(chance, a):
    while True:
        key = chance.randrange(a["keys"])
        yield ("r", key, None) if chance.random() < 0.5 else ("w", key, chance.random() < 0.5)


def bank(chance, a):
    """Half of the transactions read all accounts; the others move money between two."""
    if chance.random() < 0.5:
        for key in range(a["keys"]):
            yield "r", key, None
        return
    one, other = chance.sample(range(a["keys"]), 2)
    from_one, from_other, amount = (yield "r", one, None), (yield "r", other, None), chance.randint(1, 5)
    if from_one >= amount:
        yield "w", one, from_one - amount
        yield "w", other, from_other + amount


WORKLOADS = {"registers": (single_keys("w"), None), "flags": (flags, False), "bank": (bank, 50),
             "lists": (single_keys("append"), ())}


class Transaction:
    def __init__(self, program, limit, snapshot, begin):
        self.program, self.left, self.snapshot, self.begin = program, limit, snapshot, begin
        self.answer, self.ops, self.own, self.read = None, [], {}, set()

    def step(self, db, level):
        """One operation; False if there is none left."""
        if not self.left:
            return False
        self.left -= 1
        try:
            kind, key, value = self.program.send(self.answer)
        except StopIteration:
            return False
        self.answer = None
        if kind == "w":
            self.own[key] = value
        else:
            if key not in self.own:
                self.read.add(key)
            seen = self.own[key] if key in self.own else db.read(
                key, db.now if level == "rc" else self.snapshot)
            if kind == "append":
                self.own[key] = seen + (value,)
            else:
                value = self.answer = seen
        self.ops.append([kind, key, value])
        return True

    def commits(self, db, level):
        """What first-committer-wins, and at ser a check of the reads, let through."""
        return level == "rc" or not (db.changed(self.own, self.snapshot) or
                                     level == "ser" and self.own and db.changed(self.read, self.snapshot))


def swap_reads(chance, history, count):
    """Exchanges the values of two external reads of a key, count times: each is a wrong read."""
    seen, order = {}, [t for session in history for t in session]
    chance.shuffle(order)
    for t in order:
        own = set()
        for op in t["ops"]:
            if op[0] != "r":
                own.add(op[1])
            elif op[1] not in own and count:
                other = seen.setdefault(op[1], op)
                if other[2] != op[2]:
                    other[2], op[2] = op[2], other[2]
                    count -= 1
                    break


def add_times(chance, a, line, before, begin, end):
    """Begin and end in ns as the client saw them, with what the network took; a client waits for its answer."""
    line["begin"], line["end"] = (int((moment + 1000) * 1e6) for moment in (
        begin - chance.uniform(0, a["jitter"]), end + chance.uniform(0, a["jitter"])))
    if before and before[-1]["end"] > line["begin"]:
        before[-1]["end"] = line["begin"] = int((begin + 1000) * 1e6)


def run(workload, **words):
    """The history, a list of transactions for each session, and its header."""
    a = dict(DEFAULTS, **words)
    program, initial = WORKLOADS[workload]
    chance = random.Random(a["seed"])
    db, history, running, clock = Database(initial), [[] for _ in range(a["sessions"])], [], 0.0
    idle, left = list(range(a["sessions"])), a["txns"]
    active = a["active"] or min(a["sessions"], 64)
    ahead = [chance.uniform(-a["skew"], a["skew"]) for _ in history]
    limit = a["ops"] if workload != "bank" else a["keys"] + 4
    while left:
        clock += chance.expovariate(active / STEP_MS)
        while len(running) < active and idle:
            i = chance.randrange(len(idle))
            idle[i], idle[-1] = idle[-1], idle[i]
            running.append((idle.pop(), Transaction(program(chance, a), limit, db.now, clock)))
        i = chance.randrange(len(running))
        session, t = running[i]
        if t.step(db, a["level"]):
            continue
        running[i] = running[-1]
        running.pop()
        idle.append(session)
        if t.commits(db, a["level"]):
            db.commit(t.own)
            line = {"session": session, "ops": t.ops}
            before = history[session]
            if a["times"]:
                add_times(chance, a, line, before, t.begin + ahead[session], clock + ahead[session])
            before.append(line)
            left -= 1
    swap_reads(chance, history, a["wrong"])
    header = {"alibi": 1}
    if isinstance(initial, (bool, int)):
        header["initial_default"] = initial
    return header, history


def write(path, workload, **words):
    header, history = run(workload, **words)
    with open(path, "w") as f:
        f.write(json.dumps(header) + "\n")
        for session in history:
            f.writelines(json.dumps(t, separators=(",", ":")) + "\n" for t in session)
    return path


def main():
    words = dict(w.split("=") for w in sys.argv[2:])
    write("/dev/stdout", sys.argv[1], **{k: type(DEFAULTS[k])(v) for k, v in words.items()})


if __name__ == "__main__":
    main()
