#!/usr/bin/env python3
"""alibi watch against check --order timestamps.

Random histories, those of timestamps.py and longer ones, are put into a random order of
arrival that keeps each session's own, and are then checked as a file, by check, and as a
stream with the smallest horizon that lets nothing be late. Some transactions arrive
again. Verdicts and violations must be the same, however the stream is watched: by the
program (some of them), on several threads, killed again and again and going on from what
was saved, or in shards, each of which checks a part (RESTART, built from
stream/restart.c, has these ways, and puts keys into a store in half of all cases).

Where two transactions write one key with one timestamp at ser, check says nothing about
any read, and watch only nothing about that key: there its verdict must be one that the
definition in timestamps.py allows.

    stream.py ALIBI RESTART [HISTORIES [SEED]]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import counted
from counted import check
from timestamps import (BATCH, choose_meaning, committed, fill_reads, judge_ser, random_history, reported,
                        run_batch, stamp, writes)


# ---- histories ----

def long_history(rng):
    """Up to 60 transactions on a few keys, with little or much overlap; or some more on many
    keys, most of which are not used for a while."""
    lists = rng.random() < 0.3
    keys = ["x", "y", "a long key of more than seven bytes", 3][:rng.randint(1, 4)]
    length, gap = rng.choice([0, 1, 4, 12]), rng.choice([1, 2, 5])
    most = 60
    if rng.random() < 0.3:
        keys, most = keys + ["key %d" % i for i in range(rng.randint(3, 40))], 150
    header, txns, clock = {"alibi": 1}, [], 0
    tidy = rng.random() < 0.6  # no conflicts, and sessions that wait for their answers
    free = {}  # by session and key: when it was last committed
    if not lists and rng.random() < 0.3:
        header["initial_default"] = rng.choice([0, "a value that is long"])
    for i in range(rng.randint(5, most)):
        clock += rng.randint(0, gap)
        start, commit = clock, clock + rng.randint(0, length)
        sessions = [n for n in range(4 + 60 * tidy) if not tidy or free.get(("session", n), -1) <= start]
        t = {"id": rng.choice(["t%d", "transaction number %d"]) % i if rng.random() < 0.9 else i,
             "session": rng.choice(sessions[:4]), "start_ts": start, "commit_ts": commit, "ops": []}
        if rng.random() < 0.04:
            t["status"] = rng.choice(["abort", "unknown"])
        for _ in range(rng.randint(0, 5)):
            key, value = rng.choice(keys), i * 10 + rng.randint(0, 9)
            if rng.random() < 0.2:
                value = "the value %d" % value
            busy = tidy and free.get(key, -1) > start - (length == 0) and not writes(t, key)
            if rng.random() < 0.5 or busy:
                t["ops"].append(["r", key, None])
                continue
            free[key] = commit
            if lists:
                t["ops"].append(["append", key, value])
            else:
                t["ops"].append(["d", key] if rng.random() < 0.05 else ["w", key, value])
        free["session", t["session"]] = commit
        txns.append(t)
    fill_reads(rng, header, txns, lists)
    choose_meaning(rng, header)
    return header, txns


def placed(t):
    return committed(t) and "commit_ts" in t and "start_ts" in t


def arrival(rng, txns):
    """The transactions as they arrive: late by chance, each session in its own order. Those
    of unknown outcome come first, as if their clients had given up at once."""
    spread = rng.choice([0, 2, 10, 60])
    clock = {id(t): (stamp(t["commit_ts"])[0] if "commit_ts" in t else rng.randint(0, 40))
             + rng.randint(0, spread) for t in txns}
    order = sorted((t for t in txns if t.get("status") != "unknown"), key=lambda t: clock[id(t)])
    places = {}
    for t in order:
        places.setdefault(t["session"], []).append(t)
    for session in places:
        places[session].sort(key=txns.index)
    return [t for t in txns if t.get("status") == "unknown"] + [
        places[t["session"]].pop(0) for t in order]


def horizon(order, rng):
    """The smallest horizon and longest duration for which nothing is late."""
    newest, far, longest = None, 0, 0
    for t in order:
        if committed(t) and "commit_ts" in t:
            commit = stamp(t["commit_ts"])[0]
            newest = commit if newest is None else max(newest, commit)
            far = max(far, newest - commit)
            longest = max(longest, commit - stamp(t.get("start_ts", commit))[0])
    return far + rng.choice([0, 0, 5]), longest + rng.choice([0, 0, 5])


def with_repetitions(rng, order, far):
    """Some come again, while their ids must still be known."""
    stream, newest = [], None
    repeat = rng.choice([0, 0, 0.2])
    for t in order:
        stream.append(t)
        if committed(t) and "commit_ts" in t:
            commit = stamp(t["commit_ts"])[0]
            newest = commit if newest is None else max(newest, commit)
        if rng.random() < repeat:
            again = rng.choice(stream)
            if placed(again) and stamp(again["commit_ts"])[0] >= newest - far:
                stream.append(again)
    return stream


def writers_tied(txns):
    seen = set()
    for t in txns:
        for key in {json.dumps(op[1]) for op in t["ops"] if op[0] != "r"}:
            if placed(t):
                at = (key, stamp(t["commit_ts"]))
                if at in seen:
                    return True
                seen.add(at)
    return False


def has_lists(txns):
    return any(op[0] == "append" or (op[0] == "r" and isinstance(op[2], list))
               for t in txns for op in t["ops"])


# ---- the program ----

def run(command, text=None):
    """The summary, the events, and what was said besides."""
    out = subprocess.run(command, input=text, capture_output=True, text=True)
    lines = [json.loads(line) for line in out.stdout.splitlines()]
    if not lines or lines[-1]["what"] != "summary":
        return None, [], out.stderr
    return lines[-1], lines[:-1], out.stderr


def asked(restart, way, level, case):
    """What the process for the other ways of watching answers."""
    restart.stdin.write("%s %s %d %d %d %s\n" % (way, level, case["horizon"], case["longest"],
                                                 case["seed"], case["stream_path"]))
    restart.stdin.flush()
    events = []
    for line in restart.stdout:
        events.append(json.loads(line))
        if events[-1]["what"] == "summary":
            return events[-1], events[:-1], ""
    return None, events, ""


def watches(alibi, restart, level, case):
    """What each way of watching the stream says, by its name."""
    if case["by_program"]:
        with open(case["stream_path"]) as f:
            text = f.read() if case["by_pipe"] else None
        yield "the program", run(
            [alibi, "watch", "--json", "--level", level, "--horizon", str(case["horizon"]), "--longest",
             str(case["longest"]), "-" if text else case["stream_path"]], text)
    for way in ("plain", "killed", "shards"):
        yield way, asked(restart, way, level, case)


def too_late(restart, level, case, checked):
    """Where much is late the verdict need not be that of check, but it must not be the contrary, and
    all ways must still agree. Why they do not, or None."""
    short = dict(case, horizon=case["horizon"] // 3, longest=case["longest"] // 2)
    said = {}
    for way in ("plain", "killed", "shards"):
        summary, events, _ = asked(restart, way, level, short)
        summary.pop("stored")
        # A duplicate of a dropped transaction is late again, with the same id.
        said[way] = (summary, sorted({(e["id"], e["what"], e["kind"]) for e in events}))
    if said["plain"] != said["killed"] or said["plain"] != said["shards"]:
        return "with much that is late: %s" % said
    if {summary["verdict"], checked} == {"valid", "violates"}:
        return "check says %s, what is late or not: %s" % (checked, said["plain"])
    return None


def found(events):
    """As reported() has the violations of check."""
    as_check = [{"kind": e["kind"], "key": e.get("key"),
                 "txns": [e["txn"]] + ([e["other"]] if "other" in e else [])}
                for e in events if e["what"] == "violation"]
    return reported({"violations": as_check})


def differs(result, summary, events, header, txns, level):
    """Why the stream's verdict is wrong, or None."""
    if not summary:
        return "no summary"
    if len({e["id"] for e in events}) != len(events):
        return "something was reported twice"
    if any(e["kind"] in ("LATE", "LONG") for e in events):
        return "something was late"
    if summary["txns"] != len(txns):
        return "%d transactions were counted" % summary["txns"]
    if any(committed(t) and ("commit_ts" not in t or (level == "si" and (
            "start_ts" not in t or stamp(t["start_ts"]) > stamp(t["commit_ts"])))) for t in txns):
        return "unplaced ones are forgotten" if summary["verdict"] == "valid" else None
    if level == "ser" and writers_tied(txns):
        if not any(e["kind"] == "TIE" for e in events):
            return "a tie was not reported"
        if len(txns) > 6:
            return None
        allowed, _ = judge_ser(header, txns, has_lists(txns))
        return None if summary["verdict"] in allowed else "allowed is %s" % allowed
    if summary["verdict"] != result["verdict"]:
        return "check says %s, watch %s" % (result["verdict"], summary["verdict"])
    if result["verdict"] == "violates" and found(events) != reported(result):
        return "check found %s, watch %s" % (reported(result), found(events))
    return None


