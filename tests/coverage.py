#!/usr/bin/env python3
"""What `check` says about its own verdict is true.

Random tiny histories, of shapes that leave a checker little to catch: sessions with
keys of their own, one session that writes, transactions that only read or only
write. What is read is the initial value or what others wrote, at random. The counts
must be those of a plain count; and where `check` says that a level says no more than
a weaker one, or that it could not have been violated, brute force (oracle.py) must never
tell them apart.

    coverage.py ALIBI [HISTORIES [SEED]]
"""
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import typing

import counted
import oracle
from counted import check

BATCH = 400


# ---- histories ----

def skeleton(rng):
    """Transactions whose reads have no values yet."""
    sessions, keys = rng.randint(1, 3), ["x", "y", "z"][:rng.randint(1, 3)]
    apart = rng.random() < 0.2              # sessions have keys of their own
    writer = 0 if rng.random() < 0.25 else None
    pure = rng.random() < 0.3               # only reads or only writes
    share = rng.choice([0.3, 0.4, 0.5, 0.6]) if rng.random() < 0.9 else rng.choice([0, 1])  # of writes
    lists, times = rng.random() < 0.2, rng.choice([None, None, "sane", "any"])
    fresh, clock, txns = itertools.count(1), 0, []
    for _ in range(rng.randint(1, 6)):
        session = rng.randrange(sessions)
        t = {"session": session, "ops": [], "status": rng.choices(
            ["commit", "abort", "unknown"], [12, 1, 1])[0]}
        only = rng.random() < 0.5
        for _ in range(rng.randint(1, 3)):
            key = rng.choice(keys) + (str(session) if apart else "")
            writes = rng.random() < share if not pure else only
            if writer is not None and session != writer:
                writes = False
            value = next(fresh) if rng.random() < 0.9 else 1
            t["ops"].append([("append" if lists else "w"), key, value] if writes else ["r", key, None])
        if times:
            begin = clock + (rng.randint(0, 1) if times == "sane" else rng.randint(-6, 2))
            t["begin"], t["end"] = begin, begin + rng.randint(0, 6) - (times == "any" and rng.random() < 0.1) * 3
            clock = t["end"] + 1 if times == "sane" and rng.random() < 0.5 else clock + 2
        txns.append(t)
    if times == "sane":  # a session runs one transaction after the other
        last = {}
        for t in txns:
            shift = max(0, last.get(t["session"], t["begin"]) - t["begin"])
            t["begin"], t["end"] = t["begin"] + shift, t["end"] + shift
            last[t["session"]] = t["end"]
    return txns


def fill(rng, txns):
    """Reads get the initial value or one of others; own writes are read back."""
    stale = rng.choice([0.2, 0.5])
    for t in txns:
        own, seen = {}, {}
        for op in t["ops"]:
            kind, key = op[0], op[1]
            if kind == "w":
                own[key] = op[2]
            elif kind == "append":
                own[key] = own.get(key, []) + [op[2]]
            else:
                others = [o[2] for u in txns if u is not t for o in u["ops"] if o[:2] in (["w", key], ["append", key])]
                if any(o[0] == "append" and o[1] == key for u in txns for o in u["ops"]):
                    if key not in seen or rng.random() < 0.1:
                        upto = len(others) if rng.random() < stale else rng.randint(0, len(others))
                        seen[key] = others[:upto]
                        rng.random() < 0.1 and rng.shuffle(seen[key])
                    op[2] = seen[key] + own.get(key, [])
                elif key in own:
                    op[2] = own[key]
                else:
                    if key not in seen or rng.random() < 0.1:
                        seen[key] = rng.choice([None] + others)
                    op[2] = seen[key]
    return txns


# ---- a plain count ----

def uses(t, lists):
    """key -> does it write it; and the keys that it reads from others"""
    writes, reads, done = set(), set(), set()
    for op in t["ops"]:
        if op[0] == "r":
            if t["status"] == "commit" and (op[1] not in done or op[1] in lists):
                reads.add(op[1])
        else:
            writes.add(op[1])
            done.add(op[1])
    return writes, reads


def count(txns, sessions_count):
    lists = {o[1] for t in txns for o in t["ops"] if o[0] == "append"}
    live = [(i, t, *uses(t, lists)) for i, t in enumerate(txns) if t["status"] != "abort"]
    keys = {o[1] for t in txns for o in t["ops"]}
    writers = {k: sum(k in w for _, _, w, _ in live) for k in keys}

    def session(i, t):
        return t["session"] if sessions_count and t["status"] == "commit" else "alone %d" % i

    shared, overlapping, in_conflict, pairs = set(), 0, set(), {}
    for (i, t, w1, r1), (j, u, w2, r2) in itertools.combinations(live, 2):
        both = (w1 & (w2 | r2)) | (w2 & (w1 | r1))
        for k in both:
            pairs[k] = pairs.get(k, 0) + 1
        if not both or session(i, t) == session(j, u):
            continue
        shared |= both
        in_conflict |= {t["session"], u["session"]}
        if "begin" in t and t["status"] == u["status"] == "commit" and t["session"] != u["session"]:
            overlapping += len(both) * (t["begin"] <= u["end"] and u["begin"] <= t["end"])
    return {"reads": sum(len(r) for *_, r in live),
            "contended_reads": sum(writers[k] > 1 for *_, r in live for k in r),
            "contended_keys": sum(n > 1 for n in writers.values()),
            "conflicts": sum(pairs[k] for k in shared),
            "conflicting_sessions": len(in_conflict)}, overlapping


