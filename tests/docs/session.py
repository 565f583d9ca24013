"""session.py -- one Python in which the ```python blocks of a page run one after the other, as in a notebook."""
import contextlib
import json
import os
import shutil
import subprocess

# What the interpreter runs: a request is a line of JSON, and its output ends with a line that only this file writes.
END = "\x1e end of block "
LOOP = f"""
import json, sys, traceback
scope = {{"__name__": "__main__"}}
for request in sys.stdin:
    name, code = json.loads(request)
    failed = 0
    try:
        exec(compile(code, name, "exec"), scope)
    except BaseException:
        traceback.print_exc()
        failed = 1
    sys.stderr.flush()
    print({END!r} + str(failed), flush=True)
"""


def interpreter():
    """The Python of the package's tests, or None: see tests/python/suite."""
    for name in os.environ.get("CREDENCE_TEST_PYTHON", "python3 /usr/bin/python3").split():
        path = shutil.which(name)
        if path and subprocess.run([path, "-c", "import numpy"], check=False, stderr=subprocess.DEVNULL).returncode == 0:
            return os.path.abspath(path)
    return None


class Session:
    """An interpreter in the folder `work`, started by its first block."""

    def __init__(self, python, work, environment):
        self.python, self.work, self.environment, self.child = python, work, environment, None

    def has(self, module):
        """Whether the interpreter can import a module."""
        return subprocess.run([self.python, "-c", f"import {module}"], cwd=self.work, env=self.environment, check=False,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def run(self, name, code):
        """(whether it failed, what it printed) for a block of code."""
        if not self.child:
            self.child = subprocess.Popen([self.python, "-c", LOOP], cwd=self.work, env=self.environment, text=True,
                                          encoding="utf-8", errors="replace", stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        printed = []
        try:
            self.child.stdin.write(json.dumps([name, code]) + "\n")
            self.child.stdin.flush()
        except BrokenPipeError:
            return True, "Python has ended before this block\n"
        for line in self.child.stdout:
            text, end, failed = line.partition(END)
            printed.append(text)
            if end:
                return failed.strip() != "0", "".join(printed)
        return True, "".join(printed) + f"Python ended with status {self.child.wait()}\n"

    def close(self):
        if self.child:
            with contextlib.suppress(BrokenPipeError):
                self.child.stdin.close()
            self.child.stdout.close()
            self.child.wait()
