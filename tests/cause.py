#!/usr/bin/env python3
"""From `alibi check` to the cause: what a violation is called, which transactions show it, and
what to do next.

    cause.py ALIBI
"""
import json
import os
import subprocess
import sys
import tempfile

import counted
from counted import check

alibi = os.path.abspath(sys.argv[1])


def run(*words):
    r = subprocess.run([alibi] + list(words), capture_output=True, text=True)
    return r.returncode, r.stdout, r.stderr


def write(folder, name, txns):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write("".join(json.dumps(t) + "\n" for t in txns))
    return path


def named_writers(folder):
    """A read may name a transaction that writes nothing."""
    for name, ops in [("reads", [["r", "y", None]]), ("empty", [])]:
        path = write(folder, name + ".jsonl", [{"id": "a", "ops": ops},
                                               {"id": "b", "ops": [["r", "x", None, {"from": "a"}]]}])
        for level in ("rc", "ser", "sser"):
            code, out, err = run("explain", "--level", level, path)
            check("%s at %s is explained" % (name, level),
                  code == 1 and "wrong-writer" in out and not err, (code, out, err))


def own_writes(folder):
    """A read behind an own write of the key has nothing to do with other writers of its value."""
    path = write(folder, "own.jsonl", [{"id": "a", "ops": [["w", "x", 1]]},
                                       {"id": "b", "ops": [["w", "x", 2], ["r", "x", 1]]},
                                       {"id": "c", "ops": [["w", "x", 1]]}])
    out = run("explain", "--level", "ser", path)[1]
    check("only its own transaction is shown", "(internal)" in out and out.count("write x") == 1, out)


FIRST = [{"id": "a", "ops": [["r", "x", 100], ["w", "x", 120]]}, {"id": "b", "ops": [["r", "x", 120]]}]


def names(*words):
    """(exit code, the names of the anomalies, all that is printed)"""
    code, out, err = run("explain", "--json", *words)
    said = json.loads(out) if out.startswith("{") else {}
    return code, [a["name"] for a in said.get("anomalies", [])], out + err


def initial_values(folder):
    """What is read first and no transaction wrote may have been there before."""
    first = write(folder, "first.jsonl", FIRST)
    code, out, _ = run("explain", "--level", "ser", first)
    check("a first read may be of the initial value", code == 1 and "(unwritten-read)" in out
          and '"initial":[["x",100]]' in out and "first-read as the initial value" in out and "garbage" not in out.lower(), out)
    for words in (["--initial", "first-read"], ["--initial=100"]):
        check("it is stated by %s" % words, run("check", "--level", "sser", *words, first)[0] == 0)

    def header(**more):
        return dict({"alibi": 1}, **more)
    reads = {"ops": [["r", "x", 100]]}
    for what, txns, words, wanted in [
            ("another initial value is stated", [header(initial=[["x", 7]]), reads], [], ["garbage-read"]),
            ("… and stands", [header(initial=[["x", 7]]), reads], ["first-read"], ["garbage-read"]),
            ("another default is stated", [header(initial_default=7), reads], [], ["garbage-read"]),
            ("… which is overridden", [header(initial_default=7), reads], ["first-read"], []),
            ("null is initial, too", [header(initial_default=7), {"ops": [["r", "x", None]]}], ["first-read"], []),
            ("two values", [reads, {"ops": [["r", "x", 8]]}], [], ["garbage-read"] * 2),
            ("… of which one is bound", [reads, {"ops": [["r", "x", 8]]}], ["first-read"], ["garbage-read"]),
            ("absent, and then not", [{"ops": [["r", "x", None]]}, reads], ["first-read"], ["garbage-read"]),
            ("reads of aborted transactions", [{"status": "abort", "ops": [["r", "x", 8]]}, reads],
             ["first-read"], []),
            ("reads of its own writes", [{"ops": [["w", "x", 1], ["r", "x", 100]]}], ["first-read"], ["internal"]),
            ("values of aborted transactions", [{"status": "abort", "ops": [["w", "x", 100]]}, reads],
             ["first-read"], ["G1a"]),
            ("values of later transactions", [{"session": 1, "ops": [["r", "x", 100]]},
                                              {"session": 1, "ops": [["w", "x", 100]]}],
             ["first-read"], ["G1c-process"]),
            ("named writers", [{"id": "w", "ops": []}, {"id": "r", "ops": [["r", "x", 100, {"from": "w"}]]}],
             ["first-read"], ["garbage-read"]),
            ("lists", [{"ops": [["r", "x", [1]]]}], ["first-read"], ["garbage-read"])]:
        path = write(folder, "initial.jsonl", txns)
        code, found, said = names("--level", "ser", *(["--initial"] + words if words else []), path)
        check(what, code == (1 if wanted else 0) and found == wanted, said)
    proof = os.path.join(folder, "proof")
    check("a certificate", run("check", "--level", "ser", "--initial", "first-read", "--certificate", proof,
                               first)[0] == 0)
    check("… is for the history with these values", run("verify", "--initial", "first-read", first, proof)[0] == 0)
    check("… and for no other", run("verify", first, proof)[0] not in (0, 1))
    code, out, _ = run("convert", "--initial", "first-read", "--to", "alibi", first)
    check("convert writes them", code == 0 and out.startswith('{"alibi":1,"initial":[["x",100]]}\n'), out)
    opaque = write(folder, "opaque.jsonl", [{"ops": [["u", {"from": "x"}, {"set": {"v": 1}}]]}, {"ops": [["r", "x/1", {"v": 2}]]}])
    code, out, err = run("check", "--level", "ser", "--initial", "first-read", opaque)
    check("not with updates whose rows are not known", code == 255 and "state the initial values" in out, (out, err))
    code, out, err = run("watch", "--level", "si", "--initial", "first-read", first)
    check("not for streams", code not in (0, 1, 2) and "whole history" in err, (code, out, err))


