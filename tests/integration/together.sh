#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# HPL and HPCG over four nodes by TCP give right results: together.sh BUILD-FOLDER
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

bed up 4 || exit 1
bed site >"$scratch/site.yaml"
cat >"$scratch/plan.yaml" <<-END
	plan: together
	limits: {time: 10m, step: 4m, repeats: 0}
	requires: []
	stages:
	  - name: s
	    steps:
	      - {kernel: hpl, name: hpl, on: all, place: all-cores, n: 2000}
	      - {kernel: hpcg, name: hpcg, on: all, place: all-cores, nx: 16, ny: 16,
	         nz: 16, time: 2, minimum: 1}
END

# together: the kernels over all nodes; like nodes that nothing is compared with give 3
together()
{
	run=$scratch/run
	limit=400 bed head "$build/bin/assay" run "$scratch/plan.yaml" --allow-root --quiet \
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

check "they run on four nodes" together
for k in hpl hpcg; do
	check "$k ends well" report "ok and 's/$k@*' in ended"
	check "$k computes right" report "$(verdicts valid "$k") == {(None, 'PASS')}"
done
finish
