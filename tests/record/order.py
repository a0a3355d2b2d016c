#!/usr/bin/env python3
"""The order that PostgreSQL and MariaDB tell of: checking by it agrees with the search.

    order.py ALIBI
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import harness
from harness import check
from servers import Mariadb, Postgres, wait_until

alibi = harness.program()


def judged(level, path, *words):
    out = subprocess.run([alibi, "check", "--json", "--timeout", "120s", "--level", level, path] +
                         list(words), capture_output=True, text=True).stdout
    return json.loads(out)


def cpu_seconds(*words):
    """Of the program alone, whatever else the machine runs."""
    child = subprocess.Popen([alibi] + list(words), stdout=subprocess.DEVNULL)
    used = os.wait4(child.pid, 0)[2]
    return used.ru_utime + used.ru_stime


def least_seconds(ways):
    """Of each way. Others may be at work, and slow any of them down: a bound that does not hold yet is
    measured again, up to 25 times in all."""
    least = [float("inf")] * len(ways)
    for i in range(25):
        if i >= 3 and least[1] < 2 * least[0]:
            break
        least = [min(seen, cpu_seconds(*words)) for seen, words in zip(least, ways)]
    return least


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


def without_timestamps(path):
    """A copy for the search."""
    with open(path) as f, open(path + ".plain", "w") as to:
        to.writelines(re.sub(r'"(start|commit)_ts":\d+,', "", line) for line in f)
    return path + ".plain"


def by_replay(name, path, *levels):
    """Checking by the database's order agrees with the search, and is faster than loading."""
    plain = without_timestamps(path)
    for level in levels:
        found, searched = judged(level, path), judged(level, plain)
        check("%s at %s: it agrees with the search" % (name, level),
              found["verdict"] == searched["verdict"] == "valid" and found.get("basis", "").startswith(
                  "an order made of the database's own timestamps"), (found, searched))
        loading, by_order, by_search = least_seconds([
            ("stats", path), ("check", "--level", level, path), ("check", "--level", level, plain)])
        print("%s at %s: %.2f s of CPU to load, %.2f s more to check by order, %.2f s more by search" % (
            name, level, loading, by_order - loading, by_search - loading))
        check("%s at %s: checking takes less time than loading" % (name, level), by_order < 2 * loading,
              (loading, by_order))


def orders(server, folder):
    for isolation, levels in (("repeatable-read", ["si"]), ("serializable", ["ser", "sser"])):
        path = os.path.join(folder, isolation + ".jsonl")
        r = harness.record(alibi, server.url(), path, "--isolation", isolation, "--txns", "100000",
                           "--keys", "2000", "--server-order", "--check")
        print(r)
        check("nothing is left behind", os.listdir(folder).count(isolation + ".jsonl.part") == 0)
        stamped = [t for t in r.txns() if "commit_ts" in t]
        check("all that committed has timestamps", r.accounts_for_all()
              and len(stamped) == r.committed and all("start_ts" in t for t in stamped), r)
        by_replay(isolation, path, *levels)
        check(isolation + ": the commits themselves are an order at si",
              judged("si", path, "--order", "timestamps")["verdict"] == "valid")
        inversions = sum(a["info"]["xid"] > b["info"]["xid"] for a, b in in_pairs(stamped))
        print("%s: %d neighbours whose ids are not in the order of their commits" % (isolation, inversions))
        check("ids are not commit order", inversions > 0)
        if isolation == "serializable":
            check("commits are not the serial order", judged(
                "ser", path, "--order", "timestamps", "--timestamps", "serial")["verdict"] == "violates")
            check("so that they decide nothing", judged("ser", path, "--order", "timestamps")["verdict"] == "unknown")
            watched = subprocess.run([alibi, "watch", "--json", "--level", "ser", "--horizon", "1000", path],
                                     capture_output=True, text=True)
            check("and a watch by them raises no alarm", watched.returncode == 2 and "violation\"" not in watched.stdout
                  and "--timestamps serial" in watched.stderr, watched.stderr)
        changed = os.path.join(folder, "stale.jsonl")
        with open(changed, "w") as f:
            f.writelines(stale_read(path))
        check("a stale read is found", judged("si", changed, "--order", "timestamps")["verdict"] == "violates")


def without_log(folder):
    """A server whose log cannot be decoded: snapshots are enough."""
    with Postgres(wal_level="replica") as server:
        path = os.path.join(folder, "replica.jsonl")
        r = harness.record(alibi, server.url(), path, "--txns", "3000", "--server-order", "--check")
        check("it is said that there is no log", "will not be looked up in its log" in r.stderr
              and r.code == 0, r)
        by_replay("without a log", path, "ser")


