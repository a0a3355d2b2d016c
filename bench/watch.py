#!/usr/bin/env python3
"""Watching a stream, as ratios of loading the same transactions, taken in one run.

8 operations a transaction, 1,000 and 1,000,000 keys, arrival delays of N(100, 10²) in the
clock's unit. CPU seconds (user and system), medians of rounds in which the commands take
turns. Absolute times mean nothing on a busy machine; ratios do.

    watch.py ALIBI [TXNS [ROUNDS]]     from the project's root; ALIBI is in a build folder
    watch.py ALIBI threads [TXNS [ROUNDS]]  two threads against one
    watch.py ALIBI stages [TXNS [ROUNDS]]   what each stage costs (docs/scale.md)
    watch.py ALIBI spill [TXNS]        10,000,000 keys, in memory and with most of them in a file
    watch.py ALIBI clocks [TXNS [ROUNDS]]   without timestamps (docs/rounds.md), as a ratio of check
    watch.py ALIBI fences [TXNS [ROUNDS]]   without clocks either
    watch.py ALIBI sustained TXNS [CASE]    long streams through a pipe, and their peak of memory;
                                       CASE is few, many or spill (keys), otherwise all three
    watch.py ALIBI nats [TXNS [ROUNDS]]  through NATS on loopback, as a ratio of a consumer that
                                       only counts lines; wall-clock time

The histories are those of tests/genhist.c.
"""
import json
import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "tests"))
sys.dont_write_bytecode = True
import genhist  # noqa: E402 (it is beside the tests)

HORIZON = ["--horizon", "150", "--longest", "1100"]
WORDS = "mode=si stamps=1 ops=8 keys=%d txns=%d"


def cost(command, stdin=None):
    """CPU seconds and peak MB of one run, and what it printed."""
    child = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit("%s ended with %d" % (" ".join(command), child.returncode))
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, out


def piped(command, path):
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
        return cost(command, cat.stdout)


def build(folder, alibi):
    library = os.path.join(os.path.dirname(os.path.dirname(alibi)), "src")
    genhist.build(folder)
    subprocess.run(["cc", "-O2", "-o", os.path.join(folder, "feed"),
                    os.path.join(HERE, "watch", "feed.c"), "-I" + os.path.join(ROOT, "include"),
                    "-L" + library, "-Wl,-rpath," + library, "-lalibi", "-lm"], check=True)


def make_stream(folder, keys, txns):
    path = os.path.join(folder, "stream.jsonl")
    with open(path, "w") as f:
        subprocess.run("%s/genhist %s | %s/feed delay" % (folder, WORDS % (keys, txns), folder),
                       shell=True, check=True, stdout=f)
    return path


def ratios(folder, alibi, keys, txns, rounds):
    path = make_stream(folder, keys, txns)
    runs = {"alibi stats": [], "packed, from memory": [], "JSON Lines, from a pipe": []}
    for _ in range(rounds):
        runs["alibi stats"].append(cost([alibi, "stats", path])[:2])
        with open(path) as f:
            packed = json.loads(cost([os.path.join(folder, "feed"), "packed", "si", "1"], f)[2])
        if packed["txns"] != txns or packed["violations"] or packed["unverified"]:
            sys.exit("the packed feed says %s" % packed)
        runs["packed, from memory"].append((packed["seconds"], packed["bytes"] / 1e6))
        runs["JSON Lines, from a pipe"].append(
            piped([alibi, "watch", "--level", "si"] + HORIZON + ["-"], path)[:2])
    print("%d transactions, %d keys" % (txns, keys))
    for name, r in runs.items():
        seconds = statistics.median(s for s, _ in r)
        ratio = statistics.median(a[0] / b[0] for a, b in zip(runs["alibi stats"], r))
        wanted = {"packed, from memory": " (at least 0.5)",
                  "JSON Lines, from a pipe": " (at least 0.35)"}.get(name, "")
        print("  %-24s %7.2f s %6.0f MB   rate / rate of alibi stats: %.2f%s"
              % (name, seconds, max(m for _, m in r), ratio, wanted))


