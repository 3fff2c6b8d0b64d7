#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The build id: names the commit, tells uncommitted states apart, is written only when it
# changes. Argument: harness/cmake/AssayBuild.cmake.
set -eu
script=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org
export GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org GIT_CEILING_DIRECTORIES=$dir

fail() {
	echo "build_id: $*" >&2
	exit 1
}
id() { # SOURCE: runs the script and prints the id
	cmake -D SOURCE="$1" -D OUT="$dir/assay_build.h" -D VERSION=1.2.3 -P "$script"
	grep -q '#define ASSAY_VERSION "1.2.3"' "$dir/assay_build.h" || fail "no version"
	sed -n 's/#define ASSAY_BUILD  *"\(.*\)"/\1/p' "$dir/assay_build.h"
}

mkdir -p "$dir/repo/src/harness" && cd "$dir/repo/src"
echo 'int a;' >harness/a.c

# without a repository: a hash of the sources
one=$(id "$PWD")
[[ $one =~ ^src-[0-9a-f]{16}$ ]] || fail "without git: '$one'"
touch -d '1 hour ago' "$dir/assay_build.h"
before=$(stat -c %Y "$dir/assay_build.h")
[ "$(id "$PWD")" = "$one" ] || fail "the same sources have two ids"
[ "$(stat -c %Y "$dir/assay_build.h")" = "$before" ] || fail "written without a change"
echo 'int b;' >harness/b.c
[ "$(id "$PWD")" != "$one" ] || fail "another source file has the same id"

if command -v git >/dev/null; then
	# a repository that merely contains the sources says nothing about them
	git init -q "$dir/repo"
	[[ $(id "$PWD") =~ ^src- ]] || fail "took the id of a repository around the sources"

	git init -q . && git add . && git commit -qm one
	clean=$(id "$PWD")
	[ "$clean" = "$(git describe --always --abbrev=12)" ] || fail "clean: '$clean'"
	echo 'int c;' >harness/a.c
	dirty=$(id "$PWD")
	[[ $dirty =~ ^$clean-dirty-[0-9a-f]{16}$ ]] || fail "dirty: '$dirty'"
	echo 'int d;' >harness/a.c
	[ "$(id "$PWD")" != "$dirty" ] || fail "two uncommitted states share an id"
fi
