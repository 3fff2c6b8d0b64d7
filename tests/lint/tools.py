# SPDX-License-Identifier: Apache-2.0
"""Checks that other programs make: clang-format, clang-tidy, cppcheck, shellcheck, mandoc."""

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess

import tree

# Other versions of these format and warn differently, so nothing else will do.
CLANG = 14


class Missing(Exception):
    """A program that the check needs is not here."""


def run(argv, cwd=None):
    done = subprocess.run(argv, cwd=cwd, stdin=subprocess.DEVNULL, text=True,
                          errors="replace", stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def program(name):
    path = shutil.which(name)
    if path is None:
        raise Missing(f"{name} is not here")
    return path


def clang_program(name):
    path = shutil.which(f"{name}-{CLANG}")
    if path is None:
        path = program(name)
        if not re.search(rf"version {CLANG}\.", run([path, "--version"])[1]):
            raise Missing(f"{name} {CLANG} is not here, only another version")
    return path


def verdict(status, output, what):
    """Findings of a tool: its own lines; never silent about a bad exit status."""
    if status == 0:
        return []
    return output.splitlines() or [f"{what} ended with status {status}"]


def format_check(root, build):
    del build
    names = tree.sources(root, ".c", ".h")
    argv = [clang_program("clang-format"), "--dry-run", "-Werror", *names]
    return verdict(*run(argv, root), "clang-format") if names else []


def shell_check(root, build):
    del build
    names = tree.sources(root, ".sh", ".sbatch") + \
        [n for n in tree.files(root) if "." not in os.path.basename(n) and
         re.match(r"#!.*\b(ba)?sh\b", (tree.read(root, n) or "").split("\n")[0])]
    names += [".ci/run"] if os.path.exists(os.path.join(root, ".ci/run")) else []
    argv = [program("shellcheck"), "-x", "-P", "SCRIPTDIR", *sorted(set(names))]
    return verdict(*run(argv, root), "shellcheck") if names else []


def man_check(root, build):
    del build
    names = [n for n in tree.files(root) if re.search(r"/man/.*\.[1-8]$", n)]
    argv = [program("mandoc"), "-T", "lint", "-W", "warning", *names]
    return verdict(*run(argv, root), "mandoc") if names else []


def cppcheck(root, build):
    argv = [program("cppcheck"), "--enable=warning,performance,portability",
            "--inline-suppr", "--error-exitcode=1", "--std=c11", "--quiet",
            f"-j{os.cpu_count()}", "--template={file}:{line}: {message} [{id}]",
            "--suppress=missingIncludeSystem",
            f"--library={os.path.join(os.path.dirname(__file__), 'cppcheck.cfg')}",
            f"--project={os.path.join(build, 'compile_commands.json')}"]
    return verdict(*run(argv, root), "cppcheck")


def words(entry):
    """The compiler command of an entry of compile_commands.json, without its output."""
    argv = entry["arguments"] if "arguments" in entry else shlex.split(entry["command"])
    kept, skip = [], False
    for word in argv:
        if not skip and word not in ("-o", "-c"):
            kept.append(word)
        skip = not skip and word == "-o"
    return kept


def fingerprint(entry, rules):
    """Changes with anything that clang-tidy would see; '' when it cannot be told."""
    done = subprocess.run([*words(entry), "-E", "-CC"], cwd=entry["directory"],
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode:
        return ""
    return hashlib.sha256(rules + done.stdout).hexdigest()


def depth(entry):
    """How deep clang-tidy looks: a test is run, and a third of the time goes into them."""
    if "/tests/" not in entry["file"]:
        return []
    return ["--extra-arg=" + word for word in
            ("-Xclang", "-analyzer-config", "-Xclang", "mode=shallow")]


def tidy_one(tool, build, entry, rules):
    """Findings in one file; one found clean is not looked at again until it changes."""
    stamp = os.path.join(build, "tidy", re.sub(r"\W", "_", entry["file"]))
    now = fingerprint(entry, rules)
    if now and os.path.exists(stamp):
        with open(stamp, encoding="ascii") as f:
            if f.read() == now:
                return []
    status, output = run([tool, "-p", build, "--quiet", *depth(entry), entry["file"]])
    found = verdict(status, output, f"clang-tidy {entry['file']}")
    if not found and now:
        with open(stamp, "w", encoding="ascii") as f:
            f.write(now)
    return [line for line in found if not re.search(r"warnings? (generated|treated)", line)]


def tidy(root, build):
    tool = clang_program("clang-tidy")
    rules = "".join(tree.read(root, n) for n in tree.sources(root, ".clang-tidy")).encode()
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as f:
        entries = {entry["file"]: entry for entry in json.load(f)}
    os.makedirs(os.path.join(build, "tidy"), exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(tidy_one, tool, build, entry, rules)
                for _, entry in sorted(entries.items())]
        return [line for job in jobs for line in job.result()]
