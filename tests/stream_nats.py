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

from stream_kill import HORIZON, ids, make_stream


class Client:
    """As much of the NATS protocol as a collector needs."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        self.socket.sendall(b'CONNECT {"verbose":false}\r\nSUB _INBOX.us 1\r\n')

    def request(self, subject, payload):
        """The answer, or None if there is no JetStream there (yet)."""
        self.socket.sendall(b"PUB %s _INBOX.us %d\r\n%s\r\n" % (subject.encode(), len(payload), payload))
        while True:
            line = self.file.readline()
            if not line:
                raise OSError("the server has gone")
            if line.startswith(b"PING"):
                self.socket.sendall(b"PONG\r\n")
            if line.startswith((b"MSG", b"HMSG")):
                answer = self.file.read(int(line.split()[-1]))
                self.file.readline()
                return json.loads(answer) if line.startswith(b"MSG") else None


class Server:
    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            ["nats-server", "-a", "127.0.0.1", "-p", str(self.port), "-js", "-sd", self.folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Collector:
    def __init__(self, port):
        self.port, self.client, self.sent = port, None, 0

    def send(self, payload):
        """Until it is acknowledged, as often as that takes."""
        while True:
            try:
                if not self.client:
                    self.client = Client(self.port)
                answer = self.client.request("txns.collector", payload)
                self.sent += 1
                if answer and "seq" in answer:
                    return answer["seq"]
            except OSError:
                self.client = None
            time.sleep(0.05)


def create_stream(port):
    end = time.time() + 20
    while time.time() < end:
        try:
            answer = Client(port).request("$JS.API.STREAM.CREATE.TXNS", json.dumps(
                {"name": "TXNS", "subjects": ["txns.>"], "storage": "file"}).encode())
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


def try_it(alibi, rng, folder, kills, server_kills):
    whole, calm, log, mark = (os.path.join(folder, n) for n in ("whole", "calm", "log", "mark"))
    lines = make_stream(rng, 300 * (kills + server_kills) + 300)
    lines.append(json.dumps({"id": "last", "commit_ts": 10 ** 9, "start_ts": 10 ** 9, "ops": []}) + "\n")
    messages = [m.encode() for m in batches(rng, lines)]
    with open(whole, "wb") as f:
        f.write(b"".join(messages))
    words = ["--json", "--level", "si", *HORIZON]
    subprocess.run([alibi, "watch", *words, "--log", calm, whole], stdout=subprocess.DEVNULL)
    server = Server(os.path.join(folder, "nats"))
    if not create_stream(server.port):
        server.kill()
        return [(False, "the server did not start")], ""
    url = "nats://127.0.0.1:%d/TXNS" % server.port
    command = [alibi, "watch", *words, "--log", log, "--checkpoint", mark, "--every", "20ms", url]
    watch = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    collector = Collector(server.port)
    faults = sorted((rng.randrange(len(messages)), i < kills) for i in range(kills + server_kills))
    for i, message in enumerate(messages):
        collector.send(message)
        if rng.random() < 0.03:
            collector.send(message)
        while faults and faults[0][0] <= i:
            if faults.pop(0)[1]:
                time.sleep(rng.uniform(0, 0.2))
                watch.kill()
                watch.communicate()
                watch = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
            else:
                server.kill()
                server.start()
                time.sleep(rng.uniform(0, 0.3))
    wanted = set(ids(calm))
    wait_for(lambda: os.path.exists(log) and set(ids_so_far(log)) >= wanted, 30)
    while watch.poll() is not None:  # the server was away when it started
        watch = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        wait_for(lambda: watch.poll() is not None or set(ids_so_far(log)) >= wanted, 30)
    watch.send_signal(signal.SIGTERM)
    out = watch.communicate(timeout=30)[0]
    server.kill()
    summary = json.loads(out.splitlines()[-1])
    found = ids(log)
    return [
        (len(wanted) >= 10, "the stream has violations (%d)" % len(wanted)),
        (collector.sent > len(messages), "some messages were sent twice"),
        (len(found) == len(set(found)), "nothing is in the log twice"),
        (wanted <= set(found), "nothing is lost (%d are)" % len(wanted - set(found))),
        (set(found) <= wanted, "nothing is false (%d are)" % len(set(found) - wanted)),
        (summary["txns"] == len({json.loads(x)["id"] for x in lines}) and summary["duplicates"] > 0,
         "every transaction is counted once: %s" % summary),
    ], "%d messages, sent %d times; %d kills, %d of the server; %d violations" % (
        len(messages), collector.sent, kills, server_kills, len(wanted))


def ids_so_far(path):
    with open(path) as f:
        return [json.loads(line)["id"] for line in f if line.endswith("\n")]


def main():
    alibi = sys.argv[1]
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    server_kills = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    if os.environ.get("ALIBI_LIVE") == "off":
        print("skipped: servers are not wanted (ALIBI_LIVE=off)")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    refused = subprocess.run([alibi, "watch", "--level", "si", "nats://127.0.0.1:1/X"],
                             capture_output=True, text=True).stderr
    if not shutil.which("nats-server") or "without NATS" in refused:
        print("skipped: nats-server is not installed, or alibi was built without libnats")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        checks, sentence = try_it(alibi, rng, folder, kills, server_kills)
    checks.append(("cannot connect" in refused, "a server that is not there: " + refused))
    for ok, message in checks:
        if not ok:
            print("failed:", message)
    print(sentence)
    print("%d passed, %d failed" % (sum(ok for ok, _ in checks), sum(not ok for ok, _ in checks)))
    return not all(ok for ok, _ in checks)


if __name__ == "__main__":
    sys.exit(main())
