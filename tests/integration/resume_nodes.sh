#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A run over four nodes is killed at any moment and resumed: nothing is lost, nothing
# counts twice, nothing is left on the nodes; nor is after TERM.
# shellcheck disable=SC2317,SC2016 # functions are called by check; the nodes expand words
# shellcheck source-path=SCRIPTDIR source=lib.bash
. "$(dirname "$0")/lib.bash"

cat >"$scratch/plan.yaml" <<-END
	plan: long
	stages:
	  - {name: a, at_once: 2, steps: [{kernel: stream, place: all-cores, size: 32M,
	     ntimes: 60, estimate: 2s}]}
	  - {name: b, at_once: 2, steps: [{kernel: stream, place: 1-per-node, size: 32M,
	     ntimes: 60, estimate: 2s}]}
END

start() # OPTION...: in the background; $! is not the controller
{
	"$top/tests/testbed/bed" head "$build/bin/assay" run "$@" --allow-root \
		>>"$run.log" 2>&1 &
}
controller() { grep -h '"kind":"run"' "$run/journal.jsonl" 2>/dev/null | tail -1 | sed 's/.*"pid":\([0-9]*\).*/\1/'; }
end() { bed head kill "-$1" "$(controller)"; } # SIGNAL
over() { grep -qs '"kind":"end"' "$run/journal.jsonl"; }
starts() { [[ $(grep -cs '"kind":"run"' "$run/journal.jsonl") -ge $1 ]]; }
# Kernels, launchers and daemons on any node, but those we started by hand.
left()
{
	local n
	for n in 1 2 3 4; do
		bed exec "n$n" pgrep -la 'assay|orted|mpirun' | grep -v ' by hand' && return
	done
	return 1
}
idle() { ! left; }

# Every step of the plan ended well, in one attempt only, and all samples are of that.
complete()
{
	python3 -c 'import json, sys
steps, samples = {}, {}
for r in map(json.loads, open(sys.argv[1])):
    if r["kind"] == "step" and r["event"] == "ended":
        steps.setdefault(r["key"], []).append((r["attempt"], r["cause"]))
    if r["kind"] == "sample":
        where = (r["step"], r["attempt"], r["metric"], json.dumps(r.get("at")),
                 r.get("repetition"), r.get("rank"), r.get("peer"))
        assert where not in samples, where
        samples[where] = r
print(steps)
assert all(len(s) == 1 and s[0][1] == "ok" for s in steps.values()), "not once and well"
want = {f"{s}@n{n}" for s in ("a/stream-all-cores", "b/stream-1-per-node") for n in range(1, 5)}
assert want < set(steps), want - set(steps)' "$run/journal.jsonl"
}

bed up 4 --quota 160 || exit 1
bed site >"$scratch/site.yaml"
# What looks like ours and is not, one of another run.
for where in "exec n2" head; do
	# shellcheck disable=SC2086 # two words
	"$top/tests/testbed/bed" $where bash -c 'exec -a "assay-stream by hand" sleep 2000' &
	# shellcheck disable=SC2086
	"$top/tests/testbed/bed" $where \
		bash -c 'ASSAY_RUN=another exec -a "orted by hand" sleep 2000' &
done
check "what looks like ours begins" eventually 30 bed exec n2 pgrep -f 'orted by hand'

# --- killed five times, or as often as it takes where all is quick
run=$scratch/killed
start "$scratch/plan.yaml" --site "$scratch/site.yaml" -o "$run"
for i in 1 2 3 4 5; do
	check "start $i of the controller is in the journal" eventually 60 starts "$i"
	after=$((RANDOM % 3)).$((RANDOM % 10))
	sleep "$after"
	! over || break
	end KILL
	echo "        killed after $after s"
	wait $! 2>/dev/null
	start --resume "$run"
done
wait $! 2>/dev/null
check "it was killed twice at least" starts 3
check "killed and resumed it ends" over
check "each step gave its result once" complete
check "nothing is left on the nodes" eventually 30 idle

# --- killed while a daemon hangs: its ranks hear of nothing
run=$scratch/hung
start "$scratch/plan.yaml" --site "$scratch/site.yaml" -o "$run" --set stream.ntimes=100 \
	--set stream.size=128M
# planned and started is not yet there: the daemon that is made to hang must have its rank
check "a step runs on n1" eventually 60 bed exec n1 pgrep -x assay-stream
daemon=$(bed exec n1 pgrep -x orted)
fault n1 stop orted
end KILL
wait $! 2>/dev/null
check "a rank is left on n1" bed exec n1 pgrep -x assay-stream
start --resume "$run"
check "it is ended by the next start" \
	eventually 60 grep -Eq 'n1: ended [0-9]+ process(es)? of the interrupted run' "$run.log"
# The daemon that hung, too, before anything is started there again.
check "so is the daemon that hung" gives 1 bed exec n1 test -e "/proc/$daemon"

# --- TERM
check "the run goes on" eventually 60 starts 2
check "the step runs again" eventually 60 bed exec n1 pgrep -x assay-stream
begin=$SECONDS
end TERM
wait $! 2>/dev/null
check "TERM: it ends with 143" test $? = 143
check "TERM: within 30 s" test $((SECONDS - begin)) -le 30
check "TERM: the report says what was done" report 'r["exit"] == 143 and
	any(e["cause"] == "aborted" for e in ended.values())'
check "TERM: nothing is left on the nodes" eventually 30 idle

check "what looks like ours on n2 is alive" \
	says 2 bed exec n2 pgrep -cf '^(assay-stream|orted) by hand'
check "and on the head" says 2 bed head pgrep -cf '^(assay-stream|orted) by hand'
finish
