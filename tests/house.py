#!/usr/bin/env python3
"""The house rules that a machine can check (docs/ARCHITECTURE.md).

- A folder of src/ includes only folders that stand above it; the trusted kernel
  only base and history; the program only the installed header.
- No cycles among headers. No levels by name, but in their table. No functions that are banned.
- Files of at most 800 lines (the interface, which is one header: 1,000), functions of at most
  70, lines of at most 100 columns.
- What a verdict rests on (the kernel, the verifier, and all that they include) is counted as one
  total, which docs/ARCHITECTURE.md names. Nothing of the search is in it.
  Every folder of src/ and cli/ has a README.md that names its files, and tests/README.md all tests.
- No message of the library names an option or a command of the program.
- The program prints through cli/output.h, which escapes what it did not write itself.
- The tests in Python count with tests/counted.py, and not by themselves.
- docs/glossary.md names identifiers that exist. Words that were replaced do not come back.

    house.py PROJECT
"""
import fnmatch
import os
import re
import sys

import counted
from counted import check

LAYERS = ["base", "history", "findings", "format", "replay", "verify", "order", "sat", "level", "check",
          "synth", "explain", "stream", "report", "api"]
ONLY = {"replay": {"base", "history"}, "sat": {"base"},
        "verify": {"base", "history", "format/certificate.h", "replay"}}
NEVER = {"report": {"check", "explain"}}
# Folders within a layer: each includes only these of its neighbours, beside itself.
INNER = {"stream/core": set(), "stream/timestamps": {"stream/core"}, "stream/rounds": {"stream/core"},
         "stream/fences": {"stream/core", "stream/rounds"}}
BANNED = ["strcpy", "strcat", "strncat", "sprintf", "vsprintf", "atoi", "atol", "gets", "strtok"]
# An option of the program, or one of its commands; a number after it makes it the name of a format.
OF_PROGRAM = (r"(?<![\w-])--[a-z]|\balibi (?:check|compare|convert|explain|generate|levels|record|stats|"
              r"synth|verify|watch)\b(?! \d)")
MAX_FILE, MAX_INTERFACE, MAX_FUNCTION, MAX_COLUMNS = 800, 1000, 70, 100
MAX_TRUSTED = 4820  # lines of code that one has to read to believe a verdict
# Hands what was found to the verifier, takes the verdict from it, and says by which rules.
GATE = {"src/check/check.c", "src/check/options.h"}
SEARCH = ("src/history/where.", "src/history/opaque_update.", "src/history/arithmetic.")  # of the search, though not in a folder of its own
PRINTS = {"cli/output.c", "cli/cmd_help.c"}  # the escaping itself; and only what the tables of options say


# Words that were replaced by the field's (docs/glossary.md). No comment, message or page of the
# documentation has one of OLD_WORDS, and no identifier one of OLD_NAMES.
OLD_WORDS = r"\b(?:nobody|somebody|anybody|everybody|whom|whoever|that is so)\b"
OLD_NAMES = r"(?<![a-z])(?:want|sight|told|letting_go|party|loosen|what_is_in_vain)(?![a-z])"
SAID = r'"(?:\\.|[^"\\\n])*"|/\*.*?\*/'  # strings and comments


