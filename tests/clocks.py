#!/usr/bin/env python3
"""Clients' clocks, with and without skew, against brute force on tiny random histories.

At sser, and with --assume-time-order at pc, si and ser, a transaction comes before another
that began more than the skew after its end. The brute force is oracle.py.

Of a violation that rests on clocks alone, the least skew with which the history holds, and
the session whose clock is to blame, must be as brute force says; and a clock that was put
forward or back in a larger history must be found.

    clocks.py ALIBI [HISTORIES [SEED]]
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import counted
import oracle
import tiny
from counted import check

BATCH = 200


def history(rng):
    """One with clocks: others get some."""
    lines = tiny.history(rng)
    clock = 0
    for t in lines[1:]:
        clock += rng.randint(0, 6)
        t["begin"], t["end"] = clock, clock + rng.randint(0, 12) - (rng.random() < 0.1) * 9
        if rng.random() < 0.1:
            del t[rng.choice(["begin", "end"])]
    return lines


def without_times(text, session):
    lines = [json.loads(line) for line in text.splitlines()]
    return "\n".join(json.dumps({k: v for k, v in t.items() if t.get("session") != session
                                 or k not in ("begin", "end")}) for t in lines)


def blamed(level, skew, text, result):
    """What is wrong with what the program says about clocks, or None."""
    def decide(text, bound):
        return oracle.decide(level, text.splitlines(), time_order=True, skew=bound)
    clocks = result.get("clocks")
    alone = oracle.decide(level, text.splitlines(), time_order=False) == "valid"
    if alone != bool(clocks):
        return "without clocks it %s" % ("holds" if alone else "does not hold")
    if not alone:
        return None
    if not clocks["least"] or decide(text, clocks["enough"]) != "valid" or \
            decide(text, clocks["enough"] - 1) != "violates" or clocks["enough"] <= skew:
        return "%d is not the least skew" % clocks["enough"]
    if "session" in clocks and decide(without_times(text, clocks["session"]), skew) != "valid":
        return "it does not hold without session %s" % clocks["session"]
    return None


def finds_the_clock(alibi, folder):
    """Histories in which one clock is wrong."""
    path = os.path.join(folder, "shifted.jsonl")
    for seed, shift in ((1, 40), (2, -40), (3, 200)):
        rng = random.Random(seed)
        keys, clocks, lines = {}, [0] * 5, []
        for now in range(0, 3000, 5):  # one at a time, so that everything holds
            session = rng.randrange(5)
            key = "k%d" % rng.randrange(4)
            ops = [["r", key, keys.get(key)], ["w", key, now]]
            keys[key] = now
            off = shift if session == 3 else rng.randint(-3, 3)
            lines.append({"session": session, "begin": 1000 + now + off, "end": 1004 + now + off, "ops": ops})
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(json.dumps(t) + "\n" for t in lines)
        ran = subprocess.run([alibi, "check", "--json", "--level", "sser", "--clock-skew", "6", path],
                             capture_output=True, text=True)
        clocks = json.loads(ran.stdout).get("clocks", {})
        check("a clock that is wrong by %d" % shift,
              (clocks.get("session"), clocks.get("ahead")) == (3, shift > 0) and
              6 < clocks["enough"] <= abs(shift) + 3, clocks)
        ran = subprocess.run([alibi, "check", "--level", "all", "--clock-skew", "6", path],
                             capture_output=True, text=True)
        check("all levels", "sser is judged by the clients' clocks" in ran.stdout, ran.stdout)


def is_not_blamed_for_itself(alibi, folder):
    """One that ends before it begins, by its own clock."""
    path = os.path.join(folder, "backwards.jsonl")
    with open(path, "w", encoding="utf-8") as f:
        f.write('{"session":"a","begin":0,"end":10,"ops":[["w","x",1]]}\n'
                '{"session":"b","begin":100,"end":3,"ops":[["r","x",null],["w","y",1]]}\n')
    ran = subprocess.run([alibi, "check", "--json", "--level", "si", "--assume-time-order", path],
                         capture_output=True, text=True)
    clocks = json.loads(ran.stdout).get("clocks")
    check("what one's own end and begin differ by does not count", clocks == {"enough": 90, "least": True}, clocks)


def of_one_clock(alibi, folder):
    """Of times that are one order for all sessions, no clock can be ahead."""
    jepsen = "".join("{:index %d, :type %s, :process %d, :f :txn, :value [[%s]]}\n" % op for op in (
        (0, ":invoke", 0, ":w :x 1"), (1, ":ok", 0, ":w :x 1"), (2, ":invoke", 90, ":r :x nil"),
        (3, ":ok", 90, ":r :x nil"), (4, ":invoke", 0, ":r :x nil"), (5, ":ok", 0, ":r :x 1")))
    plain = '{"session":0,"begin":0,"end":1,"ops":[["w","x",1]]}\n{"session":90,"begin":2,"end":3,"ops":[["r","x",null]]}\n' \
            '{"session":0,"begin":4,"end":5,"ops":[["r","x",1]]}\n'
    for name, text, words, one in (
            ("h.edn", jepsen, [], True), ("h.jsonl", '{"alibi":1,"skew":0}\n' + plain, [], True),
            ("h.jsonl", plain, [], False), ("h.edn", jepsen, ["--clock-skew", "0"], True),
            ("h.jsonl", plain, ["--clock-skew", "0"], False)):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        ran = subprocess.run([alibi, "check", "--level", "sser", *words, path], capture_output=True, text=True)
        check("one clock, or one for each session", ran.returncode == 1
              and ("the database violated real-time order" in ran.stdout) == one
              and ("or the clocks are" in ran.stdout) == (not one), ran.stdout)


def main():
    alibi = sys.argv[1]
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    counts = {}
    for first in range(0, total, BATCH):
        with tempfile.TemporaryDirectory() as folder:
            rng = random.Random(seed * 1000003 + first)
            skew = rng.choice([0, 0, 1, 3, 10])
            in_header = skew > 0 and rng.random() < 0.5  # 0: of_one_clock()
            paths, texts = [], []
            for i in range(BATCH):
                lines = history(rng)
                if in_header:
                    lines[0]["skew"] = skew
                paths.append(os.path.join(folder, "%d.jsonl" % i))
                texts.append(tiny.text(lines))
                with open(paths[-1], "w") as f:
                    f.write(texts[-1])
            for level in ("pc", "si", "ser", "sser"):
                words = [alibi, "check", "--json", "--level", level]
                if level != "sser":
                    words.append("--assume-time-order")
                if not in_header:
                    words += ["--clock-skew", str(skew)]
                ran = subprocess.run(words + paths, capture_output=True, text=True)
                results = [json.loads(line) for line in ran.stdout.splitlines()]
                for text, result in zip(texts, results):
                    want = oracle.decide(level, text.splitlines(), time_order=True, skew=skew)
                    counts[level, want] = counts.get((level, want), 0) + 1
                    check("at %s, skew %d, the program says %s (%s), brute force %s" % (
                        level, skew, result["verdict"], result.get("reason"), want), result["verdict"] == want, text)
                    if want == "violates":
                        wrong = blamed(level, skew, text, result)
                        check("at %s, skew %d, the right clock is blamed" % (level, skew), not wrong,
                              "%s: %s\n%s" % (wrong, result.get("clocks"), text))
                check("all are answered at " + level, len(results) == len(paths), ran.stderr)
    with tempfile.TemporaryDirectory() as folder:
        finds_the_clock(alibi, folder)
        is_not_blamed_for_itself(alibi, folder)
        of_one_clock(alibi, folder)
    print(", ".join("%s %s %d" % (k + (n,)) for k, n in sorted(counts.items())))
    counted.enough(counts)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
