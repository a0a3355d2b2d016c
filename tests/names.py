#!/usr/bin/env python3
"""Names of others mean what `alibi levels` says they mean.

Definitions of Adya (version orders and forbidden cycles) and of Cerone, Bernardi and
Gotsman (visibility and arbitration), tried by brute force on tiny random histories,
against the oracle (oracle.py) at the level that `alibi levels` names. Where it says that the two are the same, they never differ; where it says
that they are not, some history shows it.

    names.py ALIBI [HISTORIES [SEED]]
"""
import itertools
import json
import random
import subprocess
import sys

import counted
import oracle
from counted import check


class History:
    """reads[t]: (key, writer) in order, writer None for the initial version; writes[t]:
    keys; sessions[t]. Values are unique, and no read is of what was not committed."""

    def __init__(self, rng):
        self.n = rng.choice([2, 3, 3, 4])
        keys = ["x", "y"][:rng.randint(1, 2)]
        self.sessions = sorted(rng.randrange(self.n) for _ in range(self.n))
        self.writes = [{k for k in keys if rng.random() < 0.45} for _ in range(self.n)]
        self.reads = []
        for t in range(self.n):
            mine = rng.sample(keys, rng.randint(0, len(keys)))
            writers = {k: [u for u in range(self.n) if u != t and k in self.writes[u]] for k in mine}
            self.reads.append([(k, rng.choice([None] + writers[k])) for k in mine])

    def lines(self):
        for t in range(self.n):
            ops = [["r", k, None if w is None else "%s%d" % (k, w)] for k, w in self.reads[t]]
            ops += [["w", k, "%s%d" % (k, t)] for k in sorted(self.writes[t])]
            yield json.dumps({"session": self.sessions[t], "ops": ops})

    def session_order(self):
        return {(a, b) for a in range(self.n) for b in range(a + 1, self.n)
                if self.sessions[a] == self.sessions[b]}


def closure(edges):
    edges = set(edges)
    while True:
        more = {(a, d) for a, b in edges for c, d in edges if b == c} - edges
        if not more:
            return edges
        edges |= more


def acyclic(edges):
    return all(a != b for a, b in closure(edges))


# ---- Adya: direct serialization graphs ----

def version_orders(h):
    keys = sorted(set().union(*h.writes)) if h.n else []
    writers = [[t for t in range(h.n) if k in h.writes[t]] for k in keys]
    for orders in itertools.product(*[itertools.permutations(w) for w in writers]):
        yield dict(zip(keys, orders))


def dependencies(h, versions):
    ww = {(a, b) for order in versions.values() for a, b in zip(order, order[1:])}
    wr = {(w, t) for t in range(h.n) for _, w in h.reads[t] if w is not None}
    rw = set()
    for t in range(h.n):
        for k, w in h.reads[t]:
            order = versions.get(k, ())
            after = order[order.index(w) + 1:] if w is not None else order
            if after and after[0] != t:
                rw.add((t, after[0]))
    return ww, wr, rw


def with_versions(holds):
    return lambda h: any(holds(h, *dependencies(h, v)) for v in version_orders(h))


def one_rw(rw, others):
    """Is there a cycle with exactly one anti-dependency?"""
    reach = closure(others)
    return any((b, a) in reach for a, b in rw)


PL_1 = with_versions(lambda h, ww, wr, rw: acyclic(ww))
PL_2 = with_versions(lambda h, ww, wr, rw: acyclic(ww | wr))
PL_2_PLUS = with_versions(lambda h, ww, wr, rw: acyclic(ww | wr) and not one_rw(rw, ww | wr))
PL_3 = with_versions(lambda h, ww, wr, rw: acyclic(ww | wr | rw))


def schedules(n):
    """Starts and commits of n transactions in all orders: (t, 0) starts, (t, 1) commits."""
    for order in itertools.permutations([t for t in range(n) for _ in (0, 1)]):
        seen, events = set(), []
        for t in order:
            events.append((t, int(t in seen)))
            seen.add(t)
        yield tuple(events)


SCHEDULES = {n: sorted(set(schedules(n))) for n in (2, 3)}


