"""skips.py -- a plugin of pytest that reports skips as the project's other tests do (docs/testing.md).

One line `SKIP python FILE[::TEST]: reason` for each; with CREDENCE_REQUIRE_DATA=1, a skip fails the run.
"""
import os

SKIPS = []


def add(report):
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        SKIPS.append(f"SKIP python {report.nodeid}: {' '.join(reason.removeprefix('Skipped: ').split())}")


def pytest_runtest_logreport(report):
    add(report)


def pytest_collectreport(report):
    add(report)


def pytest_terminal_summary(terminalreporter):
    terminalreporter.ensure_newline()
    for line in SKIPS:
        terminalreporter.write_line(line)


def pytest_sessionfinish(session, exitstatus):
    if SKIPS and exitstatus == 0 and os.environ.get("CREDENCE_REQUIRE_DATA"):
        session.exitstatus = 1
