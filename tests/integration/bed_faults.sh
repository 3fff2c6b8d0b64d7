#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# MPI runs across a testbed, and every fault has its effect and is over after 'clear'.
# shellcheck disable=SC2317,SC2016 # functions are called by check; the nodes expand words
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

hello() # HOSTS: one rank on each; the first is one end of every pair
{
	bed mpirun --timeout 100 -N 1 --host "$1" "$build/bin/bed-hello" >"$scratch/hello" 2>&1 ||
		{ cat "$scratch/hello"; return 1; }
}
# WORD [PEER]: of the pair 0-PEER of the last hello
figure() { awk -v w="$1" -v p="0-${2:-1}" '$2 == p { for (i = 1; i < NF; i++) if ($i == w) print $(i + 1) }' "$scratch/hello"; }
cpu_of() { awk -v h="$1" '$4 == h { print $6 }' "$scratch/hello"; }
throttled()
{
	awk '/^nr_throttled/ { print $2 }' \
		"$(find /sys/fs/cgroup -path "*/assay-bed-$BED_NAME/$1/cpu.stat")"
}
# Of 500 datagrams from n1 to n2's closed port over the fabric, those that arrive.
arriving()
{
	local before
	before=$(refused)
	bed exec n1 bash -c 'for ((i = 0; i < 500; i++)); do echo >/dev/udp/n2-hsn0/9; done' \
		2>/dev/null
	echo $(($(refused) - before))
}
refused() { bed exec n2 awk '$1 == "Udp:" && ++n == 2 { print $3 }' /proc/net/snmp; }
received() { bed exec "$1" cat /sys/class/net/hsn0/statistics/rx_bytes; }

bed up 4 || exit 1

# --- MPI
rx=$(received n3)
check "mpirun from the head runs on four nodes" hello n1,n2,n3,n4
check "ranks share no memory: they count as four nodes" grep -q "ranks 4 nodes 4" "$scratch/hello"
for n in 1 2 3 4; do
	check "rank $((n - 1)) is on n$n" grep -q "rank $((n - 1)) host n$n " "$scratch/hello"
done
check "their messages go over the fabric" is $(($(received n3) - rx)) \> 16000000
quick=$(figure round-trip)

# --- the fabric
fault n2 rate 100mbit
hello n1,n2,n3
check "rate 100mbit: 12.5 MB/s and not more, to n2" is "$(figure bandwidth)" \< 14
check "rate 100mbit: n3 is not slowed" is "$(figure bandwidth 2)" \> 20
hello n2,n1
check "rate 100mbit: and from n2" is "$(figure bandwidth)" \< 14
fault n2 clear
hello n1,n2
check "rate is over after clear" is "$(figure bandwidth)" \> 20

fault pair n1 n3 rate 100mbit
hello n1,n2,n3
check "pair: n1 to n3 has 12.5 MB/s" is "$(figure bandwidth 2)" \< 14
check "pair: n1 to n2 is not slowed" is "$(figure bandwidth 1)" \> 20
hello n3,n1,n2
check "pair: n3 to n1 has 12.5 MB/s" is "$(figure bandwidth 1)" \< 14
check "pair: n3 to n2 is not slowed" is "$(figure bandwidth 2)" \> 20
fault n3 clear
hello n1,n3
check "clear on one end ends it for both" is "$(figure bandwidth)" \> 20

fault n2 delay 2ms
hello n1,n2,n3
check "delay 2ms: 4 ms there and back" is "$(figure round-trip)" \> 3999
check "delay 2ms: by a relay" pgrep -f "^/run/assay-bed/$BED_NAME/bin/bed-delay"
check "delay 2ms: little more than that" is "$(figure round-trip)" \< 7000
check "delay 2ms: n3 is as quick as before ($quick us)" is "$(figure round-trip 2)" \< 2000
fault n2 clear
hello n1,n2
check "delay is over after clear" is "$(figure round-trip)" \< 2000
check "delay leaves no relay" gives 1 pgrep -f "^/run/assay-bed/$BED_NAME/bin/bed-delay"

