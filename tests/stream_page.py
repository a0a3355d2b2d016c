#!/usr/bin/env python3
"""The page of alibi watch --http in a real browser: before anything came, while transactions
come, with violations, while the source is away, and when the watch is gone; at two widths and
in both colour schemes. What is hostile in the stream is shown as text.

    stream_page.py ALIBI [FOLDER]       the pictures are kept in the folder, to look at
"""
import os
import re
import signal
import sys
import time

import browser
import counted
import watched
from counted import check
from watched import line

HOSTILE = '<script>document.title="owned"</script><img src=x onerror="document.title=1">'
AXE = browser.axe()


def pictures(b, folder, name):
    for width, height in ((1280, 900), (390, 844)):
        for scheme in ("light", "dark"):
            b.size(width, height)
            b.media(scheme)
            wide = b.run("return document.documentElement.scrollWidth")
            check("%s fits into %d" % (name, width), wide <= width, wide)
            found = b.judge(AXE) if AXE else []
            check("axe-core finds nothing in %s at %d, %s" % (name, width, scheme), not found, found)
            if folder:
                b.picture(os.path.join(folder, "%s-%d-%s.png" % (name, width, scheme)))
    b.size(1280, 900)
    b.media("light")


def text(b, selector):
    return b.run("return document.querySelector(arguments[0]).innerText", selector)


def contrast(b):
    """Words that are too pale for their background (WCAG AA), by their selector."""
    return b.run("""
        const light = (c) => { const [r, g, b] = c.match(/[\\d.]+/g).map(Number).map((v) => v / 255)
            .map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
        const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
            if (!/, 0\\)|transparent/.test(c)) return c; } return "rgb(255, 255, 255)"; };
        return [...document.querySelectorAll("body *")].filter((e) => e.offsetParent && !e.closest(".unseen, .skip") &&
            [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).filter((e) => {
            const a = light(getComputedStyle(e).color), b = light(behind(e));
            return (Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5; }).map((e) => e.tagName + "." + e.className + " " + e.textContent);
    """)


def nothing_yet(b, w, folder):
    b.open(w.url)
    check("nothing is decided at first",
          b.wait("return document.querySelector('#verdict').textContent === 'Not decided'"))
    check("and it says why", "nothing has committed yet" in text(b, "#because"))
    check("the condition is said in words", text(b, "#condition") == "The stream is being read.")
    check("no violations are said to be none", text(b, "#violations-note") == "None so far.")
    pictures(b, folder, "nothing")


def running(b, w, folder):
    n = 1
    for step in range(20):
        w.write(*(line(i, [["r", "k%d" % (i % 7), i - 7 if i > 7 else None], ["w", "k%d" % (i % 7), i]])
                  for i in range(n, n + 20 + step)))
        n += 20 + step
        time.sleep(0.1)
    check("what is judged holds",
          b.wait("return document.querySelector('#verdict').textContent.startsWith('All that was judged')"),
          text(b, "#verdict"))
    check("transactions are counted",
          b.wait("return document.querySelector('#txns').textContent === '%s'" % format(n - 1, ",")), text(b, "#txns"))
    check("the rates are drawn",
          b.run("return document.querySelector('#spark polyline').getAttribute('points').split(' ').length") >= 3)
    check("lag and memory are shown", text(b, "#came").endswith(" ago") and text(b, "#memory").endswith("iB"))
    pictures(b, folder, "running")
    check("all words can be read", not contrast(b), contrast(b))
    b.media("dark")
    check("in the dark, too", not contrast(b), contrast(b))
    return n


