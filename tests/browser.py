"""A headless Chromium, led through chromedriver's WebDriver protocol.

Only what the tests of pages need: opening a page, running a script in it, pressing
keys, the size of the window, the colour scheme, pictures, and what the browser
logged: messages of the console, and requests.
"""
import base64
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

TAB, ENTER, ESCAPE, HOME, RIGHT = "\ue004", "\ue007", "\ue00c", "\ue011", "\ue014"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


AXE = "axe-core@4.10.3"
AXE_HASH = "880970c081707360e64f34cea25ff91892f5bc95675b0776925b9709dd8a68bb"  # of axe.min.js


def axe():
    """The source of axe-core, which judges contrast and names, or None. npm brings it to a cache of its own, once."""
    folder = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "alibi", AXE)
    path = os.path.join(folder, "node_modules", "axe-core", "axe.min.js")
    if not os.path.exists(path) and shutil.which("npm"):
        subprocess.run(["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund",
                        "--fetch-retries", "1", "--cache", os.path.join(folder, "cache"), AXE],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
    if not os.path.exists(path):
        return None
    with open(path, "rb") as f:
        source = f.read()
    assert hashlib.sha256(source).hexdigest() == AXE_HASH, path + " is not " + AXE
    return source.decode()


def missing():
    """What is not installed, or None."""
    for name in ("chromium", "chromedriver"):
        if not shutil.which(name):
            return name
    return None


class Browser:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        log = open(os.path.join(self.folder.name, "log"), "w+")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=log, stderr=subprocess.STDOUT,
                                       start_new_session=True)
        self.address = "http://127.0.0.1:%d" % self._port(log)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--force-color-profile=srgb", "--no-first-run",
                     "--user-data-dir=" + os.path.join(self.folder.name, "profile")]
        wanted = {"browserName": "chrome", "goog:chromeOptions": {"args": arguments},
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = "/session/" + answer["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", self.session)
        finally:
            os.killpg(self.driver.pid, signal.SIGTERM)
            self.driver.wait()
            self.folder.cleanup()

    def _port(self, log):
        for _ in range(600):
            with open(log.name) as f:
                words = f.read().split("started successfully on port ")
            if len(words) > 1 and "." in words[1]:
                return int(words[1].split(".")[0])
            time.sleep(0.1)
        raise RuntimeError("chromedriver does not start")

    def _call(self, method, path, body=None):
        request = urllib.request.Request(self.address + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError("%s %s: %s" % (method, path, e.read().decode()[:500])) from None

    def _do(self, path, body=None):
        return self._call("POST", self.session + path, body or {})

    def devtools(self, command, **parameters):
        return self._do("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path):
        """A file, or an address."""
        self._do("/url", {"url": path if path.startswith("http:") else "file://" + os.path.abspath(path)})

    def run(self, script, *arguments):
        return self._do("/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, seconds=20):
        """What a script returns, asked until it is something: what follows an event takes its time."""
        end = time.monotonic() + seconds
        while True:
            answer = self.run(script)
            if answer or time.monotonic() > end:
                return answer
            time.sleep(0.05)

    def press(self, keys):
        actions = [a for key in keys for a in ({"type": "keyDown", "value": key},
                                               {"type": "keyUp", "value": key})]
        self._do("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def point_at(self, selector):
        element = self._do("/element", {"using": "css selector", "value": selector})
        move = {"type": "pointerMove", "duration": 0, "origin": {ELEMENT: element[ELEMENT]}, "x": 0, "y": 0}
        self._do("/actions", {"actions": [{"type": "pointer", "id": "mouse",
                                           "parameters": {"pointerType": "mouse"}, "actions": [move]}]})

    def drag(self, selector, from_x, to_x):
        """Across an element, from and to these distances from its middle."""
        element = self._do("/element", {"using": "css selector", "value": selector})
        self.run("arguments[0].scrollIntoView({block: 'center'})", element)

        def move(x):
            return {"type": "pointerMove", "duration": 0, "origin": {ELEMENT: element[ELEMENT]}, "x": x, "y": 0}
        actions = [move(from_x), {"type": "pointerDown", "button": 0}, move(to_x), {"type": "pointerUp", "button": 0}]
        self._do("/actions", {"actions": [{"type": "pointer", "id": "mouse",
                                           "parameters": {"pointerType": "mouse"}, "actions": actions}]})

    def size(self, width, height):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height,
                      deviceScaleFactor=1, mobile=False)

    def media(self, scheme="light", kind=""):
        self.devtools("Emulation.setEmulatedMedia", media=kind,
                      features=[{"name": "prefers-color-scheme", "value": scheme},
                                {"name": "prefers-reduced-motion", "value": "reduce"}])  # nothing moves while pointed at

    def picture(self, path, whole=True):
        data = self.devtools("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def judge(self, axe_source):
        """What axe-core finds wrong on the page: rule, element, why."""
        self.run(axe_source + ";window.judged = null; axe.run(document, {resultTypes: ['violations']}).then("
                 "r => { window.judged = r.violations.flatMap(v => v.nodes.map(n => [v.id, n.target.join(' '),"
                 "n.failureSummary])); }, e => { window.judged = [['axe', '', String(e)]]; });")
        return self.wait("return window.judged && {found: window.judged}", 60)["found"]

    def console(self):
        """What was logged since the last look."""
        return [entry["message"] for entry in self._do("/se/log", {"type": "browser"})]

    def requests(self):
        """The addresses asked for since the last look."""
        events = [json.loads(e["message"])["message"] for e in self._do("/se/log", {"type": "performance"})]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
