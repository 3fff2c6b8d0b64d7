#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The plan node by mpirun from the head: like nodes are good, and one that gets a quarter
# of its share is found by its peers.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

bed up 4 --quota 160 || exit 1

# --- four like nodes: large arrays, so that all that the plan requires is judged
check "four like nodes are accepted" measure good 0 --set stream.ntimes=5
check "each step on each of them gave a result" \
	report 'ok and nodes == sorted(3 * ["n1", "n2", "n3", "n4"])'
check "none of them fails" report 'not fails and set(words.values()) <= {"PASS", "WARN"}'

# --- one that gets a quarter of its share: its best loops look well, what it sustains not
fault n3 slow 25
check "with a slow node among them the run fails" measure slow 1 --set stream.size=32M
check "it was the slow one" report 'words["n3"] == "FAIL"'
check "its peers say so, by the rate it sustains" \
	report '("n3", "peers", "stream.sustained") in fails'
check "nothing else failed anywhere" report '{f[:2] for f in fails} == {("n3", "peers")}'
check "all four were measured" report \
	'ok and {"memory/stream-all-cores@n%d" % i for i in range(1, 5)} <= set(ended)'
finish
