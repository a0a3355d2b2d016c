#!/usr/bin/env python3
"""alibi watch on a stream of NATS JetStream, while both are killed.

A server of the test's own, on a free port of 127.0.0.1. A collector publishes batches of
transactions, and publishes again whatever was not acknowledged, so that some come twice.
Meanwhile the watch is killed again and again and goes on from its checkpoint, and the
server is killed and started again. The log must be that of a watch which read the same
messages as a file: nothing lost, nothing twice, nothing false.

    stream_nats.py ALIBI [KILLS [SERVER_KILLS [SEED]]]
"""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import counted
from counted import check
from ports import free_port
from stream_kill import HORIZON, ids, make_stream


class Client:
    """As much of the NATS protocol as a collector needs."""

    def __init__(self, port, host="127.0.0.1"):
        self.socket = socket.create_connection((host, port), timeout=5)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.inbox, self.requests = b"_INBOX.%s" % os.urandom(8).hex().encode(), 0
        self.socket.sendall(b'CONNECT {"verbose":false}\r\nSUB %s.* 1\r\n' % self.inbox)

    def request(self, subject, payload):
        """The answer to this request, not to an earlier one; None if there is no JetStream there (yet)."""
        self.requests += 1
        to = b"%s.%d" % (self.inbox, self.requests)
        self.socket.sendall(b"PUB %s %s %d\r\n%s\r\n" % (subject.encode(), to, len(payload), payload))
        while True:
            line = self.file.readline()
            if not line:
                raise OSError("the server has gone")
            if line.startswith(b"PING"):
                self.socket.sendall(b"PONG\r\n")
            if line.startswith((b"MSG", b"HMSG")):
                answer = self.file.read(int(line.split()[-1]))
                self.file.readline()
                if line.split()[1] != to:
                    continue
                return json.loads(answer) if line.startswith(b"MSG") else None


class Server:
    def __init__(self, folder, host="127.0.0.1", more=()):
        self.folder, self.host, self.more = folder, host, more
        self.port = free_port()
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["nats-server", "-a", self.host, "-p", str(self.port), "-js", "-sd", self.folder, *self.more],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Collector:
    """Of several ports, any will do."""

    def __init__(self, *ports, host="127.0.0.1"):
        self.ports, self.host, self.client, self.sent = list(ports), host, None, 0

    def send(self, payload):
        """Until it is acknowledged, as often as that takes."""
        while True:
            try:
                if not self.client:
                    self.ports.append(self.ports.pop(0))
                    self.client = Client(self.ports[-1], self.host)
                answer = self.client.request("txns.collector", payload)
                self.sent += 1
                if answer and "seq" in answer:
                    return answer["seq"]
            except OSError:
                self.client = None
            time.sleep(0.05)


def create_stream(port, host="127.0.0.1", replicas=1):
    end = time.time() + 30
    while time.time() < end:
        try:
            answer = Client(port, host).request("$JS.API.STREAM.CREATE.TXNS", json.dumps(
                {"name": "TXNS", "subjects": ["txns.>"], "storage": "file", "num_replicas": replicas}).encode())
            if answer and "error" not in answer:
                return True
        except OSError:
            pass
        time.sleep(0.1)
    return False


def batches(rng, lines):
    at = 0
    while at < len(lines):
        count = rng.choice([1, 5, 40])
        yield "".join(lines[at:at + count])
        at += count


def wait_for(condition, seconds):
    end = time.time() + seconds
    while time.time() < end and not condition():
        time.sleep(0.05)
    return condition()


