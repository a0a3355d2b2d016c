#!/usr/bin/env python3
"""What is known to fool recorders, done to `alibi record` with real servers.

Each trap is sprung a known number of times, by a proxy of our own or by the server, and
the history must tell just what happened: the right number of each outcome, and no
violation that the database did not commit. Where it can be shown, the test also shows
that a recorder that falls into the trap would have raised a false alarm.

    traps.py ALIBI
"""
import os
import sys
import tempfile
import threading
import time

import harness
from harness import check
from proxy import Cut, MariadbLink, PostgresLink, Proxy
from servers import Mariadb, Postgres, wait_until

alibi = harness.program()
EVERY = 40  # a trap is sprung each so many commits or statements
LOAD = ("--keys", "10", "--sessions", "6", "--txns", "3000", "--answer-timeout", "2s", "--check")


class Counter:
    """Thread-safe: true each EVERY-th time."""

    def __init__(self):
        self.lock, self.seen, self.sprung = threading.Lock(), 0, 0

    def due(self):
        with self.lock:
            self.seen += 1
            self.sprung += self.seen % EVERY == 0
            return self.seen % EVERY == 0


def trap(base, counter, when, spring):
    """A link that springs the trap at the messages that `when` is true of."""
    class Sprung(base):
        armed = None

        def from_client(self, message):
            if getattr(self, when)(message) and counter.due():
                return spring(self, message)
            return True

        def from_server(self, message):
            if self.armed and self.ends_answer(message):
                raise Cut()
            return True
    return Sprung


def cut_now(link, message):
    raise Cut()


def cut_after_answer(link, message):
    link.armed = True  # the server gets the request; its answer is lost
    return True


def stay_silent(link, message):
    return False


def retired(txns):
    """No session goes on after an unknown outcome."""
    over = set()
    for t in txns:
        if t["session"] in over:
            return False
        if t.get("status") == "unknown":
            over.add(t["session"])
    return bool(over)


def through(server, base, when, spring, name, folder, *words):
    counter = Counter()
    with Proxy(server.port, trap(base, counter, when, spring)) as proxy:
        r = harness.record(alibi, server.url(proxy.port), os.path.join(folder, name + ".jsonl"),
                           *LOAD, *words)
    check(name + ": every transaction is accounted for", r.accounts_for_all() and counter.sprung, r)
    return r, counter.sprung


def lost_connections(server, base, folder, label):
    path = os.path.join(folder, "lost.jsonl")
    for name, spring, status in (("COMMIT never arrives", cut_now, "commit"),
                                 ("its answer never arrives", cut_after_answer, "abort"),
                                 ("no answer in time", stay_silent, "commit")):
        more = ("--txns", "300", "--answer-timeout", "0.5s", "--min-commits", "0") if spring is stay_silent else ()
        r, sprung = through(server, base, "is_commit", spring, "lost", folder, *more)
        name = "%s, %s" % (label, name)
        check(name + ": unknown", r.unknown == sprung and r.code == 0, r)
        check(name + ": the session's number is retired", retired(r.txns()), r)
        if spring is stay_silent:
            continue
        copy = harness.rewrite(path, lambda t: dict(t, status=status) if t.get("status") == "unknown" else t)
        check(name + ": to say %s would be a false alarm" % status,
              harness.verdict(alibi, "ser", copy) == "violates")
    r, sprung = through(server, base, "is_statement", cut_now, "midway", folder)
    check(label + ", lost before COMMIT: aborted", r.unknown == 0 and r.aborted >= sprung
          and sprung - 6 <= r.reconnects <= sprung and r.code == 0, r)


