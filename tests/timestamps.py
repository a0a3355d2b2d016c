#!/usr/bin/env python3
"""check --order timestamps against a replay written from its definition.

Thousands of small random histories (registers, lists, deletes, initial values,
aborted and unknown transactions, named writers, equal and hybrid timestamps,
missing ones) are judged twice: by the program and by the few lines below, which
share no idea with its kernel: no order of events, no state, only for each read
the question which commit is the latest one at or before the snapshot.

Where transactions of a level without snapshots share a timestamp, any order of
them is allowed, so all are tried: `valid` needs one that explains everything,
`violates` that none does; `unknown` is accepted only if there are such ties.

Most histories say that commit_ts is a serial order. In the others nothing but a
transaction's own reads and writes can violate ser.

    timestamps.py ALIBI [HISTORIES [SEED]]
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

import counted
from counted import check

BATCH = 500


# ---- histories ----

def random_history(rng):
    lists = rng.random() < 0.3
    stamps = rng.choice(["wide", "narrow", "hybrid"])
    keys, txns = ["x", "y", 3][:rng.randint(1, 3)], []
    header = {"alibi": 1}
    if not lists and rng.random() < 0.4:
        header["initial_default"] = rng.choice([0, "a"])
        header["initial"] = [[keys[0], rng.choice([0, 1, None])]]
    fresh = itertools.count(10)
    for i in range(rng.randint(1, 6)):
        start, commit = sorted(rng.randint(0, 6 if stamps != "wide" else 40) for _ in "ab")
        if rng.random() < 0.3:
            start = commit
        if rng.random() < 0.02:
            start, commit = commit, start
        t = {"id": "t%d" % i, "session": rng.randint(0, 2), "ops": []}
        roll = rng.random()
        if roll < 0.1:
            t["status"] = "abort"
        elif roll < 0.2:
            t["status"] = "unknown"
        if roll > 0.23 and (roll >= 0.2 or rng.random() < 0.5):
            if stamps == "hybrid":
                start, commit = [start // 2, start % 2], [commit // 2, commit % 2]
            t["start_ts"], t["commit_ts"] = start, commit
        elif roll > 0.22:
            t["commit_ts"] = commit
        for _ in range(rng.randint(0, 4)):
            key = rng.choice(keys)
            value = next(fresh) if rng.random() < 0.6 else rng.randint(0, 1)
            kind = rng.random()
            if kind < 0.5:
                t["ops"].append(["r", key, None])
            elif lists:
                t["ops"].append(["append", key, value])
            else:
                t["ops"].append(["d", key] if kind > 0.95 else ["w", key, value])
        txns.append(t)
    fill_reads(rng, header, txns, lists)
    choose_meaning(rng, header)
    return header, txns


def choose_meaning(rng, header):
    meaning = rng.choice(["serial", "serial", "serial", "snapshot", None])
    if meaning:
        header["timestamps"] = meaning


def fill_reads(rng, header, txns, lists):
    """Mostly what the definition expects, so that valid histories are common."""
    faults = rng.choice([0, 0, 0.1, 0.4])
    for t in txns:
        own = {}
        view = dict_view(header, txns, t, lists)
        for op in t["ops"]:
            key = op[1]
            if op[0] == "append":
                own[key] = own.get(key, []) + [op[2]]
            elif op[0] in "wd":
                own[key] = op[2] if op[0] == "w" else None
            else:
                value, writer = view(key)
                if lists:
                    value = value + own.get(key, [])
                elif key in own:
                    value = own[key]
                if rng.random() < faults:
                    value = wrong_value(rng, txns, key, value, lists)
                op[2] = value
                if rng.random() < 0.1:
                    named = t["id"] if key in own else writer
                    if rng.random() < faults:
                        named = rng.choice(txns)["id"]
                    op.append({"from": named})


def wrong_value(rng, txns, key, value, lists):
    written = [op[2] for t in txns for op in t["ops"] if op[0] in ("w", "append") and op[1] == key]
    if lists:
        return value[:-1] if value and rng.random() < 0.5 else value + written[:1]
    return rng.choice(written + [None, 0, 77])


def dict_view(header, txns, t, lists):
    if "commit_ts" not in t:
        return lambda key: (initial(header, key, lists), None)
    return lambda key: seen(header, txns, t, key, t.get("start_ts", t["commit_ts"]), lists)


# ---- the definition ----

def stamp(value):
    return tuple(value) if isinstance(value, list) else (value, 0)


def committed(t):
    return t.get("status", "commit") == "commit"


def writes(t, key):
    return [op for op in t["ops"] if op[0] != "r" and op[1] == key]


def initial(header, key, lists):
    if lists:
        return []
    return dict((json.dumps(k), v) for k, v in header.get("initial", [])).get(
        json.dumps(key), header.get("initial_default"))


def seen(header, txns, t, key, at, lists):
    """What others committed of key at or before `at`, and who did so last."""
    before = [(stamp(u["commit_ts"]), i, u) for i, u in enumerate(txns)
              if u is not t and committed(u) and "commit_ts" in u and writes(u, key)
              and stamp(u["commit_ts"]) <= stamp(at)]
    before.sort(key=lambda b: b[:2])
    if not before:
        return initial(header, key, lists), None
    last = before[-1][2]
    if lists:
        return [op[2] for *_, u in before for op in writes(u, key)], last["id"]
    return (writes(last, key)[-1] + [None])[2], last["id"]


def reads(t, view, lists):
    """(kind, key, wrong) for each read that is not what it should be; view tells
    what the snapshot has."""
    known, own = {}, {}
    for op in t["ops"]:
        k = json.dumps(op[1])
        if op[0] == "append":
            own[k] = own.get(k, []) + [op[2]]
        elif op[0] != "r":
            known[k] = own[k] = op[2] if op[0] == "w" else None
        else:
            got = (op[2] or []) if lists else op[2]
            value, writer = view(op[1])
            if k in own:
                writer = t["id"]
            named = len(op) > 3 and op[3]["from"] != writer
            if lists:
                mine = own.get(k, [])
                if got[len(got) - len(mine):] != mine:
                    yield "INT", op[1], got
                    continue
                base = got[:len(got) - len(mine)]
                kind, expected = ("INT", known[k]) if k in known else ("EXT", value)
                if base != expected or named:
                    yield "INT" if mine and named else kind if base != expected else "EXT", op[1], got
                known[k] = base
            else:
                kind, expected = ("INT", known[k]) if k in known else ("EXT", value)
                right = json.dumps(got) == json.dumps(expected)
                if not right or named:
                    yield kind if not right or k in own else "EXT", op[1], got
                known[k] = got


def by_unknown(txns, key, got, lists):
    values = [(op + [None])[2] for t in txns if t.get("status") == "unknown" for op in writes(t, key)]
    return any(json.dumps(v) in map(json.dumps, values) for v in (got if lists else [got]))


def session_pairs(txns):
    last = {}
    for t in txns:
        if committed(t):
            if t["session"] in last:
                yield last[t["session"]], t
            last[t["session"]] = t


def judge_si(header, txns, lists):
    alive = [t for t in txns if committed(t)]
    if any("start_ts" not in t or "commit_ts" not in t for t in alive):
        return "unknown", None
    if any(stamp(t["start_ts"]) > stamp(t["commit_ts"]) for t in alive):
        return "unknown", None
    found, doubt = [], False
    for a, b in session_pairs(txns):
        if stamp(a["commit_ts"]) > stamp(b["start_ts"]):
            found.append(("SESSION", b["id"], a["id"], None))
    for t in alive:
        for kind, key, got in reads(
                t, lambda k, t=t: seen(header, txns, t, k, t["start_ts"], lists), lists):
            if kind == "EXT" and by_unknown(txns, key, got, lists):
                doubt = True
            else:
                found.append((kind, t["id"], None, key))
    for t, u in itertools.combinations(alive, 2):
        s, c, s2, c2 = (stamp(v[n]) for v in (t, u) for n in ("start_ts", "commit_ts"))
        if (s < c2 and s2 < c) or c == c2:
            for key in {json.dumps(op[1]) for op in t["ops"] if op[0] != "r"}:
                if writes(u, json.loads(key)):
                    found.append(("NOCONFLICT",) + tuple(sorted((t["id"], u["id"]))) + (json.loads(key),))
    verdict = "violates" if found else "unknown" if doubt else "valid"
    return verdict, sorted(found, key=repr)


def replay_serially(header, order, lists, txns):
    """What one serial order does not explain."""
    state, writer, found, doubt = {}, {}, [], False
    for t in order:
        def view(key):
            k = json.dumps(key)
            return state.get(k, initial(header, key, lists)), writer.get(k)
        for kind, key, got in reads(t, view, lists):
            if kind == "EXT" and by_unknown(txns, key, got, lists):
                doubt = True
            else:
                found.append((kind, t["id"], None, key))
        for op in t["ops"]:
            k = json.dumps(op[1])
            if op[0] == "append":
                state[k] = state.get(k, []) + [op[2]]
            elif op[0] != "r":
                state[k] = op[2] if op[0] == "w" else None
            if op[0] != "r":
                writer[k] = t["id"]
    return found, doubt


def judge_ser(header, txns, lists):
    alive = [t for t in txns if committed(t)]
    if any("commit_ts" not in t for t in alive):
        return {"unknown"}, None
    pairs = list(session_pairs(txns))
    backwards = [("SESSION", b["id"], a["id"], None) for a, b in pairs
                 if stamp(a["commit_ts"]) > stamp(b["commit_ts"])]
    groups = [list(g) for _, g in itertools.groupby(
        sorted(alive, key=lambda t: stamp(t["commit_ts"])), key=lambda t: stamp(t["commit_ts"]))]
    tied = any(len(g) > 1 for g in groups)
    outcomes, found = set(), []
    for choice in itertools.product(*[itertools.permutations(g) for g in groups]):
        order = [t for g in choice for t in g]
        place = {t["id"]: i for i, t in enumerate(order)}
        if any(place[a["id"]] > place[b["id"]] for a, b in pairs
               if stamp(a["commit_ts"]) == stamp(b["commit_ts"])):
            continue
        found, doubt = replay_serially(header, order, lists, txns)
        found += backwards
        if header.get("timestamps") != "serial":
            doubt |= any(f[0] != "INT" for f in found)
            found = [f for f in found if f[0] == "INT"]
        outcomes.add("violates" if found else "unknown" if doubt else "valid")
        if len(outcomes) == 3:
            break
    if not tied:
        return outcomes, sorted(found, key=repr)
    allowed = {"unknown"}
    if outcomes == {"violates"}:
        allowed.add("violates")
    if "valid" in outcomes:
        allowed.add("valid")
    return allowed, None


def unclear_lists(txns):
    """List keys that two transactions appended to in one instant: that is a
    conflict, and the order of their elements is not known."""
    unclear = set()
    for t, u in itertools.combinations([t for t in txns if committed(t) and "commit_ts" in t], 2):
        if stamp(t["commit_ts"]) == stamp(u["commit_ts"]):
            unclear |= {json.dumps(op[1]) for op in t["ops"] if op[0] == "append"
                        and writes(u, op[1])}
    return unclear


# ---- the program ----

def reported(result):
    found = []
    for v in result["violations"]:
        ids = v["txns"]
        if v["kind"] == "NOCONFLICT":
            found.append((v["kind"],) + tuple(sorted(ids, key=repr)) + (v["key"],))
        elif v["kind"] == "SESSION":
            found.append((v["kind"], ids[0], ids[1], None))
        else:
            found.append((v["kind"], ids[0], None, v["key"]))
    return sorted(found, key=repr)


def run_batch(alibi, level, paths):
    out = subprocess.run([alibi, "check", "--json", "--order", "timestamps", "--level", level,
                          "--max-violations", "1000"] + paths, capture_output=True, text=True)
    return [json.loads(line) for line in out.stdout.splitlines()]


def main():
    alibi = sys.argv[1]
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 4000
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    verdicts = {}
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, total, BATCH):
            cases = []
            for i in range(first, min(total, first + BATCH)):
                rng = random.Random(seed * 1000003 + i)
                header, txns = random_history(rng)
                path = os.path.join(folder, "h%d.jsonl" % i)
                with open(path, "w") as f:
                    f.write("\n".join(json.dumps(x) for x in [header] + txns) + "\n")
                cases.append((path, header, txns))
            for level in ("si", "ser"):
                results = run_batch(alibi, level, [c[0] for c in cases])
                for (path, header, txns), result in zip(cases, results):
                    lists = any(op[0] == "append" for t in txns for op in t["ops"])
                    lists = lists or any(isinstance(op[2], list) for t in txns
                                         for op in t["ops"] if op[0] == "r")
                    if not any(committed(t) for t in txns):
                        allowed, expected = {"unknown"}, None
                    elif level == "si":
                        verdict, expected = judge_si(header, txns, lists)
                        allowed = {verdict}
                    else:
                        allowed, expected = judge_ser(header, txns, lists)
                    ok = result["verdict"] in allowed
                    if ok and expected is not None and result["verdict"] == "violates":
                        unclear = unclear_lists(txns)
                        ok = [[f for f in found if f[0] != "EXT" or json.dumps(f[3]) not in unclear]
                              for found in (reported(result), expected)]
                        ok = ok[0] == ok[1]
                    name = level + " " + result["verdict"]
                    verdicts[name] = verdicts.get(name, 0) + 1
                    check("the same at " + level, ok, lambda: "program %s %s %s; definition %s %s\n%s" % (
                        result["verdict"], reported(result), result.get("reason"), allowed, expected, open(path).read()))
                check("all are answered at " + level, len(results) == len(cases), (len(results), len(cases)))
            for path, *_ in cases:
                os.unlink(path)
    for name in ("si valid", "si violates", "si unknown", "ser valid", "ser violates", "ser unknown"):
        check("enough histories are %s for the test to mean anything" % name,
              verdicts.get(name, 0) >= total / 100, verdicts)
    print(", ".join("%s %d" % v for v in sorted(verdicts.items())))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
