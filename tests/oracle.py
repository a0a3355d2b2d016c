"""Brute force: decides a tiny history at a level by trying everything.

Written from docs/levels.md and docs/history-format.md for clarity, not for speed, and shares
neither code nor ideas with the program. It is for histories of about seven transactions.

pc, si, ser, sser: there is a schedule of starts and commits that produces the history. A
    transaction runs on the state at its start and sees its own writes; at ser and sser it
    starts and commits at one point. At si it does not commit after a transaction that wrote
    one of its keys and committed since its start.
rc, ra, cc (Biswas and Enea 2019): there is a choice of a writer for every external read, and
    a commit order that contains session order and reads-from, such that of the writers of a
    key that a transaction sees none comes after the one it reads from. It sees, at rc, the
    writers of its earlier reads; at ra, those of all its reads and its session's earlier
    transactions; at cc, the causal past. The writers of a list read are the key's first
    appenders in commit order, and it reads from the last of them.

A transaction of unknown outcome commits or not, whichever explains the history. Its reads do
not count, it follows its session's earlier commits and its own begin, and nothing has to
follow it.

    decide(level, lines)     "valid", "violates", or "unknown" if nothing committed
    replayed(level, lines)   the same for the order of the timestamps
"""
import fractions
import functools
import itertools
import json
import re

WEAK, SCHEDULED = ["rc", "ra", "cc"], ["pc", "si", "ser", "sser"]
LEVELS = WEAK + SCHEDULED


# ---- rows, predicates and changes ----

def without_nulls(row):
    return {c: v for c, v in row.items() if v is not None}


def number(fraction):
    """Exact: an int if it is whole, else a Fraction."""
    return int(fraction) if fraction == int(fraction) else fraction


def loads(text):
    return json.loads(text, parse_float=lambda digits: number(fractions.Fraction(digits)))


def is_number(value):
    return isinstance(value, (int, fractions.Fraction)) and not isinstance(value, bool)


def scalar(value):
    """A fraction as its digits, however many; its denominator divides a power of ten."""
    if isinstance(value, dict):
        return {c: scalar(v) for c, v in value.items()}
    if not isinstance(value, fractions.Fraction):
        return value
    digits = next(n for n in itertools.count() if (value * 10**n).denominator == 1)
    return {"fraction": "%de-%d" % (value * 10**digits, digits)}


def canon(value):
    """Equal for equal values: a missing column is NULL."""
    value = without_nulls(value) if isinstance(value, dict) else value
    return re.sub(r'\{"fraction": "([^"]*)"\}', r"\1", json.dumps(scalar(value), sort_keys=True))


parsed = functools.lru_cache(maxsize=None)(loads)


def columns(row):
    return row if isinstance(row, dict) else {"value": row}


def comparable(a, b):
    return a is not None and b is not None and (type(a) is type(b) or is_number(a) and is_number(b))


def order(a, b):
    """-1, 0 or 1 for two values of one type; strings by their bytes."""
    if isinstance(a, str):
        a, b = a.encode(), b.encode()
    return (a > b) - (a < b)


def both(values):
    return False if False in values else None if None in values else True


def either(values):
    return True if True in values else None if None in values else False


def negated(value):
    return None if value is None else not value


def compared(cell, kind, constant):
    if not comparable(cell, constant):
        return None
    if kind == "like":
        unescaped = re.sub(r"\\(.)", r"\1", constant[:-1])
        return cell[:len(unescaped)] == unescaped
    first = order(cell, constant)
    return {"=": first == 0, "!=": first != 0, "<": first < 0, "<=": first <= 0,
            ">": first > 0, ">=": first >= 0}[kind]


def truth(row, condition):
    """True, False, or None if it is unknown."""
    if isinstance(condition[1], list):
        values = [truth(row, c) for c in condition[1:]]
        return {"and": both, "or": either, "not": lambda of: negated(of[0])}[condition[0]](values)
    column, kind, *constants = condition
    cell = columns(row).get(column)
    if kind == "is-null":
        return cell is None
    if kind == "is-not-null":
        return cell is not None
    if kind == "in":
        return either([compared(cell, "=", c) for c in constants[0]])
    if kind == "between":
        return both([compared(cell, ">=", constants[0]), compared(cell, "<=", constants[1])])
    return compared(cell, kind, constants[0])


