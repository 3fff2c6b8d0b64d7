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

# The limits here and in the tests only end what hangs: a machine may be slow.
bed() { timeout -k 5 "${limit:-120}" "$top/tests/testbed/bed" "$@"; }

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

# fault WORD...: 'bed fault', which a test that goes on without has nothing to say
fault() { check "fault $*" bed fault "$@"; }

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
		sleep 0.1
	done
}

# report PYTHON-EXPRESSION: whether it holds for the run in $run. Of the report r: words
# and whys of the nodes, fails (node, rule, metric); of the journal: steps, ended by key,
# ok when all ended well, nodes of the plan's own launches, a name for each; lost nodes in
# their order.
report()
{
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
words = {n["name"]: n["verdict"] for n in r["nodes"]}
why = {n["name"]: n.get("why", "") for n in r["nodes"]}
fails = {(v.get("node"), v["rule"], v.get("metric")) for v in r["verdicts"] if v["verdict"] == "FAIL"}
steps = [e for e in map(json.loads, open(sys.argv[2])) if e["kind"] == "step"]
ended = {e["key"]: e for e in steps if e["event"] == "ended"}
ok = all(e["cause"] == "ok" for e in ended.values())
lost = [e["node"] for e in map(json.loads, open(sys.argv[2])) if e.get("what") == "lost"]
nodes = sorted(k.split("@")[1] for k in ended if "@n" in k) # but the steps of the preflight
print(words, why, fails, lost, [(e["key"], e["cause"], e.get("reason")) for e in ended.values()])
sys.exit(not eval("(" + sys.argv[3] + ")"))' "$run/report.json" "$run/journal.jsonl" "$1"
}

# measure NAME STATUS [OPTION...]: runs the memory part of the plan node from the head, its
# folder is $run then.
# What differs from a cluster: the nodes share two cores, so one is measured at a time.
measure()
{
	local status=$2
	run=$scratch/$1
	shift 2
	bed site >"$scratch/site.yaml"
	limit=400 gives "$status" bed head "$build/bin/assay" run \
		"$top/tests/integration/plans/memory.yaml" --allow-root \
		--site "$scratch/site.yaml" --set memory.at_once=1 --set detail.at_once=1 "$@" \
		-o "$run"
}

finish() { exit "$failed"; }
