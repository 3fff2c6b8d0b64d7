#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# probe.sh PROBE TREES: the probe as the controller and as people call it.
probe=$1 trees=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }
# expect STATUS TEXT words...: the probe ends with STATUS and says TEXT on stderr
expect() {
	want=$1 text=$2
	shift 2
	"$probe" "$@" >"$dir/out" 2>"$dir/err"
	got=$?
	[ $got = "$want" ] || fail "'$*' gives $got, expected $want: $(cat "$dir/err")"
	[ -z "$text" ] || grep -q -- "$text" "$dir/err" || fail "'$*' says '$(cat "$dir/err")'"
	[ "$want" = 0 ] || [ "$(wc -l <"$dir/err")" = 1 ] || fail "'$*': not one line"
}

"$trees/unpack" "$trees/server.tree" "$dir/server" || fail "unpack"

# records: one node, one end, nothing on stderr
expect 0 '' --root "$dir/server" --format records
[ ! -s "$dir/err" ] || fail "stderr: $(cat "$dir/err")"
[ "$(wc -l <"$dir/out")" = 2 ] || fail "not two lines"
grep -q '^@assay {"kind":"node","node":"","host":"c001","class":"amd-epyc-7713x2-' \
	"$dir/out" || fail "no node record"
grep -q '"topology":"<?xml ' "$dir/out" || fail "no topology"
[ "$(tail -1 "$dir/out")" = '@assay {"kind":"end","count":1,"ranks":1}' ] ||
	fail "no end record"
# not on a terminal that is the default
cp "$dir/out" "$dir/records"
expect 0 '' --root "$dir/server"
cmp -s "$dir/out" "$dir/records" || fail "records are not the default in a pipe"

# for people
expect 0 '' --root "$dir/server" --format text
sed "s|$dir/server||" "$dir/out" | diff - "$trees/server.inventory" || fail "inventory differs"

# adapters and memory modules, too
"$trees/unpack" "$trees/d03.tree" "$dir/d03" || fail "unpack"
expect 0 '' --root "$dir/d03" --format text
sed "s|$dir/d03||" "$dir/out" | diff - "$trees/d03.inventory" || fail "inventory differs"

# of this machine, who else uses it; of a recorded one that is not known
expect 0 '' --format records --mask-users
grep -q '"clean":{.*"sample":[0-9.]*,.*"clock":{"start":[0-9]' "$dir/out" ||
	fail "not watched: $(cat "$dir/out")"
! grep -q '"clean":{[^}]*"user":' "$dir/out" || fail "users are named"
! grep -q '"clean"\|"clock"' "$dir/records" || fail "a recorded machine was watched"

# saved: the same record, for the owner alone, over an older file
echo old >"$dir/saved"
chmod 644 "$dir/saved"
expect 0 '' --root "$dir/server" --save "$dir/saved"
[ "$(stat -c %a "$dir/saved")" = 600 ] || fail "saved with $(stat -c %a "$dir/saved")"
sed -n '1s/^@assay //p' "$dir/records" | cmp -s - "$dir/saved" || fail "saved record"
set -- "$dir"/saved*
[ $# = 1 ] || fail "left beside the file: $*"

# of this machine: what is saved is not of a moment
expect 0 '' --save "$dir/saved"
grep -q '"os":{' "$dir/saved" || fail "nothing saved"
! grep -q '"clean"\|"clock"' "$dir/saved" || fail "processes are saved"

# the kernels of a plan: one that runs, one that is not there, one that lacks a library
mkdir "$dir/bin"
cp "$probe" "$dir/bin/assay-probe"
build=$(sed -n 's/.*"build":"\([^"]*\)".*/\1/p' "$dir/records")
[ "$build" = "$("$probe" --version | sed 's/.*(\(.*\))/\1/')" ] || fail "build: $build"
stub() { # NAME LINE
	printf '#!/bin/sh\n%s\n' "$2" >"$dir/bin/assay-$1"
	chmod +x "$dir/bin/assay-$1"
}
stub good "echo 'assay-good 1 ($build)'"
stub old "echo 'assay-old 0.9 (v0.9)'"
stub lame "echo '/x/assay-lame: error while loading shared libraries: libq.so' >&2; exit 127"
stub dead 'kill -9 $$'
"$dir/bin/assay-probe" --programs good >"$dir/out" || fail "--programs"
! grep -q '"broken"' "$dir/out" || fail "a good program is broken: $(cat "$dir/out")"
"$dir/bin/assay-probe" --programs good,old,lame,none,dead >"$dir/out" || fail "--programs"
want="assay-old: another build than the probe's $build"
want="$want; assay-lame: error while loading shared libraries: libq.so"
want="$want; assay-none: No such file or directory; assay-dead: does not answer"
grep -q "\"broken\":\"$want\"" "$dir/out" ||
	fail "--programs: $(grep -o '"broken":"[^"]*"' "$dir/out")"

# whether a command could be started, without starting it
finds() { # WANT WORD...
	want=$1
	shift
	"$probe" --find "$@" >"$dir/out" || fail "--find $*"
	[ "$(cat "$dir/out")" = "$want" ] || fail "--find $* says: $(cat "$dir/out")"
}
finds '' sh
finds '' "$dir/bin/assay-good"
finds '' ./assay-good --dir "$dir/bin"
finds '' assay-good --dir "$dir/bin"
finds "command not found: 'nosuch-program'" nosuch-program
finds "command not found: '/nowhere/xhpl'" /nowhere/xhpl
finds "command not found: './assay-good'" ./assay-good --dir "$dir"
finds "no such directory: '/nowhere'" sh --dir /nowhere
chmod -x "$dir/saved"
finds "command cannot be executed: '$dir/saved'" "$dir/saved"
expect 2 "--dir is for --find" --dir /

# names, each with its line
expect 0 '' --resolve localhost nosuch.invalid
grep -q '^localhost	127\.\|^localhost	::1' "$dir/out" || fail "localhost: $(cat "$dir/out")"
grep -q '^nosuch\.invalid	! ' "$dir/out" || fail "no address: $(cat "$dir/out")"
expect 2 "1 to 64 names, not 0" --resolve

expect 4 "cannot write '/nowhere/file'" --save /nowhere/file
"$probe" --format records >/dev/full 2>"$dir/err"
[ $? = 4 ] || fail "a full disk does not give 4"
grep -q 'No space left' "$dir/err" || fail "full disk: $(cat "$dir/err")"

expect 2 "unknown option '--rot', did you mean '--root'" --rot /
expect 2 "needs a value" --save
expect 2 "unknown option '-x'" -x
expect 2 "unknown option '--mask-usrs', did you mean '--mask-users'" --mask-usrs
expect 2 "unexpected word 'now'" now
expect 2 "expected text or records" --format xml
expect 2 "expected a folder" --root /nowhere
expect 0 '' --help
expect 0 '' --version
grep -q '^assay-probe [0-9]' "$dir/out" || fail "version"
exit 0
