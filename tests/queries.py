#!/usr/bin/env python3
"""Queries (reads and writes with WHERE) against brute force, on tiny random histories.

A small table is simulated that is as isolated as a die says, so that valid and violating
histories are both common. Every verdict of the program has passed its verifier. Then what
the program makes of the same history otherwise: converted, at the weak levels, explained.

PARTS_OF (parts_of.c) leaves operations out, which must not make up a violation.

    queries.py ALIBI PROJECT [HISTORIES [SEED [PARTS_OF]]]
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from fractions import Fraction

import counted
import oracle
import reference
from counted import check

BATCH, EXPLAINED, CONVERTED, REPLAYED = 400, 100, 40, 100
KEYS = ["a/1", "a/2", "b/1", "c"]
HALF = Fraction(1, 2)
counts, names = collections.Counter(), collections.Counter()  # verdicts of each level; anomalies


# ---- random histories ----

def dumps(tree, rng):
    """As JSON, with each fraction in one of its notations, and some integers, too."""

    def spelled(found):
        value = Fraction(found.group(1))
        digits = 2 if value.denominator > 1 else 0
        scaled = "%d" % (value * 10**digits)
        return rng.choice(["%se-%d" % (scaled, digits), "%s0E-%d" % (scaled, digits + 1),
                           "%s%d.%s" % ("-" if value < 0 else "", abs(value), scaled[-digits:] if digits else "0")])

    def marked(value):
        if isinstance(value, Fraction):
            return {"fraction": str(value)}
        if isinstance(value, dict):
            return {k: marked(v) for k, v in value.items()}
        return [marked(v) for v in value] if isinstance(value, (list, tuple)) else value
    return re.sub(r'\{"fraction": "([^"]*)"\}', spelled, json.dumps(marked(tree)))


def random_cell(rng, odd):
    if rng.random() < odd:
        return rng.choice([None, "1", "x", "xy", "x_", True, False, -1, HALF, -HALF, Fraction(1, 4),
                           2**63, 10**20 + HALF])
    return rng.randint(0, 1)


def random_row(rng, odd, fresh):
    if rng.random() < odd:
        return rng.choice([{}, 1, "x", {"v": rng.randint(0, 2)}])
    row = {"v": random_cell(rng, odd), "w": random_cell(rng, odd)}
    if fresh is not None:
        row["n"] = fresh
    return row


def as_recorded(rng, odd, row):
    """The same row; a column that is NULL is recorded, or left out."""
    if not isinstance(row, dict) or rng.random() >= odd:
        return row
    return {c: row.get(c) for c in ["w", "v", "n", "z"] if row.get(c) is not None or rng.random() < 0.5}


def random_condition(rng, odd, depth):
    if rng.random() < 0.25 and depth < 3:
        kind = rng.choice(["and", "or", "or", "not", "not"])
        return [kind] + [random_condition(rng, odd, depth + 1)
                         for _ in range(1 if kind == "not" else rng.randint(1, 3))]
    column = rng.choice(["v", "v", "w"]) if rng.random() > odd else rng.choice(["value", "z", "or"])
    kind = rng.choice(["=", "=", "=", "=", "!=", "<", "<=", ">", ">=", "in", "between", "is-null",
                       "is-not-null", "like"])
    if kind == "in":
        return [column, kind, [random_cell(rng, odd) for _ in range(rng.randint(0, 2))]]
    if kind == "like":
        return [column, kind, rng.choice(["%", "x%", "x\\_%", "1%", "xyz%"])]
    return [column, kind] + [random_cell(rng, odd) for _ in range(
        0 if kind.startswith("is") else 2 if kind == "between" else 1)]


def random_predicate(rng, odd, keys):
    predicate = {}
    if rng.random() < 0.8:
        predicate["from"] = rng.choice(["a", "a", "a", "b"])
    where = [random_condition(rng, odd, 0) for _ in range(rng.choice([0, 0, 1, 1, 1, 2]))]
    if where or rng.random() < 0.3:
        predicate["where"] = where
    if rng.random() < odd / 4:
        of = [k for k in keys if "from" not in predicate or k.startswith(predicate["from"] + "/")]
        predicate["except"] = rng.sample(of, min(len(of), 1))
    return predicate


def random_change(rng, odd):
    if rng.random() < 0.3:
        return {"delete": True}
    change = {}
    for column in rng.sample(["v", "w", "n"], rng.randint(1, 2)):
        change[column] = ["+", rng.choice(["v", "w"]), rng.choice([-1, 0, 1, 2, HALF, -Fraction(3, 4)])
                          if odd else rng.randint(-1, 2)] if rng.random() < 0.4 else random_cell(rng, odd)
    return {"set": change}


class Table:
    """What a transaction sees, and what it makes of it."""

    def __init__(self, seen):
        self.seen, self.own = seen, {}

    def now(self, key):
        return self.own[key] if key in self.own else self.seen.get(key)

    def matching(self, predicate):
        return [k for k in KEYS if self.now(k) is not None and oracle.asks(predicate, json.dumps(k))
                and oracle.matches(predicate, self.now(k))]


def random_op(rng, odd, view, keys, fresh, wrong, untold):
    key, die = rng.choice(keys), rng.random()
    if die < 0.15:
        return ["r", key, as_recorded(rng, odd, view.now(key))]
    if die < 0.37:
        row = random_row(rng, odd, fresh)
        view.own[key] = row
        return ["w", key, row]
    if die < 0.44:
        view.own[key] = None
        return ["d", key]
    predicate = random_predicate(rng, odd, keys)
    hits = view.matching(predicate)
    if rng.random() < wrong:
        hits = [k for k in hits if rng.random() < 0.5]
    if die < 0.8:
        return ["q", predicate, [[k, as_recorded(rng, odd, view.now(k))] for k in hits]]
    change, rows = random_change(rng, odd), []
    for k in hits:
        try:
            rows.append([k, as_recorded(rng, odd, oracle.left(change, view.now(k)))])
        except oracle.Failed:
            return ["q", predicate, [[k, as_recorded(rng, odd, view.now(k))] for k in hits]]
    view.own.update(dict(rows))
    op = ["u", predicate, change, rows]
    return op[:3] if rng.random() < untold else op


def history(rng):
    odd = rng.choice([0, 0, 0.1, 0.3])
    keys = KEYS[:rng.choice([1, 2, 2, 3, 4])]
    unique, times = rng.random() < 0.6, rng.random() < 0.3
    stale, wrong = rng.choice([0, 0.5, 1]), rng.choice([0, 0, 0.1])
    snapshot, untold = rng.random() < 0.6, rng.choice([0, 0, 0.5, 1])
    header, state, clock = {"alibi": 1}, {}, 0
    if rng.random() < 0.3:
        for key in rng.sample(keys, rng.randint(1, len(keys))):
            state[key] = random_row(rng, odd, None)
        header["initial"] = [[k, v] for k, v in state.items()]
    if rng.random() < odd / 2:
        header["initial_default"] = {"v": 1}
        state = {**{k: {"v": 1} for k in keys}, **state}
    past, lines = [dict(state)], [header]
    for number in range(rng.randint(2, 6)):
        t = {"session": rng.randrange(6), "ops": []}
        view = Table(dict(rng.choice(past) if rng.random() < stale else state))
        for _ in range(rng.randint(1, 5)):
            if not snapshot and rng.random() < stale:
                view.seen = dict(rng.choice(past))
            t["ops"].append(random_op(rng, odd, view, keys, number if unique else None, wrong,
                                      untold))
        die = rng.random()
        t["status"] = "abort" if die < 0.07 else "unknown" if die < 0.18 else "commit"
        if t["status"] == "commit" or rng.random() < (0.6 if t["status"] == "unknown" else 0.1):
            state = {k: v for k, v in {**state, **view.own}.items() if v is not None}
            past.append(dict(state))
        if times:
            begin = clock + rng.randint(-4, 2)
            t["begin"], t["end"] = begin, begin + rng.randint(-2, 8)
            clock += 2
        lines.append(t)
    return "\n".join(dumps(t, rng) for t in lines) + "\n"


# ---- the program ----

def run(alibi, *arguments):
    ran = subprocess.run([alibi] + list(arguments), capture_output=True, text=True)
    return ran.stdout


def verdicts(alibi, level, paths):
    return [json.loads(line) for line in
            run(alibi, "check", "--json", "--level", level, *paths).splitlines()]


def compare(alibi, texts, paths):
    for level in oracle.SCHEDULED:
        results = verdicts(alibi, level, paths)
        check("all are answered at " + level, len(results) == len(paths), (len(results), len(paths)))
        for text, result in zip(texts, results):
            want = oracle.decide(level, text.splitlines())
            counts[level, want] += 1
            check("at %s the program says %s (%s), brute force %s" % (
                level, result["verdict"], result.get("reason"), want), result["verdict"] == want, text)
    for level in ("rc", "ra", "cc"):  # what holds at a stronger level holds; otherwise it is not known
        for text, result in zip(texts, verdicts(alibi, level, paths)):
            wrong = result["verdict"] == "violates" and \
                oracle.decide("pc", text.splitlines()) == "valid"
            check("not valid at " + level,
                  result["verdict"] != "valid" or '"q"' not in text and '"u"' not in text, text)
            check("does not violate %s, but not pc" % level, not wrong, text)


def stamped(rng, text):
    """The same with timestamps: all committed, in sessions of their own."""
    lines = [oracle.loads(line) for line in text.splitlines()]
    for i, t in enumerate(lines[1:]):
        for member in ("session", "status", "begin", "end"):
            t.pop(member, None)
        t["commit_ts"] = 100 * i + 99
        t["start_ts"] = t["commit_ts"] - 1 - rng.choice([0, 0, i, 150 + i])
    return "\n".join(dumps(t, rng) for t in lines) + "\n"


def replay(alibi, texts, folder):
    path = os.path.join(folder, "stamped.jsonl")
    for i, text in enumerate(texts):
        text = stamped(random.Random(i), text)
        with open(path, "w") as f:
            f.write(text)
        for level in ("si", "ser"):
            said = run(alibi, "check", "--json", "--order", "timestamps", "--timestamps", "serial", "--level", level,
                       path)
            want = oracle.replayed(level, text.splitlines())
            check("by timestamps, at %s, brute force says %s" % (level, want),
                  json.loads(said)["verdict"] == want, text)


def examples(alibi, project, folder):
    """Those of the papers: refused, for the right reason, and with a certificate."""
    for name, level, anomaly in (("phantom", "ser", "phantom"), ("half-an-update", "pc", "phantom-read"),
                                 ("untold-update", "pc", "phantom-read")):
        path = os.path.join(project, "examples", name + ".jsonl")
        certificate = os.path.join(folder, "certificate")
        said = json.loads(run(alibi, "explain", "--json", "--level", level, path))
        check(name, said["anomalies"][0]["name"] == anomaly, said)
        check("coverage of " + name,
              said["coverage"]["queries"] == said["coverage"]["contended_queries"] > 0, said["coverage"])
        run(alibi, "check", "--level", level, "--certificate", certificate, path)
        proves = run(alibi, "verify", path, certificate)
        check(name + " is proven", "violates " + level in proves, proves)


def sentences(alibi, folder):
    """What is said of small histories."""

    initial = '{"alibi":1,"initial":[["a/1",{"v":1}]]}\n'

    def txn(name, at, *ops):
        return '{"id":"%s","start_ts":%d,"commit_ts":%d,"ops":[%s]}\n' % (name, at, at + 1, ",".join(ops))

    no_match = txn("ins", 1, '["w","a/1",{"v":2}]') + txn(
        "look", 3, '["q",{"from":"a","where":[["v","=",1]]},[["a/1",{"v":2}]]]')
    does_not_match = 'looked for a where v = 1 and found key "a/1" = {"v":2}, which does not match'
    deleted = txn("del", 1, '["d","a/1"]')
    found_none, found_one = '["q",{"from":"a"},[]]', '["q",{"from":"a"},[["a/1",{"v":1}]]]'
    read_one, one = '["r","a/1",{"v":1}]', ' a/1 = {"v":1}'
    none = "look looked for a and did not find a/1, since del had deleted it, but "
    for text, command, want in (
            (no_match, "check --level ser --order timestamps", does_not_match),
            (no_match, "check --level ser --order search", does_not_match.replace('key "a/1"', "a/1")),
            (no_match, "check --level rc --order search", does_not_match.replace('key "a/1"', "a/1")),
            (txn("ins", 1, '["w","a/1",{"v":2.50}]') + txn(
                "look", 3, '["q",{"from":"a","where":[["not",["or",["v","<=",2.0],["w","like","x\\\\_%"]]],'
                '["not",["v",">",3]]]},[["a/1",{"v":25e-1}]]]'), "check --level ser --order search",
             'looked for a where not (v <= 2 or w like "x\\\\_%") and not (v > 3) and found a/1 = {"v":2.5}, '
             "which does not match"),
            (initial + deleted + txn("look", 3, found_none, read_one), "explain --level ser", none + "then read" + one),
            (initial + deleted + txn("look", 3, read_one, found_none), "explain --level ser",
             none + "had read" + one + " before."),
            (initial + txn("set", 1, '["w","a/1",{"v":2}]') + txn("look", 3, '["r","a/1",{"v":2}]', found_one),
             "explain --level ser", 'look read a/1 = {"v":2}, which set wrote, but then read' + one),
            (initial + txn("look", 3, found_none), "explain --level ser",
             'look looked for a and did not find a/1, though it was initially {"v":1}.'),
            (initial + txn("set", 1, '["w","a/1",{"v":2}]') + txn("look", 3, found_none), "explain --level ser",
             'did not find a/1, though it was initially {"v":1}.'),
            (initial + txn("look", 1, '["w","a/2",{"v":1}]', found_one, '["q",{},[]]')
             + txn("set", 3, '["w","a/1",{"v":2}]'), "explain --level ser",
             'looked for a and did not find a/2, though it had itself written {"v":1} there.'),
            (initial + txn("add", 1, '["u",{"from":"a"},{"set":{"v":5}},[["a/1",{"v":6}]]]'), "explain --level ser",
             'add updated a, a/1 among them, setting it to {"v":6}, though it was initially {"v":1}.'),
    ):
        path = os.path.join(folder, "sentence.jsonl")
        with open(path, "w") as f:
            f.write(text)
        said = run(alibi, *command.split(), path)
        check("%s says: %s" % (command, want), want in said, text + said)


def convert(alibi, text, path, folder):
    """What is converted is the same history; converted again, the same bytes."""
    once, twice = os.path.join(folder, "once.jsonl"), os.path.join(folder, "twice.jsonl")
    run(alibi, "convert", path, "--to", "alibi", "--out", once)
    run(alibi, "convert", once, "--to", "alibi", "--out", twice)
    with open(once) as f, open(twice) as g:
        first, second = f.read(), g.read()
    check("conversion", first == second and first.count("\n") == text.count("\n") - (
        text.startswith('{"alibi": 1}\n')), text + first + second)
    for level in ("ser", "si"):
        check("conversion keeps the verdict at " + level,
              oracle.decide(level, first.splitlines()) == oracle.decide(level, text.splitlines()), text + first)


def may_be_nameless(lines):
    """What updates changed is not recorded: of four of them, which are hundreds of cases, or of one
    whose transaction may not have taken effect, either."""
    untold = [t.get("status") for t in map(json.loads, lines.splitlines())
              for op in t.get("ops", []) if op[0] == "u" and len(op) < 4]
    return len(untold) > 3 or "unknown" in untold


def explain(alibi, table, text, path, folder):
    """What is left violates the level by itself, and its name is forbidden where it should be."""
    reduced = os.path.join(folder, "reduced.jsonl")
    for level in oracle.SCHEDULED:
        if oracle.decide(level, text.splitlines()) != "violates":
            continue
        said = run(alibi, "explain", "--json", "--level", level, "--reduced", reduced, path)
        check("an explanation at " + level, said, text)
        if not said:
            continue
        with open(reduced) as f:
            lines = f.read()
        for anomaly in json.loads(said)["anomalies"]:
            name = anomaly["name"]
            check("a name at " + level, (name != "no-order" or may_be_nameless(lines)) and anomaly["cases"],
                  text + lines)
            for case in anomaly["cases"]:
                edges = case["edges"]
                check("a cycle at " + level,
                      all(a["to"] == b["from"] for a, b in zip(edges, edges[1:] + edges[:1])), text + str(case))
        first = json.loads(said)["anomalies"][0]
        names[first["name"]] += 1
        check("what is left violates %s" % level,
              oracle.decide(level, lines.splitlines()) == "violates", text + "became\n" + lines)
        realtime = (first["adya"] or first["name"]).endswith("-realtime")
        if first["name"] == "no-order":
            continue
        always = "sser" if realtime else table.get(first["name"].replace("-process", ""))
        always = always if always in oracle.SCHEDULED else "pc"
        check("%s is forbidden at %s" % (first["name"], always),
              oracle.decide(always, lines.splitlines()) == "violates", text + "became\n" + lines)


def main():
    alibi, table = sys.argv[1], reference.forbidden_from(sys.argv[2])
    total = int(sys.argv[3]) if len(sys.argv) > 3 else 1200
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with tempfile.TemporaryDirectory() as folder:
        examples(alibi, sys.argv[2], folder)
        sentences(alibi, folder)
        for first in range(0, total, BATCH):
            paths, texts = [], []
            for i in range(first, min(total, first + BATCH)):
                path = os.path.join(folder, "%d.jsonl" % i)
                texts.append(history(random.Random(seed * 1000003 + i)))
                with open(path, "w") as f:
                    f.write(texts[-1])
                paths.append(path)
            compare(alibi, texts, paths)
            if len(sys.argv) > 5:
                ran = subprocess.run([sys.argv[5]] + paths, capture_output=True, text=True)
                found = re.search(r"(\d+) passed, (\d+) failed", ran.stdout)
                check("parts of histories", found and found.group(2) == "0", ran.stdout + ran.stderr)
            replay(alibi, texts[:0 if first else REPLAYED], folder)
            for text, path in list(zip(texts, paths))[:0 if first else CONVERTED]:
                convert(alibi, text, path, folder)
            for text, path in list(zip(texts, paths))[:EXPLAINED]:
                explain(alibi, table, text, path, folder)
            for path in paths:
                os.unlink(path)
    print(", ".join("%s %s %d" % (k + (n,)) for k, n in sorted(counts.items())))
    counted.enough(counts)
    print(", ".join("%s %d" % k for k in sorted(names.items())))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
