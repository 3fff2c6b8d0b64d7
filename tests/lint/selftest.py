#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every check of the lint must pass a good tree and find each fault put into it."""

import contextlib
import io
import json
import os
import tempfile
import unittest

import lint

SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"
SHELL = "#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\n# Does nothing at all.\n"
MANUAL = """.\\" SPDX-License-Identifier: Apache-2.0
.\\" A small manual.
.Dd December 1, 2026
.Dt ASSAY 1
.Os
.Sh NAME
.Nm assay
.Nd measure
.Sh DESCRIPTION
.Bl -tag -width Ds
.It Cm run Ar plan
Measures.
.El
.Dl assay run --quiet
"""
HERE = os.path.dirname(os.path.abspath(__file__))


def copied(name):
    with open(os.path.join(HERE, "..", "..", name), encoding="utf-8") as f:
        return f.read()


GOOD = {
    ".clang-format": copied(".clang-format"),
    ".clang-tidy": copied(".clang-tidy"),
    "harness/layers.txt": "# SPDX-License-Identifier: Apache-2.0\n"
                          "harness/base -\nharness/record -\nharness/host record\n"
                          "harness/cmd host\n",
    "harness/base/err.h": SPDX + "/* Errors of the harness. */\nint err_count(int n);\n",
    "harness/base/err.c": SPDX + "/* Errors of the harness. */\n"
                                 "#include \"base/err.h\"\n\nint err_count(int n)\n{\n"
                                 "\treturn n + 1;\n}\n",
    "harness/record/record.h": SPDX + "/* Records of a run. */\n"
                                      "#include \"base/err.h\"\n",
    "harness/host/host.h": SPDX + "/* One machine only. */\n"
                                  "#include \"record/record.h\"\n",
    "jobs/go.sh": SHELL + "echo hello\n",
    "harness/man/assay.1": MANUAL,
    "harness/cmd/commands.def": SPDX + "/* The commands of it. */\nCOMMAND(run)\n",
    "README.md": "# x\n\nFirst `jobs/go.sh`, then\n\n    assay run NAME --quiet\n",
    "build/bin/assay": "#!/bin/sh\necho '  --quiet  no progress'\n",
}


def source(code):
    return SPDX + "/* Errors of the harness. */\n" + code


def split(*parts):
    """A word that must not stand in this file either."""
    return "".join(parts)


