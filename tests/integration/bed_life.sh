#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A testbed comes up, its nodes are nodes, its agent is like ssh, and it leaves nothing.
# shellcheck disable=SC2317,SC2016 # functions are called by check; the nodes expand words
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

state=/run/assay-bed/$BED_NAME

# All that a bed could leave on the machine, with the network namespaces it had.
traces()
{
	ls /run/netns 2>/dev/null
	ls /sys/class/net
	grep -c "assay-bed/$BED_NAME" /proc/self/mounts
	find /sys/fs/cgroup -maxdepth 2 -name "*$BED_NAME*"
	ls -d "$state" 2>/dev/null
	readlink /proc/[0-9]*/ns/net 2>/dev/null | sort -u | grep -F "${spaces:-none}"
}

spaces_of_bed() # so that traces() can look for processes in them afterwards
{
	local f
	for f in "$state"/*/pid; do
		readlink "/proc/$(cut -d' ' -f1 "$f")/ns/net"
	done
}

nothing_left() { diff <(echo "$before") <(traces); }

start_and_kill() # kills 'bed up' after a while
{
	"$top/tests/testbed/bed" up 8 &
	sleep "$1"
	kill -KILL $!
	wait $! 2>/dev/null
	bed down
}

before=$(traces)

check "four nodes come up in seconds" within 0 40 bed up 4
check "a second bed of that name is refused" gives 1 bed up 4
spaces=$(spaces_of_bed)
check "the head and four nodes and the switches have networks of their own" \
	test "$(wc -l <<<"$spaces")" = 6
for n in 1 2 3 4; do
	check "n$n answers over the management network" says "n$n" bed agent "n$n" hostname
done
check "n1 reaches n4 over the fabric by name" \
	bed exec n1 timeout 5 bash -c "exec 3<>/dev/tcp/n4-hsn0/514; head -c 5 <&3"
check "the head has no fabric" gives 1 bed head test -e /sys/class/net/hsn0
check "a node sees only its own network devices" \
	says "eth0 hsn0 lo" bed exec n2 sh -c 'echo $(ls /sys/class/net)'
check "a node sees only its own processes" \
	says " bed-init sh" bed exec n2 sh -c 'cat /proc/[0-9]*/comm | tr "\n" " " | sed "s/^/ /"'
check "a node has a quota of a CPU" says " 40 " bed status
bed exec n1 touch /tmp/private /dev/shm/private /run/bed/shared/common
check "/tmp is private to a node" gives 1 bed exec n2 test -e /tmp/private
check "/dev/shm is private to a node" gives 1 bed exec n2 test -e /dev/shm/private
check "the shared folder is common" bed exec n2 test -e /run/bed/shared/common

check "the agent returns the command's status" gives 7 bed agent n1 exit 7
check "the agent returns 255 when a signal ends the command" \
	gives 255 bed agent n1 "kill -9 \$\$"
check "the agent returns 255 for a name it does not know" gives 255 bed agent n9 true
check "the agent joins its words as ssh does" says "a b" bed agent n1 "echo a" "  b"
check "the agent keeps stdout and stderr apart" \
	test "$(bed agent n1 'echo out; echo err >&2' 2>/dev/null)" = out
head -c 20M /dev/urandom >"$scratch/bytes"
check "20 MB go there and back unchanged" \
	cmp "$scratch/bytes" <(bed agent n1 cat <"$scratch/bytes")
check "with -n the agent leaves stdin alone" \
	test "$(echo rest | { bed agent -n n1 cat; cat; })" = rest
check "a node's command has no environment of its caller" \
	gives 1 env MARK=1 "$top/tests/testbed/bed" agent n1 "env | grep MARK"
"$top/tests/testbed/bed" head /run/bed/agent n1 sleep 777 </dev/null &
check "a command begins" eventually 30 bed exec n1 pgrep -x sleep
check "its agent is killed" bed head pkill -KILL -f 'agent n1 sleep 777'
wait $! 2>/dev/null
check "a command outlives its agent, as with ssh" bed exec n1 pgrep -x sleep
check "the head does not see a node's processes" gives 1 bed head pgrep -x sleep
check "bed exec returns the command's status" gives 9 bed exec n1 sh -c 'exit 9'
check "bed exec dies by the signal that ended the command" \
	gives 143 bed exec n1 sh -c 'kill -15 $$'
"$top/tests/testbed/bed" head sleep 888 &
check "a command begins on the head" eventually 30 bed head pgrep -f "sleep 888"
kill -KILL $!
wait $! 2>/dev/null
check "a command does not outlive a killed 'bed head'" \
	eventually 30 gives 1 bed head pgrep -f "sleep 888"

# A process that looks like one of ours, also at a pid that a dead node had.
(exec -a bed-init sleep 1000) &
alike=$!
echo "$alike 1" >"$state/n4/pid"
check "a reused pid is not taken for a node" says "n4     dead" bed status
check "powering off a dead node is no error" bed fault n4 dead
fault n3 delay 1ms
fault n2 hung
"$top/tests/testbed/bed" exec n1 sleep 100 &
check "a command begins on n1" eventually 30 bed exec n1 pgrep -f "sleep 100"
check "down ends hung nodes, relays, commands" bed down
check "down leaves no process, mount, control group, file" nothing_left
check "down leaves a process alone that looks like ours" kill -0 "$alike"
kill "$alike"
wait 2>/dev/null
check "down with nothing there is no error" bed down

for s in 0.03 0.07 0.1 0.15 0.2 0.3; do
	start_and_kill "$s" 2>/dev/null
	check "nothing is left when 'up' was killed after $s s" nothing_left
done

(BED_NAME=$BED_NAME-b bed up 2) &
bed up 2
wait
check "two beds have the same addresses and do not meet" says n2 bed agent n2 hostname
check "the other is another" \
	test "$(bed exec n1 readlink /proc/self/ns/net)" != \
	"$(BED_NAME=$BED_NAME-b bed exec n1 readlink /proc/self/ns/net)"
BED_NAME=$BED_NAME-b bed down
check "the end of one is not the end of the other" says n2 bed agent n2 hostname

check "up without a number of nodes is misuse" gives 2 bed up
check "a node that is not there is misuse" gives 2 bed fault n3 slow 25
check "a fault that is not there is misuse" gives 2 bed fault n1 flood
check "a rate without a unit is misuse" gives 2 bed fault n1 rate 100
finish
