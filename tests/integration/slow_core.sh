#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# One core of eight, on four nodes of two, that something else works on: it is named, and
# nothing is when all are alike.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

# cores NAME STATUS: runs the plan, its folder is $run then
cores()
{
	run=$scratch/$1
	bed site >"$scratch/site.yaml"
	limit=400 gives "$2" bed head "$build/bin/assay" run \
		"$top/tests/integration/plans/cores.yaml" --allow-root \
		--site "$scratch/site.yaml" -o "$run"
}

# named PYTHON-EXPRESSION: whether it holds for the cores that FAIL by rule cores, as
# (node, core), those of all metrics together
named()
{
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
bad = [v for v in r["verdicts"] if v["rule"] == "cores" and v["verdict"] == "FAIL"]
cores = {(v["node"], v["at"]["core"]) for v in bad}
print([(v["node"], v["verdict"], v["metric"], v["why"]) for v in r["verdicts"] if v["rule"] == "cores"])
sys.exit(not eval(sys.argv[2]))' "$run/report.json" "$1"
}

# one node at a time is measured, with both CPUs whole
bed up 4 --quota 200 || exit 1

# nothing but the cores is measured, so nodes have no reference: 3
check "eight like cores are measured" cores good 3
check "none of them is named" named 'not bad and len(r["nodes"]) == 4'

cp "$top/tests/integration/slow_core.py" "$scratch/"
bed exec n3 python3 "$scratch/slow_core.py" 1 &
disown # it ends with its node
check "with a slow core the run fails" cores slow 1
check "core 1 of n3 is named, and no other" named 'cores == {("n3", 1)}'
finish
