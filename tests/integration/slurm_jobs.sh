#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The scripts in jobs/ on real Slurm: signals, resume, drained nodes, a prolog.
# shellcheck disable=SC2317,SC2016 # functions are called by check; the nodes expand words
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

export ASSAY=$build/bin/assay
quick=(--set stream.size=4M --set stream.ntimes=2)
# Who is slow is not the question here, and the machine may be busy.
printf 'site: bed\nmin_deviation: {default: 95 %%}\n' >"$scratch/site.yaml"

# One step a node, some seconds long at 40 % of a CPU.
cat >"$scratch/slow.yaml" <<'END'
plan: slow
stages:
  - {name: s, at_once: 1, steps: [{kernel: stream, place: all-cores, size: 32M,
     ntimes: 40, estimate: 10s}]}
END
# For what is stopped: minutes, also where memory is three times as fast.
long=(--set stream.size=256M --set stream.ntimes=100 --set s.limit=10m)

# submit [SBATCH-OPTION...] SCRIPT [OPTION...]: its number is $job, its folder $run then
submit()
{
	job=$(bed head sbatch --parsable --chdir "$scratch" "$@") || exit 1
	run=$scratch/assay-$job
}

ended() { [[ $(bed head scontrol show job "$1") =~ JobState=(COMPLETED|FAILED|CANCELLED|TIMEOUT) ]]; }
exits() { says "ExitCode=$1:0" bed head scontrol show job "$job"; }
report_exit() { python3 -c 'import json, sys; print(json.load(sys.stdin)["exit"])' <"$run/report.json"; }
measuring() { grep -qs '"event":"started","key":"s/' "$run/journal.jsonl"; }
# Kernels, launchers and daemons on any node.
busy()
{
	local n
	for n in 1 2 3 4; do
		bed exec "n$n" pgrep -l 'assay|orted|mpirun|slurmstepd' && return
	done
	return 1
}
idle() { ! busy; }

bed up 5 --slurm --quota 40 || exit 1
cd "$scratch" || exit 1
conf=/run/assay-bed/$BED_NAME/etc/slurm/slurm.conf
sed -i 's/^KillWait=.*/KillWait=30/' "$conf" # as Slurm's own
bed head scontrol reconfigure

# --- all nodes of the allocation, each measured, nothing said of what is not there
SITE=$scratch/site.yaml PLAN=$top/tests/integration/plans/memory.yaml \
	submit -t 5 -w 'n[1-4]' "$top/jobs/acceptance.sbatch" "${quick[@]}" \
	--set memory.at_once=1 --set detail.at_once=1
check "a job on four nodes ends" eventually 240 ended "$job"
check "its exit status is that of assay" exits "$(report_exit)"
check "all four nodes are in the report" report 'sorted(words) == ["n1", "n2", "n3", "n4"]'
check "each step on each of them gave a result" \
	report 'ok and nodes == sorted(3 * list(words))'
check "nothing had to be ended after any of them" \
	report 'not any("reason" in e for e in ended.values())'
check "the job's time was the time limit" grep -q "Slurm ends job $job in " "$run/report.txt"
check "the nodes were ours alone" gives 1 grep -q "mixed" "$run/report.txt"

# --- a node that is drained
bed head scontrol update nodename=n3 state=drain reason=test
PLAN=$scratch/slow.yaml submit -t 5 -w 'n[1-2]' "$top/jobs/acceptance.sbatch" \
	--nodes 'n[1-3]' "${quick[@]}"
drained=$job
PLAN=$scratch/slow.yaml submit -t 5 -w n4 "$top/jobs/acceptance.sbatch" --nodes 'n[4-5]'
check "a job for nodes outside of its allocation ends" eventually 150 ended "$job"
check "it is misuse" exits 2
check "and says which" grep -q "n5 is not in the allocation of Slurm job $job, which has n4" \
	"$run.log"
job=$drained run=$scratch/assay-$drained
check "a job for three nodes of which one is drained ends" eventually 150 ended "$job"
check "the drained node is missing" exits 3
check "it is listed as not tested" report 'why["n3"] == "not tested (drained)"'
check "the others are measured" report 'ok and nodes == ["n1", "n2"]'
bed head scontrol update nodename=n3 state=resume

# --- ended early
PLAN=$scratch/slow.yaml submit -t 5 -w 'n[1-2]' "$top/jobs/acceptance.sbatch"
early=$job
check "a step runs" eventually 120 measuring
bed head scancel --batch --signal=TERM "$job"
check "scancel --batch --signal=TERM: the job ends" eventually 60 ended "$job"
check "with 143" exits 143
check "the report is whole: one step aborted, one not run" \
	report 'r["exit"] == 143 and nodes == ["n1"] and steps[-1]["cause"] == "aborted"'
