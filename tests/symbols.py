#!/usr/bin/env python3
"""The shared library exports alibi_* and nothing else, and all that alibi.h declares.

    symbols.py LIBRARY HEADER
"""
import re
import subprocess
import sys


def main():
    library, header = sys.argv[1:3]
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True,
                             capture_output=True, text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    with open(header, encoding="utf-8") as f:
        text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
    declared = set(re.findall(r"ALIBI_API[^;]*?\b(alibi_\w+)\(", text))
    failed = 0
    for name in sorted(exported - declared):
        print("%s is exported, but alibi.h does not declare it" % name)
        failed += 1
    for name in sorted(declared - exported):
        print("%s is declared in alibi.h, but not exported" % name)
        failed += 1
    print("%d passed, %d failed" % (len(declared & exported), failed))
    return failed > 0 or not declared


if __name__ == "__main__":
    sys.exit(main())
