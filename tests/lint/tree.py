# SPDX-License-Identifier: Apache-2.0
"""The files of a source tree, as the checks see them."""

import os
import subprocess


def files(root):
    """Names relative to root: what git knows or would add; without git, all there is."""
    git = ["git", "-C", root, "ls-files", "-z", "--cached", "--others",
           "--exclude-standard"]
    done = subprocess.run(git, capture_output=True, check=False)
    if done.returncode == 0 and os.path.exists(os.path.join(root, ".git")):
        names = [name.decode() for name in done.stdout.split(b"\0") if name]
        return sorted(n for n in set(names) if os.path.isfile(os.path.join(root, n)))
    names = []
    for folder, folders, inside in os.walk(root):
        folders[:] = [f for f in folders if f != ".git" and not f.startswith("build")]
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
