#!/usr/bin/env python3
"""CONTRIBUTING.md says which files a new level, format, report, workload or driver takes: true?

Copies the project, adds one of each, in the files that the table of CONTRIBUTING.md
names and in no others, runs the house rules on the copy, builds it and uses what was added.

    extend.py PROJECT
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import counted
from counted import check

LEVEL_ROW = '''        {"xx",
         "rc with repeatable reads",
         {.visible = VISIBLE_EARLIER},
         "As rc, and a key that is read twice gives one value.",
         "non-repeatable reads",
         "non-repeatable read",
         "examples/levels/xx.jsonl",
         "s1: T1 w(x,1)\\n"
         "s2: T2 r(x,null) r(x,1)\\n",
         "T2 reads x twice and finds two values. rc lets the second read see more."},
'''
LEVEL = '''# A level to try how one is added. A read of a key that was read before is not written down here.
level xx
title "rc with repeatable reads"
over co
same as xx

axiom monotonic: all x, y, t1, t2, t3:
	t1 != t2 and wr(t1, t3, x) and writes(t2, x) and wr(t2, t3, y) and before(t3, y, x)
	=> co(t2, t1)
'''
EXAMPLE = '''{"id": "T1", "session": 1, "ops": [["w", "x", 1]]}
{"id": "T2", "session": 2, "ops": [["r", "x", null], ["r", "x", 1]]}
'''
FORMAT = '''/* yy: a format to try how one is added. It is alibi's. */
#include "format/format.h"

static bool sniff(struct text head)
{
	(void)head;
	return false;
}

static void read_yy(struct source *s, struct builder *b)
{
	format_alibi.read(s, b);
}

const struct format format_yy = {
        .name = "yy", .title = "yy", .sniff = sniff, .read = read_yy, .write = alibi_write};
'''
REPORT = '''/* report_yy: a report to try how one is added. */
#include "report/report.h"

static void add(const struct report *r, struct sink *s, const alibi_reported *what)
{
	(void)what;
	sink_addf(s, "yy %zu\\n", r->histories + 1);
}

const struct report_kind report_yy = {.name = "yy", .many = true, .add = add};
'''
WORKLOAD = '''/* workload_yy: a workload to try how one is added. Each transaction reads a register. */
#include "workload.h"

static void transact(struct session *s)
{
	DO(s, REGISTER_READ, 1);
}

const struct workload workload_yy = {
        .name = "yy",
        .tables = register_tables,
        .statements = register_statements,
        .statement_count = REGISTER_STATEMENTS,
        .transact = transact,
        .keys = 1,
};
'''
DRIVER = '''/* driver_yy: a driver to try how one is added. It does not connect. */
#include "driver.h"

static struct connection *open_connection(const struct connect_options *o, size_t host,
                                          struct text *why)
{
	(void)o;
	(void)host;
	text_print(why, "yy does not answer");
	return NULL;
}

const struct driver driver_yy = {
        .scheme = "yy", .title = "YY", .dialect = SQLITE, .connect = open_connection};
'''


def before(anchor, text):
    """Puts text before the one place where the pattern matches."""
    return lambda old: re.subn(anchor, lambda m: text + m.group(0), old, flags=re.M)


def replaced(anchor, text):
    return lambda old: re.subn(anchor, text, old, flags=re.M)


def sources(name, after):
    return before(r"^  '%s',$" % after, "  '%s',\n" % name)


# By kind: the files, new ones with their text, others with their changes.
ADDITIONS = {
    "level": {
        "src/level/level.c": [before(r'^        \{"ra",$', LEVEL_ROW)],
        "src/synth/levels/xx.level": LEVEL,
        "examples/levels/xx.jsonl": EXAMPLE,
    },
    "format": {
        "src/format/yy.c": FORMAT,
        "src/format/format.h": [replaced(r"(?<=extern const struct format )format_alibi,", "format_yy,\n        format_alibi,")],
        "src/format/format.c": [replaced(r"&format_alibi,$", "&format_alibi, &format_yy,")],
        "src/meson.build": [sources("format/yy.c", "format/format.c")],
    },
    "report": {
        "src/report/report_yy.c": REPORT,
        "src/report/report.h": [replaced(r"(?<=extern const struct report_kind )report_text,", "report_yy,\n        report_text,")],
        "src/report/report.c": [before(r"        \[ALIBI_REPORT_TEXT\] =", "        [ALIBI_REPORT_YY] = &report_yy,\n")],
        "include/alibi.h": [replaced(r"(?<=^\tALIBI_REPORT_DOT,)", " ALIBI_REPORT_YY,")],
        "src/meson.build": [sources("report/report_yy.c", "report/report_text.c")],
        "cli/reporting.h": [
            replaced(r"\*dot,", "*dot, *yy,"),
            replaced(r"REPORT_FILES = 4", "REPORT_FILES = 5"),
            before(r'^\t\{"html", .*$',
                   '\t{"yy", OPTION_TEXT, "FILE", "write yy", offsetof(values, report.yy), NULL}, \\\n')],
        "cli/reporting.c": [
            replaced(r'\{"dot", v->dot\},', '{"dot", v->dot},\n\t        {"yy", v->yy},'),
            before(r"open_file\(r, ALIBI_REPORT_HTML", "open_file(r, ALIBI_REPORT_YY, v->yy) &&\n\t    ")],
    },
    "workload": {
        "cli/record/workload_yy.c": WORKLOAD,
        "cli/record/workload.h": [replaced(r"(?<=extern const struct workload )workload_rw,", "workload_yy,\n        workload_rw,")],
        "cli/record/workload.c": [replaced(r"^        &workload_rw,", "        &workload_yy, &workload_rw,"),
                                  replaced(r'workload_names\[\] = \{', 'workload_names[] = {"yy",\n        ')],
        "cli/record/meson.build": [sources("workload_yy.c", "workload_append.c")],
    },
    "driver": {
        "cli/record/driver_yy.c": DRIVER,
        "cli/record/driver.h": [replaced(r"(?<=extern const struct driver )driver_postgres,", "driver_yy,\n        driver_postgres,")],
        "cli/record/driver.c": [before(r"^#if HAVE_POSTGRES$", '        {"yy", &driver_yy, NULL, NULL},\n')],
        "cli/record/meson.build": [replaced(r"\['sqlite', 'sqlite3'\]", "['sqlite', 'sqlite3'], ['yy', 'zlib']")],
        "meson_options.txt": [before(r"^option\('sqlite'", "option('yy', type: 'feature', value: 'auto')\n")],
    },
}
READMES = {"src/format": "`yy`", "src/report": "`report_yy`", "cli/record": "`driver_yy`"}


def promised(project):
    """By kind: the files of the table in CONTRIBUTING.md, for what is added here."""
    with open(os.path.join(project, "CONTRIBUTING.md"), encoding="utf-8") as f:
        rows = re.findall(r"^\| a (\w+) \| (.*) \|$", f.read(), re.M)
    return {kind: {p.replace("NAME", "xx" if kind == "level" else "yy") for p in re.findall(r"`([^`]*[./][^`]*)`", text)}
            for kind, text in rows}


def add_all(copy):
    for kind, files in ADDITIONS.items():
        for path, change in files.items():
            full = os.path.join(copy, path)
            if isinstance(change, str):
                with open(full, "w", encoding="utf-8") as f:
                    f.write(change)
                continue
            with open(full, encoding="utf-8") as f:
                text = f.read()
            for edit in change:
                text, count = edit(text)
                check("a %s has one place in %s" % (kind, path), count == 1, count)
            with open(full, "w", encoding="utf-8") as f:
                f.write(text)
    for folder, words in READMES.items():
        with open(os.path.join(copy, folder, "README.md"), "a", encoding="utf-8") as f:
            f.write(words + "\n")


def build(copy):
    for words in (["meson", "setup", "build", "-Doptimization=0", "-Ddebug=false", "-Dtests=disabled"],
                  ["ninja", "-C", "build", "cli/alibi"]):
        r = subprocess.run(words, cwd=copy, capture_output=True, text=True)
        if not check(" ".join(words), r.returncode == 0, r.stdout[-4000:] + r.stderr[-2000:]):
            return False
    return True


def use(copy):
    def alibi(*words):
        r = subprocess.run([os.path.join(copy, "build", "cli", "alibi"), *words], cwd=copy,
                           capture_output=True, text=True)
        return r.returncode, r.stdout, r.stderr

    example = "examples/levels/xx.jsonl"
    check("the level has its words", "non-repeatable reads" in alibi("levels", "xx")[1])
    check("the level forbids its example", alibi("check", "--level", "xx", example)[0] == 1)
    check("the level below allows it", alibi("check", "--level", "rc", example)[0] == 0)
    check("the level allows the example of the next one",
          alibi("check", "--level", "xx", "examples/levels/fractured-read.jsonl")[0] == 0)
    check("all levels have it", "xx" in alibi("check", "--level", "all", example)[1])
    check("its definition is in the library", "\nxx " in alibi("synth", "--show", "all")[1])
    check("the format writes", alibi("convert", "--to", "yy", "--out", "o", example)[0] == 0)
    check("the format reads", alibi("check", "--level", "rc", "--format", "yy", "o")[0] == 0)
    check("the report is written", alibi("check", "--level", "rc", "--yy", "report", example)[0] == 0)
    with open(os.path.join(copy, "report"), encoding="utf-8") as f:
        check("and says what it should", f.read() == "yy 1\n")
    code, out, err = alibi("record", "--workload", "yy", "--txns", "20", "--out", "r", "sqlite:db")
    if "built without" in err:
        counted.skip("the program was built without SQLite: nothing to run a workload on")
    else:
        check("the workload runs", code == 0, out + err)
    code, out, err = alibi("record", "--out", "s", "yy:db")
    check("the driver is asked", "yy does not answer" in err, err)
    completions = alibi("help", "--completions", "bash")[1]
    check("completions have what was added", all(re.search(r"\b%s\b" % w, completions) for w in ("xx", "yy")))


def main():
    project = os.path.abspath(sys.argv[1])
    table = promised(project)
    for kind, files in ADDITIONS.items():
        check("CONTRIBUTING.md on a " + kind, table.get(kind) == set(files), (table.get(kind), set(files)))
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        shutil.copytree(project, copy, ignore=lambda at, names: [
            n for n in names if n in (".git", "__pycache__") or
            os.path.exists(os.path.join(at, n, "meson-private"))])
        add_all(copy)
        r = subprocess.run([sys.executable, os.path.join(copy, "tests", "house.py"), copy],
                           capture_output=True, text=True)
        check("the house rules hold", r.returncode == 0, r.stdout)
        if build(copy):
            use(copy)
    sys.exit(counted.close())


main()
