#!/usr/bin/env python3
"""The program as a user or CI meets it: what it prints, and what it exits with.

    program.py ALIBI PROJECT
"""
import gzip
import json
import lzma
import os
import pty
import re
import resource
import select
import subprocess
import sys
import tempfile
import time

import counted
from counted import check

alibi, project = map(os.path.abspath, sys.argv[1:3])


def run(*words, stdin=None, env=None):
    r = subprocess.run([alibi] + list(words), input=stdin, capture_output=True,
                       env=dict(os.environ, **(env or {})))
    return r.returncode, r.stdout.decode(), r.stderr.decode()


def txn(session, ops, start, commit, **more):
    return dict(more, session=session, ops=ops, start_ts=start, commit_ts=commit)


VALID = [txn(1, [["w", "x", 1]], 1, 2, id="a"), txn(2, [["r", "x", 1]], 3, 4, id="b")]
LOST = [txn(1, [["r", "x", None], ["w", "x", 1]], 1, 5, id="a"),
        txn(2, [["r", "x", None], ["w", "x", 2]], 2, 6, id="b")]
DIGEST = "bcafab2b091045dd42de073729c4bb23"  # of "booked" below, for as long as certificates are of version 3
UNTOLD = [{"session": 1, "ops": [["w", "x", 1]]}]


def write(folder, name, txns):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write("".join(json.dumps(t) + "\n" for t in txns))
    return path


def availability(folder):
    """A recording whose server was away for most of the time."""
    def recorded(without, *more, **member):
        nodes = [{"node": "a\x01:1", "without_commits": without, "attempts": 9, "unanswered": 3}]
        line = {"availability": dict({"milliseconds": 8000, "without_commits": without, "nodes": nodes}, **member)}
        return write(folder, "recorded.jsonl", [{"alibi": 1, "level": "si"}, *VALID, *more, line])
    for without, words, code in [(0, [], 0), (4000, [], 0), (4001, [], 2), (4001, ["--min-commits", "0.4"], 0),
                                 (8000, ["--min-commits", "0"], 0), (1000, ["--min-commits", "1"], 2)]:
        for asked in (["--level", "si"], [], ["--level", "all"], ["--order", "timestamps"]):
            got, out, err = run("check", *asked, *words, recorded(without))
            check("%s of 8 s without commits, %s %s" % (without, asked, words), got == code
                  and ("the database committed nothing in %.1f s of 8.0 s" % (without / 1e3) in out) == (code == 2)
                  and "availability: commits in %.0f %% of 8.0 s; a" % (100 - without / 80) in out, (got, out, err))
    got, out, _ = run("check", "--json", "--level", "si", recorded(5000))
    r = json.loads(out)
    check("in JSON", got == 2 and r["verdict"] == "unknown" and r["availability"]["without_commits"] == 5000
          and r["availability"]["nodes"][0]["unanswered"] == 3, r)
    page, cases = os.path.join(folder, "a.html"), os.path.join(folder, "a.xml")
    run("check", "--level", "si", "--html", page, "--junit", cases, recorded(5000))
    check("on a page and for CI", "Availability: commits in 38 % of 8.0 s" in open(page).read()
          and 'name="availability"' in open(cases).read() and "<error type=\"unknown\"" in open(cases).read())
    got, out, _ = run("check", "--level", "si", write(folder, "bad.jsonl", [
        {"alibi": 1}, *LOST, {"availability": {"milliseconds": 8, "without_commits": 8, "nodes": []}}]))
    check("a violation is one all the same", got == 1, out)
    got, out, _ = run("convert", "--to", "alibi", recorded(5000))
    check("it is kept", json.loads(out.splitlines()[-1])["availability"]["milliseconds"] == 8000, out)
    check("and dropped elsewhere", "how available the database was" in run(
        "convert", "--to", "jepsen-edn", recorded(5000))[2])
    for member, why in ((dict(without_commits=9000), "longer than the recording"), (dict(nodes=None), "a list of nodes"),
                        (dict(milliseconds=-1), "the number before is negative")):
        got, out, _ = run("check", "--level", "si", recorded(0, **member))
        check("refused: " + why, got == 255 and why in out, out)
    got, out, _ = run("check", "--level", "si", recorded(0, {"availability": {"milliseconds": 8, "without_commits": 8,
                                                                              "nodes": []}}))
    check("two of them are refused", got == 255 and "this is the second" in out, out)
    watched = subprocess.run([alibi, "watch", "--level", "si", recorded(0)], capture_output=True, text=True)
    check("a watch reads past it", watched.returncode == 0, watched)


