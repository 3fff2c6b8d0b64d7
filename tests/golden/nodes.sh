#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# nodes.sh ASSAY TREES EXPECTED: assay nodes on recorded machines behind a remote agent,
# some of which do not answer as they should. UPDATE=1 writes what was expected.
assay=$1 trees=$2 expected=$3
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

# status WANT words...: runs assay nodes
status() {
	want=$1
	shift
	"$assay" nodes "$@" >"$dir/out" 2>"$dir/err" </dev/null
	got=$?
	[ $got = "$want" ] || fail "'$*' gives $got, expected $want: $(cat "$dir/err")"
}

# The agent: a folder is a machine, a script is a machine that is odd.
cat >"$dir/agent" <<-END
	#!/bin/sh
	[ -d "$dir/\$1" ] || exec sh "$dir/\$1.sh"
	cd "$dir/\$1" && exec "${assay%/*}/assay-probe" --root . --format records
END
chmod +x "$dir/agent"
for node in c001 c002 c003 c011 c012; do
	"$trees/unpack" "$trees/server.tree" "$dir/$node" || fail "unpack"
	echo $node >"$dir/$node/proc/sys/kernel/hostname"
done
echo 2.14.1 >"$dir/c003/sys/devices/virtual/dmi/id/bios_version"
echo c011 >"$dir/c012/proc/sys/kernel/hostname"
"$trees/unpack" "$trees/offline.tree" "$dir/c004"
"$trees/unpack" "$trees/d03.tree" "$dir/c013"
echo 'echo "ssh: connect to host c005 port 22: No route to host" >&2; exit 255' \
	>"$dir/c005.sh"
sed 's/c005/c006/' "$dir/c005.sh" >"$dir/c006.sh"
echo 'echo "@assay {\"kind\":\"node\",\"node\":\"\",\"facts\":{}}"' >"$dir/c007.sh"
echo 'echo "@assay {\"kind\":\"node\",\"node\":\"\",\"fac"' >"$dir/c008.sh"
echo 'echo "assay-probe: not found" >&2; exit 127' >"$dir/c009.sh"
echo 'echo hello' >"$dir/c010.sh"
cat >"$dir/site.yaml" <<-END
	nodes: c[001-013]
	remote_agent: $dir/agent
END

# every node has an answer or a reason, like ones in one row
status 3 --site "$dir/site.yaml"
[ -z "$UPDATE" ] || cp "$dir/out" "$expected/nodes.txt"
diff "$expected/nodes.txt" "$dir/out" || fail "the table differs"
status 3 --site "$dir/site.yaml" --format json
python3 - "$dir/out" <<-END || fail "json"
	import json, sys
	nodes = json.load(open(sys.argv[1]))["nodes"]
	assert [n["name"] for n in nodes] == ["c%03d" % i for i in range(1, 14)]
	assert [n["name"] for n in nodes if "why" in n] == ["c%03d" % i for i in range(5, 11)]
	assert nodes[0]["facts"]["dmi"]["product"] == "PowerEdge C6525"
	assert nodes[0]["class"] == nodes[1]["class"] != nodes[3]["class"]
	assert nodes[12]["facts"]["pci"]["0000:21:00.0"]["links"][0]["now_width"] == 8
	assert "serial" not in nodes[0]["facts"]["dmi"]
	assert not any("topology" in n for n in nodes)
END

# all of a hostfile on stdin are asked: the agent gets none of it
printf 'c001\nc002\nc003\nc004\n' |
	"$assay" nodes --site "$dir/site.yaml" --nodes - --format json >"$dir/out" ||
	fail "nodes from stdin"
[ "$(grep -o '"facts":' "$dir/out" | wc -l)" = 4 ] || fail "not four of four"

# a site file of what was found reads back, and is not overwritten
status 0 --site "$dir/site.yaml" --nodes 'c[001-004,013]' --write-site "$dir/new.yaml"
sed "s|$dir||" "$dir/new.yaml" >"$dir/yaml"
[ -z "$UPDATE" ] || cp "$dir/yaml" "$expected/nodes.yaml.txt"
diff "$expected/nodes.yaml.txt" "$dir/yaml" || fail "the site file differs"
status 0 --site "$dir/new.yaml"
status 2 --nodes c001 --write-site "$dir/new.yaml"
[ ! -s "$dir/out" ] || fail "nodes were asked all the same"

# what root saved of a node fills what others cannot read
"${assay%/*}/assay-probe" --root "$dir/c001" --save "$dir/saved" >/dev/null
sed -i 's/"dmi":{/"dmi":{"serial":"ABC1234",/; s/"unreadable":{[^}]*}/"unreadable":{}/' \
	"$dir/saved"
echo "facts: $dir/saved" >>"$dir/site.yaml"
status 0 --site "$dir/site.yaml" --nodes 'c[001-002]' --format json
[ "$(grep -o '"serial":"ABC1234"' "$dir/out" | wc -l)" = 1 ] || fail "saved facts"
echo 'nonsense' >"$dir/saved"
status 2 --site "$dir/site.yaml"
grep -q 'site.yaml:3:8: facts .*expected what assay-probe --save wrote' "$dir/err" ||
	fail "bad saved facts: $(cat "$dir/err")"

status 2 --format xml
status 2 --nodes c001 --hostfile /dev/null
status 2 --nodes 'c[1-'
status 2 --launcher nosuch
status 2 extra
status 2 --site /nowhere
"$assay" nodes >/dev/full 2>"$dir/err"
[ $? = 4 ] || fail "a full disk does not give 4"
exit 0
