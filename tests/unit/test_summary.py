#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/summary.py: which skipped tests it lets pass, and which it does not."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

SUMMARY = os.path.join(os.path.dirname(__file__), "..", "summary.py")
CASE = '<testcase name="{}" time="0.5" status="{}"><system-out>{}</system-out></testcase>'


def summary(*cases, ci=False):
    """cases: (name, labels, status, output). Exit status and output of summary.py."""
    tests = {"tests": [{"name": name, "properties": [{"name": "LABELS", "value": labels}]}
                       for name, labels, _, _ in cases]}
    xml = "".join(CASE.format(name, status, output) for name, _, status, output in cases)
    env = {**os.environ, "CI": "true" if ci else ""}
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as f:
        f.write(f"<testsuite>{xml}</testsuite>")
        f.flush()
        done = subprocess.run([sys.executable, SUMMARY, f.name], input=json.dumps(tests),
                              text=True, capture_output=True, env=env, check=False)
    return done.returncode, done.stdout + done.stderr


class Summary(unittest.TestCase):
    def test_times_are_added_by_label(self):
        status, output = summary(("a", ["unit"], "run", ""), ("b", ["unit", "x"], "run", ""))
        self.assertEqual(status, 0, output)
        self.assertRegex(output, r"(?m)^  unit +2 tests +1\.0 s$")
        self.assertRegex(output, r"(?m)^  x +1 tests +0\.5 s$")

    def test_a_skipped_test_fails_the_run(self):
        status, output = summary(("a", ["unit"], "notrun", ""))
        self.assertEqual(status, 1)
        self.assertIn("although it can run here: a", output)

    def test_a_test_skipped_inside_a_program_fails_the_run(self):
        text = "[ RUN      ] it_works\n[  SKIPPED ] it_works\n" \
               "[  SKIPPED ] 1 test(s), listed below:\n[  SKIPPED ] it_works\n"
        status, output = summary(("a", ["unit"], "run", text))
        self.assertEqual(status, 1)
        self.assertEqual(output.count("a: it_works"), 1)
        self.assertNotIn("listed below", output)

    def test_an_optional_test_may_be_skipped_but_not_in_the_ci(self):
        case = ("a", ["lint", "optional"], "notrun", "")
        self.assertEqual(summary(case)[0], 0)
        self.assertEqual(summary(case, ci=True)[0], 1)

    @unittest.skipIf(os.geteuid() != 0, "as root only")
    def test_root_skips_no_test_for_root(self):
        self.assertEqual(summary(("a", ["unit", "root"], "notrun", ""))[0], 1)


if __name__ == "__main__":
    unittest.main()
