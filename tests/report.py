#!/usr/bin/env python3
"""Reports, as the programs that they are for see them.

write_samples makes every kind of report of findings that were written by hand; some more
are the program's own, of histories with an anomaly in them. JSON is
held against the schema that the project ships; JUnit XML against a schema; DOT goes
through Graphviz; SVG and XML are parsed; and a real browser opens the pages from disk,
tabs through them, searches, copies, in both colour schemes and at two widths. Programs
that are not there are said to be missing, and what needs them is skipped.

    report.py WRITE_SAMPLES PROJECT ALIBI [PICTURES]

With PICTURES, a folder, the pictures that the browser took are kept there, for people.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
import browser
import counted
import schema
from counted import check

project, alibi = os.path.abspath(sys.argv[2]), os.path.abspath(sys.argv[3])
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return f.read()


def samples(folder, suffix):
    return sorted(os.path.basename(p) for p in glob.glob(os.path.join(folder, "*." + suffix)))


def by_the_program(folder):
    """Reports of what check and explain find themselves: name.json, name.html and so on."""
    for name, level in [("lost-update", "si"), ("write-skew", "ser"), ("long-fork", "si"), ("aborted-read", "rc"),
                        ("intermediate-read", "ra"), ("lost-update", "all"), ("none", "si")]:
        path = os.path.join(folder, "%s-%s" % (name, level))
        subprocess.run([alibi, "generate", "--level", "ser", "--client-times", "--txns", "300",
                        "--anomaly", name, "--out", path], check=True)
        files = [word for kind, suffix in (("html", "html"), ("svg", "svg"), ("dot", "dot"), ("junit", "xml"))
                 for word in ("--" + kind, path + "." + suffix)]
        ran = subprocess.run([alibi, "explain", "--json", "--level", level, path] + files, capture_output=True)
        check("%s at %s is explained" % (name, level), ran.returncode in (0, 1) and not ran.stderr, ran.stderr)
        with open(path + ".json", "wb") as f:
            f.write(ran.stdout)
        found = json.loads(ran.stdout)
        if name != "none" and level != "all":
            check("%s has an anomaly" % name, ran.returncode == 1 and found["anomalies"], ran.stdout)
            ids = [json.dumps(t) for t in found["anomalies"][0]["txns"]]
            lines = found["anomalies"][0]["reduced"]
            check("%s is reduced to its transactions" % name,
                  ids == [json.dumps(t["id"]) for t in lines if "ops" in t], lines)
    a_run(folder)
    for level in ("sser", "all"):
        path = os.path.join(folder, "fast-clock-" + level)
        ran = subprocess.run([alibi, "check", "--json", "--level", level, "--clock-skew", "5", "--html", path + ".html",
                              os.path.join(project, "examples", "fast-clock.jsonl")], capture_output=True)
        with open(path + ".json", "wb") as f:
            f.write(ran.stdout)
        found = json.loads(ran.stdout)
        found = found["levels"][-1] if level == "all" else found
        check("a clock is suspected at " + level, found["clocks"] ==
              {"enough": 15, "least": True, "session": "node 2", "ahead": True}, found)
        check("its page says so", "udged by the clients&#39; clocks" in read(folder, "fast-clock-%s.html" % level))


def a_run(folder):
    """A run with faults, and one of many transactions."""
    path = os.path.join(folder, "lost-update-run")
    subprocess.run([alibi, "generate", "--level", "ser", "--client-times", "--txns", "300", "--aborts", "0.1",
                    "--unknowns", "0.1", "--anomaly", "lost-update", "--out", path], check=True)
    with open(path, encoding="utf-8") as f:
        last = max(json.loads(line).get("end", 0) for line in f)
    with open(path, "a", encoding="utf-8") as f:
        for share, event in ((.1, {"f": ":start-partition", "value": ":majority"}), (.2, {"f": ":kill", "value": "n2"}),
                             (.3, {"f": ":start", "value": "n2"}), (.9, {"f": ":stop-partition"})):
            f.write(json.dumps({"event": event, "at": int(last * share)}) + "\n")
    subprocess.run([alibi, "explain", "--level", "si", "--html", path + ".html", path], stdout=subprocess.DEVNULL)
    path = os.path.join(folder, "many")
    subprocess.run([alibi, "generate", "--client-times", "--txns", "50000", "--ops", "2", "--out", path], check=True)
    subprocess.run([alibi, "check", "--level", "ra", "--html", path + ".html", path], stdout=subprocess.DEVNULL)
    check("a page of many transactions is small", os.path.getsize(path + ".html") < 100000,
          os.path.getsize(path + ".html"))


# ---- JSON ----

def json_reports(folder):
    with open(os.path.join(project, "docs/report.schema.json"), encoding="utf-8") as f:
        rules = json.load(f)
    for name in samples(folder, "json"):
        lines = read(folder, name).splitlines()
        value = json.loads(lines[0])
        found = schema.problems(value, rules)
        check("%s is as the schema says" % name, len(lines) == 1 and not found, found)
    value = json.loads(read(folder, "hostile.json"))
    check("JSON keeps what is hostile", value["anomalies"][0]["title"] == HOSTILE)
    check("JSON keeps ids", value["anomalies"][0]["txns"][0].startswith('</title>"\'&<b>\x1b[31m\x07 '))
    broken = dict(value, verdict="perhaps", extra=1, txns=-1, ops="many")
    check("the schema refuses what is wrong", len(schema.problems(broken, rules)) == 4,
          schema.problems(broken, rules))
    for name in ("verdict", "violations", "seconds"):
        check("the schema wants " + name, schema.problems({k: v for k, v in value.items() if k != name}, rules))


# ---- JUnit ----

def junit_reports(folder):
    xsd = os.path.join(project, "tests/junit.xsd")
    for name in samples(folder, "xml"):
        path = os.path.join(folder, name)
        for suite in xml.parse(path).getroot():
            tests = suite.findall("testcase")
            counts = [len(tests), len(suite.findall("testcase/failure")), len(suite.findall("testcase/error"))]
            check("%s counts its tests" % name,
                  counts == [int(suite.get(k)) for k in ("tests", "failures", "errors")], suite.attrib)
            check("%s has tests" % name, tests)
        if shutil.which("xmllint"):
            ran = subprocess.run(["xmllint", "--noout", "--schema", xsd, path], capture_output=True, text=True)
            check("%s is as the schema says" % name, ran.returncode == 0, ran.stderr)
    if not shutil.which("xmllint"):
        return counted.skip("the schema of JUnit XML: xmllint is not installed")
    wrong = read(folder, "valid.xml").replace("<system-out/>", "")
    with open(os.path.join(folder, "wrong"), "w", encoding="utf-8") as f:
        f.write(wrong)
    ran = subprocess.run(["xmllint", "--noout", "--schema", xsd, os.path.join(folder, "wrong")], capture_output=True)
    check("the schema refuses what is wrong", ran.returncode != 0)


# ---- DOT and SVG ----

def svg_reports(folder):
    for name in samples(folder, "svg"):
        root = xml.fromstring(read(folder, name))
        texts = "".join(root.itertext())
        check("%s is SVG" % name, root.tag == SVG + "svg")
        check("%s has no script" % name, not [e for e in root.iter() if "script" in e.tag
                                              or any(a.startswith("on") or a.endswith("href") for a in e.attrib)])
        drawn = {e.get("id") for e in root.iter(SVG + "g")} - {None}
        ids = [e.get("id") for e in root.iter() if e.get("id")]
        check("%s has each id once" % name, len(ids) == len(set(ids)) and len(drawn) == len(ids))
        if name == "hostile.svg":
            check("SVG keeps what is hostile", HOSTILE in texts, texts)


def dot_reports(folder):
    if not shutil.which("dot"):
        return counted.skip("DOT: Graphviz is not installed")
    for name in samples(folder, "dot"):
        ran = subprocess.run(["dot", "-Tsvg", os.path.join(folder, name)], capture_output=True, text=True)
        check("Graphviz takes %s" % name, ran.returncode == 0 and not ran.stderr, ran.stderr)
        xml.fromstring(ran.stdout)
        if name == "lost-update.dot":
            titles = [e.text for e in xml.fromstring(ran.stdout).iter(SVG + "title")]
            check("Graphviz has the edges", sum("->" in (t or "") for t in titles) == 3, titles)


# ---- pages ----

def colours():
    """Text and signs stand out from what is behind them: 4.5 to 1 at least, in both schemes."""
    sheets = "".join(open(os.path.join(project, "src/report", n), encoding="utf-8").read()
                     for n in ("figure.css", "page.css"))
    dark = "".join(re.findall(r"@media \(prefers-color-scheme: dark\) \{\n(.*?)\n\}", sheets, re.S))
    schemes = {"dark": dark, "light": sheets.split("@media print")[0].replace(dark, "")}

    def brightness(colour):
        channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    for scheme, text in schemes.items():
        named = dict(re.findall(r"--(\w+): (#[0-9a-f]{6});", text))
        signs = [(k, "paper") for k in ("ink", "soft", "wr", "ww", "rw", "so", "rt", "other", "accent")]
        for front, back in signs + [("ink", "lane"), ("soft", "lane"), ("ink", "box"), ("soft", "box"),
                                    ("soft", "page"), ("ink", "mark"), ("bad", "page"), ("good", "page"),
                                    ("doubt", "page")]:
            light, deep = sorted((brightness(named[front]), brightness(named[back])), reverse=True)
            ratio = (light + 0.05) / (deep + 0.05)
            check("%s on %s, %s: %.1f" % (front, back, scheme, ratio), ratio >= 4.5)


def page_text(folder):
    """What can be said of pages without a browser."""
    for name in samples(folder, "html"):
        text = read(folder, name)
        check("%s is at most 2 MB" % name, os.path.getsize(os.path.join(folder, name)) <= 2000000)
        check("%s has a policy" % name, "default-src 'none'; style-src 'sha256-" in text
              and "'style-hash'" not in text and "'script-hash'" not in text)
        check("%s names nothing outside" % name, not re.findall(r'\b(?:src|srcset|action|poster)="', text)
              and all(h.startswith("#") for h in re.findall(r'href="([^"]*)"', text)))
        check("%s has no style of its own" % name, not re.findall(r'<[^>]* style="', text))


def quiet(b, what):
    messages, requests = b.console(), b.requests()
    check("%s: nothing is logged" % what, not messages, messages)
    outside = [r for r in requests if not r.startswith("file:") or not r.endswith(".html")]
    check("%s: no request leaves the page" % what, not outside, outside)


def tabs_to_arrows(b, folder):
    b.open(os.path.join(folder, "lost-update.html"))
    check("all transactions are there", b.run(
        "return [...document.querySelectorAll('.txns > li')].map(li => li.dataset.id)") ==
        ["deposit-20", "deposit-50", "balance"])
    check("all boxes say what they are", b.run(
        "return [...document.querySelectorAll('.figure .txn')].map(g => g.getAttribute('aria-label'))")[0] ==
        "transaction deposit-20, session ann, committed: read account = 100, write account = 120")
    heard = []
    while not heard or heard[-1][0] != "BODY":  # once around
        b.press(browser.TAB)
        heard.append(b.run("const a = document.activeElement; const tip = document.querySelector('.tip');"
                           "return [a.getAttribute('class') || a.tagName, a.getAttribute('aria-label'),"
                           "tip && tip.textContent, document.querySelectorAll('.steps .lit').length]"))
    arrows = [h for h in heard if h[0].startswith("arrow")]
    check("the keyboard reaches every arrow, in order", [a[1][:28] for a in arrows] ==
          ["deposit-20 read account = 10", "deposit-50 read account = 10", "balance read account = 150, "], heard)
    check("an arrow explains itself", all(a[1] == a[2] and a[3] == 1 for a in arrows), arrows)
    notes = [h for h in heard if h[0].startswith("note")]
    check("so does an annotation", [n[2] for n in notes] ==
          ["partition starts, at 1,690", "kill n2, at 1,800"], notes)
    b.run("document.querySelector('.arrow').focus()")
    b.press(browser.ESCAPE)
    check("Escape takes the explanation away", b.wait("return !document.querySelector('.tip')"))
    b.run("document.activeElement.blur()")
    b.point_at("#a1c1-e2 circle")
    shown = b.wait("const tip = document.querySelector('.tip'); return tip ? tip.textContent : ''")
    check("pointing at an arrow explains it", shown.startswith("deposit-50 read account = 100"), shown)


def shows_the_run(b, folder):
    """The overview of a run: the same counts as text, faults, anomalies that lead to theirs, and zoom by keys and mouse."""
    chart = "document.querySelector('.chart')"
    b.open(os.path.join(folder, "lost-update-run.html"))
    counts = [sum(map(int, b.run("return %s.dataset[arguments[0]].split(',')" % chart, kind)))
              for kind in ("committed", "aborted", "uncertain")]
    legend = b.run("return [...document.querySelectorAll('.legend li')].map(li => li.textContent)")
    check("the chart has all transactions", legend[:3] == ["%d committed" % counts[0], "%d aborted" % counts[1],
          "%d of unknown outcome" % counts[2]] and sum(counts) == 300 and all(counts), (legend, counts))
    check("and faults and anomalies", legend[3:] == ["2 faults", "1 anomaly"], legend)
    check("faults are bands", b.run("return [...document.querySelectorAll('.fault text')].map(t => t.textContent)") ==
          ["partition majority", "kill n2"])
    check("and as text", "kill n2, from" in b.run("return document.querySelector('.run details').textContent"))
    check("the anomaly says which fault there was", "partition majority, which began" in b.run(
        "return document.querySelector('.during').textContent"))
    shown = "return [document.querySelector('.plot').getAttribute('viewBox'), " \
            "...[...document.querySelectorAll('.axis')].map(t => t.textContent)]"
    whole = b.run(shown)
    b.run("document.querySelector('.zoom button').focus()")
    b.press(browser.ENTER)
    near = b.run(shown)
    check("a button zooms in", near != whole and float(near[0].split()[2]) * 2 == len(b.run(
        "return %s.dataset.committed.split(',')" % chart)), near)
    b.run(chart + ".focus()")
    b.press("+" + browser.RIGHT)
    check("so do keys, and move", b.run(shown)[1] > near[1] and b.run(shown)[0] != near[0], b.run(shown))
    b.press(browser.HOME)
    check("and show all", b.run(shown)[1:-1] == whole[1:-1], (b.run(shown), whole))
    b.drag(".chart > svg", -100, 100)
    check("dragging selects", b.wait("return document.querySelector('.plot').getAttribute('viewBox').split(' ')[0] > 0"))
    b.run("document.querySelector('.mark a').focus()")
    b.press(browser.ENTER)
    check("a mark leads to its anomaly", b.run("return location.hash") == "#anomaly-1")
    b.open(os.path.join(folder, "none-si.html"))
    check("a valid history has its run, too", b.run("return document.querySelectorAll('.chart .plot path').length") == 3)
    b.open(os.path.join(folder, "long-fork.html"))
    check("so has one without times", "order of the history" in b.run("return document.querySelector('.run').textContent"))
    b.open(os.path.join(folder, "several.html"))
    kinds = b.run("return [...document.querySelectorAll('.kinds a')].map(a => a.textContent + ' ' + a.hash)")
    check("anomalies are counted by kind", kinds[0] == "1 Lost update #anomaly-1" and len(kinds) == 7, kinds)


def finds_and_copies(b, folder):
    b.open(os.path.join(folder, "several.html"))
    visible = "return [...document.querySelectorAll('article')].filter(a => a.offsetParent).map(a => a.id)"
    check("one anomaly is shown", b.run(visible) == ["anomaly-1"])
    b.run("document.querySelector('nav a[href=\"#anomaly-2\"]').click()")
    check("another is chosen", b.run(visible) == ["anomaly-2"])
    check("and marked", b.run("return document.querySelector('nav [aria-current]').hash") == "#anomaly-2")
    b.run("document.getElementById('find').focus()")
    b.press("DEPOSIT-5" + browser.ENTER)
    check("search finds a transaction", b.run(visible) == ["anomaly-1"] and
          b.run("return document.activeElement.id") == "a1c1-t2", b.run("return document.activeElement.outerHTML"))
    check("search says what it found", b.run("return document.getElementById('found-count').textContent") == "1 found.")
    b.run("document.getElementById('find').focus()")
    b.press("nothing like it")
    check("search says that it found nothing", b.run(
        "return document.getElementById('found-count').textContent").startswith("No transaction"))
    reduced = b.run("return document.getElementById('reduced-1').textContent")
    lines = [json.loads(line) for line in reduced.splitlines()]
    check("the reduced history is a history", [t["id"] for t in lines if "id" in t] ==
          ["deposit-20", "deposit-50", "balance"], reduced)
    b.devtools("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
    b.run("document.querySelector('[data-copy=reduced-1]').click()")
    said = b.wait("const said = document.querySelector('[data-copy=reduced-1]').textContent;"
                  "return said == 'Copy' ? '' : said")
    check("it is copied", said == "Copied", said)


def accessible(b, what):
    source = browser.axe()
    if source:
        found = b.judge(source)
        check("%s: axe-core finds nothing" % what, not found, found)
        b.console()  # the policy of the page stops what axe-core tries to load


def lattice(b, pictures):
    """The page of compared levels: full names, and each line leads to a picture of its history, by the keyboard, too."""
    page = os.path.join(project, "docs", "lattice.html")
    for width in (1280, 390):
        for scheme in ("light", "dark"):
            b.size(width, 900)
            b.media(scheme)
            b.open(page)
            what = "lattice, %d px, %s" % (width, scheme)
            check(what + ": nothing is wider than the page", b.run("return document.documentElement.scrollWidth") <= width)
            quiet(b, what)
            accessible(b, what)
            if pictures:
                b.size(width, int(b.run("return Math.min(document.documentElement.scrollHeight, 4000)")))
                b.picture(os.path.join(pictures, "lattice-%d-%s.png" % (width, scheme)))
    b.size(1280, 900)
    b.media("light")
    names = b.run("return document.querySelector('.lattice').textContent")
    check("levels have their full names", all(n in names for n in ("snapshot isolation", "parallel snapshot", "causal")), names)
    b.press(browser.TAB * 2)
    check("the keyboard reaches the lines, from the top", b.run("return document.activeElement.getAttribute('href')") == "#anomaly-1")
    seen = []
    for link in b.run("return [...document.querySelectorAll('.lattice a')].map(a => a.getAttribute('href'))"):
        b.run("document.querySelector('.lattice a[href=\"%s\"]').focus()" % link)
        b.press(browser.ENTER)
        b.wait("return document.querySelector('.lattice [aria-current]').getAttribute('href') === '%s'" % link, 2)
        seen.append(b.run("const a = [...document.querySelectorAll('article')].filter(a => a.offsetParent);"
                          "return [a.length, '#' + a[0].id === arguments[0], a[0].querySelectorAll('.figure .txn').length,"
                          "a[0].querySelectorAll('.figure .arrow').length]", link))
    check("each line shows its history as a picture", all(s[:2] == [1, True] and s[2] >= 2 for s in seen), seen)
    check("with arrows where the level is one of check's", sum(s[3] > 1 for s in seen) >= 7, seen)


def looks_right(b, folder, pictures):
    for name in ("lost-update-si", "lost-update-all", "several", "six", "crossing", "cases", "long-fork", "hostile", "lost-update-run", "valid", "unexplained", "all-levels", "huge"):
        page = os.path.join(folder, name + ".html")
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                b.size(width, 900)
                b.media(scheme)
                b.open(page)
                check("it is a report", b.run("return document.querySelector('.brand').textContent") == "Alibi")
                what = "%s, %d px, %s" % (name, width, scheme)
                check(what + ": nothing is wider than the page", b.run(
                    "return document.documentElement.scrollWidth") <= width)
                ink, paper = b.run("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
                bright = [sum(map(int, re.findall(r"\d+", c)[:3])) for c in (ink, paper)]
                check(what + ": the scheme counts", (bright[0] < bright[1]) == (scheme == "light"), (ink, paper))
                quiet(b, what)
                if name not in ("huge", "crossing", "cases", "long-fork", "lost-update-all"):  # more of the same
                    accessible(b, what)
                if pictures:
                    height = b.run("return Math.min(document.documentElement.scrollHeight, 4000)")
                    b.size(width, int(height))
                    b.picture(os.path.join(pictures, "%s-%d-%s.png" % (name, width, scheme)))
    b.open(os.path.join(folder, "several.html"))
    b.media("dark", "print")
    check("all anomalies are printed", b.run(
        "return [...document.querySelectorAll('article')].every(a => a.offsetParent)"))
    check("on white", b.run("return getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)")
    b.media("light")


def pictures_fit(b, folder):
    """Scaled, never cut; nothing is shortened; and the keyboard brings a picture to its full size."""
    for name in ("six", "crossing", "crowd", "cases", "lost-update"):
        for width in (1280, 390):
            b.size(width, 900)
            b.open(os.path.join(folder, name + ".html"))
            cut = b.run("return [...document.querySelectorAll('.stage')].filter(s => s.scrollWidth > s.clientWidth ||"
                        "s.getBoundingClientRect().right > innerWidth).length")
            check("%s, %d px: no picture is cut" % (name, width), cut == 0, cut)
            out = b.run("return [...document.querySelectorAll('.figure .txn')].filter(g => { const r ="
                        "g.querySelector('rect').getBoundingClientRect(); return [...g.querySelectorAll('text')].some(t =>"
                        "t.getBoundingClientRect().right > r.right); }).map(g => g.textContent)")
            check("%s, %d px: all text is in its box" % (name, width), not out, out)
    b.open(os.path.join(folder, "six.html"))
    texts = b.run("return [...document.querySelectorAll('.figure .txn')].map(g => g.textContent)")
    check("nothing is shortened", len(texts) == 6 and not any("…" in t for t in texts) and
          "accounts/checking/4712" in texts[0], texts)
    b.run("document.querySelector('figcaption button').focus()")
    b.press(browser.ENTER)
    check("a scaled picture is shown at its full size", b.run(
        "const s = document.querySelector('.stage'); return s.scrollWidth > s.clientWidth && s.tabIndex === 0"))
    b.press(browser.ENTER)
    check("and scaled again", b.run(
        "const s = document.querySelector('.stage'); return s.scrollWidth <= s.clientWidth && s.tabIndex === -1"))
    b.size(1280, 900)


def stays_text(b, folder):
    b.open(os.path.join(folder, "hostile.html"))
    check("names do not become elements", b.run(
        "return document.querySelectorAll('img, article b, script').length") == 1)
    check("but stay what they were", b.run("return document.querySelector('article h2').textContent") == HOSTILE)


def reads_aloud(b, folder):
    """What a screen reader gets: names and roles, of everything that can be reached."""
    b.open(os.path.join(folder, "several.html"))
    nodes = b.devtools("Accessibility.getFullAXTree")["nodes"]
    shown = [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in nodes if not n.get("ignored")]
    roles = {r for r, _ in shown}
    check("there are landmarks", {"banner", "main", "navigation", "search"} <= roles, sorted(roles))
    headings = [name for role, name in shown if role == "heading"]
    check("the story has headings", headings[0] == "Violates snapshot isolation" and
          {"Lost update", "Why this is a contradiction", "The transactions", "The reduced history"} <= set(headings), headings)
    check("arrows have their sentences", any(
        role in ("image", "img") and name.startswith("deposit-20 read account = 100, which deposit-50")
        for role, name in shown), [t for t in shown if t[0] in ("image", "img")])
    unnamed = [role for role, name in shown if role in ("link", "button", "searchbox", "image", "img") and not name]
    check("nothing is without a name", not unnamed, unnamed)


def pages(folder, pictures):
    page_text(folder)
    colours()
    if not browser.axe():
        counted.skip("contrast and names: npm cannot install " + browser.AXE)
    if browser.missing():
        return counted.skip("pages in a browser: %s is not installed" % browser.missing())
    with browser.Browser() as b:
        b.size(1280, 900)
        b.media()
        b.requests()
        for part in (tabs_to_arrows, pictures_fit, shows_the_run, finds_and_copies, stays_text, reads_aloud):
            part(b, folder)
            quiet(b, part.__name__)
        looks_right(b, folder, pictures)
        lattice(b, pictures)


def main():
    pictures = sys.argv[4] if len(sys.argv) > 4 else None
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.abspath(sys.argv[1]), folder], check=True)
        by_the_program(folder)
        json_reports(folder)
        junit_reports(folder)
        svg_reports(folder)
        dot_reports(folder)
        pages(folder, pictures)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
