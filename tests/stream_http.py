#!/usr/bin/env python3
"""The port of alibi watch --http, as those who ask it meet it: /metrics through a strict
parser of Prometheus's text format, /health, /state, mistakes; counters after a restart; and
many who ask at once while a stream comes at full speed, which must not change what is found.

    stream_http.py ALIBI [SECONDS]      so long for the last one
"""
import concurrent.futures
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

import counted
import watched
from counted import check
from watched import Watch, line

# ---- Prometheus's text format, version 0.0.4 ----

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"'
SAMPLE = re.compile(r"(%s)(?:\{(%s(?:,%s)*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)" % (NAME, LABEL, LABEL))


def parse(text):
    """{name: (type, {labels: value})}; raises ValueError for all that is not as it should be."""
    metrics, current = {}, None
    if not text.endswith("\n"):
        raise ValueError("the last line does not end")
    for row in text[:-1].split("\n"):
        about = re.fullmatch(r"# (HELP|TYPE) (%s) (.+)" % NAME, row)
        sample = SAMPLE.fullmatch(row)
        if about and about.group(1) == "HELP":
            current = about.group(2)
            if current in metrics or re.search(r"\\(?![\\n])", about.group(3)):
                raise ValueError("help: " + row)
            metrics[current] = None
        elif about:
            if about.group(2) != current or metrics[current] is not None or about.group(3) not in ("counter", "gauge"):
                raise ValueError("type: " + row)
            metrics[current] = (about.group(3), {})
        elif sample:
            name, labels, value = sample.groups()
            if name != current or metrics[name] is None or labels in metrics[name][1]:
                raise ValueError("sample: " + row)
            if (metrics[name][0] == "counter") != name.endswith("_total"):
                raise ValueError("a counter ends in _total, and nothing else: " + row)
            if metrics[name][0] == "counter" and float(value) < 0:
                raise ValueError("a counter below 0: " + row)
            metrics[name][1][labels] = float(value)
        else:
            raise ValueError("neither a comment nor a sample: " + row)
    if any(m is None or not m[1] for m in metrics.values()):
        raise ValueError("something is announced and not there")
    return metrics


def value(metrics, name, labels=None):
    return metrics["alibi_" + name][1][labels]


def the_parser():
    good = '# HELP a_total b\n# TYPE a_total counter\na_total{x="\\"\\\\\\n"} 1\n'
    check("the parser takes what is right", parse(good))
    for wrong in (good[:-1], good + good, good.replace("counter", "number"), good.replace(" 1", " one"),
                  good.replace('\\"', '"'), good.replace("a_total", "a"), good + "\n", good.replace("# TYPE", "#TYPE"),
                  good.replace(" 1", " -1"), good + good.split("\n")[2] + "\n", "# HELP a_total b\n# TYPE a_total counter\n"):
        try:
            parse(wrong)
            refused = False
        except ValueError:
            refused = True
        check("the parser refuses %r" % wrong, refused)


# ---- what is there ----

EXPECTED = ["watch_info", "transactions_total", "operations_total", "duplicates_total", "fences_total", "stream_place",
            "stream_lost_messages_total", "verdict", "violations_total", "undecided_total", "unverified_total",
            "waiting_transactions", "keys", "versions", "sessions", "state_bytes", "resident_memory_bytes", "up",
            "start_time_seconds"]


def figures(alibi, *words):
    with Watch(alibi, "--horizon", "100", *words) as w:
        first = parse(w.ask("metrics")[1])
        check("the metrics at first", sorted(first) == sorted("alibi_" + n for n in EXPECTED), sorted(first))
        w.write(line(1, [["w", "x", 1]]), line(2, [["r", "x", 1], ["w", "x", 2]]), line(3, [["r", "x", 1]]),
                line(3, [["r", "x", 1]]), line(4, [["w", "x", 9]], status="abort"),
                line(5, [["w", "x", 9]], status="unknown"), line(50, []), line(6, [["w", "z", 1]]),
                line(51, [], start=1, commit=511), line(52, []))
        w.until(lambda s: s["txns"] == 9)
        time.sleep(0.2)
        m = parse(w.ask("metrics")[1])
        check("and what comes with transactions",
              set(m) - set(first) == {"alibi_last_transaction_age_seconds", "alibi_lag_timestamp_units"},
              set(m) - set(first))
        for name, labels, wanted in (
                ("transactions_total", 'outcome="committed"', 7), ("transactions_total", 'outcome="aborted"', 1),
                ("transactions_total", 'outcome="unknown"', 1), ("operations_total", None, 7),
                ("duplicates_total", None, 1), ("violations_total", 'kind="EXT"', 1),
                ("violations_total", 'kind="NOCONFLICT"', 0), ("unverified_total", 'reason="LATE"', 1),
                ("unverified_total", 'reason="LONG"', 1), ("unverified_total", 'reason="STAMPS"', 0),
                ("verdict", 'verdict="violates"', 1), ("verdict", 'verdict="valid"', 0), ("up", None, 1)):
            check("%s %s is %g" % (name, labels, wanted), value(m, name, labels) == wanted, value(m, name, labels))
        check("what waits, and the lag",
              1 <= value(m, "waiting_transactions") <= 9 and value(m, "lag_timestamp_units") >= 100)
        check("memory", 2e6 < value(m, "resident_memory_bytes") < 1e9 and value(m, "state_bytes") > 0)
        check("times", 0 <= value(m, "last_transaction_age_seconds") < 20 and
              abs(value(m, "start_time_seconds") - time.time()) < 60)
        check("it ends with its stream", w.end() == 1)


