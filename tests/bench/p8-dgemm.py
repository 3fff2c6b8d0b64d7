#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""P8 and P12: assay-dgemm against a bare loop of cblas_dgemm, and its fma against
likwid-bench, on this machine, interleaved.

    p8-dgemm.py BINDIR [--pairs 7] [--threads N] [--n ROWS] [--seconds S]

P8: the same product on as many threads by the same BLAS (whatever libblas the loader
finds), one after the other; P12: peakflops_avx512_fma or the widest there is. A machine's
clock drifts, so what counts is the median of the pairs' ratios; the order within a pair
alternates.
"""

import argparse
import os
import re

from turns import in_turn, records, report, run, samples, widest


def assay(options):
    """FLOP/s of dgemm and fma of one repetition."""
    values = samples(records([os.path.join(options.bindir, "assay-dgemm"), "--format", "records",
                      "--threads", str(options.threads), "--n", str(options.n),
                      "--ntimes", "1", "--seconds", str(options.seconds)]))
    return values["dgemm.dgemm"], values["dgemm.fma"]


def bare(options):
    env = {"OMP_NUM_THREADS": str(options.threads), "OMP_PROC_BIND": "true"}
    return float(run([os.path.join(options.bindir, "bare_dgemm"), str(options.n),
                      str(options.seconds)], env))


def likwid(options):
    """FLOP/s; as many iterations as take about --seconds."""
    def once(iterations):
        out = run(["likwid-bench", "-t", options.test, "-i", str(iterations),
                   "-w", f"S0:{16 * options.threads}kB:{options.threads}"])
        return (float(re.search(r"^MFlops/s:\s+([0-9.]+)", out, re.M).group(1)) * 1e6,
                float(re.search(r"^Time:\s+([0-9.e+-]+)", out, re.M).group(1)))

    rate, took = once(options.iterations)
    if took < options.seconds / 2:
        options.iterations = int(options.iterations * options.seconds / max(took, 1e-4)) + 1
        rate, took = once(options.iterations)
    return rate


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bindir")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--n", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()
    options.test = widest({"avx512f": "peakflops_avx512_fma",
                           "fma": "peakflops_avx_fma"}, "peakflops_sse")
    options.iterations = 1000
    rows = in_turn(options.pairs, lambda: assay(options),
                   lambda: (bare(options), likwid(options)))
    dgemm, fma = (report(name, peer, [r[0][i] for r in rows], [r[1][i] for r in rows],
                         "GFLOP/s")
                  for i, (name, peer) in enumerate((("dgemm", "bare"), ("fma", "likwid"))))
    print(f"P8: floor 0.98, goal 1.0: {dgemm:.3f}; P12: floor 0.97, goal 1.0: {fma:.3f}")
    raise SystemExit(dgemm < 0.98 or fma < 0.97)


if __name__ == "__main__":
    main()