def violations(b, w, folder, n):
    started = time.monotonic()
    w.write(line(n, [["w", HOSTILE, "</script>"]], id="writer " + HOSTILE),
            line(n + 1, [["r", HOSTILE, HOSTILE]], id="reader"),
            line(n + 2, [["w", "account", 120]]), line(n + 3, [["w", "account", 150]], start=n * 10 + 21),
            line(n + 4, [["r", "account", 150], ["w", "account", 1], ["r", "account", 150]]),
            line(n + 5, [["w", "x", 1]], session="s"), line(n + 6, [["w", "y", 1]], start=n * 10 + 53, session="s"))
    check("violations are shown",
          b.wait("return document.querySelectorAll('#violation-list article').length === 4"),
          text(b, "#violation-list"))
    b.wait("return document.querySelector('#verdict').textContent === '4 violations of si'", 5)
    print("shown %.2f s after they came" % (time.monotonic() - started))
    shown = text(b, "#violation-list")
    for wanted in (HOSTILE.replace('"', '\\"'), '"reader"', "should be \"</script>\"", "Last written by", "Should have read",
                   "A read does not find what was there", "A transaction does not see its own work",
                   "starts before transaction"):
        check("the report has %s" % wanted, wanted in shown, shown)
    check("no codes of rules", not re.search(r"\b(EXT|INT|NOCONFLICT|SESSION)\b", shown), shown)
    for wanted in ("Concurrent writes of one key", "write-conflict", "The transactions as they came"):
        check("a violation has its name and its transactions: %s" % wanted, wanted in shown, shown)
    check("and a picture", b.wait(
        "return [...document.querySelectorAll('.finding img')].some(i => i.complete && i.naturalWidth > 300)"))
    check("the title says so",
          text(b, "#verdict") == "4 violations of si" and b.run("return document.title") == "4 violations of si – alibi watch",
          b.run("return document.title"))
    check("what is hostile is text",
          b.run("return document.querySelectorAll('main script, main img:not([src^=\"picture/\"])').length") == 0)
    w.write(line(1, [["w", "late", 1]], id="late", commit=16))
    check("what was not judged is shown apart",
          b.wait("return document.querySelector('#other-list article')") and "A transaction came too late" in text(b, "#other-list"))
    pictures(b, folder, "violations")
    check("all words can be read", not contrast(b), contrast(b))
    b.run("getSelection().selectAllChildren(document.querySelector('#violation-list article'))")
    w.write(line(n + 100, []))
    time.sleep(2.2)
    check("a selection stays while the figures go on",
          "reader" in b.run("return String(getSelection())") or "account" in b.run("return String(getSelection())"))
    w.write(*(line(n + 200 + i, [["r", "account", -1]]) for i in range(100)), line(n + 400, []))
    check("only the latest are kept",
          b.wait("return document.querySelector('#violations-note').textContent.startsWith('The latest 50 of 104')"),
          text(b, "#violations-note"))
    check("and most of these are folded away",
          b.run("return document.querySelectorAll('#violation-list > article').length") == 10 and
          "40 earlier ones" in text(b, "#violation-list"))


def lost(b, w, folder):
    w.process.send_signal(signal.SIGSTOP)
    check("a watch that does not answer is said to be lost",
          b.wait("return document.querySelector('#condition').textContent.startsWith('Connection lost')", 10),
          text(b, "#condition"))
    w.process.send_signal(signal.SIGCONT)
    check("and found again",
          b.wait("return document.querySelector('#condition').textContent.startsWith('The stream is')", 10))
    requests = [r for r in b.requests() if not r.startswith("chrome:")]  # of the browser's own first page
    check("nothing else is asked for", requests and all(r.startswith((w.url, "data:")) for r in requests),
          set(requests))
    check("nothing is complained about in the console", not [m for m in b.console() if "favicon" not in m])
    check("SIGTERM ends the watch", w.end(signal.SIGTERM) == 1)
    check("so is one that has ended",
          b.wait("return document.querySelector('#condition').textContent.startsWith('Connection lost')", 10),
          text(b, "#condition"))
    check("with the time",
          "as of " in text(b, "#condition") and b.run("return document.title").startswith("No connection"))
    pictures(b, folder, "lost")


def main():
    alibi = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    why = watched.missing(alibi) or (browser.missing() and browser.missing() + " is not installed")
    if why:
        counted.skip(why)
        return counted.close()
    with browser.Browser() as b, watched.Watch(alibi, "--deadline", "300ms") as w:
        nothing_yet(b, w, folder)
        n = running(b, w, folder)
        violations(b, w, folder, n)
        lost(b, w, folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
