#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Of seven nodes three are out of order: they cost nothing but themselves.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

bed up 7 --quota 160 || exit 1
fault n2 dead
fault n4 login-hangs
fault n6 unreachable
check "with a dead, a hung and an unreachable node among seven the rest is measured" \
	measure lost 3 --set stream.ntimes=5
check "they cost one limit together: the shorter ones are over first" \
	report 'lost == ["n2", "n6", "n4"]'
check "the other four are measured and good" report \
	'ok and nodes == sorted(3 * ["n1", "n3", "n5", "n7"]) and not fails and
		{words[n] for n in nodes} <= {"PASS", "WARN"}'
check "their peers judged them" report \
	'{v["node"] for v in r["verdicts"] if v["rule"] == "peers" and v.get("n") and "node" in v} == set(nodes)'
check "the run says so" report 'r["exit"] == 3'
check "the others are errors" report '{words[n] for n in ("n2", "n4", "n6")} == {"ERROR"}'
check "the dead one refused" report 'why["n2"].startswith("unreachable: exit status 255")'
check "the hung one gave no answer" report 'why["n4"] == "probe: no answer after 12 s"'
check "the unreachable one timed out" \
	report 'why["n6"].startswith("unreachable: exit status 255")'
finish