def overlaps(folder):
    """An application's pool: its transactions overlap, and are recorded in the order of their ends."""
    pool = [{"id": "b", "session": "web-1", "begin": 2, "end": 5, "ops": [["r", "x", None], ["w", "x", 1]]},
            {"id": "a", "session": "web-1", "begin": 1, "end": 9, "ops": [["r", "x", None]]}]
    said = '  warning: the transactions of session "web-1" did not run one after the other: transaction "a" began at ' \
           '1, before transaction "b", which precedes it there, ended at 5. So the session order may be all that is ' \
           "violated. Check without session order, or record a session for each connection\n"
    path = write(folder, "pool.jsonl", pool)
    for words in (["check", "--level", "ser"], ["explain", "--level", "si"], ["check", "--level", "all"]):
        got, out, _ = run(*words, path)
        check("the overlap comes first: %s" % words, said in out and (
            words[2:] == ["all"] or got == 1) and out.index(said) < (out + "violates ").index("violates ", 60), out)
    check("in JSON", "did not run one" in json.loads(run("check", "--json", "--level", "si", path)[1])["warning"])
    got, out, _ = run("check", "--level", "ser", "--session-order", "off", path)
    check("without session order it holds", got == 0 and "did not run one" not in out, out)
    got, out, _ = run("check", "--level", "ser", "--clock-skew", "4", path)
    check("clocks may differ by that", got == 1 and "did not run one" not in out, out)
    apart = write(folder, "apart.jsonl", [dict(pool[0]), dict(pool[1], begin=5)])
    got, out, _ = run("check", "--level", "ser", apart)
    check("one after the other", got == 1 and "did not run one" not in out, out)


def claimed(folder):
    return write(folder, "claimed.jsonl", [{"alibi": 1, "level": "si"}] + VALID)


def verdicts(folder):
    valid, lost, untold = (write(folder, n + ".jsonl", t) for n, t in
                           [("valid", VALID), ("lost", LOST), ("untold", UNTOLD)])
    broken, empty = os.path.join(folder, "broken.jsonl"), os.path.join(folder, "empty.jsonl")
    open(broken, "w").write('{"ops":[["w","x"]]}\n')
    open(empty, "w").close()
    base = ["check", "--order", "timestamps"]
    for path, level, code, verdict in [
            (valid, "si", 0, "valid"), (valid, "ser", 0, "valid"), (lost, "si", 1, "violates"),
            (lost, "ser", 2, "unknown"), (untold, "si", 2, "unknown"), (broken, "si", 255, "error"),
            (empty, "si", 2, "unknown"), (os.path.join(folder, "nowhere"), "si", 255, "error")]:
        got, out, err = run(*base, "--level", level, path)
        check("%s at %s" % (path, level), (got, out.split("\n")[0]) == (code, path + "\t" + verdict),
              (got, out, err))
    got, out, _ = run(*base, "--level", "si", lost)
    check("a conflict is described", out.split("\n")[1:3] == [
        '  write conflict: transaction "b" and transaction "a" both wrote key "x", and each starts '
        "before the other commits",
        "  judged by the database's own timestamps; it may still be valid in an order that they do "
        "not show"], out)
    got, out, _ = run(*base, "--level", "ser", "--timestamps", "serial", lost)
    stale = 'transaction "b" read key "x" and found null, but by the state before it this should be 1, ' \
            'last written by transaction "a"; null is the initial value'
    check("a stale read is described", got == 1 and out.split("\n")[1] == "  wrong read: " + stale, out)
    got, out, _ = run(*base, "--level", "ser", lost)
    check("commits need not be a serial order", got == 2 and out.split("\n")[1] == "  " + stale +
          '; but the history does not say that commit_ts is a serial order ("timestamps":"serial"), so another '
          "order may explain it; a search decides it", out)
    for meaning, code in (("serial", 1), ("snapshot", 2)):
        said = write(folder, meaning + ".jsonl", [{"alibi": 1, "timestamps": meaning}] + LOST)
        check("timestamps are " + meaning, run(*base, "--level", "ser", said)[0] == code
              and "  timestamps are %s\n" % meaning in run("stats", said)[1])
        check("at si that is the same", run(*base, "--level", "si", said)[0] == 1)
    own = write(folder, "own.jsonl", [{"start_ts": 1, "commit_ts": 2, "ops": [["w", "x", 1], ["r", "x", 2]]}])
    check("what it reads of its own violates in any order", run(*base, "--level", "ser", own)[0] == 1)
    check("and is explained", "violates" in run("explain", "--order", "timestamps", "--level", "ser", own)[1])
    got, out, err = run("check", "--level", "ser", "--timestamps", "serial", valid)
    check("a search does not take them", got == 254 and "a search does not depend on it" in err, (got, err))
    backwards = write(folder, "backwards.jsonl", [
        {"session": 1, "start_ts": 3, "commit_ts": 4, "ops": [["w", "x", 1]]},
        {"session": 1, "start_ts": 1, "commit_ts": 2, "ops": [["w", "x", 2]]}])
    for level in ("si", "ser"):
        for order, code in (("on", 1), ("off", 0)):
            check("session order %s, at %s" % (order, level), run(
                *base, "--level", level, "--timestamps", "serial", "--session-order", order, backwards)[0] == code)
    got, out, _ = run(*base, "--level", "si", broken)
    check("a place is named", ":1:17: expected ',' and a value, found ']]}'" in out, out)
    for files, code in [((valid, lost, untold, broken), 1), ((valid, broken, untold), 255),
                        ((untold, valid), 2), ((valid, valid), 0)]:
        check("the worst of several", run(*base, "--level", "si", *files)[0] == code)
    for path, level, code in [(valid, "ser", 0), (untold, "sser", 0), (lost, "pc", 0), (lost, "si", 1)]:
        check("search at " + level, run("check", "--level", level, path)[0] == code)
    check("too few transactions", run(*base, "--level", "si", "--require-txns", "3", valid)[0] == 2)
    check("enough transactions", run(*base, "--level", "si", "--require-txns", "2", valid)[0] == 0)
    got, out, _ = run(*base, "--level", "si", "--quiet", lost)
    check("quiet is one line", out == lost + "\tviolates\n", out)
    got, out, _ = run(*base, "--level", "si", "--quiet", broken)
    check("but an error has its reason", out.startswith(broken + "\terror\n  ") and "expected ','" in out, out)


