#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A node to which small messages get through and large ones never, as when its end believes
# in a larger MTU than its path has: it is found by launches over parts of the nodes, with
# the size that hangs, and the others are measured without it.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

cat >"$scratch/plan.yaml" <<-END
	plan: copy
	stages:
	  - {name: s, gate: true, steps: [{kernel: transport, on: all, place: anywhere}]}
	  - {name: t, steps: [{kernel: example, place: 1-per-node, ntimes: 1}]}
END

bed up 4 || exit 1
bed site >"$scratch/site.yaml"
fault n4 mtu 1400
run=$scratch/run
check "a run over a path that loses large packets ends with 3" gives 3 \
	bed head "$build/bin/assay" run "$scratch/plan.yaml" --allow-root \
	--site "$scratch/site.yaml" --set transport.patience=2 -o "$run"
check "it is n4, and nobody else" report '[n for n in words if words[n] == "ERROR"] == ["n4"]'
check "it is said from which size on, and where to look" report \
	'"ranks 0 and 1: small messages pass, from 4096 bytes on they hang (2 s): check MTU" in
		why["n4"]'
check "the others are measured" report 'nodes == ["n1", "n2", "n3"]'
finish
