"""chromium.py -- drive headless Chromium over its debugging pipe, with Python's standard library only.

The DevTools protocol: JSON messages, each ended by a zero byte; Chromium reads them from descriptor 3
and writes answers and events to descriptor 4.
"""
import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time

NAMES = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage",
         "--hide-scrollbars", "--remote-debugging-pipe"]
SECONDS = 60  # for one answer; a loaded machine is slow


def find():
    """The path of an installed browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Failure(Exception):
    """The browser, or a script in a page, failed."""


class Browser:
    """A running browser; use it in a with statement."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="credence-browser-")
        read, self.write = os.pipe()
        self.read, write = os.pipe()
        # Copies above 4, so that no descriptor is overwritten before it is copied.
        high = [fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in [read, write]]
        with open(os.path.join(self.folder, "log"), "wb") as log:
            actions = [(os.POSIX_SPAWN_DUP2, high[0], 3), (os.POSIX_SPAWN_DUP2, high[1], 4),
                       (os.POSIX_SPAWN_DUP2, log.fileno(), 1), (os.POSIX_SPAWN_DUP2, log.fileno(), 2)]
            arguments = [program, *FLAGS, f"--user-data-dir={self.folder}/profile", "about:blank"]
            self.pid = os.posix_spawn(program, arguments, os.environ, file_actions=actions)
        for fd in [read, write, *high]:
            os.close(fd)
        self.rest, self.last, self.events = b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
        except Failure:
            pass
        os.close(self.write)
        os.close(self.read)
        until = time.monotonic() + 10
        while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > until:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            time.sleep(0.02)
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8", errors="replace") as log:
            return log.read()[-500:]

    def receive(self, until):
        """The next message."""
        while b"\0" not in self.rest:
            if not select.select([self.read], [], [], max(0, until - time.monotonic()))[0]:
                raise Failure(f"no answer in {SECONDS} s")
            got = os.read(self.read, 1 << 20)
            if not got:
                raise Failure(f"the browser ended: {self.log()}")
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        """Call a method; the result. Events on the way are kept."""
        self.last += 1
        message = {"id": self.last, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        try:
            os.write(self.write, json.dumps(message).encode() + b"\0")
        except BrokenPipeError as error:
            raise Failure(f"the browser ended: {self.log()}") from error
        until = time.monotonic() + SECONDS
        while (answer := self.receive(until)).get("id") != self.last:
            if "method" in answer:
                self.events.append(answer)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, path, **settings):
        return Page(self, path, **settings)


class Page:
    """A file in a tab. Its complaints (script errors, console warnings) and requests are kept."""

    def __init__(self, browser, path, width=1100, height=900, dark=False, touch=False, script=True):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")
        self.size(width, height, touch)
        self.media("screen", dark)
        if not script:
            self.call("Emulation.setScriptExecutionDisabled", value=True)
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        until = time.monotonic() + SECONDS
        while not self.events("Page.loadEventFired"):
            browser.events.append(browser.receive(until))

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def events(self, method):
        return [e["params"] for e in self.browser.events if e["method"] == method and e.get("sessionId") == self.session]

    def size(self, width, height, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)

    def media(self, media, dark=False):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def run(self, script):
        """Run an expression in the page; its value."""
        got = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise Failure(got["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return got["result"].get("value")

    def complaints(self):
        thrown = [e["exceptionDetails"].get("exception", {}).get("description", "thrown")
                  for e in self.events("Runtime.exceptionThrown")]
        logged = [e["entry"]["text"] for e in self.events("Log.entryAdded")]
        printed = [str(e["args"]) for e in self.events("Runtime.consoleAPICalled")]
        return thrown + logged + printed

    def requests(self):
        """The requested addresses, without that of the page."""
        return [e["request"]["url"] for e in self.events("Network.requestWillBeSent")][1:]

    def screenshot(self, path, first="body", last=None):
        """The page from the top of one element to the bottom of another, or of the same, by their selectors."""
        edges = self.run(f"""[{json.dumps(first)}, {json.dumps(last or first)}].map((s) =>
          document.querySelector(s).getBoundingClientRect()).map((b) => [b.top + scrollY, b.bottom + scrollY])""")
        margin = 8
        top = max(edges[0][0] - margin, 0)
        clip = {"x": 0, "y": top, "width": self.run("innerWidth"), "height": edges[1][1] + margin - top, "scale": 1}
        kind = {"quality": 55} if path.endswith(".webp") else {}
        got = self.call("Page.captureScreenshot", format=path.rsplit(".", 1)[1], clip=clip, captureBeyondViewport=True,
                        **kind)
        with open(path, "wb") as file:
            file.write(base64.b64decode(got["data"]))

    def pdf(self, path):
        """Print on A4, with the page's own margins."""
        self.media("print")
        got = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69, printBackground=False,
                        preferCSSPageSize=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(got["data"]))

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)