def matches(predicate, row):
    return both([truth(row, c) for c in predicate.get("where", [])]) is True


def relation(key):
    return key.split("/", 1)[0] if isinstance(key, str) and "/" in key else None


def asks(predicate, key):
    """Is the key in the scope of the predicate?"""
    return ("from" not in predicate or relation(json.loads(key)) == predicate["from"]) and \
        key not in [canon(k) for k in predicate.get("except", [])]


class Failed(Exception):
    """The statement cannot have succeeded."""


def changed(change, row):
    """The columns after a change, None if it deletes the row; NULLs are there, as None."""
    if "delete" in change:
        return None
    old, new = columns(row), dict(columns(row))
    for column, value in change["set"].items():
        if isinstance(value, list):  # ["+", column, number]
            base = old.get(value[1])
            if base is None:
                value = None
            elif is_number(base):
                value = number(base + value[2])
            else:
                raise Failed
        new[column] = value
    return new


def left(change, row):
    """The row after a change whose result was not recorded: a plain value stays one."""
    new = changed(change, row)
    if new is None or isinstance(row, dict):
        return new
    if list(without_nulls(new)) != ["value"]:
        raise Failed
    return new["value"]


def leads_to(change, old, new):
    """Can the change have turned one recorded row into the other?"""
    made = changed(change, old)
    if made is None or new is None:
        return made is None and new is None
    return isinstance(new, dict) == isinstance(old, dict) and canon(columns(new)) == canon(made)


# ---- histories ----

class Txn:
    """Operations have canonical keys and values; rows are a dict; lists are tuples."""

    def __init__(self, number, t, lists):
        self.number = number
        self.session = canon(t["session"]) if "session" in t else "alone %d" % number
        self.status = t.get("status", "commit")
        self.begin, self.end = t.get("begin"), t.get("end")
        self.start_ts, self.commit_ts = t.get("start_ts"), t.get("commit_ts")
        self.ops = [self.operation(op, lists) for op in t["ops"]]

    @staticmethod
    def operation(op, lists):
        kind, of = op[0], op[1]
        if kind == "q":
            return kind, of, {canon(k): canon(row) for k, row in op[2]}
        if kind == "u":
            return kind, of, op[2], {canon(k): canon(row) for k, row in op[3]} if len(op) > 3 else None
        key, value = canon(of), op[2] if len(op) > 2 else None
        if kind == "r" and key in lists:
            return kind, key, tuple(map(canon, value or []))
        return {"d": "w"}.get(kind, kind), key, canon(value)


class History:
    def __init__(self, lines):
        read = [loads(line) for line in lines if line.strip()]
        header = next((t for t in read if "alibi" in t), {})
        raw = [t for t in read if "ops" in t]
        keys, lists = set(), set()
        for op in (op for t in raw for op in t["ops"]):
            if op[0] in ("q", "u"):
                keys |= {canon(k) for k in op[1].get("except", [])}
                keys |= {canon(k) for k, _ in op[-1]} if isinstance(op[-1], list) else set()
                continue
            keys.add(canon(op[1]))
            if op[0] == "append" or op[0] == "r" and isinstance(op[2], list):
                lists.add(canon(op[1]))
        initial = {canon(k): canon(v) for k, v in header.get("initial", [])}
        self.initial = {k: () if k in lists else initial.get(k, canon(header.get("initial_default")))
                        for k in keys | set(initial)}
        self.skew = header.get("skew", 0)
        self.txns = [Txn(i, t, lists) for i, t in enumerate(raw)]

    def explained(self, holds):
        """Does it hold for some of the transactions of unknown outcome?"""
        committed = [t for t in self.txns if t.status == "commit"]
        unknown = [t for t in self.txns if t.status == "unknown"]
        if not committed:
            return "unknown"
        chosen = itertools.chain.from_iterable(
            itertools.combinations(unknown, n) for n in range(len(unknown) + 1))
        return "valid" if any(holds(committed + list(some)) for some in chosen) else "violates"