def other_names(folder):
    """Names of others mean what they mean there: session order counts, or does not."""
    stale = write(folder, "stale.jsonl", [{"session": 1, "ops": [["w", "x", 1]]},
                                          {"session": 1, "ops": [["r", "x", None]]}])
    for name, level, order, verdict in [
            ("serializable", "ser", "off", "valid"), ("SQL:SERIALIZABLE", "ser", "off", "valid"),
            ("PL-3", "ser", "off", "valid"), ("dbcop:serializable", "ser", "on", "violates"),
            ("strong-session-serializable", "ser", "on", "violates"), ("ser", "ser", "on", "violates"),
            ("snapshot-isolation", "si", "off", "valid"), ("PL-SI", "si", "off", "valid"),
            ("strong session snapshot isolation", "si", "on", "violates"),
            ("strict-serializable", "sser", "on", "violates"), ("prefix", "pc", "off", "valid"),
            ("postgres:repeatable-read", "si", "on", "violates"), ("PostgreSQL:serializable", "ser", "on", "violates"),
            ("mysql:serializable", "ser", "on", "violates"), ("sqlite:serializable", "ser", "on", "violates")]:
        code, out, err = run("check", "--json", "--level", name, stale)
        r = json.loads(out)
        check("%s is %s, sessions %s" % (name, level, order),
              (r["level"], r["session_order"], r["verdict"]) == (level, order, verdict), (out, err))
    for name in ("read committed", "postgres:read-committed", "mysql:READ COMMITTED", "mariadb:read_committed"):
        for words in ((), ("--session-order", "off"), ("--session-order", "on")):
            code, out, err = run("check", "--json", "--level", name, *words, stale)
            check("%s is checked as rc, with a note" % name, json.loads(out)["level"] == "rc"
                  and "is checked as rc. The difference: " in err, (out, err))
    for name, hint in (("repeatable read", "say postgres:repeatable-read"), ("mysql:repeatable-read", "the latest version"),
                       ("read uncommitted", "the nearest is rc"), ("oracle:serializable", "there is no level")):
        code, out, err = run("check", "--level", name, stale)
        check("%s is refused" % name, code == 254 and not out and hint in err, (code, out, err))
    code, out, err = run("generate", "--txns", "2", "--level", "postgres:repeatable-read")
    check("generate takes such names", code == 0 and '"level":"si"' in out and "--level si" in out, (out, err))
    code, out, err = run("generate", "--level", "rc")
    check("and says which it has", code == 254 and "ser and si, not rc" in err, err)
    code, out, err = run("compare", "postgres:repeatable-read", "ser")
    check("compare takes such names", code == 254 or "si is weaker than ser" in out, (out, err))
    claims = write(folder, "claims.jsonl", [{"alibi": 1, "level": "serializable"},
                                            {"ops": [["w", "x", 1]]}])
    code, out, err = run("check", claims)
    check("a history claims a level by another name", code == 0 and out.split("\n")[1] ==
          "  at serializable (SQL), checked as ser without session order", (out, err))
    claims = write(folder, "claims.jsonl", [{"alibi": 1, "level": "PL-1"}, {"ops": [["w", "x", 1]]}])
    code, out, err = run("check", claims)
    check("a history claims what cannot be checked", code == 254 and "the nearest is rc" in out, out)


