#!/usr/bin/env python3
"""alibi watch with input that is not as it should be, and on a system that fails it.

What was found must be reported before the watch gives up, and it must say why it does. When
the cause is mended and it is started again, nothing is lost, and nothing is reported twice.

    stream_faults.py ALIBI [SIGNALS [SEED]]
"""
import gzip
import json
import lzma
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

import counted
from counted import check
from stream_kill import HORIZON, Writer, ids, make_stream
from watched import line, small_files

CLASH = line(1, [["w", "x", 1]], 1, 3) + line(2, [["w", "x", 2]], 2, 4)  # is found at once
SI = ["--level", "si", "--horizon", "100000"]
SSER = ["--level", "sser", "--horizon", "100000"]
alibi = os.path.abspath(sys.argv[1])


def command(*words):
    return [alibi, "watch", *words]


def run(*words, text=None, **more):
    if "stdout" not in more:
        more["stdout"] = subprocess.PIPE
    return subprocess.run(command(*words), input=text, stderr=subprocess.PIPE, text=True, timeout=60, **more)


def timed(n, begin, end, ops, **more):
    return json.dumps(dict(dict(id=n, session=n, begin=begin, end=end, ops=ops), **more)) + "\n"


# ---- input ----

def broken_lines(folder):
    """Of whatever kind, wherever: what stands before is reported, in the log, too."""
    log, many = os.path.join(folder, "broken.log"), "".join(line(n, []) for n in range(10, 2000))
    for broken in ("{\n", "{", "\0\n", "\0" + line(3, []), line(3, [])[:30], "[1]\n", "\xff\n",
                   line(3, [["w", "x", float("nan")]]), line(3, [], 1, 2 ** 63), line(2, [["w", "y", 1]])):
        for words, between in (([], ""), (["--threads", "2"], ""), ([], many), (["--threads", "2"], many)):
            ran = run(*SI, *words, "--log", log, "-", text=CLASH + between + broken)
            number = 3 + between.count("\n")
            check("%s %r: %s" % (words, broken, ran),
                  ran.returncode == 255 and "standard input:%d:" % number in ran.stderr and "write conflict: " in ran.stdout)
            check("logged before %r" % broken, len(ids(log)) == 1)
            os.unlink(log)
    ran = run(*SI, "-", text=CLASH + "x" * (2 ** 28 + 10 ** 6))
    check("a line without end: %s" % ran, ran.returncode == 255 and "standard input: there is no line end" in ran.stderr
          and "write conflict: " in ran.stdout)
    plain = subprocess.run([alibi, "check", "--level", "si", "-"], input=CLASH + "\0" + line(3, []), text=True,
                           capture_output=True)
    check("check does not take it for blank: %s" % plain, plain.returncode == 255 and "0x00" in plain.stdout)


def packed_streams(folder):
    """It is said what to do."""
    path = os.path.join(folder, "packed")
    for pack, unpack in ((gzip.compress, "zcat"), (lzma.compress, "xzcat"),
                         (lambda text: b"\x28\xb5\x2f\xfd" + text, "zstdcat")):
        with open(path, "wb") as f:
            f.write(pack(CLASH.encode()))
        for words in (["--follow", path], [path]):
            ran = run(*SI, *words)
            check("packed, for %s" % unpack, ran.returncode == 255 and "is compressed by" in ran.stderr
                  and ": %s FILE | alibi watch" % unpack in ran.stderr, ran)


def taken_ids():
    """A transaction that comes again is one thing, another one with its id another."""
    for words, first, others in (
            (SI, line(1, [["w", "x", 1]], 3, 4), (
                line(1, [["w", "x", 1]], 3, 5), line(1, [["w", "x", 1]], 2, 4), line(1, [["w", "x", 2]], 3, 4),
                line(1, [["r", "x", 1]], 3, 4), line(1, [], 3, 4), line(1, [["w", "x", 1], ["w", "y", 1]], 3, 4))),
            (SSER, timed(1, 3, 4, [["w", "x", 1]]), (
                timed(1, 3, 5, [["w", "x", 1]]), timed(1, 1, 4, [["w", "x", 1]])))):
        for other in others:
            ran = run(*words, "-", text=first + other)
            check("%s" % ran, ran.returncode == 255 and "standard input:2: id 1 was that of another" in ran.stderr)
        check("comes again: %s" % first, run(*words, "-", text=first + first).returncode == 0)
    nameless = timed(1, 1, 2, [["w", "x", 1]]).replace('"id": 1, ', "")
    for text in (nameless + timed(1, 3, 4, [["r", "x", None]]), timed(2, 1, 2, []) + nameless):
        ran = run(*SSER, "-", text=text)
        check("an id that is a number: %s" % ran, ran.returncode == 255 and "ids must be unique" in ran.stderr)


