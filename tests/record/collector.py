#!/usr/bin/env python3
"""`alibi record --to nats://…`: a recording as a stream, while it happens.

Servers of the test's own, on free ports of 127.0.0.1. PostgreSQL is recorded into a stream
of NATS, with its own order, and `alibi watch` judges it at the same time. The NATS server is
killed and comes back, or does not: the stream is the recording then, or a beginning of it.

    collector.py ALIBI
"""
import base64
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import harness
import stream_nats
from harness import check
from ports import free_port
from servers import Postgres, wait_until, wanted

alibi = harness.program()


def messages(port, stream, only_last=False):
    """What the stream has, by the number of the message."""
    client, found = stream_nats.Client(port), []
    last = client.request("$JS.API.STREAM.INFO." + stream, b"")["state"]["last_seq"]
    for number in range(last if only_last else 1, last + 1):
        answer = client.request("$JS.API.STREAM.MSG.GET." + stream, json.dumps({"seq": number}).encode())
        found.append(base64.b64decode(answer["message"]["data"]).decode())
    return found


class Watch:
    def __init__(self, url, *words):
        self.process = subprocess.Popen([alibi, "watch", "--json", *words, url], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        out, self.stderr = self.process.communicate(timeout=60)
        self.lines = [json.loads(line) for line in out.splitlines()]
        self.summary = self.lines[-1] if self.lines else {}
        return self

    def __str__(self):
        return "%s\n%s" % (self.lines[:3] + self.lines[-1:], self.stderr)


def begin(server, nats, stream, out, *words):
    r = harness.Recording(alibi, server.url(), out, "--to", "nats://127.0.0.1:%d/%s" % (nats.port, stream),
                          "--isolation", "repeatable-read", *words)
    wait_until("the stream", 20, has_messages(nats, stream))
    return r


def has_messages(nats, stream):
    def probe():
        try:
            answer = stream_nats.Client(nats.port).request("$JS.API.STREAM.INFO." + stream, b"")
            return answer and answer.get("state", {}).get("last_seq", 0) > 0
        except OSError:
            return False
    return probe


def streams(server, nats, folder):
    """The stream is the file, in parts; its order explains every read, and it is judged as it comes."""
    for isolation in ("repeatable-read", "serializable"):
        stream, path = isolation.upper(), os.path.join(folder, isolation + ".jsonl")
        url = "nats://127.0.0.1:%d/%s" % (nats.port, stream)
        r = begin(server, nats, stream, path, "--isolation", isolation, "--server-order", "--txns", "8000",
                  "--keys", "60", "--aborts", "0.05")
        watch = Watch(url, "--level", "si", "--deadline", "300ms")
        r.wait()
        time.sleep(4)  # the last messages are on their way
        watch.end()
        parts = messages(nats.port, stream)
        whole = os.path.join(folder, stream)
        with open(whole, "w") as f:
            f.writelines(parts)
        txns = [json.loads(line) for line in "".join(parts).splitlines()]
        said = [t for t in txns if "ops" in t]
        check("the header comes first", "alibi" in txns[0] and not any("alibi" in t for t in txns[1:]))
        check("the stream has what the file has", r.code == 0 and
              sorted((t["id"], t["ops"]) for t in said) == sorted((t["id"], t["ops"]) for t in r.txns()), r)
        check("it came in many messages", len(parts) > 5, len(parts))
        check("all that committed has timestamps",
              all("start_ts" in t and "commit_ts" in t for t in said if "status" not in t))
        check("they explain every read", judged(whole)["verdict"] == "valid", judged(whole))
        s = watch.summary
        check("all was judged, and nothing found", s.get("verdict") == "valid" and s["txns"] == len(said)
              and s["unverified"] == s["waiting"] == 0, watch)
        print("%s: %d transactions in %d messages, judged as they came" % (isolation, len(said), len(parts)))


def txns_of(nats, stream):
    """The transactions in a stream, without the header and the availability."""
    lines = [json.loads(line) for part in messages(nats.port, stream) for line in part.splitlines()]
    return [t for t in lines if "ops" in t]


def judged(path):
    return json.loads(subprocess.run([alibi, "check", "--json", "--order", "timestamps", "--level", "si", path],
                                     capture_output=True, text=True).stdout)


def by_clocks(server, nats, folder):
    """Without timestamps: the clients' clocks judge the stream while it happens, in rounds, as check does the file."""
    path = os.path.join(folder, "clocks.jsonl")
    r = begin(server, nats, "CLOCKS", path, "--isolation", "serializable", "--workload", "blindw", "--txns", "6000")
    watch = Watch("nats://127.0.0.1:%d/CLOCKS" % nats.port, "--level", "sser", "--horizon", "1000000000",
                  "--longest", "5000000000", "--round", "200")
    r.wait()
    last = max(t["end"] for t in r.txns()) + 10 ** 10
    client = stream_nats.Client(nats.port)
    for n, op in enumerate((["w", "planted", 1], ["r", "planted", None], ["w", "far", 1])):
        at = last + n * 10 ** 10  # more than the horizon and the longest apart
        client.request("CLOCKS", json.dumps({"id": "planted %d" % n, "session": "planted", "begin": at, "end": at + 1,
                                             "ops": [op]}).encode())
    more = r.recorded + 200  # a round waits for as many as the last one left
    client.request("CLOCKS", b"".join(json.dumps({
        "id": "more %d" % n, "session": "planted", "begin": at + n, "end": at + n, "ops": []}).encode() + b"\n"
        for n in range(10, 10 + more)))
    reported = json.loads(watch.process.stdout.readline())
    check("what contradicts the clocks is reported, with its transactions", reported["kind"] == "ORDER" and
          reported["txns"] == ["planted 0", "planted 1"], reported)
    s, said = watch.end().summary, len(messages(nats.port, "CLOCKS"))
    check("nothing else is found by clocks, and nothing lost", s["violations"] == 1 and s["unverified"] == 0 and
          s["txns"] == r.recorded + 3 + more and s["rounds"] > 3, watch)
    holds = json.loads(subprocess.run([alibi, "check", "--json", "--level", "sser", path],
                                      capture_output=True, text=True).stdout)
    check("check says so of the recording", holds["verdict"] == "valid", holds)
    print("by clocks: %d transactions in %d messages, %d rounds" % (r.recorded, said, s["rounds"]))


def planted(server, nats):
    """What another collector says, while the recording runs, is found within seconds."""
    r = begin(server, nats, "PLANTED", None, "--server-order", "--duration", "60s")
    watch = Watch("nats://127.0.0.1:%d/PLANTED" % nats.port, "--level", "si", "--deadline", "2s")
    time.sleep(1)
    late = messages(nats.port, "PLANTED", only_last=True)[0].splitlines()
    now = json.loads(late[-1]).get("commit_ts", 1)
    stream_nats.Client(nats.port).request("PLANTED", json.dumps(
        {"id": "planted", "start_ts": now, "commit_ts": now, "ops": [["r", 1, "never"]]}).encode())
    began = time.time()
    reported = json.loads(watch.process.stdout.readline())
    check("a planted violation is reported within 5 s, and nothing else", reported["what"] == "violation"
          and reported["txn"] == "planted" and time.time() - began < 5, (reported, time.time() - began))
    print("a planted violation was reported after %.1f s" % (time.time() - began))
    r.process.send_signal(signal.SIGINT)
    check("an interrupt ends the recording, and the stream is whole", r.wait().code == 0, r)
    time.sleep(2.5)
    check("nothing else is found", watch.end().summary.get("violations") == 1 and watch.summary["unverified"] == 0, watch)


def server_comes_back(server, nats, folder):
    path = os.path.join(folder, "back.jsonl")
    r = begin(server, nats, "BACK", path, "--server-order", "--duration", "4s")
    for _ in range(3):
        time.sleep(0.5)
        nats.kill()
        time.sleep(0.2)
        nats.start()
    r.wait()
    said = txns_of(nats, "BACK")
    check("a server that is killed and comes back has all, and once", r.code == 0 and
          sorted(t["id"] for t in said) == sorted(t["id"] for t in r.txns()), r)
    watch = Watch("nats://127.0.0.1:%d/BACK" % nats.port, "--level", "si", "--horizon", "1", "--longest", "2000")
    time.sleep(1.5)
    s = watch.end().summary
    check("its commits come in their order", s.get("txns") == len(said) and s["violations"] == s["unverified"] == 0
          and s["waiting"] < 5, watch)


def server_stays_away(server, nats, folder):
    """The message says what is missing, and the rest is a beginning of the recording."""
    r = begin(server, nats, "AWAY", os.path.join(folder, "away.jsonl"), "--duration", "2s")
    time.sleep(1)
    nats.kill()
    r.wait()
    check("what is lost is reported, and the exit code is not 0", "were not acknowledged" in r.stderr and r.code == 255, r)
    nats.start()
    wait_until("the stream", 20, has_messages(nats, "AWAY"))
    said = txns_of(nats, "AWAY")
    done, lost = r.txns(), int(r.stderr.split("the last ")[1].split()[0])
    check("the stream has all but these", len(done) - lost <= len(said) < len(done), (len(done), lost, len(said)))
    check("it is whole up to there", all(of_session(said, s) == of_session(done, s)[:len(of_session(said, s))]
                                         for s in range(1, 9)))


def of_session(txns, number):
    return [t["id"] for t in txns if t["session"] == number]


def refusals(server, nats, folder):
    unreachable = "nats://u:secret@127.0.0.1:%d/X" % free_port()
    sqlite = "sqlite:" + os.path.join(folder, "r.db")
    there = "nats://127.0.0.1:%d/" % nats.port
    for url, words, message, code in (
            (server.url(), ("--to", unreachable), "no server answers there", 255),
            (server.url(), ("--to", there), "which stream?", 255),
            (server.url(), ("--to", there + "a.b"), "", 255),
            (server.url(), ("--to", "file.jsonl"), "--to expects a stream of NATS", 254),
            (server.url(), ("--to", there + "BACK"), "has messages already", 255),
            (server.url(), ("--to", there + "NEW", "--unrecorded"), "leave out --unrecorded", 254),
            (sqlite, ("--to", there + "NEW", "--server-order"), "SQLite exposes no order", 254),
            ("mariadb://127.0.0.1:1/x", ("--to", there + "NEW", "--server-order"), "is for PostgreSQL", 254),
            ("postgres://h1,h2/x", ("--to", there + "NEW", "--server-order"), "requires a single host", 254)):
        r = subprocess.run([alibi, "record", url, "--duration", "1s", *words], capture_output=True, text=True)
        check("refused: %s" % message, r.returncode == code and message in r.stderr and "secret" not in r.stderr, r)


def without_order(nats, folder):
    """A database that tells no order: the lines are those of the file."""
    path = os.path.join(folder, "s.jsonl")
    answer = stream_nats.Client(nats.port).request("$JS.API.STREAM.CREATE.PLAIN", json.dumps(
        {"name": "PLAIN", "subjects": ["a.*.b.>"], "storage": "file"}).encode())
    check("a stream is made by hand", "error" not in answer, answer)
    r = harness.record(alibi, "sqlite:" + os.path.join(folder, "s.db"), path, "--txns", "2000", "--to",
                       "nats://127.0.0.1:%d/PLAIN" % nats.port)
    with open(path) as f:
        check("without an order the stream has the lines of the file", r.code == 0 and
              sorted("".join(messages(nats.port, "PLAIN")).splitlines(True)) == sorted(f), r)


def missing():
    """Why nothing can be recorded into a stream, or None."""
    refused = subprocess.run([alibi, "watch", "--level", "si", "nats://127.0.0.1:1/X"], capture_output=True, text=True)
    if not wanted() or not stream_nats.shutil.which("nats-server") or "without NATS" in refused.stderr:
        return "nats-server is not wanted, not installed, or alibi was built without libnats"
    if "built without" in harness.record(alibi, "postgres://127.0.0.1:1/", "-").stderr or not Postgres.available():
        return "PostgreSQL's client or server is not installed"
    return None


def main():
    if missing():
        harness.skip(missing())
        return harness.close()
    with tempfile.TemporaryDirectory() as folder, Postgres() as server:
        nats = stream_nats.Server(os.path.join(folder, "nats"))
        try:
            wait_until("NATS", 20, lambda: stream_nats.create_stream(nats.port))
            streams(server, nats, folder)
            by_clocks(server, nats, folder)
            planted(server, nats)
            server_comes_back(server, nats, folder)
            refusals(server, nats, folder)
            without_order(nats, folder)
            server_stays_away(server, nats, folder)
        finally:
            nats.kill()
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
