#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A kernel ended by SIGKILL: by the kernel for want of memory, or by somebody. Another run
# on the same nodes is seen.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

bed=/run/assay-bed/$BED_NAME
old=/sys/fs/cgroup/memory/$BED_NAME-n1 # of control groups version 1
trap 'bed down; rmdir "$old" 2>/dev/null; rm -rf "$scratch"' EXIT

# limit_memory BYTES: for all that is started on n1, and nothing there knows of the limit.
limit_memory()
{
	local group
	if mkdir -p "$old" 2>/dev/null && [[ -e $old/memory.limit_in_bytes ]]; then
		echo "$1" >"$old/memory.limit_in_bytes" || return
		cut -d' ' -f1 "$bed/n1/pid" >"$old/cgroup.procs"
		return
	fi
	group=$(find /sys/fs/cgroup -type d -path "*/assay-bed-$BED_NAME/n1") || return
	echo +memory >"$group/../../cgroup.subtree_control" &&
		echo +memory >"$group/../cgroup.subtree_control" &&
		echo "$1" >"$group/memory.max"
}

cat >"$scratch/plan.yaml" <<-END
	plan: killed
	stages:
	  - {name: a, steps: [{kernel: stream, place: 1-per-node, size: 64M, ntimes: 25}]}
END
start() # NAME [OPTION...]: a run over all nodes in the background
{
	run=$scratch/$1
	shift
	"$top/tests/testbed/bed" head "$build/bin/assay" run "$scratch/plan.yaml" --allow-root \
		--site "$scratch/site.yaml" -o "$run" "$@" >"$run.log" 2>&1 &
}
# Takes memory on n1 for a while, but less than the kernel under test: that one is chosen.
take_memory()
{
	bed agent n1 "bash -c '(head -c 140M /dev/zero; sleep 5) | tail | wc -c'"
}
measuring() { [[ $(grep -cs '"event":"started","key":"a/' "$run/journal.jsonl") == 3 ]]; }
killer() # NODE WHO: of the kernel that was killed on it
{
	report 'any(v.get("node") == "'"$1"'" and v["verdict"] == "ERROR" and
		"; who did it: '"$2"'" in v["why"] for v in r["verdicts"])'
}

bed up 3 --quota 60 || exit 1
bed site >"$scratch/site.yaml"
check "the memory of n1 can be limited" limit_memory 320M

# --- the kernel's OOM killer, whose count the nodes of a testbed share
start oom --set stream.ntimes=100
check "the run begins" eventually 20 measuring
check "somebody else takes memory on n1, for a while" take_memory
wait $!
check "it ends with 3" test $? = 3
check "on n1 memory ran out" killer n1 "the kernel's OOM killer, on n1"
check "the others were measured" report \
	'{words[n] for n in ("n2", "n3")} <= {"PASS", "WARN", "UNJUDGED"}'

# Two runs at a time need more, and a kill for want of it would count for n2, too.
check "the limit can be lifted" limit_memory 16G

# --- killed by somebody, with a second run on the same nodes meanwhile
# Long enough to be still there when the second run looks, and the kill comes before the
# second has kernels of its own.
start killed --set stream.ntimes=100
first=$!
check "the next run begins" eventually 20 measuring
check "its kernel on n2 is killed" bed fault n2 kill assay-stream
start second
second=$!
run=$scratch/killed
wait $first
check "the next ends with 3, too" test $? = 3
check "on n2 it was not for want of memory" killer n2 "not the kernel's OOM killer"
wait $second
run=$scratch/second
check "the second saw the first on the nodes" \
	report 'any(v.get("node") == "n3" and v["verdict"] == "WARN" and
		"another run of assay is on it: 2" in v["why"] for v in r["verdicts"])'
finish
