#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# jobs/setup.sh against package managers that are not there: what is installed, and how.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT

fail()
{
	echo "setup.sh: $*" >&2
	echo "log: $(cat "$top/log")" >&2
	exit 1
}

# machine MANAGER UID: a search path on which only that manager and basic tools are.
machine()
{
	rm -rf "${top:?}/bin"
	mkdir "$top/bin"
	: >"$top/log"
	for tool in awk bash cat dirname env mktemp rm tail tee; do
		ln -s "$(command -v $tool)" "$top/bin/$tool"
	done
	fake id "echo $2"
	case $1 in
	apt)
		fake dpkg-query "for p; do [ \"\$p\" = gcc ] || [ \"\$p\" = pkgconf ] ||
			continue; echo \"\$p ii \"; done; echo 'cmake rc '"
		fake apt-get "echo \"apt-get \$*\" >>$top/log"
		;;
	dnf)
		fake rpm "for p; do last=\$p; done; [ \"\$last\" = gcc ]"
		fake dnf "echo \"dnf \$*\" >>$top/log"
		;;
	esac
}

fake()
{
	printf '#!%s/bin/bash\n%s\n' "$top" "$2" >"$top/bin/$1"
	chmod +x "$top/bin/$1"
}

# setup PURPOSE...: set-up on that machine; its exit status.
setup()
{
	# shellcheck disable=SC2016 # its own $0, $1, $@
	PATH=$top/bin "$top/bin/bash" -c '
		set -euo pipefail
		. "$0/jobs/setup.sh"
		assay_root=$1
		shift
		setup_packages "$@"' "$root" "$top" "$@" 2>"$top/said"
}

mkdir "$top/jobs"
cat >"$top/jobs/packages.txt" <<'END'
# a comment
have    gcc                 gcc
have    pkg-config|pkgconf  gcc
want    gcc                 gcc
want    cmake|cmake3        cmake
want    only-apt            -
want    -                   only-dnf
other   nothing             nothing
END

machine apt 0
setup have || fail "nothing was missing, and yet: $(cat "$top/said")"
[ ! -s "$top/log" ] || fail "apt-get was asked although nothing is missing"

setup want || fail "set-up failed: $(cat "$top/said")"
grep -q '^apt-get .* install .*--no-install-recommends cmake only-apt$' "$top/log" ||
	fail "cmake, removed but configured, and only-apt should have been installed"
grep -q -- '--no-remove' "$top/log" || fail "an installation may remove packages"
! grep -q update "$top/log" || fail "the lists of packages were fetched without need"

fake apt-get "echo \"apt-get \$*\" >>$top/log
	case \"\$*\" in *update*) : >$top/lists ;; *) [ -f $top/lists ] ;; esac"
: >"$top/log"
setup want || fail "set-up failed where the lists have to be fetched first"
[ "$(grep -c update "$top/log")" = 1 ] || fail "the lists are to be fetched once"

fake apt-get "echo 'E: no such package' >&2; exit 100"
! setup want || fail "an installation that failed was taken for one that did not"
grep -q 'E: no such package' "$top/said" || fail "the package manager's words are lost"

machine apt 1000
setup want || fail "without root and sudo set-up goes on with what there is"
grep -q 'not root and no sudo.*cmake only-apt' "$top/said" || fail "$(cat "$top/said")"
[ ! -s "$top/log" ] || fail "apt-get was asked without the right to"

fake sudo "echo \"sudo\" >>$top/log; exec \"\$@\""
setup want || fail "set-up failed with sudo"
grep -q '^sudo' "$top/log" || fail "sudo was not used"

machine dnf 0
setup want || fail "set-up failed with dnf: $(cat "$top/said")"
grep -q '^dnf .*install cmake only-dnf$' "$top/log" || fail "dnf should install two packages"
machine dnf 0
setup have || fail "set-up failed with dnf"
[ ! -s "$top/log" ] || fail "dnf was asked although nothing is missing"

machine none 0
setup want || fail "without a package manager set-up goes on with what there is"
grep -q 'no apt-get and no dnf' "$top/said" || fail "$(cat "$top/said")"
echo "set-up installs what is missing, and nothing else"
