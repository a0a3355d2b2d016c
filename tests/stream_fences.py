#!/usr/bin/env python3
"""alibi watch --fence as a user meets it: memory on a long stream, kills, silence, mistakes.

Histories of genhist get fences, and arrive with some sessions further behind than others. Memory
must not depend on how many transactions there are; verdicts are those of check at ser; a
watch that is killed again and again says what one says that was left in peace; and who
falls silent is named.

    stream_fences.py ALIBI [TXNS [KILLS]]
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import counted
import genhist
from counted import check

SESSIONS = 8
MEMORY = "28M"  # whatever the length
WORDS = "mode=ser sessions=%d ops=4 keys=500 shape=rmw" % SESSIONS


def fenced(lines, every):
    """The lines of a serial order, with a fence before every so many of each session."""
    left, fence = {}, None
    for number, line in enumerate(lines):
        session = line[:line.index(",")]
        if not left.get(session):
            yield '%s,"ops":[["r","fence",%s],["w","fence",%d]]}\n' % (session, json.dumps(fence), number + 1)
            fence, left[session] = number + 1, every
        left[session] -= 1
        yield line


def arrival(lines, rng, far):
    """Each session is as far behind as it likes, in transactions, and numbered by the others."""
    behind = [rng.randrange(far) for _ in range(SESSIONS)]
    placed = sorted((i + behind[genhist.session(line) % SESSIONS], i, line) for i, line in enumerate(lines))
    return ['{"id":%d,%s' % (i, line[1:]) for _, i, line in placed]


def write(path, lines):
    with open(path, "w") as f:
        f.writelines(lines)
    return path


def wrong_reads(lines, rng, count):
    """Some reads return a value without a writer."""
    lines = list(lines)
    for i in rng.sample(range(len(lines)), count):
        txn = json.loads(lines[i])
        reads = [op for op in txn["ops"] if op[0] == "r" and op[1] != "fence"]
        if reads:
            rng.choice(reads)[2] = -1 - i
            lines[i] = json.dumps(txn) + "\n"
    return lines


def watch(alibi, path, *more):
    """The summary, and what was found."""
    ran = subprocess.run([alibi, "watch", "--json", "--level", "ser", "--fence", "fence", "--sessions",
                          str(SESSIONS), *more, path], capture_output=True, text=True)
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    return (lines[-1], lines[:-1]) if lines else (ran.stderr, [])


def checked(alibi, path):
    ran = subprocess.run([alibi, "check", "--json", "--level", "ser", path], capture_output=True, text=True)
    return json.loads(ran.stdout)["verdict"]


def history(program, txns, seed, extra=""):
    words = "%s txns=%d seed=%d %s" % (WORDS, txns, seed, extra)
    return subprocess.run([program, *words.split()], capture_output=True, text=True, check=True).stdout.splitlines(True)


def long_streams(alibi, program, folder, txns):
    lines = arrival(fenced(history(program, txns, 3), 10), random.Random(txns), 400)
    summary, found = watch(alibi, write(os.path.join(folder, "long"), lines), "--max-memory", MEMORY)
    check("a long stream holds, in little memory", "txns" in summary and summary["verdict"] == "valid" and not found
          and summary["txns"] == len(lines) and summary["unverified"] == 0, summary)
    print("%d transactions in %s of memory: %s" % (len(lines), MEMORY, summary))


def planted(alibi, program, folder):
    for kind in ("lost-update", "write-skew", "long-fork", "none"):
        lines = history(program, 3000, 5, "shape=mixed break=" + kind)
        path = write(os.path.join(folder, "planted"), arrival(fenced(lines, 5), random.Random(kind), 200))
        summary, _ = watch(alibi, path, "--round", "200")
        check("the verdict of check: " + kind, summary["verdict"] == checked(alibi, path)
              == ("valid" if kind == "none" else "violates"), summary)


def ids(path):
    with open(path) as f:
        return [json.loads(line)["id"] for line in f]


def written(path):
    return os.stat(path).st_mtime_ns if os.path.exists(path) else None


def killed(alibi, program, folder, kills):
    """A stream with wrong reads, all of which are reported once, whatever is killed when."""
    rng = random.Random(kills)
    lines = wrong_reads(arrival(fenced(history(program, 12000, 7), 10), rng, 400), rng, 40)
    for i in rng.sample(range(500, len(lines)), 200):
        lines[i] += lines[i - rng.randrange(500)].splitlines(True)[0]  # some come again
    path, calm, log, mark = (os.path.join(folder, n) for n in ("stream", "calm", "log", "mark"))
    write(path, lines)
    summary, found = watch(alibi, path, "--round", "300", "--log", calm)
    check("wrong reads are found", len(found) >= 20 and summary["duplicates"] == 200, summary)
    words = ["--round", "300", "--log", log, "--checkpoint", mark, "--every", "10ms"]
    grows, pieces = path + ".grows", [lines[i * len(lines) // (kills + 1):(i + 1) * len(lines) // (kills + 1)]
                                      for i in range(kills + 1)]
    for piece in pieces[:-1]:
        with open(grows, "a") as f:
            f.writelines(piece)
        before, end = written(mark), time.time() + 20
        child = subprocess.Popen([alibi, "watch", "--level", "ser", "--fence", "fence", "--sessions", str(SESSIONS),
                                  *words, "--follow", grows], stdout=subprocess.DEVNULL)
        while written(mark) == before and time.time() < end:
            time.sleep(0.005)
        time.sleep(rng.uniform(0, 0.05))
        child.kill()
        child.wait()
        check("there was a checkpoint before it was killed", written(mark) != before)
    with open(grows, "a") as f:
        f.writelines(pieces[-1])
    again, _ = watch(alibi, grows, *words)
    check("nothing is lost, false or twice", sorted(ids(log)) == sorted(ids(calm)),
          "%d instead of %d" % (len(ids(log)), len(ids(calm))))
    check("the sums are the same", all(again[n] == summary[n] for n in (
        "txns", "violations", "duplicates", "verdict", "fences", "gone", "rounds")), (again, summary))
    other = subprocess.run([alibi, "watch", "--level", "ser", "--fence", "other", "--sessions", "2", "--checkpoint", mark,
                            path], capture_output=True, text=True)
    check("a checkpoint belongs to its fences", other.returncode == 255 and "other fences" in other.stderr, other.stderr)


def silent(alibi):
    """One session makes no fence any more, and the others wait."""
    lines, fence = [], None
    for i in range(70000):
        session = i % 2 if i < 100 else 1
        ops = [["w", "x%d" % session, i]]
        if i % 10 < 2:
            ops, fence = [["r", "fence", fence], ["w", "fence", i]], i
        lines.append(json.dumps({"session": "s%d" % session, "ops": ops}) + "\n")
    for words, note in ((["--sessions", "2"], "wait for a fence of session s0, whose last one is number 19 of"),
                        (["--sessions", "3"], "of 3 sessions only 2 have come")):
        ran = subprocess.run([alibi, "watch", "--level", "ser", "--fence", "fence", *words, "-"],
                             input="".join(lines), capture_output=True, text=True)
        check("the session it waits for", ran.returncode == 0 and note in ran.stderr, ran.stderr)
    ran = subprocess.run([alibi, "watch", "--level", "ser", "--fence", "fence", "--sessions", "2", "--horizon", "50", "-"],
                         input="".join(lines), capture_output=True, text=True)
    check("one that has ended is not waited for", "wait" not in ran.stderr and ran.returncode == 2
          and ran.stdout.count("unverified  fences: ") == 4, ran.stdout + ran.stderr)


def mistakes(alibi):
    fence = ["--fence", "fence", "--sessions", "2"]
    for words, message in (
            (["--level", "ser", "--fence", "fence"], "--fence requires --sessions"),
            (["--level", "ser", "--sessions", "2"], "--sessions requires --fence"),
            (["--level", "si", *fence], "at ser, not at si"),
            (["--level", "sser", *fence], "at ser, not at sser"),
            (["--level", "ser", "--assume-time-order", *fence], "instead of clocks"),
            (["--level", "ser", "--deadline", "1s", *fence], "instead of clocks"),
            (["--level", "ser", "--horizon", "5", "--longest", "5", *fence], "instead of clocks"),
            (["--level", "ser", "--clock-skew", "5", *fence], "instead of clocks"),
            (["--level", "ser", "--threads", "2", *fence], "not divided into shards or threads"),
            (["--level", "ser", "--shard", "1/2", *fence], "not divided into shards or threads"),
            (["--level", "ser", "--session-order", "off", *fence], "rest on the order of sessions"),
            (["--level", "ser", "--fence", "{", "--sessions", "2"], "the fence:1:")):
        ran = subprocess.run([alibi, "watch", *words, "-"], input="", capture_output=True, text=True)
        check("refused: %s" % words, ran.returncode in (254, 255) and message in ran.stderr, ran.stderr)


def main():
    alibi = sys.argv[1]
    txns = int(sys.argv[2]) if len(sys.argv) > 2 else 40000
    kills = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    mistakes(alibi)
    silent(alibi)
    with tempfile.TemporaryDirectory() as folder:
        program = genhist.build(folder)
        planted(alibi, program, folder)
        killed(alibi, program, folder, kills)
        long_streams(alibi, program, folder, txns)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