fault n2 loss 20
count=$(arriving)
check "loss 20: about 400 of 500 datagrams arrive, not many more" is "$count" \< 460
check "loss 20: and not many less" is "$count" \> 340
fault n2 clear
check "all arrive after clear" test "$(arriving)" = 500

fault n2 fabric-down
check "fabric-down: no carrier" \
	says 0 bed exec n2 cat /sys/class/net/hsn0/carrier
check "fabric-down: the management network works" says n2 bed agent n2 hostname
check "fabric-down: MPI hangs, only a time limit ends it" \
	gives 110 bed mpirun --timeout 4 -N 1 "$build/bin/bed-hello"
fault n2 clear
check "the fabric is back after clear" hello n1,n2

# --- CPU
fault n3 slow 25
before=$(throttled n3)
hello n1,n2,n3,n4
check "slow 25: a tenth of a CPU instead of 40 %" is "$(cpu_of n3)" \< 0.13
check "slow 25: the kernel held it back" is "$(throttled n3)" \> "$before"
check "slow 25: status says it" says "10     slow 25" bed status
fault n3 clear
check "its quota is back after clear" gives 1 says " 10 " bed status

# --- nodes that cannot be reached
agent() { bed agent -t 2 n2 hostname; }
fault n2 mgmt-down
check "mgmt-down: the agent gives 255" gives 255 agent
fault n2 clear
check "n2 is back after clear" says n2 agent
fault n2 unreachable
check "unreachable: the agent gives 255" gives 255 agent
check "unreachable: after its time to connect" within 1.9 20 agent
check "unreachable: the name resolves" bed head getent hosts n2
fault n2 clear
check "n2 answers after clear" says n2 agent
fault n2 login-hangs
check "login-hangs: the agent waits past its time to connect" \
	gives 124 bed head timeout 4 /run/bed/agent -t 2 n2 hostname
fault n2 clear
check "n2 lets in after clear" says n2 agent
fault n2 hung
check "hung: the node accepts and says nothing: 255" gives 255 agent
check "hung: after the time to connect" within 1.9 20 agent
fault n2 clear
check "n2 goes on after clear" says n2 agent

# --- ranks, daemons, nodes that stop or die
run_sleep() # LIMIT: in the background; it ends by what happens to it, or at its time limit
{
	check "no rank of an earlier run is on n2" eventually 60 gives 1 bed exec n2 pgrep -x sleep
	(limit=200 bed mpirun --timeout "$1" -N 1 sleep 200 >"$scratch/mpirun" 2>&1
	echo $? >"$scratch/status") &
	check "a rank sleeps on n2" eventually 60 bed exec n2 pgrep -x sleep
}
ended() { eventually "$1" test -s "$scratch/status"; }
status_is() { says "$1" cat "$scratch/status"; }

run_sleep 180
fault n2 stop sleep
check "stop: the rank is stopped" eventually 30 says T bed exec n2 ps -o stat= -C sleep
fault n2 clear
check "clear: the rank goes on" eventually 30 says S bed exec n2 ps -o stat= -C sleep
fault n2 kill sleep
check "kill of a rank: mpirun ends at once" ended 60
check "kill of a rank: with its signal" status_is 137
rm "$scratch/status"

# Long enough for the fault to come before the end, also where all is slow.
run_sleep 8
fault n2 hung-daemon
check "hung-daemon: orted is stopped" eventually 5 says T bed exec n2 ps -o stat= -C orted
check "hung-daemon: mpirun ends only by its time limit" ended 60
check "hung-daemon: and says so" status_is 110
fault n2 clear
rm "$scratch/status"

run_sleep 8
fault n2 lost
check "lost: n2 is off" says "n2     dead" bed status
check "lost: mpirun does not hear of it and ends only by its time limit" ended 60
check "lost: and says so" status_is 110
check "lost: the agent gives 255" gives 255 agent
fault n2 clear
rm "$scratch/status"

run_sleep 180
fault n2 dead
check "dead: mpirun ends at once" ended 60
check "dead: and not well" test "$(cat "$scratch/status")" != 0
check "dead: the agent gives 255" gives 255 agent
check "dead: the others go on" hello n1,n3,n4
check "clear boots it" bed fault n2 clear
check "and it answers" says n2 agent
check "and MPI runs on it" hello n1,n2,n3,n4
finish
