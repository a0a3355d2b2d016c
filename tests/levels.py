#!/usr/bin/env python3
"""`alibi levels`: what it says about the levels is true.

Each step from a level to the next has a history, in examples/levels/ and printed in
a short form: both are the same, and the weaker level allows it and the stronger one
forbids it, by `alibi check` and by brute force (oracle.py). From
rc to ser, `alibi synth` finds the same ones (skipped in a build without it).

    levels.py ALIBI PROJECT
"""
import json
import os
import re
import subprocess
import sys

import counted
import oracle
from counted import check
from nameless import nameless

alibi, project = os.path.abspath(sys.argv[1]), sys.argv[2]


def run(*words):
    r = subprocess.run([alibi] + list(words), capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def spelled_out(short):
    """The transactions of a short form: s1: T1 r(x,null) w(y,1) from 1 to 2"""
    txns = []
    for line in short.splitlines():
        session, name, ops, begin, end = re.fullmatch(
            r"s(\d+): (\w+)((?: [rw]\(\w+,\w+\))+)(?: from (\d+) to (\d+))?", line).groups()
        t = {"id": name, "session": int(session),
             "ops": [[k, key, json.loads(value)]
                     for k, key, value in re.findall(r"([rw])\((\w+),(\w+)\)", ops)]}
        if begin:
            t.update(begin=int(begin), end=int(end))
        txns.append(t)
    return txns


def verdict(level, path, sessions="on"):
    return run("check", "--quiet", "--level", level, "--session-order", sessions, path)[1].split("\t")[-1].strip()


def steps(data, names):
    wanted = list(zip(names, names[1:]))
    found = [(s["weaker"], s["stronger"]) for s in data["steps"] if s["weaker_session_order"] == "on"]
    check("a step for each pair of neighbours", found == wanted, found)
    files = os.listdir(os.path.join(project, "examples", "levels"))
    check("all examples are shown", sorted(files) == sorted(
        os.path.basename(s["file"]) for s in data["steps"]), files)
    for s in data["steps"]:
        path = os.path.join(project, s["file"])
        with open(path) as f:
            lines = f.readlines()
        check("%s is what is shown" % s["file"],
              [json.loads(line) for line in lines] == spelled_out(s["history"]), s["history"])
        off = s["weaker_session_order"] == "off"
        levels = [(n, n) for n in names] if off else [(s["weaker"], s["stronger"])]
        for weaker, stronger in levels:
            check("%s allows %s" % (weaker, s["anomaly"]),
                  verdict(weaker, path, "off" if off else "on") == "valid")
            check("%s forbids %s" % (stronger, s["anomaly"]), verdict(stronger, path) == "violates")
            check("the oracle: %s allows %s" % (weaker, s["anomaly"]),
                  oracle.decide(weaker, lines, session_order=not off) == "valid")
            check("the oracle: %s forbids %s" % (stronger, s["anomaly"]),
                  oracle.decide(stronger, lines) == "violates")


def smallest(data):
    """What is shown is among the smallest that there are."""
    for s in data["steps"]:
        if s["weaker_session_order"] == "off" or s["stronger"] == "sser":
            continue
        bounds = ["synth", "--json", "--apart", "--allow", s["weaker"], "--forbid", s["stronger"]]
        code, out, err = run(*bounds, "--min")
        if "without CaDiCaL" in err:
            return counted.skip("the program was built without CaDiCaL: smaller histories are not looked for")
        least = json.loads(out)["histories"][0]
        ops = len(re.findall(r"[rw]\(", s["history"]))
        check("%s is as small as can be" % s["anomaly"],
              (least["txns"], least["ops"]) == (len(s["history"].splitlines()), ops), least)
        found = json.loads(run(*bounds, "--min", "--all", "20")[1])["histories"]
        check("%s is found" % s["anomaly"], nameless(s["history"]) in
              [nameless(h["history"]) for h in found], found)


def names_of_others(data, names):
    for level in data["levels"]:
        for a in level["same"] + level["near"]:
            full = a["whose"] + ":" + a["name"]
            code, out, err = run("levels", full)
            check("levels " + full, code == 0 and not err and
                  ("difference" not in a or a["taken"]) == (a["name"] + " (" + a["whose"] + ") is none" not in
                                              out.replace("\n", " ")), (code, out, err))
            path = os.path.join(project, "examples", "serial.jsonl")
            code, out, err = run("check", "--json", "--level", full, path)
            if a.get("taken"):
                check("check takes, with a note, " + full, json.loads(out)["level"] == level["name"]
                      and a["difference"] in err, (out, err))
            elif "difference" in a:
                check("check refuses " + full, code == 254 and "nearest is " + level["name"] in err, err)
            else:
                r = json.loads(out)
                check("check takes " + full, (r["level"], r["session_order"]) ==
                      (level["name"], a["session_order"]), out)
        code, out, err = run("levels", level["name"])
        flat = " ".join(out.split())
        check("levels " + level["name"], code == 0 and " ".join(level["definition"].split()) in flat
              and all(a["difference"] in flat for a in level["near"]), out)
        one = json.loads(run("levels", "--json", level["name"])[1])
        check("one level in JSON", one["levels"] == [level], one)


def document(data):
    """The table of names in docs/levels.md says what the program says."""
    with open(os.path.join(project, "docs", "levels.md"), encoding="utf-8") as f:
        rows = re.findall(r"^\| `([^`]+)` \| (\w+) \| (.*) \|$", f.read(), re.M)
    said = {}
    for level in data["levels"]:
        for a in level["same"] + level["near"]:
            off = " with `--session-order off`" if a["session_order"] == "off" else ""
            said[a["whose"], a["name"].lower()] = (
                "taken for `%s`" % level["name"] if a.get("taken") else "none; near `%s`" % level["name"] if "difference" in a else "`%s`%s" % (level["name"], off))
    check("the document has a table", len(rows) > 20, rows)
    for name, whose, here in rows:
        key = whose, name.lower().replace(" ", "-")
        check("the document on %s" % name, said.get(key) == here, (said.get(key), here))


def main():
    code, out, err = run("levels", "--json")
    data = json.loads(out)
    names = [level["name"] for level in data["levels"]]
    known = ["rc", "ra", "cc", "pc", "si", "ser", "sser"]
    check("all levels are there, in order", code == 0 and [n for n in names if n in known] == known, names)
    check("each has its words", all(v["title"] and v["definition"] and v["forbids"]
                                    for v in data["levels"]), out)
    code, text, err = run("levels")
    flat = " ".join(text.split())
    check("the text has it all", code == 0 and not err and data["of_all"] in flat
          and data["scope"] in flat and all(v["definition"] in flat for v in data["levels"])
          and all(" ".join(s["history"].split()) in flat for s in data["steps"]), text)
    check("80 columns", max(map(len, text.splitlines())) <= 80, text)
    drawn = re.findall(r"^  (\w+) +[a-z ]+$", text, re.M)[:len(names)]
    check("the strongest is drawn on top", drawn == names[::-1], drawn)
    steps(data, names)
    smallest(data)
    names_of_others(data, names)
    document(data)
    for words in (["nolevel"], ["ser", "si"], ["--level"]):
        check("a mistake: %s" % words, run("levels", *words)[0] == 254)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
