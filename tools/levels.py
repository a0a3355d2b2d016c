#!/usr/bin/env python3
"""Definitions of levels as C: the files of src/synth/levels/ in one table.

Those that `alibi check` knows come first, in the order of its table (src/level/level.c), then
the others by name. The depfile has the folder itself, too: a new file is taken without a word in
a build file. src/synth/definition.h has the declarations.

    levels.py OUT.c DEPFILE LEVEL.c FOLDER
"""
import os
import re
import sys


def quoted(line):
    return '"%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")


def main():
    target, depfile, table, folder = sys.argv[1:]
    with open(table, encoding="utf-8") as f:
        rows = re.findall(r'^        \{"(\w+)",$', f.read(), re.M)
    names = sorted(n[:-len(".level")] for n in os.listdir(folder) if n.endswith(".level"))
    names.sort(key=lambda n: rows.index(n) if n in rows else len(rows))
    paths = [os.path.join(folder, name + ".level") for name in names]
    with open(target, "w", encoding="utf-8") as out:
        out.write('/* Made by tools/levels.py. */\n#include "synth/definition.h"\n\n')
        out.write("const struct library_level library_levels[] = {\n")
        for name, path in zip(names, paths):
            with open(path, encoding="utf-8") as f:
                lines = f.read().splitlines()
            assert "level " + name in lines, path + " does not define " + name
            out.write('\t{"%s",\n\t %s},\n' % (name, "\n\t ".join(map(quoted, lines))))
        out.write("};\nconst size_t library_level_count = sizeof library_levels / "
                  "sizeof *library_levels;\n")
    with open(depfile, "w", encoding="utf-8") as out:
        out.write("%s: %s\n" % (target, " ".join([folder] + paths).replace(" ", " \\\n  ")))


if __name__ == "__main__":
    main()