def threads(folder, alibi, keys, txns, rounds):
    """How much sooner two threads are done. By the clock on the wall, which needs two cores that
    are free; and by CPU time, of the busier of the two."""
    path = make_stream(folder, keys, txns)
    print("%d transactions, %d keys; %.1f others want a core" % (txns, keys, os.getloadavg()[0]))
    for name in ("packed", "text"):
        wall, cpu, more = [], [], []
        for _ in range(rounds):
            one, two = [json.loads(cost([os.path.join(folder, "feed"), name, "si", n], open(path))[2])
                        for n in ("1", "2")]
            wall.append(one["wall"] / two["wall"])
            cpu.append(one["seconds"] / two["longest"])
            more.append(two["seconds"] / one["seconds"])
        print("  %-6s two threads / one: %.2f by the wall, %.2f by CPU time (at least 1.4); CPU time "
              "of both / one %.2f" % (name, *map(statistics.median, (wall, cpu, more))))


def stages(folder, alibi, keys, txns, rounds):
    """CPU time of each stage, the least of all rounds. A shard of very many judges no operations,
    but does all the rest: that is what every shard must do."""
    path = make_stream(folder, keys, txns)
    mark, watch = os.path.join(folder, "mark"), [alibi, "watch", "--json", "--timestamps", "serial", *HORIZON, "--level"]
    feed = [os.path.join(folder, "feed"), "text", "si", "1"]

    def feeding(*more):
        with open(path) as f:
            return json.loads(cost(feed + list(more), f)[2])["seconds"]

    runs = []
    for _ in range(rounds):
        if os.path.exists(mark):
            os.unlink(mark)
        found = cost(watch + ["ser", path])
        runs.append((piped(["wc", "-c"], path)[0], feeding("65536"), feeding(),
                     cost(watch + ["si", path])[0],
                     cost(watch + ["si", "--checkpoint", mark, "--every", "1000s", path])[0],
                     found[0], cost(watch + ["ser", "--log", mark + ".log", path])[0]))
        os.unlink(mark + ".log")
    receive, every, fed, plain, marked, silent, logged = map(min, zip(*runs))
    findings = json.loads(found[2].splitlines()[-1])["violations"]
    print("%d transactions of 8 operations, %d keys, %d bytes a line; %.1f others want a core"
          % (txns, keys, os.path.getsize(path) / txns, os.getloadavg()[0]))
    for name, seconds in (("receive, from a pipe", receive),
                          ("read the lines, and what every shard does", every),
                          ("judge the operations", fed - every)):
        print("  %-45s %6.0f ns a transaction" % (name, seconds / txns * 1e9))
    if findings > txns / 100:  # else this is noise
        print("  %-45s %6.0f ns a finding" % ("find, and say it in words", (silent - plain) / findings * 1e9))
        print("  %-45s %6.0f ns a finding" % ("log it", (logged - silent) / findings * 1e9))
    print("  %-45s %6.0f ms, %.0f MB" % ("a checkpoint", (marked - plain) * 1e3, os.path.getsize(mark) / 1e6))


def spill(folder, alibi, txns):
    path = make_stream(folder, 10000000, txns)
    watch, costs = [alibi, "watch", "--json", "--level", "si", *HORIZON], []
    for above in (None, 400, 200):
        more = ["--spill", folder, "--spill-above", "%dM" % above] if above else []
        seconds, megabytes, out = cost(watch + more + [path])
        summary = json.loads(out.splitlines()[-1])
        costs.append(seconds)
        print("%d transactions, %d keys, %s: %.1f s of CPU (%.1f times), the watch has %.0f MB, with the "
              "file's pages in memory %.0f MB; %s"
              % (txns, summary["keys"], "in %d MB" % above if above else "in memory", seconds,
                 seconds / costs[0], summary["bytes"] / 1e6, megabytes, summary["verdict"]))


def clocks(folder, alibi, txns, rounds):
    """By the clients' clocks, against the search of check on the same transactions."""
    path, options = os.path.join(folder, "clocks.jsonl"), ["--level", "ser", "--assume-time-order"]
    for shape in ("blindw", "mixed", "rmw"):
        words = "mode=ser times=1 sessions=24 ops=8 keys=10000 shape=%s txns=%d" % (shape, txns)
        with open(path, "w") as f:
            subprocess.run([os.path.join(folder, "genhist"), *words.split()], check=True, stdout=f)
        runs = []
        for _ in range(rounds):
            whole = cost([alibi, "check", "--quiet", *options, path])
            watch = piped([alibi, "watch", "--json", *options, "--horizon", "2000", "-"], path)
            runs.append((whole[0] / watch[0], watch[0], whole[1], watch[1]))
        summary = json.loads(watch[2].splitlines()[-1])
        print("%d transactions, %s, by clocks: %s, rate / rate of check %.2f (at least 0.25), %.1f s, %.0f MB "
              "(check %.0f MB), %d rounds, %d left"
              % (txns, shape, summary["verdict"], *[statistics.median(r[i] for r in runs) for i in (0, 1, 3, 2)],
                 summary["rounds"], summary["versions"]))