def binlog(folder):
    if "built without" in harness.record(alibi, "mariadb://127.0.0.1:1/", "-").stderr or \
            not Mariadb.available():
        return harness.skip("MariaDB's client or server is not installed")
    path = os.path.join(folder, "binlog.jsonl")
    with Mariadb("--log-bin=binlog", "--binlog-format=ROW") as server:
        r = harness.record(alibi, server.url(), path, "--txns", "8000", "--keys", "1000",
                           "--server-order", "--check")
        print(r)
        writers = [t for t in r.txns() if t.get("status", "commit") == "commit"
                   and any(o[0] == "w" for o in t["ops"])]
        check("all that wrote has a place in the binlog", r.code == 0 and all(
            t["info"]["gtid"].endswith("-%d" % t["commit_ts"]) for t in writers), r)
        check("no two have the same", len({t["commit_ts"] for t in writers}) == len(writers))
        by_replay("MariaDB, serializable", path, "ser")
        shown = {int(g) for g in re.findall(r"GTID 0-1-(\d+)", server.sql("SHOW BINLOG EVENTS").stdout)}
        check("the binlog has them", {t["commit_ts"] for t in writers} <= shown, r)
    with Mariadb() as server:
        r = harness.record(alibi, server.url(), path, "--txns", "500", "--server-order", "--check")
        check("without a binlog there is no order", "gave no order" in r.stderr and r.code == 0, r)


def in_pairs(txns):
    """Writers, each with the one that committed next."""
    writers = sorted((t for t in txns if "xid" in t["info"]), key=lambda t: t["commit_ts"])
    return zip(writers, writers[1:])


def refusals(server, folder):
    out = os.path.join(folder, "x.jsonl")
    for url, words, message in (
            (server.url(), ("--isolation", "read-committed"), "a snapshot of its own"),
            ("sqlite:" + folder + "/x.db", (), "SQLite exposes no order")):
        r = harness.record(alibi, url, out, "--server-order", *words)
        check("refused: " + message, r.code == 254 and message in r.stderr, r)


def unwritable(server, folder):
    """What cannot be written in the end is refused at the beginning, or what was recorded is kept."""
    packed, directory, full = (os.path.join(folder, name) for name in ("h.jsonl.gz", "directory", "full.jsonl"))
    os.mkdir(directory)
    os.symlink("/dev/full", full)
    for out, message in ((packed, "only .zst files can be compressed"), (directory, "Is a directory")):
        r = harness.record(alibi, server.url(), out, "--server-order", "--txns", "300")
        check("refused before anything is recorded: " + message, r.code == 255 and message in r.stderr
              and server.sql("SELECT to_regclass('alibi_register')").stdout == "\n", r)
    r = harness.record(alibi, server.url(), full, "--server-order", "--txns", "300")
    part = full + ".part"
    recorded = sum('"ops"' in line for line in open(part)) if os.path.exists(part) else 0
    check("a full disk leaves what was recorded", r.code == 255 and recorded == 300
          and "what was recorded is in " + part in r.stderr, (recorded, r))


def slots(server):
    return server.sql("SELECT slot_name FROM pg_replication_slots ORDER BY 1").stdout.split()


def nothing_is_left(server, folder):
    """No slot is left, however a recording ended; --cleanup removes that of one that was killed."""
    check("no slot is left after recordings that failed", slots(server) == [], slots(server))
    out = os.path.join(folder, "killed.jsonl")
    server.sql("SELECT pg_create_logical_replication_slot('of_the_user', 'test_decoding')")
    recording = subprocess.Popen([alibi, "record", server.url(), "--out", out, "--server-order", "--duration", "60s"],
                                 stderr=subprocess.DEVNULL)
    wait_until("it records", 30, lambda: os.path.exists(out + ".part") and os.path.getsize(out + ".part") > 1000)
    recording.kill()
    recording.wait()
    check("a recording that was killed leaves its slot", len(slots(server)) == 2, slots(server))
    r = subprocess.run([alibi, "record", server.url(), "--cleanup"], capture_output=True, text=True)
    check("--cleanup removes its own slot and tables", r.returncode == 0 and slots(server) == ["of_the_user"] and
          re.match(r"dropped the replication slot alibi_\d+\ndropped the table alibi_register\n", r.stdout) and
          server.sql("SELECT to_regclass('alibi_register')").stdout == "\n", (r, slots(server)))
    server.sql("SELECT pg_drop_replication_slot('of_the_user')")


def main():
    if "built without" in harness.record(alibi, "postgres://127.0.0.1:1/", "-").stderr or \
            not Postgres.available():
        harness.skip("PostgreSQL's client or server is not installed")
        return harness.close()
    with tempfile.TemporaryDirectory() as folder, Postgres() as server:
        refusals(server, folder)
        unwritable(server, folder)
        nothing_is_left(server, folder)
        orders(server, folder)
        without_log(folder)
        binlog(folder)
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