check "nothing is left on the nodes" eventually 30 idle

PLAN=$scratch/slow.yaml submit -t 5 -w 'n[1-2]' "$top/jobs/acceptance.sbatch" "${long[@]}"
check "a step runs again" eventually 120 measuring
bed head scancel "$job" # as at the job's end: TERM to all, later KILL
check "scancel: the job ends" eventually 60 ended "$job"
check "the report was written before the KILL" report 'r["exit"] == 143'
check "and nothing is left on the nodes either" eventually 30 idle

# Slurm looks every 30 s: the signal comes between 5 and 35 s after the job's start.
PLAN=$scratch/slow.yaml submit -t 1 --signal=B:TERM@25 -w 'n[1-2]' "$top/jobs/acceptance.sbatch" \
	"${long[@]}"
signalled=$job
RESUME=$scratch/assay-$early submit -t 5 -w 'n[3-4]' "$top/jobs/acceptance.sbatch"
check "to resume on other nodes is misuse" eventually 150 ended "$job"
check "which is said" exits 2

# --- the signal before the end comes while this one is under way
PLAN=$scratch/slow.yaml submit -t 5 -N 2 -w 'n[3-4]' "$top/jobs/node-check.sbatch"
check "a check of one node on two is misuse" eventually 150 ended "$job"
check "which is said, too" exits 2
PLAN=$scratch/slow.yaml submit -t 5 -w n4 "$top/jobs/node-check.sbatch" "${quick[@]}"
run=$scratch/node-check-$job
check "a check of one node ends" eventually 150 ended "$job"
check "with the status of assay" exits 3
check "the node has its name" report 'ok and nodes == ["n4"]'

job=$signalled run=$scratch/assay-$signalled
check "--signal ends a job before its time is up" eventually 150 ended "$job"
check "with 143, too" exits 143
check "and a report" report 'r["exit"] == 143'

RESUME=$scratch/assay-$early submit -t 5 -w 'n[1-2]' "$top/jobs/acceptance.sbatch"
run=$scratch/assay-$early
check "the job resumed on the same nodes ends" eventually 150 ended "$job"
check "the rest is measured" \
	report 'ok and nodes == ["n1", "n2"]'

# --- an allocation of parts of nodes, from the login node; no allocation at all
check "in salloc the nodes are those of the allocation, tasks uneven" \
	says "n2: Slurm state 'mixed': the job has 1 of its 2 CPUs" \
	bed head salloc -N 2 -n 3 -w 'n[1-2]' "$ASSAY" nodes
printf 'n1\nn2 slots=2\n' >hosts
bed site | sed '/^nodes/d' >login.yaml
check "from the login node mpirun is used, on the nodes of a hostfile" gives 3 \
	bed head env PLAN="$scratch/slow.yaml" SITE=login.yaml bash "$top/jobs/mpirun-login.sh" \
	hosts "${quick[@]}"
run=$(ls -d assay-*-*)
check "and both are measured" report 'ok and nodes == ["n1", "n2"]'

# --- Slurm's own prolog, which has no PATH and must not ask Slurm
cat >prolog <<-END
	#!/bin/sh
	ASSAY=$ASSAY PLAN=$scratch/check.yaml KEEP=$scratch \\
		exec bash $top/jobs/node-check.sbatch \$(cat $scratch/words) >>$scratch/prolog.log 2>&1
END
chmod +x prolog
cat >check.yaml <<-END
	plan: check
	stages:
	  - {name: s, steps: [{kernel: stream, place: all-cores, ntimes: 6, store: plain,
	     estimate: 5s}]}
END
cat >high.yaml <<-END
	baseline: high
	metrics:
	  stream.read: {ref: 100 TB/s, warn: -4 %, fail: -7 %, from: "nobody: no machine has it"}
END
echo >words
echo "Prolog=$scratch/prolog" >>"$conf"
bed head scontrol reconfigure
check "a job starts on a node that its prolog finds good" \
	test "$(bed head srun -w n2 hostname)" = n2
check "the prolog measured the node" grep -q "1 of 1 nodes reported" prolog.log
check "and left nothing" gives 2 ls -d node-check-??????
echo --baseline "$scratch/high.yaml" >words
check "no job starts on a node that its prolog finds bad" \
	says "prolog failed" bed head srun -w n2 hostname
check "the node is drained" says "drain" bed head sinfo -h -N -n n2 -o %T
check "what the prolog measured is kept" test -s node-check-??????/run/report.json
finish
