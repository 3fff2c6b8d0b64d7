/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of recorded machines, and classes of like nodes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts.h"
#include "host/facts_cpu.h"
#include "record/record.h"
#include "tree.h"

/* The facts as the record has them. */
static char *gather(const struct tree *tree)
{
	struct topology *t;
	struct err e = {0};
	json_t *facts;
	char *text;

	if (topology_load(&t, &tree->io, &e))
		t = NULL;
	facts = facts_gather(&tree->io, t, e.msg);
	text = json_dumps(facts, JSON_COMPACT);
	assert_non_null(text);
	json_decref(facts);
	topology_free(t);
	return text;
}

static char *facts_of(const char *name)
{
	struct tree tree;
	char *text;

	tree_load(&tree, name);
	text = gather(&tree);
	tree_remove(&tree);
	return text;
}

static void assert_text(const char *facts, const char *path, const char *want)
{
	struct arena a = {0};

	assert_string_equal(record_json_text(&a, facts, path), want);
	arena_release(&a);
}

static void assert_num(const char *facts, const char *path, double want)
{
	double v = record_json_num(facts, path);

	if (!(v == want))
		fail_msg("%s is %g, expected %g", path, v, want);
}

static void assert_absent(const char *facts, const char *path)
{
	json_t *root = json_loads(facts, 0, NULL), *o = root;
	char copy[64], *save;

	(void)snprintf(copy, sizeof(copy), "%s", path);
	for (char *w = strtok_r(copy, ".", &save); w; w = strtok_r(NULL, ".", &save))
		o = json_object_get(o, w);
	if (o)
		fail_msg("%s is there", path);
	json_decref(root);
}

static void assert_has(const char *facts, const char *piece)
{
	if (!strstr(facts, piece))
		fail_msg("no %s in %s", piece, facts);
}

static void a_server_has_all_of_its_facts(void **unused)
{
	char *f = facts_of("server");

	(void)unused;
	assert_text(f, "cpu.model", "AMD EPYC 7713 64-Core Processor");
	assert_text(f, "cpu.microcode", "0xa0011d3");
	assert_num(f, "cpu.family", 6);
	assert_num(f, "cpu.sockets", 2);
	assert_num(f, "cpu.cores", 4);
	assert_num(f, "cpu.threads", 8);
	assert_text(f, "cpu.smt", "true");
	assert_text(f, "cpu.smt_control", "on");
	assert_has(f, "\"flags\":[\"sse2\",\"avx\",\"avx2\",\"fma\"]");
	assert_num(f, "cpu.base_hz", 2e9);
	assert_num(f, "cpu.max_hz", 3.72e9);
	assert_text(f, "cpu.boost", "false");
	assert_text(f, "cpu.driver", "acpi-cpufreq");
	assert_text(f, "cpu.governor", "performance + powersave");
	assert_text(f, "cpu.mask", "0-7");
	assert_text(f, "cpu.offline", "");
	assert_num(f, "cache.l3_size", 32 << 20);
	assert_num(f, "cache.l3_instances", 2);
	assert_num(f, "cache.llc_total", 64 << 20);
	assert_has(f, "{\"id\":1,\"cpus\":\"2-3,6-7\",\"memory\":137438953472,"
		      "\"package\":1,\"distances\":[32,10]}");
	assert_text(f, "os.distro", "Test Linux 9.4 (Plow)");
	assert_text(f, "os.kernel", "5.14.0-427.el9.x86_64");
	assert_text(f, "os.clocksource", "hpet");
	assert_text(f, "os.thp", "always");
	assert_num(f, "os.numa_balancing", 1);
	assert_num(f, "load", 4.02);
	assert_num(f, "memory.hugepages_reserved", 128.0 * (1 << 30));
	assert_num(f, "memory.hugepages_free", 65530.0 * (2 << 20));
	assert_text(f, "dmi.product", "PowerEdge C6525");
	assert_text(f, "dmi.bios_date", "01/25/2022");
	assert_text(f, "virtual", "none");
	assert_absent(f, "dmi.serial");
	assert_has(f, "\"dmi.serial\":\"read '");
	assert_absent(f, "elsewhere");
	free(f);
}

