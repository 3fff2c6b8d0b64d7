#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""P1, P2, P3: assay-hpl against HPL 2.x and against DGEMM on this machine, interleaved.

    p1-hpl.py BINDIR XHPL [--row P1|P2|P3] [--pairs 5] [--nb 192] [--update auto|own|blas]
              [--keep FILE]

P1: N 8000, 1 x 2, two ranks of one thread; P2: the same with N 16000; P3: N 8000, one rank
of two threads. XHPL is HPL's own program, built beside this project with the same BLAS.
Each turn runs xhpl, assay-hpl and assay-dgemm (n = --dgemm, the same processes and
threads) one after the other; what counts is the median of the turns' ratios. Another
kernel of OpenBLAS for all of them: OPENBLAS_CORETYPE=SkylakeX.

Where the machine is one's own for a minute at a time only: --pairs 1 --keep FILE, again and
again. The file keeps every turn, and what is printed is of all turns of the same kind in
it; --pairs 0 prints alone.
"""

import argparse
import json
import os
import re
import statistics
import tempfile

from turns import records, run

ROWS = {"P1": (8000, 2, 1, 1.15, 0.87), "P2": (16000, 2, 1, 1.12, 0.90),
        "P3": (8000, 1, 2, 1.25, 0.90)}
DAT = """HPLinpack input
for this comparison
HPL.out
6
1
{n} Ns
1
{nb} NBs
0 PMAP
1
1 Ps
{q} Qs
16.0 threshold
1
2 PFACTs
1
4 NBMINs
1
2 NDIVs
1
1 RFACTs
1
1 BCASTs
1
{depth} DEPTHs
2 SWAP
64 threshold
0 L1
0 U
1 Equilibration
8 alignment
"""


def environment(options):
    return {"OMP_NUM_THREADS": str(options.threads), "OMP_PROC_BIND": "true"}


def mpirun(ranks):
    return ["mpirun", "-np", str(ranks), "--bind-to", "none" if ranks == 1 else "core"]


def xhpl(options, folder):
    """GFLOP/s, of a result that passed."""
    out = run([*mpirun(options.ranks), options.xhpl], environment(options), folder)
    if "PASSED" not in out:
        raise SystemExit("xhpl: its check failed")
    return float(re.search(r"^W[RC]\S+ .* (\S+)$", out, re.M).group(1))


def kernel(options, name, *words):
    found = records(["mpirun", "-np", str(options.ranks), "--bind-to", "none",
                     os.path.join(options.bindir, name), "--format", "records",
                     "--threads", str(options.threads), *words], environment(options))
    return [(r["metric"], r["rank"], r["value"]) for r in found if r["kind"] == "sample"]


def turn(options):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "HPL.dat"), "w", encoding="ascii") as f:
            f.write(DAT.format(n=options.n, nb=options.nb, q=options.ranks,
                               depth=1 if options.ranks > 1 else 0))
        theirs = xhpl(options, folder)
    ours = kernel(options, "assay-hpl", "--n", str(options.n), "--nb", str(options.nb),
                  "--update", options.update)
    product = kernel(options, "assay-dgemm", "--n", str(options.dgemm), "--ntimes", "1",
                     "--seconds", "0.1", "--per",
                     "core" if options.ranks > 1 else "node")
    gemm = sum(v for m, _, v in product if m == "dgemm.dgemm") / 1e9
    ours = {m: v for m, r, v in ours if r == 0}
    return theirs, ours["hpl.rate"] / 1e9, gemm, ours


def kind(options):
    """What turns must have in common to be of one kind."""
    return [options.row, options.nb, options.update, options.dgemm,
            os.environ.get("OPENBLAS_CORETYPE", "")]


def turns_of(options):
    """Runs the pairs; these and those of the same kind kept before."""
    turns = []
    if options.keep and os.path.exists(options.keep):
        with open(options.keep, encoding="ascii") as f:
            kept = [json.loads(line) for line in f]
        turns = [k["turn"] for k in kept if k["kind"] == kind(options)]
    for _ in range(options.pairs):
        turns.append(turn(options))
        if options.keep:
            with open(options.keep, "a", encoding="ascii") as f:
                f.write(json.dumps({"kind": kind(options), "turn": turns[-1]}) + "\n")
    return turns


def text(values):
    return (f"{statistics.median(values):.4g} "
            f"({min(values):.4g}-{max(values):.4g})")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bindir")
    parser.add_argument("xhpl", type=os.path.abspath)
    parser.add_argument("--row", choices=ROWS, default="P1")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--nb", type=int, default=192)
    parser.add_argument("--dgemm", type=int, default=8000)
    parser.add_argument("--update", default="auto")
    parser.add_argument("--keep", metavar="FILE")
    options = parser.parse_args()
    options.n, options.ranks, options.threads, floor, share = ROWS[options.row]
    turns = turns_of(options)
    if not turns:
        raise SystemExit("no pair to tell of")
    print(f"{options.row}: N {options.n}, NB {options.nb}, 1 x {options.ranks}, "
          f"{options.threads} threads a rank, {len(turns)} pairs, "
          f"update {options.update}")
    print("xhpl GFLOP/s     ", text([t[0] for t in turns]))
    print("assay-hpl        ", text([t[1] for t in turns]))
    print("assay-dgemm      ", text([t[2] for t in turns]))
    against = [t[1] / t[0] for t in turns]
    of_gemm = [t[1] / t[2] for t in turns]
    print("of xhpl          ", text(against), "floor", floor)
    print("of DGEMM         ", text(of_gemm), "floor", share)
    print("xhpl of DGEMM    ", text([t[0] / t[2] for t in turns]))
    for name in ("panel", "broadcast", "swap", "update", "wait", "time"):
        print(f"{name:17}", text([t[3][f"hpl.{name}"] for t in turns]))
    good = statistics.median(against) >= floor and statistics.median(of_gemm) >= share
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
