#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# HPL and HPCG over four nodes by TCP give right results.
#
#     together.sh BUILD-FOLDER [straggler]
#
# With `straggler`, by hand: whether nobody is named on like nodes, and the one that gets a
# quarter of its share as who holds the others up. It is no test yet: four nodes that share
# two CPUs differ so much that it holds in some runs alone.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

n=2000 box=16
[[ ${2:-} != straggler ]] || n=7000 box=32
bed up 4 || exit 1
# What a rank computes a second differs by a tenth among these nodes: 15 % count here.
bed site | sed '/^min_deviation/s/}/, hpl.rank_rate: 15 %, hpcg.rank_rate: 15 %}/' \
	>"$scratch/site.yaml"
cat >"$scratch/plan.yaml" <<-END
	plan: together
	limits: {time: 3m, step: 1m, repeats: 0}
	requires: []
	stages:
	  - name: s
	    steps:
	      - {kernel: hpl, name: hpl, on: all, place: all-cores, n: $n}
	      - {kernel: hpcg, name: hpcg, on: all, place: all-cores, nx: $box, ny: $box,
	         nz: $box, time: 2, minimum: 1}
END

# together NAME: the kernels over all nodes; like nodes that nothing is compared with give 3
together()
{
	run=$scratch/$1
	limit=180 bed head "$build/bin/assay" run "$scratch/plan.yaml" --allow-root --quiet \
		--site "$scratch/site.yaml" -o "$run" >"$scratch/out" 2>&1
	(($? <= 3)) && return
	cat "$scratch/out"
	return 1
}
# verdicts RULE KERNEL: as Python, (node, word) of each that the rule has about the kernel
verdicts()
{
	echo "{(v.get('node'), v['verdict']) for v in r['verdicts'] if v['rule'] == '$1' and" \
		"v.get('kernel') == '$2'}"
}
# right: both kernels ended well and computed right
right()
{
	local k
	for k in hpl hpcg; do
		check "$k ends well" report "ok and 's/$k@*' in ended"
		check "$k computes right" report "$(verdicts valid "$k") == {(None, 'PASS')}"
	done
}

check "they run on four nodes" together clean
right
[[ ${2:-} == straggler ]] || finish
check "hpl: among like nodes nobody is named" report \
	"$(verdicts straggler hpl) == {(None, 'PASS')}"
bed fault n3 slow 25
check "they run with a slow node among them" together slow
right
check "hpl: the slow node is named, and nobody else" report \
	"$(verdicts straggler hpl) == {('n3', 'FAIL')}"
finish
