#!/usr/bin/env python3
"""What the documents print is what the program prints.

Blocks marked ```console are run: a line `$ command` is given to the shell, and
the lines below it, up to the next command, must be what it prints (standard
output and error). A line `...` stands for any lines. Commands run in a fresh
folder with the project's examples/ and the program at build/cli/alibi, as
a user who has just built it has them.

With --setup, the blocks marked ```sh are printed instead: the commands with
which the README says to install and build, for CI to run in a fresh clone.

    readme.py ALIBI PROJECT DOCUMENT…
    readme.py --setup DOCUMENT
"""
import os
import re
import subprocess
import sys
import tempfile

import counted


def blocks(path, kind):
    with open(path, encoding="utf-8") as f:
        return re.findall(r"^```%s\n(.*?)^```$" % kind, f.read(), re.M | re.S)


def commands(block):
    """(command, expected lines) of a console block."""
    found = []
    for line in block.rstrip("\n").split("\n"):
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
    return found


def matches(expected, printed):
    pattern = "".join(r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n"
                      for line in expected)
    return re.fullmatch(pattern, printed if not printed or printed.endswith("\n") else printed + "\n")


def main():
    if sys.argv[1] == "--setup":
        print("".join(blocks(sys.argv[2], "sh")), end="")
        return 0
    alibi, project, documents = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    for document in documents:
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "build/cli"))
            os.symlink(alibi, os.path.join(folder, "build/cli/alibi"))
            os.symlink(os.path.join(project, "examples"), os.path.join(folder, "examples"))
            os.symlink(os.path.join(project, "tests"), os.path.join(folder, "tests"))
            for block in blocks(os.path.join(project, document), "console"):
                for command, expected in commands(block):
                    ran = subprocess.run(["bash", "-c", command], cwd=folder, text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    counted.check("%s: $ %s" % (document, command), matches(expected, ran.stdout),
                                  "says:\n%s\nprints:\n%s" % ("\n".join(expected), ran.stdout))
    return counted.close() or not counted.passed


if __name__ == "__main__":
    sys.exit(main())
