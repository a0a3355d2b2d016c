#!/usr/bin/env python3
"""Property tests of `alibi generate`: what it says about its histories is true.

    generate.py ALIBI

Three judges look at histories made with many options and seeds: `alibi check`
replays their timestamps, brute force (oracle.py) decides tiny ones without
timestamps, and the tests here look at the lines themselves.
"""
import collections
import itertools
import json
import os
import subprocess
import sys
import tempfile

import counted
import oracle
from counted import check

SHAPES = ["mixed", "blind", "rmw", "append"]
FULL_LIST = 32

# What each anomaly violates, and which of its transactions a replay of the
# timestamps names (those that aborted have no place in it).
ANOMALIES = {
    "lost-update": ({"si", "ser"}, {1, 2}),
    "write-skew": ({"ser"}, {1, 2}),
    "long-fork": ({"si", "ser"}, {1, 2, 3, 4}),
    "aborted-read": ({"si", "ser"}, {2}),
    "intermediate-read": ({"si", "ser"}, {1, 2}),
}
alibi = sys.argv[1] if len(sys.argv) == 2 else None


def run(*args, data=None):
    return subprocess.run([alibi, *args], input=data, capture_output=True, timeout=120)


def generate(options, seed):
    made = run("generate", *options.split(), "--seed", str(seed))
    check("generate %s --seed %s" % (options, seed), made.returncode == 0, made.stderr.decode())
    return made.stdout


def parse(history):
    """The header and the transactions."""
    lines = [json.loads(line) for line in history.splitlines()]
    return lines[0], lines[1:]


def status(txn):
    return txn.get("status", "commit")


def writes(txn):
    return [(op[1], op[2] if len(op) > 2 else None) for op in txn["ops"] if op[0] != "r"]


def elements_read(txn):
    for op in txn["ops"]:
        if op[0] == "r":
            for value in op[2] if isinstance(op[2], list) else [op[2]]:
                yield op[1], value


# ---- what is in the lines ----

def look_at_txns(name, txns, sessions, ops):
    planted = [t for t in txns if isinstance(t.get("id"), str)]
    others = [t for t in txns if not isinstance(t.get("id"), str)]
    ids = [t["id"] for t in txns if "id" in t]
    check(name + " ids are unique", len(set(ids)) == len(ids), ids)
    check(name + " sessions", all(1 <= t["session"] <= sessions for t in txns))
    check(name + " ops of a transaction", all(len(t["ops"]) == ops for t in others))
    check(name + " planted in several sessions", len({t["session"] for t in planted}) != 1 or sessions == 1, planted)
    aborted = {w for t in others if status(t) == "abort" for w in writes(t)}
    aborted -= {w for t in others if status(t) != "abort" for w in writes(t)}
    seen = {r for t in others if status(t) == "commit" for r in elements_read(t)}
    check(name + " no read of what aborted", not {w for w in aborted & seen if w[1] is not None}, aborted & seen)


def look_at_shape(name, txns, shape):
    others = [t["ops"] for t in txns if not isinstance(t.get("id"), str)]
    kinds = {op[0] for ops in others for op in ops}
    allowed = {"r", "append"} if shape == "append" else {"r", "w", "d"}
    check(name + " kinds of operations", kinds <= allowed, kinds)
    if shape == "blind":
        check(name + " a blind transaction reads or writes",
              all(len({op[0] == "r" for op in ops}) == 1 for ops in others))
    if shape == "rmw":
        check(name + " a key is read before it is written", all(
            ops[i][0] == "r" or (i and ops[i - 1][:2] == ["r", ops[i][1]]) for ops in others for i in range(len(ops))))
    if shape == "append":
        longest = max((len(op[2]) for ops in others for op in ops if op[0] == "r"), default=0)
        check(name + " the longest list", longest < FULL_LIST + 2 * len(others[0]), longest)


def look_at_times(name, txns):
    stamps = [t[field] for t in txns for field in ("start_ts", "commit_ts") if field in t]
    check(name + " no events share a timestamp", len(set(stamps)) == len(stamps), stamps)
    check(name + " who has timestamps", all(
        ("commit_ts" in t) == (status(t) == "commit") and ("start_ts" in t) == (status(t) != "unknown") for t in txns))
    if "begin" not in txns[0]:
        return
    last = collections.defaultdict(int)
    for t in txns:
        check(name + " client times", last[t["session"]] < t["begin"] < t.get("end", t["begin"] + 1), t)
        check(name + " who has an end", ("end" in t) == (status(t) != "unknown"), t)
        last[t["session"]] = t.get("end", t["begin"])