def requests(alibi):
    with Watch(alibi, "--horizon", "100") as w:
        status, text = w.ask("health")
        health = json.loads(text)
        check("it is well", status == 200 and health["ok"] and health["reason"] is None
              and health["verdict"] == "unknown", text)
        for path, method, headers, wanted in (
                ("", "GET", {}, 200), ("", "HEAD", {}, 200), ("metrics", "HEAD", {}, 200), ("nothing", "GET", {}, 404),
                ("state", "POST", {}, 405), ("state", "DELETE", {}, 405), ("metrics?x=<script>", "GET", {}, 200),
                ("../../etc/passwd", "GET", {}, 404), ("state", "GET", {"Host": "evil.example"}, 403),
                ("state", "GET", {"Host": "127.0.0.1.evil.example:80"}, 403), ("state", "GET", {"Host": "local"}, 403),
                ("state", "GET", {"Host": "localhost:1"}, 200), ("state", "GET", {"Host": "[::1]:80"}, 200)):
            status, text = w.ask(path, method, **headers)
            check("%s /%s %s: %d" % (method, path, headers, wanted), status == wanted, status)
        host, port = re.match(r"http://(.+):(\d+)/", w.url).groups()
        check("it listens on the loopback interface", host == "127.0.0.1", w.url)
        for nonsense in (b"\0\xff\r\n\r\n", b"GET / HTTP/1.1\r\nHost: " + b"x" * 100000 + b"\r\n\r\n", b"GET",
                         b"GET /state HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nsome"):
            with socket.create_connection((host, int(port))) as s:
                s.sendall(nonsense)
        check("nonsense does not hurt", w.ask("health")[0] == 200)
        second = subprocess.run([alibi, "watch", "--level", "si", "--http", port, os.devnull], capture_output=True, text=True)
        check("a port that is taken", second.returncode == 255 and "Address already in use" in second.stderr,
              second.stderr)
        w.process.stdin.close()
    with Watch(alibi, http="[::1]:0") as w:
        check("IPv6", w.url and w.url.startswith("http://[::1]:") and w.ask("health")[0] == 200, w.said)
    with Watch(alibi, http="0.0.0.0:0") as w:
        w.url = w.url.replace("0.0.0.0", "127.0.0.1")
        check("opened to other hosts, it answers to any name", w.ask("health", Host="db7.example")[0] == 200)
    for wrong, code, message in [(text, 254, "is a port") for text in ("x", "80x", ":", "1:2:", "99999", "-1")] + [
            ("no.such.host.invalid:80", 255, "no.such.host.invalid:80: ")]:
        ran = subprocess.run([alibi, "watch", "--level", "si", "--http", wrong, os.devnull], capture_output=True, text=True)
        check("refused: " + wrong, ran.returncode == code and ran.stderr.startswith("alibi watch: --http " + message), ran)


def full_house(alibi):
    """With as many connections open as there may be, an end is one all the same."""
    with Watch(alibi) as w:
        host, port = re.fullmatch(r"http://(.+):(\d+)/", w.url).groups()
        visitors = [socket.create_connection((host, int(port))) for _ in range(70)]
        time.sleep(0.5)
        began = time.time()
        w.end(signal.SIGTERM)
        check("who only holds the line does not hold up the end", time.time() - began < 10, time.time() - began)
        for v in visitors:
            v.close()


def restart(alibi, folder):
    path, mark = os.path.join(folder, 'a "stream"\\'), os.path.join(folder, "mark")
    with open(path, "w") as f:
        f.write(line(1, [["w", "x", 1]]) + line(2, [["r", "x", 7]]) + line(50, []))
    words = ["--horizon", "100", "--follow", "--checkpoint", mark, "--every", "100ms"]
    with Watch(alibi, *words, stream=path) as w:
        w.until(lambda s: s["violations"] and s["checkpoint_age"] is not None)
        m = parse(w.ask("metrics")[1])
        check("the age of the checkpoint", 0 <= value(m, "checkpoint_age_seconds") < 20)
        check("its name",
              'stream="%s"' % path.replace("\\", "\\\\").replace('"', '\\"') in list(m["alibi_watch_info"][1])[0])
        check("it ends", w.end(signal.SIGTERM) == 1)
    with open(path, "a") as f:
        f.write(line(60, [["w", "y", 1]]))
    with Watch(alibi, *words, stream=path) as w:
        w.until(lambda s: s["txns"] == 4)
        m = parse(w.ask("metrics")[1])
        check("counters go on after a restart",
              [value(m, n) for n in ("operations_total", "stream_place")] == [3, os.path.getsize(path)] and
              value(m, "violations_total", 'kind="EXT"') == 1, m)
        state = w.state()
        check("what was found before is counted, not shown",
              state["violations"] == 1 and state["latest_violations"] == [])


