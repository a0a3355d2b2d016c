#!/usr/bin/env python3
"""`alibi synth` and `alibi compare`: what is known from papers, and what others say of what it finds.

- The results of the paper on Isolde, and the definitions of Biswas and Enea against
  those of Cerone and others.
- Random tasks at random bounds: what is found, the brute-force oracle and `alibi check`
  agree about, at each level they know. The oracle is oracle.py.
- What the program prints and exits with; docs/lattice.html is up to date.

    synth.py ALIBI PROJECT [TASKS [SEED]]
"""
import collections
import html.parser
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import counted
import oracle
from counted import check
from nameless import nameless

alibi, project = os.path.abspath(sys.argv[1]), sys.argv[2]
tasks = int(sys.argv[3]) if len(sys.argv) > 3 else 100
seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1


def run(*words):
    r = subprocess.run([alibi] + [str(w) for w in words], capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def synth(allow, forbid, txns, keys, values, *more):
    words = ["--txns", txns, "--keys", keys, "--values", values, "--json"]
    for option, levels in (("--allow", allow), ("--forbid", forbid)):
        words += [option, levels] if levels else []
    code, out, err = run("synth", *words, *more)
    return json.loads(out) if out else {"histories": [], "error": err, "code": code}


def finds(allow, forbid, txns, keys, values, *more):
    found = synth(allow, forbid, txns, keys, values, *more)
    check("something is allowed by %s and forbidden by %s" % (allow, forbid),
          found["histories"], found)
    return found["histories"]


def none(allow, forbid, txns, keys, values):
    found = synth(allow, forbid, txns, keys, values)
    check("nothing of %d transactions is allowed by %s and forbidden by %s" % (txns, allow, forbid),
          not found["histories"] and found.get("all") and found["exhausted"] == txns, found)


# ---- papers ----

def papers():
    least = finds("tap-ra", "ra", 2, 1, 2, "--min")
    check("tap-ra: smaller than the paper's", least[0]["history"] ==
          "s1: T1 w(x,1)\ns1: T2 r(x,null)\n", least)
    found = finds("tap-ra", "ra", 2, 1, 2, "--all", 50)
    paper = nameless("s1: T1 r(x,null) w(x,1)\ns1: T2 r(x,null)\n")
    check("tap-ra: the paper's is among them", paper in [nameless(h["history"]) for h in found], found)
    none("ra", "tap-ra", 5, 3, 3)
    none("cc", "tap-cc", 5, 5, 5)
    none("tap-cc", "cc", 5, 5, 5)

    none("si,us", "ser", 2, 2, 2)
    found = finds("si,us", "ser", 3, 2, 2, "--all", 200)
    paper = nameless("s1: T1 r(y,null) w(y,1)\ns2: T2 r(x,null) r(y,1)\n"
                     "s3: T3 r(x,null) r(y,null) w(x,1)\n")
    check("the read-only anomaly: the paper's is among them",
          paper in [nameless(h["history"]) for h in found], [h["history"] for h in found])
    forms = [nameless(h["history"]) for h in found]
    check("they differ by more than names", len(set(forms)) == len(forms), forms)

    none("ua", "nlu", 5, 3, 5)
    none("nlu", "ua", 3, 2, 3)
    finds("nlu", "ua", 3, 2, 4)
    for level in ("ra", "cc", "pc", "si", "ser"):
        none(level, level + "-vis", 5, 5, 5)
        none(level + "-vis", level, 5, 5, 5)
    chain = ["rc", "ra", "cc", "pc", "si", "ser"]
    for weak, strong in zip(chain, chain[1:]):
        none(strong, weak, 4, 3, 3)
        finds(weak, strong, 4, 2, 3)


# ---- alibi check at levels of formulas ----

def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def txn(number, session, *ops):
    return json.dumps({"id": "T%d" % number, "session": session, "ops": ops}) + "\n"


def among_others(folder, h):
    """What a level forbids it forbids among others that have nothing to do with it, and what it allows it
    never forbids there."""
    lines = []
    for line in h["history"].splitlines():
        session, number, ops = re.match(r"s(\d+): T(\d+)(.*)", line).groups()
        lines.append(txn(int(number), int(session), *(
            [kind, key, None if value == "null" else int(value)]
            for kind, key, value in re.findall(r"(\w)\((\w+),(\w+)\)", ops))))
    lines += [txn(1000 + n, 1000 + n % 3, ["r", "other", n or None], ["w", "other", n + 1]) for n in range(30)]
    path = write(folder, "among.jsonl", '{"alibi":1}\n' + "".join(lines))
    for level in h["levels"]:
        name = level["name"]
        if name in oracle.LEVELS:
            continue
        code, out, err = run("check", "--level", name, "--quiet", path)
        check("%s among others" % name, code in ((0, 2) if level["allows"] else (1,) if name != "nlu" else (1, 2)),
              (code, level, out, err, h["history"]))


def formulas(folder):
    # What alibi check takes for granted of levels and their neighbours.
    for strong, weak in (("si", "psi"), ("si", "ua"), ("si", "nlu"), ("ser", "us"), ("ser", "us-vis"),
                         ("ra", "tap-ra"), ("cc", "tap-cc"), ("psi", "cc"), ("ua", "ra"),
                         ("nlu", "ra"), ("us-vis", "ra")):
        none(strong, weak, 4, 3, 3)

    examples = os.path.join(project, "examples", "levels")
    update, fork = (os.path.join(examples, n) for n in ("lost-update.jsonl", "long-fork.jsonl"))
    code, out, err = run("check", "--level", "psi", update)
    check("psi forbids a lost update", code == 1 and "Lost update (" in out and "all orders were tried"
          in out, (out, err))
    code, out, err = run("explain", "--level", "psi", update)
    check("explain at psi", code == 1 and "the same with" in out, (out, err))
    code, out, err = run("check", "--level", "psi", fork)
    check("psi allows a long fork", code == 0 and "true of this order: T1, T2, T3, T4; T3 sees T1; "
          "T4 sees T2" in out, (out, err))
    code, out, err = run("check", "--level", "psi", os.path.join(examples, "causality-violation.jsonl"))
    check("by a weaker level", code == 1 and "judged by cc, which is weaker and does not hold" in out,
          (out, err))

    proof = os.path.join(folder, "proof")
    skew = os.path.join(examples, "write-skew.jsonl")
    code, out, err = run("check", "--level", "psi", "--certificate", proof, skew)
    check("by a stronger level", code == 0 and "judged by si, which is stronger and holds" in out,
          (out, err))
    code, out, err = run("verify", skew, proof)
    check("its certificate", code == 0 and "si" in out, (out, err))
    code, out, err = run("check", "--level", "psi", "--certificate", proof + "2", fork)
    check("no certificate of formulas", code == 0 and "which has no certificate" in err
          and not os.path.exists(proof + "2"), (out, err))

    mine = write(folder, "mine.level", "level psi over vis, ar same as ser\n"
                 "axiom total: all s, t: ar(s, t) => vis(s, t)\n")
    code, out, err = run("check", "--level", mine, skew)
    check("a file", code == 1 and "Write skew (" in out, (out, err))
    mine = write(folder, "mine.level", "level psi over co same as ser\n")
    code, out, err = run("check", "--level", mine, skew)
    check("a file's claims are not believed", code == 0 and "true of this order" in out, (out, err))

    choices = write(folder, "choices.jsonl", '{"alibi":1}\n' + txn(1, 1, ["w", "x", 1], ["w", "y", 1])
                    + txn(2, 2, ["w", "x", 1], ["w", "z", 1]) + txn(3, 3, ["r", "x", 1], ["r", "y", 1],
                                                                    ["r", "z", None]))
    code, out, err = run("check", "--level", "ua", choices)
    check("a value with two writers", code == 0, (out, err))
    unknown = '{"id":"T1","session":1,"status":"unknown","ops":[["w","x",1]]}\n'
    for value, level, want in ((1, "us", 0), (None, "us", 0), (2, "us", 1)):
        path = write(folder, "unknown.jsonl", '{"alibi":1}\n' + unknown + txn(2, 1, ["r", "x", value]))
        code, out, err = run("check", "--level", level, path)
        check("an unknown outcome, and a read of %s" % value, code == want, (code, out, err))
    for ops, why in (([["r", "x", [1]]], "the history has lists"),
                     ([["r", "x", None], ["r", "x", 1]], "reads a key twice")):
        path = write(folder, "outside.jsonl", '{"alibi":1}\n' + txn(1, 1, *ops) + txn(
            2, 1, ["append" if "lists" in why else "w", "x", 1]))
        code, out, err = run("check", "--level", "us", path)
        check("outside of formulas: %s" % why, code == 2 and why in out, (code, out, err))
    many = write(folder, "many.jsonl", '{"alibi":1}\n' + "".join(
        txn(n, n, ["r", "k%d" % (n // 2), None], ["w", "k%d" % (n // 2), n]) for n in range(100)))
    code, out, err = run("check", "--level", "psi", many)
    check("a part of many", code == 1 and re.search(r"all orders of T(\d+), T\d+ alone were tried", out)
          and "Lost update (" in out, (out, err))
    code, out, err = run("check", "--level", "nlu", many)
    check("too many, and a part does not tell", code == 2 and "up to 7 transactions" in out and "The weaker "
          "level ra holds. The stronger level si does not hold." in out, (out, err))
    for h in sum((synth(allow, forbid, 4, 2, 4, "--all", 6)["histories"]
             for allow, forbid in (("cc", "psi"), ("psi", "si"), ("ra", "ua"), ("ua", "cc"), ("nlu", "ua"),
                                   ("rc", "us"), ("us", "ser"), ("cc", "us-vis"), ("rc", "tap-ra"))), []):
        among_others(folder, h)
    off = write(folder, "off.jsonl", '{"alibi":1}\n' + txn(1, 1, ["w", "x", 1])
                + txn(2, 1, ["r", "x", None], ["w", "x", 2]))
    for order, want in (("on", 1), ("off", 0)):
        code, out, err = run("check", "--level", "psi", "--session-order", order, off)
        check("session order %s" % order, code == want, (code, out, err))

    code, out, err = run("watch", "--level", "psi", fork)
    check("watch names what it takes", code == 254 and "psi is defined by formulas" in err, err)
    code, out, err = run("check", "--level", "all", "--expect", "psi", fork)
    check("--expect of all levels", code == 254 and "psi is defined by formulas" in err, err)
    code, out, err = run("check", "--level", "parallel-snapshot-isolation", fork)
    check("what others call psi", code == 254 and "alibi check --level psi --session-order off" in err, err)
    claims = write(folder, "claims.jsonl", '{"alibi":1,"level":"psi"}\n' + txn(1, 1, ["w", "x", 1]))
    code, out, err = run("check", claims)
    check("a history claims it", code == 0 and "judged by si" in out, (out, err))
    for level in ("psi", "us"):
        code, out, err = run("check", "--level", level, "--require-txns", 1000, many)
        check("too few transactions for " + level, code == 2 and "requires at least 1000" in out, (out, err))
    code, out, err = run("check", "--level", "psj", fork)
    check("a near name", code == 254 and "did you mean psi" in err, err)
    code, out, err = run("levels", "psi")
    check("levels psi", code == 0 and "axiom transitive" in out, (out, err))
    code, out, err = run("help", "--completions", "bash")
    line = [l for l in out.splitlines() if "'check --level'" in l]
    check("completions", line and " psi " in line[0] and " us " in line[0], line)


# ---- random tasks ----

def judge(h, path, counts):
    """The checker agrees, about formulas as well; the oracle does of levels checked_as one of ours."""
    with open(path) as f:
        lines = f.readlines()
    said = None
    for level in h["levels"]:
        name, want = level["name"], "valid" if level["allows"] else "violates"
        if name not in oracle.LEVELS:
            counts[name, want] += 1
            code, out, err = run("check", "--level", name, "--json", path)
            check("alibi check at %s" % name, json.loads(out)["verdict"] == want,
                  (want, out, err, "".join(lines)))
        if not level["checked_as"]:
            continue
        want = "valid" if level["allows"] else "violates"
        name = level["checked_as"]
        counts[name, want] += 1
        if not said:
            out = run("check", "--level", "all", "--json", path)[1]
            said = {v["level"]: v["verdict"] for v in json.loads(out)["levels"]}
        check("alibi check at %s" % name, said[name] == want, (want, said, "".join(lines)))
        got = oracle.decide(name, lines)
        check("the oracle at %s" % name, got == want, (want, got, "".join(lines)))


def random_tasks(folder):
    rng = random.Random(seed)
    names = [line.split()[0] for line in run("synth", "--show", "all")[1].splitlines()]
    check("the library", len(names) == 18, names)
    counts, histories, empty = collections.Counter(), 0, 0
    for number in range(tasks):
        chosen = rng.sample(names, rng.randint(1, 4))
        split = rng.randint(0, len(chosen))
        allow, forbid = ",".join(chosen[:split]), ",".join(chosen[split:])
        bounds = rng.randint(1, 4), rng.randint(1, 3), rng.randint(2, 4)
        out = os.path.join(folder, "found-%d" % number)
        more = ["--all", 4] + ["--min"] * rng.randint(0, 1) + ["--apart"] * (rng.random() < 0.3)
        found = synth(allow, forbid, *bounds, "--out", out, *more)
        check("task %s / %s %s" % (allow, forbid, bounds), "error" not in found, found)
        empty += not found["histories"]
        for i, h in enumerate(found["histories"], 1):
            histories += 1
            check("within the bounds", h["txns"] <= bounds[0] and h["keys"] <= bounds[1], h)
            judge(h, os.path.join(out, "%d.jsonl" % i), counts)
    print("%d tasks, seed %d: %d histories; %d times none" % (tasks, seed, histories, empty))
    print("judged: " + ", ".join("%s %s %d" % (*k, n) for k, n in sorted(counts.items())))


# ---- the program ----

def program(folder):
    code, out, err = run("synth", "--allow", "si", "--forbid", "ser", "--min")
    check("write skew", code == 0 and out == "allowed by si; forbidden by ser\n"
          "  s1: T1 r(y,null) w(x,1)\n  s2: T2 r(x,null) w(y,1)\norder at si: T1, T2\n", out)
    code, out, err = run("synth", "--allow", "ser", "--forbid", "si")
    check("none", code == 1 and out.startswith("none: ") and "by CaDiCaL" in out, (code, out, err))
    path = os.path.join(folder, "skew.jsonl")
    code, out, err = run("synth", "--allow", "si-vis", "--forbid", "ser", "--out", path)
    with open(path) as f:
        header = json.loads(f.readline())
    check("the witness is in the file", code == 0 and header["source"].startswith(
        "allowed by si-vis (T1, T2") and header["source"].endswith("; forbidden by ser"), header)
    several = ["synth", "--allow", "si", "--forbid", "ser", "--all", 2, "--out", os.path.join(folder, "several")]
    codes = [run(*several)[0], run(*several)]
    check("two runs do not mix", codes[0] == 0 and codes[1][0] == 254
          and "1.jsonl exists already" in codes[1][2], codes)
    code, out, err = run("synth", "--allow", "cc", "--forbid", "tap-cc", "--txns", 12, "--keys", 8,
                         "--values", 12, "--timeout", "1s")
    check("a limit", code == 2 and out.startswith("unknown: "), (code, out, err))

    for words, text in (
            (["--allow", "nothing"], "there is no definition of a level 'nothing'"),
            (["--allow", "si", "--txns", "13"], "1 to 12 transactions"),
            (["--allow", "si", "--keys", "0"], "1 to 12 keys"),
            (["--allow", "si", "--values", "0"], "1 value at least"),
            ([], "name a level"), (["more"], "found 'more'"), (["--show", "x"], "no level 'x'")):
        code, out, err = run("synth", *words)
        check("a mistake: %s" % words, code == 254 and text in err, (code, err))

    own = os.path.join(folder, "own.level")
    for name in ("si", "us", "nlu"):
        code, out, err = run("synth", "--show", name)
        with open(own, "w") as f:
            f.write(out)
        none(name, own, 3, 2, 4)
    for text, place, message in (
            ("level a\nover co\naxiom b: all t: so(t, u)\n", ":3:23", "u is not bound"),
            ("level a over vis", ":1:17", "expected ,"),
            ("level a over co\nsame as sser", ":2:9", "not a level that definitions")):
        with open(own, "w") as f:
            f.write(text)
        code, out, err = run("synth", "--allow", own)
        check("a wrong definition", code == 255 and own + place in err and message in err, err)
    with open(own, "w") as f:
        f.write("level wrong over co same as ser\n")
    code, out, err = run("synth", "--allow", own, "--forbid", "ser")
    check("a definition that is not what it says", code == 255 and "the check does not agree"
          in err and "w(x,1)" in err, (code, out, err))
    code, out, err = run("synth", "--allow", os.path.join(folder, "nowhere.level"))
    check("no such file", code == 255 and "nowhere.level" in err, err)


# ---- comparing ----

class Page(html.parser.HTMLParser):
    """Texts of boxes and headings, targets, and whether all is closed."""
    EMPTY = ("meta",)

    def __init__(self):
        super().__init__()
        self.open, self.texts, self.ids, self.links, self.drawing = [], [], set(), set(), False

    def handle_starttag(self, tag, attrs):
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag == "svg":
            self.drawing = ("class", "lattice") in attrs
        self.ids |= {v for k, v in attrs if k == "id"}
        self.links |= {v[1:] for k, v in attrs if k == "href"}

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        check("the page closes %s" % tag, self.open and self.open.pop() == tag, tag)

    def handle_data(self, data):
        if self.open and (self.open[-1] in ("h2", "code") or self.open[-1] == "text" and self.drawing):
            self.texts.append((self.open[-1], data))


def page_of(path):
    page = Page()
    with open(path, encoding="utf-8") as f:
        page.feed(f.read())
    sections = {i for i in page.ids if re.fullmatch(r"anomaly-\d+", i)}
    check("the page is whole", not page.open and page.links == sections | {"histories"} and page.links <= page.ids,
          (page.open, page.links, sections))
    return page


def compare(folder):
    for words, code, relation in (
            (["si", "si-vis"], 0, "si and si-vis are equivalent, "),
            (["ser", "si"], 1, "ser is stronger than si, "), (["ra", "cc"], 1, "ra is weaker than cc, "),
            (["pc", "psi"], 1, "pc and psi are incomparable, ")):
        got, out, err = run("compare", *words)
        check("compare %s" % words, got == code and out.startswith(relation), (got, out, err))
    said = json.loads(run("compare", "--json", "ua", "nlu")[1])
    check("compare in JSON", said["relation"] == "stronger" and
          [p["answer"] for p in said["pairs"]] == ["none", "found"] and
          said["pairs"][1]["history"].count("T") == 3, said)
    code, out, err = run("compare", "--txns", 12, "--keys", 8, "--values", 12, "--timeout", "1s",
                         "cc", "tap-cc")
    check("compare: a limit", code == 2 and "unknown" in out, (code, out, err))
    for words in (["si"], ["si", "nothing"], ["--txns", "0", "si", "ser"]):
        check("compare: a mistake", run("compare", *words)[0] == 254, words)

    path = os.path.join(folder, "lattice.html")
    code, out, err = run("compare", "--json", "--html", path)
    all_pairs = json.loads(out)
    same = {v["name"]: v["same_as"] for v in all_pairs["levels"]}
    check("what is equivalent", same == {**{n: n for n in same}, **{
        n + "-vis": n for n in ("ra", "cc", "pc", "si", "ser")}, "tap-cc": "cc"}, same)
    found = {(p["allow"], p["forbid"]) for p in all_pairs["pairs"] if p["answer"] == "found"}
    names = list(same)
    check("implication is transitive", not [
        (a, b, c) for a, b, c in itertools.product(names, repeat=3)
        if len({a, b, c}) == 3 and (a, c) in found and (a, b) not in found and (b, c) not in found])
    for p in all_pairs["pairs"]:
        check("neighbours have a history", p["neighbours"] == bool(p["history"]), p)
    new, kept = page_of(path), page_of(os.path.join(project, "docs", "lattice.html"))
    check("docs/lattice.html is what alibi compare makes now",
          [t for t in new.texts if t[0] != "code"] == [t for t in kept.texts if t[0] != "code"] and
          [t[1].count("[") for t in new.texts if t[0] == "code"] ==
          [t[1].count("[") for t in kept.texts if t[0] == "code"], (new.texts, kept.texts))


def main():
    if "without CaDiCaL" in run("synth", "--allow", "si")[2]:
        counted.skip("the program was built without CaDiCaL: nothing can be searched for")
        return counted.close()
    with tempfile.TemporaryDirectory() as folder:
        program(folder)
        compare(folder)
        papers()
        formulas(folder)
        random_tasks(folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