static void offline_cpus_are_not_counted(void **unused)
{
	char *f = facts_of("offline"); /* A09 */

	(void)unused;
	assert_text(f, "cpu.model", "TEST CPU Model 7 @ 2.00GHz");
	assert_num(f, "cpu.threads", 4);
	assert_text(f, "cpu.online", "0,2,4,6");
	assert_text(f, "cpu.offline", "1,3,5,7");
	assert_text(f, "cpu.mask", "0,2,4");
	assert_text(f, "cpu.smt", "false");
	assert_has(f, "{\"id\":2,\"cpus\":\"4,6\",\"memory\":16384000000,"
		      "\"package\":1,\"distances\":[20,10,20]},"
		      "{\"id\":3,\"cpus\":\"\",\"memory\":0,"
		      "\"distances\":[20,20,10]}]");
	assert_absent(f, "virtual"); /* no flags, no word */
	assert_absent(f, "dmi.vendor");
	assert_absent(f, "unreadable");
	free(f);
}

static void mixed_cpus_are_listed_one_by_one(void **unused)
{
	char *f = facts_of("mixed"); /* A09 */

	(void)unused;
	assert_text(f, "cpu.model", "Big-1 + Small-1");
	assert_text(f, "cpu.microcode", "0x1 + 0x2");
	assert_num(f, "cpu.threads", 20);
	assert_has(f, "\"models\":[{\"model\":\"Big-1\",\"cpus\":\"0-9\"},"
		      "{\"model\":\"Small-1\",\"cpus\":\"10-19\"}]");
	assert_has(f, "\"flags\":[\"sse2\",\"avx2\",\"fma\"]");
	assert_absent(f, "cache");
	free(f);
}

static void what_a_container_hides_is_unknown_and_not_zero(void **unused)
{
	char *f = facts_of("container"); /* A09 */

	(void)unused;
	assert_num(f, "cpu.threads", 4);
	assert_text(f, "cpu.online", "8-9,24-25");
	assert_text(f, "cpu.mask", "8,24");
	assert_absent(f, "cpu.cores");
	assert_absent(f, "cpu.sockets");
	assert_absent(f, "cpu.smt");
	assert_absent(f, "cache");
	assert_absent(f, "dmi");
	assert_num(f, "memory.usable", 8.0 * (1 << 30));
	assert_text(f, "memory.usable_from", "memory.max of '/'");
	assert_text(f, "virtual", "unknown");
	free(f);
}

static void domains_without_memory_or_cpus_are_told_apart(void **unused)
{
	char *f = facts_of("numa"); /* A15 */

	(void)unused;
	assert_has(f, "\"numa\":[{\"id\":0,\"cpus\":\"0-3\",\"memory\":67108864000,"
		      "\"package\":0,\"distances\":[10,12,32,13]},"
		      "{\"id\":2,\"cpus\":\"4-7\",\"memory\":0,"
		      "\"package\":1,\"distances\":[12,10,32,14]},"
		      "{\"id\":3,\"cpus\":\"8-11\",\"memory\":67108864000,"
		      "\"package\":2,\"distances\":[32,32,10,33]},"
		      "{\"id\":8,\"cpus\":\"\",\"memory\":16777216000,"
		      "\"distances\":[13,14,33,10]}]");
	assert_absent(f, "cache.l3_size");
	assert_num(f, "cpu.numa_domains", 3);
	assert_num(f, "cache.llc_level", 2);
	assert_num(f, "cache.llc_total", 12 * 512 * 1024);
	free(f);
}

