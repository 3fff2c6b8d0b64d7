#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# placement.sh ASSAY TREES EXPECTED: where the plan node puts ranks and threads on machines
# that are not here: two with 128 cores, and small recorded ones. UPDATE=1 writes what was
# expected.
assay=$1 trees=$2 expected=$3
bin=${assay%/*}
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# dry TOPOLOGY: the dry run without what differs from site to site
dry() {
	"$assay" run node --allow-root --launcher mpirun --nodes c001 --dry-run \
		--topology "$1" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	[ $status = 0 ] || return $status
	sed -i "s|^  mpirun .* $bin/|  |" "$dir/out"
}

# golden NAME TOPOLOGY
golden() {
	dry "$2" || fail "$1: status $?: $(cat "$dir/err")"
	[ -z "$UPDATE" ] || cp "$dir/out" "$expected/placement.$1.txt"
	diff "$expected/placement.$1.txt" "$dir/out" || fail "$1 differs"
}

# wrong TEXT TOPOLOGY: refused with that text, and nothing printed
wrong() {
	dry "$2"
	status=$?
	[ $status = 2 ] || fail "'$2' gives $status"
	grep -q -- "$1" "$dir/err" || fail "'$2' says: $(cat "$dir/err")"
	[ "$(wc -l <"$dir/err")" = 1 ] || fail "'$2' says more: $(cat "$dir/err")"
	[ ! -s "$dir/out" ] || fail "'$2' prints steps"
}

l2='L2Cache:8(size=512KiB) L1dCache:1(size=32KiB) L1iCache:1(size=32KiB) Core:1 PU:1'
golden nps4 "Package:2 Group:4 [NUMANode(memory=64GiB)] L3Cache:2(size=32MiB) $l2"
golden ccx "Package:2 Die:8 [NUMANode(memory=32GiB)] L3Cache:1(size=32MiB) $l2"
golden smt 'Package:1 [NUMANode(memory=16GiB)] L3Cache:2(size=16MiB) Core:4 PU:2'
for tree in numa offline; do
	"$trees/unpack" "$trees/$tree.tree" "$dir/$tree" || fail "unpack"
	golden $tree "$dir/$tree"
done

# a machine is the same by its folder and by its XML
"$bin/assay-probe" --root "$dir/numa" --format records >"$dir/record" || fail "probe"
python3 - "$dir/record" >"$dir/numa.xml" <<-END || fail "XML"
	import json, sys
	print(json.loads(open(sys.argv[1]).readline()[7:])["topology"])
END
dry "$dir/numa.xml" || fail "numa.xml: $(cat "$dir/err")"
diff "$expected/placement.numa.txt" "$dir/out" || fail "XML and folder differ"

echo '<topology version="3.0"/>' >"$dir/new.xml"
wrong 'written by hwloc 3' "$dir/new.xml"
echo 'Package:2' >"$dir/damaged.xml"
wrong 'XML is damaged' "$dir/damaged.xml"
mkdir "$dir/empty"
wrong '--topology: ' "$dir/empty"
wrong 'is no file, no folder and no synthetic topology' /nowhere
wrong 'is no file, no folder and no synthetic topology' 'Package:2 Core:'
wrong 'is no file, no folder and no synthetic topology' ''
wrong 'PU:100000. is no file, .* has more than 8192 CPUs' PU:100000
# what is not bound says so
"$assay" run node-check --allow-root --launcher mpirun --nodes 'c[1-2]' --dry-run \
	--topology 'Core:2 PU:1' >"$dir/out" || fail "two nodes"
grep -q 'place anywhere: 2 ranks x 1 thread, CPUs any$' "$dir/out" || fail "anywhere"
"$assay" run node --allow-root --topology 'Core:2 PU:1' 2>"$dir/err" && fail "not a dry run"
grep -q 'is for --dry-run' "$dir/err" || fail "says: $(cat "$dir/err")"
exit 0
