#!/usr/bin/env python3
"""`alibi elle` as a script that calls elle-cli meets it: its options, its line a file, its exit
codes, and what its consistency models and anomalies are taken for.

    elle.py ALIBI PROJECT
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import counted
from counted import check

alibi, project = map(os.path.abspath, sys.argv[1:3])


def run(*words, cwd=None):
    r = subprocess.run([alibi, "elle"] + list(words), capture_output=True, text=True, cwd=cwd)
    return r.returncode, r.stdout, r.stderr


def edn(txns):
    """A history of (process, first event, last event, type, value); events are numbered by them."""
    ops = []
    for process, begin, end, kind, value in txns:
        asked = value if kind != "ok" else [
            (f, k, None if f == "r" else v) for f, k, v in value]
        ops.append((begin, process, "invoke", asked))
        ops.append((end, process, kind, value))

    def shown(v):
        return "nil" if v is None else "[%s]" % " ".join(map(str, v)) if isinstance(v, list) else str(v)
    lines = []
    for index, process, kind, value in sorted(ops):
        lines.append("{:index %d, :type :%s, :process %d, :f :txn, :value [%s]}" % (
            index, kind, process,
            " ".join("[:%s :%s %s]" % (f, k, shown(v)) for f, k, v in value)))
    return "\n".join(lines) + "\n"


def apart(*txns):
    """Each transaction in a process of its own, all at the same time."""
    return [(i, i, len(txns) + i, "ok", value) for i, value in enumerate(txns)]


# (model, history, what Elle says of it by models and anomalies)
HISTORIES = {
    "serial": ("list-append",
               [(0, 0, 1, "ok", [("append", "x", 1)]), (1, 2, 3, "ok", [("r", "x", [1])])],
               {("strict-serializable", ""): "true", ("", "G0,G1a,lost-update"): "true",
                ("read-uncommitted", ""): "true"}),
    "stale": ("list-append",
              [(0, 0, 1, "ok", [("append", "x", 1)]), (1, 2, 3, "ok", [("r", "x", [])])],
              {("strict-serializable", ""): "false", ("serializable", ""): "true",
               ("strong-snapshot-isolation", ""): "false",
               ("strong-session-serializable", ""): "true",
               ("serializable", "G-single-realtime"): "false",
               ("serializable", "G-single-process"): "true"}),
    "write-skew": ("list-append",
                   apart([("r", "x", []), ("append", "y", 1)], [("r", "y", []), ("append", "x", 1)]),
                   {("serializable", ""): "false", ("snapshot-isolation", ""): "true",
                    ("repeatable-read", ""): "false", ("conflict-serializable", ""): "false",
                    ("snapshot-isolation", "G2-item"): "false",
                    ("snapshot-isolation", "G2"): "false",
                    ("snapshot-isolation", "write-skew"): "false",
                    ("", "G-single,G0"): "true", ("read-committed", ""): "true",
                    ("consistent-view", ""): "true"}),
    "lost-update": ("list-append",
                    apart([("r", "x", []), ("append", "x", 1)], [("r", "x", []), ("append", "x", 2)]),
                    {("snapshot-isolation", ""): "false", ("prefix", ""): "true",
                     ("", "lost-update"): "false", ("", "G-single"): "false",
                     ("cursor-stability", ""): "false", ("read-committed", ""): "true",
                     ("", "G1"): "true"}),
    # The second read the list before the first appended to it, which did not read it.
    "blind": ("list-append",
              apart([("append", "x", 1)], [("r", "x", []), ("append", "x", 2)], [("r", "x", [1, 2])]),
              {("", "G-single"): "false", ("", "lost-update"): "unknown",
               ("cursor-stability", ""): "unknown", ("consistent-view", ""): "false"}),
    "aborted": ("rw-register",
                [(0, 0, 1, "fail", [("w", "x", 1)]), (1, 2, 3, "ok", [("r", "x", 1)])],
                {("read-committed", ""): "false", ("read-uncommitted", ""): "unknown",
                 ("", "G1a"): "false", ("", "G1"): "false", ("", "G1b"): "unknown",
                 ("", "G0"): "unknown"}),
    "circular": ("list-append",
                 apart([("append", "x", 1), ("r", "y", [1])], [("append", "y", 1), ("r", "x", [1])]),
                 {("read-committed", ""): "false", ("", "G1c"): "false",
                  ("read-uncommitted", ""): "unknown", ("PL-2", ""): "false"}),
    "dirty-write": ("list-append",
                    apart([("append", "x", 1), ("append", "y", 2)],
                          [("append", "x", 2), ("append", "y", 1)],
                          [("r", "x", [1, 2]), ("r", "y", [1, 2])]),
                    {("read-uncommitted", ""): "false", ("", ""): "false", ("", "G1c"): "false"}),
    # At rc, but not at Elle's read-committed: a read that goes back within a transaction.
    "back": ("list-append",
             apart([("append", "x", 1), ("append", "y", 1)], [("r", "x", [1]), ("r", "y", [])]),
             {("read-committed", ""): "unknown", ("read-atomic", ""): "false",
              ("consistent-view", ""): "false"}),
    "internal": ("rw-register", apart([("w", "x", 1), ("w", "y", 1)],
                                      [("r", "x", 1), ("r", "x", None)]),
                 {("", "internal"): "false", ("read-atomic", ""): "false"}),
}


def verdicts(folder):
    for name, (model, txns, expected) in HISTORIES.items():
        path = os.path.join(folder, name + ".edn")
        with open(path, "w", encoding="utf-8") as f:
            f.write(edn(txns))
        for (models, anomalies), verdict in expected.items():
            words = ["--model", model, "--consistency-models", models]
            words += ["--anomalies", anomalies] if anomalies else []
            got = run(*words, path)
            check("%s: models '%s', anomalies '%s' is %s" % (name, models, anomalies, verdict),
                  got[:2] == (verdict == "false", "%s \t %s\n" % (path, verdict)), got)


# What Elle's results say of these histories: (:anomaly-types, some of :not, some of :also-not).
RESULTS = {
    "stale": (["G-single-item-realtime"], ["strong-snapshot-isolation"], ["strict-serializable"]),
    "write-skew": (["G2-item"], ["repeatable-read"], ["serializable", "strict-serializable"]),
    "lost-update": (["lost-update"], ["cursor-stability"], ["snapshot-isolation", "repeatable-read"]),
    "blind": (["G-single-item"], ["consistent-view", "repeatable-read"], ["snapshot-isolation"]),
    "aborted": (["G1a"], ["read-committed"], ["monotonic-atomic-view", "serializable"]),
    "circular": (["G1c"], ["read-committed"], ["read-atomic", "strong-read-committed"]),
    "dirty-write": (["G0"], ["read-uncommitted"], ["read-committed", "strong-read-uncommitted"]),
}


def results(folder):
    for name, (types, weakest, stronger) in RESULTS.items():
        model, path = HISTORIES[name][0], os.path.join(folder, name + ".edn")
        said = {}
        for words in (["--output", "json"], ["--verbose"], ["-v", "json"], ["-v"]):
            code, out, err = run("-m", model, *words, path)
            said = json.loads(out)
            check("%s %s: results" % (name, words), code == 1 and said["valid?"] is False and
                  said["anomaly-types"] == types and list(said["anomalies"]) == types and
                  set(weakest) <= set(said["not"]) and set(stronger) <= set(said["also-not"]), (out, err))
        where = os.path.join(folder, "out", name)
        run("-m", model, "--directory", where, path)
        with open(os.path.join(where, "results.edn"), encoding="utf-8") as f:
            text = f.read()
        check("%s: results.edn" % name, text.startswith("{:valid? false,\n :anomaly-types [:%s]" % types[0]) and
              all(":" + word in text for word in weakest + stronger), text)
        with open(os.path.join(where, "index.html"), encoding="utf-8") as f:
            check("%s: a page" % name, "violates" in f.read())
        for found in said["anomalies"][types[0]]:
            ops = found.get("cycle", found.get("txns"))
            indexes = {end for _, _, end, _, _ in HISTORIES[name][1]}
            check("%s: operations by :index" % name, {op["index"] for op in ops} <= indexes, ops)
    good, bad = (os.path.join(folder, n + ".edn") for n in ("serial", "lost-update"))
    where = os.path.join(folder, "two")
    run("-m", "list-append", "-d", where, good, bad)
    with open(os.path.join(where, "1", "results.edn"), encoding="utf-8") as f:
        check("of several, each has a directory", f.read() == "{:valid? true}\n")
    check("of several, the second", os.path.exists(os.path.join(where, "2", "index.html")))
    code, _, err = run("-m", "list-append", "-d", good, bad)
    check("a directory that is a file", code == 255 and "cannot write" in err, err)
    os.makedirs(os.path.join(folder, "test"))
    with open(os.path.join(folder, "test", "history.edn"), "w", encoding="utf-8") as f:
        f.write("")
    code, _, err = run("-m", "list-append", "-d", os.path.join(folder, "test"), bad)
    check("Jepsen's own results stay", code == 255 and "name another directory" in err and
          not os.path.exists(os.path.join(folder, "test", "results.edn")), err)
    code, out, _ = run("-m", "list-append", "-c", "cursor-stability", "-v", "json",
                       os.path.join(folder, "blind.edn"))
    check("unknown has a reason", code == 0 and json.loads(out)["valid?"] == "unknown" and
          json.loads(out)["reason"], out)


def as_txt(text):
    """history.txt of a history.edn."""
    lines = [":nemesis\t:info\t:kill\tnil"]
    for line in text.splitlines():
        kind, process, value = re.search(r":type (\S+), :process (\d+), :f :txn, :value (.*)}$", line).groups()
        lines.append("\t".join([process, kind, ":txn", value] + ["an \"error] of (it"] * (kind == ":fail")))
    return "\n".join(lines) + "\n"


def store(folder):
    """A store/ of Jepsen's is walked."""
    root = os.path.join(folder, "store")

    def put(test, file, text):
        os.makedirs(os.path.join(root, test), exist_ok=True)
        with open(os.path.join(root, test, file), "w", encoding="utf-8") as f:
            f.write(text)
    good, bad = (edn(HISTORIES[n][1]) for n in ("serial", "stale"))
    put("a b/20261116T1", "history.edn", good)
    put("a b/20261116T1", "history.txt", "not read")
    put("a b/20261116T1", "test.jepsen", "JEPSEN\0")
    put("a b/20261116T1/independent/0", "history.edn", "not read")
    put("a b/20261116T2", "history.txt", as_txt(bad))
    put("c/20261116T3", "history.edn", good)
    for link, to in (("latest", "a b/20261116T2"), ("current", "a b/20261116T2"), ("a b/latest", "20261116T2"),
                     ("c/loop", "..")):
        os.symlink(to, os.path.join(root, link))
    code, out, err = run("-m", "list-append", "store/", cwd=folder)
    check("a store is walked", (code, out) == (
        1, "store/a b/20261116T1/history.edn \t true\nstore/a b/20261116T2/history.txt \t false\n"
           "store/c/20261116T3/history.edn \t true\n"), (code, out, err))
    code, out, err = run("-m", "list-append", "-v", "json", "store/latest", cwd=folder)
    found = json.loads(out)["anomalies"]["G-single-item-realtime"][0]
    check("the lines of history.txt are indexes", code == 1 and
          {op["index"] for op in found["cycle"]} == {2, 4}, out)
    put("a b/20261116T2", "history.txt", as_txt(bad) + "0\t:ok\t:txn\t[[:frob 1]]\n")
    code, out, err = run("-m", "list-append", "store/latest", cwd=folder)
    check("a mistake in history.txt has its line", code == 255 and "store/latest/history.txt:6:" in err, err)
    put("d/20261116T4", "test.jepsen", "JEPSEN\0")
    for path in ("store/d", "store/d/20261116T4/test.jepsen"):
        code, out, err = run("-m", "list-append", path, cwd=folder)
        check("test.jepsen is refused: " + path, (code, out) == (255, "") and
              '(jepsen.store/test "store/d/20261116T4")' in err, (code, out, err))
    os.makedirs(os.path.join(folder, "empty"))
    code, out, err = run("-m", "list-append", "empty", cwd=folder)
    check("a directory without a history", (code, out) == (255, "") and "no history.edn" in err, err)


