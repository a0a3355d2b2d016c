"""Brute force for tiny histories with queries: the definitions of ser, sser, si and pc,
by trying all orders. Clear rather than fast, and it shares no idea with the program.

A transaction runs on a state (a dict of what each key holds; absent keys are not in it).
Its operations see that state and what it wrote itself. A run that does not show what was
recorded is no explanation. Rows, predicates and changes: docs/history-format.md.

    decide(level, lines) -> "valid", "violates", or "skip: why"
    replayed(level, lines) -> the same by timestamps
"""
import itertools
import json

LEVELS = ["pc", "si", "ser", "sser"]


def without_nulls(row):
    return {c: v for c, v in row.items() if v is not None}


def canon(value):
    """Equal of equal values: a missing column is NULL."""
    return json.dumps(without_nulls(value) if isinstance(value, dict) else value, sort_keys=True)


# ---- rows ----

def columns(row):
    return row if isinstance(row, dict) else {"value": row}


def comparable(a, b):
    return a is not None and b is not None and type(a) is type(b)


def order(a, b):
    """-1, 0 or 1 of two values of one type; strings by their bytes."""
    if isinstance(a, str):
        a, b = a.encode(), b.encode()
    return (a > b) - (a < b)


def holds(comparison, row):
    column, kind, *constants = comparison
    cell = columns(row).get(column)
    if kind == "is-null":
        return cell is None
    if kind == "is-not-null":
        return cell is not None
    if kind == "in":
        return any(comparable(cell, c) and cell == c for c in constants[0])
    if not all(comparable(cell, c) for c in constants):
        # between is two comparisons, and false if one of them is
        return False
    first = order(cell, constants[0])
    if kind == "between":
        return first >= 0 and order(cell, constants[1]) <= 0
    return {"=": first == 0, "!=": first != 0, "<": first < 0, "<=": first <= 0,
            ">": first > 0, ">=": first >= 0}[kind]


def relation(key):
    return key.split("/", 1)[0] if isinstance(key, str) and "/" in key else None


def asks(predicate, key):
    return ("from" not in predicate or relation(json.loads(key)) == predicate["from"]) and \
        key not in [canon(k) for k in predicate.get("except", [])]


def matches(predicate, row):
    return all(holds(c, row) for c in predicate.get("where", []))


class Failed(Exception):
    """The statement cannot have succeeded."""


def changed(change, row):
    """The columns that a change leaves; what it sets to NULL is there, as None."""
    if "delete" in change:
        return None
    old, new = columns(row), dict(columns(row))
    for column, value in change["set"].items():
        if isinstance(value, list):
            base = old.get(value[1])
            if base is None:
                value = None
            elif type(base) is int and -2**63 <= base + value[2] < 2**63:
                value = base + value[2]
            else:
                raise Failed
        new[column] = value
    return new


def left(change, row):
    """What a change leaves of a row, if nobody tells: a value that is no row stays one."""
    made = changed(change, row)
    if made is None or isinstance(row, dict):
        return made
    if list(without_nulls(made)) != ["value"]:
        raise Failed
    return made["value"]


# ---- a transaction on a state ----

def run(txn, state, binds):
    """What it writes, or None: the state does not explain it."""
    own = {}

    def now(key):
        return own[key] if key in own else state.get(key)

    def existing():
        return sorted(set(state) | set(own))

    for op in txn["ops"]:
        kind = op[0]
        if kind in ("r", "w", "d"):
            key = canon(op[1])
        if kind == "w":
            own[key] = op[2]
        elif kind == "d":
            own[key] = None
        elif kind == "r":
            if binds and canon(now(key)) != canon(op[2]):
                return None
        elif kind == "q" and binds:
            rows = {canon(k): row for k, row in op[2]}
            for key, row in rows.items():
                if not matches(op[1], row) or canon(now(key)) != canon(row):
                    return None
            for key in existing():
                if asks(op[1], key) and now(key) is not None and matches(op[1], now(key)) \
                        and key not in rows:
                    return None
        elif kind == "u" and len(op) < 4:
            for key in existing():
                if not asks(op[1], key) or now(key) is None or not matches(op[1], now(key)):
                    continue
                try:
                    own[key] = left(op[2], now(key))
                except Failed:  # of an unknown transaction, that row stays as it was
                    if binds:
                        return None
        elif kind == "u":
            rows = {canon(k): row for k, row in op[3]}
            for key in set(existing()) | set(rows):
                if not binds or not asks(op[1], key):
                    continue
                hit = now(key) is not None and matches(op[1], now(key))
                if hit != (key in rows):
                    return None
                try:
                    if hit and not same_change(changed(op[2], now(key)), rows[key], now(key)):
                        return None
                except Failed:
                    return None
            own.update(rows)
    return own


def same_change(made, told, old):
    if made is None or told is None:
        return made is None and told is None
    return isinstance(told, dict) == isinstance(old, dict) and canon(columns(told)) == canon(made)


def after(state, writes):
    state = dict(state)
    for key, value in writes.items():
        state.pop(key, None)
        if value is not None:
            state[key] = value
    return state


# ---- orders ----

