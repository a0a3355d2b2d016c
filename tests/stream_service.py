#!/usr/bin/env python3
"""alibi watch as a service: what it says of itself as JSON Lines, SIGHUP after the log was
renamed, SIGTERM with a checkpoint that another watch goes on from, readiness for systemd, and
the unit file, through systemd's own checks where these are installed.

    stream_service.py ALIBI UNIT
"""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import counted
from counted import check
from watched import line


def wait_for(condition, seconds=20):
    end = time.time() + seconds
    while not condition() and time.time() < end:
        time.sleep(0.02)
    return condition()


def rows(path):
    with open(path) as f:
        return [json.loads(row) for row in f if row.endswith("\n")]


class Service:
    """A watch with a log and checkpoints, on a file that grows."""

    def __init__(self, alibi, folder, *words, env=None):
        self.stream, self.log, self.mark, self.errors = (os.path.join(folder, n) for n in ("stream", "log", "mark", "errors"))
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen(
                [alibi, "watch", "--json", "--level", "si", "--horizon", "20", "--follow", "--log", self.log,
                 "--checkpoint", self.mark, *words, self.stream], stdout=subprocess.DEVNULL, stderr=errors, env=env)
        wait_for(lambda: "start" in self.said())

    def said(self):
        return [row["what"] for row in rows(self.errors)]

    def end(self, with_signal):
        self.process.send_signal(with_signal)
        return self.process.wait(30)


def add(stream, *lines):
    with open(stream, "a") as f:
        f.write("".join(lines))


def wrong(n):
    """Two transactions of which the second is a violation, and one that lets it be judged."""
    return line(n, [["w", n, 1]]), line(n + 1, [["r", n, 2]]), line(n + 5, [])


def rotation(alibi, folder):
    old = os.path.join(folder, "log.1")
    add(os.path.join(folder, "stream"), *wrong(10))
    s = Service(alibi, folder, "--every", "1h")
    check("the first finding is in the log", wait_for(lambda: len(rows(s.log)) == 1))
    os.rename(s.log, old)
    add(s.stream, *wrong(20))
    check("a log that was renamed is still written to", wait_for(lambda: len(rows(old)) == 2))
    s.process.send_signal(signal.SIGHUP)
    check("SIGHUP opens it again, with a checkpoint",
          wait_for(lambda: "reopen" in s.said()) and s.said().count("checkpoint") == 2, s.said())
    add(s.stream, *wrong(30))
    check("what is found then is in the new one", wait_for(lambda: len(rows(s.log)) == 1))
    check("killed", s.end(signal.SIGKILL) == -9)
    s = Service(alibi, folder, "--every", "1h")
    add(s.stream, *wrong(40))
    check("it goes on", wait_for(lambda: len(rows(s.log)) == 2))
    s.process.send_signal(signal.SIGHUP)  # nothing was renamed
    check("SIGHUP without a reason does no harm", wait_for(lambda: "reopen" in s.said()))
    check("SIGTERM ends it", s.end(signal.SIGTERM) == 1)
    ids = [row["id"] for row in rows(old) + rows(s.log)]
    check("all findings are there, each once", len(ids) == len(set(ids)) == 4, ids)


def ending(alibi, folder):
    add(os.path.join(folder, "stream"), *wrong(10), line(90, [["w", "x", 1]]))
    s = Service(alibi, folder, "--every", "1h")
    check("something is found", wait_for(lambda: rows(s.log)))
    started = time.time()
    check("SIGTERM ends it at once", s.end(signal.SIGTERM) == 1 and time.time() - started < 10)
    said = rows(s.errors)
    check("what happened is said", [row["what"] for row in said] == ["checkpoint", "start", "checkpoint", "stop"], said)
    check("each with its time",
          all(set(row) == {"what", "time", "name", "text"} and row["time"].endswith("Z") for row in said), said)
    before = os.path.getsize(s.stream)
    add(s.stream, line(91, [["r", "x", 7]], start=1000), line(95, [], start=2000))
    s = Service(alibi, folder, "--every", "1h")
    check("the next one begins where it ended", str(before) in rows(s.errors)[0]["text"], rows(s.errors))
    check("and knows what it knew", wait_for(lambda: len(rows(s.log)) == 2))
    s.end(signal.SIGINT)
    broken = subprocess.run([alibi, "watch", "--json", "--level", "si", "-"], input="{\n", capture_output=True, text=True)
    said = [json.loads(row) for row in broken.stderr.splitlines()]
    check("errors, too", broken.returncode == 255 and [row["what"] for row in said] == ["start", "error", "stop"],
          said)


def hang_up(alibi):
    child = subprocess.Popen([alibi, "watch", "--level", "si", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdin.write(line(1, [["w", "x", 1]]))
    child.stdin.flush()
    time.sleep(0.5)
    child.send_signal(signal.SIGHUP)
    out = child.communicate(timeout=30)[0]
    check("without a log SIGHUP is an end", child.returncode == 2 and "stopped with 1 unchecked" in out, out)


def readiness(alibi, folder):
    path = os.path.join(folder, "notify")
    for name in (path, "@alibi-test-%d" % os.getpid()):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(name if name == path else "\0" + name[1:])
            manager.settimeout(20)
            open(os.path.join(folder, "stream"), "a").close()
            s = Service(alibi, folder, env=dict(os.environ, NOTIFY_SOCKET=name))
            check("systemd is notified when it is ready", manager.recv(100) == b"READY=1")
            s.end(signal.SIGTERM)
            check("and when it ends", manager.recv(100) == b"STOPPING=1")


def unit_file(unit, folder):
    with open(unit) as f:
        text = f.read()
    check("the unit names the program", "@bindir@" not in text and "/alibi watch " in text)
    if not shutil.which("systemd-analyze"):
        counted.skip("systemd-analyze is not installed, so that the unit is not checked")
        return
    path = os.path.join(folder, "alibi-watch@.service")
    program = text.split("ExecStart=")[1].split()[0]
    with open(path, "w") as f:
        f.write(text.replace(program, "/bin/true"))  # it need not be installed
    ran = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True)
    about = [row for row in ran.stderr.splitlines() if "alibi" in row]  # of the machine's own units nothing
    check("systemd takes it", ran.returncode == 0 or not about, about)
    ran = subprocess.run(["systemd-analyze", "security", "--offline=yes", "--threshold=15", path], capture_output=True, text=True)
    check("and finds it safe enough", ran.returncode == 0, ran.stdout[-200:] + ran.stderr)


def main():
    alibi, unit = map(os.path.abspath, sys.argv[1:3])
    for test in (rotation, ending, readiness):
        with tempfile.TemporaryDirectory() as folder:
            test(alibi, folder)
    hang_up(alibi)
    with tempfile.TemporaryDirectory() as folder:
        unit_file(unit, folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
