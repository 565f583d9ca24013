#!/usr/bin/env python3
"""stages_test.py -- the long ring: chosen stages, their record, resuming, interrupts."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import load

sys.path.insert(0, os.path.join(load.ROOT, "tools"))
sys.dont_write_bytecode = True
from ring import long, record, stages, tally as parts  # noqa: E402

Stage = stages.Stage


def command(name, *words, **more):
    return Stage(name, name, lambda tally, label: parts.step(tally, label, words), **more)


class Ring(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="credence-stages-")
        os.chdir(self.folder.name)
        os.makedirs("docs")
        self.write("source.c", "1")
        self.write("docs/testing.md", "1")
        self.write(".gitignore", "build\n")
        subprocess.run("git init -q && git add -A && git -c user.name=t -c user.email=t@t commit -qm t", shell=True,
                       check=True)
        self.ran, self.good = [], {"a": True, "b-x": True, "b-y": True}
        self.addCleanup(setattr, stages, "all_stages", stages.all_stages)
        stages.all_stages = lambda: [Stage(name, name, self.record_run, beside=name.startswith("b"))
                                     for name in self.good]

    def tearDown(self):
        os.chdir(load.ROOT)
        self.folder.cleanup()
        parts.stopped.clear()

    def write(self, path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def record_run(self, tally, name):
        self.ran.append(name)
        tally.add(name, 0, self.good[name], "")

    def ring(self, *arguments):
        """(exit status, stages that ran, output)"""
        self.ran.clear()
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            try:
                code = long.main(list(arguments))
            except SystemExit as end:
                code = end.code
        return code, sorted(self.ran), out.getvalue()

    def test_choice(self):
        self.assertEqual(self.ring("b")[1], ["b-x", "b-y"])
        self.assertEqual(self.ring("b-y", "a")[1], ["a", "b-y"])
        code, ran, said = self.ring("b-z")
        self.assertEqual((code, ran), (2, []))
        self.assertIn("did you mean b-", said)

    def test_resume(self):
        self.good["b-x"] = False
        code, ran, said = self.ring()
        self.assertEqual((code, ran), (1, ["a", "b-x", "b-y"]))
        self.assertIn("| b-x | FAILED |", said)
        self.good["b-x"] = True
        code, ran, said = self.ring("--resume")
        self.assertEqual((code, ran), (0, ["b-x"]))
        self.assertIn("| a | passed | 1 | 0 | 0 |", said)
        self.assertEqual(self.ring("--resume")[1], [])
        self.assertEqual(self.ring("a")[1], ["a"])  # without --resume it runs again

    def test_skipped_is_not_passed(self):
        stages.all_stages = lambda: [command("a", "echo", "SKIP a: nothing is there")]
        for _ in range(2):
            code, _, said = self.ring("--resume")
            self.assertEqual(code, 0)
            self.assertIn("| a | skipped | 0 | 0 | 1 |", said)

    def test_pytest_counts_its_tests(self):
        count = parts.pytest_counts
        self.assertEqual(count("..s\nSKIP python x: y\n31 passed, 2 skipped, 1 xfailed, 3 warnings in 1.24s\n"), (32, 0, 2))
        self.assertEqual(count("==== 1 failed, 2 passed, 2 errors in 70.01s (0:01:10) ====\n"), (2, 3, 0))
        self.assertIsNone(count("built in 3.2s\n"))
        stages.all_stages = lambda: [command("a", "printf", "SKIP python x: y\n3 passed, 1 skipped in 0.1s\n")]
        self.assertIn("| a | passed | 3 | 0 | 1 |", self.ring()[2])

    def test_other_trees_are_run_again(self):
        self.ring("a")
        self.write("docs/testing.md", "2")  # the results themselves
        self.assertEqual(self.ring("--resume", "a")[1], [])
        self.write("source.c", "2")
        self.assertEqual(self.ring("--resume", "a")[1], ["a"])
        self.write("new.c", "")
        self.assertEqual(self.ring("--resume", "a")[1], ["a"])
        os.chmod("new.c", 0o755)
        self.assertEqual(self.ring("--resume", "a")[1], ["a"])
        os.remove("new.c")
        self.assertEqual(self.ring("--resume", "a")[1], [])

    def test_other_terms_are_run_again(self):
        for seconds, runs in ("10", 1), ("10", 0), ("600", 1):
            stages.all_stages = lambda seconds=seconds: [Stage("a", "a", self.record_run, terms=seconds)]
            self.assertEqual(len(self.ring("--resume")[1]), runs)

    def test_a_tree_that_changes_is_not_recorded(self):
        stages.all_stages = lambda: [Stage("a", "a", lambda tally, name: self.write("source.c", "3"))]
        self.assertIn("not recorded", self.ring()[2])
        self.assertFalse(os.path.exists(record.PATH))

    def test_a_broken_line_harms_no_other(self):
        self.ring("a")
        with open(record.PATH, "a", encoding="utf-8") as file:
            file.write("\t".join([record.tree_hash(), "b-x", "passed", "1"]))
        self.assertEqual(self.ring("--resume")[1], ["b-x", "b-y"])
        self.assertEqual(self.ring("--resume")[1], [])

    def test_a_build_that_fails_fails_its_stages(self):
        self.addCleanup(setattr, stages, "build", stages.build)
        stages.build = lambda tally, preset: bool(tally.add(preset, 0, preset == "good", "")) or preset == "good"
        stages.all_stages = lambda: [Stage("a", "a", self.record_run, "good"),
                                     Stage("b-x", "b", self.record_run, "bad")]
        code, ran, said = self.ring()
        self.assertEqual((code, ran), (1, ["a"]))
        self.assertIn("| b-x | FAILED |", said)
        self.assertEqual(self.ring("--resume", "a")[2].count("build-bad"), 0)

    def test_interrupt(self):
        parts.stop_on_signals()
        self.addCleanup(signal.signal, signal.SIGINT, signal.default_int_handler)
        stages.all_stages = lambda: [Stage("a", "a", self.record_run), command("b-x", "sleep", "60", beside=True),
                                     command("b-y", "sleep", "60", beside=True), command("c", "true")]
        threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        code, _, said = self.ring()
        self.assertEqual(code, 130)
        self.assertLess(time.monotonic() - start, 30)
        self.assertEqual(list(record.load(record.tree_hash())), ["a"])
        self.assertIn("| c | not run |", said)

    def test_status_of_commands(self):
        stages.all_stages = lambda: [command("a", "false"), command("b-x", "nonexistent-program")]
        code, _, said = self.ring()
        self.assertEqual(code, 1)
        self.assertIn("| a | FAILED | 0 | 1 |", said)
        self.assertIn("| b-x | FAILED | 0 | 1 |", said)

    def test_real_stages(self):
        os.chdir(load.ROOT)
        names = [stage.name for stage in self.all_stages()]
        self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual({"clang-dev-unit", "tsan-golden", "valgrind-kernel", "bare", "fuzz-npy", "resnets", "wheel", "python-peers",
                              "mutants-metric", "sampled-faults"}, set(names))
        self.assertEqual([name for name in names if name.startswith("gradients-") and "opset" not in name], [])


Ring.all_stages = staticmethod(stages.all_stages)

if __name__ == "__main__":
    unittest.main()
