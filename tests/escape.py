#!/usr/bin/env python3
"""What a history, a file name or a server says reaches no terminal, log, page or metric unescaped.

Text with control characters (C0, DEL, C1), characters that set the direction of text, line
separators and a forged line goes into every place of a history that takes text, through every
command and every output, and the bytes that come out are scanned. Machine formats keep what it
says.

    escape.py ALIBI
"""
import html
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import xml.etree.ElementTree

import counted
from counted import check
from ports import free_port

alibi = os.path.abspath(sys.argv[1])

FORGED = "FORGED"
EVIL = ("a\x1b[2J\x1b]0;t\x07\u009b31m\x7f\u202e\u2066\u2069\u200e\u200f\u061c\u2028\u2029\x01\r\n" + FORGED +
        " <b>&amp;\"'\\")
UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]")
PATIENCE = 60  # seconds


def scan(what, data):
    """One output: UTF-8, no such character, no forged line."""
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        return check(what + ": it is UTF-8", False, (e, data))
    found = UNSAFE.search(text)
    check(what + ": nothing is unescaped", not found, found and (hex(ord(found[0])), text[max(0, found.start() - 60):][:200]))
    check(what + ": no line is forged", not re.search("^" + FORGED, text, re.M), text)
    return text


def run(*words, stdin=None, name=None):
    """Standard output, after all that was printed is scanned."""
    r = subprocess.run([alibi, *words], input=stdin, capture_output=True, timeout=PATIENCE)
    name = name or " ".join(w for w in words if w not in (EVIL,) and FORGED not in w)
    check(name + ": it does not crash", 0 <= r.returncode <= 255, r)
    scan(name + ", stderr", r.stderr)
    return scan(name, r.stdout)


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def write(folder, name, lines):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:  # with what JSON allows in strings as it is
        f.write("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))
    return path


def lost(key, one, two):
    """Both read what was there, and both wrote."""
    return [{"id": "1" + EVIL, "session": "s" + EVIL, "start_ts": 1, "commit_ts": 5, "begin": 1, "end": 5,
             "ops": [["r", key, None], ["w", key, one]], "info": {EVIL: [EVIL]}},
            {"event": {EVIL: EVIL}, "at": 2},
            {"id": "2" + EVIL, "session": "t" + EVIL, "start_ts": 2, "commit_ts": 6, "begin": 2, "end": 6,
             "ops": [["r", key, None], ["w", key, two]]}]


def histories(folder):
    header = {"alibi": 1, "level": EVIL, "source": EVIL, "initial": [["i" + EVIL, EVIL]]}
    row = {"c" + EVIL: EVIL}
    key = "r" + EVIL + "/k"
    query = ["q", {"from": "r" + EVIL, "where": [["c" + EVIL, "=", EVIL]]}, []]
    return [write(folder, name + EVIL.replace("/", "") + ".jsonl", [header] + txns) for name, txns in [
        ("strings", lost(EVIL, EVIL + "1", EVIL + "2")),
        ("rows", lost(key, row, {**row, "n": 2})),
        ("queries", [{"id": 1, "begin": 1, "end": 2, "ops": [["w", key, row]]},
                     {"id": EVIL, "session": EVIL, "begin": 3, "end": 4, "ops": [query]}]),
        ("lists", [{"id": "1" + EVIL, "ops": [["append", EVIL, EVIL]]}, {"id": "2" + EVIL, "ops": [["append", EVIL, 2]]},
                   {"ops": [["r", EVIL, [EVIL, 2]]]}, {"ops": [["r", EVIL, [2, EVIL]]]}]),
        ("dirty", [{"id": EVIL, "status": "abort", "ops": [["w", EVIL, EVIL]]}, {"ops": [["r", EVIL, EVIL]]}]),
        ("unwritten", [{"id": EVIL, "ops": [["r", EVIL, EVIL]]}]),
    ]]


def reports(folder, path):
    """Every report of a history; pages and XML are also read as a browser reads them."""
    files = {kind: os.path.join(folder, "report." + kind) for kind in ("html", "svg", "dot", "junit", "reduced", "certificate")}
    options = [w for kind, file in files.items() for w in ("--" + kind, file)]
    name = os.path.basename(path)[:6]
    for command, level in ("check", "sser"), ("explain", "sser"), ("check", "si"), ("check", "rc"):
        for file in files.values():
            if os.path.exists(file):
                os.remove(file)
        run(command, "--level", level, *options, path, name="%s --level %s of %s" % (command, level, name))
        for kind, file in files.items():
            if not os.path.exists(file):
                continue
            if kind == "certificate":
                run("verify", path, file, name="verify of " + name)
                continue
            text = scan("%s of %s at %s" % (kind, name, level), contents(file))
            if kind in ("html", "svg", "junit"):
                scan("%s of %s, as it is shown" % (kind, name), html.unescape(text).encode())
            if kind in ("svg", "junit"):
                xml.etree.ElementTree.fromstring(text)
        said = json.loads(run(command, "--level", level, "--json", path, name=command + " --json of " + name))
        check("JSON says which file it was", said.get("file", said.get("history")) == path, said)
    run("check", "--level", "all", path, name="check --level all of " + name)
    run("check", "--order", "timestamps", "--level", "si", path, name="check by timestamps of " + name)
    run("elle", "--model", "rw-register", path, name="elle of " + name)
    run("elle", "--model", "rw-register", "--verbose", path, name="elle --verbose of " + name)
    directory = os.path.join(folder, "elle" + name)
    run("elle", "--model", "rw-register", "--directory", directory, path, name="elle --directory of " + name)
    for folder, _, files in os.walk(directory):
        for file in files:
            scan("elle, %s of %s" % (file, name), contents(os.path.join(folder, file)))
    run("check", path, name="check of a level that there is not, of " + name)


def lines_of(text):
    return [json.loads(line) for line in text.split("\n") if line]


def conversions(folder, path):
    """What a format can say, it says; what comes out is again safe, and means the same."""
    name = os.path.basename(path)[:6]
    with open(path, encoding="utf-8") as f:
        original = lines_of(f.read())
    text = run("convert", "--to", "alibi", path, name="convert --to alibi of " + name)
    for line, was in zip(lines_of(text), original):
        check("alibi says the same", all(line.get(k) == v for k, v in was.items() if k != "ops" or name != "querie"), (line, was))
    for to in ("jepsen-edn", "jepsen-json", "dbcop-json", "plume", "awdit", "viper", "cobra", "chronos"):
        out = os.path.join(folder, "converted." + to)
        run("convert", "--to", to, path, "--out", out, name="convert --to %s of %s" % (to, name))
        if os.path.isfile(out) and contents(out):
            scan("%s of %s" % (to, name), contents(out))
            if to.startswith("jepsen"):
                back = run("convert", "--to", "alibi", out, name="convert from %s of %s" % (to, name))
                check("%s says the same" % to, json.dumps(EVIL)[3:-1] in json.dumps(lines_of(back)), back)
    run("stats", path, name="stats of " + name)
    said = json.loads(run("stats", "--json", path, name="stats --json of " + name))
    check("stats --json says the same", (said["source"], said["level"], said["file"]) == (EVIL, EVIL, path), said)


def watches(folder, path):
    name = os.path.basename(path)[:6]
    log = os.path.join(folder, "log")
    for words in (("si",), ("sser",), ("ser", "--fence", EVIL), ("si", "--json")):
        run("watch", "--level", *words, "--log", log, path, name="watch --level %s of %s" % (words[0], name))
        if os.path.exists(log):
            scan("the log of a watch of " + name, contents(log))
            os.remove(log)


def live(path):
    """The pages of a watch, of a stream with such a name."""
    port = free_port()
    watch = subprocess.Popen([alibi, "watch", "--level", "si", "--follow", "--http", str(port), path],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline, pages = time.monotonic() + PATIENCE, {}
    while "/state" not in pages or not json.loads(pages["/state"])["violations"]:
        check("the watch finds it in time", time.monotonic() < deadline, pages)
        if time.monotonic() >= deadline:
            break
        try:
            for page in ("/", "/metrics", "/health", "/state"):
                pages[page] = urllib.request.urlopen("http://127.0.0.1:%d%s" % (port, page)).read()
        except OSError:
            time.sleep(0.05)
    watch.send_signal(signal.SIGINT)
    out, err = watch.communicate(timeout=PATIENCE)
    for page, data in [*pages.items(), ("stdout", out), ("stderr", err)]:
        scan("watch --http, " + page, data)
    shown = json.loads(pages["/state"])
    for text in [shown["stream"]] + [str(v) for f in shown["latest_violations"] for v in f.values()]:
        scan("watch --http, what the page shows", text.encode())


MISTAKES = [
    b'{"%b":1,"ops":[]}', b'{"ops":[["%b","x",1]]}', b'{"ops":[["w","x",1]],"status":"%b"}', b'{"ops":[["w","x",1,{"%b":2}]]}',
    b'{"id":"%b","ops":[]}\n{"id":"%b","ops":[]}', b'{"ops":[["w","%b",1],["append","%b",2]]}',
    b'{"ops":[["w","x",{"%b":1,"%b":2}]]}', b'{"ops":[["r","x",1,{"from":"%b"}]]}', b'{"alibi":1,"%b":2}', b'{"alibi":1,"level":"%b"}',
    b'{"ops":[["q",{"%b":1},[]]]}', b'{"ops":[["q",{"from":"%b/"},[]]]}', b'{"ops":[["q",{"where":[["c","%b",1]]},[]]]}',
    b'[{:type :%b, :f :txn, :value [[:r 1 nil]]}]', b'{:type :invoke, :f :txn, :value [["%b" 1 nil]]}',
    b'{"info":"%b","id":1,"start":"%b","end":"%b","data":[1]}', b'\xff\xfe%b', b'w(%b,1,1,1)\n', b'\x9b%b',
]


def mistakes(folder):
    """Errors quote what was wrong."""
    as_json = json.dumps(EVIL)[1:-1].encode()
    for number, form in enumerate(MISTAKES):
        count = form.count(b"%b")
        for text in (as_json, EVIL.encode(), b"\xff\x9b\xc2"):
            path = os.path.join(folder, "mistake%d" % number)
            with open(path, "wb") as f:
                f.write(form % ((text,) * count) + b"\n")
            for words in (("check", "--level", "si"), ("check", "--level", "si", "--json"), ("watch", "--level", "si"), ("stats",)):
                run(*words, path, name="%s of mistake %d" % (words[0], number))
    for words in ((EVIL,), ("help", EVIL), ("levels", EVIL), ("version", EVIL), ("check", "--" + EVIL), ("check", "-" + EVIL),
                  ("check", "--level", EVIL, "x"), ("check", "--timeout", EVIL, "x"), ("check", "--order", EVIL, "x"),
                  ("check", "--level", "si", EVIL), ("check", "--level", "si", "--initial", EVIL, os.path.join(folder, "mistake0")),
                  ("check", "--level", "si", "--html", EVIL + "/x", os.path.join(folder, "mistake0")), ("stats", EVIL),
                  ("verify", EVIL, EVIL), ("elle", "--model", EVIL), ("elle", "--model", "rw-register", EVIL),
                  ("convert", EVIL), ("convert", "--to", EVIL, "x"), ("compare", EVIL, "si"), ("generate", EVIL),
                  ("generate", "--anomaly", EVIL), ("generate", "--txns", EVIL), ("synth", EVIL), ("synth", "--allow", EVIL),
                  ("synth", "--show", EVIL), ("watch", "--level", "si", EVIL), ("watch", "--level", "si", "nats://" + EVIL),
                  ("watch", "--level", "si", "--log", EVIL + "/x", os.devnull), ("watch", "--level", "si", "--http", EVIL, os.devnull),
                  ("record", EVIL), ("record", "sqlite:" + EVIL + "/x"), ("record", "postgres://h/d?" + EVIL), ("record", "--workload", EVIL),
                  ("record", "--schedule", EVIL, "sqlite:x"), ("record", "sqlite:x", "--out", EVIL + "/x")):
        run(*words, name="a mistake of " + words[0][:8].replace("\x1b", ""))
    definition = os.path.join(folder, "evil.level")
    with open(definition, "w", encoding="utf-8") as f:
        f.write("level x%s\n%s\n" % (EVIL, EVIL))
    run("compare", definition, "si", name="compare of a definition")
    run("synth", "--allow", definition, name="synth of a definition")


def server(answer):
    """A port that answers whoever connects with these bytes."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                client = listening.accept()[0]
            except OSError:
                return
            with client:
                client.settimeout(5)
                try:
                    answer(client)
                except OSError:
                    pass

    threading.Thread(target=serve, daemon=True).start()
    return listening


def refuse_postgres(client):
    if client.recv(8)[4:] == b"\x04\xd2\x16/":  # asks for TLS
        client.sendall(b"N")
        client.recv(8)
    client.recv(1000)
    fields = b"SFATAL\0VFATAL\0C28000\0M" + EVIL.encode() + b"\xff\x9b\0D" + EVIL.encode() + b"\0\0"
    client.sendall(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)


def refuse_mariadb(client):
    message = b"\xff" + (1045).to_bytes(2, "little") + EVIL.encode() + b"\xff\x9b"
    client.sendall(len(message).to_bytes(3, "little") + b"\0" + message)
    client.recv(1000)


def servers(folder):
    """Messages of database servers; and a history of a database with such a name."""
    parts = subprocess.run([alibi, "version"], capture_output=True, text=True).stdout
    for scheme, title, answer in ("postgres", "PostgreSQL", refuse_postgres), ("mariadb", "MariaDB", refuse_mariadb):
        if not re.search(r"(?i)%s\s+yes" % title, parts):
            counted.skip("no %s in this build" % title)
            continue
        with server(answer) as listening:
            url = "%s://u@127.0.0.1:%d/d" % (scheme, listening.getsockname()[1])
            out = subprocess.run([alibi, "record", url, "--out", os.path.join(folder, "never"), "--duration", "1s"],
                                 capture_output=True, timeout=PATIENCE)
            text = scan("record from a server that refuses", out.stderr)
            check("its message is shown", FORGED in text and "\\u001b" in text, text)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # some mistakes are names of files
        paths = histories(folder)
        for path in paths:
            reports(folder, path)
            conversions(folder, path)
            watches(folder, path)
        live(paths[0])
        mistakes(folder)
        servers(folder)
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