def sessions_of(txns):
    s = {}
    for t in txns:
        s.setdefault(t["session"], []).append(t)
    return list(s.values())


def place(sessions):
    for i, s in enumerate(sessions):
        for j, t in enumerate(s):
            t["place"] = (i, j)


def search_serial(txns, initial, realtime):
    sessions, dead = sessions_of(txns), set()
    place(sessions)

    def step(pos, state):
        if all(p == len(s) for p, s in zip(pos, sessions)):
            return True
        if (pos, canon(state)) in dead:
            return False
        waiting = [t for p, s in zip(pos, sessions) for t in s[p:]]
        for i, s in enumerate(sessions):
            if pos[i] == len(s):
                continue
            t = s[pos[i]]
            if any(pos[u["place"][0]] <= u["place"][1] for u in t["after"]):
                continue
            if realtime and any(u is not t and u.get("end") is not None and
                                t.get("begin") is not None and u["end"] < t["begin"]
                                for u in waiting):
                continue
            writes = run(t, state, t["status"] == "commit")
            if writes is not None and step(pos[:i] + (pos[i] + 1,) + pos[i + 1:],
                                           after(state, writes)):
                return True
        dead.add((pos, canon(state)))
        return False

    return step((0,) * len(sessions), initial)


def search_snapshot(txns, initial, conflict):
    """pos counts events: a session's transaction starts at an even one, commits at an odd."""
    sessions, dead = sessions_of(txns), set()
    place(sessions)

    def step(pos, state, running):
        """running: by session, what the transaction that runs will write, and whether
        another has committed one of these keys since it started."""
        if all(p == 2 * len(s) for p, s in zip(pos, sessions)):
            return True
        seen = (pos, canon(state), canon(sorted(running.items())))
        if seen in dead:
            return False
        for i, s in enumerate(sessions):
            if pos[i] == 2 * len(s):
                continue
            t, after_this = s[pos[i] // 2], pos[:i] + (pos[i] + 1,) + pos[i + 1:]
            if pos[i] % 2 == 0:
                if any(pos[u["place"][0]] < 2 * u["place"][1] + 2 for u in t["after"]):
                    continue
                writes = run(t, state, t["status"] == "commit")
                if writes is not None and step(after_this, state, {**running, i: [writes, False]}):
                    return True
                continue
            writes, clash = running[i]
            if conflict and clash:
                continue
            rest = {j: [w, c or bool(set(w) & set(writes))]
                    for j, (w, c) in running.items() if j != i}
            if step(after_this, after(state, writes), rest):
                return True
        dead.add(seen)
        return False

    return step((0,) * len(sessions), initial, {})


def load(lines):
    header, txns, keys = {}, [], set()
    for number, line in enumerate(lines):
        if not line.strip():
            continue
        t = json.loads(line)
        if "alibi" in t:
            header = t
            continue
        t.setdefault("status", "commit")
        t["session"] = canon(t["session"]) if "session" in t else "line %d" % number
        txns.append(t)
        for op in t["ops"]:
            if op[0] in ("q", "u"):
                keys |= {canon(k) for k, _ in op[-1]} if isinstance(op[-1], list) else set()
                keys |= {canon(k) for k in op[1].get("except", [])}
            else:
                keys.add(canon(op[1]))
    initial = {canon(k): v for k, v in header.get("initial", [])}
    keys |= set(initial)
    for key in keys:
        initial.setdefault(key, header.get("initial_default"))
    return txns, {k: v for k, v in initial.items() if v is not None}


def explained(level, txns, initial):
    if level in ("pc", "si"):
        return search_snapshot(txns, initial, level == "si")
    return search_serial(txns, initial, level == "sser")


def replayed(level, lines):
    """The same by timestamps, all different, where all have committed and sessions do not
    count: a transaction starts (at ser: at its commit), and commits."""
    txns, state = load(lines)
    events = sorted([(t["start_ts" if level in ("pc", "si") else "commit_ts"], 0, i)
                     for i, t in enumerate(txns)] +
                    [(t["commit_ts"], 1, i) for i, t in enumerate(txns)])
    running, clash = {}, set()
    for _, commits, i in events:
        if not commits:
            running[i] = run(txns[i], state, True)
            if running[i] is None:
                return "violates"
            continue
        if level == "si" and i in clash:
            return "violates"
        writes = running.pop(i)
        clash |= {j for j, others in running.items() if set(others) & set(writes)}
        state = after(state, writes)
    return "valid"


def decide(level, lines):
    txns, initial = load(lines)
    txns = [t for t in txns if t["status"] != "abort"]
    committed = [t for t in txns if t["status"] == "commit"]
    if not committed:
        return "skip: nothing committed"
    unknown = []
    for i, t in enumerate(txns):
        t["after"] = []
        if t["status"] == "unknown":  # any time after what its session did before
            t["after"] = [u for u in txns[:i]
                          if u["status"] == "commit" and u["session"] == t["session"]]
            unknown.append(t)
    for i, t in enumerate(unknown):
        t["session"] = "unknown %d" % i
        t.pop("end", None)
    for k in range(len(unknown) + 1):
        for extra in itertools.combinations(unknown, k):
            if explained(level, committed + list(extra), initial):
                return "valid"
    return "violates"
