# SPDX-License-Identifier: Apache-2.0
"""The files of a source tree, as the checks see them."""

import os
import shutil
import subprocess


def git_files(root):
    """None when git is not here, or root is not a work tree that it likes."""
    if not shutil.which("git") or not os.path.exists(os.path.join(root, ".git")):
        return None
    done = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others",
                           "--exclude-standard"], capture_output=True, check=False)
    if done.returncode:
        return None
    return {name.decode() for name in done.stdout.split(b"\0") if name}


def files(root):
    """Names relative to root: what git knows or would add; without git, all there is."""
    names = git_files(root)
    if names is not None:
        return sorted(n for n in names if os.path.isfile(os.path.join(root, n)))
    names = []
    for folder, folders, inside in os.walk(root):
        folders[:] = [f for f in folders if f not in (".git", "__pycache__") and
                      not (folder == root and f.startswith("build"))]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in inside]
    return sorted(names)


def sources(root, *suffixes):
    return [name for name in files(root) if name.endswith(suffixes)]


def read(root, name):
    """Text of a file, None when it is not text."""
    with open(os.path.join(root, name), "rb") as f:
        data = f.read()
    if b"\0" in data:
        return None
    return data.decode(errors="surrogateescape")
