# SPDX-License-Identifier: Apache-2.0
"""Every #include "..." against the table harness/layers.txt."""

import os
import re

import tree

TABLE = "harness/layers.txt"
# What an #include is looked up in, after the folder of the file itself.
INCLUDE_DIRS = ("harness", "", "kernels")
# Written by the build; open to all, like base.
GENERATED = ("assay_build.h",)
OPEN = "harness/base"
# Tests reach into every layer.
FREE = "tests"


def load(root):
    """The table: folder of a layer -> folders of the layers it may include."""
    rows, found = {}, []
    for line in tree.read(root, TABLE).splitlines():
        words = line.split("#")[0].split()
        if words:
            rows[words[0]] = [word for word in words[1:] if word != "-"]
    by_name = {folder.split("/")[-1]: folder for folder in rows}
    for folder, names in rows.items():
        found += [f"{TABLE}: '{folder}' names the unknown layer '{name}'"
                  for name in names if name not in by_name]
        if not os.path.isdir(os.path.join(root, folder)) and folder == OPEN:
            found.append(f"{TABLE}: there is no folder '{folder}'")
    return {folder: {by_name[name] for name in names if name in by_name}
            for folder, names in rows.items()}, found


def layer_of(table, name):
    """The layer of a file: the row with the longest folder it lies in, or None."""
    rows = [row for row in table if name.startswith(row + "/")]
    return max(rows, key=len, default=None)


def resolve(root, name, included):
    for folder in (os.path.dirname(name), *INCLUDE_DIRS):
        path = os.path.normpath(os.path.join(folder, included))
        if os.path.isfile(os.path.join(root, path)):
            return path
    return None


def check_include(root, table, name, layer, included):
    if ".." in included.split("/"):
        return f"includes '{included}': '..' is not allowed, name it from its layer"
    if included in GENERATED:
        return None
    path = resolve(root, name, included)
    if path is None:
        return f"includes '{included}', which is not in the tree"
    if name.startswith(FREE + "/"):
        return None
    target = layer_of(table, path)
    if target in (layer, OPEN) or target in table[layer]:
        return None
    return (f"includes '{included}': layer '{layer}' may not include "
            f"'{target or os.path.dirname(path)}' ({TABLE})")


def check(root):
    table, found = load(root)
    for name in tree.sources(root, ".c", ".h", ".def"):
        layer = layer_of(table, name)
        if layer is None and not name.startswith(FREE + "/"):
            found.append(f"{name}:1: its folder is in no row of {TABLE}")
            continue
        for number, line in enumerate(tree.read(root, name).splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            wrong = match and check_include(root, table, name, layer, match[1])
            if wrong:
                found.append(f"{name}:{number}: {wrong}")
    return found