def without_index(folder):
    """Operations without :index and :time happened in the order of the file, as in Elle."""
    for name, models, verdict in (("stale", "strict-serializable", "false"), ("stale", "serializable", "true"),
                                  ("serial", "strict-serializable", "true")):
        path = os.path.join(folder, "unnumbered.edn")
        with open(path, "w", encoding="utf-8") as f:
            f.write(re.sub(":index [0-9]+, ", "", edn(HISTORIES[name][1])))
        got = run("-m", "list-append", "-c", models, path)
        check("%s without :index at %s" % (name, models), got[1] == "%s \t %s\n" % (path, verdict), got)
    with open(path, "w", encoding="utf-8") as f:  # some have one, so that the order is not theirs
        f.write(edn(HISTORIES["serial"][1]).replace(":index 1, ", ""))
    code, out, err = run("-m", "list-append", path)
    check("some without :index", "unknown" in out and ":index" in err, (out, err))


def tables(document):
    """The tables of a document, by their first heading: rows of cells."""
    found = {}
    rows = None
    for line in document.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if cells and rows is None:
            rows = found.setdefault((cells[0], cells[1]), [])
        elif cells and not cells[0].startswith("---"):
            rows.append(cells)
        elif not cells:
            rows = None
    return found


def documented(folder):
    """docs/guide/elle-cli.md says what each name is taken for, and what is refused."""
    path = os.path.join(folder, "serial.edn")
    with open(os.path.join(project, "docs/guide/elle-cli.md"), encoding="utf-8") as f:
        found = tables(f.read())

    def names(cell):
        return re.findall("`([^`]*)`", cell)
    models = [(row, "taken for") for row in found["model", "level"]]
    models += [(row, "implied by") for row in found["model", "implied by"]]
    for row, word in models:
        for name in names(row[0]):
            code, _, err = run("-m", "list-append", "-c", name, path)
            said = "%s is %s %s" % (name, word, row[1].replace("`", "").split(":")[0])
            check("as documented: " + said, code == 0 and re.search(re.escape(said) + "(;|$)", err, re.M), err)
    for row in found["model", "why"]:
        for name in names(row[0]):
            check("refused: " + name, run("-m", "list-append", "-c", name, path)[0] == 254)
    for row in found["anomaly", "what it is"]:
        name, level = names(row[0])[0], names(row[3])[0]
        code, _, err = run("-m", "list-append", "-c", "", "-a", name, path)
        check("as documented: " + name, code == 0 and "excluded by %s without" % level in err, err)
    check("all are documented", len(found["anomaly", "what it is"]) == 21 and len(models) == 25, len(models))


