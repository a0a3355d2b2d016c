#!/usr/bin/env python3
"""Histories as applications have them, as ratios to one row: how much longer than 100,000 unique values.

The histories come from tests/application.py, sorted by session and without ids: values repeat, sessions
are many and short. The row is 100,000 transactions of 24 sessions on 10,000 keys, all values different,
at ser. Every figure is CPU time of the whole command, the median of some rounds, divided by the median
of the row in the same run. MB is the most memory that alibi counted (tests/limits.py).

    applications.py ALIBI [--quick] [--rounds N] [--level LEVEL] [WORD…]     from the project's root
    applications.py ALIBI [OPTION…] recorded [URL…]                       of real databases

Without a URL it starts those that are installed: PostgreSQL and MariaDB, and SQLite in a file.

WORDs pick rows by their titles. A row that took more than it may, or has no answer, is marked, and makes
the exit code 1. --quick: everything small, once, to see that it works; nothing is marked.
"""
import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests"))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "tests", "record"))
import application  # noqa: E402 (it is beside the tests)
import servers  # noqa: E402 (with the tests of record)

LEVELS = ["rc", "ra", "cc", "pc", "si", "ser", "sser"]
UNIQUE = {"keys": 10000}
VALUES = [("flags", {"keys": 20}), ("registers", {"keys": 100, "values": 10})]
WORK = ["--workload bank", "--values 2", "--values 10", "--workload append --values 10 --keys 10000"]
PATIENCE = 60  # seconds on the clock, or what the row may take if that is more
PLANTED = 3  # times as slow as the valid one, at most


def rows():
    """title, workload, its words, levels, at most so many times the row, and so many MB"""
    for sessions, most in ((1000, 3), (10000, 6), (100000, 10)):
        for txns, factor in ((100000, 1), (1000000, 14)):
            yield ("unique values, %d of %d sessions" % (txns, sessions), "registers",
                   dict(UNIQUE, txns=txns, sessions=sessions, active=64), ["ser", "si"], most * factor,
                   400 * factor)
    yield "unique values, 1000000 of 24 sessions", "registers", dict(UNIQUE, txns=1000000), ["ser"], 12, 4000
    for keys in (10, 20):
        for skew in (0, 10):
            for txns, most in ((1000, 1), (10000, 5), (100000, 60)):
                yield ("bank of %d, %d, times%s" % (keys, txns, " with 10 ms of skew" if skew else ""), "bank",
                       {"txns": txns, "keys": keys, "times": 1, "skew": skew}, LEVELS, most, 4000)
    for seed in range(1, 11):
        yield ("bank of 10, 10000, no times, seed %d" % seed, "bank",
               {"txns": 10000, "keys": 10, "seed": seed}, LEVELS[:-1], 30, 4000)
    for times in (1, 0):
        for workload, words in VALUES:
            for txns, most in ((1000, 2), (10000, 20)):
                yield ("%s, %d, %s" % (workload, txns, "times" if times else "no times"), workload,
                       dict(words, txns=txns, times=times), LEVELS[:6 + times], most if times else None, 4000)


class Bench:
    def __init__(self, options, folder):
        self.alibi, self.options, self.folder, self.missed = options.alibi, options, folder, 0
        path = self.make("registers", dict(UNIQUE, txns=100000))
        self.row = statistics.median(self.check(path, "ser")[1] for _ in range(self.rounds(5)))
        print("the row: %.2f s\n" % self.row)

    def rounds(self, most):
        return 1 if self.options.quick else min(most, self.options.rounds)

    def make(self, workload, words):
        if self.options.quick:
            words = dict(words, txns=words["txns"] // 1000 + 100, sessions=words.get("sessions", 24) // 1000 + 5)
        return application.write(os.path.join(self.folder, "h.jsonl"), workload, **words)

    def check(self, path, level, most=0):
        """The verdict, CPU seconds and MB."""
        patience = 2 if self.options.quick else max(PATIENCE, 2 * most * getattr(self, "row", 0))
        child = subprocess.Popen([self.alibi, "check", "--json", "--threads", "1", "--level", level,
                                  "--timeout", "%.0fs" % patience, path], stdout=subprocess.PIPE)
        out = child.stdout.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1, 2):
            sys.exit("alibi check %s %s ended with %d: %s" % (level, path, child.returncode, out))
        said = json.loads(out)
        return said["verdict"], used.ru_utime + used.ru_stime, said["peak_bytes"] / 1e6

    def measure(self, title, path, level, most, megabytes):
        """Prints a line; the verdict and the median of the CPU seconds."""
        results = [self.check(path, level, most or 0)]
        while results[0][0] != "unknown" and len(results) < self.rounds(5):
            results.append(self.check(path, level, most or 0))
        seconds = statistics.median(r[1] for r in results)
        ratio, used = seconds / self.row, max(r[2] for r in results)
        missed = most is not None and not self.options.quick and (results[0][0] == "unknown" or ratio > most or used > megabytes)
        self.missed += missed
        print("| %s | %s | %s | %.2f | %.2f | %s | %.3g |%s" % (
            title, level, results[0][0], seconds, ratio, "" if most is None else most, used,
            " missed" if missed else ""), flush=True)
        return results[0][0], seconds

    def levels(self, levels):
        return [level for level in levels if self.options.level in (None, level)]

    def simulated(self):
        for title, workload, words, levels, most, megabytes in rows():
            if self.options.words and not any(w in title for w in self.options.words):
                continue
            path, valid = self.make(workload, words), {}
            for level in self.levels(levels):
                valid[level] = self.measure(title, path, level, most, megabytes)
            path = self.make(workload, dict(words, wrong=1))
            for level in self.levels(levels):
                self.planted(title, path, level, valid[level])

    def planted(self, title, path, level, valid):
        """A wrong read is found in at most three times what the valid history took."""
        if valid[0] == "unknown":
            return
        most = max(PLANTED * valid[1] / self.row, 0.1)  # a start of the program is no measure
        self.measure(title + ", one wrong read", path, level, round(most, 2), 1e9)

    def recorded(self, url):
        path = os.path.join(self.folder, "r.jsonl")
        isolations = ["serializable"] if url.startswith("sqlite") else \
            ["read-committed", "repeatable-read", "serializable"]
        for isolation, work in itertools.product(isolations, WORK):
            subprocess.run([self.alibi, "record", url, "--isolation", isolation, "--out", path, "--txns",
                            "1000" if self.options.quick else "100000"] + work.split(),
                           check=True, stderr=subprocess.DEVNULL)
            title = "%s, %s, %s" % (url.split(":")[0], isolation, work.replace("--", ""))
            slowest = max(self.measure(title, path, level, 60, 4000)[1] for level in self.levels(LEVELS))
            if not self.options.level:
                self.measure(title, path, "all", round(2 * slowest / self.row, 2), 4000)

    def installed(self):
        self.recorded("sqlite:%s/r.db" % self.folder)
        for kind in (servers.Postgres, servers.Mariadb):
            if kind.available():
                with kind() as server:
                    self.recorded(server.url())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("alibi")
    parser.add_argument("words", nargs="*")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--level")
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        print("| history | level | verdict | CPU, s | of the row | at most | MB |")
        print("|---|---|---|---:|---:|---:|---:|")
        if options.words == ["recorded"]:
            bench.installed()
        elif options.words[:1] == ["recorded"]:
            for url in options.words[1:]:
                bench.recorded(url)
        else:
            bench.simulated()
    return 1 if bench.missed else 0


if __name__ == "__main__":
    sys.exit(main())
