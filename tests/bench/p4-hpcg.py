#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""P4, P5, P6: assay-hpcg against HPCG 3.1's reference on this machine, interleaved.

    p4-hpcg.py BINDIR --reference XHPCG [--threaded XHPCG-OMP] [--debug XHPCG-DEBUG]
               [--pairs 5] [--time S] [--rows p4,p5,p5t,p6]

XHPCG is HPCG 3.1 built with MPI alone, XHPCG-OMP with OpenMP, XHPCG-DEBUG with its debug
output. Both programs run in turn with the same box, ranks and time; a pair's ratio is
that of the ratings, each with its own set-up charged. A machine's bandwidth drifts, so
what counts is the median of the pairs' ratios.

  p4   104^3, two ranks          p5   64^3, two ranks
  p5t  104^3, one rank with two threads, against XHPCG-OMP
  p6   bandwidth of SpMV and MG at 104^3, two ranks, over the `read` of assay-stream with
       two threads that ran just before and just after

With --debug the residuals of 50 iterations of both at 64^3 are compared, too: as many
digits as XHPCG prints, six.
"""

import argparse
import glob
import os
import re
import statistics
import tempfile

from turns import in_turn, records, run, samples

FLOORS = {"p4": (2.0, 2.4), "p5": (1.5, 2.0), "p5t": (2.2, 2.6),
          "p6 spmv": (0.85, 0.95), "p6 mg": (0.85, 0.95)}
MPIRUN = ["mpirun", "--bind-to", "none"]


def bound(ranks):
    """Each rank of the reference on a core of its own; with threads, on all of them."""
    return ["mpirun", "--bind-to", "core" if ranks > 1 else "none", "-np", str(ranks)]


def reference(program, options, side, ranks, threads):
    """FLOP/s of the reference."""
    with tempfile.TemporaryDirectory() as folder:
        run(bound(ranks) + [program, f"--nx={side}", f"--ny={side}", f"--nz={side}",
                            f"--rt={options.time}"], {"OMP_NUM_THREADS": str(threads)},
            folder)
        with open(glob.glob(folder + "/HPCG-Benchmark*.txt")[0], encoding="utf-8") as f:
            text = f.read()
    return float(re.search(r"rating of=([0-9.e+]+)", text).group(1)) * 1e9


def kernel(options, name, words, ranks=1):
    return records(MPIRUN + ["-np", str(ranks), os.path.join(options.bindir, name),
                             "--format", "records"] + words, {"OMP_NUM_THREADS": "1"})


def ours(options, side, ranks, threads):
    return samples(kernel(options, "assay-hpcg",
                           ["--nx", str(side), "--threads", str(threads), "--time",
                            str(options.time)], ranks))


def read(options):
    found = kernel(options, "assay-stream", ["--threads", "2", "--ntimes", "6", "--store",
                                              "plain"])
    return max(r["value"] for r in found
               if r["kind"] == "sample" and r["metric"] == "stream.read")


def report(row, name, values):
    print(f"{row:8} {name:10} {statistics.median(values):8.3f} "
          f"({min(values):.3f}-{max(values):.3f}), {len(values)} runs", flush=True)


def against(options, row, program, side, ranks, threads):
    if not program:
        return
    pairs = in_turn(options.pairs,
                    lambda: ours(options, side, ranks, threads)["hpcg.rate"],
                    lambda: reference(program, options, side, ranks, threads))
    report(row, "assay", [p[0] / 1e9 for p in pairs])
    report(row, "reference", [p[1] / 1e9 for p in pairs])
    report(row, "ratio", [p[0] / p[1] for p in pairs])
    print(f"{row:8} floor {FLOORS[row][0]}, goal {FLOORS[row][1]}")


def roof(options):
    shares = {"spmv": [], "mg": []}
    for _ in range(options.pairs):
        before = read(options)
        mine = ours(options, 104, 2, 1)
        after = read(options)
        for name, values in shares.items():
            values.append(mine["hpcg." + name] / ((before + after) / 2))
        print(f"p6       read {before / 1e9:.1f} {after / 1e9:.1f}, "
              f"spmv {mine['hpcg.spmv'] / 1e9:.1f}, mg {mine['hpcg.mg'] / 1e9:.1f} GB/s")
    for name, values in shares.items():
        report("p6 " + name, "of read", values)
        print(f"p6 {name:5} floor {FLOORS['p6 ' + name][0]}, goal {FLOORS['p6 ' + name][1]}")


def history(options):
    with tempfile.TemporaryDirectory() as folder:
        run(bound(2) + [options.debug, "--nx=64", "--ny=64", "--nz=64", "--rt=1"],
            {"OMP_NUM_THREADS": "1"}, folder)
        # every rank has a file; rank 0's has no number behind its date
        name = [n for n in glob.glob(folder + "/hpcg2*.txt") if "_" not in os.path.basename(n)][0]
        with open(name, encoding="utf-8") as f:
            found = re.findall(r"Iteration = (\d+)\s+Scaled Residual = (\S+)", f.read())
    theirs = [float(v) for _, v in found[:50]]
    text = [r["text"] for r in kernel(options, "assay-hpcg",
                                       ["--nx", "64", "--threads", "1", "--time", "0",
                                        "--history"], 2)
            if r["kind"] == "event" and r["what"] == "history"]
    mine = [float(t.split()[-1]) for t in text][1:]
    worst = max(abs(float(f"{a:.6g}") / b - 1) for a, b in zip(mine, theirs))
    print(f"residuals of {min(len(mine), len(theirs))} iterations at 64^3, two ranks: largest "
          f"difference {worst:.2g}; last {mine[-1]:.6g} and {theirs[-1]:.6g}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bindir")
    parser.add_argument("--reference", required=True)
    parser.add_argument("--threaded")
    parser.add_argument("--debug")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--time", type=int, default=5)
    parser.add_argument("--rows", default="p4,p5,p5t,p6")
    options = parser.parse_args()
    rows = options.rows.split(",")
    if options.debug:
        history(options)
    if "p4" in rows:
        against(options, "p4", options.reference, 104, 2, 1)
    if "p5" in rows:
        against(options, "p5", options.reference, 64, 2, 1)
    if "p5t" in rows:
        against(options, "p5t", options.threaded, 104, 1, 2)
    if "p6" in rows:
        roof(options)


if __name__ == "__main__":
    main()
