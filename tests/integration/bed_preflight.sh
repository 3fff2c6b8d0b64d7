#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The rungs of the preflight on a testbed: each fault is named with its rung, and soon.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

cat >"$scratch/plan.yaml" <<-END
	plan: preflight-only
	stages:
	  - name: nodes
	    steps: [{kernel: example, place: 1-per-node, ntimes: 1}]
END

run() # SITE NAME: assay run over all nodes, from the head; its output in $scratch/NAME
{
	bed head "$build/bin/assay" run "$scratch/plan.yaml" --site "$1" --allow-root \
		-o "$scratch/$2.run" >"$scratch/$2" 2>&1
}
journal() { cat "$scratch/$1.run/journal.jsonl"; }

bed up 4 || exit 1
bed site >"$scratch/site.yaml"
{
	sed 's/"hsn0"/"eth0"/' "$scratch/site.yaml"
	echo 'fabric: {transport: tcp, interface: hsn0}'
} >"$scratch/wrong.yaml"

begin=$SECONDS
run "$scratch/site.yaml" good
took=$((SECONDS - begin)) # s, on this machine
check "the fabric that carries messages is named on every node" \
	test "$(journal good | grep -c '"what":"transport","text":"hsn0 (tcp): ')" = 4
check "a ring of four pairs is measured" \
	test "$(journal good | grep '"peer":' | grep -c 'transport.latency.*"repetition":1}')" = 4

run "$scratch/wrong.yaml" wrong
check "messages over another interface are a wrong transport" \
	says "WRONG TRANSPORT: eth0 (tcp): " cat "$scratch/wrong"

fault n3 fabric-down
check "a node whose fabric is down is found as soon as in a good run" \
	within 0 $((3 * took + 10)) run "$scratch/site.yaml" down
check "it is named, with what is wrong" \
	says "n3: the fabric is broken: hsn0: no carrier" cat "$scratch/down"
check "the others send their messages without it" \
	test "$(journal down | grep -c '"what":"transport","text":"hsn0 (tcp): ')" = 3
fault n3 clear

for i in 1 2 3 4; do
	fault "n$i" fabric-down
done
check "with no fabric at all the nodes still meet, without MPI" \
	says "4 of 4 ranks" bed mpirun --timeout 100 -N 1 "$build/bin/assay-fence"
for i in 1 2 3 4; do
	fault "n$i" clear
done

fault n2 login-hangs
fault n4 unreachable
run "$scratch/site.yaml" lost
run=$scratch/lost.run
check "a hung and an unreachable node cost one limit together: the shorter one is over first" \
	report 'lost == ["n4", "n2"]'
check "the hung one is named" says "n2: probe: no answer after 12 s" cat "$scratch/lost"
check "the unreachable one is named" says "n4: unreachable: exit status 255" cat "$scratch/lost"
check "the others are measured" \
	test "$(journal lost | grep -c '"what":"transport","text":"hsn0 (tcp): ')" = 2
finish
