#!/usr/bin/env python3
"""names_test.py -- which tests a name given to tools/test means."""
import os
import unittest

import load

tool = load.load("tools/test")
TREE = "/tree/build/dev"
TESTS = {name: [f"{TREE}/tests/{name}"] for name in (
    "base-sum_test", "math-tsne-tsne_test", "math-tsne-affinity_test", "kernel-norm_test", "metric-state_test",
    "loss-focal_test", "loss-focal_sd_test", "conform-metrics", "conform-losses", "golden-numbers")}
TESTS["cli-merge"] = ["/tree/tests/cli/run", f"{TREE}/credence", "/tree/tests/cli/cases/merge.case"]
TESTS["cli-merge-older"] = TESTS["cli-merge"]


def found(word):
    return [name for name, _ in tool.find(TESTS, word)]


class Names(unittest.TestCase):
    def setUp(self):
        os.chdir(load.ROOT)  # entries of tables are looked for in src/

    def test_exact_before_longer(self):
        self.assertEqual(found("cli-merge"), ["cli-merge"])
        self.assertEqual(found("loss-focal"), ["loss-focal_test"])
        self.assertEqual(found("loss-focal-sd"), ["loss-focal_sd_test"])

    def test_beginning_before_middle(self):
        self.assertEqual(found("math-tsne"), ["math-tsne-tsne_test", "math-tsne-affinity_test"])
        self.assertEqual(found("affinity"), ["math-tsne-affinity_test"])
        self.assertEqual(found("affinnity"), [])

    def test_paths(self):
        for path, name in (("src/base/sum.c", "base-sum_test"), ("src/base/sum_test.c", "base-sum_test"),
                           ("src/loss/kind/focal.c", "loss-focal_test"),
                           ("src/math/tsne/affinity.c", "math-tsne-affinity_test"),
                           ("src/engine/kernel/norm.c", "kernel-norm_test"),
                           ("tests/golden/numbers_test.c", "golden-numbers"),
                           ("tests/cli/cases/merge.case", "cli-merge")):
            self.assertEqual(found(path), [name], path)
        self.assertEqual(found("src/base/summit.c"), [])

    def test_entries_without_a_test(self):
        self.assertEqual(tool.find(TESTS, "metric-ece"), [("conform-metrics", "ece")])
        self.assertEqual(tool.find(TESTS, "src/metric/kind/e_aurc.c"), [("conform-metrics", "e-aurc")])
        self.assertEqual(tool.find(TESTS, "loss-brier"), [("conform-losses", None)])
        self.assertEqual(tool.find(TESTS, "metric-state"), [("metric-state_test", None)])
        for entry in tool.TABLES.values():
            self.assertTrue(os.path.exists(f"tests/{entry[0].replace('-', '/')}_test.c"), entry[0])

    def test_did_you_mean(self):
        self.assertIn("did you mean base-sum_test", tool.nearest(TESTS, "bse-sum"))
        self.assertIn("metric-state_test", tool.nearest(TESTS, "src/metric/pass.c"))
        self.assertNotIn("did you mean", tool.nearest(TESTS, "zzzz"))

    def test_targets(self):
        self.assertEqual(tool.targets(TREE, TESTS["base-sum_test"]), {"base-sum_test"})
        self.assertEqual(tool.targets(TREE, TESTS["cli-merge"]), {"credence"})
        self.assertEqual(tool.targets(TREE, ["/tree/tests/install/run", "tree", "/tree", TREE]), {"all"})


if __name__ == "__main__":
    unittest.main()
