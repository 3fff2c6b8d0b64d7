#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A node whose fabric fails in the middle of a launch over all of them: it is found by
# launches over parts of them, and the others are measured without it.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

cat >"$scratch/plan.yaml" <<-END
	plan: together
	stages:
	  - {name: s, gate: true, steps: [{kernel: transport, on: all, place: anywhere, ntimes: 60,
	     limit: 10s}]}
	  - {name: t, steps: [{kernel: example, place: 1-per-node, ntimes: 1}]}
END
measuring() { grep -qs '"event":"started","key":"s/' "$run/journal.jsonl"; }

bed up 4 || exit 1
bed site >"$scratch/site.yaml"
run=$scratch/run
"$top/tests/testbed/bed" head "$build/bin/assay" run "$scratch/plan.yaml" --allow-root \
	--site "$scratch/site.yaml" -o "$run" >"$scratch/log" 2>&1 &
check "the launch over all nodes begins" eventually 60 measuring
# So that it cannot be over before the fabric fails.
check "its rank on n3 is held" bed fault n3 stop assay-transport
fault n3 fabric-down
check "it goes on" bed exec n3 pkill -CONT -x assay-transport
wait $!
check "the run ends with 3" test $? = 3
check "n3 is excluded, and nobody else" report \
	'{q["target"] for q in map(json.loads, open(sys.argv[2]))
		if q["kind"] == "request" and q["want"] == "exclude"} == {"n3"}'
check "it is said why" report 'any(v.get("node") == "n3" and v["verdict"] == "ERROR" and
	"which works with others" in v["why"] for v in r["verdicts"])'
check "the others are launched again together" report \
	'[e["nodes"] for e in steps if e["event"] == "planned" and e["key"] == "s/transport-anywhere@*"][-1]
		== ["n1", "n2", "n4"] and ended["s/transport-anywhere@*"]["cause"] == "ok"'
check "and go on without it" report 'nodes == ["n1", "n2", "n4"]'
finish
