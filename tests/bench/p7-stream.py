#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""P7: assay-stream against likwid-bench on this machine, interleaved.

    p7-stream.py BINDIR [--pairs 15] [--threads N] [--size BYTES-OF-ONE-ARRAY]

Triad with non-temporal stores against stream_mem_*, read against load_*: the widest
instructions the CPU has, the same threads, array size and counted bytes. Both programs
run in turn, each time for one sweep over the arrays (assay-stream one more to warm up, as
STREAM does); a pair is the best of each over --sweeps turns, STREAM's own statistic. A
machine's bandwidth drifts, so what counts is the median of the pairs' ratios.

likwid-bench times each thread by itself: on a machine that does other work its threads
do not run side by side and seem faster than they are. There, as root, first go into a
control group of its own that gets nearly all of the processors:

    mkdir /sys/fs/cgroup/cpu/bench; echo 262144 > /sys/fs/cgroup/cpu/bench/cpu.shares
    echo $$ > /sys/fs/cgroup/cpu/bench/cgroup.procs
"""

import argparse
import os
import re

from turns import in_turn, records, report, run, samples, widest

FLOOR, GOAL = 0.97, 1.0


def assay(options):
    """Rates of triad and read in one counted repetition, in B/s."""
    values = samples(records([os.path.join(options.bindir, "assay-stream"), "--format", "records",
                      "--store", "nt", "--threads", str(options.threads),
                      "--size", str(options.size), "--ntimes", "2"]))
    return values["stream.triad"], values["stream.read"]


def likwid(options, test):
    """Rate of one iteration of a test of likwid-bench, in B/s."""
    out = run(["likwid-bench", "-t", test, "-i", "1",
               "-w", f"S0:{3 * options.size}B:{options.threads}"])
    return float(re.search(r"^MByte/s:\s+([0-9.]+)", out, re.M).group(1)) * 1e6


def pair(options, isa):
    """Best of --sweeps turns: (triad, read) of ours and (triad, read) of likwid's."""
    # the arrays of load_* are one of three times the size: read sweeps over all three
    rows = in_turn(options.sweeps, lambda: assay(options),
                   lambda: (likwid(options, f"stream_mem_{isa}"),
                            likwid(options, f"load_{isa}")))
    return tuple([max(column) for column in zip(*side)] for side in zip(*rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bindir")
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--size", type=int, default=128 << 20)
    parser.add_argument("--sweeps", type=int, default=8)
    options = parser.parse_args()
    isa = widest({"avx512f": "avx512", "avx": "avx"}, "sse")
    pairs = [pair(options, isa) for _ in range(options.pairs)]
    medians = {name: report(name, "likwid", [p[0][i] for p in pairs], [p[1][i] for p in pairs])
               for i, name in enumerate(("triad", "read"))}
    print(f"floor {FLOOR}, goal {GOAL}: triad {medians['triad']:.3f}")
    raise SystemExit(medians["triad"] < FLOOR)


if __name__ == "__main__":
    main()
