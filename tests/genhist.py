"""Histories of genhist.c, as generated and sorted by session.

A file sorted by session, as logs of one file a session are, tells nothing about the
order of events: these make a search work.
"""
import os
import re
import subprocess

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "genhist.c")


def build(folder):
    """The path of the generator, compiled into the folder."""
    program = os.path.join(folder, "genhist")
    subprocess.run(["cc", "-O2", "-o", program, SOURCE, "-lm"], check=True)
    return program


def session(line):
    return int(re.match(r'{"session":(\d+)', line).group(1))


def generate(program, path, words, by_session=False):
    text = subprocess.run([program] + words.split(), capture_output=True, text=True, check=True).stdout
    lines = text.splitlines(keepends=True)
    if by_session:
        lines.sort(key=session)
    with open(path, "w") as f:
        f.writelines(lines)
    return path


def tenants(program, path, words, count, by_session=False, planted={}):
    """Several histories as one, of clients that share neither sessions nor keys;
    planted: the anomalies of some of them."""
    lines = []
    for i in range(count):
        text = subprocess.run([program, "seed=%d" % (i + 1), "break=" + planted.get(i, "none")]
                              + words.split(), capture_output=True,
                              text=True, check=True).stdout
        for line in text.replace('"k', '"t%d.' % i).splitlines(keepends=True):
            rest = line.index(",")
            lines.append('{"session":%d%s' % (session(line) * count + i, line[rest:]))
    if by_session:
        lines.sort(key=session)
    with open(path, "w") as f:
        f.writelines(lines)
    return path
