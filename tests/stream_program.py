#!/usr/bin/env python3
"""alibi watch as a user meets it: a file that grows, a pipe that pauses, interrupts, the
log, mistakes, violations that are explained too late, and planted ones in streams that arrive out of
order.

    stream_program.py ALIBI
"""
import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

import counted
import genhist
from counted import check
from watched import line, small_files

GOOD = line(1, [["w", "x", 1]]) + line(2, [["r", "x", 1], ["w", "x", 2]])
BAD = line(3, [["r", "x", 1]])


def run(alibi, words, text=""):
    out = subprocess.run([alibi, "watch"] + words, input=text, capture_output=True, text=True)
    return out.returncode, out.stdout, out.stderr


def verdicts(alibi):
    for level in ("si", "ser"):
        code, out, _ = run(alibi, ["--level", level, "-"], GOOD)
        check("a good stream at " + level, code == 0 and out.startswith("valid  %s, 2 transactions in " % level))
        code, out, _ = run(alibi, ["--level", level, "--timestamps", "serial", "-"], GOOD + BAD)
        check("a bad stream at " + level, code == 1 and "violation  wrong read: " in out and "; 1 violation (wrong read: 1)" in out)
    for meaning, code in ((None, 2), ("snapshot", 2), ("serial", 1)):
        header = json.dumps({"alibi": 1, "timestamps": meaning}) + "\n" if meaning else ""
        got, out, error = run(alibi, ["--level", "ser", "-"], header + GOOD + BAD)
        check("ser where timestamps are %s" % meaning, got == code and ("violation" in out) == (code == 1)
              and ("say --timestamps serial" in error) == (code == 2), (got, out, error))
    many = GOOD + "".join(line(i, [["r", "x", 1]]) for i in range(3, 50))
    code, out, error = run(alibi, ["--level", "ser", "-"], many)
    check("many of them are counted, not printed", code == 2 and out.count("undecided  wrong read: ") == 21
          and "47 undecided" in out and error.count("--timestamps serial") == 1, (code, out, error))
    code, _, error = run(alibi, ["--level", "sser", "--timestamps", "serial", "-"], GOOD)
    check("by clocks timestamps are not taken", code == 254 and "leave it out" in error, error)
    code, out, _ = run(alibi, ["--level", "si", "-"], line(1, []))
    check("one", ", 1 transaction in " in out, out)
    code, out, _ = run(alibi, ["--level", "si", "-"], "")
    check("nothing at all", code == 2 and "nothing committed" in out)
    late = line(1, [["w", "x", 1]]) + line(50, []) + line(2, [["w", "x", 2]])
    code, out, _ = run(alibi, ["--level", "si", "--horizon", "100", "-"], late)
    check("a late one", code == 2 and "unverified  came late: " in out and "1 not verified" in out)
    late += line(60, [], start=1, commit=600) + line(61, [], start=700, commit=600)
    code, out, _ = run(alibi, ["--json", "--level", "si", "--horizon", "100", "-"], late)
    summary = json.loads(out.splitlines()[-1])
    check("operations and reasons are counted",
          [summary[k] for k in ("ops", "unverified", "LATE", "LONG", "STAMPS")] == [2, 3, 1, 1, 1], summary)
    many = lines(*({"id": n, "session": n % 5, "ops": [["w", n, 1]]} for n in range(1000)))
    code, out, error = run(alibi, ["--level", "si", "-"], many)
    check("without timestamps: it is said, once, what to do", code == 2 and out.count("  timestamps: ") == 21
          and "1000 not verified" in out and "only counted" in out and error.count("--assume-time-order") == 1
          and "--fence" in error and len(error.splitlines()) == 1, (out, error))
    code, out, error = run(alibi, ["--json", "--level", "si", "-"], many)
    check("as JSON all are there", len(out.splitlines()) == 1001 and error.count('"what":"hint"') == 1, error)
    code, out, error = run(alibi, ["--level", "si", "-"], GOOD + lines({"id": "n", "ops": []}))
    check("one without is no reason for that", code == 2 and out.count("  timestamps: ") == 1 and not error, (out, error))
    far = 2 ** 62
    code, out, _ = run(alibi, ["--level", "si", "--horizon", "100", "-"],
                       line(1, []) + line(2, [], commit=far) + line(3, []))
    check("who moved the clock is named", code == 2 and "commit_ts is %d, of transaction 2, and %d ahead of all" %
          (far, far - 15) in out, out)
    check("and only if it was one alone", "ahead of all" not in run(alibi, ["--level", "si", "--horizon", "5", "-"],
          line(1, []) + line(2, []) + line(3, []) + line(4, []) + line(2, [], id="late"))[1])
    code, out, _ = run(alibi, ["--level", "sser", "--horizon", "100", "-"],
                       lines(*({"id": n, "begin": n, "end": end, "ops": []} for n, end in ((1, 2), (2, far), (3, 4)))))
    check("also by clocks", code == 2 and "end is %d, of transaction 2, and %d ahead of all" % (far, far - 2) in out, out)
    timeless = lines({"id": 1, "ops": [["w", "x", 1]]})
    for reason, words in (("TIMES", ["--level", "sser", "--horizon", "9"]),
                          ("FENCE", ["--level", "ser", "--fence", "f", "--sessions", "1"])):
        _, out, _ = run(alibi, ["--json"] + words + ["-"], timeless)
        found, summary = (json.loads(text) for text in out.splitlines())
        check("%s is counted as what it is called" % reason,
              found["kind"] == reason and summary[reason] == 1 and summary["STAMPS"] == 0, out)
    code, out, _ = run(alibi, ["--level", "Adya:PL-3", "-"], GOOD)
    check("a name that others have for a level", code in (0, 254))


