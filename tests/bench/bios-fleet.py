#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long assay takes to read and to compare the BIOS settings of a fleet.

    bios-fleet.py BUILD bmcs [N]        500 BMCs that need 2 s each, at most 64 at a time
    bios-fleet.py BUILD dumps [N...]    Redfish dumps of 13 kB, 2,500 5,000 10,000

BMCs are servers of this machine (tests/bmc/bmc.py), so half of it works for them.
"""

import json
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "bmc"))
import test_bmc  # noqa: E402

REQUESTS = 6  # login, Bios, settings, jobs, system, logout


def attributes(n):
    """As many and as long as a real export has them: 300 of 13 kB."""
    out = {f"AttributeWithName{i:03d}": ("Enabled", "Disabled", "Auto", "PerfOptimized",
                                         "a longer text")[i % 5] for i in range(294)}
    return {**out, "SystemModelName": "PowerEdge C6525", "SystemBiosVersion": "2.6.7",
            "SystemServiceTag": f"T{n:06d}", "SysProfile": "PerfOptimized",
            "LogicalProc": "Disabled", "NumaNodesPerSocket": "4"}


def cpu():
    """Processor time of children that have ended, s."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def timed(*words, cwd):
    start, used = time.monotonic(), cpu()
    done = subprocess.run(words, cwd=cwd, check=False, capture_output=True, text=True)
    return time.monotonic() - start, cpu() - used, done


def bmcs(assay, top, n):
    addresses = [f"127.1.{i // 250}.{i % 250 + 1}" for i in range(n)]
    test_bmc.make_certificate(top, addresses)
    (top / "cred").write_text("user=root\npassword=calvin\n", encoding="utf-8")
    (top / "cred").chmod(0o600)
    service = test_bmc.Bmcs(top, {"*": {"bios": attributes(0), "delay": 2 / REQUESTS}})
    (top / "site.yaml").write_text(
        f"nodes: [{', '.join(addresses)}]\nremote_agent: 'false'\nbmc:\n"
        f"  address: '{{node}}:{service.port}'\n  credentials: cred\n  ca: ca.pem\n",
        encoding="utf-8")
    seconds, used, done = timed(assay, "bios", "show", "--site", "site.yaml", "--format", "json",
                          cwd=top)
    service.child.send_signal(signal.SIGTERM)
    stats = service.stop()
    read = [json.loads(line) for line in done.stdout.splitlines()]
    good = sum(len(o["attributes"]) == 300 for o in read)
    print(f"{n} BMCs of 2 s: {seconds:.1f} s, {good} read, at most "
          f"{stats['connections']} connections, {stats['open']} sessions left open; "
          f"{used:.1f} s of processor time")
    return done.returncode == 0 and good == n and not stats["open"]


def dumps(assay, top, sizes):
    (top / "p.yaml").write_text("profile: p\nattributes:\n"
                                "  SysProfile: {want: PerfOptimized, why: w}\n"
                                "  LogicalProc: {want: Disabled, why: w}\n"
                                "  NumaNodesPerSocket: {want: '4', why: w}\n",
                                encoding="utf-8")
    ok = True
    for n in sizes:
        folder = top / f"dumps{n}"
        folder.mkdir()
        for i in range(n):
            a = attributes(i)
            if i == n // 3:
                a["LogicalProc"] = "Enabled"
            body = json.dumps({"@odata.id": "/redfish/v1/Systems/1/Bios", "Attributes": a})
            (folder / f"n{i:05d}.json").write_text(body, encoding="utf-8")
        seconds, used, done = timed(assay, "bios", "check", str(folder), "--profile", "p.yaml",
                              cwd=top)
        found = done.stdout.count("MISMATCH")
        print(f"{n} dumps of {len(body)} B: {seconds:.2f} s, "
              f"{used:.2f} s of processor time, {used / n * 1e3:.2f} ms each, {found} found")
        ok &= done.returncode == 1 and found == 1
    return ok


def main(build, what, *numbers):
    assay = str(pathlib.Path(build).resolve() / "bin/assay")
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as top:
        top = pathlib.Path(top)
        if what == "bmcs":
            return bmcs(assay, top, int(numbers[0]) if numbers else 500)
        return dumps(assay, top, [int(n) for n in numbers] or [2500, 5000, 10000])


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) else 1)
