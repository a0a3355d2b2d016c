#!/usr/bin/env python3
"""Tenants that share nothing: on several threads the same verdict and the same proof.

Several histories of genhist.c as one, in some of which an anomaly is planted. The certificates of one and of several threads are the
same, byte by byte, and are accepted.

    threads.py ALIBI
"""
import json
import os
import subprocess
import sys
import tempfile

import counted
import genhist
from counted import check

TENANTS, ROW = 5, "mode=ser txns=2000 sessions=12 ops=8 keys=300 shape=mixed reads=0.4"
PLANTED = [({}, "valid", "valid"), ({3: "write-skew"}, "valid", "violates"),
           ({1: "lost-update", 4: "long-fork"}, "violates", "violates")]


def main():
    alibi = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        generator, path = genhist.build(folder), os.path.join(folder, "h.jsonl")
        for planted, si, ser in PLANTED:
            genhist.tenants(generator, path, ROW, TENANTS, True, planted)
            for level, want in (("si", si), ("ser", ser)):
                what, proofs = "%s at %s" % (planted or "nothing planted", level), set()
                for threads in ("1", "2", "4"):
                    proof = os.path.join(folder, "proof")
                    ran = subprocess.run([alibi, "check", "--json", "--level", level, "--threads",
                                          threads, "--certificate", proof, path],
                                         capture_output=True, text=True)
                    result = json.loads(ran.stdout)
                    check(what, result["verdict"] == want, result)
                    check(what + ": components", result["search"]["components"] == TENANTS, result)
                    with open(proof, "rb") as f:
                        proofs.add(f.read())
                check(what + ": one proof", len(proofs) == 1, len(proofs))
                ran = subprocess.run([alibi, "verify", path, proof], capture_output=True, text=True)
                check(what + ": accepted", ran.returncode == (want == "violates"), ran.stdout)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