def lines(*txns):
    return "".join(json.dumps(t) + "\n" for t in txns)


def explained(alibi):
    """A violation, and then a transaction that may explain it: the verdict does not rest on it. On others
    it does."""
    misread, wrote = [["r", "x", 9]], [["w", "x", 9]]
    unknown = {"id": "u", "status": "unknown", "ops": wrote}
    timeless = {"id": "n", "session": 2, "ops": wrote}
    fences = [{"id": n, "session": 1, "ops": [["r", "f", n or None], ["w", "f", n + 1]]} for n in range(5)]
    for way, words, before, explain in (
            ("timestamps", ["--level", "si", "--horizon", "10"],
             line(1, misread) + line(50, []) + line(60, []),
             [line(0, wrote), lines(unknown), lines(timeless)]),
            ("clocks", ["--level", "ser", "--assume-time-order", "--horizon", "5", "--round", "1"],
             lines(*({"id": n, "session": 1, "begin": 20 * n, "end": 20 * n + 1,
                      "ops": [] if n else misread} for n in range(5))),
             [lines({"id": "l", "session": 2, "begin": 0, "end": 1, "ops": wrote}), lines(unknown),
              lines(timeless)]),
            ("fences", ["--level", "ser", "--fence", '"f"', "--sessions", "1", "--round", "1"],
             lines(fences[0], {"id": "m", "session": 1, "ops": misread}, *fences[1:]),
             [lines(dict(unknown, session=2)), lines(timeless)])):
        for after in [""] + explain:
            code, out, _ = run(alibi, ["--json"] + words + ["-"], before + after)
            summary = json.loads(out.splitlines()[-1])
            check("by %s, %s" % (way, after or "none"), summary["violations"] == 1
                  and summary["stands"] == (not after) and code == (2 if after else 1)
                  and summary["verdict"] == ("unknown" if after else "violates"), summary)
    code, out, _ = run(alibi, ["--level", "si", "--horizon", "10", "-"],
                       line(1, misread) + line(2, [["r", "y", 9]]) + line(60, []) + line(0, wrote))
    check("another violation stands", code == 1 and out.splitlines()[-1].startswith("violates"), out)
    code, out, _ = run(alibi, ["--level", "si", "--horizon", "10", "-"],
                       line(1, misread) + line(60, []) + line(0, wrote))
    check("the summary says so", "all of which later transactions may explain" in out, out)


