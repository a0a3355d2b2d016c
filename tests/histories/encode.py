#!/usr/bin/env python3
"""Writes the binary histories of this folder from readable ones (plume/*.txt).

The layouts are those that the tools read, not what Alibi writes: dbcop's Rust bincode is
little-endian with fixed widths, Cobra's log is big-endian with a letter before each record.

    encode.py      from this folder; its output is committed
"""
import os
import re
import struct

INITIAL, VALUES_ONLY = 0xBEBEEBEE, 0xABDDEFEE


def sessions(path):
    """session -> [(txn id or None if aborted, [(kind, key, value)])]"""
    found = {}
    with open(path, encoding="utf-8") as f:
        for kind, *numbers in re.findall(r"([rw])\((\d+),(\d+),(\d+),(-?\d+)\)", f.read()):
            key, value, session, txn = map(int, numbers)
            txns = found.setdefault(session, {})
            txns.setdefault(txn, []).append((kind, key, value))
    return {s: [(None if t < 0 else t, ops) for t, ops in txns.items()] for s, txns in found.items()}


def bincode(history):
    def text(s):
        return struct.pack("<Q", len(s)) + s.encode()
    out = struct.pack("<5Q", 1, len(history), 3, 2, 3)
    out += text("made by hand") + text("2019-05-01T12:00:00Z") + text("2019-05-01T12:00:01Z")
    out += struct.pack("<Q", len(history))
    for txns in history.values():
        out += struct.pack("<Q", len(txns))
        for txn, ops in txns:
            out += struct.pack("<Q", len(ops))
            out += b"".join(struct.pack("<BQQB", kind == "w", key, value, 1) for kind, key, value in ops)
            out += struct.pack("<B", txn is not None)
    return out


def cobra(history, named):
    """session -> its log; named: reads name the transaction that wrote what they got"""
    writer = {(key, value): txn for txns in history.values() for txn, ops in txns
              for kind, key, value in ops if kind == "w"}
    logs = {}
    for session, txns in history.items():
        log = b""
        for txn, ops in ((t, ops) for t, ops in txns if t is not None):
            log += struct.pack(">cq", b"S", txn)
            for kind, key, value in ops:
                wid = key << 32 | value if named else VALUES_ONLY
                source = INITIAL if (key, value) not in writer else writer[key, value] if named else VALUES_ONLY
                log += struct.pack(">cqqq", b"W", wid, key, value) if kind == "w" else \
                    struct.pack(">cqqqq", b"R", source, INITIAL if source == INITIAL else wid, key, value)
            log += struct.pack(">cq", b"C", txn)
        logs[session] = log
    return logs


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "dbcop-bincode", "causality-violation.bincode"), "wb") as f:
        f.write(bincode(sessions(os.path.join(here, "plume", "causality-violation.txt"))))
    for name, named in (("lost-update", True), ("serial", False)):
        folder = os.path.join(here, "cobra", name)
        os.makedirs(folder, exist_ok=True)
        for session, log in cobra(sessions(os.path.join(here, "plume", name + ".txt")), named).items():
            with open(os.path.join(folder, "T%d.log" % session), "wb") as f:
                f.write(log)


if __name__ == "__main__":
    main()