class Trial:
    """A stream with violations, what a watch in peace finds in it, and one on NATS meanwhile."""

    def __init__(self, alibi, rng, folder, txns, words=HORIZON):
        whole, self.calm, self.log, self.mark = (os.path.join(folder, n) for n in ("whole", "calm", "log", "mark"))
        self.lines = make_stream(rng, txns)
        self.lines.append(json.dumps({"id": "last", "commit_ts": 10 ** 9, "start_ts": 10 ** 9, "ops": []}) + "\n")
        self.messages = [m.encode() for m in batches(rng, self.lines)]
        with open(whole, "wb") as f:
            f.write(b"".join(self.messages))
        self.command = [alibi, "watch", "--json", "--level", "si"]
        subprocess.run([*self.command, *HORIZON, "--log", self.calm, whole], stdout=subprocess.DEVNULL)
        self.command += [*words, "--log", self.log, "--checkpoint", self.mark, "--every", "20ms"]
        self.wanted = set(ids(self.calm))

    def watch(self, url, before=()):
        self.process = subprocess.Popen([*before, *self.command, url], stdout=subprocess.PIPE, text=True)

    def has_all(self):
        return os.path.exists(self.log) and set(ids_so_far(self.log)) >= self.wanted

    def end(self, sent):
        """And what must hold then."""
        self.process.send_signal(signal.SIGTERM)
        summary = json.loads(self.process.communicate(timeout=30)[0].splitlines()[-1])
        found, wanted = ids(self.log), self.wanted
        check("the stream has violations", len(wanted) >= 10, len(wanted))
        check("some messages were sent twice", sent > len(self.messages), sent)
        check("nothing is in the log twice", len(found) == len(set(found)), found)
        check("nothing is lost", wanted <= set(found), wanted - set(found))
        check("nothing is false", set(found) <= wanted, set(found) - wanted)
        check("every transaction is counted once", summary["txns"] == len({json.loads(x)["id"] for x in self.lines})
              and summary["duplicates"] > 0, summary)


def try_it(alibi, rng, folder, kills, server_kills):
    trial = Trial(alibi, rng, folder, 300 * (kills + server_kills) + 300)
    server = Server(os.path.join(folder, "nats"))
    if not check("the server starts", create_stream(server.port)):
        return server.kill()
    url = "nats://127.0.0.1:%d/TXNS" % server.port
    trial.watch(url)
    collector, messages = Collector(server.port), trial.messages
    faults = sorted((rng.randrange(len(messages)), i < kills) for i in range(kills + server_kills))
    for i, message in enumerate(messages):
        collector.send(message)
        if rng.random() < 0.03:
            collector.send(message)
        while faults and faults[0][0] <= i:
            if faults.pop(0)[1]:
                time.sleep(rng.uniform(0, 0.2))
                trial.process.kill()
                trial.process.communicate()
                trial.watch(url)
            else:
                server.kill()
                server.start()
                time.sleep(rng.uniform(0, 0.3))
    wait_for(trial.has_all, 30)
    while trial.process.poll() is not None:  # the server was away when it started
        trial.watch(url)
        wait_for(lambda: trial.process.poll() is not None or trial.has_all(), 30)
    trial.end(collector.sent)
    server.kill()
    print("%d messages, sent %d times; %d kills, %d of the server; %d violations" % (
        len(messages), collector.sent, kills, server_kills, len(trial.wanted)))


def broken_message(alibi, folder):
    """It ends the watch, which says where it is, after what was found before; deleted, it does so no more."""
    server, words = Server(os.path.join(folder, "nats")), ["--level", "si", "--horizon", "1000", "--checkpoint"]
    create_stream(server.port)
    collector = Collector(server.port)
    command = [alibi, "watch", *words, os.path.join(folder, "mark"), "nats://127.0.0.1:%d/TXNS" % server.port]
    for n in (1, 2):
        collector.send(json.dumps({"id": n, "start_ts": n, "commit_ts": n + 5, "ops": [["w", "x", n]]}).encode())
    collector.send(b'{"id":3,"start_ts')
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30)
    Client(server.port).request("$JS.API.STREAM.MSG.DELETE.TXNS", b'{"seq":3}')
    collector.send(b'{"id":"last","start_ts":5000,"commit_ts":5000,"ops":[]}')
    watch = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    reported = watch.stdout.readline()
    while "not in the stream any more" not in (said := watch.stderr.readline()) and said:
        pass
    watch.send_signal(signal.SIGTERM)
    watch.communicate(timeout=30)
    server.kill()
    check("a message that is none", ended.returncode == 255 and "write conflict: " in ended.stdout
          and "to 3; delete it" in ended.stderr, ended)
    check("without it", "write conflict: " in reported and "from 3 to 3" in said and watch.returncode == 1,
          (reported, said, watch.returncode))