# ---- verdicts by timestamps ----

class Batch:
    """Histories with what is expected of them, checked by few processes."""

    def __init__(self, folder):
        self.folder, self.wanted = folder, {"si": [], "ser": []}

    def add(self, name, history, levels, verdicts, named=None):
        path = os.path.join(self.folder, "%d.jsonl" % sum(map(len, self.wanted.values())))
        with open(path, "wb") as f:
            f.write(history)
        for level in levels:
            self.wanted[level].append((path, name, verdicts[level], named))

    def judge(self):
        for level, wanted in self.wanted.items():
            paths = [path for path, *_ in wanted]
            out = run("check", "--json", "--order", "timestamps", "--level", level, *paths)
            found = [json.loads(line) for line in out.stdout.splitlines()]
            check("all are answered", len(found) == len(paths), out.stderr.decode())
            for (_, name, verdict, named), result in zip(wanted, found):
                check("%s at %s %s" % (name, level, verdict), result["verdict"] == verdict, result)
                ids = {i for v in result["violations"] for i in v["txns"]}
                check("%s at %s names %s" % (name, level, named), verdict != "violates" or ids == named, ids)


def expected_verdict(txns):
    """Nothing planted: valid, unless a read needs a transaction without timestamps."""
    if not any(status(t) == "commit" for t in txns):
        return "unknown"
    lost = {w for t in txns if status(t) == "unknown" for w in writes(t)}
    seen = {r for t in txns if status(t) == "commit" for r in elements_read(t)}
    return "unknown" if lost & seen else "valid"


def verdicts_by_timestamps(folder):
    batch = Batch(folder)
    extras = ["", "--aborts 0.2", "--unknowns 0.15", "--aborts 0.1 --unknowns 0.1 --client-times",
              "--zipf 1.2 --reads 0.7", "--repeat 0.6", "--sessions 1", "--client-times"]
    sizes = [(30, 3, 2, 4), (60, 9, 3, 7), (80, 5, 4, 12), (150, 12, 7, 60)]
    seed = 0
    for level, shape, extra, size in itertools.product(["ser", "si"], SHAPES, extras, sizes):
        seed += 1
        txns, sessions, ops, keys = size
        sessions = 1 if "--sessions" in extra else sessions
        deletes = "--deletes 0.2" if shape != "append" and "unknown" not in extra else ""
        options = "--timestamps --level %s --shape %s --txns %d --sessions %d --ops %d --keys %d " \
            "%s %s" % (level, shape, txns, sessions, ops, keys, extra, deletes)
        history = generate(options, seed)
        header, lines = parse(history)
        name = "%s, seed %d:" % (options, seed)
        check(name + " as many transactions", len(lines) == txns, len(lines))
        check(name + " what it claims", header["level"] == level, header)
        look_at_txns(name, lines, sessions, ops)
        look_at_shape(name, lines, shape)
        look_at_times(name, lines)
        verdict = expected_verdict(lines)
        known = "si valid" if level == "si" else "si valid, ser valid"
        check(name + " what it says", header["source"].endswith(": " + known), header)
        batch.add(name, history, ["si"] if level == "si" else ["si", "ser"],
                  {"si": verdict, "ser": verdict})
    batch.judge()


def planted_anomalies(folder):
    batch = Batch(folder)
    extras = ["", "--client-times --aborts 0.1", "--sessions 2 --txns 9",
              "--sessions 3 --repeat 0.5"]
    for level, shape, anomaly, extra in itertools.product(["ser", "si"], SHAPES, ANOMALIES, extras):
        violates, numbers = ANOMALIES[anomaly]
        options = "--timestamps --level %s --shape %s --anomaly %s --txns 60 --keys 30 --ops 4 %s" \
            % (level, shape, anomaly, extra)
        history = generate(options, 5)
        header, lines = parse(history)
        name = options + ":"
        named = {"%s-%d" % (anomaly, i) for i in numbers}
        verdicts = {l: "violates" if l in violates else "valid" for l in ("si", "ser")}
        places = [i for i, t in enumerate(lines) if isinstance(t.get("id"), str)]
        check(name + " what it claims", header["level"] == level, header)
        check(name + " what it says", "si %(si)s, ser %(ser)s (" % verdicts in header["source"], header)
        check(name + " as many transactions", len(lines) in (9, 60), len(lines))
        check(name + " it is in the middle", len(lines) < 60 or 15 < places[0] <= places[-1] < 45, places)
        look_at_txns(name, lines, 8, 4)
        look_at_times(name, lines)
        # A history made for si need not hold at ser, whatever was planted.
        batch.add(name, history, ["si"] if level == "si" else ["si", "ser"], verdicts, named)
    batch.judge()


