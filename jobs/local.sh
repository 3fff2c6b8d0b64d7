#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures and judges this machine: installs what is missing, builds, runs the plan
# configs/plans/local.yaml, prints its report and keeps the run folder.
#
#     bash jobs/local.sh [option of 'assay run'...]        e.g. --dry-run
#
# Exit status: that of 'assay run' (see README.md); 1 too when the build fails.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

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
status=0
"$build/bin/assay" run "$assay_root/configs/plans/local.yaml" "${allow[@]}" -o "$run" "$@" ||
	status=$?
if [ -d "$run" ]; then
	setup_say "run folder: $run"
	setup_say "its verdicts explained: $build/bin/assay explain $run"
fi
exit "$status"
