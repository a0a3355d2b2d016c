#!/usr/bin/env python3
"""The example programs for users of the library print and exit with what they should.

    examples.py PROJECT CHECK_FILE BUILD_HISTORY WATCH_STREAM
"""
import os
import signal
import subprocess
import sys

import counted
from counted import check

LOST_UPDATE = """%s: violates
  Lost update: "deposit 50" and "deposit 20" both replaced account = 100; the update of one of them is lost
    deposit 20: read account 100, write account 120
    deposit 50: read account 100, write account 150
"""

WRITE_SKEW = """si: valid
ser: violates
  Write skew
    rw: ann read bob = "on call", the initial value, which bob replaced, so ann came before bob
    rw: bob read ann = "on call", the initial value, which ann replaced, so bob came before ann
    ann came before bob, and bob before ann: a contradiction
"""

CONFLICT = ('violation: transaction "deposit 50" and transaction "deposit 20" both wrote key "account", '
            'and each starts before the other commits\n')
SUMMARY = "%d transactions, %d violations, 0 undecided, 0 unverified, %d in flight\n"


def runs(what, command, code, out="", err="", **more):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, **more)
    check(what, (ran.returncode, ran.stdout) == (code, out) and err in ran.stderr and bool(err) == bool(ran.stderr),
          ran)


def check_check_file(program, histories):
    lost, serial = (os.path.join(histories, name) for name in ("lost-update.jsonl", "serial.jsonl"))
    runs("an anomaly with its transactions", [program, "si", lost], 1, LOST_UPDATE % lost)
    runs("a valid history", [program, "ser", serial], 0, serial + ": valid\n")
    runs("an empty history", [program, "ser", "/dev/null"], 2, "/dev/null: unknown\n  the history has 0 committed "
         "transactions; a verdict requires at least 1\n")
    runs("no such level", [program, "xx", serial], 3, err="there is no level 'xx'")
    runs("no such file", [program, "si", "no-such-file"], 3, err="no-such-file: cannot open")
    runs("no arguments", [program], 3, err="usage")


def check_watch_stream(program, histories):
    lost, serial = (os.path.join(histories, name) for name in ("lost-update.jsonl", "serial.jsonl"))
    with open(lost, encoding="utf-8") as f:
        text = f.read()
    runs("a violation in a file", [program, "si", "10", lost], 1, CONFLICT + SUMMARY % (3, 1, 0))
    runs("a violation from standard input", [program, "si", "10"], 1, CONFLICT + SUMMARY % (3, 1, 0), input=text)
    runs("a valid stream", [program, "ser", "10", serial], 0, SUMMARY % (3, 0, 0))
    runs("a bad line after a violation", [program, "si", "10"], 3, CONFLICT + SUMMARY % (3, 1, 2),
         "standard input:5:2: ", input=text + "{oops}\n")
    runs("a level that is not watched", [program, "cc", "10", serial], 3, err="not at cc")
    runs("a horizon that is no number", [program, "si", "ten", serial], 3, err="not 'ten'")
    runs("no such file", [program, "si", "10", "no-such-file"], 3, err="no-such-file")
    with subprocess.Popen([program, "si", "10"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as p:
        p.stdin.write(text)
        p.stdin.flush()
        first = p.stdout.readline()
        check("a violation is printed while the stream goes on", first == CONFLICT, first)
        p.send_signal(signal.SIGINT)
        rest = p.stdout.read()
        check("an interrupt is not the end of the stream", rest == SUMMARY % (3, 1, 2), rest)
    check("an interrupted watch exits by its verdict", p.returncode == 1, p.returncode)


def main():
    project, check_file, build_history, watch_stream = sys.argv[1:]
    histories = os.path.join(project, "examples")
    check_check_file(check_file, histories)
    runs("a history from memory", [build_history], 0, WRITE_SKEW)
    check_watch_stream(watch_stream, histories)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
