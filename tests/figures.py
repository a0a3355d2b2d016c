#!/usr/bin/env python3
"""The structure of the code in figures, for comparison of two commits.

    figures.py PROJECT BUILD

- Call cycles: files that call each other's functions in a circle, from the symbols that the
  objects define and need (strongly connected components; pointers in tables are no calls).
  As a test: there are none.
- The structs with most members. As a test: at most MAX_MEMBERS.
- The trusted lines of code: the kernel, the verifier, and what they include.
- The symbols that the libraries export. tests/symbols.py checks which.
- Lines of code (neither blank nor comment) of each folder.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys

import counted
from counted import check
from house import lines_of_code, sources, trusted
from symbols import exported

MAX_MEMBERS = 40
SHOWN = 10


# ---- call cycles ----

def objects(project, build):
    """source -> an object that was compiled from it; sources in src/ and cli/"""
    found = {}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        for entry in json.load(f):
            source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), project)
            path = os.path.join(entry["directory"], entry["output"])
            if source.startswith(("src/", "cli/")) and os.path.exists(path):
                found.setdefault(source, path)
    return found


def calls(compiled):
    """source -> sources that define what it needs"""
    defined, needed = {}, {}
    sources_of = {path: source for source, path in compiled.items()}
    listing = subprocess.run(["nm", "-A", *sources_of], check=True, capture_output=True, text=True).stdout
    for path, line in (row.split(":", 1) for row in listing.splitlines()):
        kind, name = line.split()[-2:]
        if kind == "T":
            defined[name] = sources_of[path]
        elif kind == "U":
            needed.setdefault(sources_of[path], set()).add(name)
    return {s: {defined[n] for n in needed.get(s, ()) if n in defined} - {s} for s in compiled}


def components(graph):
    """Strongly connected components of two nodes and more (Kosaraju)."""
    order, seen = [], set()

    def reach(start, edges, after):
        stack = [(start, iter(edges[start]))]
        seen.add(start)
        while stack:
            node, rest = stack[-1]
            other = next((n for n in rest if n not in seen), None)
            if other is None:
                after.append(stack.pop()[0])
            else:
                seen.add(other)
                stack.append((other, iter(edges[other])))
    for node in sorted(graph):
        if node not in seen:
            reach(node, graph, order)
    back = {n: set() for n in graph}
    for node, others in graph.items():
        for other in others:
            back[other].add(node)
    seen.clear()
    found = []
    for node in reversed(order):
        if node not in seen:
            found.append([])
            reach(node, back, found[-1])
    return [sorted(c) for c in found if len(c) > 1]


# ---- structs ----

def structs(text):
    """(name, members) of each struct; members of unnamed structs and unions are its own"""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    for found in re.finditer(r"\bstruct (\w+)\s*\{", text):
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        body = text[found.end():end - 1]
        if ";" not in body:
            continue  # an initializer
        body = re.sub(r"\(\*?\w*\)\([^;]*?\)|\([^;]*?\)|\[[^\]]*\]", "", body)  # commas that separate no members
        yield found.group(1), sum(1 + statement.count(",") for statement in body.split(";")
                                  if re.search(r"\w", statement.split("}")[-1].split("{")[-1]))


def main():
    project, build = map(os.path.abspath, sys.argv[1:3])
    texts = {}
    for path in sources(project):
        with open(os.path.join(project, path), encoding="utf-8") as f:
            texts[path] = f.read()

    cycles = components(calls(objects(project, build)))
    print("call cycles: %d, of %d files" % (len(cycles), sum(map(len, cycles))))
    for cycle in cycles:
        print("  %2d files: %s" % (len(cycle), " ".join(cycle)))
    check("no call cycles", not cycles, cycles)

    largest = sorted(((members, name, path) for path, text in texts.items() if path.startswith(("src/", "cli/"))
                      for name, members in structs(text)), reverse=True)
    print("members of the largest structs:")
    for members, name, path in largest[:SHOWN]:
        print("  %2d struct %s (%s)" % (members, name, path))
    check("structs of at most %d members" % MAX_MEMBERS, largest[0][0] <= MAX_MEMBERS, largest[0])

    by_folder = collections.Counter()
    for path in trusted(texts):
        by_folder[path.split("/")[1]] += lines_of_code(texts[path])
    print("trusted lines of code: %d (%s)" % (sum(by_folder.values()), ", ".join(
        "%s %d" % row for row in sorted(by_folder.items()))))

    for library in sorted(glob.glob(os.path.join(build, "src", "libalibi.so")) +
                          glob.glob(os.path.join(build, "src", "libalibi.a"))):
        names = exported(library)
        other = sum(not name.lower().startswith("alibi_") for name in names)
        print("%s exports %d symbols, %d of them not alibi_*" % (os.path.basename(library), len(names), other))

    lines = collections.Counter()
    for path, text in texts.items():
        lines[os.path.dirname(path)] += lines_of_code(text)
    print("lines of code:")
    for folder, count in sorted(lines.items()):
        print("  %6d %s" % (count, folder))
    both = sum(n for folder, n in lines.items() if folder.startswith(("src", "cli")))
    print("  %6d src and cli together" % both)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
