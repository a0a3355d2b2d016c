#!/usr/bin/env python3
"""What `meson install` puts down runs, and is enough to write a program against.

Installs into a folder and starts the program there. Then builds the example of alibi.h's first
comment through pkg-config, against the shared and the static library and all static, and runs it;
the programs of examples/ must compile. If there is a compiler for C++, a program in that, too.

    install.py BUILD PROJECT
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import counted
from counted import check

PROGRAM = """
#include <alibi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "history.jsonl";
%s
	return 0;
}
"""

CPLUSPLUS = """
#include <alibi.h>
#include <cstdio>
int main()
{
	std::puts(alibi_version());
}
"""


def example(header):
    text = open(header, encoding="utf-8").read()
    block = re.search(r"then check it:\n \*\n((?: \*     .*\n)+)", text).group(1)
    return re.sub(r"^ \* ", "", block, flags=re.M).replace('"history.jsonl"', "path")


def main():
    build, project = map(os.path.abspath, sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet", "--destdir", folder],
                       check=True, stdout=subprocess.DEVNULL)
        files = {f: os.path.join(d, f) for d, _, names in os.walk(folder) for f in names}
        for name in ("alibi", "alibi.h", "alibi.pc", "libalibi.a", "libalibi.so", "alibi.1", "alibi.3",
                     "alibi.bash", "_alibi", "alibi.fish", "alibi-watch@.service"):
            check(name + " is installed", name in files)
        check("not much else is", len(files) < 20, files)
        if counted.failed:
            return counted.close()
        bare = {name: value for name, value in os.environ.items() if name != "LD_LIBRARY_PATH"}
        ran = subprocess.run([files["alibi"], "version"], env=bare, capture_output=True, text=True)
        check("the program starts", ran.returncode == 0 and ran.stdout.startswith("alibi "), ran)
        version = ran.stdout.split("\n")[0]
        source = os.path.join(folder, "example.c")
        open(source, "w").write(PROGRAM % example(files["alibi.h"]))
        history = os.path.join(folder, "h.jsonl")
        open(history, "w").write('{"start_ts":1,"commit_ts":2,"ops":[["w","x",1]]}\n')
        env = dict(os.environ, PKG_CONFIG_PATH=os.path.dirname(files["alibi.pc"]),
                   PKG_CONFIG_SYSROOT_DIR=folder, LD_LIBRARY_PATH=os.path.dirname(files["libalibi.so"]))
        out = os.path.join(folder, "example")
        for linked in ("shared", "static", "all static"):
            static = [] if linked == "shared" else ["--static"]
            flags = subprocess.run(["pkg-config", "--cflags", "--libs"] + static + ["alibi"], env=env,
                                   check=True, capture_output=True, text=True).stdout.split()
            if linked == "static":
                flags = [files["libalibi.a"] if f == "-lalibi" else f for f in flags]
            elif linked == "all static":
                flags.append("-static")
            subprocess.run(["cc", "-std=c11", "-Wall", "-Werror", "-o", out, source] + flags, check=True)
            ran = subprocess.run([out, history], env=env, capture_output=True, text=True)
            check("the example runs, linked %s" % linked, ran.stdout == "valid\n", ran)
            for name in sorted(glob.glob(os.path.join(project, "examples", "*.c"))):
                ran = subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", out, name] + flags,
                                     capture_output=True, text=True)
                check("%s compiles, linked with %s" % (name, static or "the shared library"),
                      ran.returncode == 0, ran)
        if shutil.which("c++"):
            open(source + ".cc", "w").write(CPLUSPLUS)
            subprocess.run(["c++", "-Wall", "-Wextra", "-Werror", "-o", out, source + ".cc", "-I",
                            os.path.dirname(files["alibi.h"]), "-L", os.path.dirname(files["libalibi.so"]),
                            "-lalibi"], check=True)
            ran = subprocess.run([out], env=env, capture_output=True, text=True)
            check("a program in C++ runs", "alibi " + ran.stdout == version + "\n", ran)
        else:
            counted.skip("there is no compiler for C++")
        shell = subprocess.run(["bash", "-n", files["alibi.bash"]], capture_output=True, text=True)
        check("bash takes its completions", shell.returncode == 0, shell)
        for typed, offered in (("help lev", "levels"), ("help form", "formats"), ("levels ss", "sser"),
                               ("check --le", "--level"), ("check --level ss", "sser"),
                               ("check --level postgres:rep", "postgres:repeatable-read"),
                               ("levels mysql:s", "mysql:serializable")):
            script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _alibi; echo "${COMPREPLY[@]}"'
            shell = subprocess.run(["bash", "-c", script, "bash", files["alibi.bash"], "alibi", *typed.split()],
                                   capture_output=True, text=True)
            check("bash completes " + typed, shell.stdout == offered + "\n", shell)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
