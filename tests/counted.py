"""The tally of the tests: checks are counted, and the last line tells how many.

    check(what, ok, seen)   one check; `what` and `seen` (or what it returns) are shown if it failed
    skip(why)               something that cannot be checked here
    enough(counts)          that random histories were of both kinds: counts[level, verdict]
    close()                 the last line, and the exit code

Many failures tend to have one cause, so that only the first are shown. All are counted.
"""
SHOWN, LONGEST = 20, 10000  # failures, and characters of what was seen

passed = failed = skipped = 0


def check(what, ok, seen=""):
    global passed, failed
    assert isinstance(what, str), "check(what, ok, seen)"
    if ok:
        passed += 1
        return ok
    failed += 1
    if failed <= SHOWN:
        seen = str(seen() if callable(seen) else seen)[:LONGEST]
        print(("FAILED: %s\n%s" % (what, seen)).rstrip(), flush=True)
    return ok


def skip(why):
    global skipped
    skipped += 1
    print("skipped:", why, flush=True)


def enough(counts):
    """Verdicts that agree say little if all are the same: at each level a twentieth of the
    histories at least holds, and a twentieth violates it."""
    check("there are verdicts", bool(counts))
    for level in sorted({level for level, _ in counts}):
        said = {verdict: n for (of, verdict), n in counts.items() if of == level}
        for verdict in ("valid", "violates"):
            check("enough are %s at %s" % (verdict, level),
                  said.get(verdict, 0) * 20 >= sum(said.values()), said)


def close():
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0