def fates(server, folder):
    """PostgreSQL's log knows what became of a COMMIT the answer of which is lost. It may have been
    refused, if it arrived at all."""
    for spring, fate, wrong in ((cut_now, "abort", "commit"), (cut_after_answer, "commit", "abort")):
        counter = Counter()
        with Proxy(server.port, trap(PostgresLink, counter, "is_commit", spring)) as proxy:
            url = server.url().replace("/postgres?", ",127.0.0.1:%d/postgres?" % proxy.port)
            r = harness.record(alibi, url, os.path.join(folder, "fates.jsonl"), *LOAD, "--server-order")
        name, txns = "a lost COMMIT, mostly with the fate " + fate, r.txns()
        learnt = [t for t in txns if "log" in t.get("info", {})]
        check(name + ": every transaction is accounted for", r.accounts_for_all(), r)
        logged = [t["info"]["log"] for t in learnt]
        check(name + ": it is learnt from the log", learnt and r.learnt == len(learnt)
              and logged == [t.get("status", "commit") for t in learnt]
              and (fate == "commit" or "commit" not in logged) and logged.count(fate) > len(logged) / 2, r)
        check(name + ": only what has not written stays unknown", r.unknown + r.learnt == counter.sprung
              and all(o[0] == "r" for t in txns if t.get("status") == "unknown" for o in t["ops"]), r)
        check(name + ": it has timestamps if it committed", all(
            ("start_ts" in t and "commit_ts" in t) == ("status" not in t) for t in learnt), r)
        check(name + ": the promise is kept", r.code == 0, r)
        copy = harness.rewrite(r.out, lambda t, w=wrong: dict(t, status=w) if "log" in t.get("info", {}) else t)
        check(name + ": to say %s would be a false alarm" % wrong,
              harness.verdict(alibi, "ser", copy) == "violates")
    left = server.sql("SELECT count(*) FROM pg_replication_slots").stdout.strip()
    check("no slot is left behind", left == "0", left)


def ended_transactions(server, base, folder, label):
    """The server rolls back on its own, and the rest would run statement by statement."""
    def roll_back(link, message):
        link.ask(link.request("ROLLBACK"))
        return True
    r, sprung = through(server, base, "is_statement", roll_back, "ended", folder, "--sessions", "1")
    check(label + ", ended by the server: unknown", r.unknown == sprung and retired(r.txns()), r)


# ---- PostgreSQL ----

def commit_that_rolls_back(server, folder):
    def fail_first(link, message):
        link.ask(link.request("SELECT 1 / 0"))
        return True
    r, sprung = through(server, PostgresLink, "is_commit", fail_first, "tag", folder)
    check("COMMIT with the tag ROLLBACK: aborted", r.codes.get("ROLLBACK") == sprung
          and r.unknown == 0 and r.code == 0, r)
    copy = harness.rewrite(r.out, lambda t: dict(t, status="commit")
                           if t.get("info", {}).get("code") == "ROLLBACK" else t)
    check("to say commit would be a false alarm", harness.verdict(alibi, "ser", copy) == "violates")


def statement_timeouts(server, folder):
    server.sql("DROP TABLE IF EXISTS alibi_register")  # an earlier recording's
    r = harness.Recording(alibi, server.url(settings="&options=-c%20statement_timeout%3D500ms"),
                          os.path.join(folder, "timeout.jsonl"), "--duration", "6s", "--check")
    wait_until("the first commits", 20, lambda: server.sql(
        "SELECT count(*) FROM alibi_register WHERE v > 0").stdout.strip() not in ("", "0"))
    server.sql("BEGIN; LOCK TABLE alibi_register; SELECT pg_sleep(2); ROLLBACK")
    r.wait()
    check("statement timeouts: aborted", r.codes.get("57014", 0) > 0 and r.unknown == 0
          and r.code == 0 and r.accounts_for_all(), r)


def late_replica(server, folder):
    """Clients on a replica wait until it shows the initial rows."""
    with server.standby(recovery_min_apply_delay="1500ms") as replica:
        url = server.url().replace("/postgres?", ",127.0.0.1:%d/postgres?" % replica.port)
        started = time.time()
        r = harness.record(alibi, url, os.path.join(folder, "replica.jsonl"), "--isolation",
                           "repeatable-read", "--sessions", "4", "--duration", "4s", "--check")
        check("it waited", time.time() - started > 5, r)
        reads = [o for t in r.txns() for o in t["ops"] if t["session"] % 2 == 0 and o[0] == "r"]
        check("a late replica: no read of what is not there yet",
              reads and not any(o[2] is None for o in reads) and r.verdicts.get("si") == "valid", r)
        check("a replica takes no writes", r.codes.get("25006", 0) > 0, r)


