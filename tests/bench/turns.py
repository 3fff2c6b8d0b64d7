# SPDX-License-Identifier: Apache-2.0
"""What the benches against a peer share: programs that run in turn, and the medians of
their ratios. A machine's clock and bandwidth drift, so only what ran side by side may be
divided."""

import json
import os
import statistics
import subprocess


MPI_AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(argv, env=None, folder=None):
    """What a program prints; it must end well. @env is added to that of this process."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True, check=False, cwd=folder,
                          env={**os.environ, **MPI_AS_ROOT, **(env or {})},
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise SystemExit(f"{argv}: status {done.returncode}: {done.stderr[-1000:]}")
    return done.stdout


def records(argv, env=None):
    """A kernel's records; its own checks must be good."""
    found = [json.loads(line[7:]) for line in run(argv, env).splitlines()
             if line.startswith("@assay ")]
    if not all(r["ok"] for r in found if r["kind"] == "valid"):
        raise SystemExit(f"{argv}: a check failed")
    return found


def samples(found):
    """{metric: value} of records, those of rank 0 where ranks have their own."""
    return {r["metric"]: r["value"] for r in found
            if r["kind"] == "sample" and not r.get("rank")}


def widest(names, otherwise):
    """Of {flag of /proc/cpuinfo: name}, the widest first, that of the first this CPU has."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        flags = set(f.read().split())
    return next((name for flag, name in names.items() if flag in flags), otherwise)


def in_turn(pairs, ours, theirs):
    """[(ours(), theirs())] of @pairs turns; who goes first alternates."""
    rows = []
    for turn in range(pairs):
        if turn % 2:
            second = theirs()
            rows.append((ours(), second))
        else:
            rows.append((ours(), theirs()))
    return rows


def report(name, peer, ours, theirs, unit="GB/s", scale=1e9):
    """Prints medians and ranges of both and of the ratios; the median of the ratios."""
    ratios = [a / b for a, b in zip(ours, theirs)]
    for who, values in (("assay", ours), (peer, theirs)):
        print(f"{name:6} {who:7} {statistics.median(values) / scale:8.2f} {unit} "
              f"({min(values) / scale:.2f}-{max(values) / scale:.2f})")
    print(f"{name:6} {'ratio':7} {statistics.median(ratios):8.3f} {'':{len(unit)}} "
          f"({min(ratios):.3f}-{max(ratios):.3f}), {len(ratios)} pairs", flush=True)
    return statistics.median(ratios)
