"""Tiny random histories, for comparison with brute force.

A store is simulated that is as isolated as a die says, from serializable to hardly
at all, so that valid and violating histories are both common at every level. Values
are unique or repeat, keys are registers or lists, transactions abort or end
unknown (and may have taken effect), clients' clocks are there or not.
"""
import itertools
import json
import random


def history(rng, max_txns=6):
    lists = rng.random() < 0.3
    repeat = rng.choice([0, 0, 0.3, 0.9])
    times = rng.random() < 0.4
    keys = ["x", "y", "z"][:rng.randint(1, 3)]
    header = {"alibi": 1}
    default = None
    if not lists and rng.random() < 0.3:
        default = header["initial_default"] = rng.choice([0, 1])
        if rng.random() < 0.5:
            header["initial"] = [[keys[0], rng.choice([0, 1, 2])]]
    initial = dict(header.get("initial", []))
    state = {k: [] if lists else initial.get(k, default) for k in keys}
    fresh = itertools.count(10)
    sessions = [[] for _ in range(rng.randint(1, 5))]
    stale = rng.choice([0, 0.2, 0.5])      # reads from an old state
    snapshot = rng.random() < 0.5
    past, lines, clock = [dict(state)], [], 0
    for _ in range(rng.randint(1, max_txns)):
        session = rng.randrange(len(sessions))
        t = {"session": session, "ops": []}
        view = dict(rng.choice(past) if rng.random() < stale else state)
        own = {}
        for _ in range(rng.randint(1, 4)):
            key = rng.choice(keys)
            if rng.random() < 0.5:
                seen = view if snapshot else (rng.choice(past) if rng.random() < stale else state)
                value = seen[key] + own.get(key, []) if lists else own.get(key, seen[key])
                if rng.random() < 0.03:
                    value = [9] if lists else rng.choice([9, None, 0])
                t["ops"].append(["r", key, list(value) if lists else value])
            else:
                value = rng.randint(0, 2) if rng.random() < repeat else next(fresh)
                if lists:
                    own[key] = own.get(key, []) + [value]
                    t["ops"].append(["append", key, value])
                elif rng.random() < 0.1:
                    own[key] = None
                    t["ops"].append(["d", key])
                else:
                    own[key] = value
                    t["ops"].append(["w", key, value])
        die = rng.random()
        t["status"] = "abort" if die < 0.08 else "unknown" if die < 0.2 else "commit"
        effect = t["status"] == "commit" or (t["status"] == "unknown" and rng.random() < 0.6) \
            or rng.random() < 0.1
        if effect:
            state = {k: state[k] + own.get(k, []) if lists else own.get(k, state[k]) for k in keys}
            past.append(dict(state))
        if times:
            begin = clock + rng.randint(-4, 2)
            t["begin"], t["end"] = begin, begin + rng.randint(-2, 8)  # clocks may go back
            clock += 2
        lines.append(t)
        sessions[session].append(t)
    if rng.random() < 0.5:  # another order in the file; each session keeps its own
        queues = [list(s) for s in sessions if s]
        lines = []
        while queues:
            q = rng.choice(queues)
            lines.append(q.pop(0))
            queues = [s for s in queues if s]
    return [header] + lines


def scattered(rng, max_txns=7):
    """No store at all: each read finds what some transaction left, so that the weak levels,
    which a store as above can hardly tell apart, differ."""
    lists = rng.random() < 0.3
    repeat = rng.choice([0, 0, 0.2, 0.6])
    keys = ["x", "y", "z"][:rng.randint(2, 3)]
    fresh = itertools.count(10)
    txns, left = [], {k: [] for k in keys}
    for _ in range(rng.randint(3, max_txns)):
        t = {"session": rng.randrange(4), "ops": []}
        for _ in range(rng.randint(1, 3)):
            key = rng.choice(keys)
            if rng.random() < 0.55:
                t["ops"].append(["r", key, None])
                continue
            value = rng.randint(0, 2) if rng.random() < repeat else next(fresh)
            t["ops"].append(["append" if lists else "w", key, value])
        last = {}
        for op in t["ops"]:
            if op[0] != "r":
                last.setdefault(op[1], []).append(op[2])
        for key, values in last.items():
            left[key].append(values)
        die = rng.random()
        t["status"] = "abort" if die < 0.03 else "unknown" if die < 0.1 else "commit"
        txns.append(t)
    wild = rng.choice([0, 0.1, 0.4])
    for at, t in enumerate(txns):
        own, seen = {}, {}
        for op in t["ops"]:
            key = op[1]
            if op[0] != "r":
                own.setdefault(key, []).append(op[2])
                continue
            if lists and (key not in seen or rng.random() < wild):
                order = left[key] if rng.random() < 0.8 else rng.sample(left[key], len(left[key]))
                count = rng.randint(0, len(order))
                seen[key] = [v for values in order[:count] for v in values]
            elif not lists and (key not in seen or rng.random() < wild):
                values = [v[-1] for v in left[key]]
                seen[key] = rng.choice(values + [None]) if rng.random() < 0.9 or not values else values[-1]
            if lists:
                op[2] = seen[key] + own.get(key, [])
            else:
                op[2] = own[key][-1] if key in own and rng.random() < 0.97 else seen[key]
    return [{"alibi": 1}] + txns


def text(lines):
    return "\n".join(json.dumps(t) for t in lines) + "\n"


def seeded(seed, index, max_txns=6):
    rng = random.Random(seed * 1000003 + index)
    return history(rng, max_txns) if rng.random() < 0.6 else scattered(rng, max_txns)
