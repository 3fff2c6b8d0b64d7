#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes tests/golden/expected anew from what the writers write now: update.sh [BUILD].
# Read the difference before you commit it.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$root/build}

cmake --build "$build" --target test_reports
ASSAY_UPDATE=1 "$build/bin/test_reports"
python3 "$root/tests/golden/strict.py" "$root/tests/golden/expected"
git -C "$root" diff --stat -- tests/golden/expected
