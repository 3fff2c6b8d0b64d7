#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The plan fabric on eight nodes names the slow port, pair, direction, loss or delay, and
# nothing else. Arguments: BUILD-FOLDER WHAT, where WHAT is one of the cases below.
# shellcheck disable=SC2317 # functions are called by check
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

# One pair at a time, short and small: the nodes share two cores.
pairs() # STATUS [OPTION...]
{
	local status=$1
	shift
	run=$scratch/run
	rm -rf "$run"
	bed site >"$scratch/site.yaml"
	limit=400 gives "$status" bed head "$build/bin/assay" run fabric --allow-root \
		--site "$scratch/site.yaml" --set pairs.at_once=1 \
		--set net.pairs-at-once=1 --set net.seconds=0.2 \
		--set net.message-size=8:128k \
		--set net.window-size=4 "$@" -o "$run"
}

# finds WHO [AT]: all findings of rule pairs are about WHO, (node, peer), each with a FAIL.
finds()
{
	local who=$1 at=${2:-None}
	python3 -c 'import json, sys
r = json.load(open(sys.argv[1]))
# what else the machine does is not of the bed
bad = [v for v in r["verdicts"] if v["verdict"] != "PASS" and v.get("metric") != "facts.clean"]
for v in bad: print(v["rule"], v["verdict"], v.get("node"), v.get("peer"), v.get("metric"), v["why"])
for t in r.get("remarks", []): print(t)
mine = [v for v in bad if v["rule"] == "pairs"]
who = {frozenset(filter(None, (v.get("node"), v.get("peer")))) for v in mine}
at = {(v.get("at") or {}).get("direction") for v in mine}
want = set(map(frozenset, eval(sys.argv[2])))
ok = who == want and (not want or eval(sys.argv[3]) in at) and \
    who == {frozenset(filter(None, (v.get("node"), v.get("peer")))) for v in mine
        if v["verdict"] == "FAIL"} and len(mine) == len(bad)
sys.exit(not ok)' "$run/report.json" "$who" "$at"
}

# met N: so many pairs have a latency.
met()
{
	python3 -c 'import json, sys
r = [json.loads(l) for l in open(sys.argv[1])]
n = {frozenset((s["node"], s["peer"])) for s in r if s.get("metric") == "net.pair_latency"}
print(len(n))
sys.exit(len(n) != int(sys.argv[2]))' "$run/journal.jsonl" "$1"
}

# met_without NODE N: so many of them are of others.
met_without()
{
	python3 -c 'import json, sys
r = [json.loads(l) for l in open(sys.argv[1])]
n = {frozenset((s["node"], s["peer"])) for s in r if s.get("metric") == "net.pair_latency"}
n = [p for p in n if sys.argv[2] not in p]
print(len(n))
sys.exit(len(n) != int(sys.argv[3]))' "$run/journal.jsonl" "$1" "$2"
}

bed up 8 --quota 90 || exit 1 # one pair is busy, the others sleep
case ${2:?case} in
clean)
	check "a clean fabric is good" pairs 0
	check "and nothing is named" finds '[]'
	check "all 28 pairs were measured" met 28
	;;
port)
	fault n3 rate 100mbit
	check "a port of 100 Mbit/s fails" pairs 1
	check "it is n3, and nothing else" finds '[("n3",)]'
	;;
pair)
	fault pair n2 n7 rate 100mbit
	check "a pair of 100 Mbit/s fails" pairs 1
	check "it is n2-n7, and nothing else" finds '[("n2", "n7")]'
	;;
direction)
	fault n5 rate-out 100mbit
	check "a slow direction fails" pairs 1
	check "it is what n5 sends, and nothing else" finds '[("n5",)]' '"out"'
	;;
loss)
	fault n6 loss 2
	check "2 % of loss fail" pairs 1
	check "it is n6, and nothing else" finds '[("n6",)]'
	;;
delay)
	fault n4 delay 2ms
	check "2 ms of delay fail" pairs 1
	check "it is n4, and nothing else" finds '[("n4",)]'
	;;
dies)
	# in the middle: when the second of seven rounds is in the journal
	(pairs 3 >"$scratch/pairs" 2>&1
	echo $? >"$scratch/status") &
	check "two rounds are done" eventually 90 \
		grep -q '"2 of 7: 4 pairs"' "$scratch/run/journal.jsonl"
	fault n5 dead
	check "the run ends by itself" eventually 200 test -s "$scratch/status"
	run=$scratch/run
	check "with status 3: something is missing, nothing is slow" \
		says 0 cat "$scratch/status" "$scratch/pairs"
	check "the 21 pairs of the other seven are there" met_without n5 21
	check "the journal shows the rounds without it" \
		grep -q -e --absent "$run"/steps/*-pairs-pairs/command
	check "the report tells who is missing" report 'words["n5"] == "ERROR" and
		"n5" in {m.get("node") for m in r["coverage"]["missing"]} and not fails'
	;;
esac
finish
