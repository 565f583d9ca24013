"""tally.py -- parts of a ring: each runs, is timed, logged under build/logs, and counted.

A part is a test program, or one step such as a build; a program of the cmocka kind, and a run of
pytest, count with the number of their tests.
"""
import os
import re
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree as xml

LOGS = "build/logs"
JOBS = os.environ.get("JOBS") or str(len(os.sched_getaffinity(0)))
children, stopped = set(), threading.Event()


class Tally:
    """Counts of tests, and the time of each part."""

    def __init__(self):
        self.passed = self.failed = 0
        self.skips, self.times = [], []

    def add(self, name, seconds, ok, output):
        skips = re.findall(r"^SKIP [^\n]*", output, re.M)
        counts = cmocka_counts(output) or pytest_counts(output)
        passed, failed, skipped = counts or (1, 0, 0)
        if not ok:
            passed = passed if counts else 0
            failed = max(failed, 1)
        # A test that prints SKIP and returns has not passed.
        passed = max(0, passed - max(0, len(skips) - skipped))
        self.passed += passed
        self.failed += failed
        self.skips += skips or [f"SKIP {name}: no reason given"] * skipped
        self.times.append((seconds, name))

    def include(self, other):
        """Add the counts of another tally."""
        self.passed += other.passed
        self.failed += other.failed
        self.skips += other.skips
        self.times += other.times

    def report(self):
        """Print the slowest parts, the skips and the counts."""
        print("\nThe ten slowest parts:")
        for seconds, name in sorted(self.times, reverse=True)[:10]:
            print(f"  {seconds:7.1f} s  {name}")
        if self.skips:
            print("\nSkipped:")
            print("\n".join(f"  {skip.removeprefix('SKIP ')}" for skip in self.skips))
        print(f"\n{self.passed} passed, {self.failed} failed, {len(self.skips)} skipped")


def cmocka_counts(output):
    """(passed, failed, skipped) of the cmocka groups in an output, or None without one."""
    if not re.search(r"^\[==========\] .*test\(s\) run\.", output, re.M):
        return None
    count = [sum(map(int, re.findall(rf"^\[ *{word} *\] (?:\S+: )?(\d+) test\(s\)", output, re.M)))
             for word in ("PASSED", "FAILED", "SKIPPED")]
    return tuple(count)


def pytest_counts(output):
    """(passed, failed, skipped) of the last line of a run of pytest, or None without one."""
    line = re.search(r"^(=+ )?((\d+ [a-z]+, )*\d+ [a-z]+) in [0-9.]+s\b", output, re.M)
    if not line:
        return None
    count = {word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+?)s?(?:,|$)", line[2])}
    return (count.get("passed", 0) + count.get("xfailed", 0), count.get("failed", 0) + count.get("error", 0),
            count.get("skipped", 0))


def log_path(name):
    return os.path.join(LOGS, re.sub(r"[^A-Za-z0-9._-]+", "-", name) + ".log")


def say(ok, seconds, name):
    print(f"{'ok  ' if ok else 'FAIL'} {seconds:7.1f} s  {name}", flush=True)


def stop(*_):
    """On a signal, end the running programs, the second time by SIGKILL. Their tests do not count as failed."""
    number = signal.SIGKILL if stopped.is_set() else signal.SIGTERM
    stopped.set()
    for child in list(children):
        end(child, number)


def end(child, number=signal.SIGTERM):
    try:
        os.killpg(child, number)
    except ProcessLookupError:
        pass


def stop_on_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)


def wait(command, log, env):
    """Run a command; return its exit status. Raises KeyboardInterrupt if a signal stopped it."""
    if stopped.is_set():
        raise KeyboardInterrupt
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                               env={**os.environ, **(env or {})}, start_new_session=True)
    children.add(process.pid)
    if stopped.is_set():
        end(process.pid)
    code = process.wait()
    children.discard(process.pid)
    if stopped.is_set():
        raise KeyboardInterrupt
    return code


def run(name, command, env=None):
    """Run one command; its output goes to its log. Returns (ok, seconds, output)."""
    start = time.monotonic()
    os.makedirs(LOGS, exist_ok=True)
    with open(log_path(name), "w+", encoding="utf-8", errors="replace") as log:
        try:
            code = wait(command, log, env)
        except OSError as error:
            log.write(f"{error}\n")
            code = 127
        log.seek(0)
        output = log.read()
    return code == 0, time.monotonic() - start, output


def show(name, output):
    print("\n".join(output.splitlines()[-60:]))
    print(f"     (all of it: {log_path(name)})", flush=True)


def step(tally, name, command, env=None):
    """A part that counts as one test."""
    ok, seconds, output = run(name, command, env)
    tally.add(name, seconds, ok, output)
    say(ok, seconds, name)
    if not ok:
        show(name, output)
    return ok


def ctest(tally, name, tree, arguments=(), env=None):
    """All tests of a build tree, each a part of its own."""
    report = os.path.abspath(os.path.join(LOGS, name.replace(" ", "-") + ".xml"))
    if os.path.exists(report):
        os.remove(report)
    ok, seconds, output = run(name, [
        "ctest", "--test-dir", tree, "-j", JOBS, "--output-on-failure", "--no-tests=error",
        "--test-output-size-passed", "10000000", "--test-output-size-failed", "10000000",
        "--output-junit", report, *arguments], env)
    say(ok, seconds, name)
    if not ok:
        show(name, output)
    try:
        cases = xml.parse(report).getroot().findall("testcase")
    except (OSError, xml.ParseError) as error:
        tally.add(name, seconds, False, f"{error}")
        return
    failed = tally.failed
    for case in cases:
        said = case.findtext("system-out") or ""
        skipped = case.find("skipped")
        label = f"{name}: {case.get('name')}"
        if skipped is not None and "SKIP " not in said:
            said = f"SKIP {label}: {skipped.get('message') or 'not run'}"
        tally.add(label, float(case.get("time") or 0), case.find("failure") is None, said)
    if not ok and tally.failed == failed:
        tally.add(name, seconds, False, "")
