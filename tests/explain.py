#!/usr/bin/env python3
"""What `alibi explain` shows is true, small, and named as others name it.

Every history that is labelled as violating a level (tests/histories, and ../shared/corpus
if it is there), and tiny random ones (tiny.py), are explained. The reduced history must be
a part of the whole, violate the level by itself, and read no value without a writer that had
one before; small ones are judged by brute force (oracle.py).
Of the tiny ones, nothing must violate the weakest level that is violated any more when a transaction is
left out together with the reads of its values, and what it is called must be forbidden where
docs/anomalies.md says so, without session order unless its name says that it needs it.
Cases must be cycles.

Labels that name anomalies must be what explain says at some level, or the table of
differences in docs/anomalies.md says what it says instead.

    explain.py ALIBI PROJECT [HISTORIES [SEED]]
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import corpus
import counted
import oracle
import reference
import tiny
from counted import check

SMALL = 7       # transactions that brute force decides in no time
MEDIAN = 5      # transactions of a reduced history, at most


def explain(alibi, level, path, reduced, *more):
    """(exit code, what it says, the lines of the reduced history)"""
    if os.path.exists(reduced):
        os.unlink(reduced)
    ran = subprocess.run([alibi, "explain", "--json", "--level", level, "--reduced", reduced, path]
                         + list(more), capture_output=True, text=True)
    if ran.returncode != 1:
        return ran.returncode, ran.stderr, []
    with open(reduced, encoding="utf-8") as f:
        return 1, json.loads(ran.stdout), f.read().splitlines()


def check_cases(what, anomaly):
    ends = set(map(json.dumps, anomaly["txns"]))
    check("%s has a name" % what, anomaly["name"] != "no-order", anomaly)
    check("%s has a case" % what, anomaly["cases"], anomaly)
    for case in anomaly["cases"]:
        edges = case["edges"]
        for edge, after in zip(edges, edges[1:] + edges[:1]):
            ok = edge["to"] == after["from"] and json.dumps(edge["from"]) in ends
            check("%s is a cycle" % what, ok, case)


def parsed(lines):
    """id -> transaction, as it stands in the file"""
    found = {}
    for number, line in enumerate(lines, 1):
        t = json.loads(line)
        if "ops" in t:
            found[json.dumps(t.get("id", number))] = t
    return found


def elements(value):
    return value if isinstance(value, list) else [value]


def written(txns):
    return {json.dumps([op[1], op[2] if len(op) > 2 else None]) for t in txns.values() for op in t["ops"]
            if op[0] in ("w", "d", "append")}


def is_part(small, whole, lists_cut):
    """Operations of the same transactions, in their order; lists may have lost elements."""
    for name, t in small.items():
        rest = iter(whole.get(name, {"ops": []})["ops"])
        for op in t["ops"]:
            def same(other):
                if other[:2] != op[:2] or not lists_cut or op[0] != "r":
                    return other == op or (other[0] == "r" and other[2] is None and op == other[:2] + [[]])
                left = iter(elements(other[2]))
                return all(any(e == f for f in left) for e in elements(op[2]))
            if not any(same(other) for other in rest):
                return False
    return True


def new_garbage(small, whole):
    had, has = written(whole), written(small)
    return [op for t in small.values() if t.get("status", "commit") == "commit"
            for op in t["ops"] if op[0] == "r" and op[2] is not None
            for e in elements(op[2]) if json.dumps([op[1], e]) in had - has]


def without(lines, name):
    """The history without a transaction, and without the reads of its values."""
    gone = written({name: parsed(lines)[name]})
    kept = []
    for line in lines:
        t = json.loads(line)
        if "ops" in t and json.dumps(t["id"]) == name:
            continue
        if "ops" in t:
            t["ops"] = [op for op in t["ops"] if op[0] != "r"
                        or not any(json.dumps([op[1], e]) in gone for e in elements(op[2]))]
        if t.get("ops", True):
            kept.append(json.dumps(t))
    return kept


def verdict(alibi, level, lines, path):
    if len(parsed(lines)) <= SMALL:
        return oracle.decide(level, lines)
    ran = subprocess.run([alibi, "check", "--quiet", "--level", level, path],
                         capture_output=True, text=True)
    return ran.stdout.split("\t")[1].strip()


def check_corpus(alibi, folder, files, paths):
    sizes, reduced = [], os.path.join(folder, "reduced.jsonl")
    for name, level in files:
        what = "%s at %s" % (name, level)
        code, said, lines = explain(alibi, level, paths[name], reduced)
        if code == 0:   # corpus.py compares verdicts, and knows which labels differ
            continue
        if not check("%s is explained" % what, code == 1, (code, said)):
            continue
        for anomaly in said["anomalies"]:
            check_cases(what, anomaly)
        check("%s is violated by what is left" % what, verdict(alibi, level, lines, reduced) == "violates", "\n".join(lines))
        sizes.append(len(said["anomalies"][0]["txns"]))
    return sizes


def check_tiny(alibi, folder, table, total, seed):
    sizes = []
    path, reduced = os.path.join(folder, "tiny.jsonl"), os.path.join(folder, "reduced.jsonl")
    for i in range(total):
        text = tiny.text(tiny.seeded(seed, i, SMALL))
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        for level in oracle.LEVELS:
            code, said, lines = explain(alibi, level, path, reduced)
            what = "history %d of seed %d at %s" % (i, seed, level)
            if code != 1:
                check("%s has nothing to explain" % what, code in (0, 2), (code, said))
                continue
            for anomaly in said["anomalies"]:
                check_cases(what, anomaly)
            first, small, whole = said["anomalies"][0], parsed(lines), parsed(text.splitlines())
            shown = "%sbecame\n%s" % (text, "\n".join(lines))
            check(what + " is violated by what is left", oracle.decide(level, lines) == "violates", shown)
            check(what + " leaves a part", is_part(small, whole, first["lists_cut"]), shown)
            check(what + " leaves no reads without a writer", not new_garbage(small, whole), shown)
            always = weakest(table, first)
            sessions = not first["adya"] or first["adya"].endswith(("-process", "-realtime"))
            check(what + ": %s is forbidden at %s" % (first["name"], always),
                  always and oracle.decide(always, lines, sessions) == "violates", shown)
            named = next(l for l in oracle.LEVELS if oracle.decide(l, lines) == "violates")
            for name in small:
                left = oracle.decide(named, without(lines, name))
                check(what + " needs %s" % name, left != "violates", shown)
            sizes.append(len(small))
    return sizes


# ---- names ----

def weakest(table, anomaly):
    if anomaly["name"].endswith("-realtime") or (anomaly["adya"] or "").endswith("-realtime"):
        return "sser"
    return table.get(re.sub("-process$", "", anomaly["name"]))


def label_names(label):
    """The names in a label, as we write them."""
    label = re.sub(r"\[.*?\]|\(.*?\)|cycle-search-timeout", "", label)
    for words in ("lost update", "long fork", "write skew", "non-repeatable read"):
        label = label.replace(words, words.replace(" ", "-"))
    names = label.replace("internal/not-my-last-write", "internal").split()
    return {re.sub(r"^(G-single|G-nonadjacent)-item", r"\1", n) for n in names}


def differences(project):
    """file -> names that explain gives instead, from the table in docs/anomalies.md"""
    rows = {}
    with open(os.path.join(project, "docs", "anomalies.md"), encoding="utf-8") as f:
        for line in f:
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if len(cells) == 4 and "." in cells[0] and cells[0].startswith("`"):
                rows[cells[0].strip("`")] = set(re.findall(r"`([^`]+)`", cells[2])), cells[1].strip("`")
    return rows


def check_names(alibi, folder, labels, paths, explained):
    """explained: differences between names and labels"""
    used = set()
    for name, label in labels:
        said = set()
        for level in oracle.LEVELS:
            code, found, _ = explain(alibi, level, paths[name], os.path.join(folder, "reduced.jsonl"))
            said |= {n for a in (found["anomalies"] if code == 1 else [])
                     for n in (a["name"], a["adya"]) if n}
        wanted = label_names(label)
        short = os.path.basename(name)
        if short in explained:
            names, labelled = explained[short]
            used.add(short)
            check("%s: label %s, the table %s" % (name, label, names),
                  names <= said and (names or not said) and not wanted <= said and label == labelled, said)
        else:
            check("%s: label %s" % (name, label), wanted <= said, said)
    check("the table explains nothing that is not there", used == set(explained), set(explained) - used)


def rows_of(where):
    """(file, level or kind, what is expected) of each label of a history"""
    with open(os.path.join(where, "LABELS.tsv"), encoding="utf-8") as f:
        for line in f.read().splitlines()[1:]:
            name, form, _, _, level, expected = line.split("\t")[:6]
            if not any(word in form for word in corpus.OTHER_MODELS):
                yield name, level.lower(), expected


def say_sizes(what, sizes):
    median = statistics.median(sizes)
    print("%s: %d violations, reduced to %g transactions in the median, %d at most" % (
        what, len(sizes), median, max(sizes)))
    check("the median is at most %d" % MEDIAN, median <= MEDIAN, median)


def main():
    alibi, project = sys.argv[1:3]
    total = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    with tempfile.TemporaryDirectory() as folder:
        for where in reference.corpora(project):
            rows = list(rows_of(where))
            paths = {n: corpus.unpacked(os.path.join(where, n), folder) for n in {r[0] for r in rows}}
            violating = [(n, level) for n, level, expected in rows
                         if level in oracle.LEVELS and expected == "violates"]
            say_sizes(os.path.basename(where), check_corpus(alibi, folder, violating, paths))
            named = [(n, e) for n, kind, e in rows if kind == "anomaly"]
            check_names(alibi, folder, named, paths, differences(project) if where.endswith("corpus") else {})
        say_sizes("random", check_tiny(alibi, folder, reference.forbidden_from(project), total, seed))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