def coverage(folder):
    """`valid` of a history that leaves nothing to catch comes with a warning."""
    def at(level, txns, *words):
        path = write(folder, "weak.jsonl", txns)
        code, out, _ = run("check", "--level", level, *words, path)
        r = json.loads(run("check", "--json", "--level", level, *words, path)[1])
        check("text and JSON warn alike", ("  warning: " + r.get("warning", "?") in out) == ("warning" in r), out)
        check("there is a line of evidence", "\n  evidence: " in out, out)
        check("a warning does not change the verdict", code == {"valid": 0, "violates": 1}[r["verdict"]], out)
        return r
    reads = [{"session": s, "ops": [["r", "x", None], ["r", "y", None]]} for s in (1, 2, 1)]
    r = at("ser", reads)
    check("all reads", "nothing in this history could have violated ser" in r["warning"]
          and r["coverage"]["could_violate"] is False and r["coverage"]["says_no_more_than"] is None, r)
    blind = [{"session": s, "ops": [["w", "x", s]]} for s in (1, 2)]
    check("all writes", "could have violated" in at("si", blind)["warning"])
    single = [{"session": 1, "ops": [["r", "x", v], ["w", "x", (v or 0) + 1]]} for v in (None, 1, 2)]
    r = at("ser", single)
    check("one session", "no two sessions share a key" in r["warning"]
          and r["coverage"]["says_no_more_than"] == "ra", r)
    r = at("ser", [{"session": 1, "ops": [["w", "x", 1]]}, {"session": 1, "ops": [["r", "x", None]]}])
    check("no warning where something was caught", r["verdict"] == "violates" and "warning" not in r, r)
    counter = [{"session": s, "ops": [["r", "x", v], ["w", "x", (v or 0) + 1]]}
               for s, v in ((1, None), (2, 1), (1, 2))]
    r = at("ser", counter)
    check("conflicts", "warning" not in r and r["coverage"] == {
        "reads": 3, "contended_reads": 3, "contended_keys": 1, "conflicts": 3, "conflicting_sessions": 2,
        "could_violate": True, "says_no_more_than": "ser"}, r)
    check("no client times", at("sser", counter)["warning"].endswith(
        "Record when transactions begin and end"))
    r = json.loads(run("check", "--level", "all", "--json", write(folder, "all.jsonl", single))[1])
    check("all levels at once", r["strongest"] == "sser" and r["coverage"]["says_no_more_than"] == "ra"
          and "warning" in r, r)
    timed = [dict(t, begin=2 * i, end=2 * i + (3 if i == 0 else 1)) for i, t in enumerate(counter)]
    r = at("sser", timed)
    check("client times", "warning" not in r and r["coverage"]["overlapping_conflicts"] == 1, r)
    stamped = [dict(t, start_ts=i, commit_ts=i) for i, t in enumerate(reads)]
    check("timestamps without reads of others", "only the timestamps themselves were checked" in
          at("si", stamped, "--order", "timestamps")["warning"])


def certificates(folder):
    valid, lost = write(folder, "valid.jsonl", VALID), write(folder, "lost.jsonl", LOST)
    for path, code, words in [(valid, 0, "holds at si"), (lost, 1, "violates si")]:
        proof = path + ".proof"
        got, out, err = run("check", "--level", "si", "--certificate", proof, path)
        check("a certificate is written", got == code and os.path.exists(proof), (out, err))
        got, out, err = run("verify", path, proof)
        check("it is accepted", got == code and words in out, (out, err))
        other = lost if path == valid else valid
        got, out, err = run("verify", other, proof)
        check("not for another history", got == 255 and "not accepted" in out, (out, err))
        data = open(proof, "rb").read()
        open(proof, "wb").write(data[:-1])
        got, out, err = run("verify", path, proof)
        check("not cut off", got == 255, (got, out, err))
    booked = write(folder, "booked.jsonl", [
        {"ops": [["w", "a/1", {"v": 0, "w": 1}]]},
        {"ops": [["u", {"from": "a", "where": [["v", "=", 0]]}, {"set": {"v": ["+", "v", 1]}}]]}])
    proof = booked + ".proof"
    run("check", "--level", "ser", "--certificate", proof, booked)
    check("digests of histories stay", DIGEST.encode() in open(proof, "rb").read(), open(proof, "rb").read())
    check("one at a time", run("check", "--level", "si", "--certificate", "x", valid, lost)[0] == 254)
    got, out, err = run("check", "--level", "si", "--certificate", os.path.join(folder, "no/such/place"), valid)
    check("a wrong path is reported first", got == 254 and not out and "--certificate: " in err, (got, out, err))
    got, out, err = run("check", "--level", "si", "--certificate", "/dev/full", valid)
    check("a full disk costs no verdict", got == 255 and out.startswith(valid + "\tvalid\n")
          and "/dev/full: cannot write" in err, (got, out, err))
    proof = os.path.join(folder, "proof")
    got, out, err = run("check", "--level", "si", "--order", "timestamps", "--certificate", proof, valid)
    check("none of timestamps", got == 254 and "leave out --order timestamps" in err, (got, out, err))
    got, out, err = run("check", "--level", "si", "--require-txns", "9", "--certificate", proof, valid)
    check("none of what is unknown", got == 2 and "nothing was proven" in err
          and not os.path.exists(proof), (got, out, err))


def recorded_certificates(_):
    """Certificates stay valid in later versions."""
    base = os.path.join(project, "tests", "certificates")
    for name, code, words in [("valid", 0, "holds at ser"), ("lost-update", 1, "violates si"),
                              ("queries", 0, "holds at ser"), ("phantom", 1, "violates ser")]:
        path = os.path.join(base, name)
        got, out, err = run("verify", path + ".jsonl", path + ".certificate")
        check("the recorded certificate of %s is accepted" % name, got == code and words in out, (out, err))


