"""What the tests of `alibi record` share: checks, running the program, reading histories."""
import atexit
import json
import os
import re
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from counted import check, close, skip  # noqa: E402, F401 (beside this folder, for all tests in it)

SUMMARY = re.compile(r"recorded (\d+) transactions in ([\d.]+) s \((\d+)/s\): (\d+) committed, "
                     r"(\d+) aborted, (\d+) unknown(?:; (\d+) outcomes learnt from the log)?"
                     r"(?:; connected again (\d+) times)?(.*)")


class Recording:
    """One run of `alibi record`, its summary and its verdicts."""

    def __init__(self, alibi, url, out, *words):
        self.out = out
        self.words = [alibi, "record", url] + (["--out", out] if out else []) + list(words)
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True)
        atexit.register(self.process.kill)  # if the test ends before it

    def wait(self):
        self.stdout, self.stderr = self.process.communicate()
        self.code = self.process.returncode
        self.verdicts = dict(re.findall(r"^  (\w+) +(valid|violates|unknown)\b", self.stdout, re.M))
        found = SUMMARY.search(self.stderr)
        self.recorded = int(found.group(1)) if found else 0
        self.seconds = float(found.group(2)) if found else 0
        self.rate = int(found.group(3)) if found else 0
        self.committed, self.aborted, self.unknown, self.learnt, self.reconnects = (
            int(n or 0) for n in (found.groups()[3:8] if found else (0, 0, 0, 0, 0)))
        self.codes = {c: int(n) for n, c in re.findall(r"(\d+) of code (\S+) \(",
                                                       found.group(9) if found else "")}
        return self

    def __str__(self):
        return "%s\n%s%s(exit %d)" % (" ".join(self.words[1:]), self.stdout, self.stderr, self.code)

    def txns(self):
        with open_history(self.out) as f:
            return [t for t in map(json.loads, f) if "ops" in t]

    def accounts_for_all(self):
        """The file has as many of each outcome as the summary says."""
        found = [t.get("status", "commit") for t in self.txns()]
        return tuple(found.count(s) for s in ("commit", "abort", "unknown")) == (
            self.committed, self.aborted, self.unknown)


def record(alibi, url, out, *words):
    return Recording(alibi, url, out, *words).wait()


def open_history(path):
    if path.endswith(".zst"):
        return subprocess.Popen([program(), "convert", path], stdout=subprocess.PIPE, text=True).stdout
    return open(path)


def verdict(alibi, level, path):
    r = subprocess.run([alibi, "check", "--quiet", "--timeout", "60s", "--level", level, path],
                       capture_output=True, text=True)
    return r.stdout.strip().rsplit("\t", 1)[-1]


def rewrite(path, change):
    """A copy of the history in which change() was applied to every transaction."""
    copy = path + ".changed"
    with open(path) as f, open(copy, "w") as to:
        for line in f:
            t = json.loads(line)
            to.write(json.dumps(change(t) if "ops" in t else t) + "\n")
    return copy


def has_driver(scheme):
    return "built without" not in record(program(), scheme + "://127.0.0.1:1/", "-").stderr


def program():
    return os.path.abspath(sys.argv[1])
