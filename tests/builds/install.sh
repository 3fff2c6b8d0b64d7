#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs into an empty folder, moves that folder, and uses what is in it.
#
#     install.sh BUILD-FOLDER
set -euo pipefail
build=$(cd "$1" && pwd)
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
cd "$top"

fail()
{
	echo "install.sh: $*" >&2
	exit 1
}

cmake --install "$build" --prefix "$top/first" >install.log || fail "$(cat install.log)"
# Nothing may depend on the folder it was installed into, or on the build folder.
mv first moved
share=moved/share
for file in bin/assay share/man/man1/assay.1 share/doc/assay/README.md \
	share/doc/assay/LICENSE share/assay/configs/plans/local.yaml; do
	[ -f "moved/$file" ] || fail "'$file' was not installed"
done
[ -z "$(find "$share" -type l)" ] || fail "links in $share: $(find "$share" -type l)"
[ "$(moved/bin/assay --version)" = "$("$build/bin/assay" --version)" ] ||
	fail "another version than in the build folder"
# assay-fake plays for the tests and stays in the build folder.
for program in "$build"/bin/assay-*; do
	name=${program##*/}
	[ "$name" != assay-fake ] || continue
	[ -x "moved/bin/$name" ] || fail "'$name' was not installed"
	moved/bin/"$name" --version </dev/null >version.log || fail "'$name' does not start"
done
for program in moved/bin/*; do
	if ldd "$program" | grep -q -e 'not found' -e "$build"; then
		fail "$program: $(ldd "$program")"
	fi
done
(cd moved/bin && ./assay check ../share/assay/configs/plans/local.yaml) >check.log ||
	fail "check of the installed plan: $(cat check.log)"
# A command that needs the configurations finds those beside it: a name will do.
moved/bin/assay list rules | grep -q '^theory' || fail "'assay list rules' has no theory"
echo "installed: $(find moved/bin -type f | wc -l) programs"