def precedes(a, b, session_order, skew):
    """Must a have committed before b starts? skew: of the clocks, None if these do not count."""
    if a.status != "commit":
        return False
    if session_order and a.session == b.session and a.number < b.number:
        return True
    return skew is not None and a is not b and a.end is not None and b.begin is not None \
        and a.end + skew < b.begin


# ---- pc, si, ser, sser ----

def execute(txn, state):
    """What it writes when it runs on the state (for lists, what it appends), or None if what it
    reads there is not what was recorded."""
    own, binds = {}, txn.status == "commit"

    def now(key):
        if isinstance(state[key], tuple):
            return state[key] + own.get(key, ())
        return own.get(key, state[key])

    def found(predicate):
        return {k: now(k) for k in state if asks(predicate, k) and not isinstance(state[k], tuple)
                and now(k) != "null" and matches(predicate, parsed(now(k)))}

    for kind, key, *more in txn.ops:
        if kind == "w":
            own[key] = more[0]
        elif kind == "append":
            own[key] = own.get(key, ()) + (more[0],)
        elif kind == "r":
            if binds and now(key) != more[0]:
                return None
        elif kind == "q":
            rows = more[0]
            if binds and not (found(key).keys() <= rows.keys() and all(
                    now(k) == row and matches(key, parsed(row)) for k, row in rows.items())):
                return None
        else:
            written = update(key, more[0], more[1], found(key), binds)
            if written is None:
                return None
            own.update(written)
    return own


def update(predicate, change, rows, found, binds):
    """What a predicate write does to the rows that it found; rows: its recorded result or None."""
    try:
        if rows is None:
            rows = {}
            for key, row in found.items():
                try:
                    rows[key] = canon(left(change, parsed(row)))
                except Failed:
                    if binds:
                        raise
        elif binds and (set(found) != {k for k in rows if asks(predicate, k)} or not all(
                leads_to(change, parsed(row), parsed(rows[key])) for key, row in found.items())):
            return None
        return rows
    except Failed:
        return None


def committed(state, writes):
    return {**state, **{k: state[k] + v if isinstance(v, tuple) else v for k, v in writes.items()}}


def scheduled(level, txns, initial, before):
    """before: pairs (a, b), a commits before b starts"""
    serial, dead = level in ("ser", "sser"), set()
    waits = {b: {a for a, c in before if c is b} for b in txns}

    def commit(done, running, state, t, writes):
        rest = {u: (w, clash or bool(w.keys() & writes.keys())) for u, (w, clash) in running.items() if u is not t}
        return extend(done | {t}, rest, committed(state, writes))

    def extend(done, running, state):
        if len(done) == len(txns):
            return True
        place = done, frozenset(state.items()), frozenset(
            (t, clash, frozenset(writes.items())) for t, (writes, clash) in running.items())
        if place in dead:
            return False
        for t in txns:
            if t in running:
                writes, clash = running[t]
                if not (clash and level == "si") and commit(done, running, state, t, writes):
                    return True
            elif t not in done and waits[t] <= done:
                writes = execute(t, state)
                if writes is not None and (
                        commit(done, running, state, t, writes) if serial else
                        extend(done, {**running, t: (writes, False)}, state)):
                    return True
        dead.add(place)
        return False

    return extend(frozenset(), {}, initial)


def replayed(level, lines):
    """By timestamps that all differ; all transactions have committed."""
    history = History(lines)
    starts = "start_ts" if level in ("pc", "si") else "commit_ts"
    events = sorted([(getattr(t, starts), 0, t.number) for t in history.txns] +
                    [(t.commit_ts, 1, t.number) for t in history.txns])
    state, running, clash = history.initial, {}, set()
    for _, commits, i in events:
        if not commits:
            running[i] = execute(history.txns[i], state)
            if running[i] is None:
                return "violates"
            continue
        if level == "si" and i in clash:
            return "violates"
        writes = running.pop(i)
        clash |= {j for j, others in running.items() if others.keys() & writes.keys()}
        state = committed(state, writes)
    return "valid"


