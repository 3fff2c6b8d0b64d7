#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads every report in a folder as other people's programs do: strict.py FOLDER.

JSON without NaN or duplicate keys; XML by expat and, where it is installed, by xmllint;
JUnit counts and names. Exit status 1 with the findings on stdout.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

WORDS = ["FAIL", "ERROR", "INCONCLUSIVE", "UNJUDGED", "WARN", "SKIP", "PASS"]


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def no_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError(f"duplicate keys in {sorted(names)}")
    return dict(pairs)


def check_json(path):
    report = json.loads(path.read_text(encoding="utf-8"), parse_constant=no_constant,
                        object_pairs_hook=no_duplicates)
    verdicts = report["verdicts"]
    for word in WORDS:
        assert report["counts"][word] == sum(v["verdict"] == word for v in verdicts), word
    assert report["schema"] == 1
    for verdict in verdicts:
        assert "unit" in verdict or "value" not in verdict, verdict
        assert None not in verdict.values(), verdict


def check_junit(path):
    root = ET.parse(path).getroot()
    names = [(c.get("classname"), c.get("name")) for c in root.iter("testcase")]
    assert len(names) == len(set(names)), "names are not unique"
    for node in [root, *root.findall("testsuite")]:
        for count, tag in [("tests", "testcase"), ("failures", "failure"),
                           ("errors", "error"), ("skipped", "skipped")]:
            found = len(list(node.iter(tag)))
            assert int(node.get(count)) == found, f"{count} is not {found}"
    if shutil.which("xmllint"):
        subprocess.run(["xmllint", "--noout", str(path)], check=True)


def main(argv):
    if len(argv) != 2:
        print("usage: strict.py FOLDER", file=sys.stderr)
        return 2
    found = checked = 0
    for path in sorted(pathlib.Path(argv[1]).iterdir()):
        check = {".json": check_json, ".xml": check_junit}.get(path.suffix)
        if not check:
            continue
        checked += 1
        try:
            check(path)
        except (ValueError, AssertionError, KeyError, ET.ParseError,
                subprocess.CalledProcessError) as error:
            print(f"{path}: {error}")
            found += 1
    if not checked:
        print(f"{argv[1]}: no report to check")
    return int(found > 0 or not checked)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