static void an_empty_machine_has_no_invented_facts(void **unused)
{
	struct tree tree;
	char *f;

	(void)unused;
	tree_make(&tree);
	tree_put(&tree, "/sys/devices/system/cpu/online", "0-3\n");
	f = gather(&tree);
	assert_has(f, "{\"cpu\":{\"online\":\"0-3\",\"threads\":4},\"unreadable\":{");
	assert_has(f, "\"topology\":\"hwloc cannot read the topology below '");
	assert_has(f, "\"memory.usable\":\"read '");
	free(f);
	tree_remove(&tree);
}

static void hostile_files_become_reasons(void **unused)
{
	struct arena a = {0};
	struct tree tree;
	char big[3000], *f;

	(void)unused;
	tree_load(&tree, "server");
	memset(big, 'A', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	tree_put(&tree, "/sys/devices/virtual/dmi/id/sys_vendor", big);
	tree_put(&tree, "/sys/devices/virtual/dmi/id/product_name", "\x1b]0;x\a \xff\n");
	tree_put(&tree, "/sys/devices/virtual/dmi/id/board_name", "   \n");
	tree_put(&tree, "/sys/devices/system/cpu/cpufreq/boost", "maybe\n");
	tree_put(&tree, "/sys/devices/system/cpu/cpu0/acpi_cppc/nominal_freq", "-5\n");
	tree_put(&tree, "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "nan\n");
	tree_put(&tree, "/sys/devices/system/cpu/online", "0-\n");
	tree_put(&tree, "/sys/kernel/mm/transparent_hugepage/enabled", "always\n");
	tree_put(&tree, "/proc/self/status", "Cpus_allowed_list:\t0-99999999\n");
	tree_put(&tree, "/proc/loadavg", "inf\n");
	tree_put(&tree, "/proc/cpuinfo",
		 ":\n\nprocessor : x\nmodel name : M\nprocessor : 99999999999999\n"
		 "model name : N\nflags :\nno colon\ncpu family : six");
	tree_put(&tree, "/etc/os-release", "PRETTY_NAME=\"");
	f = gather(&tree);
	assert_text(f, "dmi.product", "\\x1b]0;x\\x07 \xef\xbf\xbd");
	assert_absent(f, "dmi.board");
	assert_absent(f, "cpu.boost");
	assert_absent(f, "cpu.base_hz");
	assert_absent(f, "cpu.max_hz");
	assert_absent(f, "cpu.online");
	assert_absent(f, "cpu.mask");
	assert_absent(f, "load");
	assert_absent(f, "os.thp");
	assert_has(f, "\"cpu.boost\":\"'/sys/devices/system/cpu/cpufreq/boost' holds "
		      "'maybe'\"");
	assert_text(f, "cpu.model", "M + N");
	assert_text(f, "cpu.family", "six");
	assert_text(f, "os.distro", "\"");
	assert_int_equal(strlen(record_json_text(&a, f, "dmi.vendor")), HOST_IO_LINE);
	arena_release(&a);
	free(f);
	tree_remove(&tree);
}

static void models_that_differ_in_blanks_only_are_one(void **unused)
{
	/* F06, lines 1 to 4 */
	static const char text[] =
		"processor : 0\nmodel name\t: AMD EPYC 9654 96-Core Processor            "
		"   \n"
		"processor : 1\nmodel name\t: AMD EPYC 9654 96-Core Processor\n";
	static const char intel[] =
		"model name\t: Intel(R) Xeon(R) CPU           X7550  @ 2.00GHz\n"
		"model name\t: Intel(R) Xeon(R) CPU X7550 @ 2.00GHz\n";
	json_t *cpu = json_object();

	(void)unused;
	facts_cpuinfo(cpu, text);
	assert_string_equal(json_string_value(json_object_get(cpu, "model")),
			    "AMD EPYC 9654 96-Core Processor");
	assert_null(json_object_get(cpu, "models"));
	json_object_clear(cpu);
	facts_cpuinfo(cpu, intel);
	assert_string_equal(json_string_value(json_object_get(cpu, "model")),
			    "Intel(R) Xeon(R) CPU X7550 @ 2.00GHz");
	json_object_clear(cpu);
	facts_cpuinfo(cpu,
		      "cpu\t\t: POWER9, altivec supported\n"
		      "model name : a\nmodel name : b\nmodel name : c\nmodel name : d\n");
	assert_string_equal(json_string_value(json_object_get(cpu, "model")),
			    "POWER9, altivec supported + a + b + c + ...");
	json_decref(cpu);
}

static void class_of(const char *model, double memory, const char *synthetic,
		     struct strbuf *out)
{
	json_t *facts = json_pack("{s:{s:s}, s:{s:I}}", "cpu", "model", model, "memory",
				  "total", (json_int_t)memory);
	struct topology *t;
	struct err e = {0};

	assert_int_equal(topology_from_synthetic(&t, synthetic, &e), 0);
	strbuf_reset(out);
	facts_class(facts, t, out);
	json_decref(facts);
	topology_free(t);
}

#define NPS1  "Package:2 [NUMANode(memory=256GB)] L3Cache:8(size=32MB) Core:8 PU:1"
#define NPS4  "Package:2 Group:4 [NUMANode(memory=64GB)] L3Cache:2(size=32MB) Core:8 PU:1"
#define MILAN "AMD EPYC 7713 64-Core Processor"

static void like_nodes_are_one_class_and_others_are_not(void **unused)
{
	static const struct {
		const char *model;
		double gib;
		const char *synthetic;
		bool same;
	} others[] = {
		{MILAN, 503.6, NPS1, true},
		{MILAN, 500.1, NPS1, true},
		{MILAN, 487, NPS1, false},
		{MILAN, 251, NPS1, false},
		{MILAN, 503.6, NPS4, false},
		{"AMD EPYC 7713P 64-Core Processor", 503.6, NPS1, false},
		{"AMD EPYC 7763 64-Core Processor", 503.6, NPS1, false},
		{MILAN, 503.6,
		 "Package:2 [NUMANode(memory=256GB)] L3Cache:8(size=32MB) Core:7 PU:1",
		 false},
		{MILAN, 503.6,
		 "Package:2 [NUMANode(memory=256GB)] L3Cache:8(size=16MB) Core:8 PU:1",
		 false},
		{MILAN, 503.6,
		 "Package:2 [NUMANode(memory=256GB)] L3Cache:8(size=32MB) Core:8 PU:2",
		 false},
	};
	struct strbuf first = {0}, other = {0};

	(void)unused;
	class_of(MILAN, 503.7 * (1 << 30), NPS1, &first);
	assert_memory_equal(strbuf_str(&first), "amd-epyc-7713x2-", 16);
	assert_int_equal(first.len, 24);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		class_of(others[i].model, others[i].gib * (1 << 30), others[i].synthetic,
			 &other);
		if (!strcmp(strbuf_str(&first), strbuf_str(&other)) != others[i].same)
			fail_msg("%zu: %s", i, strbuf_str(&other));
	}
	strbuf_release(&first);
	strbuf_release(&other);
}

static void a_class_is_a_file_name_whatever_the_model(void **unused)
{
	static const char *const models[][2] = {
		{"Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz", "intel-xeon-gold-6230"},
		{"Intel(R) Xeon(R) CPU E5-2680 v3 @ 2.50GHz", "intel-xeon-e5-2680-v3"},
		{"AMD Eng Sample: 100-000000xxx-01", "amd-eng-sample-100-000000xxx-01"},
		{"", "unknown"},
		{"../../etc/passwd", "etcpasswd"},
		{"@ 2GHz", "unknown"},
		{"((((", "unknown"},
		{"Big-1 + Small-1", "big-1-small-1"},
		{"\xc3\xa4\xc3\xb6", "unknown"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
	};
	struct strbuf name = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		size_t len = strlen(models[i][1]);

		class_of(models[i][0], 1e9, "Package:1 Core:1 PU:1", &name);
		if (strncmp(strbuf_str(&name), models[i][1], len) != 0 ||
		    strncmp(strbuf_str(&name) + len, "x1-", 3) != 0)
			fail_msg("'%s' gives '%s'", models[i][0], strbuf_str(&name));
		for (size_t k = 0; k < name.len; k++)
			assert_true(isalnum((unsigned char)name.buf[k]) ||
				    strchr(".-", name.buf[k]));
	}
	strbuf_reset(&name);
	facts_class(NULL, NULL, &name);
	assert_string_equal(strbuf_str(&name), "unknown");
	strbuf_release(&name);
}

static int complete(const char *facts, const char *saved, const char *want)
{
	json_t *f = json_loads(facts, 0, NULL), *s = json_loads(saved, 0, NULL);
	json_t *w = json_loads(want, 0, NULL);
	int n = facts_complete(f, s);

	assert_non_null(w);
	if (!json_equal(f, w))
		fail_msg("%s", json_dumps(f, 0));
	json_decref(f);
	json_decref(s);
	json_decref(w);
	return n;
}

static void saved_facts_fill_what_could_not_be_read(void **unused)
{
	static const char now[] =
		"{\"cpu\":{\"model\":\"M\"},\"load\":1,\"unreadable\":"
		"{\"dmi.serial\":\"no\",\"dmi.x\":\"no\",\"y\":\"no\"}}";

	(void)unused;
	assert_int_equal(
		complete(now,
			 "{\"cpu\":{\"model\":\"M\"},\"dmi\":{\"serial\":\"S\","
			 "\"product\":\"P\"},\"load\":2}",
			 "{\"cpu\":{\"model\":\"M\"},\"dmi\":{\"serial\":\"S\"},"
			 "\"load\":1,\"unreadable\":{\"dmi.x\":\"no\",\"y\":\"no\"}}"),
		1);
	assert_int_equal(complete(now, "{\"dmi\":{\"serial\":\"S\",\"x\":1},\"y\":2}",
				  "{\"cpu\":{\"model\":\"M\"},\"dmi\":{\"serial\":\"S\","
				  "\"x\":1},\"load\":1,\"y\":2}"),
			 3);
	/* what could not be read then, either, is not taken for known */
	assert_int_equal(complete("{\"unreadable\":{\"x.y\":\"no\"}}",
				  "{\"x\":{\"y\":{}},\"unreadable\":{\"x.y\":\"no\"}}",
				  "{\"unreadable\":{\"x.y\":\"no\"}}"),
			 0);
	/* another machine, nothing missing, nonsense */
	assert_int_equal(complete(now, "{\"cpu\":{\"model\":\"N\"},\"y\":1}", now), -1);
	assert_int_equal(complete("{\"load\":1}", "{\"load\":2}", "{\"load\":1}"), 0);
	assert_int_equal(complete(now, "[]", now), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_has_all_of_its_facts),
		cmocka_unit_test(offline_cpus_are_not_counted),
		cmocka_unit_test(mixed_cpus_are_listed_one_by_one),
		cmocka_unit_test(what_a_container_hides_is_unknown_and_not_zero),
		cmocka_unit_test(domains_without_memory_or_cpus_are_told_apart),
		cmocka_unit_test(an_empty_machine_has_no_invented_facts),
		cmocka_unit_test(hostile_files_become_reasons),
		cmocka_unit_test(saved_facts_fill_what_could_not_be_read),
		cmocka_unit_test(models_that_differ_in_blanks_only_are_one),
		cmocka_unit_test(like_nodes_are_one_class_and_others_are_not),
		cmocka_unit_test(a_class_is_a_file_name_whatever_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
