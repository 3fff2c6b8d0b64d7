# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# What jobs/*.sh and tests/run.sh share: installs packages that are missing, then builds.
# Sourced by scripts that have set -euo pipefail; does nothing by itself.

assay_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Progress goes to stderr, so that stdout is the result alone.
setup_say()
{
	printf '== %s\n' "$*" >&2
}

# setup_wanted COLUMN PURPOSE...: the entries of packages.txt for these purposes.
setup_wanted()
{
	local column=$1
	shift
	awk -v column="$column" -v purposes="$*" '
		BEGIN { n = split(purposes, p, " "); for (i = 1; i <= n; i++) want[p[i]] }
		/^#/ || NF == 0 { next }
		($1 in want) && $column != "-" { print $column }
	' "$assay_root/jobs/packages.txt"
}

# setup_installed_apt NAME..., setup_installed_dnf NAME...: those that are installed.
setup_installed_apt()
{
	dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null |
		awk '$2 ~ /^.i/ { print $1 }'
}

setup_installed_dnf()
{
	local name
	for name; do
		if rpm -q --quiet --whatprovides "$name" 2>/dev/null; then
			printf '%s\n' "$name"
		fi
	done
}

# setup_missing MANAGER PURPOSE...: the packages to install, one a line.
setup_missing()
{
	local manager=$1 column=2 entries
	shift
	[ "$manager" = apt ] || column=3
	entries=$(setup_wanted "$column" "$@")
	# shellcheck disable=SC2086 # one word a package
	"setup_installed_$manager" ${entries//|/ } | awk -v entries="$entries" '
		{ have[$1] }
		END {
			n = split(entries, e, "\n")
			for (i = 1; i <= n; i++) {
				m = split(e[i], names, "|")
				for (j = 1; j <= m; j++)
					if (names[j] in have)
						break
				if (j > m)
					print names[1]
			}
		}'
}

# setup_install MANAGER NAME...: never removes a package to make room for another one.
setup_install()
{
	local manager=$1 log status=0
	local -a as_root=()
	shift
	[ "$(id -u)" = 0 ] || as_root=(sudo)
	log=$(mktemp)
	if [ "$manager" = apt ]; then
		local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -qq
			-o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
		# The lists of packages are fetched only when it does not go without.
		"${apt[@]}" install --no-remove --no-install-recommends "$@" >"$log" 2>&1 || {
			"${apt[@]}" update >"$log" 2>&1 &&
				"${apt[@]}" install --no-remove --no-install-recommends "$@" \
					>>"$log" 2>&1
		} || status=$?
	else
		"${as_root[@]}" dnf -y -q --setopt=install_weak_deps=False install "$@" \
			>"$log" 2>&1 || status=$?
	fi
	[ "$status" = 0 ] || tail -n 30 "$log" >&2
	rm -f "$log"
	return "$status"
}

# setup_packages PURPOSE...: quick when nothing is missing. Where it cannot install
# (no package manager it knows, no right to use it) it says what it would have installed
# and goes on: on a cluster the same things may come from modules, and the build tells.
setup_packages()
{
	local manager
	local -a missing=()
	if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
		manager=apt
	elif command -v dnf >/dev/null && command -v rpm >/dev/null; then
		manager=dnf
	else
		setup_say "no apt-get and no dnf here: taking what there is"
		return 0
	fi
	mapfile -t missing < <(setup_missing "$manager" "$@")
	if [ "${#missing[@]}" -gt 0 ]; then
		if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
			setup_say "not root and no sudo, so not installed: ${missing[*]}"
		else
			setup_say "installing: ${missing[*]}"
			setup_install "$manager" "${missing[@]}"
		fi
	fi
	# Red Hat's Open MPI is off the search path until its module is loaded.
	if ! command -v mpirun >/dev/null && [ -x /usr/lib64/openmpi/bin/mpirun ]; then
		export PATH="/usr/lib64/openmpi/bin:$PATH"
	fi
}

# setup_build FOLDER [--target TARGET] [CMAKE-OPTION...]: configures and builds.
setup_build()
{
	local folder=$1 log
	local -a generator=() target=()
	shift
	if [ "${1-}" = --target ]; then
		target=(--target "$2")
		shift 2
	fi
	if [ ! -f "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null; then
		generator=(-G Ninja)
	fi
	setup_say "building in $folder"
	log=$(mktemp)
	if ! { cmake -S "$assay_root" -B "$folder" "${generator[@]}" "$@" &&
		cmake --build "$folder" --parallel "$(nproc)" "${target[@]}"; } >"$log" 2>&1; then
		tail -n 60 "$log" >&2
		rm -f "$log"
		setup_say "the build failed"
		return 1
	fi
	rm -f "$log"
}