# ---- at full speed ----

def stream_of(count):
    rng = random.Random(1)
    last, rows = {}, []
    for n in range(1, count + 1):
        key = rng.randrange(1000)
        wrong = rng.random() < 0.001
        rows.append(line(n, [["r", key, -1 if wrong else last.get(key)], ["w", key, n]]))
        last[key] = n
    return "".join(rows)


def full_speed(alibi, folder, seconds):
    path, words = os.path.join(folder, "stream"), ["--horizon", "1000"]
    text = stream_of(100000)
    with open(path, "w") as f:
        f.write(text)
    alone = subprocess.run([alibi, "watch", "--json", "--level", "si", *words, path], capture_output=True, text=True)
    wanted = sorted(json.loads(row)["id"] for row in alone.stdout.splitlines()[:-1])
    asked = 0
    with Watch(alibi, "--json", "--threads", "2", *words) as w, concurrent.futures.ThreadPoolExecutor(8) as pool:
        end, done = time.time() + seconds, []

        def ask(kind):
            count = 0
            while not done:
                status, answer = w.ask(("metrics", "state", "health", "")[kind % 4])
                if status != 200 or (kind % 4 == 0 and not parse(answer)) or (kind % 4 in (1, 2) and not json.loads(answer)):
                    raise ValueError(answer)
                count += 1
            return count

        asking = [pool.submit(ask, i) for i in range(8)]
        w.write(text)
        while time.time() < end:  # again: all of it came already, but is looked at
            w.write(text[:len(text) // 20].rsplit("\n", 1)[0] + "\n")
        w.until(lambda s: s["txns"] == 100000)
        done.append(True)
        asked = sum(f.result() for f in asking)
        code = w.end()
        check("it ends well", code == 1, "%d %s" % (code, "".join(w.said)[-2000:]))
    found = [json.loads(row) for row in w.printed]
    ids = sorted(f["id"] for f in found[:-1] if f["what"] == "violation")
    check("requests were answered", asked > 20, asked)
    check("what is found without requests is found", set(ids) >= set(wanted) and len(wanted) > 20,
          (len(ids), len(wanted)))
    print("%d requests answered meanwhile" % asked)


def without_timestamps(alibi):
    """A counterexample has transactions, all of which are reported; not of those that are garbage collected."""
    with Watch(alibi, "--horizon", "10", "--longest", "10", "--round", "1", level="sser") as w:
        for n, begin, ops in (("put", 100, [["w", "x", 1]]), ("add", 200, [["r", "x", 1], ["w", "x", 2]]),
                              ("get", 300, [["r", "x", 1]]), ("later", 400, []), ("last", 500, [])):
            w.write(json.dumps(dict(id=n, session=n, begin=begin, end=begin + 5, ops=ops)) + "\n")
        state = w.until(lambda s: s["violations"])
        latest = state["latest_violations"]
        check("a violation without timestamps",
              [(v["kind"], v["txns"]) for v in latest] == [("ORDER", '["get"]')] and "overwritten" in latest[0]["text"],
              latest)
        m = parse(w.ask("metrics")[1])
        check("it is counted", value(m, "violations_total", 'kind="ORDER"') == 1, m)


def without_clocks(alibi):
    with Watch(alibi, "--fence", "f", "--sessions", "2", level="ser") as w:
        for n in range(1, 6):
            w.write(json.dumps({"session": int(n == 2), "ops": [["r", "f", n - 1 or None], ["w", "f", n]]}) + "\n")
        s = w.until(lambda s: s["txns"] == 5)
        m = parse(w.ask("metrics")[1])
        check("how many fences, and how far behind the last session is",
              (s["fences"], s["lag"]) == (5, 3) and value(m, "fences_total") == 5
              and value(m, "lag_timestamp_units") == 3, s)


def main():
    alibi = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 2
    why = watched.missing(alibi)
    if why:
        counted.skip(why)
        return counted.close()
    the_parser()
    figures(alibi)
    figures(alibi, "--threads", "2")
    requests(alibi)
    full_house(alibi)
    without_timestamps(alibi)
    without_clocks(alibi)
    with tempfile.TemporaryDirectory() as folder:
        restart(alibi, folder)
        full_speed(alibi, folder, seconds)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
