# SPDX-License-Identifier: Apache-2.0
# faults.bash: what can go wrong in a testbed; a part of 'bed'.
#
# STATE/NODE/faults lists the lasting faults of a node, one a line. apply() makes the node
# and its ports agree with that list, whatever they were before.
# shellcheck shell=bash disable=SC2154 # state, nodes, ... are bed's

# --- lasting -----------------------------------------------------------------------------

forget() # NODE KEY: the line that begins with KEY
{
	[[ ! -e $state/$1/faults ]] || sed -i "/^$2\( \|\$\)/d" "$state/$1/faults"
}

note() # NODE KEY [VALUE]: instead of such a line
{
	forget "$1" "$2"
	echo "$2${3:+ $3}" >>"$state/$1/faults"
}

apply() # NODE
{
	local name=$1 key value speed i
	local -A has=() pair=()
	i=$(number "$name")
	[[ -e $state/$name/faults ]] || : >"$state/$name/faults"
	while read -r key value speed; do
		if [[ $key == pair ]]; then
			pair[$value]=$speed
		else
			has[$key]=${value:-yes}
		fi
	done <"$state/$name/faults"
	rm -f "$state/$name/login-hangs"
	[[ ! ${has[login-hangs]:-} ]] || : >"$state/$name/login-hangs"
	process "$name" >/dev/null || return 0 # dead: no ports
	apply_drops
	apply_cables
	apply_rates
	apply_delay
	apply_quota
}

# In the bridges, where the node itself cannot see it.
apply_drops()
{
	local way
	{
		echo "add chain bridge faults $name"
		echo "flush chain bridge faults $name"
		for way in iifname oifname; do
			# but no ARP: an address that is lost for seconds is another fault
			[[ ! ${has[loss]:-} ]] ||
				echo "add rule bridge faults $name $way f$i ether type ip" \
					"numgen random mod 100 < ${has[loss]} counter drop"
			# the path takes smaller packets than the ends believe, and says nothing
			[[ ! ${has[mtu]:-} ]] ||
				echo "add rule bridge faults $name $way f$i meta length" \
					"> ${has[mtu]} counter drop"
			# ARP still works: silence, not 'no route to host'
			[[ ! ${has[unreachable]:-} ]] ||
				echo "add rule bridge faults $name $way m$i ether type ip counter drop"
		done
		echo "add element bridge faults ports { f$i : jump $name, m$i : jump $name }"
	} | on_switch nft -f -
}

apply_cables()
{
	local fabric=up mgmt=up
	[[ ! ${has[fabric-down]:-} ]] || fabric=down
	[[ ! ${has[mgmt-down]:-} ]] || mgmt=down
	on_switch ip link set "f$i" "$fabric"
	on_switch ip link set "m$i" "$mgmt"
}