def update(name, begin, value, key="x"):
    return {"id": name, "session": name, "begin": begin, "end": begin + 1,
            "ops": [["r", key, None], ["w", key, value]]}


def from_check_to_cause(folder):
    lost = write(folder, "it's lost.jsonl", [update("a", 0, 1), update("b", 10, 2)])
    for level in ("si", "ser", "sser"):
        code, out, _ = run("check", "--level", level, lost)
        lines = out.splitlines()
        check("a lost update is called one at " + level, code == 1 and "  Lost update (lost-update, G-single)" in lines
              and "real time" not in out and "    a (session a): read x = null, write x = 1" in lines, out)
        words = subprocess.run(["sh", "-c", "printf '%s\\n' " + lines[-1].split("alibi ", 1)[1]],
                               capture_output=True, text=True).stdout.splitlines()
        check("the last line is the command", lines[-1].startswith("  to see why: alibi explain ")
              and words == ["explain", "--level", level, lost], (lines[-1], words))
        code, out, _ = run(*words)
        check("… that explains", code == 1 and "a contradiction" in out, out)
        check("mirrored cases are folded", "the same with" in out and out.count("1. rw") == 1, out)
    code, out, _ = run("check", "--level=all", "--html", os.path.join(folder, "page.html"), "--session-order", "off", lost)
    check("all levels: the weakest is explained", out.splitlines()[-1] ==
          "  to see why: alibi explain --session-order off --level si '%s'" % lost.replace("'", "'\\''"), out)
    with open(os.path.join(folder, "page.html"), encoding="utf-8") as f:
        page = f.read()
    check("mirrored cases are folded on the page", page.count('<svg class="figure"') == 1 and
          "<p>It is the same with " in page, page[page.index("<main>"):])
    check("quiet is quiet", run("check", "--quiet", "--level", "si", lost)[1] == lost + "\tviolates\n")
    stale = write(folder, "stale.jsonl", [update("a", 0, 1), {"id": "r", "begin": 5, "end": 6, "ops": [["r", "x", None]]}])
    code, out, _ = run("check", "--level", "sser", stale)
    check("real time is the cause where it is", "Read skew in real time" in out, out)
    code, out, _ = run("check", "--level", "psi", "--html", os.path.join(folder, "page.html"), lost)
    check("formulas name it, too", "Lost update (" in out, out)
    for name, lines in (("times.edn", [
            "{:type :invoke, :f :txn, :process 0, :time 1000000, :value [[:w 5 1]]}",
            "{:type :ok, :f :txn, :process 0, :time 2000000, :value [[:w 5 1]]}",
            "{:type :invoke, :f :txn, :process 1, :time 3512000, :value [[:r 5 nil]]}",
            "{:type :ok, :f :txn, :process 1, :time 4000000, :value [[:r 5 nil]]}"]), ("times.jsonl", [
            '{"alibi":1,"source":"alibi-0.1.0 record sqlite:x"}',
            '{"id":"a","begin":1000000,"end":2000000,"ops":[["w","x",1]]}',
            '{"id":"b","begin":3512000,"end":4000000,"ops":[["r","x",null]]}'])):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        code, out, _ = run("explain", "--level", "sser", "--html", os.path.join(folder, "page.html"), path)
        with open(os.path.join(folder, "page.html"), encoding="utf-8") as f:
            page = f.read()
        check("%s: times are relative, in ms" % name, code == 1 and " ended 1.5 ms before " in out and
              "3512000" not in out and "from 2.5 ms to 3.0 ms" in page, out)
    check("the clocks in both units", "may differ by 1512000 (1.5 ms)" in out, out)
    many = write(folder, "many.jsonl", [update("%s%d" % (w, k), 10 * k, k if w == "a" else -k, "k%d" % k)
                                        for k in range(1, 5) for w in "ab"])
    code, out, _ = run("check", "--level", "ser", many)
    check("anomalies are grouped", "  4 lost updates: k1 (a1, b1), k2 (a2, b2), k3 (a3, b3), k4 (a4, b4). One of them:"
          in out.splitlines() and out.count("Lost update (") == 1, out)
    same = write(folder, "same.jsonl", [update(n, 0, v, "stock/5") for v, n in enumerate("abcd")])
    code, out, _ = run("check", "--level", "si", same)
    check("… by key", " lost updates on stock/5 (" in out, out)


def main():
    with tempfile.TemporaryDirectory() as folder:
        named_writers(folder)
        own_writes(folder)
        initial_values(folder)
        from_check_to_cause(folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