def limits_of_time():
    """Timestamps and clocks at the ends of what there is."""
    first, last = -2 ** 63, 2 ** 63 - 1
    texts = {
        "si": line(1, [["w", "x", 1]], first, first) + line(2, [["r", "x", 1]], 0, 0)
        + line(3, [["r", "x", 1], ["w", "x", 2]], [last, last], [last, last]),
        "sser": timed(1, first, first, [["w", "x", 1]]) + timed(2, 0, 0, [["r", "x", 1]])
        + timed(3, last, last, [["r", "x", 1], ["w", "x", 2]])}
    for level, text in texts.items():
        for words in ([], ["--horizon", "0"], ["--horizon", str(last)], ["--horizon", str(2 ** 64 - 2)],
                      ["--horizon", "1", "--longest", str(last)], ["--deadline", "1ms"]):
            ran = run("--level", level, *words, "-", text=text)
            check("%s %s: %s" % (level, words, ran), ran.returncode == 0)
            ran = run("--level", level, *words, "-", text=text.replace('["r", "x", 1], ', '["r", "x", null], '))
            check("%s %s, a stale read: %s" % (level, words, ran), ran.returncode == 1)
    ran = run("--level", "sser", "--horizon", str(2 ** 64 - 1), "-", text="")
    check("too large a number: %s" % ran, ran.returncode == 254 and "--horizon" in ran.stderr)


# ---- the system ----