# ---- the oracle ----

def oracle_agreement():
    extras = ["", "--aborts 0.2", "--unknowns 0.3", "--repeat 0.7", "--deletes 0.3", "--sessions 2"]
    seed = 0
    for level, shape, extra, anomaly in itertools.product(
            ["ser", "si"], SHAPES, extras, ["none", "none", *ANOMALIES]):
        seed += 1
        if shape == "append" and "deletes" in extra:
            continue
        options = "--client-times --level %s --shape %s --txns 7 --sessions 3 --ops 3 --keys 2 " \
            "--anomaly %s %s" % (level, shape, anomaly, extra)
        history = generate(options, seed)
        lines = history.decode().splitlines()
        committed = any(status(t) == "commit" for t in parse(history)[1])
        violated = ANOMALIES[anomaly][0] if anomaly != "none" else set()
        for asked in ("si", "ser", "sser"):
            plain = "ser" if asked == "sser" else asked
            if plain in violated:
                wanted = "violates"
            elif plain == "ser" and level == "si":
                continue  # may hold or not
            else:
                wanted = "valid" if committed else "unknown"
            found = oracle.decide(asked, lines)
            check("%s, seed %d at %s: %s" % (options, seed, asked, wanted), found == wanted, found)


# ---- the rest ----

def same_seed_same_bytes(folder):
    for options in ["", "--level si --zipf 1 --aborts 0.1 --unknowns 0.1 --repeat 0.2",
                    "--deletes 0.1 --reads 0.333 --shape rmw",
                    "--shape append --timestamps --client-times --anomaly long-fork"]:
        one, two = generate(options, 3), generate(options, 3)
        check(options + " gives the same twice", one == two)
        check(options + " differs for another seed", one != generate(options, 4))
        path = os.path.join(folder, "out.jsonl")
        run("generate", *options.split(), "--seed", "3", "--out", path)
        with open(path, "rb") as f:
            check(options + " gives the same in a file", f.read() == one)
        again = parse(one)[0]["source"].split(": ")[0].split()[1:]
        check(options + " is what its header says", run(*again).stdout == one, again)


def shares_are_kept():
    _, txns = parse(generate("--txns 5000 --ops 4 --reads 0.3 --aborts 0.2 --unknowns 0.1 "
                             "--repeat 0.25 --deletes 0.1 --zipf 1 --keys 100 --sessions 5", 1))
    ops = [op for t in txns for op in t["ops"]]
    written = [op for op in ops if op[0] != "r"]
    keys = collections.Counter(op[1] for op in ops)
    statuses = collections.Counter(map(status, txns))
    harmonic = sum(1 / n for n in range(1, 101))
    for what, found, wanted in [
            ("reads", 1 - len(written) / len(ops), 0.3),
            ("aborts", statuses["abort"] / len(txns), 0.2),
            ("unknowns", statuses["unknown"] / len(txns), 0.1),
            ("deletes", sum(op[0] == "d" for op in written) / len(written), 0.1),
            ("repeats", sum(op[0] == "w" and op[2] <= 8 for op in written) / len(written), 0.225),
            ("first key", keys[1] / len(ops), 1 / harmonic),
            ("tenth key", keys[10] / len(ops), 0.1 / harmonic),
            ("last key", keys[100] / len(ops), 0.01 / harmonic)]:
        check("the share of %s" % what, abs(found - wanted) < 0.02, found)
    _, txns = parse(generate("--txns 4000 --keys 5 --sessions 2 --reads 0.8 --unknowns 0.3", 1))
    lost = [set(writes(t)) for t in txns if status(t) == "unknown" and writes(t)]
    seen = {r for t in txns if status(t) == "commit" for r in elements_read(t)}
    share = sum(bool(w & seen) for w in lost) / len(lost)
    check("half of the unknown transactions took effect", 0.4 < share < 0.6, share)
    aborts = [sum(status(t) == "abort" for t in parse(generate(
        "--keys 20 --txns 500 --level " + level, 1))[1]) for level in ("ser", "si")]
    check("conflicts abort", aborts[0] == 0 and aborts[1] > 50, aborts)