def tried_again(alibi):
    """Under an id that was that of another try: neither is dropped. What is the same comes again."""
    modes = (("timestamps", ["--level", "si", "--horizon", "100"], {"start_ts": 1, "commit_ts": 2}),
             ("ser", ["--level", "ser", "--horizon", "100"], {"commit_ts": 2}),
             ("clocks", ["--level", "sser", "--horizon", "100"], {"begin": 1, "end": 2}),
             ("fences", ["--level", "ser", "--fence", "f", "--sessions", "1"], {}))
    for mode, words, when in modes:
        first = dict(when, id="t1", session=1, ops=[["w", "x", 1]])
        for status in ("abort", "unknown"):
            tried = dict(first, status=status)
            code, _, error = run(alibi, words + ["-"], lines(tried, first))
            check("by %s, %s and then committed" % (mode, status), code == 255 and "id \"t1\" was that of another" in
                  error and "needs a new one" in error, (code, error))
            _, out, _ = run(alibi, ["--json"] + words + ["-"], lines(tried, tried))
            check("by %s, %s twice" % (mode, status), json.loads(out.splitlines()[-1])["duplicates"] == 1, out)
    fences = [{"id": n, "session": 1, "ops": [["r", "f", n or None], ["w", "f", n + 1]]} for n in range(9)]
    for again, wanted in ((dict(first, status="abort"), 0), (first, 255)):
        code, _, error = run(alibi, modes[3][1] + ["--round", "1", "-"],
                             lines(fences[0], dict(first, status="abort"), *fences[1:], again))
        check("when the first try has left the window", code == wanted, (code, error))
    for before in ({}, {"commit_ts": 2}):
        code, _, error = run(alibi, modes[1][1] + ["-"], lines(dict(first, **before), dict(first, commit_ts=3)))
        check("with another commit_ts", code == 255 and "was that of another" in error, (code, error))


def mistakes(alibi):
    many_keys = "".join(line(n, [["w", "key number %d" % n, 1]]) for n in range(20000))
    for words, text, expected, message in (
            ([], "", 254, "which stream"),
            (["-"], "", 254, "which level"),
            (["--level", "si", "--longest", "5", "-"], "", 254, "--longest requires --horizon"),
            (["--level", "rc", "-"], "", 254, "not at rc"),
            (["--level", "si", "--shard", "3/2", "-"], "", 254, "such as 2/3"),
            (["--level", "si", "--shard", "0/2", "-"], "", 254, "such as 2/3"),
            (["--level", "si", "--threads", "0", "-"], "", 254, "from 1 to 64"),
            (["--level", "si", "--spill-above", "1M", "-"], "", 254, "requires --spill"),
            (["--level", "si", "--round", "5", "-"], "", 254, "--round requires"),
            (["--level", "ser", "--clock-skew", "5", "-"], "", 254, "--clock-skew requires"),
            (["--level", "si", "--every", "5s", "-"], "", 254, "--every requires"),
            (["--level", "si", "--log", "/nowhere", "--checkpoint", "/nowhere", "-"], "", 254, "must be different files"),
            (["--level", "si", "/nowhere/at/all"], "", 255, "cannot open"),
            (["--level", "si", "-"], GOOD + "{\n", 255, "standard input:3:"),
            (["--level", "si", "--log", "/nowhere/at/all", "-"], GOOD, 255, "cannot write"),
            (["--level", "si", "--max-memory", "1M", "-"], many_keys, 2, "memory limit")):
        code, _, error = run(alibi, words, text)
        check("%s: %d %s" % (words, expected, message), code == expected and message in error, (code, error))


def read_until(child, wanted, seconds=20):
    """Lines that the child prints, up to one with `wanted` in it."""
    lines, end = [], time.time() + seconds
    os.set_blocking(child.stdout.fileno(), False)
    while time.time() < end:
        text = child.stdout.readline()
        if not text:
            time.sleep(0.01)
            continue
        lines.append(text)
        if wanted in text:
            return lines
    return None


def growing_file(alibi, folder):
    path, log = os.path.join(folder, "grows.jsonl"), os.path.join(folder, "log")
    with open(path, "w") as f:
        f.write(GOOD)
        f.flush()
        child = subprocess.Popen([alibi, "watch", "--level", "si", "--follow", "--deadline", "200ms",
                                  "--log", log, path], stdout=subprocess.PIPE, text=True)
        f.write(BAD[:20])
        f.flush()
        time.sleep(0.3)
        f.write(BAD[20:])
        f.flush()
        check("reported while the file is still open", read_until(child, "violation  wrong read: "))
        f.write(line(90, []))
        f.flush()
        time.sleep(0.1)
    child.send_signal(signal.SIGTERM)
    out = child.communicate(timeout=20)[0]
    check("a summary after SIGTERM", child.returncode == 1 and "violates" in out, out)
    with open(log) as f:
        lines = [json.loads(text) for text in f]
    check("the log", len(lines) == 1 and lines[0]["kind"] == "EXT" and lines[0]["txn"] == 3
          and lines[0]["expected"] == 2 and lines[0]["found"] == 1, lines)