def full_disk(folder):
    path, log, mark = (os.path.join(folder, n) for n in ("full", "full.log", "full.mark"))
    words = ["--json", "--level", "si", *HORIZON, "--log", log, "--checkpoint", mark]
    with open(path, "w") as f:
        f.writelines(make_stream(random.Random(3), 4000))
    calm = [json.loads(text)["id"] for text in run("--json", "--level", "si", *HORIZON, path).stdout.splitlines()[:-1]]
    with open("/dev/full", "w") as full:
        ran = run(*SI, "-", text=CLASH, stdout=full)
        check("unreadable: %s" % ran, ran.returncode == 255 and "standard output" in ran.stderr)
    ran = run(*SI, "--log", "/dev/full", "-", text=CLASH)
    check("a log that is full: %s" % ran,
          ran.returncode == 255 and "/dev/full: cannot write: No space" in ran.stderr and "write conflict: " in ran.stdout)
    ran = run(*SI, "--checkpoint", os.path.join(folder, "nowhere", "mark"), path)
    check("no folder for a checkpoint: %s" % ran, ran.returncode == 255 and not ran.stdout
          and "no checkpoint can be written here: No such" in ran.stderr)
    ran = run(*words, path, preexec_fn=small_files(1000))
    check("a log that gets full: %s" % ran, ran.returncode == 255 and "full.log" in ran.stderr and "cannot write: " in ran.stderr)
    ran = run(*words, path, preexec_fn=small_files(os.path.getsize(log) + 20000))
    check("no room for a checkpoint: %s" % ran, ran.returncode == 255 and "the checkpoint could not be written: File too large" in ran.stderr
          and os.listdir(folder).count("full.mark.new") == 0)
    ran = run(*words, path)
    check("with room again, all is there, and once", ran.returncode == 1 and sorted(ids(log)) == sorted(calm))
    with open(mark, "rb") as f:
        before = f.read()
    with open(path, "a") as f:
        f.write(line(10 ** 6, []))
    ran = run(*words, path, preexec_fn=small_files(len(before) // 2))
    with open(mark, "rb") as f:
        check("the checkpoint before is still there: %s" % ran, ran.returncode == 255 and f.read() == before)


def other_files(folder):
    """What is not ours is neither read as if it were, nor changed."""
    path = os.path.join(folder, "other")
    for text in ("a note", "a note\n", CLASH, CLASH[:-9]):
        with open(path, "w") as f:
            f.write(text)
        for words, message in ((["--log", path], "name another one"), (["--checkpoint", path], "not a checkpoint")):
            ran = run(*SI, *words, os.devnull if words[0] == "--log" else path)
            with open(path) as f:
                check("%s %r: %s" % (words, text, ran),
                      ran.returncode == 255 and message in ran.stderr and f.read() == text)
    ran = run(*SI, "--checkpoint", folder, path)
    check("a folder: %s" % ran, ran.returncode == 255 and "not a checkpoint" in ran.stderr)


def followed_files(folder):
    """One that is cut, or that gets another in its place, is not waited for in vain."""
    path = os.path.join(folder, "followed")
    for change, code, said in (
            (lambda: os.truncate(path, 0), 255, "shorter than what was read"),
            (lambda: os.replace(path + ".new", path), 1, "another file has this name now"),
            (lambda: os.unlink(path), -signal.SIGKILL, "")):
        for name, text in ((path, CLASH), (path + ".new", "")):
            with open(name, "w") as f:
                f.write(text)
        child = subprocess.Popen(command(*SI, "--follow", path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        reported = child.stdout.readline()
        change()
        try:
            out, error = child.communicate(timeout=20 if said else 0.3)
        except subprocess.TimeoutExpired:
            child.kill()
            out, error = child.communicate()
        check("a followed file: %s" % said, "write conflict: " in reported and child.returncode == code and said in error,
              (reported, out, error, child.returncode))


def time_limit(folder):
    """Also when nothing comes. What was found before it counts, and can be gone on from."""
    path, mark = os.path.join(folder, "quiet"), os.path.join(folder, "quiet.mark")
    for text, words, code, verdict in ((CLASH, [], 1, "violates"), (line(1, []), [], 2, "unknown"),
                                       (line(1, []), ["--deadline", "10ms"], 2, "unknown")):
        with open(path, "w") as f:
            f.write(text)
        ran = run(*(words and ["--level", "si"] or SI), *words, "--follow", "--timeout", "300ms", "--checkpoint", mark, path)
        check("a time limit", ran.returncode == code and "time limit was reached" in ran.stderr
              and ran.stdout.splitlines()[-1].startswith(verdict), ran)
        check("a checkpoint, then", os.path.exists(mark))
        os.unlink(mark)
    many_keys = "".join(line(n, [["w", "key number %d" % n, 1]]) for n in range(10, 20000))
    ran = run(*SI, "--max-memory", "1M", "-", text=CLASH + many_keys)
    check("a limit of memory", ran.returncode == 1 and "memory limit" in ran.stderr
          and ran.stdout.splitlines()[-1].startswith("violates"), ran)


def two_at_once(folder):
    """The second watch gets a message, and the first does not notice."""
    path, log, mark = (os.path.join(folder, n) for n in ("two", "two.log", "two.mark"))
    with open(path, "w") as f:
        f.write(CLASH)
    words = [*SI, "--follow", path]
    for ours in (["--checkpoint", mark, "--every", "1h"], ["--log", log]):
        first = subprocess.Popen(command(*ours, *words), stdout=subprocess.PIPE, text=True)
        end = time.time() + 20
        while not os.path.exists(ours[1]) and time.time() < end:
            time.sleep(0.01)
        second = run(*ours, "--timeout", "10s", *words)
        check("%s: %s" % (ours, second),
              second.returncode == 255 and "another watch uses this" in second.stderr and ours[1] in second.stderr)
        first.send_signal(signal.SIGTERM)
        check("the first goes on", "write conflict: " in first.communicate(timeout=20)[0] and first.returncode == 1)
        check("when it has ended, another one may", run(*ours, *SI, path).returncode == 1)
        os.unlink(ours[1])
    # Both begin without a checkpoint.
    pair = [subprocess.Popen(command("--checkpoint", mark, "--every", "50ms", *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True) for _ in range(2)]
    end = time.time() + 20
    while all(p.poll() is None for p in pair) and time.time() < end:
        time.sleep(0.01)
    lost, left = sorted(pair, key=lambda p: p.poll() is None)
    check("one of two stays", lost.poll() == 255 and "another watch" in lost.communicate()[1] and left.poll() is None)
    first_line = left.stdout.readline()  # it has read the file
    left.send_signal(signal.SIGTERM)
    rest = left.communicate(timeout=20)[0]
    check("and ends well", left.returncode == 1, (left.returncode, first_line + rest))


def signals(folder, count, rng):
    """SIGTERM and SIGHUP at any moment, also before it has begun; with SIGHUP the log is renamed."""
    path, calm, mark = (os.path.join(folder, n) for n in ("s", "s.calm", "s.mark"))
    log, logs = os.path.join(folder, "s.log"), []
    text = "".join(make_stream(rng, 600 * count))
    with open(calm, "w") as f:
        f.write(text)
    open(path, "w").close()
    wanted = [json.loads(said)["id"] for said in run("--json", "--level", "si", *HORIZON, calm).stdout.splitlines()[:-1]]
    writer = Writer(path, text.encode())
    writer.start()
    words = ["--json", "--level", "si", *HORIZON, "--log", log, "--checkpoint", mark, path]
    codes = set()
    for _ in range(count):
        child = subprocess.Popen(command("--follow", *words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.choice([0.0, 0.05, 0.1, 0.3]))
        if os.path.exists(log) and os.path.exists(mark) and rng.random() < 0.5:
            logs.append(log + ".%d" % len(logs))
            os.rename(log, logs[-1])
            child.send_signal(signal.SIGHUP)
            end = time.time() + 20
            while not os.path.exists(log) and child.poll() is None and time.time() < end:
                time.sleep(0.01)
        child.send_signal(signal.SIGTERM)
        codes.add(child.wait(30))
    writer.slow = False
    writer.join()
    last = run(*words)
    found = [i for name in [*logs, log] if os.path.exists(name) for i in ids(name)]
    check("exit codes: %s" % codes, last.returncode == 1 and codes <= {0, 1, 2, -signal.SIGTERM, -signal.SIGHUP})
    check("%d signals: %d findings, %d wanted" % (
        count, len(found), len(wanted)), sorted(found) == sorted(wanted) and len(wanted) > count)


def busy(folder):
    """A second signal ends the watch, whatever it does; where it only waits, one is enough."""
    fifo, hard, loud = (os.path.join(folder, n) for n in ("fifo", "hard", "loud"))
    rng = random.Random(1)
    os.mkfifo(fifo)
    child = subprocess.Popen(command(*SI, fifo), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.5)
    child.send_signal(signal.SIGTERM)
    check("a pipe without a writer", ends(child, 10) == 2, child.returncode)
    child = subprocess.Popen(command(*SI, fifo), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.3)
    with open(fifo, "w") as f:
        f.write(CLASH)
    check("and with a writer, later", ends(child, 10) == 1, child.returncode)
    with open(hard, "w") as f:
        f.writelines(timed(n, 0, 10 ** 6 + n, [[rng.choice("rw"), rng.randrange(11), rng.randrange(6)] for _ in range(4)])
                     for n in rng.sample(range(6000), 6000))
    with open(loud, "w") as f:
        f.writelines(line(n, [["w", n // 2, n]], 1, 3) for n in range(4000))
    for what, words in (("a search", ["--level", "sser", "--horizon", "10000000", "--round", "5000", hard]),
                        ("standard output without a reader", [*SI, loud])):
        child = subprocess.Popen(command(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        child.send_signal(signal.SIGTERM)
        child.send_signal(signal.SIGTERM)  # as timeout(1) does
        said = child.stderr.readline()
        check("in %s, the first asks" % what, "another signal ends it" in said and child.poll() is None, said)
        child.send_signal(signal.SIGINT)
        check("in %s, the next one ends it" % what, ends(child, 10) == -signal.SIGINT, child.returncode)


def ends(child, seconds):
    """The exit code; what it prints is not read before."""
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        child.kill()
    child.communicate()
    return child.returncode


def main():
    count, seed = (int(n) for n in (sys.argv[2:] + ["20", "1"][len(sys.argv) - 2:])[:2])
    with tempfile.TemporaryDirectory() as folder:
        broken_lines(folder)
        packed_streams(folder)
        taken_ids()
        limits_of_time()
        full_disk(folder)
        other_files(folder)
        followed_files(folder)
        time_limit(folder)
        two_at_once(folder)
        busy(folder)
        signals(folder, count, random.Random(seed))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
