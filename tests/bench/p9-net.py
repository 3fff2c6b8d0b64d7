#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""P9: assay-net against the OSU micro-benchmarks 7.x on this machine, interleaved.

    p9-net.py BINDIR OSU [--rounds 5] [--over shm|tcp] [--max BYTES] [--median] [TEST...]

OSU is the folder below which OSU's programs were built. In each round the same test runs
three times: ours, theirs, theirs again; every second round backwards. All have two ranks,
one on each of the first two cores, the same mpirun and the same sizes and counts. Ratios
are ours / theirs of the same round, and for comparison theirs / theirs: how far two runs
of one program are apart. A size counts with the median of its rounds, a test with the
geometric mean over its sizes. Times and bandwidths are turned so that more is better.

With --median a run's value is the median of its turns (P50 of both programs) in place of
their mean. It compares the methods where other processes take the CPUs away now and then: one
such moment is longer than all turns of a size together.
"""

import argparse
import math
import os
import re
import statistics
import subprocess

FLOOR, GOAL, WORSE = (0.98, 1.02), (0.99, 1.01), 0.03
TESTS = {"latency": "pt2pt/standard/osu_latency", "bw": "pt2pt/standard/osu_bw",
         "bibw": "pt2pt/standard/osu_bibw", "mbw_mr": "pt2pt/standard/osu_mbw_mr",
         "barrier": "collective/blocking/osu_barrier",
         "bcast": "collective/blocking/osu_bcast",
         "allreduce": "collective/blocking/osu_allreduce",
         "alltoall": "collective/blocking/osu_alltoall"}
HIGHER = ("bw", "bibw", "mbw_mr")
OVER = {"shm": [], "tcp": ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self"]}


def find(folder, name):
    for base, _, files in os.walk(folder):
        if os.path.basename(name) in files and base.endswith(os.path.dirname(name)):
            return os.path.join(base, os.path.basename(name))
    raise SystemExit(f"{folder}: no {name} below it: is it built?")


def run(options, program):
    """{size: value} of the table it prints; the size of a barrier is 0."""
    argv = ["mpirun", "-np", "2", "--bind-to", "core", *OVER[options.over], *program]
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, text=True, check=True, env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    values = {}
    column = 1
    for line in done.stdout.splitlines():
        words = line.split()
        if options.median and "P50" in line:
            # names of columns hold blanks, and only some are apart by more than one
            column = -1 - len(re.findall("P9|Spread", line[line.index("P50"):]))
        if not words or words[0].startswith("#") or not words[0][0].isdigit():
            continue
        if program[-1] == "barrier" or "osu_barrier" in program[0]:
            values[0] = float(words[column if options.median else 0])
        else:
            values[int(words[0])] = float(words[column])
    return values


def programs(options, test):
    size = [] if test == "barrier" else ["-m", f"1:{options.max}"]
    ours = [os.path.join(options.bindir, "assay-net"), *size, "--repeat", "1", test]
    theirs = [find(options.osu, TESTS[test]), *["-z"] * options.median, *size]
    return ours, theirs


def rounds(options, test):
    """One (ours, theirs, theirs again) a round."""
    ours, theirs = programs(options, test)
    for i in range(options.rounds):
        order = [(0, ours), (1, theirs), (2, theirs)]
        found = [None] * 3
        for place, program in reversed(order) if i % 2 else order:
            found[place] = run(options, program)
        yield found


def ratio(test, a, b):
    # two decimals are all that OSU prints: nothing is known below half of the last
    a, b = max(a, 0.005), max(b, 0.005)
    return a / b if test in HIGHER else b / a


def measure(options, test):
    found = list(rounds(options, test))
    sizes = sorted(found[0][1])
    ours = {s: statistics.median(ratio(test, a[s], b[s]) for a, b, _ in found)
            for s in sizes}
    again = {s: statistics.median(ratio(test, c[s], b[s]) for _, b, c in found)
             for s in sizes}
    mean = {name: math.exp(statistics.mean(map(math.log, column.values())))
            for name, column in (("ours", ours), ("again", again))}
    worst = min(sizes, key=ours.get)
    print(f"| {options.over} | {test} | {len(sizes)} | **{mean['ours']:.3f}** "
          f"({min(ours.values()):.3f}-{max(ours.values()):.3f}) | {mean['again']:.3f} "
          f"({min(again.values()):.3f}-{max(again.values()):.3f}) | {worst} |", flush=True)
    if options.sizes:
        for s in sizes:
            theirs = statistics.median(b[s] for _, b, _ in found)
            print(f"    {s:9} {theirs:14.2f} {ours[s]:8.3f} {again[s]:8.3f}")
    return (FLOOR[0] <= mean["ours"] <= FLOOR[1] and
            min(ours.values()) >= min(again.values()) - WORSE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bindir")
    parser.add_argument("osu")
    parser.add_argument("tests", nargs="*", metavar="TEST", choices=TESTS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--over", choices=OVER, default="shm")
    parser.add_argument("--max", type=int, default=1 << 20)
    parser.add_argument("--sizes", action="store_true", help="a line for each size, too")
    parser.add_argument("--median", action="store_true", help="of the turns, not the mean")
    options = parser.parse_intermixed_args()
    print("| over | test | sizes | assay/OSU | OSU/OSU | worst size |")
    print("|---|---|---|---|---|---|")
    good = [measure(options, test) for test in options.tests or TESTS]
    print(f"floor {FLOOR[0]}..{FLOOR[1]}, goal {GOAL[0]}..{GOAL[1]}: "
          f"{sum(good)} of {len(good)} at the floor")
    raise SystemExit(not all(good))


if __name__ == "__main__":
    main()
