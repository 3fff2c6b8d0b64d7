#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# assay-net between nodes of a testbed: who carries the messages, near and far, what the
# ports count.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

# A machine that has the first CPU near to hsn0 and the second one far from it.
tree=$scratch/machine/sys
for i in 0 1; do
	mkdir -p "$tree/devices/system/node/node$i"
	echo $i >"$tree/devices/system/node/node$i/cpulist"
done
echo 10 20 >"$tree/devices/system/node/node0/distance"
echo 20 10 >"$tree/devices/system/node/node1/distance"
mkdir -p "$tree/class/net/hsn0/device"
echo 0 >"$tree/class/net/hsn0/device/numa_node"

net() # NAME WORD...: assay-net, one rank a node; its records in $scratch/NAME
{
	local name=$1
	shift
	bed mpirun --timeout 100 -N 1 "$build/bin/assay-net" --format records "$@" \
		>"$scratch/$name" 2>"$scratch/$name.err"
}
records() { grep -c "$2" "$scratch/$1"; }

bed up 3 || exit 1

check "between the first and the last of three nodes" net bw bw -m 64K:64K -i 20 --repeat 2
check "each value names the other end" \
	test "$(records bw '"peer":"2","rank":0,"metric":"net.bw","at":{"size":65536}')" = 2
check "the sender says what carried its messages" \
	says '"rank":0,"what":"transport","text":"hsn0 (tcp): ' cat "$scratch/bw"
check "the message rate goes without the rank that has no partner" \
	net rate mbw_mr -m 1K:2K -i 10 --repeat 1
check "it is of all ranks, and whole" \
	test "$(records rate '"metric":"net.rate"')$(records rate '"ok":true')" = 21
check "collectives over three nodes" net all alltoall -m 8:4K -i 10 --repeat 1 --piece 1000
check "are whole, too, in pieces" says '"check":"content","value":0.0' cat "$scratch/all"
check "another interface is taken when asked for" \
	net eth0 bw -m 64K:64K -i 20 --repeat 1 --device eth0
check "and it is seen to be used" says '"eth0 (tcp): ' cat "$scratch/eth0"

check "near to the device that carries the messages, and far from it" \
	net far bw -m 64K:64K -i 20 --repeat 2 --locality both --machine "$scratch/machine"
check "each place has its values" \
	test "$(records far 'net.bw","at":{"locality":"near"')$(records far 'net.bw","at":{"locality":"far"')" = 22
check "and what is left far away is told" says '"metric":"net.remote","value":' \
	cat "$scratch/far"
check "every domain in turn" \
	net domains latency -m 8:8 -i 50 --repeat 1 --locality domains --machine "$scratch/machine"
check "has its value" test "$(records domains 'net.latency","at":{"domain":[01],')" = 2
check "without a device on a bus it is skipped, with the reason" \
	gives 3 net skipped bw --locality near
check "which names the device that carried the messages" \
	says "'hsn0' is no device of its own" cat "$scratch/skipped"

# Through the controller: a cable that is pulled for a moment is a finding of its port.
cat >"$scratch/plan.yaml" <<-END
	plan: net-only
	limits: {preflight: false}
	stages:
	  - name: between
	    steps: [{kernel: net, test: bw, on: sets, sizes: [2], place: 1-per-node,
	             message-size: "1M:1M", seconds: 4, iterations: 10000, repeat: 1, limit: 2m}]
END
bed site >"$scratch/site.yaml"
received() { bed exec n2 cat /sys/class/net/hsn0/statistics/rx_bytes; }
# That much comes only of what is measured, and the ports were read before it.
flows() { is "$(received)" \> $((before + 20000000)); }
flap()
{
	eventually 60 flows >"$scratch/flow" && bed fault n2 fabric-down && sleep 0.2 &&
		bed fault n2 clear
}
before=$(received)
flap &
bed head "$build/bin/assay" run "$scratch/plan.yaml" --site "$scratch/site.yaml" \
	--allow-root -o "$scratch/run" >"$scratch/report" 2>&1
status=$?
wait $!
check "the cable is pulled while messages flow" test $? = 0
check "a link that went down meanwhile fails the run" test "$status" = 1
check "its port is named" says "hsn0 during the step: carrier_changes" cat "$scratch/report"
run=$scratch/run
check "nothing but this port fails, on this node" \
	report "fails == {('n2', 'counter', 'hsn0/carrier_changes')}"

exit "$failed"