# ---- rc, ra, cc ----

def reduced(txn, initial):
    """Its external reads, [(key, value)], and what it leaves at each key; None for reads that do
    not show its own writes. A read of what the last one of the key found is not another read."""
    reads, writes, last = [], {}, {}
    for kind, key, value in txn.ops:
        if kind == "w":
            writes[key] = value
        elif kind == "append":
            writes[key] = writes.get(key, ()) + (value,)
        elif txn.status == "commit":
            if isinstance(initial[key], tuple):
                own = writes.get(key, ())
                size = len(value) - len(own)
                if size < 0 or value[size:] != own:
                    return None
                value = value[:size]
            elif key in writes:
                if writes[key] != value:
                    return None
                continue
            if last.get(key) != value:
                reads.append((key, value))
                last[key] = value
    return reads, writes


def writers_of(reader, key, value, writes, initial):
    """The ways in which the value came about: tuples of writers, () is the initial version."""
    others = [t for t in writes if t is not reader and key in writes[t]]
    if not isinstance(initial[key], tuple):
        return [(t,) for t in others if writes[t][key] == value] + [()] * (value == initial[key])
    if not value:
        return [()]

    def chains(rest, free):
        if not rest:
            yield ()
        for t in free:
            if rest[:len(writes[t][key])] == writes[t][key]:
                for chain in chains(rest[len(writes[t][key]):], [u for u in free if u is not t]):
                    yield (t, *chain)
    return list(chains(value, others))


def closure(edges):
    """What follows: node -> set of nodes"""
    after = {}
    for a, b in edges:
        after.setdefault(a, set()).add(b)
    for middle in list(after):
        for reach in after.values():
            if middle in reach:
                reach |= after[middle]
    return after


def commit_order_exists(level, session_order, reads, choice, writes, initial):
    reads_from = {(chain[-1], reader) for (reader, _, _), chain in zip(reads, choice) if chain}
    base = session_order | reads_from
    causal = closure(base) if level == "cc" else {}
    edges, earlier = set(base), {}
    for (reader, key, _), chain in zip(reads, choice):
        seen = {"rc": lambda u: u in earlier.get(reader, ()), "ra": lambda u: (u, reader) in base,
                "cc": lambda u: reader in causal.get(u, ())}[level]
        edges |= set(zip(chain, chain[1:]))
        for u in writes:
            if key not in writes[u] or u is reader or u in chain[-1:]:
                continue
            if seen(u):
                if not chain:
                    return False
                edges.add((u, chain[-1]))
            if chain and isinstance(initial[key], tuple) and u not in chain:
                edges.add((chain[-1], u))
        if chain:
            earlier.setdefault(reader, set()).add(chain[-1])
    return not any(a in reach for a, reach in closure(edges).items())


def ordered(level, txns, initial, session_order):
    reads, writes = [], {}
    for t in txns:
        what = reduced(t, initial)
        if what is None:
            return False
        found, writes[t] = what
        if level != "rc" and len({key for key, _ in found}) < len(found):
            return False  # not repeatable
        reads += [(t, key, value) for key, value in found]
    options = [writers_of(reader, key, value, writes, initial) for reader, key, value in reads]
    return any(commit_order_exists(level, session_order, reads, choice, writes, initial)
               for choice in itertools.product(*options))


# ---- verdicts ----

def decide(level, lines, session_order=True, time_order=None, skew=None):
    """time_order: do clients' clocks count (by default at sser); skew: by default the header's."""
    history = History(lines)
    time_order = level == "sser" if time_order is None else time_order
    skew = (history.skew if skew is None else skew) if time_order else None

    def holds(txns):
        before = {(a, b) for a in txns for b in txns if precedes(a, b, session_order, skew)}
        return (ordered if level in WEAK else scheduled)(level, txns, history.initial, before)
    return history.explained(holds)
