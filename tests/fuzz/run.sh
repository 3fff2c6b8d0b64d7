#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets with clang; runs them for some seconds of processor time in all.
#
#     run.sh BUILD-FOLDER build
#     run.sh BUILD-FOLDER SECONDS
#
# New inputs are kept in BUILD-FOLDER/corpus for the next run. An input that breaks a
# target stays in BUILD-FOLDER and is printed; put it into tests/fuzz/corpus/TARGET.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../jobs/setup.sh"

build=$1
if [ "$2" = build ]; then
	setup_build "$build" --target fuzzers -DCMAKE_C_COMPILER=clang -DASSAY_FUZZ=ON
	exit
fi

targets=("$build"/bin/fuzz_*)
[ -x "${targets[0]}" ] || { echo "no fuzz target in $build/bin" >&2; exit 1; }
share=$(($2 / ${#targets[@]}))
[ "$share" -gt 0 ] || share=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1

# fuzz TARGET: one of them; what it says is shown when it breaks.
fuzz()
{
	local name=${1##*/fuzz_} runs
	local corpus=$build/corpus/$name log=$build/fuzz_$name.log
	mkdir -p "$corpus"
	# A record line is at most 4 kB, and no configuration is worth more than 16 kB here.
	"$1" -max_total_time="$share" -max_len=16384 -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix="$build/" -print_final_stats=1 \
		"$corpus" "$here/corpus/$name" >"$log" 2>&1 || {
		tail -n 60 "$log"
		return 1
	}
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	echo "$name: $runs runs in $share s, $(find "$corpus" -type f | wc -l) inputs kept"
	[ "$runs" -gt 0 ]
}

# One a processor at a time.
status=0
pids=()
for target in "${targets[@]}"; do
	if [ "${#pids[@]}" -ge "$(nproc)" ]; then
		wait "${pids[0]}" || status=1
		pids=("${pids[@]:1}")
	fi
	fuzz "$target" &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || status=1
done
exit "$status"
