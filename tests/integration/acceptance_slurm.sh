#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The plan node by jobs/acceptance.sbatch on 4 and on 16 nodes, a slow and a lost one
# among them.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

export ASSAY=$build/bin/assay PLAN=$top/tests/integration/plans/memory.yaml SITE=$scratch/site.yaml

# submit SBATCH-OPTIONS... -- OPTION...: runs the job to its end, its folder is $run then
submit()
{
	local -a words=()
	while [[ $1 != -- ]]; do
		words+=("$1")
		shift
	done
	shift
	job=$(bed head sbatch --parsable --chdir "$scratch" -t 10 "${words[@]}" \
		"$top/jobs/acceptance.sbatch" --set memory.at_once=1 --set detail.at_once=1 \
		"$@") || return
	run=$scratch/assay-$job
	eventually 400 ended
}
ended() { [[ $(bed head scontrol show job "$job") =~ JobState=(COMPLETED|FAILED|CANCELLED|TIMEOUT) ]]; }
exits() { says "ExitCode=$1:0" bed head scontrol show job "$job"; }

bed up 16 --slurm --quota 160 || exit 1
printf 'site: bed\nmin_deviation: {default: 30 %%}\n' >"$SITE"

check "a job on four nodes ends" submit -w 'n[1-4]' -- --set stream.ntimes=5
check "its nodes are accepted" exits 0
check "each step on each of them gave a result" \
	report 'ok and nodes == sorted(3 * ["n1", "n2", "n3", "n4"])'
check "none of them fails" report 'not fails and set(words.values()) <= {"PASS", "WARN"}'

fault n11 slow 25
check "a job on sixteen nodes ends" submit -N 16 -- --set stream.size=32M
check "it fails" exits 1
check "it was the slow one" report 'words["n11"] == "FAIL"'
check "its peers say so, by the rate it sustains" \
	report '("n11", "peers", "stream.sustained") in fails'
check "nothing else failed anywhere" report '{f[:2] for f in fails} == {("n11", "peers")}'
check "all sixteen were measured" report \
	'ok and {"memory/stream-all-cores@n%d" % i for i in range(1, 17)} <= set(ended)'
finish
