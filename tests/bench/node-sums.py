#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether parts add up to the node: bandwidths of all NUMA domains, and DGEMM and fma of
all cores, each as a share of what the node reaches as one, interleaved.

    node-sums.py BINDIR [--pairs 5]

Limit: within 10 % (median of the pairs). Domains are measured one after the other, cores
at the same time.
"""

import argparse
import json
import os
import statistics
import subprocess


def samples(options, program, *words):
    """The best (stream) or only value of each metric and place."""
    out = subprocess.run([os.path.join(options.bindir, program), "--format", "records", *words],
                         stdin=subprocess.DEVNULL, text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    best = {}
    for line in out.splitlines():
        r = json.loads(line[7:]) if line.startswith("@assay ") else {"kind": ""}
        if r["kind"] == "valid" and not r["ok"]:
            raise SystemExit(f"{program}: a check failed")
        if r["kind"] == "sample":
            key = r["metric"], json.dumps(r.get("at", {}))
            best[key] = max(best.get(key, 0), r["value"])
    return best


def total(best, metric):
    return sum(v for (name, _), v in best.items() if name == metric)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bindir")
    parser.add_argument("--pairs", type=int, default=5)
    options = parser.parse_args()
    stream = ["--store", "nt", "--ntimes", "6"]
    dgemm = ["--seconds", "0.5", "--ntimes", "1"]
    cases = [("assay-stream", stream, "domain", ["stream.triad", "stream.read"]),
             ("assay-dgemm", dgemm, "domain", ["dgemm.dgemm", "dgemm.fma"]),
             ("assay-dgemm", dgemm, "core", ["dgemm.dgemm", "dgemm.fma"])]
    ratios = {}
    for _ in range(options.pairs):
        for program, words, per, metrics in cases:
            parts = samples(options, program, *words, "--per", per)
            node = samples(options, program, *words, "--per", "node")
            for metric in metrics:
                ratios.setdefault((metric, per), []).append(
                    total(parts, metric) / total(node, metric))
    bad = False
    for (metric, per), values in ratios.items():
        median = statistics.median(values)
        bad |= not 0.9 <= median <= 1.1
        print(f"{metric:14} sum over each {per:6} {median:.3f} of the node "
              f"({min(values):.3f}-{max(values):.3f}), {len(values)} pairs")
    raise SystemExit(bad)


if __name__ == "__main__":
    main()
