#!/usr/bin/env python3
"""Definitions of levels as C: the files of src/synth/levels/ in one table.

src/synth/definition.h has the declarations.

    levels.py OUT.c FILE.level…
"""
import os
import sys


def quoted(line):
    return '"%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")


def main():
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        out.write('/* Made by tools/levels.py. */\n#include "synth/definition.h"\n\n')
        out.write("const struct library_level library_levels[] = {\n")
        for path in sys.argv[2:]:
            with open(path, encoding="utf-8") as f:
                lines = f.read().splitlines()
            name = os.path.basename(path)[:-len(".level")]
            assert "level " + name in lines, path + " does not define " + name
            out.write('\t{"%s",\n\t %s},\n' % (name, "\n\t ".join(map(quoted, lines))))
        out.write("};\nconst size_t library_level_count = sizeof library_levels / "
                  "sizeof *library_levels;\n")


if __name__ == "__main__":
    main()
