# SPDX-License-Identifier: Apache-2.0
# services.bash: real sshd and real Slurm in a testbed; a part of 'bed'.
# shellcheck shell=bash disable=SC2154 # state, nodes, ... are bed's

configure_sshd() # /etc/ssh of the bed; it has keys of its own
{
	local to=$state/etc/ssh
	command -v /usr/sbin/sshd >/dev/null || die "'sshd' is missing"
	mkdir -p "$to"
	ssh-keygen -q -t ed25519 -N '' -f "$to/ssh_host_ed25519_key"
	ssh-keygen -q -t ed25519 -N '' -f "$to/id_ed25519"
	cp "$to/id_ed25519.pub" "$to/authorized_keys"
	cat >"$to/sshd_config" <<-'END'
		HostKey /etc/ssh/ssh_host_ed25519_key
		AuthorizedKeysFile /etc/ssh/authorized_keys
		PidFile none
		UsePAM no
		UseDNS no
		StrictModes no
		PermitRootLogin yes
		MaxStartups 200
		ForceCommand /etc/ssh/login
	END
	cat >"$to/ssh_config" <<-'END'
		IdentityFile /etc/ssh/id_ed25519
		StrictHostKeyChecking no
		UserKnownHostsFile /dev/null
		LogLevel ERROR
	END
	cat >"$to/login" <<-'END'
		#!/bin/sh
		[ ! -e "/run/bed/$(hostname)/login-hangs" ] || exec sleep infinity
		[ "$SSH_ORIGINAL_COMMAND" ] || exec "$SHELL" -l
		exec sh -c "$SSH_ORIGINAL_COMMAND"
	END
	chmod +x "$to/login"
}

start_sshd() { enter "$1" /usr/sbin/sshd -E "/run/bed/$1/log"; }

configure_slurm()
{
	local to=$state/etc/slurm cpus
	for cpus in munged slurmctld slurmd; do
		command -v "$cpus" >/dev/null || die "'$cpus' is missing"
	done
	cpus=$(nproc)
	mkdir -p "$to"
	head -c 128 /dev/urandom >"$state/etc/munge.key"
	chmod 600 "$state/etc/munge.key"
	echo "CgroupPlugin=cgroup/v1" >"$to/cgroup.conf"
	cat >"$to/slurm.conf" <<-END
		ClusterName=bed
		SlurmctldHost=head
		SlurmUser=root
		AuthType=auth/munge
		MpiDefault=none
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		SchedulerType=sched/builtin
		SchedulerParameters=batch_sched_delay=0
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		ReturnToService=2
		SlurmdTimeout=10
		KillWait=2
		SlurmdParameters=config_overrides
		StateSaveLocation=/run/slurmctld
		SlurmdSpoolDir=/run/slurmd
		SlurmctldPidFile=/run/slurmctld.pid
		SlurmdPidFile=/run/slurmd.pid
		SlurmctldLogFile=/run/bed/head/log
		SlurmdLogFile=/run/bed/%n/log
		NodeName=n[1-$nodes] CPUs=$cpus CoresPerSocket=$cpus State=UNKNOWN
		PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	cat >"$to/start" <<-'END'
		#!/bin/sh
		# start DAEMON: munge, then this daemon
		mkdir -p /run/munge /run/slurmctld /run/slurmd
		cd /run/munge && munged --key-file /run/bed/etc/munge.key \
			--pid-file /run/munge/pid --log-file /run/munge/log \
			--seed-file /run/munge/seed --num-threads 1 && exec "$1"
	END
	chmod +x "$to/start"
}

# Those of the slurmds are started over the network: a real login's clean environment.
start_slurm() # NODE...
{
	local name up=0 i
	for name; do
		if [[ $name == head ]]; then
			enter head /etc/slurm/start slurmctld
		else
			enter head /run/bed/agent -n "$name" /etc/slurm/start slurmd
		fi
	done </dev/null >>"$state/head/log" 2>&1
	for ((i = 0; i < 1200 && up < nodes; i++)); do
		sleep 0.1
		up=$(enter head sinfo -h -N -o %T 2>/dev/null | grep -c '^idle$') || true
	done
	((up == nodes)) || die "slurm: $up of $nodes nodes idle after 120 s"
}