def PL_SI(h):
    """G-SIa: a dependency without a start-dependency; G-SIb: a cycle of these and one rw."""
    if h.n > 3:
        return None
    for events in SCHEDULES[h.n]:
        at = {e: i for i, e in enumerate(events)}
        start = {(a, b) for a in range(h.n) for b in range(h.n) if a != b and at[a, 1] < at[b, 0]}
        for versions in version_orders(h):
            ww, wr, rw = dependencies(h, versions)
            if (ww | wr) <= start and not one_rw(rw, ww | wr | start):
                return True
    return False


# ---- Cerone, Bernardi, Gotsman: visibility and arbitration ----

def cerone(transitive=False, prefix=False, noconflict=False, total=False, sessions=False):
    def holds(h):
        for order in itertools.permutations(range(h.n)):
            before = [(a, b) for i, a in enumerate(order) for b in order[i + 1:]]
            for seen in itertools.chain.from_iterable(
                    itertools.combinations(before, r) for r in range(len(before) + 1)):
                vis = set(seen)
                if total and len(vis) < len(before) or sessions and not h.session_order() <= vis:
                    continue
                if transitive and closure(vis) != vis:
                    continue
                if prefix and any((a, c) not in vis for a, b in before for d, c in vis if b == d):
                    continue
                if noconflict and any(h.writes[a] & h.writes[b] and (a, b) not in vis for a, b in before):
                    continue
                if all(([None] + [u for u in order if (u, t) in vis and k in h.writes[u]])[-1] == w
                       for t in range(h.n) for k, w in h.reads[t]):
                    return True
        return False
    return holds


DEFINITIONS = {
    "Adya:PL-1": PL_1, "Adya:PL-2": PL_2, "Adya:PL-2+": PL_2_PLUS, "Adya:PL-SI": PL_SI, "Adya:PL-3": PL_3,
    "Elle:read-atomic": cerone(), "AWDIT:read-atomic": cerone(sessions=True),
    "Elle:causal-cerone": cerone(transitive=True), "AWDIT:causal": cerone(transitive=True, sessions=True),
    "Elle:parallel-snapshot-isolation": cerone(transitive=True, noconflict=True),
    "Elle:prefix": cerone(prefix=True), "dbcop:prefix": cerone(prefix=True, sessions=True),
    "Elle:snapshot-isolation": cerone(prefix=True, noconflict=True),
    "Elle:strong-session-snapshot-isolation": cerone(prefix=True, noconflict=True, sessions=True),
    "Elle:serializable": cerone(total=True),
    "Elle:strong-session-serializable": cerone(total=True, sessions=True),
}


def main():
    alibi = sys.argv[1]
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    data = json.loads(subprocess.run([alibi, "levels", "--json"], capture_output=True, text=True).stdout)
    rows = {a["whose"] + ":" + a["name"]: dict(a, level=level["name"])
            for level in data["levels"] for a in level["same"] + level["near"]}
    differ = {name: 0 for name in DEFINITIONS}
    for _ in range(total):
        h = History(rng)
        ours = {(level, sessions): oracle.decide(level, h.lines(), sessions) == "valid"
                for level in ("rc", "ra", "cc", "pc", "si", "ser") for sessions in (True, False)}
        for name, definition in DEFINITIONS.items():
            row, theirs = rows[name], definition(h)
            if theirs is None:
                continue
            differs = theirs != ours[row["level"], row["session_order"] == "on"]
            differ[name] += differs
            check("%s says what %s says" % (name, row["level"]), not differs or "difference" in row,
                  lambda: "\n".join([str(theirs), *h.lines()]))
        for name, weaker in [("Adya:PL-1", "rc"), ("Adya:PL-2", "rc"), ("Adya:PL-2+", "si"),
                             ("Elle:parallel-snapshot-isolation", "si")]:  # as the differences say
            check("%s allows what %s allows" % (name, weaker), not ours[weaker, True] or DEFINITIONS[name](h),
                  lambda: "\n".join(h.lines()))
    for name, count in differ.items():
        check("%s and %s differ if they are said to" % (name, rows[name]["level"]),
              (count > 0) == ("difference" in rows[name]), count)
    print(", ".join("%s %d" % d for d in differ.items() if d[1]))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
