#!/usr/bin/env python3
"""Histories in the formats of other tools: every labelled file loads with the labelled counts,
and survives conversion.

Those of tests/histories are written by hand; the recorded ones of ../shared/corpus are
tried too if they are there. LABELS.tsv says how many transactions and sessions each file
has, and at which levels it holds, which the search must find too, and so must brute force
where the history is small. What is not a history of transactions (registers of single operations, banks, sets, counters:
other models of Jepsen's, which these formats also carry) must be refused with a
message. Every file that loads is converted to Alibi's format, which must change
no count, and, where it can be written in its own format, there and back again,
which must change nothing that stats counts.

    corpus.py ALIBI PROJECT
"""
import collections
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile

import counted
import oracle
import reference
from counted import check

# Formats that are no transactions, by the word in LABELS.tsv's format column.
OTHER_MODELS = ("bank", "cas-register", "counter", "set", "mutex", "comments",
                "jepsen-util-log", "porcupine")

# Labels that count otherwise than we do: (files, what the label counts, reason).
OTHER_COUNTS = [
    (r"dbcop-oopsla19/roachdb_|polysi-violations/dgraph\.bincode", "committed",
     "the label counts committed transactions only; the file has aborted ones too"),
    (r"elle-histories/huge-scc|grail-arangodb/", "committed",
     "the label counts :ok transactions only; the file has :fail and :info ones too"),
    (r"cobra-logs/cock-blog", "committed",
     "reads name transactions that no log has; each is added as an aborted one, in a session "
     "of its own"),
]
OTHER_SESSIONS = r"cobra-logs/cock-blog|isovista-bugs/(dgraph_si|pg_ser_bug|sample|yugabyte)"
# The label counts IsoVista's initial transaction, which becomes the initial values.
WITH_INITIAL = r"isovista-bugs/"

LEVELS = {"RC": "rc", "RA": "ra", "CC": "cc", "SER": "ser", "SI": "si", "PC": "pc", "SSER": "sser"}

# Labels that say otherwise than our verified verdicts: (level, files, ours, reason).
OTHER_VERDICTS = [
    ("SI", r"grail-arangodb/list-append/rate-nemesis__10", "violates",
     "the label is Elle's verdict, which knows some cycles; the certificate refutes every order"),
    ("SSER", r"elle-cli/elle/rw-register\.", "violates",
     "a read returns 3, which no transaction wrote; Elle does not look for such reads"),
    ("RC", r"elle-tests/rw-G2-item-linearizable-keys\.edn", "violates",
     "a read returns 1, which no transaction wrote; Elle does not look for such reads"),
    ("RC", r"dbcop-oopsla19/galera_all_writes__6_30_20_360__hist-00040", "valid",
     "a key that is read again and found the same counts once, as in oracle.py, which says valid too"),
]

SMALL = 7  # transactions that brute force decides in no time

COUNTS = ["txns", "committed", "aborted", "unknown", "sessions", "ops", "reads", "list_reads",
          "writes", "deletes", "appends", "keys", "list_keys", "with_client_times",
          "with_timestamps", "with_info", "reads_with_writer", "annotations"]


def labels(corpus):
    """file -> (format, txns, sessions); a file has a line a level."""
    files = collections.OrderedDict()
    with open(os.path.join(corpus, "LABELS.tsv"), encoding="utf-8") as f:
        for line in f.read().splitlines()[1:]:
            name, form, txns, sessions = line.split("\t")[:4]
            files.setdefault(name, (form, txns, sessions))
    return files


def unpacked(path, folder):
    """Archives hold one directory, or the files of one."""
    if not path.endswith(".tar.xz"):
        return path
    into = os.path.join(folder, os.path.basename(path)[:-7])
    with tarfile.open(path) as t:
        t.extractall(into)
    while True:
        names = [n for n in os.listdir(into) if os.path.isdir(os.path.join(into, n))]
        if not names:
            return into
        into = os.path.join(into, "json" if "json" in names else names[0])


def stats(alibi, paths):
    """path -> counts, or the message with which it is refused."""
    found = {}
    for i in range(0, len(paths), 100):
        ran = subprocess.run([alibi, "stats", "--json"] + paths[i:i + 100],
                             capture_output=True, text=True)
        for line in ran.stdout.splitlines():
            s = json.loads(line)
            found[s["file"]] = s
        for line in ran.stderr.splitlines():
            for path in paths[i:i + 100]:
                if path in line:
                    found.setdefault(path, line)
    return found


