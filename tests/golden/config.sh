#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# config.sh ASSAY FILES EXPECTED: each wrong configuration in the folder FILES gives exactly
# the one line that EXPECTED has for it, from `assay check` and from `assay run`, which
# makes and launches nothing. With ASSAY_UPDATE=1 EXPECTED is written anew.
set -euo pipefail
export LC_ALL=C
assay=$1 files=$2 expected=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
fail() {
	echo "FAILED: $*" >&2
	failed=1
}

# status WORDS...: exit status of assay, its output in $dir/out and $dir/err
status() {
	local rc=0
	"$assay" "$@" >"$dir/out" 2>"$dir/err" </dev/null || rc=$?
	echo "$rc"
}

cp "$files"/*.yaml "$dir"
cd "$dir"
rc=$(status check ./*.yaml)
[ "$rc" = 2 ] || fail "check of all gives $rc, expected 2"
[ ! -s err ] || fail "check says on stderr: $(cat err)"
if [ -n "${ASSAY_UPDATE:-}" ]; then
	cp out "$expected"
fi
diff -u "$expected" out || fail "check: not the lines of $expected"
[ "$(wc -l <out)" = "$(find . -name '*.yaml' | wc -l)" ] || fail "not one line a file"
cp out lines

# one by one: the same line, and status 2 for each
while IFS= read -r line; do
	file=$(sed -n "s/^\(\.\/[a-z-]*\.yaml\):.*/\1/p" <<<"$line")
	[ "$(status check "$file")" = 2 ] || fail "check $file: status"
	[ "$(cat out)" = "$line" ] || fail "check $file: $(cat out)"
	case $file in
	./plan-*) words=(run "$file") ;;
	./site-*) words=(run local --site "$file") ;;
	*) continue ;;
	esac
	rc=$(status "${words[@]}" --allow-root -o "$dir/run")
	[ "$rc" = 2 ] || fail "${words[*]} gives $rc, expected 2"
	[ "$(cat err)" = "assay: $line" ] || fail "${words[*]} says: $(cat err)"
	[ ! -s out ] || fail "${words[*]} prints: $(cat out)"
	[ ! -e "$dir/run" ] || fail "${words[*]} made a run folder"
done <lines

# what is right is said to be
rc=$(status check "$files/../profile.yaml")
[ "$rc" = 0 ] || fail "a good profile gives $rc: $(cat out)"
[ "$(cat out)" = "$files/../profile.yaml: ok" ] || fail "a good profile: $(cat out)"
rc=$(status check missing.yaml)
[ "$rc" = 2 ] || fail "a missing file gives $rc"
[ "$(cat out)" = "cannot read 'missing.yaml': No such file or directory" ] ||
	fail "a missing file: $(cat out)"
rc=$(status check)
[ "$rc" = 2 ] || fail "no file gives $rc"
exit $failed