# Out of the node by a token bucket on its own device; into it by classes on its port.
apply_rates()
{
	local peer class
	in_network_of "$name" tc qdisc del dev hsn0 root 2>/dev/null || true
	on_switch tc qdisc del dev "f$i" root 2>/dev/null || true
	[[ ! ${has[rate]:-}${has[rate-out]:-} ]] ||
		in_network_of "$name" tc qdisc add dev hsn0 root \
			tbf rate "${has[rate]:-${has[rate-out]}}" burst 64kb latency 50ms
	[[ ${has[rate]:-} || ${#pair[@]} != 0 ]] || return 0
	{
		echo "qdisc add dev f$i root handle 1: htb default 1" # no class 1:1: unlimited
		[[ ! ${has[rate]:-} ]] || limit 1 "${has[rate]}"
		for peer in "${!pair[@]}"; do
			class=$(printf %x $((16 + $(number "$peer"))))
			limit "$class" "${pair[$peer]}"
			echo "filter add dev f$i parent 1: protocol ip prio 1 u32" \
				"match ip src 10.78.0.$(number "$peer")/32 flowid 1:$class"
		done
	} | on_switch tc -batch -
}

limit() # CLASS RATE: lines for tc
{
	echo "class add dev f$i parent 1: classid 1:$1 htb rate $2 burst 64kb cburst 64kb quantum 60000"
	echo "qdisc add dev f$i parent 1:$1 bfifo limit 256kb"
}

# The port moves to a bridge of its own; a relay between two TAPs leads to the fabric.
apply_delay()
{
	local relay=relay-$name pid have=''
	read -r have 2>/dev/null <"$state/$relay/time" || true
	[[ ${has[delay]:-} != "$have" ]] || return 0
	if read -r pid _ < <(process "$relay"); then
		kill -KILL "$pid"
	fi
	if [[ -d $state/$relay ]]; then
		on_switch ip -force -batch - <<-END
			link set f$i master fabric
			link del a$i
			link del b$i
			link del x$i
		END
		rm -r "${state:?}/$relay"
	fi
	[[ ${has[delay]:-} ]] || return 0
	mkdir "$state/$relay"
	echo "${has[delay]}" >"$state/$relay/time"
	on_switch ip -batch - <<-END
		link add x$i type bridge mcast_snooping 0
		tuntap add dev a$i mode tap
		tuntap add dev b$i mode tap
		link set a$i master fabric up
		link set b$i master x$i up
		link set f$i master x$i
		link set x$i up
	END
	exec 8<>"$state/ready"
	# shellcheck disable=SC2016 # the inner shell expands it
	hold switch "$state/switch/log" nsenter --net="/proc/$(process switch | cut -d' ' -f1)/ns/net" \
		bash -c 'read -r stat </proc/self/stat
		read -ra field <<<"${stat##*) }"
		echo "${stat%% *} ${field[19]}" >"$0/$1/pid"
		exec "$0/bin/bed-delay" "$2" "$3" "$4"' "$state" "$relay" "${has[delay]}" "a$i" "b$i"
}

apply_quota()
{
	local permille=$((quota * 10))
	if [[ ${has[slow]:-} ]]; then
		((permille > 0)) || permille=$((1000 * $(nproc)))
		permille=$((permille * has[slow] / 100))
		((permille > 0)) || permille=1
	fi
	set_quota "$name" "$permille"
}

# --- once --------------------------------------------------------------------------------

processes_of() # NODE [NAME]: the pids outside; all, or those of that name
{
	local first pid space comm
	read -r first _ < <(process "$1") || die "'$1' is dead"
	space=$(readlink "/proc/$first/ns/pid")
	while read -r pid; do
		# some of the group wait outside for a command inside
		[[ $(readlink "/proc/$pid/ns/pid" || true) == "$space" ]] || continue
		{ read -r comm <"/proc/$pid/comm"; } 2>/dev/null || continue
		[[ ! ${2:-} || $comm == "${2:0:15}" ]] && echo "$pid"
	done <"$group/$1/cgroup.procs"
	return 0
}

signal() # NODE SIGNAL [NAME]
{
	local pid hit='' i
	for ((i = 0; i < 600; i++)); do
		for pid in $(processes_of "$1" "${3:-}"); do
			# it may have ended meanwhile
			kill "-$2" "$pid" 2>/dev/null && hit=yes
		done
		[[ ! $hit ]] || return 0
		sleep 0.05
	done
	die "no process named '${3:-}' on $1 within 30 s"
}

# With process 1 the kernel ends all others of its namespace and then the network. They are
# ended before, so that what they had open is closed and the others hear of it.
shut_down() # NODE
{
	local first pids i
	read -r first _ < <(process "$1") || return 0
	for ((i = 0; i < 100; i++)); do
		pids=$(processes_of "$1" | grep -vx "$first") || break
		# shellcheck disable=SC2086 # one word each
		kill -KILL $pids 2>/dev/null || true
		sleep 0.05
	done
	sleep 0.1
	power_off "$1"
}

power_off() # NODE
{
	local pid i
	read -r pid _ < <(process "$1") || return 0
	kill -KILL "$pid"
	for ((i = 0; i < 1500; i++)); do
		[[ $(cat "$group/$1/cgroup.procs") ]] || return 0
		sleep 0.02
	done
	die "'$1' does not end"
}

cut_off() # NODE: nobody hears of its end
{
	local i
	i=$(number "$1")
	process "$1" >/dev/null || return 0
	on_switch ip link set "m$i" down
	on_switch ip link set "f$i" down
	power_off "$1"
}

clear() # NODE
{
	local peer
	if process "$1" >/dev/null; then
		signal "$1" CONT
	else
		# a dead network takes its time to go, and its ports with it
		on_switch ip -force -batch - 2>/dev/null <<-END || true
			link del m$(number "$1")
			link del f$(number "$1")
		END
		boot "$1"
	fi
	while read -r peer; do
		forget "$peer" "pair $1"
		apply "$peer"
	done < <(sed -n 's/^pair \([^ ]*\) .*/\1/p' "$state/$1/faults" 2>/dev/null)
	rm -f "$state/$1/faults"
	apply "$1"
}

# --- the command -------------------------------------------------------------------------

need_value() # VALUE PATTERN "WHAT"
{
	[[ $1 =~ ^($2)$ ]] || misuse "'$1' is not $3"
}

need_rate() { need_value "${1:-}" '[1-9][0-9]{0,8}[kmg]bit' "a rate like 100mbit"; }

fault()
{
	local node=${1:-} what=${2:-} value=${3:-}
	if [[ $node == pair ]]; then
		[[ $# == 5 && $4 == rate ]] || misuse "a pair's fault is 'pair A B rate 100mbit'"
		need_node "$2" && need_node "$3" && need_rate "$5"
		[[ $2 != "$3" ]] || misuse "a pair is two nodes"
		note "$2" "pair $3" "$5"
		note "$3" "pair $2" "$5"
		apply "$2" && apply "$3"
		return
	fi
	need_node "$node"
	case $what in
	rate | rate-out | loss | mtu | delay | slow | stop | kill)
		[[ $# == 3 ]] || misuse "'$what' wants one value"
		;;
	*) [[ $# == 2 ]] || misuse "'$what' wants no value" ;;
	esac
	case $what in
	rate | rate-out) need_rate "$value" ;;
	delay) need_value "$value" '[0-9]+(\.[0-9]+)?(us|ms|s)' "a time like 2ms" ;;
	loss) need_value "$value" '[1-9][0-9]?|100' "a loss of 1 to 100 percent" ;;
	mtu) need_value "$value" '[1-9][0-9]{2,4}' "a packet's length in bytes" ;;
	slow) need_value "$value" '[1-9][0-9]?' "a share of 1 to 99 percent" ;;
	esac
	case $what in
	rate | rate-out | loss | mtu | delay | slow) note "$node" "$what" "$value" && apply "$node" ;;
	fabric-down | mgmt-down | unreachable | login-hangs)
		note "$node" "$what" && apply "$node"
		;;
	stop) signal "$node" STOP "$value" ;;
	kill) signal "$node" KILL "$value" ;;
	hung-daemon) signal "$node" STOP orted ;;
	hung) signal "$node" STOP ;;
	dead) shut_down "$node" ;;
	lost) cut_off "$node" ;;
	clear) clear "$node" ;;
	*) misuse "no fault '$what'" ;;
	esac
}
