#!/usr/bin/env python3
"""`alibi record` as a user meets it, with a database that needs no server.

    program.py ALIBI
"""
import json
import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import harness
from harness import check
from servers import wait_until

alibi = harness.program()


def run(*words):
    r = subprocess.run([alibi, "record"] + list(words), capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def mistakes(folder):
    db = "sqlite:" + os.path.join(folder, "m.db")
    for words, message, code in [
            ((), "which database?", 254),
            ((db, db), "which database?", 254),
            (("oracle://x/y",), "no database is known by 'oracle'", 254),
            (("nonsense",), "alibi record: nonsense: it should be postgres://", 254),
            ((db + "?x",), "name=value", 254),
            ((db + "?x=y",), "SQLite takes no setting 'x' behind the ?", 254),
            (("sqlite:",), "name the file", 255),
            (("sqlite::memory:",), "each client would have its own database", 255),
            (("sqlite://%s/m.db" % folder,), "the URL is sqlite:FILE", 255),
            ((db, "--isolation", "repeatable-read"), "always --isolation serializable", 255),
            ((db, "--isolation", "serialisable"), "did you mean serializable?", 254),
            ((db, "--check"), "--out FILE: the history is read from there", 254),
            ((db, "--check", "--out", "x", "--unrecorded"), "leaves nothing to check", 254),
            ((db, "--sessions", "0"), "--sessions expects a number from 1 to 4096", 254),
            ((db, "--timeout", "5s"), "are limits of --check", 254),
            ((db, "--txns", "0"), "--txns expects a number from 1 on", 254),
            ((db, "--workload", "bank", "--values", "2"), "--values is for rw, rmw, blindw and append", 254),
            ((db, "--answer-timeout", "600h", "--txns", "8"), "--answer-timeout expects at most 24h", 254),
            ((db, "--out", folder + "/h.gz"), "only .zst files can be compressed", 255),
            ((db, "--out", folder + "/no/h.jsonl"), "No such file or directory", 255),
            (("sqlite:" + folder + "/no/m.db",), "unable to open database file", 255)]:
        got, out, err = run(*words)
        check("a mistake: %s" % (words,), got == code and message in err, (got, out, err))


def refusal_without_driver(folder):
    """Ports without a server: a message, and no file is left behind."""
    path = os.path.join(folder, "none.jsonl")
    for url in ("postgres://u:secret@127.0.0.1:1/d", "mariadb://u:secret@127.0.0.1:1/d"):
        code, out, err = run(url, "--out", path)
        check("no answer: " + url, (code in (254, 255)) and ("no connection" in err or "built without" in err)
              and "secret" not in err and not os.path.exists(path), (code, out, err))
        check("the message ends once: " + url, err.endswith("\n") and not err.endswith("\n\n"), err)
        code, out, err = run(url + "?ssl=on")
        check("an unknown setting: " + url, code in (254, 255) and ("built without" in err or '"ssl"' in err
              or "MariaDB takes no setting 'ssl' behind the ?; it takes socket" in err), (code, out, err))


def written_by(op):
    """What an operation of predicate puts into the column m."""
    if op[0] == "w":
        return [op[2]["m"]]
    return [row["m"] for _, row in op[3] if row] if op[0] == "u" else []


def outcomes(folder):
    out = os.path.join(folder, "h.jsonl")
    db = "sqlite:" + os.path.join(folder, "o.db")
    for workload in ("rw", "rmw", "blindw", "append", "bank", "predicate", "phantom", "tpcc", "rubis",
                     "twitter"):
        r = harness.record(alibi, db, out, "--workload", workload, "--txns", "800", "--keys", "20",
                           "--check")
        check(workload + " is serializable", r.code == 0 and r.verdicts.get("ser") == "valid", r)
        check(workload + " is complete", r.recorded == 800 and r.accounts_for_all(), r)
        times = [(t["begin"], t["end"]) for t in r.txns()]
        check(workload + " commits", r.committed > 50, r)
        check(workload + " has times", all(0 <= b < e for b, e in times))
    r = harness.record(alibi, db, out, "--txns", "2000", "--answer-timeout", "1ms")
    check("codes of the database are explained", re.search(r" of code \d+ \([a-z ]*locked", r.stderr), r)
    r = harness.record(alibi, db, out, "--txns", "400", "--aborts", "0.3")
    check("clients roll back", 60 < r.aborted < 240 and r.accounts_for_all(), r)
    r = harness.record(alibi, db, out, "--txns", "400", "--values", "2", "--keys", "3", "--check",
                       "--timeout", "60s")
    values = {o[2] for t in r.txns() for o in t["ops"] if o[0] == "w"}
    check("values repeat", values == {0, 1} and r.code == 0, r)
    r = harness.record(alibi, db, out, "--txns", "3", "--sessions", "8", "--duration", "20s")
    check("fewer transactions than clients", r.code == 0 and r.recorded == 3 and r.seconds < 15, r)
    r = harness.record(alibi, db, out, "--workload", "predicate", "--keys", "2000", "--reads", "1", "--txns", "100")
    rows = max(len(o[2]) for t in r.txns() for o in t["ops"])
    check("answers may have many rows", rows > 1024 and r.committed == 100, (rows, r))
    r = harness.record(alibi, db, out, "--workload", "predicate", "--ops", "1000", "--reads", "0", "--txns", "4",
                       "--sessions", "1")
    written = [m for t in r.txns() for m in {str(m) for o in t["ops"] for m in written_by(o)}]
    check("no value is written by two transactions", len(written) > 2000
          and len(written) == len(set(written)), (len(written), len(set(written)), r))
    r = harness.record(alibi, db, out, "--txns", "300", "--check", "--level", "si")
    check("a level of one's own", "The claimed level, si, holds." in r.stdout, r)


def requests(t):
    return t["session"], [o[:2] if o[0] == "r" else o for o in t["ops"]]


def seeds(folder):
    """One client: the same seed makes the same history, but for the clock."""
    histories = []
    for seed in ("7", "7", "8"):
        out = os.path.join(folder, "s%d.jsonl" % len(histories))
        r = harness.record(alibi, "sqlite:" + os.path.join(folder, "s.db"), out, "--sessions", "1",
                           "--txns", "200", "--seed", seed)
        histories.append([(t["id"], requests(t)) for t in r.txns()])
    check("the same seed", histories[0] == histories[1] and len(histories[0]) == 200)
    check("another seed", histories[0] != histories[2])
    streams = []
    for i in range(2):  # several clients: what aborts is cut short, but nothing else differs
        out = os.path.join(folder, "t%d.jsonl" % i)
        r = harness.record(alibi, "sqlite:" + os.path.join(folder, "s.db"), out, "--sessions", "4",
                           "--txns", "2000", "--keys", "5")
        streams.append({t["id"]: requests(t)[1] for t in r.txns()})
    check("aborts change no later request", streams[0].keys() == streams[1].keys() and all(
        a[:min(len(a), len(b))] == b[:min(len(a), len(b))] for a, b in
        ((streams[0][k], streams[1][k]) for k in streams[0])))


def files(folder):
    db = "sqlite:" + os.path.join(folder, "f.db")
    out = os.path.join(folder, "h.jsonl.zst")
    r = harness.record(alibi, db, out, "--txns", "500", "--check")
    check("packed", r.code == 0 and r.accounts_for_all() and open(out, "rb").read(4) == b"\x28\xb5\x2f\xfd", r)
    code, history, err = run(db, "--txns", "50")
    lines = [json.loads(line) for line in history.splitlines()]
    check("to standard output", code == 0 and len(lines) == 52 and lines[0]["alibi"] == 1
          and lines[-1]["availability"]["nodes"][0]["attempts"] == 50, err)
    check("the header tells where it is from", "SQLite 3." in lines[0]["source"], lines[0]["source"])
    code, history, err = run(db, "--txns", "50", "--unrecorded")
    check("unrecorded", code == 0 and not history and "recorded 50 transactions" in err, (history, err))
    code, _, err = run(db, "--duration", "5s", "--out", "/dev/full")
    check("a full disk", code == 255 and "the history is not whole" in err, (code, err))


def old_histories(folder):
    """What stood in the file is lost only to a recording."""
    path, out = os.path.join(folder, "v.db"), os.path.join(folder, "old.jsonl")
    old = "an old history\n" * 10000
    with open(out, "w") as f:
        f.write(old)
    db = sqlite3.connect(path)
    db.execute("CREATE VIEW alibi_register AS SELECT 1 AS k, 2 AS v")
    code, _, err = run("sqlite:" + path, "--txns", "50", "--out", out)
    check("tables that cannot be made", code == 255 and "the tables could not be created" in err, (code, err))
    check("leave an old history as it was", open(out).read() == old)
    db.execute("DROP VIEW alibi_register")
    db.close()
    r = harness.record(alibi, "sqlite:" + path, out, "--txns", "50")
    check("a recording takes its place, with nothing of it left", r.code == 0 and r.accounts_for_all()
          and "old" not in open(out).read(), r)


def two_at_once(folder):
    """They write into each other's tables, which is not the database's fault."""
    db, recordings = "sqlite:" + os.path.join(folder, "two.db"), []
    for name in ("the first", "the second"):
        out = os.path.join(folder, name)
        recordings.append(harness.Recording(alibi, db, out, "--duration", "60s", "--check"))
        wait_until("its transactions", 30, lambda o=out: os.path.exists(o) and os.path.getsize(o) > 0)
    for r in recordings:
        r.process.send_signal(signal.SIGINT)
        r.wait()
        check("two recordings at once: %s says nothing of the database" % os.path.basename(r.out), r.code == 255
              and not r.verdicts and "another recording used the tables at the same time" in r.stderr, r)
    r = harness.record(alibi, db, os.path.join(folder, "3.jsonl"), "--txns", "100", "--check")
    check("a third, alone, does", r.code == 0, r)


def ends(folder):
    """An interrupt leaves a whole history; a kill one that can be read."""
    db = "sqlite:" + os.path.join(folder, "e.db")
    for name, numbers in (("i.jsonl", [signal.SIGINT]), ("t.jsonl.zst", [signal.SIGTERM]),
                          ("b.jsonl", [signal.SIGINT, signal.SIGTERM])):  # as of timeout -s INT
        r = harness.Recording(alibi, db, os.path.join(folder, name), "--duration", "60s")
        time.sleep(1)
        for number in numbers:
            r.process.send_signal(number)
        r.wait()
        check("stopped by %s" % numbers, r.code == 0 and r.seconds < 30 and r.accounts_for_all()
              and r.recorded > 100, r)
    out = os.path.join(folder, "k.jsonl.zst")
    r = harness.Recording(alibi, db, out, "--duration", "60s")
    time.sleep(3.2)
    r.process.kill()
    r.wait()
    code = subprocess.run([alibi, "stats", out], capture_output=True).returncode
    check("what was packed before a kill can be read", code == 0 and len(r.txns()) > 1000)


def secrets(folder):
    """The password leaves the command line at once, and a mistake in the URL does not show it."""
    for url in ("postgres://u:hun/ter@127.0.0.1:1/db", "mariadb://u:hun?s=ter@127.0.0.1:1/db",
                "nats://u:hun/ter@127.0.0.1:1/X"):
        words = (url,) if "nats" not in url else ("sqlite:%s/n.db" % folder, "--to", url, "--txns", "10")
        code, out, err = run(*words)
        check("a mistake does not show the password: " + url, code in (254, 255) and "hun" not in out + err
              and ("write / as %2F" in err or "built without" in err), (code, out, err))
    process = subprocess.Popen([alibi, "record", "sqlite:%s/p.db?password=hunter2" % folder,
                                "--duration", "2s", "--out", folder + "/p.jsonl"],
                               stderr=subprocess.PIPE, text=True)
    time.sleep(0.7)
    line = open("/proc/%d/cmdline" % process.pid).read()
    environment = open("/proc/%d/environ" % process.pid).read()
    err = process.communicate()[1]
    check("not in the list of processes", "hunter2" not in line + environment and "xxxx" in line, line)
    check("not in the history", "hunter2" not in open(folder + "/p.jsonl").read() + err)


def kept_histories():
    """What was recorded from real databases still shows what it showed."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "histories")
    table = re.findall(r"^\| `(\S+)` \| (?:`(\w+)`|nothing) \|", open(folder + "/README.md").read(), re.M)
    check("all are listed", sorted(n + ".jsonl" for n, _ in table) + ["README.md"] == sorted(
        os.listdir(folder), key=lambda n: (n == "README.md", n)), table)
    for name, level in table:
        out = subprocess.run([alibi, "check", "--level", "all", "--json", "%s/%s.jsonl" % (folder, name)],
                             capture_output=True, text=True).stdout
        check(name, json.loads(out)["strongest"] == (level or None), out)
    for level in ("pc", "si", "ser"):  # minutes, if clocks are not tried
        out = subprocess.run([alibi, "check", "--timeout", "60s", "--level", level,
                              folder + "/mariadb-10.11-few-values.jsonl"], capture_output=True, text=True).stdout
        check("few values at " + level, "\tvalid\n" in out, out)


def reports(folder):
    """The reports of check, of the recording."""
    db = "sqlite:" + os.path.join(folder, "r.db")
    at = {kind: os.path.join(folder, "r." + kind) for kind in ("out", "junit", "html", "certificate")}
    code, out, err = run(db, "--txns", "100", *[w for kind, path in at.items() for w in ("--" + kind, path)])
    check("reports imply --check", code == 0 and "The claimed level, ser, holds." in out, (code, out, err))
    with open(at["junit"]) as f:
        check("JUnit has a case for each level", f.read().count("<testcase ") == 7)
    with open(at["html"]) as f:
        check("the page names the history", at["out"] in f.read())
    verified = subprocess.run([alibi, "verify", at["out"], at["certificate"]], capture_output=True, text=True)
    check("the certificate is of the claimed level", verified.stdout.endswith("holds at ser\n"), verified)
    code, out, err = run(db, "--txns", "10", "--out", at["out"], "--json")
    check("--json without --check", code == 254 and "about what --check prints" in err, err)
    code, out, err = run(db, "--txns", "10", "--out", at["out"], "--check", "--json")
    check("--json prints one object", code == 0 and json.loads(out)["file"] == at["out"], out)
    missing = "sqlite:" + os.path.join(folder, "no", "r.db")
    code, out, err = run(missing, "--txns", "10", "--out", at["out"] + "2", "--junit", at["junit"])
    with open(at["junit"]) as f:
        suite = f.read()
    check("a recording that fails is an error in JUnit", code == 255 and 'errors="1"' in suite
          and "unable to open database file" in suite, (code, suite, err))
    code, out, err = run(missing, "--txns", "10", "--out", at["out"] + "2", "--check", "--json")
    check("… and in JSON", code == 255 and json.loads(out)["verdict"] == "error", (code, out))
    code, out, err = run(db, "--txns", "1000", "--out", at["out"], "--junit", at["junit"], "--max-memory", "60K")
    with open(at["junit"]) as f:
        check("a history that cannot be checked, too", code != 0 and 'errors="1"' in f.read(), (code, out, err))
    code, out, err = run(db, "--txns", "10", "--out", at["out"], "--html", at["out"])
    check("a report that would overwrite the history", code == 254 and "--html" in err, (code, err))
    code, out, err = run(db, "--txns", "10", "--out", at["out"], "--html", folder + "/no/r.html")
    check("a report that cannot be written, before the recording", code == 254 and "recorded" not in err, (code, err))


def cleanup(folder):
    """The tables of all recordings go, and no others."""
    path = os.path.join(folder, "c.db")
    for workload in ("rw", "tpcc", "append"):
        run("sqlite:" + path, "--txns", "5", "--workload", workload, "--out", os.path.join(folder, "c.jsonl"))
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE alibi_of_the_user (x)")
    code, out, err = run("sqlite:" + path, "--cleanup")
    with sqlite3.connect(path) as db:
        left = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    check("--cleanup leaves what is not its own", code == 0 and left == ["alibi_of_the_user"], (left, out, err))
    check("--cleanup says what it removed", "dropped the table alibi_register\n" in out, out)
    code, out, err = run("sqlite:" + path, "--cleanup")
    check("--cleanup says that nothing is left", (code, out) == (0, "nothing of a recording was left\n"), (code, out, err))
    code, out, err = run("sqlite:" + path, "--cleanup", "--check", "--out", "x")
    check("--cleanup records nothing", code == 254 and "--cleanup records nothing" in err, err)


def progress(folder):
    """On a terminal a status line, elsewhere a line now and then."""
    words = [alibi, "record", "sqlite:" + os.path.join(folder, "p.db"), "--out", os.path.join(folder, "p.jsonl")]
    ours, theirs = pty.openpty()
    recording = subprocess.Popen(words + ["--duration", "1500ms", "--sessions", "16"], stderr=theirs)
    os.close(theirs)
    shown = b""
    while chunk := read_terminal(ours):
        shown += chunk
    recording.wait()
    os.close(ours)
    check("a status line", re.search(rb"\r\x1b\[Krecording  \d+ s  \d+ committed  \d+ aborted  \d+ unknown  \d+/s", shown), shown)
    check("… with the latest error", re.search(rb"/s  latest error (5|517)\b", shown), shown)
    recording = subprocess.Popen(words + ["--duration", "11s"], stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    recording.send_signal(signal.SIGSTOP)  # the clock goes on
    time.sleep(10)
    recording.send_signal(signal.SIGCONT)
    err = recording.communicate()[1]
    check("a line after 10 seconds", re.match(r"alibi record: 1\d s  \d+ committed  \d+ aborted  \d+ unknown  \d+/s(  latest error \d+)?\n", err), err)


def read_terminal(fd):
    try:
        return os.read(fd, 65536)
    except OSError:  # the other side is closed
        return b""


def main():
    kept_histories()
    if "built without" in run("sqlite:")[2]:
        harness.skip("the program was built without SQLite")
        return harness.close()
    for part in (mistakes, refusal_without_driver, outcomes, seeds, files, old_histories,
                 two_at_once, ends, secrets, reports, cleanup, progress):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