ERR_C = "harness/base/err.c"
FAULTS = [
    # check, what is wrong, file, its content, what the check must say
    ("layers", "an upper layer", "harness/record/record.h",
     source('#include "host/host.h"\n'), "may not include 'harness/host'"),
    ("layers", "a layer not named", "harness/base/err.h",
     source('#include "record/record.h"\n'), "may not include 'harness/record'"),
    ("layers", "a way up", "harness/host/host.h",
     source('#include "../record/record.h"\n'), "'..' is not allowed"),
    ("layers", "a header that is not there", ERR_C,
     source('#include "base/nothing.h"\n'), "not in the tree"),
    ("layers", "a folder without a row", "harness/new/x.c", source(""), "in no row"),
    ("layers", "a way up in a test", "tests/unit/t.c",
     source('#include "../../harness/base/err.h"\n'), "'..' is not allowed"),
    ("layers", "a row that names nothing", "harness/layers.txt",
     "harness/base -\nharness/record nobody\nharness/host record\n", "unknown layer"),
    ("text", "no licence", ERR_C, "/* Errors of the harness. */\n", "SPDX"),
    ("text", "no sentence", ERR_C, SPDX + "#include <math.h>\n", "first sentence"),
    ("text", "no sentence in a script", "jobs/go.sh",
     "#!/bin/bash\n# SPDX-License-Identifier: Apache-2.0\ntrue\n", "first sentence"),
    ("text", "no licence in a plan", "configs/plans/x.yaml", "plan: x\n", "SPDX"),
    ("text", "blanks at the end", ERR_C, source("int x; \n"), "blanks at the end"),
    ("text", "no last newline", ERR_C, source("int x;"), "no newline"),
    ("text", "unfinished work", ERR_C, source(split("/* TO", "DO */\n")), "unfinished"),
    ("text", "a machine's path", "README.md", split("see /wo", "rk/x\n"), "one machine"),
    ("text", "a package host", "README.md", split("from de", "b.debian.org\n"),
     "package host"),
    ("text", "an issue's number", "README.md", split("see iss", "ue 12\n"), "issue's"),
    ("text", "the shell", ERR_C, source('int x = system("ls");\n'), "shell"),
    ("text", "a process", ERR_C, source("int x = fork();\n"), "starts processes"),
    ("text", "an end", ERR_C, source("void f(void)\n{\n\texit(1);\n}\n"), "never ends"),
    ("text", "an unchecked call", ERR_C, source('int x = atoi("1");\n'), "be checked"),
    ("format", "spaces", ERR_C, source("int err_count(int n) { return n; }\n"),
     "clang-formatted"),
    ("shell", "a word that splits", "jobs/go.sh", SHELL + "rm $1\n", "SC2086"),
    ("shell", "a script without a suffix", "tests/soak", SHELL + "rm $1\n", "SC2086"),
    ("man", "an unknown macro", "harness/man/assay.1", MANUAL + ".Zz what\n",
     "unknown macro"),
    ("commands", "a file that is not there", "README.md", "Run `jobs/went.sh`.\n",
     "'jobs/went.sh' does not exist"),
    ("commands", "a command that is not there", "README.md", "    assay runs x\n",
     "'assay runs' is no command"),
    ("commands", "an option that is not there", "README.md", "Say `assay run --qiet`.\n",
     "'assay run' has no option --qiet"),
    ("commands", "a program that is not there", "README.md", "    assay-hpl --help\n",
     "no program 'assay-hpl'"),
    ("commands", "an option in the manual", "harness/man/assay.1",
     MANUAL + ".Dl assay run Fl Fl fast\n", "has no option --fast"),
    ("commands", "a command the manual leaves out", "harness/cmd/commands.def",
     SPDX + "/* The commands of it. */\nCOMMAND(run)\nCOMMAND(judge)\n", "the command 'judge'"),
    ("cppcheck", "an index too large", ERR_C,
     source("int err_count(int n)\n{\n\tint a[2] = {n, n};\n\n\treturn a[2];\n}\n"),
     "arrayIndexOutOfBounds"),
    ("tidy", "a leak", ERR_C, source(
        "#include <stdlib.h>\n\nint err_count(int n)\n{\n\tchar *p = malloc(8);\n\n"
        "\treturn p ? n : 0;\n}\n"), "unix.Malloc"),
    ("tidy", "a function too long", ERR_C, source(
        "int err_count(int n)\n{\n" + "\tn = n ^ 5;\n" * 80 + "\treturn n;\n}\n"),
     "readability-function-size"),
    ("tidy", "a result thrown away", ERR_C, source(
        "#include <stdio.h>\n\nint err_count(int n)\n{\n\tfclose(stdin);\n"
        "\treturn n;\n}\n"), "cert-err33-c"),
]


def write(root, content):
    for name, text in content.items():
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        if text.startswith("#!"):
            os.chmod(path, 0o755)
    build = os.path.join(root, "build")
    os.makedirs(build, exist_ok=True)
    command = [{"directory": root, "file": os.path.join(root, ERR_C),
                "command": f"cc -Iharness -o err.o -c {os.path.join(root, ERR_C)}"}]
    with open(os.path.join(build, "compile_commands.json"), "w", encoding="utf-8") as f:
        json.dump(command, f)


def run(check, root):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = lint.main(["lint.py", check, root])
    return status, out.getvalue()


class Selftest(unittest.TestCase):
    def one(self, check, content):
        with tempfile.TemporaryDirectory() as root:
            write(root, content)
            return run(check, root)

    def test_a_good_tree_is_clean(self):
        for check in lint.CHECKS:
            with self.subTest(check):
                status, output = self.one(check, GOOD)
                self.assertIn(status, (0, 77), output)

    def test_every_fault_is_found(self):
        for check, what, name, content, said in FAULTS:
            with self.subTest(f"{check}: {what}"):
                status, output = self.one(check, {**GOOD, name: content})
                if status != 77:
                    self.assertIn(said, output)
                    self.assertEqual(status, 1)

    def test_every_check_has_a_fault(self):
        self.assertEqual(set(lint.CHECKS), {fault[0] for fault in FAULTS})

    def test_tidy_looks_again_when_a_clean_file_changes(self):
        with tempfile.TemporaryDirectory() as root:
            write(root, GOOD)
            for _ in range(2):
                self.assertIn(run("tidy", root)[0], (0, 77))
            write(root, {ERR_C: [f for f in FAULTS if f[0] == "tidy"][0][3]})
            self.assertIn(run("tidy", root)[0], (1, 77))


if __name__ == "__main__":
    unittest.main()
