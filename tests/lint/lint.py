#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs one check over the sources: lint.py CHECK [ROOT [BUILD-FOLDER]].

Exit status: 0 clean, 1 with the findings on stdout, 77 when its program is missing.
"""

import os
import sys

import commands
import layers
import text
import tools

CHECKS = {
    "layers": lambda root, build: layers.check(root),
    "text": lambda root, build: text.check(root),
    "commands": commands.check,
    "format": tools.format_check,
    "shell": tools.shell_check,
    "man": tools.man_check,
    "cppcheck": tools.cppcheck,
    "tidy": tools.tidy,
}


def main(argv):
    if len(argv) < 2 or argv[1] not in CHECKS:
        print(f"usage: lint.py {'|'.join(CHECKS)} [ROOT [BUILD-FOLDER]]", file=sys.stderr)
        return 2
    here = os.path.join(os.path.dirname(__file__), "..", "..")
    root = os.path.abspath(argv[2] if len(argv) > 2 else here)
    build = os.path.abspath(argv[3] if len(argv) > 3 else os.path.join(root, "build"))
    try:
        found = CHECKS[argv[1]](root, build)
    except tools.Missing as missing:
        print(missing)
        return 77
    print("\n".join(found) if found else "clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