def fences(folder, alibi, txns, rounds):
    """By fences, against the search of check on the same transactions. Fences are as far apart as
    the shape allows: where keys are written blindly, they must be near."""
    import stream_fences
    path = os.path.join(folder, "fences.jsonl")
    for shape, every in (("rmw", 50), ("rmw", 10), ("mixed", 2), ("blindw", 2)):
        words = "mode=ser sessions=24 ops=8 keys=10000 shape=%s txns=%d" % (shape, txns)
        with open(path, "w") as f, subprocess.Popen([os.path.join(folder, "genhist"), *words.split()],
                                                    stdout=subprocess.PIPE, text=True) as made:
            f.writelines(stream_fences.fenced(made.stdout, every))
        runs = []
        for _ in range(rounds):
            whole = cost([alibi, "check", "--quiet", "--level", "ser", path])
            watch = piped([alibi, "watch", "--json", "--level", "ser", "--fence", "fence", "--sessions", "24", "-"], path)
            runs.append((whole[0] / watch[0], watch[0], whole[1], watch[1]))
        summary = json.loads(watch[2].splitlines()[-1])
        print("%d transactions, %s, a fence after every %d of a session: %s, rate / rate of check %.2f, %.1f s, "
              "%.0f MB (check %.0f MB), %d rounds; load %.1f"
              % (summary["txns"], shape, every, summary["verdict"],
                 *[statistics.median(r[i] for r in runs) for i in (0, 1, 3, 2)], summary["rounds"], os.getloadavg()[0]))


def at_ser(folder, alibi, txns, rounds):
    """An si history checked at ser: thousands of violations, as many as check finds."""
    path = make_stream(folder, 10000, txns)
    out = subprocess.run([alibi, "check", "--json", "--level", "ser", "--order", "timestamps", "--timestamps", "serial", path],
                         capture_output=True, text=True)
    offline = json.loads(out.stdout)["violation_count"]
    slower = []
    for _ in range(rounds):
        si = piped([alibi, "watch", "--json", "--level", "si"] + HORIZON + ["-"], path)
        ser = piped([alibi, "watch", "--json", "--level", "ser", "--timestamps", "serial"] + HORIZON + ["-"], path)
        slower.append(ser[0] / si[0])
        found = json.loads(ser[2].splitlines()[-1])["violations"]
    print("an si history of %d at ser: %d violations, check finds %d; time ser / si: %.2f (at most 1.5)"
          % (txns, found, offline, statistics.median(slower)))
    if found != offline:
        sys.exit("they differ")


def sustained(folder, alibi, txns, only):
    spilling = ["--spill", folder, "--spill-above", "60M"]
    for case, keys, limit, more in (("few", 1000, 300, []), ("many", 1000000, 1000, []),
                                    ("spill", 1000000, 400, spilling)):
        if only not in (None, case):
            continue
        stream = subprocess.Popen("%s/genhist %s | %s/feed delay" % (folder, WORDS % (keys, txns), folder),
                                  shell=True, stdout=subprocess.PIPE)
        seconds, megabytes, out = cost([alibi, "watch", "--json", "--level", "si"] + HORIZON + more + ["-"],
                                       stream.stdout)
        summary = json.loads(out.splitlines()[-1])
        stream.wait()
        print("%s: %d keys, %d transactions: %s, %d unverified, %.0f s of CPU, %.0f s in all, peak %.0f MB "
              "(at most %d), %.0f MB of its own" % (
                  case, keys, summary["txns"], summary["verdict"], summary["unverified"], seconds,
                  summary["seconds"], megabytes, limit, summary["bytes"] / 1e6), flush=True)