def password(server, folder):
    """Asked for by the server, and nowhere to be seen."""
    server.sql("CREATE ROLE guest LOGIN SUPERUSER PASSWORD 'hunter2'")
    path = os.path.join(server.data, "pg_hba.conf")
    rules = open(path).read()
    open(path, "w").write("host all guest 127.0.0.1/32 scram-sha-256\n" + rules)
    server.sql("SELECT pg_reload_conf()")
    url = server.url().replace("postgres@", "guest:%s@")
    r = harness.Recording(alibi, url % "hunter2", os.path.join(folder, "p.jsonl"), "--duration", "2s")
    time.sleep(1)
    line = open("/proc/%d/cmdline" % r.process.pid).read()
    activity = server.sql("SELECT query, application_name FROM pg_stat_activity").stdout
    r.wait()
    seen = line + activity + r.stderr + r.stdout + open(r.out).read()
    check("a password is used and not shown", r.committed > 0 and "hunter2" not in seen, r)
    r = harness.record(alibi, url % "wrong-one", os.path.join(folder, "q.jsonl"))
    check("a wrong one is refused and not shown", r.code == 255 and "no connection" in r.stderr
          and "wrong-one" not in r.stderr, r)
    open(path, "w").write(rules)


def postgres(folder):
    if "built without" in harness.record(alibi, "postgres://127.0.0.1:1/", "-").stderr or \
            not Postgres.available():
        harness.skip("PostgreSQL's client or server is not installed: its traps are not tried")
        return
    with Postgres() as server:
        lost_connections(server, PostgresLink, folder, "PostgreSQL")
        ended_transactions(server, PostgresLink, folder, "PostgreSQL")
        for part in (fates, commit_that_rolls_back, statement_timeouts, password, late_replica):
            part(server, folder)


# ---- MariaDB ----

class Listener(MariadbLink):
    """Counts errors, those that come after the first part of an answer, and what the
    client sends after one."""
    after_error = late = False

    def from_client(self, message):
        if self.after_error and self.sql(message) != b"ROLLBACK":
            self.proxy.wrong.append(self.sql(message))
        self.after_error = self.late = False
        return True

    def from_server(self, message):
        if self.error(message):
            with self.proxy.lock:
                code = self.error(message)
                self.proxy.errors[code] = self.proxy.errors.get(code, 0) + 1
                self.proxy.late += self.late
            self.after_error = True
        self.late = True  # what comes now comes after a part of the answer
        return True


def errors_of_mariadb(server, folder, isolation, workload, code, level, *words):
    with Proxy(server.port, Listener) as proxy:
        proxy.errors, proxy.late, proxy.wrong = {}, 0, []
        r = harness.record(alibi, server.url(proxy.port), os.path.join(folder, "my.jsonl"),
                           "--isolation", isolation, "--workload", workload, "--level", level,
                           *LOAD, *words)
    name = "MariaDB, error %d" % code
    check(name + ": aborted", r.codes.get(str(code)) == proxy.errors.get(code) and proxy.errors.get(code)
          and r.aborted == sum(proxy.errors.values()) and r.code == 0, (r, proxy.errors))
    check(name + ": nothing follows but ROLLBACK", not proxy.wrong, proxy.wrong[:5])
    return r, proxy


def lock_waits(server, folder):
    server.sql("DROP TABLE IF EXISTS alibi.alibi_register")  # an earlier recording's
    r = harness.Recording(alibi, server.url(), os.path.join(folder, "wait.jsonl"), "--duration", "8s",
                          "--keys", "5", "--check")
    wait_until("the first commits", 20, lambda: server.sql(
        "SELECT 1 FROM alibi.alibi_register WHERE v > 0 LIMIT 1").stdout.strip() == "1")
    locked = "BEGIN; SELECT * FROM alibi.alibi_register WHERE k = 1 FOR UPDATE; SELECT SLEEP(2); ROLLBACK"
    wait_until("a lock that is not given up for a deadlock", 8, lambda: server.sql(locked).returncode == 0)
    r.wait()
    check("MariaDB, lock waits end: aborted", r.codes.get("1205", 0) > 0 and r.code == 0
          and r.accounts_for_all(), r)


def mariadb(folder):
    if "built without" in harness.record(alibi, "mariadb://127.0.0.1:1/", "-").stderr or \
            not Mariadb.available():
        harness.skip("MariaDB's client or server is not installed: its traps are not tried")
        return
    with Mariadb("--innodb-lock-wait-timeout=1") as server:
        lost_connections(server, MariadbLink, folder, "MariaDB")
        ended_transactions(server, MariadbLink, folder, "MariaDB")
        _, proxy = errors_of_mariadb(server, folder, "serializable", "bank", 1213, "ser")
        check("MariaDB, errors after a part of the answer", proxy.late > 0, proxy.errors)
        lock_waits(server, folder)
        server.sql("SET GLOBAL innodb_snapshot_isolation = ON")
        errors_of_mariadb(server, folder, "repeatable-read", "rmw", 1020, "si")


def main():
    for part in (postgres, mariadb):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
