# SPDX-License-Identifier: Apache-2.0
"""What every file must have (licence, a sentence) and what none may hold."""

import re

import tree

# Inputs and expected outputs of tests are what they are, byte for byte.
DATA = re.compile(r"^tests/(data|golden/.*\.(txt|json|xml|html|csv)$|fuzz/corpus)")
NO_LICENCE_LINE = re.compile(
    r"(^LICENSE|\.md|\.clang-format|\.gitignore|\.gitattributes|\.json|\.xml|\.csv)$")

# Words and names no file may hold; each pattern is written so as not to match itself.
EVERYWHERE = (
    (r"\b(T[O]DO|F[I]XME|X[X]X|H[A]CK)\b", "unfinished: do it or leave it out"),
    (r"(?i)not [i]mplemented|place[h]older", "unfinished: do it or leave it out"),
    (r"(^|[^\w.])/(wor[k]|roo[t]|hom[e]/\w+)/", "a path of one machine"),
    (r"\b(de[b]|registr[y]|pyp[i]|proxy|file[s])\.[a-z-]+\.(org|com|net|io)\b",
     "the name of a package host"),
    (r"\.\./share[d]\b", "a path outside the project"),
    (r"(?i)\bissue #?[0-9]", "an issue's number: say what it is about"),
    (r"^(<<<<<<<|>>>>>>>) ", "a merge conflict"),
    (r"[ \t]+$", "blanks at the end of the line"),
    (r"\r", "a carriage return"),
)

# Calls that have one place, or none. Files that may use them are named by a pattern.
CALLS = (
    (r"\b(system|popen)\s*\(", r"^tests/", "the shell is never asked to run anything"),
    (r"\b(v?fork|exec[vl]p?e?|posix_spawnp?)\s*\(", r"^(harness/base/spawn\.c|tests/)",
     "only base/spawn.c starts processes"),
    (r"(?<![\w.>])(_?exit|_Exit|abort)\s*\(",
     r"^(harness/(main|base/mem|base/spawn)\.c|kernels/kit/|kernels/probe/|tests/)",
     "library code never ends the process"),
    (r"\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|atoi|atol|atof|tmpnam|mktemp)\s*\(",
     r"^$", "a call that cannot be checked"),
)

SENTENCE = re.compile(r"\w\S*\s+\w.*?[.:](\s|\"|$)", re.S)


def opening(name, text):
    """The comment a file starts with, without its marks; '' when there is none."""
    if name.endswith((".c", ".h", ".def")):
        blocks = re.match(r"\s*/\*(.*?)\*/\s*(?:/\*(.*?)\*/)?", text, re.S)
        return blocks and (blocks[1] + "\n" + re.sub(r"(?m)^\s*\*", "", blocks[2] or ""))
    lines = []
    for line in text.splitlines()[:12]:
        match = re.match(r'\s*(?:#+!?|\.\\"|"""|<!--)(.*)', line)
        if line.strip() and not match and not re.match(r"---$|<\?xml", line):
            break
        lines.append(match[1].strip() if match else "")
    return "\n".join(lines)


def check_opening(name, text):
    comment = opening(name, text) or ""
    head, found, rest = comment.partition("SPDX-License-Identifier: Apache-2.0")
    if not found or head.count("\n") > 2:
        return [f"{name}:1: does not start with 'SPDX-License-Identifier: Apache-2.0'"]
    if name.endswith((".c", ".h", ".def", ".sh", ".py")) and not SENTENCE.search(rest):
        return [f"{name}:2: does not say in a first sentence what it is for"]
    return []


def check_lines(name, text):
    found = []
    rules = [(pattern, why) for pattern, why in EVERYWHERE]
    if name.endswith((".c", ".h")):
        rules += [(pattern, why) for pattern, free, why in CALLS
                  if not re.search(free, name)]
    for number, line in enumerate(text.split("\n"), 1):
        code = re.sub(r"^\s*(/?\*).*|/\*.*?\*/", "", line)
        for pattern, why in rules:
            match = re.search(pattern, line if (pattern, why) in EVERYWHERE else code)
            if match:
                found.append(f"{name}:{number}: '{match[0].strip()}': {why}")
    if text and not text.endswith("\n"):
        found.append(f"{name}:{text.count(chr(10)) + 1}: no newline at the end")
    return found


def check(root):
    found = []
    for name in tree.files(root):
        text = tree.read(root, name)
        if text is None or name == "LICENSE" or DATA.search(name):
            continue
        if not NO_LICENCE_LINE.search(name):
            found += check_opening(name, text)
        found += check_lines(name, text)
    return found