def check_counts(name, label, got):
    form, txns, sessions = label
    if any(word in form for word in OTHER_MODELS):
        check("%s, which is no history of transactions, is refused" % name, isinstance(got, str), got)
        return False
    if not isinstance(got, dict):
        return check("%s loads" % name, False, got)
    field = "txns"
    for pattern, other, _ in OTHER_COUNTS:
        if re.match(pattern, name):
            field = other
    initial = re.match(WITH_INITIAL, name) and got["txns"] + 1 == int(txns)
    check("%s (%s): %s %s" % (name, got["format"], txns, field), initial or str(got[field]) == txns, got[field])
    if sessions not in ("", "0") and not re.match(OTHER_SESSIONS, name):
        check("%s (%s): %s sessions" % (name, got["format"], sessions), str(got["sessions"]) == sessions, got["sessions"])
    return True


def verdict_labels(corpus, loaded):
    """level -> [(file, verdict)]; other labels (a tool's time-out) are passed over."""
    wanted = collections.OrderedDict()
    with open(os.path.join(corpus, "LABELS.tsv"), encoding="utf-8") as f:
        for line in f.read().splitlines()[1:]:
            name, _, _, _, level, expected = line.split("\t")[:6]
            if level in LEVELS and name in loaded and expected in ("valid", "violates"):
                for other, pattern, ours, _ in OTHER_VERDICTS:
                    if level == other and re.match(pattern, name):
                        expected = ours
                wanted.setdefault(level, []).append((name, expected))
    return wanted


def check_verdicts(alibi, wanted, paths):
    for level, rows in wanted.items():
        got = {}
        for i in range(0, len(rows), 100):
            ran = subprocess.run([alibi, "check", "--json", "--level", LEVELS[level]]
                                 + [paths[name] for name, _ in rows[i:i + 100]],
                                 capture_output=True, text=True)
            got.update((r["file"], r) for r in map(json.loads, ran.stdout.splitlines()))
        for name, expected in rows:
            verdict = got.get(paths[name], {}).get("verdict")
            check("%s at %s: %s" % (name, level, expected), verdict == expected, verdict)


def check_by_brute_force(wanted, converted):
    for level, rows in wanted.items():
        for name, expected in rows:
            with open(converted[name], encoding="utf-8") as f:
                lines = f.readlines()
            if len(lines) <= SMALL:
                said = oracle.decide(LEVELS[level], lines)
                check("%s at %s: %s by brute force" % (name, level, expected), said == expected, said)


def convert(alibi, source, to, out):
    return subprocess.run([alibi, "convert", source, "--to", to, "--out", out],
                          capture_output=True, text=True)


def same_counts(name, what, before, after, fields=COUNTS):
    if not isinstance(after, dict):
        check("%s: %s loads" % (name, what), False, after)
        return
    wrong = [f for f in fields if before[f] != after[f]]
    check("%s: %s changes no counts" % (name, what), not wrong,
          ", ".join("%s from %s to %s" % (f, before[f], after[f]) for f in wrong))


def check_corpus(alibi, corpus):
    with tempfile.TemporaryDirectory() as folder:
        files = labels(corpus)
        paths = {name: unpacked(os.path.join(corpus, name), folder) for name in files}
        first = stats(alibi, list(paths.values()))
        loaded = [n for n in files if check_counts(n, files[n], first.get(paths[n]))]
        wanted = verdict_labels(corpus, set(loaded))
        check_verdicts(alibi, wanted, paths)
        there, back = {}, {}
        for i, name in enumerate(loaded):
            there[name] = os.path.join(folder, "%d.jsonl" % i)
            ran = convert(alibi, paths[name], "alibi", there[name])
            check("%s to alibi" % name, ran.returncode == 0 and not ran.stderr, ran.stderr)
            back[name] = os.path.join(folder, "%d.back" % i)
            ran = convert(alibi, there[name], first[paths[name]]["format"], back[name])
            check("%s back from alibi" % name, ran.returncode == 0, ran.stderr)
        check_by_brute_force(wanted, there)
        second = stats(alibi, list(there.values()))
        third = stats(alibi, list(back.values()))
        for name in loaded:
            before = first[paths[name]]
            same_counts(name, "alibi", before, second.get(there[name]))
            same_counts(name, "there and back", before, third.get(back[name]))
    print("%d files, %d of them loaded" % (len(files), len(loaded)))
    return {first[paths[name]]["format"] for name in loaded}


def main():
    alibi, project = sys.argv[1:3]
    own, *recorded = reference.corpora(project)
    listed = subprocess.run([alibi, "help", "formats"], capture_output=True, text=True).stdout
    formats = {line.split()[0] for line in listed.split("\n\n")[0].splitlines()}
    tried = check_corpus(alibi, own)
    check("a history of each format of other tools", tried == formats - {"alibi"}, formats ^ tried)
    for corpus in recorded:
        check_corpus(alibi, corpus)
        for pattern, other, reason in OTHER_COUNTS:
            print("%s: %s" % (pattern, reason))
        for level, pattern, ours, reason in OTHER_VERDICTS:
            print("%s at %s: %s, for %s" % (pattern, level, ours, reason))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
