#!/usr/bin/env python3
"""PostgreSQL's own order, from snapshots: the replay of it agrees with the search.

    order.py ALIBI
"""
import json
import os
import subprocess
import sys
import tempfile

import harness
from servers import Postgres

tally = harness.Tally()
check = tally.check
alibi = harness.program()


def judged(level, path, *words):
    out = subprocess.run([alibi, "check", "--json", "--timeout", "120s", "--level", level, path] +
                         list(words), capture_output=True, text=True).stdout
    return json.loads(out)


def cpu_seconds(*words):
    """Of the program, whoever else uses the machine."""
    child = subprocess.Popen([alibi] + list(words), stdout=subprocess.DEVNULL)
    used = os.wait4(child.pid, 0)[2]
    return used.ru_utime + used.ru_stime


def stale_read(path):
    """A copy in which one read of a key finds what stood there before."""
    changed, last = [], {}
    with open(path) as f:
        for line in f:
            t = json.loads(line)
            for o in t.get("ops", []) if t.get("status", "commit") == "commit" else []:
                if o[0] == "r" and not changed and last.get(o[1], o[2]) != o[2] and o[2]:
                    changed.append((t["id"], o[1]))
                    o[2] = last[o[1]]
                elif o[0] == "r":
                    last[o[1]] = o[2]
            yield json.dumps(t) + "\n"


def orders(server, folder):
    for isolation, txns in (("repeatable-read", "100000"), ("serializable", "30000")):
        path = os.path.join(folder, isolation + ".jsonl")
        r = harness.record(alibi, server.url(), path, "--isolation", isolation, "--txns", txns,
                           "--keys", "2000", "--server-order", "--check")
        print(r)
        check("nothing is left behind", os.listdir(folder).count(isolation + ".jsonl.part") == 0)
        stamped = [t for t in r.txns() if "commit_ts" in t]
        check("all that committed has timestamps", r.accounts_for_all()
              and len(stamped) == r.committed and all("start_ts" in t for t in stamped), r)
        by_order = judged("si", path, "--order", "timestamps")
        check(isolation + ": the replay agrees with the search",
              by_order["verdict"] == r.verdicts["si"] == "valid", (by_order, r))
        inversions = sum(a["info"]["xid"] > b["info"]["xid"] for a, b in in_pairs(stamped))
        loading = cpu_seconds("stats", path)
        both = cpu_seconds("check", "--level", "si", "--order", "timestamps", path)
        print("%s: %.2f s of CPU to load, %.2f s to load and replay; %d neighbours whose ids are not in "
              "the order of their commits" % (isolation, loading, both, inversions))
        check("ids are not commit order", inversions > 0)
        check("the replay takes less time than loading", both < 2 * loading, (loading, both))
        changed = os.path.join(folder, "stale.jsonl")
        with open(changed, "w") as f:
            f.writelines(stale_read(path))
        check("a stale read is found", judged("si", changed, "--order", "timestamps")["verdict"] == "violates")


def in_pairs(txns):
    """Writers, each with the one that committed next."""
    writers = sorted((t for t in txns if "xid" in t["info"]), key=lambda t: t["commit_ts"])
    return zip(writers, writers[1:])


def refusals(server, folder):
    out = os.path.join(folder, "x.jsonl")
    for url, words, message in (
            (server.url(), ("--isolation", "read-committed"), "a snapshot of its own"),
            ("sqlite:" + folder + "/x.db", (), "SQLite tells no order")):
        r = harness.record(alibi, url, out, "--server-order", *words)
        check("refused: " + message, r.code == 254 and message in r.stderr, r)


def main():
    if "built without" in harness.record(alibi, "postgres://127.0.0.1:1/", "-").stderr or \
            not Postgres.available():
        tally.skip("PostgreSQL's client or server is not installed")
        return tally.end()
    with tempfile.TemporaryDirectory() as folder, Postgres() as server:
        refusals(server, folder)
        orders(server, folder)
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
