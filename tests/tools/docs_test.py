#!/usr/bin/env python3
"""docs_test.py -- tests/docs/run fails when a Python block fails, prints something else, or misses a module that is required."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests"))
import skipping  # noqa: E402

RUN = os.path.join(ROOT, "tests", "docs", "run")


def block(code, shown=None, before=""):
    return f"{before}\n```python\n{code}\n```\n" + (f"```text\n{shown}\n```\n" if shown is not None else "")


class Docs(unittest.TestCase):
    def run_page(self, *parts, package=True, **environment):
        """(exit status, output, page afterwards) of a run over a page of these parts."""
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.md")
            with open(page, "w", encoding="utf-8") as file:
                file.write("# Page\n" + "\n".join(parts))
            options = self.options + (["--package", folder] if package else [])
            kept = {name: value for name, value in os.environ.items() if name != "CREDENCE_REQUIRE_DATA"}
            done = subprocess.run([sys.executable, RUN, *options, "/bin/true", "-", page], check=False, text=True,
                                  env={**kept, "CREDENCE_TEST_PYTHON": "/usr/bin/python3", **environment},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            with open(page, encoding="utf-8") as file:
                return done.returncode, done.stdout, file.read()

    def setUp(self):
        self.options = []

    def test_blocks_are_one_session_and_print_what_is_shown(self):
        status, output, _ = self.run_page(block("x = 2"), "```sh\ntouch made\n```\n",
                                          block("import os\nprint(x, os.path.exists('made'))\nprint(3)", "2 True\n..."))
        self.assertEqual((status, "3 blocks ran, 0 faults" in output), (0, True), output)

    def test_other_output_fails_and_can_be_blessed(self):
        page = block("print(1)", "2")
        status, output, _ = self.run_page(page)
        self.assertEqual((status, "printed instead:\n1" in output), (1, True), output)
        self.options = ["--bless"]
        status, output, after = self.run_page(page)
        self.assertEqual((status, block("print(1)", "1") in after), (0, True), output)

    def test_failures(self):
        for code, expected in (("1 / 0", "ZeroDivisionError"), ("x =", "invalid syntax"),
                               ("import os; os._exit(3)", "Python ended with status 3"), ("exit(0)", "SystemExit")):
            status, output, _ = self.run_page(block(code), block("x = 1"))
            self.assertEqual((status, expected in output), (1, True), output)

    def test_what_does_not_run(self):
        for before in ("<!-- not run: a fragment -->", "<!-- needs: no_such_module -->"):
            page = block("x = 1") + block("1 / 0", before=before)
            status, output, _ = self.run_page(page)
            self.assertEqual((status, "1 blocks ran, 0 faults" in output), (0, True), output)
        self.assertIn("no_such_module is not installed", output)
        self.assertIn("SKIP ", output)
        self.assertEqual(self.run_page(page, CREDENCE_REQUIRE_DATA="1")[0], 1)
        # A build without the package is not a failure.
        status, output, _ = self.run_page("```sh\ntrue\n```\n", page, package=False, CREDENCE_REQUIRE_DATA="1")
        self.assertEqual((status, "built without the Python package" in output), (0, True), output)
        whole = "<!-- needs: python -->\n\n```sh\nfalse\n```\n"
        status, output, _ = self.run_page("```sh\ntrue\n```\n", whole, package=False)
        self.assertIn("0 blocks ran, 0 faults", output)


if subprocess.run(["/usr/bin/python3", "-c", "import numpy"], check=False, capture_output=True).returncode:
    skipping.skip("tools-docs", "no NumPy (Debian: python3-numpy)")
unittest.main()
