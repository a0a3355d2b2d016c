"""Random histories of a register with reads, writes and compare-and-sets (cas), whose clients crash
now and then; and a brute force that decides whether one is linearizable.

An event is (process, type, f, value): type is invoke, ok, fail or info, f is read, write or cas.
The events are in the order of time. A crashed client's operation ends in info, and its client goes
on as another process.
"""
import json


def history(rng, clients, count, values=5, crash=0.01, stale=0.0):
    """Of a register that takes effect at once; of its reads, the share `stale` returns the value
    before."""
    state = before = None
    events, pending, process, invoked = [], {}, list(range(clients)), 0
    while invoked < count or pending:
        client = rng.choice(list(pending)) if invoked == count else rng.randrange(clients)
        if client not in pending:
            f = rng.choice(("read", "write", "cas"))
            value = {"read": None, "write": rng.randrange(values),
                     "cas": [rng.randrange(values), rng.randrange(values)]}[f]
            events.append((process[client], "invoke", f, value))
            pending[client] = [f, value, None]
            invoked += 1
            continue
        f, value, answer = pending[client]
        if answer is None and rng.random() < 0.5:
            written = value if f == "write" else value[1] if f == "cas" and value[0] == state else None
            returned = (before if rng.random() < stale else state) if f == "read" else value
            pending[client][2] = "fail" if f == "cas" and written is None else "ok", returned
            if written is not None:
                before, state = state, written
        elif rng.random() < crash:
            events.append((process[client], "info", f, value))
            process[client] = max(process) + 1
            del pending[client]
        elif answer is not None:
            events.append((process[client], answer[0], f, answer[1]))
            del pending[client]
    return events


def operations(events):
    """[process, f, value, type, begin, end], by begin; of a crashed one, end is None."""
    found, pending, begun = [], {}, {}
    for at, (process, kind, f, value) in enumerate(events):
        if kind == "invoke":
            pending[process] = [process, f, value, "info", at, None]
            found.append(pending[process])
            begun[process] = at
        elif kind == "info":
            pending.pop(process)
        else:
            pending.pop(process)[2:] = value, kind, begun[process], at
    return found


def step(state, operation):
    """(can it take effect?, the state afterwards)"""
    _, f, value, kind = operation[:4]
    if f == "read":
        return kind != "ok" or value == state, state
    if f == "write":
        return True, state if kind == "fail" else value
    if kind == "info":
        return True, value[1] if state == value[0] else state
    return (state == value[0]) == (kind == "ok"), value[1] if kind == "ok" else state


def is_linearizable(events):
    """Wing and Gong's search, for few operations."""
    todo = operations(events)
    seen, stack = set(), [(0, None)]
    while stack:
        done, state = stack.pop()
        left = [i for i in range(len(todo)) if not done >> i & 1]
        if all(todo[i][5] is None for i in left):
            return True
        end = min(todo[i][5] for i in left if todo[i][5] is not None)
        for i in left:
            holds, after = step(state, todo[i])
            place = done | 1 << i, after
            if todo[i][4] < end and holds and place not in seen:
                seen.add(place)
                stack.append(place)
    return False


def write_alibi(events, path):
    """As transactions of one operation each, in Alibi's format."""
    with open(path, "w") as out:
        print('{"alibi":1}', file=out)
        for process, f, value, kind, begin, end in operations(events):
            where = {"where": [["value", "=", value[0]]]} if f == "cas" else None
            if kind != "ok" and f == "read" or kind == "fail" and f == "write":
                continue
            ops = [["r", "x", value]] if f == "read" else [["w", "x", value]]
            if f == "cas":
                ops = {"ok": [["r", "x", value[0]], ["w", "x", value[1]]],
                       "fail": [["q", where, []]],
                       "info": [["u", where, {"set": {"value": value[1]}}]]}[kind]
            txn = {"session": process, "ops": ops, "begin": begin}
            txn.update({"status": "unknown"} if end is None else {"end": end})
            print(json.dumps(txn), file=out)


def write_edn(events, path):
    """As Jepsen writes them."""
    def shown(value):
        return "nil" if value is None else str(value).replace(",", "")
    with open(path, "w") as out:
        for index, (process, kind, f, value) in enumerate(events):
            print("{:index %d, :type :%s, :process %d, :f :%s, :value %s}" % (
                index, kind, process, f, shown(value)), file=out)


def write_log(events, path):
    """As Porcupine's tests have them."""
    with open(path, "w") as out:
        for process, kind, f, value in events:
            shown = "nil" if value is None else str(value).replace(",", "")
            print("INFO  jepsen.util - %d\t:%s\t:%s\t%s" % (process, kind, f, shown), file=out)
