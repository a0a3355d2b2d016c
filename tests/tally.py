#!/usr/bin/env python3
"""The tally of the tests: what fails is shown, counted, and the exit code.

If that were not so, no other test could fail; so this one does not count with it.

    tally.py
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# what is done, the exit code, the last line, and what is shown
CASES = [
    ("", 0, "0 passed, 0 failed, 0 skipped", []),
    ("check('a', [1])", 0, "1 passed, 0 failed, 0 skipped", []),
    ("check('a', []); check('b', 1)", 1, "1 passed, 1 failed, 0 skipped", ["FAILED: a"]),
    ("check('a', None, (1, 2))", 1, "0 passed, 1 failed, 0 skipped", ["FAILED: a", "(1, 2)"]),
    ("check('a', 0, lambda: 'it')", 1, "0 passed, 1 failed, 0 skipped", ["FAILED: a", "it"]),
    ("check('a', 1, lambda: 1 / 0)", 0, "1 passed, 0 failed, 0 skipped", []),
    ("check('b', check('a', 0) == 0 and check('c', 2) == 2)", 1, "2 passed, 1 failed, 0 skipped", ["FAILED: a"]),
    ("[check('a', i < 9) for i in range(99)]", 1, "9 passed, 90 failed, 0 skipped", ["FAILED: a"] * 20),
    ("counted.skip('why')", 0, "0 passed, 0 failed, 1 skipped", ["skipped: why"]),
]


def run(script):
    return subprocess.run([sys.executable, "-c", "import counted, sys\nfrom counted import check\n%s\n"
                           "sys.exit(counted.close())" % script], cwd=HERE, capture_output=True, text=True)


def main():
    for script, code, closing, shown in CASES:
        ran = run(script)
        assert ran.returncode == code and ran.stdout.splitlines() == shown + [closing], ran
    assert run("check(True, 'a')").returncode == 1, "the order of before is refused"
    return 0


if __name__ == "__main__":
    sys.exit(main())
