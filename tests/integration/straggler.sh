#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# HPL over four nodes names the one that gets a quarter of its share of the processors, and
# nobody among like nodes: straggler.sh BUILD-FOLDER
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

bed up 4 || exit 1
bed site | sed '/^min_deviation/s/}/, hpl.rank_rate: 15 %}/' >"$scratch/site.yaml"
# One thread a node: two use up a quota in half of the time and then stand still for longer,
# so that how fast they seem differs by a third from launch to launch. And large enough for
# the update to be most of the time: only there a rank's rate is its own.
cat >"$scratch/plan.yaml" <<-END
	plan: straggler
	limits: {time: 10m, step: 5m, repeats: 0}
	requires: []
	stages:
	  - name: s
	    steps:
	      - {kernel: hpl, name: hpl, on: all, place: 1-per-node, n: 8000}
END

# launch NAME REPEATS: hpl over all nodes, again as often while a node is in doubt
launch()
{
	run=$scratch/$1
	sed -i "s/repeats: [0-9]*/repeats: $2/" "$scratch/plan.yaml"
	limit=400 bed head "$build/bin/assay" run "$scratch/plan.yaml" --allow-root --quiet \
		--site "$scratch/site.yaml" -o "$run"
}
# said RULE: as Python, (node, word) of each verdict of the rule
said()
{
	echo "{(v.get('node'), v['verdict']) for v in r['verdicts'] if v['rule'] == '$1' and" \
		"v.get('kernel') == 'hpl'}"
}

# 3: nothing has a reference
check "hpl runs on four nodes" gives 3 launch clean 4
check "and is right" report "ok and $(said valid) == {(None, 'PASS')}"
check "among like nodes nobody is named" report "$(said straggler) == {(None, 'PASS')}"
fault n3 slow 25
check "with a slow node among them it fails" gives 1 launch slow 2
check "and is right" report "ok and $(said valid) == {(None, 'PASS')}"
check "the slow node is named, and nobody else" report "$(said straggler) == {('n3', 'FAIL')}"
finish