def all_levels(folder):
    valid, lost = write(folder, "valid.jsonl", VALID), write(folder, "lost.jsonl", LOST)
    claims = write(folder, "claims.jsonl", [{"alibi": 1, "level": "si"}] + LOST)
    for path, code, strongest in [(valid, 0, "sser"), (lost, 2, "pc"), (claims, 1, "pc")]:
        got, out, err = run("check", "--level", "all", path)
        check("it is said that no level is expected", ("which level must hold is not known" in out)
              == ("--expect LEVEL" in err) == (path == lost), (out, err))
        claim = "; the claimed si does not hold" if path == claims else ""
        check("the strongest level", got == code and "holds up to %s%s\n" % (strongest, claim) in out, (out, err))
        got, out, err = run("check", "--level", "all", "--json", path)
        whole = json.loads(out)
        check("in JSON", got == code and whole["strongest"] == strongest
              and whole["claimed"] == ("si" if path == claims else None), out)
        holds = [r["level"] for r in whole["levels"] if r["verdict"] == "valid"]
        check("and all weaker ones", holds and holds[-1] == strongest and holds[0] == "rc", out)
    garbage = write(folder, "garbage.jsonl", [{"ops": [["r", "x", 9]]}])
    got, out, err = run("check", "--level", "all", garbage)
    check("no level holds", got == 1 and "holds at no level" in out and "rc    violates" in out, out)
    page = os.path.join(folder, "page.html")
    run("check", "--level", "all", "--html", page, claims)
    check("on the page", "; the claimed snapshot isolation does not hold</span>" in open(page).read())
    expectations(folder, valid, lost, claims)
    half = [json.loads(line) for line in open(os.path.join(project, "examples", "half-an-update.jsonl"))]
    for claim, code in [([], 2), ([{"alibi": 1, "level": "si"}], 1)]:
        got, out, err = run("check", "--level", "all", write(folder, "half.jsonl", claim + half))
        check("weaker levels are unknown", got == code
              and "\tdoes not hold at pc or above; unknown at cc, ra, rc" in out, (got, out, err))
    got, out, err = run("check", "--level", "all", "--order", "timestamps", valid)
    check("not by timestamps", got == 254 and "not at all levels" in out, (got, out, err))
    got, out, err = run("check", "--level", "all", "--certificate", "x", valid)
    check("no certificate of all", got == 254 and "at one level" in err, err)


def colour(page):
    return re.search('<h1><span class="([a-z]*)">', open(page, encoding="utf-8").read()).group(1)


def expectations(folder, valid, lost, claims):
    """With --level all, --expect or else the claimed level decides the exit code and the colour."""
    page, xml = os.path.join(folder, "page.html"), os.path.join(folder, "all.xml")
    for path, expect, code, seen in [(lost, [], 2, "neutral"), (valid, [], 0, "neutral"),
                                     (claims, [], 1, "violates"), (lost, ["--expect", "pc"], 0, "valid"),
                                     (lost, ["--expect", "ser"], 1, "violates"),
                                     (claims, ["--expect", "pc"], 0, "valid"),
                                     (claims, ["--expect", "serializable"], 1, "violates")]:
        got, out, err = run("check", "--level", "all", "--html", page, "--junit", xml, *expect, path)
        what = "%s %s" % (os.path.basename(path), " ".join(expect))
        check(what + ": the exit code", got == code, (got, out, err))
        check(what + ": the colour", colour(page) == seen, colour(page))
        text = open(xml, encoding="utf-8").read()
        check(what + ": JUnit", (" failures=\"0\" " in text, " errors=\"0\" " in text) == (code != 1, code != 2), text)
        got, out, err = run("check", "--level", "all", "--json", *expect, path)
        verdict = json.loads(out)["verdict"]
        check(what + ": JSON", verdict == ["valid", "violates", "unknown"][code], out)
    got, out, err = run("check", "--level", "all", "--expect", "si", lost)
    check("the expected level is named", "holds up to pc; the expected si does not hold" in out, out)
    got, out, err = run("check", "--quiet", "--expect", "si", lost)
    check("--expect alone is the level", (got, out) == (1, lost + "\tviolates\n"), (got, out, err))
    for words in (["--level", "si", "--expect", "ser"], ["--level", "all", "--expect", "all"],
                  ["--expect", "serialisable"]):
        got, out, err = run("check", *words, lost)
        check("a wrong expectation", got == 254 and not out and "expect" in err, (got, out, err))


def reports(folder):
    """Files are written beside what is printed. tests/report.py looks into them."""
    valid, lost = write(folder, "valid.jsonl", VALID), write(folder, "lost.jsonl", LOST)
    broken = os.path.join(folder, "broken.jsonl")
    open(broken, "w").write("{")
    files = {kind: os.path.join(folder, "report." + kind) for kind in ("html", "svg", "dot", "junit")}
    options = [word for kind, path in files.items() for word in ("--" + kind, path)]
    code, out, err = run("check", "--level", "si", *options, lost)
    check("reports are written", code == 1 and out.startswith(lost + "\tviolates\n") and not err, (out, err))
    starts = {"html": "<!doctype html>", "svg": "<svg ", "dot": "digraph ", "junit": "<?xml "}
    for kind, path in files.items():
        check("there is " + kind, open(path, encoding="utf-8").read().startswith(starts[kind]))
    code, out, err = run("check", "--level", "si", "--junit", files["junit"], valid, lost, broken)
    text = open(files["junit"], encoding="utf-8").read()
    check("JUnit of several", code == 1 and (text.count("<testsuite "), text.count("<failure "),
                                             text.count("<error ")) == (3, 1, 1), text)
    code, out, err = run("check", "--level", "si", "--max-memory", "1", "--junit", files["junit"], valid)
    check("a small limit is named", "the memory limit of 1 bytes was reached" in out, out)
    check("a limit is an error", code == 2 and '<error type="unknown"' in open(files["junit"]).read(), (out, err))
    code, out, err = run("check", "--level", "si", "--html", files["html"], valid, lost)
    check("a page is of one history", code == 254 and "one history at a time" in err, err)
    code, out, err = run("check", "--level", "si", "--html", os.path.join(folder, "no/such/place"), lost)
    check("a wrong path is reported first", code == 254 and not out and "cannot write" in err, (code, out, err))
    code, out, err = run("check", "--junit", files["junit"], claimed(folder), valid)
    text = open(files["junit"], encoding="utf-8").read()
    check("no level is an error in JUnit", code == 254 and (text.count("<testsuite "), text.count("<error "))
          == (2, 1) and "which level?" in text, text)
    kept = os.path.join(folder, "kept")
    open(kept, "w").write("kept")
    run("check", "--level", "si", "--html", kept, os.path.join(folder, "nowhere"), valid)
    check("a mistake changes no file", open(kept).read() == "kept")


