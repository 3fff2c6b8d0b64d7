#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kills the controller after each of its changes of the disk in turn and resumes it.

    resume_points.py BINDIR SCRIPT PLAN [STRIDE [WORD...]]

SCRIPT is what the test launcher plays. After every kill and resume: the journal is valid
line by line, every step ended exactly once with the cause of an undisturbed run, no
sample counts twice, and the verdicts are those of the undisturbed run.
"""
import concurrent.futures
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile


def run(bindir, words, script, killpoint=None):
    env = dict(os.environ, ASSAY_TEST_LAUNCHER=script)
    argv = [os.path.join(bindir, "assay"), "run", *words, "--launcher", "test",
            "--allow-root", "--quiet"]
    if killpoint is not None:
        argv = [os.path.join(bindir, "killpoint"), str(killpoint), "--", *argv]
    return subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=200, check=False)


def outcome(folder):
    """What a journal says, in a form that two runs of the same plan share."""
    steps, counted, total = {}, {}, 0
    with open(os.path.join(folder, "journal.jsonl"), encoding="utf-8") as f:
        lines = f.read().split("\n")
    assert lines[-1] == "", "the journal ends in half a line"
    attempts = {}
    for line in lines[:-1]:
        r = json.loads(line)
        if r["kind"] == "step":
            attempts[r["step"]] = max(r["attempt"], attempts.get(r["step"], 0))
            if r["event"] == "ended":
                ended = steps.setdefault((r["step"], r["key"]), [])
                assert r["attempt"] not in [a for a, _ in ended], f"ended twice: {line}"
                ended.append((r["attempt"], r["cause"]))
    for line in lines[:-1]:
        r = json.loads(line)
        if r["kind"] == "sample":
            total += 1
            if r["attempt"] == attempts[r["step"]]:
                where = (r["step"], r["metric"], json.dumps(r.get("at")), r["repetition"],
                         r.get("rank"))
                assert where not in counted, f"sample counted twice: {line}"
                counted[where] = r["value"]
    for (step, key), ended in steps.items():
        assert len(ended) == 1, f"step {step} {key} ended {len(ended)} times: {ended}"
    return {"steps": {k: v[0][1] for k, v in steps.items()}, "samples": counted}, total


def verdicts(folder):
    with open(os.path.join(folder, "report.json"), encoding="utf-8") as f:
        report = json.load(f)
    # how busy this machine is at the moment is another's business
    keep = ("rule", "step", "node", "metric", "at", "value", "n", "verdict", "cause")
    rows = [{k: v.get(k) for k in keep} for v in report["verdicts"]
            if v["rule"] != "facts"]
    return report["exit"], rows


def one(point, bindir, script, words, want, base):
    folder = os.path.join(base, f"p{point}")
    first = run(bindir, [*words, "-o", folder], script, point)
    assert first.returncode == 137, f"point {point}: status {first.returncode}, not killed"
    again = run(bindir, ["--resume", folder], script)
    if again.returncode == 2:
        # killed before there was anything to resume: nothing was measured
        journal = os.path.join(folder, "journal.jsonl")
        begun = os.path.exists(journal) and '"kind":"plan"' in open(journal).read()
        assert not begun, f"point {point}: {again.stderr.decode()}"
        shutil.rmtree(folder, ignore_errors=True)
        return "before"
    assert again.returncode == want["status"], (
        f"point {point}: resumed run ended with {again.returncode}\n" + again.stderr.decode())
    got, _ = outcome(folder)
    assert got == want["outcome"], f"point {point}: {got}\nwanted {want['outcome']}"
    now = verdicts(folder)
    assert now == want["verdicts"], f"point {point}: verdicts differ: " + "; ".join(
        f"{a} instead of {b}" for a, b in itertools.zip_longest(now[1], want["verdicts"][1])
        if a != b)
    left = [n for n in os.listdir(folder) if n.endswith(".new") or n.startswith(".")]
    assert not left, f"point {point}: {left} left behind"
    shutil.rmtree(folder)
    return "resumed"


def main():
    bindir, script, plan = sys.argv[1:4]
    stride = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    words = sys.argv[5:]
    base = tempfile.mkdtemp(prefix="assay-points-")
    try:
        whole = os.path.join(base, "whole")
        words = [plan, *words]
        first = run(bindir, [*words, "-o", whole], script)
        want = {"status": first.returncode, "outcome": outcome(whole)[0],
                "verdicts": verdicts(whole)}
        assert want["outcome"]["samples"], "the undisturbed run measured nothing:\n" + \
            first.stderr.decode()
        counted = run(bindir, [*words, "-o", os.path.join(base, "count")], script, "count")
        n = int(counted.stdout.split()[-1])
        points = range(1, n, stride)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(
                lambda p: one(p, bindir, script, words, want, base), points))
        print(f"{len(results)} kill points of {n}: {results.count('resumed')} resumed, "
              f"{results.count('before')} before anything was measured")
        # before that, each shipped configuration file is copied: that share only grows
        assert results.count("resumed") > len(results) // 4
    finally:
        shutil.rmtree(base, ignore_errors=True)


if __name__ == "__main__":
    main()