def command_line(folder):
    good, bad = (os.path.join(folder, n + ".edn") for n in ("serial", "lost-update"))
    none, broken = (os.path.join(folder, n) for n in ("none.edn", "broken.edn"))
    with open(broken, "w", encoding="utf-8") as f:
        f.write("{:type :ok, :value [[:frob 1 2]]}\n")
    code, out, _ = run("--model", "list-append", good, bad)
    check("a line a file; one is false", (code, out) == (1, "%s \t true\n%s \t false\n" % (good, bad)), out)
    check("letters", run("-m", "list-append", "-f", "edn", "-c", "serializable", "-a", "G0", "-s", "1000",
                         "-p", "svg", "-t", "5000", "-b", "65536", good)[:2] == (0, good + " \t true\n"))
    for wrong in (none, broken):
        code, out, err = run("--model", "list-append", bad, wrong, good)
        check("255 for %s" % wrong, code == 255 and good in out and wrong in err, (code, out, err))
    check("strict-serializable is the default",
          run("--model", "list-append", os.path.join(folder, "stale.edn"))[0] == 1)
    for words, said in (((), "which model?"), (("--model", "list-apend"), "did you mean list-append?"),
                        (("--model", "list-append"), "which history?"),
                        (("-m", "list-append", "-c", "linearizable", good), "single objects"),
                        (("-m", "list-append", "-c", "view-serializable", good), "final state"),
                        (("-m", "list-append", "-c", "nope", good), "'nope'"),
                        (("-m", "list-append", "-c", "", "-a", "", good), "nothing is checked"),
                        (("-m", "list-append", "-a", "G-cursor", good), "expected G0"),
                        (("-m", "list-append", "-a", "lost-update-realtime", good), "expected G0"),
                        (("-m", "list-append", "-p", "png", good), "svg")):
        code, out, err = run(*words)
        check("254 and '%s' for %s" % (said, words), code == 254 and said in err and not out, (code, err))
    code, _, err = run("-m", "rw-register", good)
    check("the wrong model is refused", code == 255 and "--model list-append" in err, err)
    code, _, err = run("-m", "list-append", "-c", "serializable,:read-committed", good)
    check("what models are taken for", code == 0 and "serializable is taken for ser without session order" in err
          and "read-committed is implied by rc" in err, err)
    check("--help", run("--help")[0] == 0 and "elle-cli" in run("-h")[1])
    shell = subprocess.run([alibi, "help", "--completions", "bash"], capture_output=True, text=True).stdout
    check("models are completed", re.search(r"'elle --model'.* cas-register .* sequential\"", shell), shell)
    check("--version", run("--version")[:2] == (0, "alibi 0.1.0\n"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        verdicts(folder)
        results(folder)
        store(folder)
        without_index(folder)
        documented(folder)
        command_line(folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