def overwriting(folder):
    """What is written is neither what is read nor what another option writes."""
    lost, link = write(folder, "lost.jsonl", LOST), os.path.join(folder, "link.jsonl")
    before = open(lost).read()
    os.link(lost, link)
    for option in ("html", "junit", "svg", "dot", "reduced", "certificate"):
        for path in (lost, link, os.path.join(folder, ".", "lost.jsonl")):
            code, out, err = run("check", "--level", "si", "--" + option, path, lost)
            check("--%s is not the history" % option, code == 254 and not out
                  and "--%s would overwrite the history %s" % (option, lost) in err
                  and open(lost).read() == before, (code, out, err))
    new = os.path.join(folder, "new")
    for other in (new, os.path.join(folder, ".", "new")):
        code, out, err = run("check", "--level", "si", "--html", new, "--certificate", other, lost)
        check("two reports are two files", code == 254 and "--html and --certificate are both to be" in err
              and not os.path.exists(new), (code, out, err))
    code, out, err = run("check", "--level", "si", "--html", "/dev/null", "--svg", "/dev/null", lost)
    check("a device may be named twice", code == 1 and not err, (code, out, err))


def as_json(folder):
    lost = write(folder, "lost.jsonl", LOST)
    code, out, _ = run("check", "--order", "timestamps", "--level", "si", "--json", lost)
    r = json.loads(out)
    check("JSON has its members", set(r) >= {
        "file", "format", "level", "verdict", "txns", "committed", "aborted", "unknown", "sessions",
        "ops", "violations", "seconds", "peak_bytes"}, out)
    check("JSON has its values", (r["file"], r["format"], r["level"], r["verdict"], r["txns"],
                                  r["committed"], r["sessions"], r["ops"], r["violation_count"]) ==
          (lost, "alibi", "si", "violates", 2, 2, 2, 4, 1), out)
    check("JSON has the violation", r["violations"][0]["kind"] == "NOCONFLICT"
          and sorted(r["violations"][0]["txns"]) == ["a", "b"] and r["violations"][0]["key"] == "x", out)
    check("JSON has no figures of a search", "search" not in r, out)
    code, out, _ = run("check", "--order", "timestamps", "--level", "si", "--json", "nowhere")
    check("JSON of an unreadable file", json.loads(out)["verdict"] == "error" and code == 255, out)


def figures(folder):
    """What a search took. No order explains what was read, and reads have two candidate writers."""
    twice = write(folder, "twice.jsonl", [
        {"session": 1, "ops": [["w", "z", 1], ["w", "y", 2]]}, {"session": 1, "ops": [["r", "y", 1], ["r", "x", 2]]},
        {"session": 2, "ops": [["r", "y", 2], ["w", "z", 2]]}, {"session": 2, "ops": [["r", "x", 1], ["w", "z", 1]]},
        {"session": 3, "ops": [["w", "x", 1], ["w", "y", 1]]}, {"session": 3, "ops": [["r", "y", 2], ["w", "x", 2]]},
        {"session": 4, "ops": [["w", "y", 2], ["w", "x", 2]]}, {"session": 4, "ops": [["w", "x", 1], ["r", "y", 1]]}])
    code, out, _ = run("check", "--level", "ser", "--json", twice)
    r = json.loads(out)
    seconds = r["search"]["cpu_seconds"]
    check("stages have seconds", set(seconds) == {"prepare", "saturate", "solve", "verify"}
          and all(s >= 0 for s in seconds.values()) and r["load_cpu_seconds"] >= 0, out)
    check("a search has figures", code == 1 and r["search"]["unsure_reads"] == 4
          and r["search"]["choices"] > 0 and r["search"]["rounds"] > 1
          and set(r["search"]) >= {"derived", "conflicts"}, out)
    code, out, _ = run("check", "--level", "ser", "--stats", twice)
    check("--stats shows them", "CPU seconds: load 0." in out and "search: unsure_reads 4, " in out, out)
    code, out, _ = run("check", "--level", "ser", twice)
    check("and only then", "seconds" not in out and "unsure" not in out, out)
    chain = write(folder, "chain.jsonl", [
        {"session": i % 7, "ops": [["r", "x", i - 1 if i else None], ["w", "x", i]]}
        for i in sorted(range(7000), key=lambda i: (i % 7, i))])
    r = json.loads(run("check", "--level", "ser", "--json", chain)[1])
    cpu = sum(r["search"]["cpu_seconds"].values()) + r["load_cpu_seconds"]
    check("seconds are of what was done", 0 < cpu <= r["seconds"] + 0.05, r)


