"""Checks that are counted; the last line of a test tells how many."""
passed = failed = skipped = 0


def check(ok, message):
    global passed, failed
    passed += bool(ok)
    failed += not ok
    if not ok:
        print("failed:", message, flush=True)


def skip(why):
    global skipped
    skipped += 1
    print("skipped:", why, flush=True)


def close():
    """The exit code."""
    print("%d passed, %d failed, %d skipped" % (passed, failed, skipped))
    return failed > 0
