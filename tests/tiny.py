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


def text(lines):
    return "\n".join(json.dumps(t) for t in lines) + "\n"


def seeded(seed, index, max_txns=6):
    return history(random.Random(seed * 1000003 + index), max_txns)