def one_log(alibi, folder):
    """What a log has is not reported again, but another stream's or level's finding is another one, also if
    transactions have no ids."""
    log, path = os.path.join(folder, "of-all"), os.path.join(folder, "one.jsonl")

    def misread(at, found):
        return lines({"start_ts": 1, "commit_ts": at, "ops": [["r", "x", found]]})

    seen = []
    for level, text in (("si", misread(2, 5)), ("si", misread(3, 5)), ("si", misread(2, 6)), ("ser", misread(2, 5)),
                        ("si", misread(2, 5))):
        with open(path, "w") as f:
            f.write(text)
        code, out, _ = run(alibi, ["--level", level, "--timestamps", "serial", "--horizon", "9", "--log", log, path])
        with open(log) as f:
            seen.append((code, "violation  wrong read: " in out, len(set(json.loads(reported)["id"] for reported in f))))
    check("one log of several streams", seen == [(1, True, 1), (1, True, 2), (1, True, 3), (1, True, 4),
                                                 (1, False, 4)], seen)


def interrupted_pipe(alibi):
    child = subprocess.Popen([alibi, "watch", "--json", "--level", "si", "--horizon", "1000", "-"],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child.stdin.write(GOOD + BAD)
    child.stdin.flush()
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    summary = json.loads(child.communicate(timeout=20)[0])
    check("what was not judged is not reported, neither as valid",
          not summary["ended"] and summary["waiting"] == 3 and summary["violations"] == 0
          and summary["verdict"] == "unknown" and child.returncode == 2, (summary, child.returncode))
    for seconds in (1, 4, 16):  # on a busy machine it takes longer until all is judged
        child = subprocess.Popen([alibi, "watch", "--json", "--level", "si", "--deadline", "100ms", "-"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        child.stdin.write(GOOD)
        child.stdin.flush()
        time.sleep(seconds)
        child.send_signal(signal.SIGINT)
        summary = json.loads(child.communicate(timeout=20)[0])
        if not summary["waiting"]:
            break
    check("if all of it was judged, it does",
          summary["waiting"] == 0 and summary["verdict"] == "valid" and child.returncode == 0, summary)


def checkpoints(alibi, folder):
    path, mark, log = (os.path.join(folder, name) for name in ("part", "mark", "part.log"))
    words = ["--json", "--level", "si", "--horizon", "0", "--checkpoint", mark, "--log", log]
    with open(path, "w") as f:
        f.write(GOOD + BAD[:30])
    code, out, error = run(alibi, words + [path])
    check("half a line at the end is an error", code == 255 and "part:3:" in error, error)
    with open(path, "w") as f:
        f.write(GOOD)
    first = json.loads(run(alibi, words + [path])[1].splitlines()[-1])
    with open(path, "a") as f:
        f.write(BAD)
    code, out, _ = run(alibi, words + [path])
    second = json.loads(out.splitlines()[-1])
    check("goes on with what came since",
          first["txns"] == 2 and second["txns"] == 3 and code == 1 and second["EXT"] == 1
          and (first["ops"], second["ops"]) == (3, 4), out)
    code, out, _ = run(alibi, words + [path])
    check("what is known is not reported again", len(out.splitlines()) == 1 and json.loads(out)["EXT"] == 1)
    with open(log) as f:
        check("nor logged again", len(f.readlines()) == 1)
    os.unlink(mark)  # what the log has is known until it was found again, however late that is
    with open(path, "w") as f:
        f.write(GOOD)
    run(alibi, words + [path])
    with open(path, "a") as f:
        f.write(BAD)
    run(alibi, words + [path])
    with open(log) as f:
        check("nor logged again by one that started anew", len(f.readlines()) == 1)
    for change, more, message in (
            (None, ["--level", "ser"], "another level"),
            (None, ["--threads", "2"], "another number of shards or threads"),
            (None, ["--shard", "1/2"], "another number of shards or threads"),
            (None, ["--initial", "5"], "another initial value"),
            (b"alibi", [], "not a checkpoint"),
            ("cut", [], "damaged"),
            ("flip", [], "damaged"),
            ("place", [], "damaged")):
        with open(mark, "rb") as f:
            bytes_before = f.read()
        changed = {None: bytes_before, "cut": bytes_before[:-3],
                   "flip": bytes_before[:-40] + bytes([bytes_before[-40] ^ 1]) + bytes_before[-39:],
                   "place": bytes_before.replace(b"checkpoint 1 ", b"checkpoint 1 1", 1),
                   }.get(change, change)
        with open(mark, "wb") as f:
            f.write(changed)
        code, _, error = run(alibi, words + more + [path])
        check("refused: " + message, code == 255 and message in error, error)
        with open(mark, "wb") as f:
            f.write(bytes_before)
    code, _, error = run(alibi, words + ["-"], GOOD)
    check("no checkpoint of a pipe", code == 255 and "it is not a regular file" in error, error)
    with open(path, "w") as f:
        f.write(GOOD[:10])
    code, _, error = run(alibi, words + [path])
    check("another file", code == 255 and "shorter" in error, error)
    for other in ("".join(line(n, [["w", "y", n]]) for n in range(100, 200)),  # and where it ended, a line ends, or not
                  GOOD.replace('"x"', '"z"') + BAD + line(5, [])):
        with open(path, "w") as f:
            f.write(other)
        code, out, error = run(alibi, words + [path])
        check("another file, which is longer", code == 255 and "of another stream" in error and not out, error)
    with open(path, "w") as f:
        f.write(GOOD + BAD + line(5, [["w", "x", 5]]))
    code, out, _ = run(alibi, words + [path])
    check("the same, and more, in another file", code == 1 and json.loads(out)["txns"] == 4, out)
    os.unlink(mark)
    with open(path, "w") as f:
        f.write(lines({"begin": 1, "end": 2, "ops": [["r", "x", 7]]}))
    words = ["--level", "sser", "--horizon", "9", "--checkpoint", mark]
    begun = ["--clock-skew", "5", "--initial", "7"]
    for more, wanted in ((begun, None), (begun, None), (begun[2:], "another clock skew"),
                         (["--clock-skew", "6"] + begun[2:], "another clock skew"),
                         (begun[:2] + ["--initial", '"7"'], "another initial value"), (begun[:2], "another initial value")):
        code, _, error = run(alibi, words + more + [path])
        check("%s goes on from %s" % (more, begun), code == 255 and wanted in error and "start over" in error
              if wanted else code == 0, (code, error))


def spilling(alibi, folder):
    """Most of 20,000 keys leave memory and come back, and nothing else changes."""
    rng, state, lines = random.Random(2), {}, []
    for n in range(40000):
        ops = []
        for key in rng.sample(range(20000), 2):
            name = "key number %d" % key
            ops.append(["r", name, "never" if n % 5000 == 4999 else state.get(key)])
            ops.append(["w", name, "value %d" % n])
            state[key] = "value %d" % n
        lines.append(line(n, ops))
    words = ["--json", "--level", "si", "--horizon", "100", "--spill", folder, "--spill-above", "2M"]
    code, out, error = run(alibi, words + ["-"], "".join(lines))
    if "without LMDB" in error:
        counted.skip("spilling; the program was built without LMDB")
        return
    summary = json.loads(out.splitlines()[-1])
    whole = json.loads(run(alibi, words[:5] + ["-"], "".join(lines))[1].splitlines()[-1])
    check("keys that are elsewhere take no memory, and count",
          code == 1 and summary["violations"] == 16 and summary["keys"] == whole["keys"]
          and summary["bytes"] < 3e6 < whole["bytes"], (summary, whole))
    two = json.loads(run(alibi, words + ["--threads", "2", "-"], "".join(lines))[1].splitlines()[-1])
    check("on two threads", two["violations"] == 16 and two["keys"] == whole["keys"], two)
    check("nothing is left", not [name for name in os.listdir(folder) if name.startswith("alibi-")])
    ran = subprocess.run([alibi, "watch"] + words + ["-"], input="".join(lines), capture_output=True, text=True,
                         preexec_fn=small_files(200000))
    check("a folder that is full is named", ran.returncode == 255 and "cannot write to %s: " % folder in ran.stderr
          and "if it is full" in ran.stderr, ran.stderr)
    code, _, error = run(alibi, words[:5] + ["--spill", folder + "/nowhere", "-"], GOOD)
    check("no such folder", code == 255 and "No such file" in error, error)


def planted(alibi, folder):
    generator = genhist.build(folder)
    rng = random.Random(1)
    for what, level in (("lost-update", "si"), ("long-fork", "si"), ("write-skew", "ser"),
                        ("none", "si")):
        path = genhist.generate(generator, os.path.join(folder, "planted.jsonl"),
                                "mode=si txns=20000 stamps=1 keys=500 zipf=0.5 break=" + what)
        if level == "ser":
            genhist.generate(generator, path, "mode=ser txns=20000 stamps=1 keys=500 break=" + what)
        with open(path) as f:
            lines, last = [], {}
            for text in f:
                session, commit = genhist.session(text), json.loads(text)["commit_ts"]
                at = max(last.get(session, 0), commit + rng.gauss(100, 10))
                last[session] = at
                lines.append((at, text))
        lines.append((0, '{"alibi":1,"timestamps":"serial"}\n'))
        stream = "".join(text for _, text in sorted(lines, key=lambda x: x[0]))
        with open(path, "w") as f:
            f.write(stream)
        out = json.loads(subprocess.run(
            [alibi, "check", "--json", "--order", "timestamps", "--level", level, path],
            capture_output=True, text=True).stdout)
        code, text, _ = run(alibi, ["--json", "--level", level, "--horizon", "150", "--longest",
                                    "1100", "-"], stream)
        summary = json.loads(text.splitlines()[-1])
        shards = [json.loads(run(alibi, ["--json", "--level", level, "--horizon", "150", "--longest",
                                         "1100", "--shard", shard, "--threads", "2", path])[1]
                             .splitlines()[-1]) for shard in ("1/2", "2/2")]
        check("two shards of two threads find what one watch finds",
              sum(s["violations"] for s in shards) == summary["violations"]
              and sum(s["keys"] for s in shards) == summary["keys"]
              and all(s["txns"] == summary["txns"] for s in shards), (shards, summary))
        check("%s at %s: as many as check finds" % (what, level),
              summary["violations"] == out["violation_count"] and summary["unverified"] == 0
              and code == (what != "none") and (what == "none") == (out["violation_count"] == 0),
              (summary, out["violation_count"]))


def status_line(alibi, folder):
    """On a terminal, from the start on; it goes away for what is printed."""
    path = os.path.join(folder, "status.jsonl")
    open(path, "w").close()
    ours, theirs = pty.openpty()
    watch = subprocess.Popen([alibi, "watch", "--level", "si", "--follow", path], stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""

    def until(pattern):
        nonlocal shown
        end = time.monotonic() + 30
        while not re.search(pattern, shown) and time.monotonic() < end:
            if select.select([ours], [], [], 1)[0]:
                shown += os.read(ours, 65536)
        counted.check("a terminal shows %r" % pattern, re.search(pattern, shown), shown)

    until(rb"\r\x1b\[Kwatching at si  0 s  0 transactions  0/s  0 violations")
    with open(path, "w") as f:
        f.write('{"id":1,"start_ts":1,"commit_ts":3,"ops":[["w","x",1]]}\n{"id":2,"start_ts":2,"commit_ts":4,"ops":[["w","x",2]]}\n')
    until(rb"\r\x1b\[K(?:\x1b\[[\d;]*m)?violation")
    until(rb"watching at si  \d+ s  2 transactions  \d+/s  1 violations")
    watch.send_signal(signal.SIGINT)
    until(rb"\r\x1b\[K(?:\x1b\[[\d;]*m)?violates")
    watch.wait()
    os.close(ours)


def main():
    alibi = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        verdicts(alibi)
        explained(alibi)
        tried_again(alibi)
        mistakes(alibi)
        growing_file(alibi, folder)
        status_line(alibi, folder)
        one_log(alibi, folder)
        interrupted_pipe(alibi)
        checkpoints(alibi, folder)
        spilling(alibi, folder)
        planted(alibi, folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