def one_after_the_other(txns):
    """Does each session run one transaction after the other, by its clock?"""
    last = {}
    for t in txns:
        if t["status"] != "commit":
            continue
        if not last.get(t["session"], t["begin"]) <= t["begin"] <= t["end"]:
            return False
        last[t["session"]] = t["end"] + 1
    return True


# ---- the comparison ----

class Way(typing.NamedTuple):
    """How a history is checked."""
    level: str
    sessions: bool
    skew: int = 0
    assume: bool = False  # --assume-time-order

    def words(self):
        return (["--level", self.level, "--session-order", "on" if self.sessions else "off",
                 "--clock-skew", str(self.skew)] + ["--assume-time-order"] * self.assume)


def brute_force(level, lines, way):
    clocks = level == "sser" or way.assume and level in ("pc", "si", "ser")
    return oracle.decide(level, lines, way.sessions, clocks, way.skew)


def overlap_in_session(txns, skew):
    """One begins, by more than the skew, before one that precedes it in its session ends."""
    return any(a["session"] == b["session"] and a.get("end") is not None and b.get("begin") is not None
               and a["end"] - b["begin"] > skew for i, a in enumerate(txns) for b in txns[i + 1:])


def compare(way, lines, result, tried):
    c, level, sessions = result["coverage"], way.level, way.sessions
    shown = "%s: %s\n%s" % (way, json.dumps(result), "\n".join(lines))
    txns = [json.loads(line) for line in lines]
    counts, overlapping = count(txns, sessions)
    check("counts %s" % counts, all(c[k] == n for k, n in counts.items()), shown)
    if "begin" in txns[0] and one_after_the_other(txns):
        check("overlap %d" % overlapping, (overlapping > 0) <= c["overlapping_conflicts"] <= overlapping, shown)
    weak = c["says_no_more_than"]
    check("what can violate says something", (weak is None) == (not c["could_violate"]), shown)
    about_clocks = "clients' clocks were to count" in result.get("warning", "")
    expected = result["verdict"] == "valid" and (weak != level or about_clocks)
    if result["verdict"] == "violates" and sessions:
        expected = "begin" in txns[0] and overlap_in_session(txns, way.skew)
        check("an overlap is told", not expected or "did not run one after the other" in result.get("warning", ""), shown)
    check("a warning where it says less, or clocks count", ("warning" in result) == expected, shown)
    check("clocks where they are to count", not about_clocks or way.assume, shown)
    if weak == level:
        return
    step = level + (" with clocks" if way.assume else ""), weak
    tried[step] = tried.get(step, 0) + 1
    strong = brute_force(level, lines, way)
    if weak is None:
        check("what cannot violate does not", strong != "violates", shown)
        return
    low = brute_force(weak, lines, way)
    check("%s %s, %s %s" % (level, strong, weak, low), low == strong, shown)


def opposite_ends_of_time(alibi, folder):
    """No transaction is before the first, not even at the least time there is."""
    path, least, most = os.path.join(folder, "ends.jsonl"), -2**63, 2**63 - 1
    for end, begin, overlapping in ((least + 1, most, 0), (least, least, 1)):
        with open(path, "w") as f:
            f.write('{"session":1,"begin":%d,"end":%d,"ops":[["w","x",1]]}\n' % (least, end) +
                    '{"session":2,"begin":%d,"end":%d,"ops":[["r","x",1],["w","x",2]]}\n' % (begin, most))
        ran = subprocess.run([alibi, "check", "--json", "--level", "sser", path], capture_output=True, text=True)
        check("%d at the same time" % overlapping,
              json.loads(ran.stdout)["coverage"]["overlapping_conflicts"] == overlapping, ran.stdout)


def main():
    alibi, tried = os.path.abspath(sys.argv[1]), {}
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 800
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    levels = [v["name"] for v in json.loads(subprocess.run(
        [alibi, "levels", "--json"], capture_output=True, text=True).stdout)["levels"]]
    ways = [Way(level, sessions) for level in levels for sessions in (True, False)]
    ways += [Way(level, sessions, skew, level != "sser") for level, sessions, skew in [
        ("sser", True, 2), ("ser", True, 0), ("ser", False, 1), ("si", True, 1), ("pc", True, 0)]]
    with tempfile.TemporaryDirectory() as folder:
        opposite_ends_of_time(alibi, folder)
        for first in range(0, total, BATCH):
            histories, paths = [], []
            for i in range(first, min(total, first + BATCH)):
                histories.append([json.dumps(t) for t in fill(rng, skeleton(rng))])
                paths.append(os.path.join(folder, "%d.jsonl" % i))
                with open(paths[-1], "w") as f:
                    f.write("\n".join(histories[-1]) + "\n")
            for way in ways:
                ran = subprocess.run([alibi, "check", "--json"] + way.words() + paths,
                                     capture_output=True, text=True)
                results = [json.loads(line) for line in ran.stdout.splitlines()]
                check("%s: all are answered" % (way,), len(results) == len(paths), ran.stderr)
                for lines, result in zip(histories, results):
                    compare(way, lines, result, tried)
    for step in [("ser", "si"), ("ser", "pc"), ("ser", "cc"), ("ser", "ra"), ("sser", "ser"),
                 ("sser", "ra"), ("si", "pc"), ("pc", "cc"), ("cc", "ra"), ("sser", None),
                 ("rc", None), ("ser with clocks", "si"), ("si with clocks", "pc")]:
        check("%s and %s are tried" % step, tried.get(step, 0) > 5, tried)
    print(", ".join("%s says %s %d" % (k + (n,)) for k, n in sorted(tried.items(), key=str)))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
