#!/usr/bin/env python3
"""From a database to a page: PostgreSQL, recorded into a stream of NATS, watched while it
happens, and the live page of that watch in a real browser. In between the real transactions
a transaction is published that read a value without a writer; the page must show it, so that a
person can read it, within 5 s. Then the NATS server goes away, and the page says so.

    seen.py ALIBI [FOLDER]      the pictures are kept in the folder, to look at
"""
import json
import os
import signal
import sys
import tempfile
import time

import collector
import harness
from collector import alibi, begin, messages, stream_nats
from harness import check
from servers import Postgres, wait_until

import browser
import watched

PROMISE = 5  # seconds


def until(b, what, script, seconds=20):
    return check(what, b.wait("return " + script, seconds), b.run("return document.body.innerText"))


def text(b, selector):
    return b.run("return document.querySelector(arguments[0]).innerText", selector)


def plant(nats):
    """A transaction that read a value without a writer, as new as the newest; when it was published."""
    newest = [json.loads(line) for line in messages(nats.port, "SEEN", only_last=True)[0].splitlines()]
    now = max(t["commit_ts"] for t in newest if "commit_ts" in t)
    published = time.monotonic()
    answer = stream_nats.Client(nats.port).request("SEEN", json.dumps(
        {"id": "planted", "start_ts": now, "commit_ts": now, "ops": [["r", 1, "never <b>written</b>"]]}).encode())
    check("it is in the stream", answer and "seq" in answer, answer)
    return published


def goes_on(b, w, folder):
    until(b, "the page shows that all holds", "document.querySelector('#verdict').textContent.startsWith('All that')")
    before = w.state()["txns"]
    until(b, "and that transactions come", "Number(document.querySelector('#txns').textContent.replaceAll(',', '')) > %d" % before)
    check("they are PostgreSQL's", before > 0 and w.state()["violations"] == 0, w.state())
    if folder:
        b.picture(os.path.join(folder, "seen-before.png"))


def is_shown(b, w, nats, folder):
    published = plant(nats)
    shown = until(b, "the violation is shown", "document.querySelector('#violation-list').innerText.includes('\"planted\"')")
    seconds = time.monotonic() - published
    check("within %d s" % PROMISE, shown and seconds < PROMISE, seconds)
    report = text(b, "#violation-list article")
    check("a person can read what happened", all(part in report for part in
          ("Garbage read", '"planted"', "Read", "never <b>written</b>", "Should have read", "Last written by")), report)
    check("the page says so at its top", text(b, "#verdict") == "1 violation of si", text(b, "#verdict"))
    check("and the metrics", 'alibi_violations_total{kind="EXT"} 1\n' in w.ask("metrics")[1], w.ask("metrics"))
    print("shown %.1f s after it was published" % seconds)
    if folder:
        b.picture(os.path.join(folder, "seen.png"))


def said(w):
    return [json.loads(row)["what"] for row in w.said]


def server_away(b, w, nats, folder):
    nats.kill()
    until(b, "a server that is away is said to be", "document.querySelector('#condition').textContent.startsWith('Not checking')")
    status, health = w.ask("health")
    check("/health is 503, with the reason", status == 503 and "does not answer" in json.loads(health)["reason"], health)
    check("the metrics know", "alibi_up 0\n" in w.ask("metrics")[1])
    if folder:
        b.picture(os.path.join(folder, "seen-away.png"))
    wait_until("the watch to say it on standard error", 20, lambda: "lost" in said(w))
    nats.start()
    until(b, "and that it is back", "document.querySelector('#condition').textContent.startsWith('The stream is')")
    check("/health is 200", w.ask("health")[0] == 200)
    check("what happened is said once", said(w)[-2:] == ["lost", "found"], w.said)


def see(server, nats, folder):
    recording = begin(server, nats, "SEEN", None, "--server-order", "--duration", "120s", "--sessions", "4")
    url = "nats://127.0.0.1:%d/SEEN" % nats.port
    with watched.Watch(alibi, "--deadline", "1500ms", "--json", stream=url) as w, browser.Browser() as b:
        b.size(1280, 900)
        b.open(w.url)
        goes_on(b, w, folder)
        is_shown(b, w, nats, folder)
        server_away(b, w, nats, folder)
        recording.process.send_signal(signal.SIGINT)
        check("the recording ends well", recording.wait().code == 0, recording)
        state = w.until(lambda s: s["txns"] == recording.recorded + 1 and not s["waiting"])
        check("every transaction came, and nothing else was found", state["txns"] == recording.recorded + 1
              and (state["violations"], state["unverified"], state["undecided"]) == (1, 0, 0), state)
        check("SIGTERM ends the watch", w.end(signal.SIGTERM) == 1)
        print("%d transactions of PostgreSQL" % recording.recorded)


def main():
    why = collector.missing() or watched.missing(alibi) or (browser.missing() and browser.missing() + " is not installed")
    if why:
        harness.skip(why)
        return harness.close()
    with tempfile.TemporaryDirectory() as folder, Postgres() as server:
        nats = stream_nats.Server(os.path.join(folder, "nats"))
        try:
            wait_until("NATS", 20, lambda: stream_nats.create_stream(nats.port))
            see(server, nats, sys.argv[2] if len(sys.argv) > 2 else None)
        finally:
            nats.kill()
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