def components(folder):
    """Histories that fall apart: searched apart, on threads, with one verdict."""
    def tenant(name, wrong=False):
        reads = [["r", name, 1 if wrong else 2]]
        return [{"id": name + "1", "session": name, "ops": [["w", name, 1]]},
                {"id": name + "2", "session": name, "ops": [["w", name, 2]]},
                {"id": name + "3", "session": name, "ops": reads}]
    several = write(folder, "several.jsonl", sum(map(tenant, "abcde"), []) + [
        {"id": "single", "ops": [["w", "f", 1]]}])
    for threads in ("1", "2", "99"):
        code, out, _ = run("check", "--level", "si", "--json", "--threads", threads, several)
        found = json.loads(out)["search"]
        check("components are counted", code == 0 and found["components"] == 6
              and found["largest_component"] == 0.1875, out)
    code, out, _ = run("check", "--level", "si", "--stats", several)
    check("and reported", "components 6 (the largest has 19 % of the transactions)" in out, out)
    wrong = write(folder, "wrong.jsonl", tenant("a") + tenant("b", True) + tenant("c", True))
    texts = {run("check", "--level", "ser", "--threads", threads, wrong)[1].split("  to see why")[0] for threads in "1234"}
    check("the same violation on any number of threads", len(texts) == 1
          and "b1 (session" in str(texts) and "c1 (session" not in str(texts), texts)
    named = write(folder, "named.jsonl", [
        {"id": "a", "session": 1, "ops": [["w", "x", 1]]}, {"id": "b", "session": 2, "ops": [["w", "y", 1]]},
        {"id": "c", "session": 2, "ops": [["r", "y", 1, {"from": "a"}]]}])
    check("a writer of another component", run("check", "--level", "ser", named)[0] == 1)
    timed = write(folder, "timed.jsonl", [
        {"session": 1, "begin": 1, "end": 2, "ops": [["w", "x", 1]]},
        {"session": 2, "begin": 3, "end": 4, "ops": [["w", "y", 1]]}, {"session": 3, "ops": [["w", "z", 1]]}])
    for level, count in (("ser", 3), ("sser", 2)):
        r = json.loads(run("check", "--level", level, "--json", timed)[1])
        check("clocks link at sser only", r["search"]["components"] == count, r)


def mistakes(folder):
    valid = write(folder, "valid.jsonl", VALID)
    for words, message in [
            ((), "Commands:"),
            (("chekc",), "did you mean check?"),
            (("check",), "which history?"),
            (("check", "--levl", "si", valid), "did you mean --level?"),
            (("check", "--level", "sir", valid), "there is no level 'sir'; did you mean si?"),
            (("check", valid), "which level?"),
            (("check", "--level"), "--level expects a value"),
            (("check", "--level", "PL-2+", valid), "the nearest is cc. The difference: it forbids lost"),
            (("check", "--level", "repeatable-read", valid), "it is not si"),
            (("check", "--level", "linearizable", valid), "out of scope"),
            (("check", "--level", "serializable", "--session-order", "on", valid),
             "does not count session order; say --level ser --session-order on"),
            (("check", "--level", "strict-serializable", "--session-order", "off", valid),
             "counts session order; say --level sser --session-order off"),
            (("check", "--json=1", valid), "--json takes no value"),
            (("check", "-q", valid), "options start with two dashes"),
            (("check", "--timeout", "soon", valid), "a time such as 30s, 5m or 500ms"),
            (("check", "--max-memory", "lots", valid), "an amount of memory such as 800M or 2G"),
            (("check", "--require-txns", "-1", valid), "a whole number"),
            (("convert", "--to", "plum", valid), "did you mean plume?"),
            (("convert", "--to", "cobra", valid), "is a directory of files"),
            (("check", "--level", "si", "--initial", "foo", valid), "the initial value:1:1: expected a string, an integer"),
            (("stats", "--initial", "[1]", valid), "null or a row, as JSON, found a list"),
            (("convert", "--out", os.path.join(folder, "x.zst"), valid), "x.zst: histories are not compressed here"),
            (("generate", "--out", os.path.join(folder, "x.gz")), "| zstd > FILE"),
            (("version", "extra"), "found 'extra'"),
            (("stats", "--format", "xml", valid), "expects one of")]:
        code, out, err = run(*words)
        check("a mistake: %s" % (words,), code == 254 and message in out + err, (code, out, err))
    for words, message in [(("help",), "Commands:"), (("help", "check"), "--require-txns N"),
                           (("check", "--help"), "--require-txns N"), (("--version",), "alibi "), (("version",), "\n  SQLite "),
                           (("help", "formats"), "dbcop-bincode"), (("help", "--man"), ".TH ALIBI 1")]:
        code, out, err = run(*words)
        check("help: %s" % (words,), code == 0 and message in out and not err, (code, out, err))


