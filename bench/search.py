#!/usr/bin/env python3
"""The search against a yardstick, as ratios of CPU time taken in one run.

The yardstick is yardstick.c: a plain checker of serializability, for unique values and histories
that are valid in the order of their lines. For each history it and `alibi check` run one after the other, again and again,
on one core each; the table has the medians. Ours is everything behind loading: prepare,
saturate, solve and verify, as check --json tells them; the yardstick's is its own `check`.
MB is what was counted, loading included, which tests/limits.py holds against the system's figure.

Each history is taken as it was generated, in the order of commits, and sorted by session, as
logs of one file a session are: there nothing in the file tells the order. Its twin comes from
a store that is only snapshot isolated.

Then the weak levels: cc against the yardstick on the same file, rc and ra beside it; and all levels in one run against those that must be
searched. There ours is the CPU time of the whole run less loading.

    search.py ALIBI [--quick] [WORD…]      from the project's root

--quick: everything small, once, to see that it works. WORDs pick rows by their titles, and
the tables behind them by planted, threads, times, weak levels and all levels.
"""
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(HERE)
YARDSTICK = os.path.join(HERE, "yardstick.c")
sys.path.insert(0, os.path.join(PROJECT, "tests"))
sys.dont_write_bytecode = True
import genhist  # noqa: E402 (it is beside the tests)

# title, words for genhist, for the yardstick if others, rounds, at most so much of the yardstick
BLIND = "ops=8 keys=10000 shape=blindw"
MIXED = "txns=10000 sessions=20 ops=20 keys=5000 shape=mixed"
ROWS = [
    ("16,000 blind", "txns=16000 sessions=24 " + BLIND, None, 11, 3.0),
    ("100,000 blind", "txns=100000 sessions=24 " + BLIND, None, 3, 0.9),
    ("1,000,000 blind", "txns=1000000 sessions=24 " + BLIND, None, 1, 0.3),
    ("100,000 of 200 sessions", "txns=100000 sessions=200 " + BLIND, None, 1, 0.5),
    ("100,000 hot keys", "txns=100000 sessions=24 ops=8 keys=1000 shape=mixed reads=0.2 zipf=0.99",
     None, 1, 0.6),
    ("10,000 repeated values", MIXED + " dup=0.5 dupvalues=100 duptheta=0.5", MIXED, 11, 12),
]
SI_OF_SER, GROWTH, PLANTED_OF_VALID, THREADS_GAIN = 2.5, 20, 2, 1.2
PLANTED = {"lost-update": ("violates", "violates"), "write-skew": ("valid", "violates"),
           "long-fork": ("violates", "violates")}
TENANTS = 4, "mode=ser txns=50000 sessions=24 ops=8 keys=2000 shape=mixed reads=0.2 zipf=0.7"
TIMES = [(10000, 2.5, 44), (100000, 0.8, 417)]  # transactions, of the yardstick, MB
WEAK = "mode=ser txns=64000 sessions=24 ops=8 keys=2000 shape=mixed"
WEAK_LIMITS = {"cc": (0.6, 218)}  # of the yardstick, MB
ALL = [("ser", ["ser"], 1.6), ("si", ["ser", "si"], 1.5)]  # made at, against, at most so much of these
STAGES = ["prepare", "saturate", "solve", "verify"]
PATIENCE = 300  # seconds on the clock, then a check is given up


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check(alibi, path, level, *more):
    """The result, with what it took: cpu (the stages behind loading), whole (all but loading), wall."""
    started, before = time.monotonic(), cpu_of_children()
    ran = subprocess.run([alibi, "check", "--json", "--level", level, "--timeout", "%ds" % PATIENCE]
                         + list(more) + [path], capture_output=True, text=True)
    if ran.returncode not in (0, 1, 2):
        sys.exit("alibi check %s %s ended with %d: %s" % (level, path, ran.returncode, ran.stdout))
    r = json.loads(ran.stdout)
    r["wall"] = time.monotonic() - started
    r["whole"] = max(cpu_of_children() - before - r["load_cpu_seconds"], 1e-6)
    r["stages"] = r.get("search", {}).get("cpu_seconds", {})  # none at all levels
    r["cpu"] = max(sum(r["stages"].values()), 1e-6)
    return r


def median(results, value):
    return statistics.median(value(r) for r in results)


