# SPDX-License-Identifier: Apache-2.0
"""What the texts for users tell to type: files, commands and options must exist."""

import os
import re
import subprocess

import tree

TEXTS = re.compile(r"^(README\.md|CONTRIBUTING\.md|harness/man/.*\.1)$")
# A name in capitals stands for one of the reader's own.
PATH = re.compile(r"(?<![\w/.-])((?:jobs|tests|configs|harness|kernels|reports|\.ci)/[\w./-]*)")
CALL = re.compile(r"(?<![\w/-])(assay(?:-[a-z0-9]+)?)(?: ([a-z]+|--[a-z-]+))?(?=[ `\n,.;)]|$)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
TABLE = "harness/cmd/commands.def"


def commands(root):
    return re.findall(r"^COMMAND\((\w+)\)", tree.read(root, TABLE), re.M)


def code(name, text):
    """(line number, code) of a text: what stands in backquotes or is indented by four."""
    for number, line in enumerate(text.splitlines(), 1):
        if name.endswith(".1"):
            line = line.replace("Fl Fl ", "--")
            yield number, line if line.startswith(".Dl ") else ""
        elif line.startswith("    "):
            yield number, line
        else:
            for part in re.findall(r"`([^`]+)`", line):
                yield number, part


def check_paths(root, line):
    for path in PATH.findall(line):
        path = path.rstrip(".")
        if not re.search(r"[A-Z]{2,}|/$", path) and \
                not os.path.exists(os.path.join(root, path)):
            yield f"'{path}' does not exist"


class Programs:
    """What the built programs say of themselves, asked once each."""

    def __init__(self, root, build):
        self.bin = os.path.join(build, "bin")
        self.commands = commands(root)
        self.helps = {}

    def help(self, program, *words):
        key = (program, *words)
        if key not in self.helps:
            argv = [os.path.join(self.bin, program), *words, "--help"]
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.helps[key] = done.stdout if done.returncode == 0 else ""
        return self.helps[key]

    def check_call(self, line, program, word):
        if not os.path.exists(os.path.join(self.bin, program)):
            yield f"there is no program '{program}' in {self.bin}"
            return
        words = ()
        if program == "assay" and word and not word.startswith("--"):
            if word not in self.commands:
                yield f"'assay {word}' is no command of {TABLE}"
                return
            words = (word,)
        known = OPTION.findall(self.help(program, *words)) + ["--help", "--version"]
        for option in OPTION.findall(line):
            if option not in known:
                yield f"'{' '.join((program, *words))}' has no option {option}"


def check_manual(root, known):
    """Every command is in the manual."""
    name = "harness/man/assay.1"
    text = tree.read(root, name)
    return [f"{name}: does not describe the command '{command}'" for command in known
            if not re.search(rf"^\.It Cm {command}\b", text, re.M)]


def check(root, build):
    programs = Programs(root, build)
    found = check_manual(root, programs.commands)
    for name in filter(TEXTS.match, tree.files(root)):
        for number, line in code(name, tree.read(root, name)):
            wrong = list(check_paths(root, line))
            calls = list(CALL.finditer(line))
            for call, following in zip(calls, calls[1:] + [None]):
                end = following.start() if following else len(line)
                wrong += programs.check_call(line[call.start():end], call[1], call[2])
            found += [f"{name}:{number}: {what}" for what in wrong]
    return found
