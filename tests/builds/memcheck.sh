#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The controller under valgrind: a run with launches that go well, fail, lie and hang, its
# end by a signal and its resume, and every command on the run folder. No leak, no invalid
# access, no descriptor left open. Then two kernels, which have no leak of their own.
#
#     memcheck.sh BUILD-FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"

cat >plan.yaml <<'END'
plan: memcheck
limits: {time: 30m, step: 5s, rounds: 2, repeats: 2}
stages:
  - name: a
    steps:
      - {kernel: fake, name: x, place: all-cores, estimate: 1s}
      - {kernel: fake, name: y, place: 1-per-node, estimate: 1s}
END
cat >script <<'END'
reach@n5* exit 255 no route to host
a/x@n2* garbage
a/x@n3* torn
a/y@n2* refuse not enough slots
a/y@n3* hang
a/x@n4* nan
* ok reps=3
END
printf '%s\n' 'a/* hang' '* ok' >slow
export ASSAY_TEST_LAUNCHER=$top/script

# The other processes of a run are not looked at: kernels have tests of their own.
watched=(valgrind --quiet --leak-check=full "--show-leak-kinds=definite,possible"
	"--errors-for-leak-kinds=definite,possible" --track-fds=yes --error-exitcode=99
	--child-silent-after-fork=yes "--log-file=$top/valgrind.log" "$build/bin/assay")

# judge WANTED STATUS WORD...: what valgrind says of a command that ended with STATUS.
judge()
{
	local want=$1 status=$2
	shift 2
	# Descriptors that were open before are named so in the line after.
	if [ "$status" != "$want" ] || grep -A1 'Open file descriptor' valgrind.log |
		grep -qv -e 'inherited from parent' -e 'Open file descriptor' -e '^--$'; then
		echo "memcheck: 'assay $*' ended with $status, not $want" >&2
		cat valgrind.log err >&2
		exit 1
	fi
	echo "clean: assay $*"
}

# check WANTED WORD...: runs `assay WORD...`.
check()
{
	local status=0 want=$1
	shift
	timeout 500 "${watched[@]}" "$@" >out 2>err </dev/null || status=$?
	judge "$want" "$status" "$@"
}

check 0 --version
check 2 rum
check 0 list kernels
check 0 check plan.yaml
run=(--launcher test --allow-root --nodes 'n[1-5]')
check 1 run plan.yaml "${run[@]}" -o run
check 3 run plan.yaml "${run[@]}" --dry-run
check 0 report run --format json
check 1 judge run
check 0 explain run
check 0 explain run v1
check 0 status run
check 0 nodes
echo 'plan: [' >wrong.yaml
check 2 run wrong.yaml -o wrong

# Ended by TERM while launches hang, then resumed. A signal that comes just as ppoll() is
# entered makes valgrind enter it again with its own copy of the mask, which it then takes
# for a fault of the program: only then once more.
for try in 1 2 3; do
	rm -rf cut
	ASSAY_TEST_LAUNCHER=$top/slow "${watched[@]}" run plan.yaml "${run[@]}" -o cut \
		>out 2>err </dev/null &
	pid=$!
	for ((i = 0; i < 3000; i++)); do
		[ -f cut/journal.jsonl ] && grep -q '"event":"started"' cut/journal.jsonl && break
		sleep 0.1
	done
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	grep -q 'ppoll(sigmask) points to unaddressable' valgrind.log || break
	grep -q 'in arena "core"' valgrind.log || break
	echo "valgrind's own mask, try $try" >&2
done
judge 143 "$status" run, ended by TERM
check 1 run --resume cut --allow-root

# Kernels, one rank each, in instructions that valgrind knows.
kernels=(valgrind --quiet --leak-check=full --show-leak-kinds=definite
	--errors-for-leak-kinds=definite "--suppressions=$here/mpi.supp" --error-exitcode=99
	"--log-file=$top/valgrind.log")
for words in "assay-example" "assay-hpl --n 200 --nb 32 --update blas --threads 2"; do
	# shellcheck disable=SC2086 # words
	OPENBLAS_CORETYPE=Haswell timeout 500 "${kernels[@]}" "$build/bin/"$words \
		>out 2>err </dev/null || { cat valgrind.log err >&2; exit 1; }
	echo "clean: $words"
done
