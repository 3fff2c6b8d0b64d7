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
# Without swap: that would be slow, but no want of memory.
limit_memory()
{
	local group
	if mkdir -p "$old" 2>/dev/null && [[ -e $old/memory.limit_in_bytes ]]; then
		echo "$1" >"$old/memory.limit_in_bytes" || return
		[[ ! -e $old/memory.swappiness ]] || echo 0 >"$old/memory.swappiness" || return
		cut -d' ' -f1 "$bed/n1/pid" >"$old/cgroup.procs"
		return
	fi
	group=$(find /sys/fs/cgroup -type d -path "*/assay-bed-$BED_NAME/n1") || return
	echo +memory >"$group/../../cgroup.subtree_control" &&
		echo +memory >"$group/../cgroup.subtree_control" &&
		echo "$1" >"$group/memory.max" &&
		{ [[ ! -e $group/memory.swap.max ]] || echo 0 >"$group/memory.swap.max"; }
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
# Takes memory on n1 until the kernel under test is gone, but less than that has: it is
# the one that is chosen.
take_memory()
{
	bed agent n1 "bash -c '(head -c 140M /dev/zero
		for ((i = 0; i < 600; i++)); do
			pgrep -x assay-stream >/dev/null || break
			sleep 0.1
		done) | tail | wc -c'"
}
measuring() { [[ $(grep -cs '"event":"started","key":"a/' "$run/journal.jsonl") == 3 ]]; }
looked() { [[ $(grep -cs '"kind":"node"' "$run/journal.jsonl") == 3 ]]; }
killer() # NODE WHO: of the kernel that was killed on it
{
	report 'any(v.get("node") == "'"$1"'" and v["verdict"] == "ERROR" and
		"; who did it: '"$2"'" in v["why"] for v in r["verdicts"])'
}

bed up 3 --quota 60 || exit 1
bed site >"$scratch/site.yaml"
check "the memory of n1 can be limited" limit_memory 320M

# --- the kernel's OOM killer, whose count the nodes of a testbed share
start oom --set stream.ntimes=50
check "the run begins" eventually 60 measuring
check "its kernel runs on n1" eventually 60 bed exec n1 pgrep -x assay-stream
check "somebody else takes memory on n1, until it is gone" take_memory
wait $!
check "it ends with 3" test $? = 3
check "on n1 memory ran out" killer n1 "the kernel's OOM killer, on n1"
check "the others were measured" report \
	'{words[n] for n in ("n2", "n3")} <= {"PASS", "WARN", "UNJUDGED"}'

# Two runs at a time need more, and a kill for want of it would count for n2, too.
check "the limit can be lifted" limit_memory 16G

# --- killed by somebody, with a second run on the same nodes meanwhile
# Long enough to be still there when it is killed on n2 and held on n3, both before the
# second run has kernels of its own. That one then sees what is held, however quick it is.
start killed --set stream.ntimes=50
first=$!
check "the next run begins" eventually 60 measuring
check "its kernel on n3 is held" bed fault n3 stop assay-stream
check "its kernel on n2 is killed" bed fault n2 kill assay-stream
start second
second=$!
check "the second run has looked at the nodes" eventually 60 looked
check "what was held goes on" bed exec n3 pkill -CONT -x assay-stream
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
