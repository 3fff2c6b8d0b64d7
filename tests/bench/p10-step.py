#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `assay run` adds to a bare mpirun of the same program (row P10).

    p10-step.py BINDIR [ROUNDS]

Interleaved, per round: mpirun of assay-stream on small arrays; the same with the MPI
parameters assay adds for a rank alone (no network is set up); `assay run` of a plan with
one such step; of a plan with five. The step's price is (five - one) / 4 - bare, the
whole command's is one - bare: it includes the probe, the folder and the reports.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ALONE = ["--mca", "plm", "isolated", "--mca", "pml", "ob1", "--mca", "btl", "self"]
KERNEL = ["--size", "4M", "--ntimes", "2"]
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def timed(argv, env):
    start = time.monotonic()
    subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - start


def plan(path, steps):
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"plan: p10-{steps}\nstages:\n  - name: s\n    steps:\n")
        for i in range(steps):
            f.write(f"      - {{kernel: stream, name: s{i}, on: node, place: all-cores, "
                    "size: 4M, ntimes: 2}\n")


def main():
    bindir = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    base = tempfile.mkdtemp(prefix="assay-p10-")
    env = dict(os.environ, **(ROOT if os.geteuid() == 0 else {}))
    rows = []
    try:
        for n in (1, 5):
            plan(os.path.join(base, f"{n}.yaml"), n)
        for r in range(rounds + 1):
            bare, alone = (timed(["mpirun", "--bind-to", "none", "-np", "1", *more,
                                  os.path.join(bindir, "assay-stream"), "--format",
                                  "records", *KERNEL], env) for more in ([], ALONE))
            took = {n: timed([os.path.join(bindir, "assay"), "run",
                              os.path.join(base, f"{n}.yaml"), "-o",
                              os.path.join(base, f"r{r}-{n}"), "--launcher", "mpirun",
                              "--allow-root", "--quiet"], os.environ) for n in (1, 5)}
            if r:  # the first round warms caches
                rows.append((bare, alone, took[1], (took[5] - took[1]) / 4))
    finally:
        shutil.rmtree(base, ignore_errors=True)
    for name, values in (
            ("bare mpirun", [r[0] for r in rows]),
            ("bare, same parameters", [r[1] for r in rows]),
            ("assay run, 1 step", [r[2] for r in rows]),
            ("one more step", [r[3] for r in rows]),
            ("one more step - bare", [r[3] - r[0] for r in rows]),
            ("one more step - same", [r[3] - r[1] for r in rows]),
            ("whole command - bare", [r[2] - r[0] for r in rows]),
            ("whole command - same", [r[2] - r[1] for r in rows])):
        print(f"{name:22s} median {statistics.median(values):6.3f} s  "
              f"({min(values):.3f} .. {max(values):.3f}), {len(values)} rounds")


if __name__ == "__main__":
    main()