def cpu_of(pid):
    with open("/proc/%d/stat" % pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(server, command):
    """Until the first line: wall-clock seconds, and CPU seconds of it and of the server; then
    it is asked to end, and what it printed."""
    before, began = cpu_of(server.process.pid), time.time()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    first = child.stdout.readline()
    wall, there = time.time() - began, cpu_of(server.process.pid) - before
    os.kill(child.pid, signal.SIGTERM)
    rest = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return wall, used.ru_utime + used.ru_stime, there, (first + rest).splitlines()[-1]


def through_nats(folder, alibi, keys, txns, rounds, size):
    """How long it takes until the last transaction is reported: a planted violation."""
    sys.path.insert(0, os.path.join(ROOT, "tests"))
    import stream_nats
    subprocess.run(["cc", "-O2", "-o", os.path.join(folder, "bare"),
                    os.path.join(HERE, "watch", "bare.c"), "-lnats"], check=True)
    stream = subprocess.Popen("%s/genhist %s | %s/feed delay" % (folder, WORDS % (keys, txns), folder),
                              shell=True, stdout=subprocess.PIPE)
    server = stream_nats.Server(os.path.join(folder, "nats%d-%d" % (keys, size)))
    try:
        stream_nats.create_stream(server.port)
        collector, message = stream_nats.Collector(server.port), []
        for line in stream.stdout:
            message.append(line)
            if len(message) == size:
                collector.send(b"".join(message))
                message = []
        last = b'{"start_ts":9000000000,"commit_ts":9000000000,"ops":[["r","k1","never"]]}\n'
        collector.send(b"".join(message) + last + last.replace(b"9000", b"9001"))
        url = "nats://127.0.0.1:%d" % server.port
        runs = {"bare": [], "watch": []}
        for _ in range(rounds):
            runs["bare"].append(timed(server, [os.path.join(folder, "bare"), url, "TXNS", str(txns + 2)]))
            runs["watch"].append(timed(server, [alibi, "watch", "--json", "--level", "si", *HORIZON, url + "/TXNS"]))
            summary = json.loads(runs["watch"][-1][-1])
            if summary["txns"] != txns + 2 or summary["violations"] != 1:
                sys.exit("watch says %s" % summary)
    finally:
        server.kill()
    print("%d transactions through NATS, %d a message, %d keys: rate / rate of a bare consumer %.2f (at least 0.7)"
          % (txns, size, keys, statistics.median(b[0] / w[0] for b, w in zip(runs["bare"], runs["watch"]))))
    for name, r in runs.items():
        wall, own, there = (statistics.median(x) / txns * 1e6 for x in list(zip(*r))[:3])
        print("  %-6s %.2f us a transaction; CPU: %.2f us, and %.2f us of the server" % (name, wall, own, there))


def main():
    alibi = os.path.abspath(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        build(folder, alibi)
        if sys.argv[2:3] == ["sustained"]:
            sustained(folder, alibi, int(sys.argv[3]), (sys.argv[4:5] or [None])[0])
            return
        if sys.argv[2:3] == ["threads"]:
            for keys in (1000, 1000000):
                threads(folder, alibi, keys, int((sys.argv[3:4] or [1000000])[0]),
                        int((sys.argv[4:5] or [5])[0]))
            return
        if sys.argv[2:3] == ["stages"]:
            for keys in (1000, 1000000):
                stages(folder, alibi, keys, int((sys.argv[3:4] or [1000000])[0]),
                       int((sys.argv[4:5] or [5])[0]))
            return
        if sys.argv[2:3] == ["clocks"]:
            clocks(folder, alibi, int((sys.argv[3:4] or [1000000])[0]), int((sys.argv[4:5] or [5])[0]))
            return
        if sys.argv[2:3] == ["fences"]:
            fences(folder, alibi, int((sys.argv[3:4] or [1000000])[0]), int((sys.argv[4:5] or [5])[0]))
            return
        if sys.argv[2:3] == ["spill"]:
            spill(folder, alibi, int((sys.argv[3:4] or [3000000])[0]))
            return
        if sys.argv[2:3] == ["nats"]:
            for keys, size in ((1000, 10), (1000, 100), (1000000, 10), (1000000, 100)):
                through_nats(folder, alibi, keys, int((sys.argv[3:4] or [300000])[0]),
                             int((sys.argv[4:5] or [5])[0]), size)
            return
        txns = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
        rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
        for keys in (1000, 1000000):
            ratios(folder, alibi, keys, txns, rounds)
        at_ser(folder, alibi, txns // 2, rounds)


if __name__ == "__main__":
    main()
