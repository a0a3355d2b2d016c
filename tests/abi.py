#!/usr/bin/env python3
"""The shared library still has the ABI that tests/libalibi.abi records.

libabigail (Debian: abigail-tools) compares functions, parameters, enums and the layouts of the structs
of alibi.h. A function that is new, gone or changed fails, and so does a struct whose members moved;
another enumerator at the end of an enum does not. To record the ABI of a build with debug information:

    tests/abi.py include build/src/libalibi.so tests/libalibi.abi --write

A build without debug information has no types: only the names of its functions are compared.

    abi.py FOLDER_OF_ALIBI_H LIBRARY RECORD
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import counted

# What is compared is what alibi.h declares: no other types, no places, no names of parameters.
DESCRIBE = ["abidw", "--drop-private-types", "--exported-interfaces-only", "--drop-undefined-syms",
            "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed",
            "--no-parameter-names", "--no-write-default-sizes", "--no-architecture"]


def describe(headers, library, path):
    text = subprocess.run([*DESCRIBE, "--headers-dir", headers, library], check=True,
                          capture_output=True, text=True).stdout
    with open(path, "w", encoding="utf-8") as f:  # of the paths of sources, the names
        f.write(re.sub(r"(?<= path=')[^']*/", "", text))


def compare(headers, library, record):
    with tempfile.TemporaryDirectory() as folder:
        described = os.path.join(folder, "described")
        describe(headers, library, described)
        ran = subprocess.run(["abidiff", record, described], capture_output=True, text=True)
    counted.check("the ABI is the one that %s records" % record, ran.returncode == 0,
                  ran.stdout + ran.stderr + "If this is wanted, tests/README.md says how to record it.")


def main():
    headers, library, record = sys.argv[1:4]
    elf = subprocess.run(["readelf", "-hSW", library], check=True, capture_output=True, text=True).stdout
    if not shutil.which("abidiff"):
        counted.skip("abidiff is not installed (Debian: abigail-tools)")
    elif "ELF64" not in elf:
        counted.skip("the record is of a machine of 64 bits")
    elif "--write" in sys.argv[4:]:
        describe(headers, library, record)
    else:
        if ".debug_info" not in elf:
            counted.skip("types: this build has no debug information")
        compare(headers, library, record)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
