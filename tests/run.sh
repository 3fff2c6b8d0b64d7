#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every test, through ctest: installs what is missing, builds in build/, runs.
#
#     bash tests/run.sh [LABEL...] [CTEST-OPTION...]       e.g. unit golden, -R hostlist
#
# Ends with ctest's closing line. Fails when a test fails, and when one that can run here
# was skipped (tests/summary.py).
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../jobs/setup.sh"
exec </dev/null

labels=()
while [ $# -gt 0 ] && [[ $1 != -* ]]; do
	labels+=("$1")
	shift
done
select=("$@")
if [ "${#labels[@]}" -gt 0 ]; then
	select+=(-L "^($(IFS='|' && printf '%s' "${labels[*]}"))\$")
fi

start=$SECONDS
setup_packages build run test cluster lint fuzz
packages=$((SECONDS - start))
start=$SECONDS
setup_build "$assay_root/build" -DASSAY_TESTS=ON
built=$((SECONDS - start))
setup_say "packages $packages s, build $built s"

# The closing line is held back until the times were printed. Each line comes at once.
results=$assay_root/build/test-results.xml
closing=$assay_root/build/test-closing.txt
rm -f "$results" "$closing"
status=0
ctest --test-dir "$assay_root/build" --parallel "$(nproc)" --output-on-failure \
	--test-output-size-passed 1000000 --no-tests=error --no-label-summary \
	--output-junit "$results" "${select[@]}" 2>&1 |
	sed -u -e "/ tests passed, .* tests* failed out of /{w $closing" -e 'd' -e '}' \
		-e '/^ *Start *[0-9]*: /d' || status=$?
if [ -f "$results" ]; then
	ctest --test-dir "$assay_root/build" --show-only=json-v1 |
		python3 "$assay_root/tests/summary.py" "$results" || status=$?
fi
[ ! -f "$closing" ] || cat "$closing"
exit "$status"
