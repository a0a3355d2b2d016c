#!/usr/bin/env python3
"""100,000 transactions while the server is killed and connections are cut: no false alarm.

The server is killed with all its processes, and started again, five times. Half of the
clients reach it through a proxy that cuts connections at random.

Then a server that dies and stays away for most of the recording: no false comfort.

    crash.py ALIBI
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

import harness
from harness import check
from proxy import Cut, Link, Proxy
from servers import Postgres, wait_until

KILLS, TXNS, CUT_SHARE = 5, 100000, 1 / 2000
alibi = harness.program()


class Unreliable(Link):
    def read(self, source, side):
        data = source.recv(65536)
        if not data or random.random() < CUT_SHARE:
            raise Cut()
        return data


def has_writes(server):
    return server.sql("SELECT count(*) FROM alibi_register WHERE v > 0").stdout.strip() not in ("", "0")


def dies_early(folder):
    path = os.path.join(folder, "short.jsonl")
    with Postgres() as server:
        r = harness.Recording(alibi, server.url(), path, "--sessions", "4", "--duration", "5s", "--check")
        wait_until("something is written", 30, lambda: has_writes(server))
        time.sleep(0.5)
        server.kill()
        wait_until("the recording ends", 30, lambda: os.path.exists(path) and '"availability"' in open(path).read())
        server.start()
        r.wait()
    print(r.stderr + r.stdout)
    check("most of it is missing, so that nothing is said to hold", r.code == 2 and r.verdicts.get("ser") == "unknown"
          and "The claimed level, ser, is undecided" in r.stdout and "; nothing committed for " in r.stderr, r)
    with open(path) as f:
        said = [json.loads(line)["availability"] for line in f if "availability" in line]
    check("the history says so", len(said) == 1 and 4900 < said[0]["milliseconds"] < 60000
          and said[0]["without_commits"] > 0.5 * said[0]["milliseconds"]
          and said[0]["nodes"][0]["without_commits"] == said[0]["without_commits"]
          and said[0]["nodes"][0]["attempts"] > said[0]["nodes"][0]["unanswered"] > 10, said)
    check("what there is holds", harness.verdict(alibi, "ser", path) == "unknown" and "\tvalid\n" in subprocess.run(
        [alibi, "check", "--min-commits", "0", path], capture_output=True, text=True).stdout, path)


def main():
    if "built without" in harness.record(alibi, "postgres://127.0.0.1:1/", "-").stderr or \
            not Postgres.available():
        harness.skip("PostgreSQL's client or server is not installed")
        return harness.close()
    with tempfile.TemporaryDirectory() as folder, Postgres() as server, \
            Proxy(server.port, Unreliable) as proxy:
        url = server.url().replace("/postgres?", ",127.0.0.1:%d/postgres?" % proxy.port)
        r = harness.Recording(alibi, url, os.path.join(folder, "h.jsonl"), "--sessions", "16",
                              "--keys", "1000", "--txns", str(TXNS), "--answer-timeout", "10s",
                              "--server-order", "--check")
        kills = 0
        while kills < KILLS and r.process.poll() is None:
            time.sleep(3)
            server.kill()
            server.start()
            kills += 1
            check("the server lives again, with its data", has_writes(server))
        r.wait()
        print(r.stderr + r.stdout)
        check("killed five times", kills == KILLS, r)
        check("nothing is missing", r.recorded == TXNS and r.accounts_for_all(), r)
        check("connections were lost, and outcomes are learnt from the log",
              r.learnt > 0 and r.reconnects > 16 * KILLS, r)
        check("only what has not written stays unknown", all(
            o[0] == "r" for t in r.txns() if t.get("status") == "unknown" for o in t["ops"]), r)
        dies_early(folder)
        check("no false alarm", r.code == 0 and r.verdicts.get("ser") == "valid", r)
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
