#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time per label of a ctest run; fails on tests that were skipped.

    ctest --show-only=json-v1 | summary.py RESULTS.xml     (its --output-junit file)

A test may be skipped only for what this machine cannot give: one labelled `root` when
not run by root, one labelled `optional` when a program of the right version is not there,
which is no excuse in the CI.
"""

import json
import os
import sys
import xml.etree.ElementTree as ET


def labels_by_name(tests):
    labels = {}
    for test in tests["tests"]:
        found = [p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"]
        labels[test["name"]] = found[0] if found else ["(none)"]
    return labels


def skipped(case):
    """Names of what was skipped: the test itself, or tests inside a cmocka program."""
    if case.get("status") in ("notrun", "disabled"):
        return [case.get("name")]
    output = "".join(out.text or "" for out in case.iter("system-out"))
    inside = [line.split("]", 1)[1].strip() for line in output.splitlines()
              if line.startswith("[  SKIPPED ]") and "listed below" not in line]
    return sorted({f"{case.get('name')}: {name}" for name in inside})


def may_skip(labels):
    if "root" in labels and os.geteuid() != 0:
        return True
    return "optional" in labels and os.environ.get("CI") != "true"


def main():
    names = labels_by_name(json.load(sys.stdin))
    cases = list(ET.parse(sys.argv[1]).getroot().iter("testcase"))
    times, bad = {}, []
    for case in cases:
        labels = names[case.get("name")]
        for label in labels:
            count, seconds = times.get(label, (0, 0.0))
            times[label] = (count + 1, seconds + float(case.get("time")))
        for name in skipped(case):
            allowed = may_skip(labels)
            print(f"skipped{'' if allowed else ', although it can run here'}: {name}")
            if not allowed:
                bad.append(name)
    print("\ntime per label (tests run side by side, so the sum is more than the whole):")
    for label, (count, seconds) in sorted(times.items()):
        print(f"  {label:<12} {count:4} tests {seconds:8.1f} s")
    slowest = sorted(cases, key=lambda case: -float(case.get("time")))[:5]
    print("slowest: " + ", ".join(f"{case.get('name')} {float(case.get('time')):.1f} s"
                                  for case in slowest))
    print(f"skipped and should not be: {len(bad)}" if bad else "none skipped that can run")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
