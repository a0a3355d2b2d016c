#!/usr/bin/env python3
"""The installed libraries, shared and static, export what alibi.h declares, and nothing else.
No text in them has an option of the program; variables of CSS, `--name:` and `var(--name)`, look alike.

    symbols.py HEADER LIBRARY…
"""
import re
import subprocess
import sys

import counted


def exported(library):
    flags = ["-g"] if library.endswith(".a") else ["-D"]
    listing = subprocess.run(["nm", "--defined-only", *flags, library], check=True,
                             capture_output=True, text=True).stdout
    return {line.split()[-1] for line in listing.splitlines() if len(line.split()) == 3}


def options(library):
    """In texts of eight characters and more: machine code has any few bytes somewhere."""
    with open(library, "rb") as f:
        texts = b"\0".join(re.findall(rb"[\t\n -~]{8,}", f.read()))
    return set(re.findall(rb"(?<![\w(-])--[a-z][\w-]*(?![\w:-])", texts))


def main():
    header, libraries = sys.argv[1], sys.argv[2:]
    with open(header, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    declared = set(re.findall(r"ALIBI_API[^;]*?\b(alibi_\w+)\(", text))
    for library in libraries:
        names = exported(library)
        counted.check("%s has no option of the program" % library, not options(library), options(library))
        if not library.endswith(".a"):
            for name in sorted(names):
                counted.check("%s has a version" % name, re.search("@@ALIBI_[0-9]+$|^ALIBI_[0-9]+$", name))
        names = {name.split("@")[0] for name in names} - {"ALIBI_0"}
        for name in sorted(names | declared):
            counted.check("%s is declared in alibi.h, and exported by %s" % (name, library),
                          name in declared and name in names,
                          "not exported" if name in declared else "not declared")
    return counted.close() or not declared or not libraries


if __name__ == "__main__":
    sys.exit(main())
