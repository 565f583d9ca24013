#!/usr/bin/env python3
"""style_test.py -- where tools/check-style looks for the phrases that the glossary replaces.

The phrases here are raw strings, in which check-style does not look.
"""
import os
import unittest

import load

tool = load.load("tools/check-style")


def found(path, text):
    """Returns the [(line, phrase)] that are reported."""
    return [(number, sentence.split("'")[1]) for number, sentence in tool.judge_words(path, text)]


class Words(unittest.TestCase):
    def setUp(self):
        os.chdir(load.ROOT)

    def test_python(self):
        text = r'''#!/usr/bin/env python3
"""A program
that is told."""
whole_numbers = that, which  # a comment that
    # which goes on
print(f"{x}: the file is not there", r"whole number", 'whole number')
'''
        expected = [(3, r"is told"), (4, r"that which"), (6, r"is not there"), (6, r"whole number")]
        self.assertEqual(sorted(found("tools/a.py", text)), expected)
        self.assertEqual(sorted(found("tools/a", text)), expected)
        self.assertEqual(found("tools/a", text.split("\n", 1)[1]), [])  # neither its extension nor its first line

    def test_comments_of_python_apart(self):
        self.assertEqual(found("a.py", "x = 1  # that\ny = 2\n# which\n"), [])

    def test_shell_and_cmake(self):
        text = r'''#!/bin/bash
# the way
# back
echo it is not there
cat <<END
too sure
END
'''
        expected = [(2, r"the way back"), (4, r"is not there"), (6, r"too sure")]
        self.assertEqual(sorted(found("tests/run", text)), expected)
        for path in ("completions/a.bash", "cmake/a.cmake", "src/CMakeLists.txt", "Makefile"):
            self.assertEqual(sorted(found(path, text)), expected, path)

    def test_c(self):
        text = r'''/* that
 * which */ int honest = 1; // honest
char *s = "too sure";
'''
        self.assertEqual(sorted(found("a.c", text)), [(1, r"that which"), (2, r"honest"), (3, r"too sure")])
        self.assertEqual(found("a.c", text), found("a.js", text))

    def test_markdown(self):
        text = r'''too sure
`too sure`
## Words
too sure
## Tests
```
too sure
```
that which
'''
        self.assertEqual(found("a.md", text), [(1, r"too sure"), (9, r"that which")])
        self.assertEqual(found("CHANGELOG.md", text), [])

    def test_files(self):
        seen = set(tool.files())
        for path in (".ci/run", "Makefile", "cmake/rooms.cmake", "tools/check-style", "tests/cli/run",
                     "bench/compare", "bench/peers.py", "src/data/array.c"):
            self.assertIn(path, seen)
            with open(path, encoding="utf-8") as file:
                self.assertIsNotNone(tool.worded_of(path, file.read()), path)
        self.assertEqual([path for path in seen if path.startswith(("tests/cli/data/", "tests/fuzz/corpus/"))], [])


class Calls(unittest.TestCase):
    def test_bits_of_the_processor(self):
        text = "x = crd__math_erfc(1);\ny = erfc(1) + hypot(x, y);\n"
        lines = [number for number, _ in tool.judge_library("src/metric/kind/ece.c", text)]
        self.assertEqual(lines, [2, 2])
        self.assertEqual(list(tool.judge_library("src/engine/kernel/unary.c", text)), [])


if __name__ == "__main__":
    unittest.main()
