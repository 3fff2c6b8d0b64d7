#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judging and reporting a large run (row P11): journals of made-up fleets, timed.

    p11-judge.py BINDIR [--nodes 1000,10000] [--repetitions 1] [--rounds 5] [--keep DIR]

A node has 20 series: stream in two placements (copy, scale, add, triad with both kinds of
stores, and read) and two of dgemm, and one node in a hundred is slow. Timed are, for each
size, the whole commands `assay judge DIR` (which writes all reports) and `assay report DIR
--format term,json,junit`, and parts of them: the library by judge_bench (replay, judge),
one report at a time. Each is a process of its own: median of the rounds, wall and
processor time (the same on a machine that does nothing else), and the largest memory.
Linear means: ten times the nodes, ten times the processor time.
"""
import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

STREAM = ["copy", "scale", "add", "triad"]
CPU = "AMD EPYC 7713 64-Core Processor"


def metric(name, unit):
    return {"name": name, "unit": unit, "better": "higher", "reduce": "best", "help": "x"}


KERNELS = {
    "stream": {"kernel": "stream", "shape": "node",
               "metrics": [metric(f"stream.{m}", "B/s") for m in STREAM + ["read"]]},
    "dgemm": {"kernel": "dgemm", "shape": "node",
              "metrics": [metric(f"dgemm.{m}", "FLOP/s") for m in ("dgemm", "fma")]},
}


def facts(i):
    return {"cpu": {"model": CPU, "vendor": "AuthenticAMD", "family": 25,
                    "sockets": 2, "cores": 128, "threads": 128, "smt": False,
                    "online": "0-127", "offline": "", "mask": "0-127",
                    "flags": ["sse2", "avx", "avx2", "fma", "constant_tsc"]},
            "cache": {"l3_size": 33554432, "l3_instances": 16, "llc_total": 536870912},
            "numa": [{"id": n, "cpus": f"{16 * n}-{16 * n + 15}", "memory": 67432595456}
                     for n in range(8)],
            "memory": {"total": 540431955284, "available": 531502768128 - i},
            "os": {"kernel": "5.14.0", "hostname": f"n{i:05d}", "thp": "madvise"},
            "dmi": {"vendor": "Dell Inc.", "product": "PowerEdge C6525"},
            "smbios": {"sockets": 2, "sockets_populated": 2, "dimm_slots": 16,
                       "dimms": [{"size": 34359738368, "type": "DDR4", "speed": 3.2e9,
                                  "configured": 3.2e9, "rank": 2, "maker": "Samsung",
                                  "part": "M393A4K40DB3-CWE",
                                  "slots": [f"{s}{n}" for s in "AB" for n in range(1, 9)]}],
                       "slots": [{"name": "PCIe Slot 1", "address": "0000:21:00.0"}]},
            "pci": {"0000:21:00.0": {
                "class": "infiniband", "vendor": "15b3", "device": "101b", "numa": 1,
                "driver": "mlx5_core", "names": ["mlx5_0", "ib0"],
                "links": [{"device": "0000:21:00.0", "port": "0000:20:01.1",
                           "now_speed": 1.6e10, "now_width": 16, "max_speed": 1.6e10,
                           "max_width": 16, "port_speed": 1.6e10, "port_width": 16}]}},
            "hca": {"mlx5_0": {"type": "MT4123", "firmware": "20.31.1014", "numa": 1,
                               "board": "MT_0000000223", "pci": "0000:21:00.0",
                               "guid": "0c42:a103:0011:2233",
                               "ports": [{"port": 1, "state": "ACTIVE", "lid": "0x1a",
                                          "physical": "LinkUp", "rate": 2.5e10,
                                          "width": "4X HDR", "layer": "InfiniBand"}]}},
            "net": {"eno1": {"mtu": 1500, "carrier": True, "speed": 3.125e9, "numa": 0},
                    "ib0": {"mtu": 2044, "carrier": True, "pci": "0000:21:00.0"}},
            "clean": {"busy": 0.03125, "processes": [], "sample": 0.125, "waiting": 0,
                      "zombies": 0},
            "clock": {"start": 1.8e9, "end": 1.8e9, "skew": (i % 7) / 1024,
                      "uncertainty": 0.015625},
            "virtual": "none", "load": 0.0625}


def series(step):
    """Metric, place on the scale, size, unit of what one launch gives."""
    if step == 2:
        return [("dgemm.dgemm", None, 3.9e12, "FLOP/s"), ("dgemm.fma", None, 4.6e12, "FLOP/s")]
    both = [(f"stream.{m}", {"store": s}, 3.6e11 if s == "nt" else 2.7e11, "B/s")
            for s in ("nt", "plain") for m in STREAM]
    return both + [("stream.read", None, 3.5e11, "B/s")]


STEPS = [("node/stream", "stream", "all-cores"), ("node/stream-1-per-l3", "stream", "1-per-l3"),
         ("node/dgemm", "dgemm", "all-cores")]


def sorted_keys(value):
    if isinstance(value, list):
        return [sorted_keys(v) for v in value]
    if isinstance(value, dict):
        return {k: sorted_keys(value[k]) for k in sorted(value)}
    return value


def write_journal(folder, nodes, repetitions):
    rng = random.Random(11)
    t = 1.8e9
    names = [f"n{i:05d}" for i in range(nodes)]
    step = 0
    with open(os.path.join(folder, "journal.jsonl"), "w", encoding="utf-8") as out:
        def put(kind, **fields):
            # as the controller writes: fields in the order given, keys inside them sorted
            whole = {"kind": kind, "t": t, **{k: sorted_keys(v) for k, v in fields.items()}}
            out.write(json.dumps(whole, separators=(",", ":")) + "\n")
        put("run", id="p11", version="0", build="0", host="head", pid=1, command=["assay"])
        put("plan", name="p11", nodes=names, requires=["stream.triad", "facts.pcie"],
            site={"name": "p11", "nodes": nodes,
                  "expect": {"cpu": "AMD EPYC 7713", "memory": "512 GiB", "dimms": "16",
                             "hca_rate": "200 Gb/s"}},
            limits={"time": 14400, "rounds": 6, "repeats": 5}, kernels=KERNELS)
        for i, name in enumerate(names):
            put("node", node=name, host=name, **{"class": "amd-epyc-7713x2-1a2b3c4d"},
                facts=facts(i))
        for i, name in enumerate(names):
            for s, (label, kernel, place) in enumerate(STEPS):
                step += 1
                key = f"{label}@{name}"
                put("step", step=step, attempt=1, event="planned", key=key, name=label,
                    kernel=kernel, place=place, nodes=[name], ranks=1, limit=600)
                put("step", step=step, attempt=1, event="started", key=key,
                    launcher="mpirun", argv=["mpirun", "assay-" + kernel])
                put("rank", step=step, attempt=1, node=name, rank=0, host=name, pid=7,
                    mask="0-127", cpuset="0-127", threads=128)
                speed = 0.6 if i % 100 == 7 else 1.0
                for metric_name, at, size, unit in series(s):
                    for r in range(repetitions):
                        value = size * speed * rng.gauss(1, 0.005)
                        where = {"at": at} if at else {}
                        put("sample", step=step, attempt=1, node=name, rank=0,
                            metric=metric_name, **where, value=value, unit=unit,
                            repetition=r + 1)
                put("valid", step=step, attempt=1, node=name, rank=0, check="mean error",
                    value=0, limit=1e-13, ok=True)
                put("step", step=step, attempt=1, event="ended", key=key, exit=0,
                    duration=12.5, cause="ok")
        put("end", exit=1, verdict="FAIL")


def measure(argv):
    """Seconds, seconds on a processor and peak MB of one process."""
    start = time.monotonic()
    process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):  # 1 is a FAIL, of which there are some
        sys.exit(f"{' '.join(argv)} ended with {process.returncode}")
    return (time.monotonic() - start, usage.ru_utime + usage.ru_stime,
            usage.ru_maxrss / 1024)


def own_memory():
    """Peak MB of this process. A process is a copy of its parent at first, and its peak
    memory is never less than that: a parent that held the reports would be measured
    instead of the command that writes them."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def commands(bindir, folder):
    assay = os.path.join(bindir, "assay")
    report = [assay, "report", folder]
    return ([("assay judge", [assay, "judge", folder]),
             ("assay report term,json,junit", report + ["--format=term,json,junit"]),
             ("replay + judge (library)", [os.path.join(bindir, "judge_bench"), folder])]
            + [(f"assay report {form}", report + [f"--format={form}"])
               for form in ("term", "json", "junit")])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bindir")
    parser.add_argument("--nodes", default="1000,10000")
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--keep", help="folder for the journals, which stay")
    args = parser.parse_args()
    last = {}  # busy seconds of the size before
    base = args.keep or tempfile.mkdtemp(prefix="assay-p11-")
    try:
        for nodes in [int(n) for n in args.nodes.split(",")]:
            folder = os.path.join(base, f"{nodes}x{args.repetitions}")
            os.makedirs(folder, exist_ok=True)
            write_journal(folder, nodes, args.repetitions)
            size = os.path.getsize(os.path.join(folder, "journal.jsonl")) / 1e6
            print(f"{nodes} nodes x 20 series x {args.repetitions} repetitions, "
                  f"journal {size:.0f} MB")
            for name, argv in commands(args.bindir, folder):
                runs = [measure(argv) for _ in range(args.rounds)]
                wall, busy = (statistics.median(r[i] for r in runs) for i in (0, 1))
                peak = max(r[2] for r in runs)
                less = "<" if peak <= own_memory() else " "
                times = f"  x {busy / last[name]:.1f}" if name in last else ""
                print(f"  {name:32} {wall:7.2f} s, {busy:6.2f} s busy  {less}{peak:5.0f} MB"
                      f"{times}")
                last[name] = busy
    finally:
        if not args.keep:
            shutil.rmtree(base, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
