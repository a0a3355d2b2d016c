#!/usr/bin/env python3
"""groff has no warnings about the manual pages, and that of the library has all of alibi.h.

    manual.py HEADER ALIBI.1 ALIBI.3
"""
import re
import shutil
import subprocess
import sys

import counted
from counted import check


def main():
    header, *pages = sys.argv[1:]
    for path in pages:
        if not shutil.which("groff"):
            counted.skip("there is no groff")
            break
        ran = subprocess.run(["groff", "-k", "-man", "-ww", "-z", "-Tutf8", path], capture_output=True, text=True)
        check("groff has no warnings about " + path, ran.returncode == 0 and not ran.stderr, ran)
    with open(header, encoding="utf-8") as f:
        declared = f.read()
    with open(pages[1], encoding="utf-8") as f:
        page = f.read().replace("\\-", "-")
    synopsis = page[page.index(".SH SYNOPSIS"):page.index(".SH DESCRIPTION")]
    check("the name", re.search(r"^alibi - [a-z ]+$", page, re.M), page[:300])
    check("no attributes", "ALIBI_API" not in page)
    for name in re.findall(r"^ALIBI_API [^(]*\b(alibi_\w+)\(", declared, re.M):
        check("%s is in the synopsis" % name, name + "(" in synopsis)
        check("%s is in a section" % name, page.count(name + "(") >= 2)
    for title in re.findall(r"^/\* ---- (.*) ---- \*/$", declared, re.M):
        check("the section " + title, "\n.SH %s\n" % title.upper() in page)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
