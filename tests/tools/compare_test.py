#!/usr/bin/env python3
"""compare_test.py -- bench/compare flags slower workloads, and does not flag noise.

The noise is that of a busy machine, slightly more than was measured at a load of 15: two percent on every measurement,
another ten percent on average on a tenth of them, and a drift common to old and new.
"""
import contextlib
import io
import json
import os
import random
import sys
import tempfile
import unittest

import load

tool = load.load("bench/compare")
TRIALS = 200


class Machine:
    def __init__(self, seed, spread=0.02, spikes=0.1):
        self.draw, self.spread, self.spikes, self.drift = random.Random(seed), spread, spikes, 1

    def next_round(self):
        self.drift *= self.draw.lognormvariate(0, 0.03)

    def measure(self, seconds):
        spike = 1 + self.draw.expovariate(10) if self.draw.random() < self.spikes else 1
        return seconds * self.drift * spike * self.draw.lognormvariate(0, self.spread)


def verdict(seed, slowdown, rounds=tool.ROUNDS, **noise):
    machine, old, new, pairs = Machine(seed, **noise), [], [], []
    for _ in range(rounds):
        machine.next_round()
        pairs.append((machine.measure(1e-3), machine.measure(1e-3)))
        old.append(min(pairs[-1]))
        new.append(min(machine.measure(1e-3 * slowdown), machine.measure(1e-3 * slowdown)))
    return tool.judge(old, new, pairs, tool.LEAST_NOISE)[-1]


def count(word, slowdown, **more):
    return sum(verdict(seed, slowdown, **more) == word for seed in range(TRIALS))


class Statistics(unittest.TestCase):
    def test_critical_values(self):
        # Critical values of the two-sided sign test at 1 %.
        for number, critical in (8, 0), (10, 0), (12, 1), (15, 2), (20, 3), (25, 5):
            self.assertEqual(tool.left_out(number, 0.99), critical)
        self.assertIsNone(tool.left_out(7, 0.99))

    def test_interval(self):
        low, middle, high = tool.interval([1.1] * 12)
        for value in (low, middle, high):
            self.assertAlmostEqual(value, 1.1)
        self.assertEqual(tool.interval([1.1] * 3)[::2], (0, float("inf")))

    def test_intervals_cover(self):
        covered = 0
        for seed in range(TRIALS):
            draw = random.Random(seed)
            low, _, high = tool.interval([1.05 * draw.lognormvariate(0, 0.1) for _ in range(12)])
            covered += low <= 1.05 <= high
        self.assertGreaterEqual(covered, 0.97 * TRIALS)
        self.assertLess(covered, TRIALS + 1)

    def test_the_same_is_not_flagged(self):
        # Stated: fewer than one of a hundred workloads, in either direction.
        self.assertLessEqual(TRIALS - count("", 1), TRIALS // 100)
        self.assertLessEqual(TRIALS - count("", 1, spread=0.002, spikes=0), TRIALS // 100)
        self.assertLessEqual(TRIALS - count("", 1, spread=0.1), TRIALS // 100)

    def test_slower_is_flagged(self):
        self.assertGreaterEqual(count("SLOWER", 1.1), 0.95 * TRIALS)
        self.assertGreaterEqual(count("faster", 1 / 1.1), 0.95 * TRIALS)
        self.assertGreaterEqual(count("SLOWER", 1.03, spread=0.004, spikes=0), 0.95 * TRIALS)

    def test_less_than_the_noise_is_not_flagged(self):
        self.assertEqual(count("SLOWER", 1.005, spread=0.0005, spikes=0), 0)
        self.assertLessEqual(count("SLOWER", 1.02, spread=0.05), TRIALS // 50)

    def test_few_rounds_tell_nothing(self):
        self.assertEqual(verdict(1, 2, rounds=7), "too few rounds")


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="credence-compare-test-")
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(setattr, sys, "argv", sys.argv)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_main(self, *words):
        sys.argv = ["compare", *words]
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
            try:
                code = tool.main()
            except SystemExit as end:
                code = end.code
        return code, out.getvalue()

    def results(self, name, seed, slowdown, rounds=15):
        machine = Machine(seed, spikes=0)
        results = [{"workload": "ece", "times": [machine.measure(1e-3) for _ in range(rounds)]},
                   {"workload": "fit", "times": [machine.measure(1e-2 * slowdown) for _ in range(rounds)]}]
        for result in results:
            result["ours"] = min(result["times"])
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(results, file)
        return self.path(name)

    def test_files(self):
        old = self.results("old", 1, 1)
        self.assertEqual(self.run_main(old, old)[0], 0)
        self.assertEqual(self.run_main(old, self.results("same", 2, 1))[0], 0)
        code, said = self.run_main(old, self.results("slower", 3, 1.2))
        self.assertEqual(code, 1)
        self.assertRegex(said, r"(?m)^fit .*SLOWER$")
        self.assertNotRegex(said, r"(?m)^ece .*SLOWER$")
        self.assertEqual(self.run_main(old, self.path("slower"), "ece")[0], 0)
        self.assertEqual(self.run_main(old, self.results("quick", 4, 1.2, rounds=3))[0], 2)
        self.assertEqual(self.run_main(old, self.path("nonexistent"))[0], 2)

    def tree(self, name, seconds):
        """A build tree with a fake credence-bench that takes this long, plus noise; its workload `gone` does not
        run."""
        os.makedirs(self.path(name + "/bin"))
        path = self.path(name + "/bin/credence-bench")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"""#!/usr/bin/env python3
import json, random, sys
if "--list" in sys.argv:
    print("ece gone")
    sys.exit()
case = sys.argv[-1]
found = [{{"workload": case, "ours": {seconds} * random.lognormvariate(0, .01)}}] if case != "gone" else []
json.dump(found, open(sys.argv[sys.argv.index("--output") + 1], "w"))
""")
        os.chmod(path, 0o755)
        return self.path(name)

    def test_trees(self):
        old, new = self.tree("old", 1e-3), self.tree("new", 1.3e-3)
        code, said = self.run_main("--rounds", "8", old, new)
        self.assertEqual(code, 1)
        self.assertRegex(said, r"(?m)^ece .*SLOWER$")
        self.assertRegex(said, r"(?m)^gone +does not run in OLD and NEW$")
        self.assertEqual(self.run_main("--rounds", "5", old, new)[0], 2)
        self.assertEqual(self.run_main(old, old, "gone")[0], 2)

    def test_unknown_workloads(self):
        old = self.tree("old", 1e-3)
        code, said = self.run_main(old, old, "ecee")
        self.assertEqual((code, said), (2, f"compare: {old} has no workload 'ecee'; did you mean ece?\n"))
        code, said = self.run_main(old, old, "zzz")
        self.assertEqual((code, said), (2, f"compare: {old} has no workload 'zzz'; it has ece, gone\n"))
        file = self.results("file", 1, 1)
        code, said = self.run_main(file, file, "fit", "fitt")
        self.assertEqual((code, said), (2, f"compare: {file} has no workload 'fitt'; did you mean fit?\n"))


if __name__ == "__main__":
    unittest.main()
