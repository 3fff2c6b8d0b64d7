#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# HPL and HPCG over four nodes by TCP: right results, with a slow node, too, and in HPL nobody
# is named on like nodes. That the slow one is named is not asked: among four nodes that share
# two CPUs what ranks compute a second differs too much for the rule straggler to be sure of
# it in one launch (of three, two gave WARN for the right node and one PASS).
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

bed up 4 || exit 1
# What a rank computes a second differs by a tenth among these nodes: 15 % count here.
bed site | sed '/^min_deviation/s/}/, hpl.rank_rate: 15 %, hpcg.rank_rate: 15 %}/' \
	>"$scratch/site.yaml"
cat >"$scratch/plan.yaml" <<-'END'
	plan: together
	limits: {time: 3m, step: 1m, repeats: 0}
	requires: []
	stages:
	  - name: s
	    steps:
	      - {kernel: hpl, name: hpl, on: all, place: all-cores, n: 7000}
	      - {kernel: hpcg, name: hpcg, on: all, place: all-cores, nx: 32, ny: 32, nz: 32,
	         time: 3, minimum: 1}
END
kernels=(hpl hpcg)

# together NAME: the kernels over all nodes; like nodes that nothing is compared with give 3
together()
{
	run=$scratch/$1
	limit=120 bed head "$build/bin/assay" run "$scratch/plan.yaml" --allow-root --quiet \
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

check "they run on four nodes" together clean
for k in "${kernels[@]}"; do
	check "$k ends well" report "ok and 's/$k@*' in ended"
	check "$k computes right" report "$(verdicts valid "$k") == {(None, 'PASS')}"
done
check "hpl: among like nodes nobody is named" report \
	"$(verdicts straggler hpl) == {(None, 'PASS')}"

bed fault n3 slow 25
check "they run with a slow node among them" together slow
for k in "${kernels[@]}"; do
	check "$k ends well all the same" report "ok and 's/$k@*' in ended"
	check "$k computes right all the same" report \
		"$(verdicts valid "$k") == {(None, 'PASS')}"
done
check "hpl: nobody but the slow node is named" report \
	"{n for n, w in $(verdicts straggler hpl) if w != 'PASS'} <= {'n3'}"
finish
