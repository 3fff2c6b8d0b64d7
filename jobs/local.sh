#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures and judges this machine: installs what is missing, builds, runs the plan
# configs/plans/local.yaml, prints its report and keeps the run folder.
#
#     bash jobs/local.sh [option of 'assay run'...]        e.g. --dry-run
#
# Exit status: that of 'assay run', see README.md; 2 when set-up or build fail.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

trap 'exit 2' ERR
setup_packages build run

build=$assay_root/build
options=()
# Tests need packages of their own; a folder that was set up with them keeps them.
[ -f "$build/CMakeCache.txt" ] || options=(-DASSAY_TESTS=OFF)
setup_build "$build" "${options[@]}"

run=$PWD/assay-run-$(date +%Y%m%d-%H%M%S)
allow=()
if [ "$(id -u)" = 0 ]; then
	setup_say "running as root: adding --allow-root (recorded in the run)"
	allow=(--allow-root)
fi
# It says itself, at the end, where the run folder is and what to type next.
exec "$build/bin/assay" run "$assay_root/configs/plans/local.yaml" "${allow[@]}" -o "$run" "$@"
