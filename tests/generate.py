#!/usr/bin/env python3
"""Property tests of `alibi generate`: what it says about its histories is true.

    generate.py ALIBI

Three judges look at histories made with many options and seeds: `alibi check`
replays their timestamps, the brute-force oracle (../shared/oracle/oracle.py, if
it is there) decides tiny ones without timestamps, and the tests here look at the
lines themselves. Prints one line a failure, and a count of all at the end.
"""
import collections
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ORACLE = os.path.join(ROOT, "..", "shared", "oracle", "oracle.py")
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


class Tally:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def expect(self, ok, what, *details):
        if ok:
            self.passed += 1
            return
        self.failed += 1
        print("FAILED:", what, *details)

    def skip(self, why):
        self.skipped += 1
        print("skipped:", why)


tally = Tally()
alibi = sys.argv[1] if len(sys.argv) == 2 else None


def run(*args, data=None):
    return subprocess.run([alibi, *args], input=data, capture_output=True, timeout=120)


def generate(options, seed):
    made = run("generate", *options.split(), "--seed", str(seed))
    tally.expect(made.returncode == 0, "generate", options, seed, made.stderr.decode())
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
    tally.expect(len(set(ids)) == len(ids), name, "ids are not unique")
    tally.expect(all(1 <= t["session"] <= sessions for t in txns), name, "sessions")
    tally.expect(all(len(t["ops"]) == ops for t in others), name, "ops of a transaction")
    tally.expect(len({t["session"] for t in planted}) != 1 or sessions == 1, name,
                 "planted in one session")
    aborted = {w for t in others if status(t) == "abort" for w in writes(t)}
    aborted -= {w for t in others if status(t) != "abort" for w in writes(t)}
    seen = {r for t in others if status(t) == "commit" for r in elements_read(t)}
    tally.expect(not {w for w in aborted & seen if w[1] is not None}, name,
                 "somebody read what aborted")


def look_at_shape(name, txns, shape):
    others = [t["ops"] for t in txns if not isinstance(t.get("id"), str)]
    kinds = {op[0] for ops in others for op in ops}
    allowed = {"r", "append"} if shape == "append" else {"r", "w", "d"}
    tally.expect(kinds <= allowed, name, "kinds of operations", kinds)
    if shape == "blind":
        tally.expect(all(len({op[0] == "r" for op in ops}) == 1 for ops in others), name,
                     "a blind transaction reads and writes")
    if shape == "rmw":
        tally.expect(all(ops[i][0] == "r" or (i and ops[i - 1][:2] == ["r", ops[i][1]])
                         for ops in others for i in range(len(ops))), name,
                     "a key is written and not read before")
    if shape == "append":
        longest = max((len(op[2]) for ops in others for op in ops if op[0] == "r"), default=0)
        tally.expect(longest < FULL_LIST + 2 * len(others[0]), name, "a list of", longest)


def look_at_times(name, txns):
    stamps = [t[field] for t in txns for field in ("start_ts", "commit_ts") if field in t]
    tally.expect(len(set(stamps)) == len(stamps), name, "two events share a timestamp")
    tally.expect(all(("commit_ts" in t) == (status(t) == "commit") and
                     ("start_ts" in t) == (status(t) != "unknown") for t in txns), name,
                 "who has timestamps")
    if "begin" not in txns[0]:
        return
    last = collections.defaultdict(int)
    for t in txns:
        tally.expect(last[t["session"]] < t["begin"] < t.get("end", t["begin"] + 1), name,
                     "client times of", t)
        tally.expect(("end" in t) == (status(t) != "unknown"), name, "who has an end")
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

    def check(self):
        for level, wanted in self.wanted.items():
            paths = [path for path, *_ in wanted]
            out = run("check", "--json", "--order", "timestamps", "--level", level, *paths)
            found = [json.loads(line) for line in out.stdout.splitlines()]
            tally.expect(len(found) == len(paths), "check gave", len(found), "lines for",
                         len(paths), out.stderr.decode())
            for (_, name, verdict, named), result in zip(wanted, found):
                tally.expect(result["verdict"] == verdict, name, "at", level, "is",
                             result["verdict"], "and not", verdict, result["violations"][:3])
                ids = {i for v in result["violations"] for i in v["txns"]}
                tally.expect(verdict != "violates" or ids == named, name, "at", level,
                             "names", ids, "and not", named)


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
        tally.expect(len(lines) == txns, name, "has", len(lines), "transactions")
        tally.expect(header["level"] == level, name, "claims", header["level"])
        look_at_txns(name, lines, sessions, ops)
        look_at_shape(name, lines, shape)
        look_at_times(name, lines)
        verdict = expected_verdict(lines)
        known = "si valid" if level == "si" else "si valid, ser valid"
        tally.expect(header["source"].endswith(": " + known), name, "says", header["source"])
        batch.add(name, history, ["si"] if level == "si" else ["si", "ser"],
                  {"si": verdict, "ser": verdict})
    batch.check()


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
        tally.expect(header["level"] == level, name, "claims", header["level"])
        tally.expect("si %(si)s, ser %(ser)s (" % verdicts in header["source"], name, "says",
                     header["source"])
        tally.expect(len(lines) in (9, 60), name, "has", len(lines), "transactions")
        tally.expect(len(lines) < 60 or 15 < places[0] <= places[-1] < 45, name,
                     "is not in the middle:", places)
        look_at_txns(name, lines, 8, 4)
        look_at_times(name, lines)
        # A history made for si need not hold at ser, whatever was planted.
        batch.add(name, history, ["si"] if level == "si" else ["si", "ser"], verdicts, named)
    batch.check()