def new_stream(alibi, folder):
    """One that is deleted and made anew, with more messages than were read, is another one: while the watch
    runs, and for one that goes on from its checkpoint."""
    server, mark = Server(os.path.join(folder, "nats")), os.path.join(folder, "mark")
    create_stream(server.port)
    command = [alibi, "watch", "--level", "si", "--horizon", "0", "--checkpoint", mark, "--every", "20ms",
               "nats://127.0.0.1:%d/TXNS" % server.port]

    def errors_of(process, seconds):
        """All it says, though it should have ended by then."""
        try:
            return process.communicate(timeout=seconds)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            return process.communicate()[1]

    def send(count):
        for n in range(count):
            Collector(server.port).send(json.dumps({"id": n, "start_ts": n, "commit_ts": n, "ops": []}).encode())

    send(3)
    watch = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: os.path.exists(mark) and b" 1 3 " in open(mark, "rb").readline(), 20)
    Client(server.port).request("$JS.API.STREAM.DELETE.TXNS", b"")
    create_stream(server.port)
    send(5)
    error = errors_of(watch, 30)
    check("another stream of the same name, meanwhile", watch.returncode == 255 and "created again" in error, error)
    ran = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    error = errors_of(ran, 5)
    check("and for one that goes on", ran.returncode == 255 and "of another stream" in error, error)
    server.kill()


def lost_message(alibi, folder):
    """What is gone may explain what others read, also after a restart: it is no violation, and not forgotten."""
    server = Server(os.path.join(folder, "nats"))
    create_stream(server.port)
    collector = Collector(server.port)
    command = [alibi, "watch", "--json", "--level", "si", "--horizon", "5", "--every", "100ms",
               "--checkpoint", os.path.join(folder, "kept"), "nats://127.0.0.1:%d/TXNS" % server.port]

    def send(name, at, ops):
        collector.send(json.dumps({"id": name, "start_ts": at, "commit_ts": at + 1, "ops": ops}).encode())

    def watch(until):
        """Until a note says so."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while until not in (said := process.stderr.readline()) and said:
            pass
        process.send_signal(signal.SIGTERM)
        out = process.communicate(timeout=30)[0]
        return process.returncode, [json.loads(text) for text in out.splitlines()]

    send("a", 10, [["w", "x", 1]])
    watch("at position 1 ")
    for name, at, ops in (("b", 20, [["r", "x", 1], ["w", "x", 2]]), ("c", 30, [["r", "x", 2]]), ("d", 90, [["r", "x", 2]]),
                          ("e", 120, [])):
        send(name, at, ops)
    Client(server.port).request("$JS.API.STREAM.MSG.DELETE.TXNS", b'{"seq":2}')
    code, reported = watch("at position 5 ")
    check("a message is gone", code == 2 and [t.get("kind") for t in reported] == ["GONE", "EXT", "EXT", None]
          and [t["what"] for t in reported] == ["unverified", "undecided", "undecided", "summary"]
          and reported[-1]["verdict"] == "unknown" and reported[-1]["lost_messages"] == 1, (code, reported))
    code, reported = watch("from place 5")
    check("and stays so", code == 2 and len(reported) == 1 and reported[0]["GONE"] == 1 and reported[0]["lost_messages"] == 1,
          (code, reported))
    server.kill()


def why_not(alibi):
    """Why there can be no such test here, or None."""
    if os.environ.get("ALIBI_LIVE") == "off":
        return "servers are not wanted (ALIBI_LIVE=off)"
    refused = subprocess.run([alibi, "watch", "--level", "si", "nats://127.0.0.1:1/X"],
                             capture_output=True, text=True).stderr
    if not shutil.which("nats-server") or "without NATS" in refused:
        return "nats-server is not installed, or alibi was built without libnats"
    return None


def ids_so_far(path):
    with open(path) as f:
        return [json.loads(line)["id"] for line in f if line.endswith("\n")]


def main():
    alibi = sys.argv[1]
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    server_kills = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    skipped = why_not(alibi)
    if skipped:
        counted.skip(skipped)
        return counted.close()
    with tempfile.TemporaryDirectory() as folder:
        try_it(alibi, rng, folder, kills, server_kills)
    refused = subprocess.run([alibi, "watch", "--level", "si", "nats://127.0.0.1:1/X"],
                             capture_output=True, text=True).stderr
    check("a server that is not there", "cannot connect" in refused, refused)
    with tempfile.TemporaryDirectory() as folder:
        broken_message(alibi, folder)
    with tempfile.TemporaryDirectory() as folder:
        new_stream(alibi, folder)
    with tempfile.TemporaryDirectory() as folder:
        lost_message(alibi, folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
