"""What the tests of `alibi watch` share: lines of streams, a full disk, and a watch on a pipe whose port is asked."""
import json
import os
import re
import resource
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request


def missing(alibi):
    """Why there is nothing to test, or None."""
    ran = subprocess.run([alibi, "watch", "--level", "si", "--http", "none", os.devnull], capture_output=True, text=True)
    return "alibi was built without libmicrohttpd" if "without an HTTP server" in ran.stderr else None


def line(n, ops, start=None, commit=None, **more):
    start = n * 10 if start is None else start
    return json.dumps(dict(dict(id=n, session=n, start_ts=start, commit_ts=start + 5 if commit is None else commit,
                                ops=ops), **more)) + "\n"


def small_files(size):
    """As on a full disk, for a process started with it: files cannot become larger than this."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


class Watch:
    """A watch that reads a pipe, or what is named."""

    def __init__(self, alibi, *words, stream="-", level="si", http="0", env=None):
        self.process = subprocess.Popen([alibi, "watch", "--level", level, "--http", http, *words, stream],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=env)
        self.said = []
        self.url = None
        while not self.url and self.process.poll() is None:
            self.said.append(self.process.stderr.readline())
            found = re.search(r"http://\S+?:\d+/", self.said[-1])
            self.url = found and found.group(0)
        threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True).start()
        self.printed = []
        self.reader = threading.Thread(target=lambda: self.printed.extend(self.process.stdout), daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def write(self, *lines):
        self.process.stdin.write("".join(lines))
        self.process.stdin.flush()

    def ask(self, path, method="GET", **headers):
        """(status, text)"""
        request = urllib.request.Request(self.url + path, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as e:
            return e.code, e.read().decode()

    def state(self):
        return json.loads(self.ask("state")[1])

    def until(self, wanted, seconds=20):
        """The state in which something holds; it takes the watch a moment."""
        end = time.time() + seconds
        while True:
            state = self.state()
            if wanted(state) or time.time() > end:
                return state
            time.sleep(0.05)

    def end(self, with_signal=None):
        """The exit code."""
        if with_signal:
            self.process.send_signal(with_signal)
        else:
            self.process.stdin.close()
        code = self.process.wait(30)
        self.reader.join(10)
        return code