def make_case(seed, path):
    rng = random.Random(seed)
    header, txns = random_history(rng) if rng.random() < 0.4 else long_history(rng)
    order = arrival(rng, txns)
    far, longest = horizon(order, rng)
    stream = with_repetitions(rng, order, far)
    for name, txns in ((path, order), (path + ".stream", stream)):
        with open(name, "w") as f:
            f.write("\n".join(json.dumps(x) for x in [header] + txns) + "\n")
    return {"path": path, "stream_path": path + ".stream", "seed": seed, "header": header,
            "order": order, "stream": stream, "horizon": far, "longest": longest,
            "by_program": rng.random() < 0.2, "by_pipe": rng.random() < 0.9}


def main():
    alibi = sys.argv[1]
    restart = subprocess.Popen([sys.argv[2]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    total = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    verdicts, again, stored = {}, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for first in range(0, total, BATCH):
            cases = [make_case(seed * 1000003 + i, os.path.join(folder, "h%d.jsonl" % i))
                     for i in range(first, min(total, first + BATCH))]
            for level in ("si", "ser"):
                results = run_batch(alibi, level, [c["path"] for c in cases])
                for result, case in zip(results, cases):
                    for way, (summary, events, error) in watches(alibi, restart, level, case):
                        why = differs(result, summary, events, case["header"], case["order"], level)
                        check("%s, %s, horizon %s, longest %s, seed %d: as check says" % (
                            level, way, case["horizon"], case["longest"], case["seed"]), why is None,
                              lambda: "%s %s\n%s" % (why, error, "\n".join(map(json.dumps, [case["header"]] + case["stream"]))))
                        again += summary["duplicates"] if summary else 0
                        stored += summary.get("stored", 0) if summary else 0
                    why = too_late(restart, level, case, result["verdict"])
                    check("%s, seed %d: what is too late" % (level, case["seed"]), why is None, why)
                    name = level + " " + (summary["verdict"] if summary else "none")
                    verdicts[name] = verdicts.get(name, 0) + 1
            for case in cases:
                os.unlink(case["path"])
                os.unlink(case["stream_path"])
    check("enough keys came from a store, and transactions again", stored >= total / 4 and again >= total, (stored, again))
    restart.stdin.close()
    check("what restarts ends well", restart.wait() == 0)
    for name in ("si valid", "si violates", "si unknown", "ser valid", "ser violates", "ser unknown"):
        check("enough histories are %s for the test to mean anything" % name,
              verdicts.get(name, 0) >= total / 100, verdicts)
    print(", ".join("%s %d" % v for v in sorted(verdicts.items())), "; came again", again,
          "; keys from a store", stored)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