def other_formats(folder):
    made = run("generate", "--txns", "50").stdout
    for line in run("help", "formats").stdout.decode().split("\n\n")[0].splitlines():
        name, direct, converted = line.split()[0], *(os.path.join(folder, d) for d in "ab")
        a = run("generate", "--txns", "50", "--to", name, "--out", direct + name)
        b = run("convert", "--format", "alibi", "--to", name, "--out", converted + name, "-",
                data=made)
        check("generate --to %s exits as convert does" % name, a.returncode == b.returncode, (a, b))
        if a.returncode == 0:
            stats = run("stats", "--json", "--format", name, direct + name)
            check("generate --to %s is whole" % name, stats.returncode == 0
                  and json.loads(stats.stdout)["txns"] == 50, stats)
        if os.path.isdir(direct + name):
            again = run("generate", "--txns", "50", "--to", name, "--out", direct + name)
            check("two histories do not become one", again.returncode == 254
                  and b".log exists" in again.stderr, again)
            log = os.path.join(direct + name, sorted(os.listdir(direct + name))[0])
            for words in ([], ["--format", name]):
                one = run("check", "--level", "ser", *words, log)
                check("one log of several is no history", one.returncode == 254
                      and b"\terror\n" in one.stdout and b"name the directory" in one.stdout, one)
            os.mkdir(direct + name + "-alone")
            os.rename(log, os.path.join(direct + name + "-alone", os.path.basename(log)))
            log = os.path.join(direct + name + "-alone", os.path.basename(log))
            check("a log that is alone is one", run("stats", log).returncode == 0)


def refusals():
    for options, message in [
            ("--txns 0", "--txns expects a number from 1 to 500000000, not 0"),
            ("--sessions 0", "--sessions expects a number from 1 to 1000000, not 0"),
            ("--ops 0", "--ops expects a number from 1 to 1000, not 0"),
            ("--ops 1001", "--ops expects a number from 1 to 1000, not 1001"),
            ("--keys 0", "--keys expects a number from 1 to 100000000, not 0"),
            ("--keys -3", "--keys expects a whole number, not '-3'"),
            ("--reads 1.5", "--reads expects a share from 0 to 1, not '1.5'"),
            ("--zipf -1", "--zipf expects a number from 0 on, not '-1'"),
            ("--zipf nan", "--zipf expects a number from 0 on, not 'nan'"),
            ("--level rc", "the simulated database has ser and si, not rc"),
            ("--shape lists", "--shape expects one of mixed, blind, rmw, append; not 'lists'"),
            ("--anomaly lost-updat", "(did you mean lost-update?)"),
            ("--shape append --deletes 0.1", "lists cannot be deleted"),
            ("--shape rmw --ops 1", "--shape rmw needs at least 2 operations a transaction"),
            ("--aborts 0.5 --unknowns 0.5", "leave no transaction that commits"),
            ("--txns 500000000 --ops 9", "more than the four billion operations"),
            ("--anomaly long-fork --txns 3", "--anomaly long-fork needs --txns 4 or more"),
            ("--anomaly write-skew --sessions 1", "--anomaly write-skew needs --sessions 2"),
            ("history.jsonl", "--out history.jsonl writes there"),
            ("--seeds 1", "did you mean --seed?")]:
        refused = run("generate", *options.split())
        check(options + " is refused", refused.returncode == 254 and not refused.stdout and
              message in refused.stderr.decode(), refused)
    for options in ["--max-memory 100K", "--txns 100000 --max-memory 2M",
                    "--txns 9000000 --timeout 50ms"]:
        check(options + " gives up", run("generate", "--out", os.devnull, *options.split()).returncode == 2)
    _, txns = parse(generate("--txns 1 --aborts 0.99", 1))
    check("a history of one transaction", len(txns) == 1, txns)


def main():
    if not alibi:
        raise SystemExit(__doc__)
    for test in (verdicts_by_timestamps, planted_anomalies, same_seed_same_bytes, other_formats):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    oracle_agreement()
    shares_are_kept()
    refusals()
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
