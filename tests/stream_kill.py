#!/usr/bin/env python3
"""kill -9 for alibi watch: nothing lost in the log, and nothing twice.

A stream with violations of all kinds grows while it is watched on two threads, with
checkpoints, and with keys outside of memory if the program can do that. The watch is killed again and again, started again, and in the end runs to the
end. Its log must be the one of a watch on one thread that was left in peace.

So is, a quarter as often, one of a stream without timestamps.

    stream_kill.py ALIBI [KILLS [SEED]]
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

import counted
from counted import check

HORIZON = ["--horizon", "400", "--longest", "100"]


def make_stream(rng, txns):
    """Lines as they arrive; about one transaction in a hundred reads or writes what it
    must not, and one in twenty comes twice."""
    state, committed, lines, session_at = {}, {}, [], {}
    for i in range(txns):
        start, session = i * 10, rng.randint(0, 30)
        commit, ops = start + rng.randint(1, 60), []
        if session_at.get(session, (-1, 0))[0] > start and rng.random() < 0.97:
            session = 1000 + i
        for _ in range(rng.randint(1, 5)):
            key = "k%d" % rng.randint(0, 200)
            value = ("a value of some length, %d" if rng.random() < 0.2 else "%d") % rng.getrandbits(40)
            if rng.random() < 0.5:
                seen = [v for c, v in state.get(key, []) if c <= start]
                own = [op[2] for op in ops if op[0] == "w" and op[1] == key]
                read = (own or seen or [None])[-1]
                ops.append(["r", key, "wrong" if rng.random() < 0.005 else read])
            elif committed.get(key, -1) <= start or rng.random() < 0.01:
                ops.append(["w", key, value])
        for op in ops:
            if op[0] == "w":
                state.setdefault(op[1], []).append((commit, op[2]))
                state[op[1]].sort(key=lambda v: v[0])
                del state[op[1]][:-8]
                committed[op[1]] = max(commit, committed.get(op[1], 0))
        arrives = max(commit + rng.gauss(100, 30), session_at.get(session, (0, 0))[1])
        session_at[session] = (commit, arrives)
        line = json.dumps({"id": "t%d" % i, "session": session, "start_ts": start,
                           "commit_ts": commit, "ops": ops}) + "\n"
        lines.append((arrives, line))
        if rng.random() < 0.05:
            lines.append((arrives + rng.uniform(0, 30), line))
    return [line for _, line in sorted(lines, key=lambda x: x[0])]


def make_timed_stream(rng, txns):
    """Lines without timestamps: each took effect when it began, but for some reads that no write
    can explain. One in twenty comes twice."""
    state, lines, free, arrived = {}, [], {}, {}
    for i in range(txns):
        begin, session, ops = i * 10, rng.randint(0, 15), []
        if free.get(session, -1) > begin:
            session = 1000 + i % 100
        end = begin + rng.randint(1, 60)
        for _ in range(rng.randint(1, 5)):
            key = "k%d" % rng.randint(0, 100)
            if rng.random() < 0.5:
                ops.append(["r", key, "wrong" if rng.random() < 0.004 else state.get(key)])
            else:
                state[key] = "v%d.%d" % (i, len(ops))
                ops.append(["w", key, state[key]])
        free[session] = end
        arrives = arrived[session] = max(end + rng.gauss(100, 30), arrived.get(session, 0))
        line = json.dumps({"id": "t%d" % i, "session": session, "begin": begin, "end": end, "ops": ops}) + "\n"
        lines.append((arrives, line))
        if rng.random() < 0.05:
            lines.append((arrives + rng.uniform(0, 30), line))
    return [line for _, line in sorted(lines, key=lambda x: x[0])]


def ids(path):
    with open(path) as f:
        return [json.loads(line)["id"] for line in f]


class Writer(threading.Thread):
    """Appends the lines to the file, in pieces that end anywhere."""

    def __init__(self, path, text):
        super().__init__()
        self.path, self.text, self.slow = path, text, True

    def run(self):
        with open(self.path, "ab", buffering=0) as f:
            for at in range(0, len(self.text), 4099):
                f.write(self.text[at:at + 4099])
                if self.slow:
                    time.sleep(0.02)


def try_it(alibi, rng, kills, lines, words, ways, kinds):
    """words: how to judge the stream; ways: how else, when it is killed."""
    def command(stream, log, *more):
        return [alibi, "watch", "--json", "--log", log, *words, *more, stream]
    with tempfile.TemporaryDirectory() as folder:
        whole, grows, calm, log, mark = (os.path.join(folder, name) for name in (
            "whole", "grows", "calm", "log", "mark"))
        text = "".join(lines).encode()
        with open(whole, "wb") as f:
            f.write(text)
        open(grows, "w").close()
        out = subprocess.run(command(whole, calm), capture_output=True, text=True)
        summary = json.loads(out.stdout.splitlines()[-1])
        writer = Writer(grows, text)
        writer.start()
        resumed, ways = 0, ["--checkpoint", mark, *ways]
        for _ in range(kills):
            resumed += os.path.exists(mark)
            child = subprocess.Popen(command(grows, log, "--follow", "--every", "20ms", *ways),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.02, 0.4))
            child.kill()
            child.wait()
            if rng.random() < 0.2 and os.path.exists(log):
                with open(log, "a") as f:
                    f.write('{"what":"viol')  # as if the system had gone down, too
        writer.slow = False
        writer.join()
        out = subprocess.run(command(grows, log, *ways), capture_output=True, text=True)
        last = json.loads(out.stdout.splitlines()[-1])
        wanted, found = ids(calm), ids(log)
        check("the stream has violations of all kinds (%d)" % len(wanted), len(wanted) >= kills and
              {json.loads(x)["kind"] for x in open(calm)} >= kinds)
        check("nothing is late", summary["unverified"] == 0)
        check("some come twice", summary["duplicates"] > 0)
        check("checkpoints were there (%d of %d)" % (resumed, kills), resumed >= kills * 0.5)
        check("nothing is in the log twice", len(found) == len(set(found)))
        check("nothing is lost", set(wanted) <= set(found), set(wanted) - set(found))
        check("nothing is false", set(found) <= set(wanted), set(found) - set(wanted))
        check("the sums are the same",
              all(last[n] == summary[n] for n in ("txns", "violations", "duplicates", "verdict")), (last, summary))
    print("%d violations, %d kills, %d times from a checkpoint" % (len(wanted), kills, resumed))


def main():
    alibi = sys.argv[1]
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    ways, spill = ["--threads", "2"], ["--spill", tempfile.gettempdir(), "--spill-above", "1K"]
    tried = subprocess.run([alibi, "watch", "--level", "si", *spill, os.devnull], capture_output=True, text=True)
    if "without LMDB" not in tried.stderr:
        ways += spill
    try_it(alibi, rng, kills, make_stream(rng, 1500 * kills), ["--level", "si", *HORIZON], ways,
           {"EXT", "NOCONFLICT", "SESSION"})
    clocks = max(kills // 4, 4)
    try_it(alibi, rng, clocks, make_timed_stream(rng, 1500 * clocks), ["--level", "sser", *HORIZON, "--round", "300"],
           [], {"ORDER"})
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