# ---- the oracle ----

def load_oracle():
    if not os.path.exists(ORACLE):
        return None
    spec = importlib.util.spec_from_file_location("oracle", ORACLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def oracle_agreement():
    oracle = load_oracle()
    if not oracle:
        tally.skip("the oracle is not at " + ORACLE)
        return
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
        raw_and_world = oracle.load(history.decode().splitlines())
        committed = any(t["status"] == "commit" for t in raw_and_world[0])
        violated = ANOMALIES[anomaly][0] if anomaly != "none" else set()
        for asked in ("si", "ser", "sser"):
            plain = "ser" if asked == "sser" else asked
            if plain in violated:
                wanted = "violates"
            elif plain == "ser" and level == "si":
                continue  # may hold or not
            else:
                wanted = "valid" if committed else "skip: nothing committed"
            found = oracle.decide(asked, *oracle.load(history.decode().splitlines()))
            tally.expect(found == wanted, options, "seed", seed, "at", asked, "is", found,
                         "and not", wanted)


# ---- the rest ----

def same_seed_same_bytes(folder):
    for options in ["", "--level si --zipf 1 --aborts 0.1 --unknowns 0.1 --repeat 0.2",
                    "--deletes 0.1 --reads 0.333 --shape rmw",
                    "--shape append --timestamps --client-times --anomaly long-fork"]:
        one, two = generate(options, 3), generate(options, 3)
        tally.expect(one == two, options, "differs from itself")
        tally.expect(one != generate(options, 4), options, "is the same for another seed")
        path = os.path.join(folder, "out.jsonl")
        run("generate", *options.split(), "--seed", "3", "--out", path)
        with open(path, "rb") as f:
            tally.expect(f.read() == one, options, "differs in a file")
        again = parse(one)[0]["source"].split(": ")[0].split()[1:]
        tally.expect(run(*again).stdout == one, options, "is not what its header says:", again)


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
        tally.expect(abs(found - wanted) < 0.02, "the share of", what, "is", found)
    _, txns = parse(generate("--txns 4000 --keys 5 --sessions 2 --reads 0.8 --unknowns 0.3", 1))
    lost = [set(writes(t)) for t in txns if status(t) == "unknown" and writes(t)]
    seen = {r for t in txns if status(t) == "commit" for r in elements_read(t)}
    share = sum(bool(w & seen) for w in lost) / len(lost)
    tally.expect(0.4 < share < 0.6, share, "of the unknown transactions took effect")
    aborts = [sum(status(t) == "abort" for t in parse(generate(
        "--keys 20 --txns 500 --level " + level, 1))[1]) for level in ("ser", "si")]
    tally.expect(aborts[0] == 0 and aborts[1] > 50, "conflicts abort", aborts)


def other_formats(folder):
    made = run("generate", "--txns", "50").stdout
    for line in run("help", "formats").stdout.decode().split("\n\n")[0].splitlines():
        name, direct, converted = line.split()[0], *(os.path.join(folder, d) for d in "ab")
        if line.endswith("(read only)"):
            continue
        a = run("generate", "--txns", "50", "--to", name, "--out", direct + name)
        b = run("convert", "--format", "alibi", "--to", name, "--out", converted + name, "-",
                data=made)
        tally.expect(a.returncode == b.returncode, "generate --to", name, "exits with",
                     a.returncode, "and convert with", b.returncode, a.stderr, b.stderr)
        if a.returncode == 0:
            stats = run("stats", "--json", "--format", name, direct + name)
            tally.expect(stats.returncode == 0 and json.loads(stats.stdout)["txns"] == 50,
                         "generate --to", name, "made", stats.stdout, stats.stderr)


def refusals():
    for options, message in [
            ("--txns 0", "--txns wants a number from 1 to 500000000, not 0"),
            ("--sessions 0", "--sessions wants a number from 1 to 1000000, not 0"),
            ("--ops 0", "--ops wants a number from 1 to 1000, not 0"),
            ("--ops 1001", "--ops wants a number from 1 to 1000, not 1001"),
            ("--keys 0", "--keys wants a number from 1 to 100000000, not 0"),
            ("--keys -3", "--keys wants a whole number, not '-3'"),
            ("--reads 1.5", "--reads wants a share from 0 to 1, not '1.5'"),
            ("--zipf -1", "--zipf wants a number from 0 on, not '-1'"),
            ("--zipf nan", "--zipf wants a number from 0 on, not 'nan'"),
            ("--level rc", "--level wants one of ser, si; not 'rc'"),
            ("--shape lists", "--shape wants one of mixed, blind, rmw, append; not 'lists'"),
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
        tally.expect(refused.returncode == 254 and not refused.stdout and
                     message in refused.stderr.decode(), options, "is answered with",
                     refused.returncode, refused.stderr.decode())
    for options in ["--max-memory 100K", "--txns 100000 --max-memory 2M",
                    "--txns 9000000 --timeout 50ms"]:
        tally.expect(run("generate", "--out", os.devnull, *options.split()).returncode == 2,
                     options, "does not give up")
    _, txns = parse(generate("--txns 1 --aborts 0.99", 1))
    tally.expect(len(txns) == 1, "a history of one transaction")


def main():
    if not alibi:
        raise SystemExit(__doc__)
    for test in (verdicts_by_timestamps, planted_anomalies, same_seed_same_bytes, other_formats):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)
    oracle_agreement()
    shares_are_kept()
    refusals()
    print("%d passed, %d failed%s" % (tally.passed, tally.failed,
                                      ", %d skipped" % tally.skipped if tally.skipped else ""))
    return tally.failed > 0


if __name__ == "__main__":
    sys.exit(main())
