# SPDX-License-Identifier: Apache-2.0
# lib.bash: what the tests on a testbed share. Arguments of a test: BUILD-FOLDER.
# shellcheck shell=bash
set -uo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$(cd "${1:?build folder}" && pwd)
export BED_BIN=$build/bin
export BED_NAME=test-$$
failed=0

[[ $EUID == 0 ]] || { echo "needs root"; exit 77; }

bed() { timeout -k 5 "${limit:-60}" "$top/tests/testbed/bed" "$@"; }

mkdir -p "$build/scratch/$BED_NAME" # seen by all nodes
scratch=$build/scratch/$BED_NAME
trap 'bed down; rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

# check "SENTENCE" CMD...: true when the command is
check()
{
	local what=$1
	shift
	if "$@" >"$scratch/check" 2>&1; then
		echo "ok      $what"
	else
		echo "FAILED  $what: '$*' gave $?"
		sed 's/^/        /' "$scratch/check"
		failed=1
	fi
}

# gives STATUS CMD...: whether it ends so
gives()
{
	local want=$1 got
	shift
	"$@"
	got=$?
	[[ $got == "$want" ]] || { echo "status $got instead of $want"; return 1; }
}

# says TEXT CMD...: whether its output contains it
says()
{
	local text=$1 out
	shift
	out=$("$@" 2>&1)
	[[ $out == *"$text"* ]] || { echo "$out"; return 1; }
}

# within LOW HIGH CMD...: whether it takes so many seconds; its status does not matter
within()
{
	local low=$1 high=$2 start=$EPOCHREALTIME
	shift 2
	"$@"
	is "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')" \> "$low" &&
		is "$(awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')" \< "$high"
}

# is A '<'|'>' B: numbers, fractions too
is()
{
	echo "$1 $2 $3?"
	awk -v a="$1" -v b="$3" -v op="$2" \
		'BEGIN { exit !(a != "" && b != "" && (op == "<" ? a + 0 < b + 0 : a + 0 > b + 0)) }'
}

# eventually SECONDS CMD...: tries until it is true
eventually()
{
	local end=$((SECONDS + $1))
	shift
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.2
	done
}

finish() { exit "$failed"; }
