#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""slow_core.py CPU: three processes that work on one CPU of a node, which leave a quarter of
it, and only while assay-dgemm runs there: nodes of a testbed have the same CPUs."""

import os
import sys
import time


def measured():
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/comm", encoding="ascii") as f:
                if f.read().startswith("assay-dgemm"):
                    return True
        except OSError:  # it ended
            pass
    return False


os.sched_setaffinity(0, {int(sys.argv[1])})
if os.fork():
    os.fork()
end = time.monotonic() + 600
while time.monotonic() < end:
    if not measured():
        time.sleep(0.005)
        continue
    until = time.monotonic() + 0.05
    while time.monotonic() < until:
        pass
