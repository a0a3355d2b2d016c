#!/usr/bin/env python3
"""Puts mistakes into the search, one at a time, and shows that no wrong verdict comes out.

A verdict rests on the trusted base (docs/ARCHITECTURE.md): the kernel and the verifier, which
do not use the search. So a mistake in the search may crash, be slow or end in `unknown`; it must
never end in `valid` for a history that violates a level, or the other way round.

A mutant is one change to one file: a condition flipped, a bound off by one, two arguments swapped,
a statement removed, a constant changed. The places for that are found in the sources as they are.
The file is compiled with it, without asserts, and linked with the objects of the build and with tests/brute/mutant.c,
which compares verdicts with brute force: registers, lists, few values, aborted and unknown
transactions, client times, two histories at once, and queries, with and without their rows.

    mutate.py PROJECT [COUNT [SEED]] [--build BUILD] [--jobs N] [--only PATTERN] [--show]

COUNT mutants are drawn by SEED. --only draws from the files that match, --show prints each mutant.
"""
import argparse
import collections
import concurrent.futures
import difflib
import json
import os
import random
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile

import counted
import queries
from counted import check

# What finds orders and proofs. check.c, which lets the verifier decide, is part of the trusted base.
# Verdicts by timestamps and of other levels rest on no certificate, and are not looked at here.
SEARCH = [r"src/check/(?!check\.|by_timestamps|timestamps|describe|coverage|all\.|skew)\w+\.c", r"src/order/\w+\.c",
          r"src/sat/\w+\.c", r"src/history/(where|opaque_update|arithmetic)\.c"]
QUIET = re.compile(r"assert|guard_(tick|stage|clock)|pool_(free|release)")  # no difference, or only in memory
OUTCOMES = ["does not compile", "no difference", "crash", "slow", "verifier refused", "unknown", "failed",
            "WRONG VERDICT"]
HISTORIES, QUERY_HISTORIES, MEMORY = 600, 100, 2 << 30
CPU_SECONDS, SECONDS = 3, 120  # without a mistake it takes half a second of CPU time

RELATIONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}


# ---- the places for mistakes ----

def blanked(text):
    """The same text with comments and quotes of spaces, so that offsets stay."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'',
                  lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def bodies(code):
    """(start, end) of the functions: in our style they end with } in column 0."""
    for found in re.finditer(r"^\{\n.*?^\}", code, re.S | re.M):
        yield found.start(), found.end()


def closing(code, at):
    """Behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        depth += {"(": 1, ")": -1}.get(code[i], 0)
        if not depth:
            return i + 1
    return len(code)


def mutants_of_line(code, start, end):
    """(kind, from, to, text): what may be changed in one line."""
    line = code[start:end]
    for m in re.finditer(r"(?<![<>=!+\-*/&|^])(<=|>=|==|!=|<|>)(?![<>=])(?<!->)", line):
        yield "relation", start + m.start(), start + m.end(), RELATIONS[m.group()]
    for m in re.finditer(r"&&|\|\|", line):
        yield "and, or", start + m.start(), start + m.end(), "||" if m.group() == "&&" else "&&"
    for m in re.finditer(r"!(?=[\w(])", line):
        yield "not", start + m.start(), start + m.end(), ""
    for m in re.finditer(r"\b(?:if|while) (?=\()", line):
        inside = start + m.end()
        yield "condition", inside, closing(code, inside), "(!%s)" % code[inside:closing(code, inside)]
    for m in re.finditer(r" ([+-]) (?=[\w(])", line):
        yield "plus, minus", start + m.start(1), start + m.end(1), "-" if m.group(1) == "+" else "+"
    for m in re.finditer(r"(?<![\w.])(\d+)(?![\w.])", line):
        number = int(m.group(1))
        for other in {number + 1, max(number - 1, 0)} - {number}:
            yield "constant", start + m.start(1), start + m.end(1), str(other)
    for m in re.finditer(r"\b(true|false)\b", line):
        yield "constant", start + m.start(), start + m.end(), "false" if m.group() == "true" else "true"
    for m in re.finditer(r"([(,] ?)([&*\w.>-]+), ([&*\w.>-]+)(?=[,)])", line):
        if m.group(2) != m.group(3):
            yield "arguments", start + m.start(), start + m.end(), m.group(1) + m.group(3) + ", " + m.group(2)
    m = re.match(r"\t+(?!return|case|default|goto|\w+ \*?\w+(\[|;| =|,)|const |struct |static |else)"
                 r"[^\n]*;$", line)
    if m:
        yield "statement", start + len(line) - len(line.lstrip("\t")), end, ";"
    m = re.match(r"\t+return (?!;)([^\n]*);$", line)
    if m and re.search(r"&&|\|\||[<>=!]=|!", m.group(1)):
        yield "condition", start + m.start(1), start + m.end(1), "!(%s)" % m.group(1)


def mutants_of(path, text):
    code = blanked(text)
    for first, last in bodies(code):
        at = first
        while at < last:
            end = code.index("\n", at) if "\n" in code[at:last] else last
            if not QUIET.search(code[at:end]):
                for kind, a, b, new in mutants_of_line(code, at, end):
                    yield path, kind, a, b, new
            at = end + 1


# ---- trying them ----

