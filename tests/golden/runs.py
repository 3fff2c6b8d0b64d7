# SPDX-License-Identifier: Apache-2.0
"""Run folders made by hand: a journal as a run of the plan "nodes" on four machines leaves
it. One is slow, one hung, the host name of one tries to clear the screen."""

import json
import pathlib

KERNEL = {
    "kernel": "stream", "shape": "node",
    "metrics": [{"name": f"stream.{name}", "unit": "B/s", "better": "higher",
                 "reduce": "best"} for name in ("copy", "scale", "add", "triad", "read")],
}
METRICS = {"stream.copy": 330e9, "stream.triad": 372e9, "stream.read": 350e9}
SLOW, HUNG, HOSTILE = "n01", "n03", "n04"


def records(nodes, status):
    """Every record of the journal, in order; no end where there is no status."""
    yield {"kind": "run", "id": "20261130T120000Z-00c0ffee", "version": "0.1.0",
           "build": "abc", "host": "head", "pid": 4711, "user": "operator",
           "command": ["assay", "run", "nodes.yaml"], "env": {"SLURM_JOB_ID": "7"}}
    yield {"kind": "plan", "name": "nodes", "nodes": nodes, "requires": [],
           "limits": {"repeats": 5}, "kernels": {"stream": KERNEL}}
    for node in nodes:
        yield {"kind": "node", "node": node, "class": "milan", "facts": {
            "cpu": {"model": "AMD EPYC 7713 64-Core Processor", "sockets": 2,
                    "cores": 128}, "virtual": "none"}}
    for number, node in enumerate(nodes, 1):
        yield from step(number, node)
    if status is not None:
        yield {"kind": "end", "exit": status, "verdict": "FAIL"}


def step(number, node):
    """One launch of the kernel on one node."""
    base = {"kind": "step", "step": number, "attempt": 1, "key": f"nodes/stream@{node}",
            "name": "nodes/stream"}
    of = {"step": number, "attempt": 1, "node": node}
    yield {**base, "event": "planned", "kernel": "stream", "place": "1-per-l3",
           "nodes": [node], "ranks": 1, "limit": 600}
    yield {**base, "event": "started", "launcher": "mpirun",
           "argv": ["mpirun", "-np", "1", "--host", node, "/opt/assay/bin/assay-stream",
                    "--format", "records", "--note", "it's here"]}
    if node == HUNG:
        yield {**base, "event": "ended", "signal": 9, "duration": 600.5,
               "cause": "timeout", "reason": "ended by its limit of 10m00s"}
        return
    host = "\x1b[2Jhost" if node == HOSTILE else node
    yield {"kind": "rank", **of, "rank": 0, "host": host, "pid": 100 + number,
           "mask": "0-127", "cpuset": "0,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120",
           "threads": 16, "env": {}}
    for repetition in range(1, 4):
        for metric, best in METRICS.items():
            yield {"kind": "sample", **of, "rank": 0, "metric": metric,
                   "at": {"store": "nt"}, "unit": "B/s", "repetition": repetition,
                   "value": best * (0.25 if node == SLOW else 1) *
                            (1 - 0.001 * repetition + 0.0001 * number)}
    yield {"kind": "event", **of, "rank": 0, "what": "\x1b[1mremark",
           "text": "said by \x1b]0;the kernel\x07"}
    yield {"kind": "valid", **of, "rank": 0, "check": "error", "value": 1e-16,
           "limit": 1e-13, "ok": True}
    yield {**base, "event": "ended", "exit": 0, "duration": 12.25, "cause": "ok"}


def make(folder, nodes=("n01", "n02", "n03", "n04"), status=1):
    """Writes FOLDER/journal.jsonl."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "journal.jsonl", "w", encoding="utf-8") as out:
        for number, record in enumerate(records(list(nodes), status)):
            out.write(json.dumps({**record, "t": 1796040000 + number}) + "\n")
    return folder
