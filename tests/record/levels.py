#!/usr/bin/env python3
"""What isolation real databases give, by `alibi record … --check` and nothing else.

    levels.py ALIBI
"""
import json
import os
import subprocess
import sys
import tempfile

import harness
from harness import check, has_driver
from servers import Galera, Mariadb, Postgres

alibi = harness.program()


def run(server, folder, *words, url=None):
    r = harness.record(alibi, url or server.url(), os.path.join(folder, "h.jsonl"), "--check",
                       "--timeout", "120s", *words)
    print("%s: %d committed, %d aborted in %.0f s: %s" % (
        " ".join(words), r.committed, r.aborted, r.seconds,
        " ".join("%s %s" % v for v in r.verdicts.items())), flush=True)
    check("every transaction is accounted for", r.accounts_for_all() and r.committed, r)
    return r


def anomalies(r, level):
    """What the violations of the recorded history are called."""
    out = subprocess.run([alibi, "explain", "--json", "--timeout", "120s", "--level", level, r.out],
                         capture_output=True, text=True).stdout
    names = {a["name"] for a in json.loads(out)["anomalies"]}
    print("  violations of %s: %s" % (level, ", ".join(sorted(names))), flush=True)
    return names


def postgres(folder):
    if not has_driver("postgres") or not Postgres.available():
        return harness.skip("PostgreSQL's client or server is not installed")
    with Postgres() as server:
        r = run(server, folder, "--isolation", "read-committed", "--duration", "5s", "--keys", "30")
        check("read committed holds rc and violates si and ser", r.code == 0
              and r.verdicts["rc"] == "valid" and r.verdicts["si"] == r.verdicts["ser"] == "violates", r)
        r = run(server, folder, "--isolation", "repeatable-read", "--duration", "10s")
        check("repeatable read holds si and violates ser",
              (r.code, r.verdicts["si"], r.verdicts["ser"]) == (0, "valid", "violates"), r)
        check("by write skew", "write-skew" in anomalies(r, "ser"), r)
        r = run(server, folder, "--isolation", "serializable", "--txns", "60000", "--keys", "2000")
        check("serializable holds ser in 50,000 transactions",
              r.committed >= 50000 and r.code == 0 and r.verdicts["ser"] == "valid", r)
        for workload in ("append", "predicate", "tpcc", "rubis", "twitter"):
            r = run(server, folder, "--workload", workload, "--txns", "5000")
            check(workload + " holds ser", r.code == 0 and r.verdicts["ser"] == "valid", r)
        r = run(server, folder, "--workload", "predicate", "--isolation", "repeatable-read", "--txns", "5000")
        check("repeatable read holds si and violates ser, with ranges, too",
              (r.code, r.verdicts["si"], r.verdicts["ser"]) == (0, "valid", "violates"), r)


def same_value(txns):
    """A transaction that writes the value a key has already, and then reads another."""
    for t in txns:
        own = {}
        for o in t["ops"] if t.get("status", "commit") == "commit" else []:
            if o[0] == "r" and o[1] in own and own[o[1]] != o[2]:
                return t
            if o[0] == "w":
                own[o[1]] = o[2]
    return None


def fractured(txns):
    """A transaction that sees one of the two appends of another, and not the other one."""
    appended, by = {}, {}
    for t in txns:
        for o in t["ops"] if t.get("status", "commit") == "commit" else []:
            if o[0] == "append":
                appended.setdefault(t["id"], []).append(o[1:])
                by[o[2]] = t["id"]
    for t in txns:
        lists = {o[1]: o[2] for o in t["ops"] if o[0] == "r" and t.get("status", "commit") == "commit"}
        seen = {by[e] for elements in lists.values() for e in elements} - {t["id"]}
        if any(k in lists and e not in lists[k] for other in seen for k, e in appended[other]):
            return t
    return None


def mariadb(folder):
    if not has_driver("mariadb") or not Mariadb.available():
        return harness.skip("MariaDB's client or server is not installed")
    weak = ("--isolation", "repeatable-read")
    with Mariadb() as server:
        r = run(server, folder, *weak, "--workload", "rmw", "--duration", "5s", "--level", "si")
        check("snapshots off: lost updates", r.code == 1 and r.verdicts["si"] == "violates"
              and "lost-update" in anomalies(r, "si"), r)
        r = run(server, folder, *weak, "--workload", "append", "--keys", "20", "--duration", "5s",
                "--level", "si")
        check("snapshots off: read skew", r.code == 1 and r.verdicts["ra"] == "violates"
              and fractured(r.txns()), r)
        r = run(server, folder, *weak, "--keys", "3", "--values", "2", "--ops", "8", "--duration",
                "5s", "--level", "si")
        check("snapshots off: a transaction does not read what it wrote (MDEV-26642)",
              r.code == 1 and same_value(r.txns()), r)
        r = run(server, folder, "--isolation", "serializable", "--duration", "10s")
        check("serializable holds ser", r.code == 0 and r.verdicts["ser"] == "valid", r)
        r = run(server, folder, "--isolation", "serializable", "--workload", "predicate", "--txns", "1500")
        check("serializable holds ser, with ranges, too", r.code == 0 and r.verdicts["ser"] == "valid", r)
        server.sql("SET GLOBAL innodb_snapshot_isolation = ON")
        r = run(server, folder, *weak, "--workload", "rmw", "--duration", "10s")
        check("snapshots on: no lost update", r.code == 0 and r.verdicts["si"] == "valid", r)


def sqlite(folder):
    if not has_driver("sqlite"):
        return harness.skip("the program was built without SQLite")
    r = run(None, folder, "--txns", "50000", url="sqlite:" + os.path.join(folder, "wal.db"))
    check("WAL mode holds ser", r.code == 0 and r.verdicts["ser"] == "valid", r)


def galera(folder):
    if not has_driver("mariadb") or not Galera.available():
        return harness.skip("Galera is not installed")
    with Galera(3) as cluster:
        r = run(cluster, folder, "--isolation", "serializable", "--duration", "10s", "--keys", "20")
        check("serializable on three nodes is not serializable, by write skew",
              r.verdicts["ser"] == "violates" and "write-skew" in anomalies(r, "ser"), r)


def main():
    for part in (sqlite, postgres, mariadb, galera):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