class Build:
    """How files are compiled, and the driver is linked."""

    def __init__(self, project, build):
        self.project, self.build = project, build
        self.commands = {}
        with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
            entries = json.load(f)
        for entry in entries:
            path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), project)
            if path.startswith("src/"):
                self.commands[path] = entry
        said = subprocess.run(["ninja", "-C", build, "-t", "commands", "tests/mutant"], check=True,
                              capture_output=True, text=True).stdout.strip().split("\n")[-1]
        self.linking = shlex.split(said)  # … cc -o tests/mutant OBJECTS … libalibi-objects.a …

    def compile(self, path, source, output):
        words = shlex.split(self.commands[path]["command"])
        if os.path.basename(words[0]) == "ccache":
            words = words[1:]
        kept, skip = [], False
        for word in words:
            if skip:
                skip = False
            elif word in ("-o", "-MF", "-MQ", "-c"):
                skip = True
            elif word not in ("-MD", "-Werror", "-g") and not word.startswith(("-O", "-W")):
                kept.append(word)
        folder = os.path.join(self.project, os.path.dirname(path))
        return subprocess.run(kept + ["-w", "-O1", "-DNDEBUG", "-I", folder, "-o", output, "-c", source],
                              cwd=self.commands[path]["directory"], capture_output=True).returncode == 0

    def link(self, changed, output):
        """The changed file comes before the archive, which is not asked for it then."""
        words = [output if word == "tests/mutant" else word for word in self.linking]
        at = words.index(output) + 1
        subprocess.run(words[:at] + [changed, "-Wl,--strip-debug"] + words[at:], check=True, cwd=self.build)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))


def run(program, arguments):
    """(outcome, what it printed)"""
    process = subprocess.Popen([program] + arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True, preexec_fn=limit)
    try:
        said, _ = process.communicate(timeout=SECONDS)
        slow = False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        said, _ = process.communicate()
        slow = True
    slow |= process.returncode == -signal.SIGXCPU
    counts = dict(re.findall(r"(refused|unknown|failed) (\d+)", said))
    outcome = "WRONG VERDICT" if "WRONG" in said else "slow" if slow \
        else "crash" if process.returncode or not counts \
        else "verifier refused" if counts["refused"] != "0" \
        else "unknown" if counts["unknown"] != "0" \
        else "failed" if counts["failed"] != "0" else "no difference"
    return outcome, said


def attempt(build, folder, number, mutant, text, arguments):
    path, _, a, b, new = mutant
    source, changed, program = (os.path.join(folder, "%d%s" % (number, end)) for end in (".c", ".o", ""))
    with open(source, "w", encoding="utf-8") as f:
        f.write(text[:a] + new + text[b:])
    if not build.compile(path, source, changed):
        return "does not compile", ""
    build.link(changed, program)
    outcome = run(program, arguments)
    for name in (source, changed, program):
        os.unlink(name)
    return outcome


# ---- what they are tried on ----

def write_queries(folder, seed):
    """Histories with queries, and what brute force says of them."""
    name = os.path.join(folder, "list")
    with open(name, "w", encoding="utf-8") as out:
        for i in range(QUERY_HISTORIES):
            text = queries.history(random.Random(seed * 1000003 + i))
            path = os.path.join(folder, "%d.jsonl" % i)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            for level in queries.oracle.SCHEDULED:
                out.write("%s %s %s\n" % (path, level, queries.oracle.decide(level, text.splitlines())))
    return name


def shown(mutant, text):
    path, kind, a, b, new = mutant
    changed = (text[:a] + new + text[b:]).split("\n")
    lines = [line for line in difflib.unified_diff(text.split("\n"), changed, n=0, lineterm="")][2:]
    return "%s:%d (%s)\n%s" % (path, text.count("\n", 0, a) + 1, kind, "\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description="mutants of the search")
    parser.add_argument("project")
    parser.add_argument("count", nargs="?", type=int, default=20)
    parser.add_argument("seed", nargs="?", type=int, default=1)
    parser.add_argument("--build")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    project = os.path.abspath(options.project)
    build = Build(project, os.path.abspath(options.build or os.path.join(project, "build")))
    texts, mutants = {}, []
    for path in sorted(build.commands):
        if any(re.fullmatch(pattern, path) for pattern in SEARCH) and re.search(options.only, path):
            with open(os.path.join(project, path), encoding="utf-8") as f:
                texts[path] = f.read()
            mutants += mutants_of(path, texts[path])
    drawn = random.Random(options.seed).sample(mutants, min(options.count, len(mutants)))
    table, kinds = collections.Counter(), collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as folder:
        arguments = [str(HISTORIES), str(options.seed), write_queries(folder, options.seed)]
        path = sorted(texts)[0]
        outcome, said = attempt(build, folder, 0, (path, "none", 0, 0, ""), texts[path], arguments)
        check("without a mistake all is right", outcome == "no difference", said)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            tried = {pool.submit(attempt, build, folder, i + 1, m, texts[m[0]], arguments): m
                     for i, m in enumerate(drawn)}
            for future in concurrent.futures.as_completed(tried):
                outcome, said = future.result()
                mutant = tried[future]
                table[outcome] += 1
                kinds[mutant[1]][outcome] += 1
                if options.show:
                    print("%s: %s\n" % (outcome, shown(mutant, texts[mutant[0]])), flush=True)
                check("a mutant ends in a wrong verdict", outcome != "WRONG VERDICT",
                      shown(mutant, texts[mutant[0]]) + "\n" + said)
    print("%d of %d places for mistakes in %d files" % (len(drawn), len(mutants), len(texts)))
    print("%-14s %s" % ("", " ".join("%16s" % o for o in OUTCOMES)))
    for kind, row in sorted(kinds.items()) + [("all", table)]:
        print("%-14s %s" % (kind, " ".join("%16d" % row[o] for o in OUTCOMES)))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