def looks(folder):
    """What a file is, is seen from its first bytes; if it is no history, what it is instead."""
    text = "".join(json.dumps(t) + "\n" for t in VALID).encode()
    code, out, err = run("stats", "--json", "-", stdin=b"\xef\xbb\xbf" + text)
    check("a byte order mark", code == 0 and json.loads(out)["txns"] == 2, (code, out, err))
    code, out, err = run("stats", "--json", write(folder, os.fsdecode(b"o\xffd.jsonl"), VALID))
    check("a name that is not UTF-8", code == 0 and json.loads(out)["file"].endswith("/o\ufffdd.jsonl"), (code, out, err))
    code, out, err = run("stats", "--json", "-", stdin=b"\n  \r\n\n")
    check("blank lines are no transactions", code == 0 and json.loads(out)["txns"] == 0, (code, out, err))
    for data, message in [(b"BZh91AY&SY", "compressed with bzip2"), (b"PK\3\4\x14", "a zip archive"),
                          (b"hello\n", "(alibi help formats); if you know the format"),
                          (b'{\n  "a": 1\n}\n', "one JSON object a line"), (b"[\n", "one JSON object a line")]:
        code, out, err = run("stats", "-", stdin=data)
        check("no history: %s" % data, code == 255 and message in err, (code, out, err))
    code, out, err = run("check", "--level", "si", folder)
    check("a directory of something else", code == 255 and "a directory is a log of Cobra or Viper" in out, out)


def packed(folder):
    text = "".join(json.dumps(t) + "\n" for t in VALID).encode()
    forms = {"plain": text, "gzip": gzip.compress(text), "xz": lzma.compress(text),
             "gzip twice": gzip.compress(text[:40]) + gzip.compress(text[40:]),
             "empty gzip": gzip.compress(b"")}
    try:
        forms["zstd"] = subprocess.run(["zstd", "-c"], input=text, capture_output=True, check=True).stdout
    except FileNotFoundError:
        print("zstd is not installed: its files are not tried here")
    for name, data in forms.items():
        code, out, err = run("stats", "--json", "-", stdin=data)
        want = 0 if name == "empty gzip" else 2
        check("packed with " + name, code == 0 and json.loads(out)["txns"] == want, (code, out, err))
        if name in ("gzip", "xz", "zstd"):
            code, out, err = run("stats", "-", stdin=data[:-5])
            check("cut off " + name, code == 255 and "damaged or cut off" in err, (code, out, err))


def limits(folder):
    big = os.path.join(folder, "big.jsonl")
    with open(big, "w") as f:
        for i in range(200000):
            f.write('{"session":%d,"start_ts":%d,"commit_ts":%d,"ops":[["w","k%d",%d],["w","j",%d]]}\n'
                    % (i % 20, 2 * i, 2 * i + 1, i % 5000, i, i))
    for words in (["--max-memory", "2M"], ["--max-memory", "10M"], ["--timeout", "20ms"]):
        code, out, _ = run("check", "--order", "timestamps", "--level", "si", *words, big)
        check("limit %s" % words, code == 2 and "limit" in out and "\tunknown\n" in out, (code, out))
    code, out, _ = run("check", "--order", "timestamps", "--level", "si", "--json",
                       "--max-memory", "60M", big)
    check("within the limit", code == 0 and json.loads(out)["peak_bytes"] <= 60 << 20, out)
    started = time.time()
    code, out, _ = run("stats", "--timeout", "200ms", "-", stdin=b'{"ops":[' + b'["w","x",1],' * 3000000)
    check("a timeout holds", code in (2, 255) and time.time() - started < 3)


def on_a_terminal(folder):
    """The progress line and colours: on a terminal only, and gone at the end."""
    big = os.path.join(folder, "slow.jsonl")
    os.mkfifo(big)
    for env, colour in (({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False),
                        ({"TERM": "dumb"}, False)):
        child, fd = pty.fork()
        if child == 0:
            os.environ.pop("NO_COLOR", None)
            os.environ.update(env)
            os.execv(alibi, [alibi, "check", "--order", "timestamps", "--level", "si", big])
        with open(big, "w") as f:
            line = json.dumps(txn(1, [["w", "x", 1]], 1, 2)) + "\n"
            f.write(line)
            f.flush()
            time.sleep(1.3)
            for i in range(3000):
                f.write(json.dumps(txn(1, [["w", "x", 1]], 2 * i + 2, 2 * i + 3)) + "\n" * 1)
            f.flush()
            time.sleep(0.3)
        seen = b""
        while select.select([fd], [], [], 5)[0]:
            try:
                data = os.read(fd, 65536)
            except OSError:
                break
            if not data:
                break
            seen += data
        os.waitpid(child, 0)
        os.close(fd)
        check("progress on a terminal", b"loading" in seen, seen)
        check("the line is taken away", seen.rfind(b"\r\x1b[K") > seen.rfind(b"loading"), seen)
        check("colour: %s" % colour, (b"\x1b[32mvalid" in seen) == colour, seen)
    code, out, err = run("check", "--order", "timestamps", "--level", "si",
                         write(folder, "v.jsonl", VALID))
    check("no terminal, no escapes", "\x1b" not in out + err, out + err)


def main():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for part in (verdicts, availability, overlaps, other_names, coverage, certificates, recorded_certificates, all_levels, reports,
                 overwriting,
                 as_json, figures, components, mistakes, looks, packed, limits, on_a_terminal):
        with tempfile.TemporaryDirectory() as folder:
            part(folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