def sources(root):
    for top in ("include", "src", "cli", "examples", "tests", "bench"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def includes(text):
    return re.findall(r'^#include "([^"]+)"', text, re.M)


def layer_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def check_includes(path, text):
    layer = layer_of(path)
    for name in includes(text):
        target = name.split("/")[0]
        if path.startswith("cli/"):
            check("%s includes %s: the program sees only alibi.h" % (path, name), "/" not in name)
        elif layer and target in LAYERS:
            allowed = ONLY.get(layer, set(LAYERS[:LAYERS.index(layer)])) - NEVER.get(layer, set())
            check("%s includes %s: %s stands above %s" % (path, name, layer, target),
                  target == layer or target in allowed or name in allowed)
            folder, other = os.path.dirname(path)[len("src/"):], os.path.dirname(name)
            check("%s includes %s: folders of %s are apart" % (path, name, layer),
                  target != layer or other == folder or other in INNER.get(folder, {other}))
        elif layer:
            check("%s includes %s, which is in no layer" % (path, name), name == "alibi.h")


def check_levels(path, text, levels):
    if layer_of(path) not in (None, "level", "synth", "api"):
        check("%s asks for a level by name" % path, not re.search(r'"(%s)"' % "|".join(levels), text))


def lines_of_code(text):
    """Neither blank nor comment."""
    return sum(1 for line in re.sub(r"/\*.*?\*/", "", text, flags=re.S).split("\n") if line.strip())


def trusted(texts):
    """What a verdict rests on: the kernel, the verifier, the files of all headers that they include, and
    the files that let the verifier decide."""
    found = set(GATE)
    left = [p for p in texts if p.startswith(("src/replay/", "src/verify/"))]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            for name in includes(texts[path]):
                left += [p for p in ("src/" + name, "src/" + name[:-2] + ".c") if p in texts]
    return found


def check_trusted(root, texts):
    files = trusted(texts)
    allowed = ONLY["verify"] | {"verify", "format/certificate.c"}
    for path in sorted(files - GATE):
        check("%s is trusted, but of the search" % path, not path.startswith(SEARCH) and
              (layer_of(path) in allowed or path[len("src/"):] in allowed))
    lines = sum(lines_of_code(texts[p]) for p in files)
    check("%d lines of code are trusted, at most %d may be" % (lines, MAX_TRUSTED), 0 < lines <= MAX_TRUSTED)
    with open(os.path.join(root, "docs", "ARCHITECTURE.md"), encoding="utf-8") as f:
        named = re.findall(r"trusted base has ([\d,]+) lines", f.read())
    check("docs/ARCHITECTURE.md names %s trusted lines, but there are %d: write that" % (named, lines),
          len(named) == 1 and abs(int(named[0].replace(",", "")) - lines) <= lines // 100)


def check_messages(path, text):
    """The library says what is wrong; the program adds which of its options is meant."""
    if path.startswith("src/"):
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        for literals in re.findall(r'"(?:\\.|[^"\\\n])*"(?:\s*"(?:\\.|[^"\\\n])*")*', code):
            said = re.sub(r'"\s*"', "", literals)
            check("%s speaks of the command line" % path, not re.search(OF_PROGRAM, said), said)


def check_printing(path, text):
    """What a history, a file name or a server says is escaped (cli/output.h)."""
    if path.startswith("cli/") and path not in PRINTS:
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        check("%s uses printf(): print_out(), print_to() and print_error() escape" % path,
              not re.search(r"\bv?printf\s*\(", code))
        for call in re.findall(r"\bv?fprintf\s*\([^;]*;", code):
            check("%s prints a string as it is: print_to() and print_error() escape" % path,
                  not re.search(r"%[-.*\d]*s", call), call)


def check_cycles(texts):
    graph = {p[4:]: [n for n in includes(t) if "src/" + n in texts]
             for p, t in texts.items() if p.startswith("src/") and p.endswith(".h")}
    state = {}

    def visit(node, trail):
        if state.get(node) == "done":
            return
        check("headers include each other", node not in trail, " -> ".join(trail + [node]))
        if node in trail:
            return
        for other in graph.get(node, []):
            visit(other, trail + [node])
        state[node] = "done"

    for node in graph:
        visit(node, [])


def function_lengths(text):
    """(name, lines) of the functions: in our style they end with } in column 0."""
    start, name = None, None
    for number, line in enumerate(text.split("\n"), 1):
        if line == "{":
            start = number
        elif start and line == "}":
            yield name, number - start + 1
            start = None
        elif re.match(r"[A-Za-z_].*\w\(", line) and not line.endswith(";"):
            name = re.findall(r"(\w+)\(", line)[0]


def check_style(path, text):
    lines = text.split("\n")
    most = MAX_INTERFACE if path.startswith("include/") else MAX_FILE
    check("%s has %d lines" % (path, len(lines) - 1), len(lines) - 1 <= most)
    for number, line in enumerate(lines, 1):
        width = len(line.expandtabs(8))
        quoted = path.startswith("tests/") and '"' in line  # samples of text are kept whole
        if width > MAX_COLUMNS and not quoted:
            check("%s:%d: %d columns" % (path, number, width), False)
    for name, length in function_lengths(text):
        check("%s: %s has %d lines" % (path, name, length), length <= MAX_FUNCTION)
    code = re.sub(r'"(\\.|[^"\\])*"|/\*.*?\*/|//[^\n]*', "", text, flags=re.S)
    for name in BANNED:
        check("%s uses %s" % (path, name), not re.search(r"\b%s\s*\(" % name, code))
    check("%s does not open by saying what it is" % path, text.startswith("/*"))


def pages(root):
    for top in (".", "docs", "src", "cli"):
        for folder, inner, names in os.walk(os.path.join(root, top)):
            if top == ".":
                inner.clear()
            for name in sorted(names):
                if name.endswith(".md") and name != "CHANGELOG.md":
                    yield os.path.relpath(os.path.join(folder, name), root)


def check_words(root, texts):
    for path in pages(root):
        with open(os.path.join(root, path), encoding="utf-8") as f:
            found = re.findall(OLD_WORDS, f.read(), re.I)
        check("%s has old words" % path, not found, found)
    for path, text in texts.items():
        said = " ".join(re.findall(SAID, text, re.S))
        found = re.findall(OLD_WORDS, said, re.I)
        check("%s has old words" % path, not found, found)
        if path.startswith(("include/", "src/", "cli/")):
            found = re.findall(OLD_NAMES, re.sub(SAID, " ", text, flags=re.S))
            check("%s has old names" % path, not found, found)


def check_glossary(root, texts):
    known = set(re.findall(r"\w+", " ".join(texts.values())))
    with open(os.path.join(root, "docs", "glossary.md"), encoding="utf-8") as f:
        rows = [line.split("|") for line in f if line.startswith("| ")]
    names = [(row[1].strip(), name) for row in rows if len(row) == 5
             for name in re.findall(r"`(?:struct |enum )?([^`]+)`", row[3])]
    check("the glossary is read", len(names) > 50, len(names))
    for word, name in names:
        check("the glossary has %s for %s, which is not in the sources" % (name, word),
              os.path.exists(os.path.join(root, name)) if "/" in name else name in known)


def check_tallies(root):
    for folder, _, names in os.walk(os.path.join(root, "tests")):
        for name in sorted(names):
            if name.endswith(".py") and name not in ("counted.py", "tally.py"):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    check("%s counts by itself" % name, not re.search(r"%d\spassed|\d\spassed", f.read()))


def check_readmes(root, texts):
    folders = {}
    for path in texts:
        parts = path.split("/")
        if parts[0] in ("src", "cli") and len(parts) > 2:
            folders.setdefault("/".join(parts[:-1]), set()).add(os.path.splitext(parts[-1])[0])
    for folder, stems in sorted(folders.items()):
        readme = os.path.join(root, folder, "README.md")
        if check("%s has no README.md" % folder, os.path.exists(readme)):
            with open(readme, encoding="utf-8") as f:
                names = re.findall(r"`([\w*]+)(?:\.[\w*]+)?`", f.read())
            for stem in sorted(stems):
                check("%s/README.md does not name `%s`" % (folder, stem),
                      any(fnmatch.fnmatchcase(stem, name) for name in names))
    with open(os.path.join(root, "tests", "meson.build"), encoding="utf-8") as f:
        tests = re.findall(r"test\('([\w-]+)',", f.read())
    with open(os.path.join(root, "tests", "README.md"), encoding="utf-8") as f:
        text = f.read()
    for name in tests:
        check("tests/README.md does not name %s" % name, re.search(r"`%s\b" % name, text))


def main():
    root = sys.argv[1]
    texts = {}
    with open(os.path.join(root, "src", "level", "level.c"), encoding="utf-8") as f:
        levels = re.findall(r'^        \{"(\w+)",$', f.read(), re.M)
    check("the table of levels is read", "si" in levels, levels)
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as f:
            texts[path] = f.read()
        check_includes(path, texts[path])
        check_levels(path, texts[path], levels)
        check_style(path, texts[path])
        check_messages(path, texts[path])
        check_printing(path, texts[path])
    check_cycles(texts)
    check_tallies(root)
    check_readmes(root, texts)
    check_words(root, texts)
    check_glossary(root, texts)
    check_trusted(root, texts)
    for folder in sorted({layer_of(p) for p in texts} - {None}):
        check("src/%s is in no layer" % folder, folder in LAYERS)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
