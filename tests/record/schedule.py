#!/usr/bin/env python3
"""Histories that `alibi synth` finds, played against real databases by `alibi record`.

What a database must allow happens, what it must forbid does not, and the history that is
written down agrees. Needs CaDiCaL; SQLite is tried everywhere, servers where they are.

    schedule.py ALIBI
"""
import json
import os
import subprocess
import sys
import tempfile

import harness
from harness import check, has_driver
from servers import Mariadb, Postgres

alibi = harness.program()


def synth(folder, allow, forbid):
    path = os.path.join(folder, "%s-%s.txt" % (allow, forbid))
    r = subprocess.run([alibi, "synth", "--allow", allow, "--forbid", forbid, "--min", "--apart",
                        "--schedule", path], capture_output=True, text=True)
    assert r.returncode == 0, r.stderr
    return path


def play(server, path, isolation, *words):
    return subprocess.run([alibi, "record", server if isinstance(server, str) else server.url(),
                           "--schedule", path, "--isolation", isolation] + list(words),
                          capture_output=True, text=True)


def expect(what, folder, server, path, isolation, happens, code=""):
    out = os.path.join(folder, "h.jsonl")
    r = play(server, path, isolation, "--out", out)
    print("%s: %s" % (what, " ".join(r.stdout.split())), flush=True)
    said = "it happened" if happens else "it did not happen"
    check(what, r.returncode == (0 if happens else 1) and r.stdout.startswith(said) and
          code in r.stdout, (r.returncode, r.stdout, r.stderr))
    with open(out) as f:
        txns = [t for t in map(json.loads, f) if "ops" in t]
    aborted = [t for t in txns if t.get("status") == "abort"]
    check(what + ": what was written down", bool(aborted) == bool(code), txns)
    return out


def level_of(path):
    out = subprocess.run([alibi, "check", "--level", "all", "--quiet", path],
                         capture_output=True, text=True).stdout
    return out.split("\t")[-1].strip()


def refusals(folder):
    path = os.path.join(folder, "wrong.txt")
    for text, message in (
            ("s1 T1", ":1: expected a session, a transaction and a step"),
            ("\ns1 T1 jump", ":2: expected begin, read, write or commit"),
            ("s1 T1 read x", ":1: expected a key and a value"),
            ("s1 T1 write x null", ":1: expected a positive integer"),
            ("s1 T1 begin now", ":1: expected nothing more"),
            ("s1 T1 begin\ns2 T1 commit", ":2: there are too many transactions, or this one is of "
             "another session"),
            ("s1 T1 begin", "T1 must begin once, first, and commit once, last"),
            ("# nothing", "it has no steps")):
        with open(path, "w") as f:
            f.write(text + "\n")
        r = play("sqlite:" + os.path.join(folder, "db"), path, "serializable")
        check("refused: " + text, r.returncode == 254 and path in r.stderr and message in r.stderr, r)
    r = play("sqlite:" + os.path.join(folder, "db"), path + "-nowhere", "serializable")
    check("no such file", r.returncode == 254 and "nowhere" in r.stderr, r)
    r = play("sqlite:" + os.path.join(folder, "db"), path, "serializable", "--txns", "5")
    check("--txns makes no sense", r.returncode == 254 and "--schedule defines what is done" in r.stderr, r)


def sqlite(folder, skew, lost):
    if not has_driver("sqlite"):
        return harness.skip("the program was built without SQLite")
    url = "sqlite:" + os.path.join(folder, "db")
    refusals(folder)
    expect("SQLite forbids write skew", folder, url, skew, "serializable", False, "517")
    expect("SQLite forbids a lost update", folder, url, lost, "serializable", False, "517")
    path = os.path.join(folder, "serial.txt")
    with open(path, "w") as f:
        f.write("a T1 begin\na T1 write x 1\na T1 commit\na T2 begin\na T2 write x 2\na T2 commit\n"
                "b T3 begin\nb T3 read x 2 # the last\nb T3 commit\n")
    out = expect("one after the other, two of a session", folder, url, path, "serializable", True)
    check("it holds", level_of(out) == "holds up to sser", level_of(out))
    with open(path, "a") as f:
        f.write("b T4 begin\nb T4 read x 1\nb T4 commit\n")
    r = play(url, path, "serializable")
    check("a read that gives something else", r.returncode == 1 and
          "T4 read x = 2, not 1" in r.stdout, r)


def postgres(folder, skew, lost, fractured):
    if not has_driver("postgres") or not Postgres.available():
        return harness.skip("PostgreSQL's client or server is not installed")
    with Postgres() as server:
        out = expect("PostgreSQL's repeatable read allows write skew", folder, server, skew,
                     "repeatable-read", True)
        check("which is si, and not ser", level_of(out) == "holds up to si", level_of(out))
        expect("serializable forbids it", folder, server, skew, "serializable", False, "40001")
        expect("repeatable read forbids a lost update", folder, server, lost, "repeatable-read",
               False, "40001")
        expect("read committed allows it", folder, server, lost, "read-committed", True)
        expect("read committed allows a fractured read", folder, server, fractured,
               "read-committed", True)
        expect("repeatable read forbids it", folder, server, fractured, "repeatable-read", False)


def mariadb(folder, skew, lost, fractured):
    if not has_driver("mariadb") or not Mariadb.available():
        return harness.skip("MariaDB's client or server is not installed")
    with Mariadb() as server:
        server.sql("SET GLOBAL innodb_snapshot_isolation = OFF")
        expect("MariaDB's repeatable read allows a lost update", folder, server, lost,
               "repeatable-read", True)
        expect("and write skew", folder, server, skew, "repeatable-read", True)
        expect("but no fractured read", folder, server, fractured, "repeatable-read", False)
        expect("serializable forbids write skew: both wait, and one is refused", folder, server,
               skew, "serializable", False, "1213")
        server.sql("SET GLOBAL innodb_snapshot_isolation = ON")
        expect("innodb_snapshot_isolation forbids a lost update", folder, server, lost,
               "repeatable-read", False, "1020")


def main():
    if "without CaDiCaL" in subprocess.run([alibi, "synth", "--allow", "si"], capture_output=True,
                                           text=True).stderr:
        harness.skip("the program was built without CaDiCaL")
        return harness.close()
    with tempfile.TemporaryDirectory() as folder:
        skew, lost = synth(folder, "si", "ser"), synth(folder, "pc", "si")
        fractured = synth(folder, "rc", "ra")
        sqlite(folder, skew, lost)
        postgres(folder, skew, lost, fractured)
        mariadb(folder, skew, lost, fractured)
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
