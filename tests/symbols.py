#!/usr/bin/env python3
"""The shared library exports alibi_* and nothing else, and all that alibi.h declares.

    symbols.py LIBRARY HEADER
"""
import re
import subprocess
import sys

import counted


def main():
    library, header = sys.argv[1:3]
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                             capture_output=True, text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    with open(header, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    declared = set(re.findall(r"ALIBI_API[^;]*?\b(alibi_\w+)\(", text))
    for name in sorted(exported | declared):
        counted.check("%s is declared in alibi.h, and exported" % name, name in declared and name in exported,
                      "not exported" if name in declared else "not declared")
    return counted.close() or not declared


if __name__ == "__main__":
    sys.exit(main())
