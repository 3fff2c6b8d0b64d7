#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Real Slurm and real sshd on a testbed: jobs run MPI on its nodes.
# shellcheck disable=SC2317,SC2016 # functions are called by check; the nodes expand words
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

idle() { test "$(bed head sinfo -h -N -o %T | grep -c '^idle$')" = "$1"; }

check "four nodes are up with Slurm and sshd in seconds" within 0 100 bed up 4 --slurm --sshd
check "all four are idle" idle 4
check "srun starts on all four" \
	test "$(bed head srun -N 4 hostname | sort | tr '\n' ' ')" = "n1 n2 n3 n4 "

arguments=$(bed site | sed -n 's/.*args: \[\(.*\)\].*/\1/p' | sed 's/", "/ /g; s/"//g')
mpirun="mpirun --allow-run-as-root --timeout 100 $arguments"
cat >"$scratch/job" <<-END
	#!/bin/sh
	#SBATCH -N 4 --ntasks-per-node=1 -o $scratch/out
	$mpirun $build/bin/bed-hello && echo complete
END
bed head sbatch "$scratch/job"
check "a batch job ends" eventually 100 grep -q complete "$scratch/out"
check "its mpirun ran on four nodes" grep -q "ranks 4 nodes 4" "$scratch/out"
check "one rank was on n4" grep -q "host n4 " "$scratch/out"
check "salloc: mpirun runs inside the allocation" \
	says "ranks 2 nodes 2" bed head salloc -N 2 --ntasks-per-node=1 sh -c "$mpirun $build/bin/bed-hello"

check "ssh runs a command" says n3 bed head ssh -n n3 hostname
check "ssh is what the site says" says "remote_agent: ssh " bed site
check "mpirun starts its daemons by ssh" \
	says "ranks 4 nodes 4" bed mpirun --timeout 100 -N 1 "$build/bin/bed-hello"
fault n3 login-hangs
check "login-hangs holds ssh too" \
	gives 124 bed head timeout 4 ssh -n -o ConnectTimeout=2 n3 hostname
fault n3 clear
fault n3 hung
check "hung: ssh gives up after its time to connect" \
	gives 255 bed head ssh -n -o ConnectTimeout=2 n3 hostname
fault n3 clear

fault n4 dead
check "Slurm sees that a node is dead" \
	eventually 120 says "down" bed head sinfo -h -N -n n4 -o %T
check "and has it back when it boots" bed fault n4 clear
check "all four are idle again" eventually 60 idle 4

bed down
check "sixteen nodes with Slurm are up in seconds" within 0 100 bed up 16 --slurm
check "srun starts on all sixteen" \
	test "$(bed head srun -N 16 hostname | sort -u | wc -l)" = 16
finish
