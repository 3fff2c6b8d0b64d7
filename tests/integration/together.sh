#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# HPL and HPCG over four nodes by TCP: right results, nobody named on like nodes, and the
# one that gets a quarter of its share named as who holds the others up.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

bed up 4 || exit 1
bed site >"$scratch/site.yaml"
cat >"$scratch/plan.yaml" <<-'END'
	plan: together
	limits: {time: 3m, step: 1m, repeats: 0}
	requires: []
	stages:
	  - name: s
	    steps:
	      - {kernel: hpl, on: all, place: all-cores, n: 4000}
	      - {kernel: hpcg, on: all, place: all-cores, nx: 32, ny: 32, nz: 32, time: 2,
	         minimum: 1}
END

# together NAME: both kernels over all nodes; like nodes that nothing is compared with give 3
together()
{
	run=$scratch/$1
	limit=120 bed head "$build/bin/assay" run "$scratch/plan.yaml" --allow-root --quiet \
		--site "$scratch/site.yaml" -o "$run" >"$scratch/out" 2>&1
	(($? <= 3)) && return
	cat "$scratch/out"
	return 1
}
# Who is named by the rule, for each kernel; whether each check of a result is good.
named='{(v.get("kernel"), v.get("node"), v["verdict"]) for v in r["verdicts"] if v["rule"] == "straggler" and v["verdict"] != "SKIP"}'
valid='{(v.get("kernel"), v["verdict"]) for v in r["verdicts"] if v["rule"] == "valid" and v.get("kernel") in ("hpl", "hpcg")}'

check "HPL and HPCG run on four nodes" together clean
check "both end well" report 'ok and {"s/hpl@*", "s/hpcg@*"} <= set(ended)'
check "both compute right" report "$valid == {(\"hpl\", \"PASS\"), (\"hpcg\", \"PASS\")}"
check "among like nodes nobody is named" report \
	"$named == {(\"hpl\", None, \"PASS\"), (\"hpcg\", None, \"PASS\")}"

bed fault n3 slow 25
check "they run with a slow node among them" together slow
check "both end well all the same" report 'ok and {"s/hpl@*", "s/hpcg@*"} <= set(ended)'
check "both compute right all the same" report \
	"$valid == {(\"hpl\", \"PASS\"), (\"hpcg\", \"PASS\")}"
check "the slow node is named in HPL, and nobody else" report \
	"{x for x in $named if x[0] == \"hpl\"} == {(\"hpl\", \"n3\", \"FAIL\")}"
check "the slow node is named in HPCG, and nobody else" report \
	"{x for x in $named if x[0] == \"hpcg\"} == {(\"hpcg\", \"n3\", \"FAIL\")}"
finish