class Bench:
    def __init__(self, alibi, folder, quick, words):
        self.alibi, self.folder, self.quick, self.words = alibi, folder, quick, words
        self.genhist = genhist.build(folder)
        self.yardstick = os.path.join(folder, "yardstick")
        subprocess.run(["cc", "-O2", "-o", self.yardstick, YARDSTICK], check=True)
        self.missed = 0

    def chosen(self, title):
        return not self.words or any(w in title for w in self.words)

    def sized(self, words):
        return re.sub(r"txns=(\d+)", lambda m: "txns=%d" % (int(m.group(1)) // 200 + 500), words) \
            if self.quick else words

    def make(self, name, words, by_session=False):
        path = os.path.join(self.folder, name)
        return genhist.generate(self.genhist, path, self.sized(words), by_session)

    def measure(self, path):
        """CPU seconds of the yardstick's check."""
        out = subprocess.run([self.yardstick, path], capture_output=True, text=True, check=True).stdout
        if not out.startswith("valid"):
            sys.exit("yardstick %s: %s" % (path, out))
        return max(float(re.search(r"check ([\d.]+)", out).group(1)), 1e-6)

    def limit(self, value, most):
        """The value, and whether it is more than it may be."""
        missed = value > most
        self.missed += missed
        return "%.2f%s" % (value, " (more than %g)" % most if missed else "")

    def line(self, title, kind, results, *ratios):
        figures = results[len(results) // 2]["search"]
        if any(r["verdict"] == "unknown" for r in results):
            kind += ": no answer in %d s" % PATIENCE
            self.missed += 1
        print("| %s | %s | %.3f | %s | %d | %d | %d | %.0f | %s |" % (
            title, kind, median(results, lambda r: r["cpu"]),
            " | ".join("%.3f" % median(results, lambda r: r["stages"][s]) for s in STAGES),
            figures["derived"], figures["choices"], figures["conflicts"],
            max(r["peak_bytes"] for r in results) / 1e6, " | ".join(ratios)), flush=True)

    def row(self, title, words, other, rounds, most):
        paths = {"as generated": self.make("h", "mode=ser " + words),
                 "sorted": self.make("h.sorted", "mode=ser " + words, True)}
        twins = {"as generated": self.make("t", "mode=si " + words),
                 "sorted": self.make("t.sorted", "mode=si " + words, True)}
        measured = self.make("y", "mode=ser " + other) if other else paths["as generated"]
        runs = {}
        for _ in range(1 if self.quick else rounds):
            yard = self.measure(measured)
            for file in paths:
                for kind, path, level in (("ser", paths[file], "ser"), ("si", paths[file], "si"),
                                          ("si, twin", twins[file], "si")):
                    r = check(self.alibi, path, level)
                    if r["verdict"] == "violates":
                        sys.exit("%s, %s: %s" % (title, kind, r["verdict"]))
                    r["yard"] = yard
                    runs.setdefault((file, kind), []).append(r)
        for (file, kind), results in runs.items():
            ratio = median(results, lambda r: r["cpu"] / r["yard"])
            ser = runs[file, "ser"]
            of_ser = statistics.median(r["cpu"] / s["cpu"] for r, s in zip(results, ser))
            counts = file == "as generated"
            self.line(title, "%s, %s" % (file, kind), results,
                      "%.3f" % median(results, lambda r: r["yard"]),
                      self.limit(ratio, most) if counts and kind == "ser" else "%.2f" % ratio,
                      self.limit(of_ser, SI_OF_SER) if counts and kind != "ser" else "%.2f" % of_ser)
            share = results[0]["search"]["largest_component"]
            if share < 0.8:
                print("the largest component has only %.2f of the transactions" % share)
        return median(runs["as generated", "ser"], lambda r: r["cpu"])

    def table(self):
        print("\n| history | file, level | ours, s | %s | derived | choices | conflicts | MB | yardstick, s "
              "| ours / yardstick | of our ser |" % " | ".join(STAGES))
        print("|---|---|" + "---:|" * 12)
        ours = {title: self.row(title, *rest) for title, *rest in ROWS if self.chosen(title)}
        if "100,000 blind" in ours and "1,000,000 blind" in ours:
            growth = ours["1,000,000 blind"] / ours["100,000 blind"]
            print("\nFrom 100,000 to 1,000,000 transactions: %s times as long."
                  % self.limit(growth, GROWTH))

    def planted(self):
        words = "mode=ser " + ROWS[2][1]
        valid = {level: check(self.alibi, self.make("h", words), level) for level in ("si", "ser")}
        print("\n| planted in the million | level | verdict | ours, s | of the valid run |")
        print("|---|---|---|---:|---:|")
        for anomaly, want in PLANTED.items():
            path = self.make("h", words + " break=" + anomaly)
            for level, right in zip(("si", "ser"), want):
                r = check(self.alibi, path, level)
                if r["verdict"] != right:
                    sys.exit("%s at %s: %s" % (anomaly, level, r["verdict"]))
                print("| %s | %s | %s | %.3f | %s |" % (
                    anomaly, level, right, r["cpu"],
                    self.limit(r["cpu"] / valid[level]["cpu"], PLANTED_OF_VALID)), flush=True)

    def threads(self):
        """On the clock, the best of several: others use the machine, too."""
        count, words = TENANTS
        path = genhist.tenants(self.genhist, os.path.join(self.folder, "h"), self.sized(words), count, True)
        print("\n| tenants | level | threads | on the clock, s | CPU behind loading, s | of it solve | gain |")
        print("|---|---|---:|---:|---:|---:|---:|")
        for level in ("ser", "si"):
            best = {}
            for _ in range(1 if self.quick else 5):
                for threads in ("1", "2"):
                    r = check(self.alibi, path, level, "--threads", threads)
                    if threads not in best or r["wall"] < best[threads]["wall"]:
                        best[threads] = r
            for threads, r in best.items():
                gain = best["1"]["wall"] / r["wall"]
                self.missed += threads == "2" and gain < THREADS_GAIN
                print("| %d of %s | %s | %s | %.2f | %.2f | %.0f %% | %.2f |" % (
                    count, words.split()[1], level, threads, r["wall"], r["cpu"],
                    100 * r["stages"]["solve"] / r["cpu"], gain), flush=True)

    def times(self):
        """Clients' clocks at sser, against the same history without them at ser."""
        print("\n| clocks | ours at sser, s | yardstick, s | ours / yardstick | MB |")
        print("|---|---:|---:|---:|---:|")
        for txns, most, most_mb in TIMES:
            words = "mode=ser txns=%d %s" % (txns, BLIND)
            path, plain = self.make("h", words + " times=1"), self.make("y", words)
            results = []
            for _ in range(1 if self.quick else 5):
                yard = self.measure(plain)
                r = check(self.alibi, path, "sser", "--clock-skew", "10")
                if r["verdict"] != "valid":
                    sys.exit("with clocks: %s" % r["verdict"])
                r["yard"] = yard
                results.append(r)
            print("| %d | %.3f | %.3f | %s | %s |" % (
                txns, median(results, lambda r: r["cpu"]), median(results, lambda r: r["yard"]),
                self.limit(median(results, lambda r: r["cpu"] / r["yard"]), most),
                self.limit(max(r["peak_bytes"] for r in results) / 1e6, most_mb)), flush=True)

    def weak(self):
        """rc, ra and cc, which need no search, against the yardstick's ser."""
        print("\n| weak levels | level | ours, s | yardstick, s | ours / yardstick | MB |")
        print("|---|---|---:|---:|---:|---:|")
        plain = self.make("h", WEAK)
        for file, path in (("as generated", plain), ("sorted", self.make("h.sorted", WEAK, True))):
            for level in ("rc", "ra", "cc"):
                results = []
                for _ in range(1 if self.quick else 3):
                    yard = self.measure(plain)
                    r = check(self.alibi, path, level)
                    if r["verdict"] != "valid":
                        sys.exit("%s, %s: %s" % (file, level, r["verdict"]))
                    r["yard"] = yard
                    results.append(r)
                most, most_mb = WEAK_LIMITS.get(level, (float("inf"), float("inf")))
                print("| %s | %s | %.3f | %.3f | %s | %s |" % (
                    file, level, median(results, lambda r: r["whole"]), median(results, lambda r: r["yard"]),
                    self.limit(median(results, lambda r: r["whole"] / r["yard"]), most),
                    self.limit(max(r["peak_bytes"] for r in results) / 1e6, most_mb)), flush=True)

    def all_levels(self):
        """--level all on the million, against the levels that it must search for."""
        print("\n| all levels in one run | all, s | these, s | all / these |")
        print("|---|---:|---:|---:|")
        for mode, levels, most in ALL:
            path = self.make("h", "mode=%s %s" % (mode, ROWS[2][1]))
            runs = []
            for _ in range(1 if self.quick else 3):
                runs.append((check(self.alibi, path, "all")["whole"],
                             sum(check(self.alibi, path, level)["whole"] for level in levels)))
            print("| mode=%s, against %s | %.2f | %.2f | %s |" % (
                mode, " and ".join(levels), *[statistics.median(r[i] for r in runs) for i in (0, 1)],
                self.limit(statistics.median(a / b for a, b in runs), most)), flush=True)


def main():
    words = [w for w in sys.argv[2:] if w != "--quick"]
    with tempfile.TemporaryDirectory() as folder:
        b = Bench(os.path.abspath(sys.argv[1]), folder, "--quick" in sys.argv, words)
        print("%d cores, load %.1f at the start" % (os.cpu_count(), os.getloadavg()[0]))
        b.table()
        for title, part in (("planted", b.planted), ("threads", b.threads), ("times", b.times),
                            ("weak levels", b.weak), ("all levels", b.all_levels)):
            if b.chosen(title):
                part()
        print("\nload %.1f at the end; %d figures are not what they should be" % (
            os.getloadavg()[0], b.missed))


if __name__ == "__main__":
    main()
