"""Brute force for lists at the weak levels (rc, ra, cc), which ../shared/oracle/oracle.py skips.

A read of [e1 ... en] reads from en's appender, and the appenders of e1 ... en are a
prefix of the key's appenders in commit order; otherwise as the oracle has it. Every
order of commits is tried, so it is for histories of up to seven transactions or so.
"""
import itertools


def orders(txns):
    """Permutations that follow the sessions; unknown transactions come after `after`."""
    def extend(done, waiting):
        if not waiting:
            yield list(done)
        for t in waiting:
            before = [u for u in waiting if u is not t and
                      ((u.session == t.session and txns.index(u) < txns.index(t)) or u in t.after)]
            if not before:
                yield from extend(done + [t], [u for u in waiting if u is not t])
    return extend([], txns)


def writers(order, place, t, key, value, world):
    """Who can have been read from: indices in the order, -1 for the initial version."""
    if key not in world.lists:
        found = [i for i, u in enumerate(order) if u.final.get(key) == value and i < place]
        return found + ([-1] if value == world.before(key) else [])
    if value == ():
        return [-1]
    built = ()
    for i, u in enumerate(order):
        built += u.final.get(key, ())
        if built == value and key in u.final:
            return [i] if i < place else []
    return []


def sees(level, order, so, reads, choice):
    """seen(place, at): places of those that the read `at` of `place` sees."""
    base = [set() for _ in order]
    for (place, at, _, _), w in zip(reads, choice):
        if w >= 0:
            base[place].add(w)
    if level != "rc":
        for a, b in so:
            base[b].add(a)
    if level == "cc":
        for b in range(len(order)):     # edges go forward in the order
            for a in sorted(base[b]):
                base[b] |= base[a]
    if level != "rc":
        return lambda place, at: base[place]
    return lambda place, at: {w for (p, a, _, _), w in zip(reads, choice)
                              if p == place and a < at and w >= 0}


def explains(level, order, world):
    so = [(i, j) for i, t in enumerate(order) for j, u in enumerate(order)
          if (t.session == u.session and i < j) or t in u.after]
    reads = [(place, at, key, value) for place, t in enumerate(order)
             for at, (key, value) in enumerate(t.reads)]
    options = [writers(order, place, order[place], key, value, world)
               for place, _, key, value in reads]
    for choice in itertools.product(*options):
        seen = sees(level, order, so, reads, choice)
        if all(u <= w for (place, at, key, _), w in zip(reads, choice)
               for u in seen(place, at) if key in order[u].final):
            return True
    return False


def holds(level, txns, world):
    if not all(t.internal_ok for t in txns):
        return False
    if level != "rc" and any(t.unrepeatable for t in txns):
        return False
    return any(explains(level, order, world) for order in orders(txns))


def decide(oracle, level, raw, world):
    kept = oracle.holds
    weak = level in ("rc", "ra", "cc") and world.lists
    if not weak:
        return oracle.decide(level, raw, world)
    lists, oracle.holds = world.lists, lambda level, txns, world: holds(level, txns, world)
    try:
        world.lists = ListsAtAnyLevel(lists)
        return oracle.decide(level, raw, world)
    finally:
        oracle.holds, world.lists = kept, lists


class ListsAtAnyLevel(frozenset):
    """The oracle skips lists at weak levels if there are any; here they are decided."""
    def __bool__(self):
        return False
