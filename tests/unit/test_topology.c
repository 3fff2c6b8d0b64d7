/* SPDX-License-Identifier: Apache-2.0 */
/* Machines through hwloc: synthetic, recorded, as XML, and this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "host/topology.h"
#include "tree.h"

static struct topology *synthetic(const char *text)
{
	struct topology *t;
	struct err e = {0};

	assert_int_equal(topology_from_synthetic(&t, text, &e), 0);
	return t;
}

static struct topology *recorded(const char *name)
{
	struct topology *t;
	struct tree tree;
	struct err e = {0};

	tree_load(&tree, name);
	assert_int_equal(topology_load(&t, &tree.io, &e), 0);
	tree_remove(&tree);
	return t;
}

static void assert_cpus(hwloc_const_bitmap_t set, const char *want)
{
	struct strbuf sb = {0};

	topology_cpus_text(set, &sb);
	assert_string_equal(strbuf_str(&sb), want);
	strbuf_release(&sb);
}

static void two_sockets_of_64_cores_have_16_caches_and_8_or_16_domains(void **unused)
{
	struct topology *t = synthetic(
		"Package:2 Group:4 [NUMANode(memory=64GB)] L3Cache:2(size=32MB) "
		"L2Cache:8(size=512kB) L1dCache:1(size=32kB) L1iCache:1(size=32kB) "
		"Core:1 "
		"PU:1");

	(void)unused;
	assert_false(t->here);
	assert_true(t->cores_known);
	assert_int_equal(t->n_packages, 2);
	assert_int_equal(t->n_cores, 128);
	assert_int_equal(t->n_cpus, 128);
	assert_int_equal(t->n_domains, 8);
	assert_int_equal(t->n_caches, 16);
	assert_int_equal(t->cache_level, 3);
	assert_int_equal(t->caches[15].size, 32000000);
	assert_cpus(t->caches[15].cpus, "120-127");
	assert_cpus(t->domains[7].cpus, "112-127");
	assert_int_equal(t->domains[7].size, 64000000000);
	assert_int_equal(t->cores[127].package, 1);
	assert_int_equal(t->cores[127].cache, 15);
	assert_int_equal(t->cores[127].domain, 7);
	assert_int_equal(topology_smt(t), 1);
	topology_free(t);

	t = synthetic("Package:2 Die:8 [NUMANode(memory=32GB)] L3Cache:1(size=32MB) "
		      "L2Cache:8(size=512kB) L1dCache:1 L1iCache:1 Core:1 PU:1");
	assert_int_equal(t->n_domains, 16);
	assert_int_equal(t->n_caches, 16);
	assert_int_equal(t->cores[64].domain, 8);
	topology_free(t);
}

static void offline_cpus_and_gaps_in_ids_are_kept_apart(void **unused)
{
	struct topology *t = recorded("offline"); /* A09 */

	(void)unused;
	assert_int_equal(t->n_cpus, 4);
	assert_int_equal(t->n_cores, 4);
	assert_int_equal(t->n_packages, 2);
	assert_int_equal(t->n_domains, 3);
	assert_int_equal(t->domains[0].id, 0);
	assert_int_equal(t->domains[1].id, 2);
	assert_int_equal(t->domains[2].id, 3);
	assert_cpus(t->domains[0].cpus, "0,2");
	assert_cpus(t->domains[1].cpus, "4,6");
	assert_cpus(t->domains[2].cpus, "");
	assert_int_equal(t->domains[2].size, 0);
	assert_cpus(t->caches[1].cpus, "4,6");
	assert_int_equal(t->cores[3].domain, 1);
	topology_free(t);
}

static const struct topology_part *domain(const struct topology *t, uint32_t id)
{
	for (size_t i = 0; i < t->n_domains; i++) {
		if (t->domains[i].id == id)
			return &t->domains[i];
	}
	fail_msg("no domain %u", id);
	return NULL;
}

/* The same parts, whoever read them. */
static void assert_same(const struct topology *a, const struct topology *b)
{
	const struct {
		const struct topology_part *a, *b;
		size_t n_a, n_b;
	} kinds[] = {
		{a->packages, b->packages, a->n_packages, b->n_packages},
		{a->caches, b->caches, a->n_caches, b->n_caches},
		{a->domains, b->domains, a->n_domains, b->n_domains},
	};

	assert_int_equal(a->n_cpus, b->n_cpus);
	assert_int_equal(a->cache_level, b->cache_level);
	assert_int_equal(a->cores_known, b->cores_known);
	for (size_t k = 0; k < 3; k++) {
		assert_int_equal(kinds[k].n_a, kinds[k].n_b);
		for (size_t i = 0; i < kinds[k].n_a; i++) {
			const struct topology_part *x = &kinds[k].a[i],
						   *y = &kinds[k].b[i];

			assert_int_equal(x->id, y->id);
			assert_int_equal(x->size, y->size);
			assert_true(hwloc_bitmap_isequal(x->cpus, y->cpus));
		}
	}
	assert_int_equal(a->n_cores, b->n_cores);
	for (size_t i = 0; i < a->n_cores; i++) {
		const struct topology_core *x = &a->cores[i], *y = &b->cores[i];

		assert_true(hwloc_bitmap_isequal(x->cpus, y->cpus));
		assert_int_equal(x->package, y->package);
		assert_int_equal(x->cache, y->cache);
		assert_int_equal(x->domain, y->domain);
	}
}

static void assert_survives_xml(const struct topology *t)
{
	struct topology *again;
	struct strbuf xml = {0};
	struct err e = {0};

	assert_int_equal(topology_xml(t, &xml, &e), 0);
	assert_int_equal(topology_from_xml(&again, strbuf_str(&xml), xml.len, &e), 0);
	assert_same(t, again);
	assert_false(again->here);
	/* what was read cannot be written: whoever has the text has it */
	assert_int_equal(topology_xml(again, &xml, &e), -1);
	topology_free(again);
	strbuf_release(&xml);
}

static void xml_tells_what_hwloc_told(void **unused)
{
	static const char *const synthetic_machines[] = {
		"Package:2 Group:4 [NUMANode(memory=64GB)] L3Cache:2(size=32MB) "
		"L2Cache:8(size=512kB) L1dCache:1(size=32kB) L1iCache:1(size=32kB) "
		"Core:1 "
		"PU:2(indexes=core:pu)",
		"[NUMANode(memory=1GB)] Package:3 L2Cache:2(size=1MB) Core:2 PU:1",
		"Core:1 PU:1",
		"NUMANode:2 PU:3",
	};
	static const char *const trees[] = {"offline", "mixed", "container", "numa",
					    "server"};
	struct host_io io = {"/"};
	struct topology *t;
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof(synthetic_machines) / sizeof(char *); i++) {
		t = synthetic(synthetic_machines[i]);
		assert_survives_xml(t);
		topology_free(t);
	}
	for (size_t i = 0; i < sizeof(trees) / sizeof(char *); i++) {
		t = recorded(trees[i]);
		assert_survives_xml(t);
		topology_free(t);
	}
	assert_int_equal(topology_load(&t, &io, &e), 0);
	assert_survives_xml(t);
	topology_free(t);
}

static void check_numa(const struct topology *t)
{
	assert_int_equal(t->n_domains, 4);
	assert_cpus(domain(t, 0)->cpus, "0-3");
	assert_cpus(domain(t, 2)->cpus, "4-7");
	assert_int_equal(domain(t, 2)->size, 0);
	assert_cpus(domain(t, 3)->cpus, "8-11");
	assert_int_equal(domain(t, 3)->size, UINT64_C(65536000) * 1024);
	assert_cpus(domain(t, 8)->cpus, "");
	assert_int_equal(domain(t, 8)->size, UINT64_C(16384000) * 1024);
	assert_int_equal(t->cache_level, 2);
	assert_int_equal(t->n_caches, 12);
}

static void domains_without_memory_or_cpus_are_told_apart(void **unused)
{
	struct topology *t = recorded("numa"); /* A15 */

	(void)unused;
	check_numa(t);
	topology_free(t);
}

static void a_machine_without_core_information_counts_no_cores(void **unused)
{
	struct topology *t = recorded("container");

	(void)unused;
	assert_false(t->cores_known);
	assert_int_equal(t->n_cpus, 4);
	assert_int_equal(t->n_cores, 4);
	assert_cpus(t->cores[3].cpus, "25");
	assert_int_equal(t->n_packages, 0);
	assert_int_equal(t->n_caches, 0);
	assert_int_equal(t->cache_level, 0);
	assert_int_equal(t->cores[0].package, TOPOLOGY_NONE);
	assert_int_equal(topology_smt(t), 0);
	topology_free(t);
}

static void siblings_need_not_be_neighbours(void **unused)
{
	struct topology *t = recorded("server");

	(void)unused;
	assert_int_equal(t->n_cpus, 8);
	assert_int_equal(t->n_cores, 4);
	assert_int_equal(topology_smt(t), 2);
	assert_cpus(t->cores[1].cpus, "1,5");
	topology_free(t);
}

static void reading_a_recorded_tree_leaves_the_environment_alone(void **unused)
{
	(void)unused;
	assert_int_equal(setenv("HWLOC_SYNTHETIC", "Core:3 PU:1", 1), 0);
	topology_free(recorded("server"));
	assert_string_equal(getenv("HWLOC_SYNTHETIC"), "Core:3 PU:1");
	assert_int_equal(unsetenv("HWLOC_SYNTHETIC"), 0);
	assert_null(getenv("HWLOC_FSROOT"));
	assert_null(getenv("HWLOC_COMPONENTS"));
}

static void foreign_xml_is_refused_with_the_reason(void **unused)
{
#define V2(text)   "<topology version=\"2.0\">" text "</topology>"
#define PU(cpuset) "<object type=\"PU\" os_index=\"0\" cpuset=\"" cpuset "\"/>"
	static const struct {
		const char *xml, *why;
	} bad[] = {
		{"<?xml version=\"1.0\"?><topology version=\"3.0\"><object/></topology>",
		 "topology written by hwloc 3, expected the XML of hwloc 2"},
		{"<topology><object/></topology>", "written by hwloc 1, expected"},
		{"", "damaged: line 1: no element found"},
		{"<html></html>", "'<topology ...>' was expected"},
		{"<topology", "damaged"},
		{"<topology version=\"2.0\">garbage", "damaged"},
		{"<!DOCTYPE t [<!ENTITY a \"b\">]>" V2(""), "entities are not allowed"},
		{V2(""), "no CPU"},
		{V2("<object type=\"Machine\"/>"), "no CPU"},
		{V2("<object/>"), "no CPU"},
		{V2("<object type=\"PU\" os_index=\"0\"/>"),
		 "a set of CPUs was expected"},
		{V2(PU("0x1,nonsense")), "a set of CPUs was expected"},
		{V2(PU("")), "none or there twice"},
		{V2(PU("0x100000000")), "a set of CPUs was expected"},
		{V2(PU("0x1,0x")), "a set of CPUs was expected"},
		{V2(PU("0x1 ")), "a set of CPUs was expected"},
		{V2(PU("-1")), "a set of CPUs was expected"},
		{V2(PU(",0x3,")), "none or there twice"},
		{V2(PU("0xf...f")), "a set of CPUs was expected"},
		{V2(PU("0x3")), "a CPU of the topology is none or there twice"},
		{V2(PU("0x0")), "a CPU of the topology is none or there twice"},
		{V2(PU("0x1") PU("0x1")), "a CPU of the topology is none or there twice"},
		{V2(PU("0x1") "<object type=\"Core\" cpuset=\"0x2\"/>"),
		 "a core of the topology has no CPUs of its own"},
		{V2(PU("0x1") "<object type=\"Core\" cpuset=\"0x0\"/>"),
		 "a core of the topology has no CPUs of its own"},
		{V2("<object type=\"PU\" os_index=\"-1\" cpuset=\"0x1\"/>"),
		 "a number was expected"},
		{V2("<object type=\"NUMANode\" cpuset=\"0x1\" local_memory=\"1 GB\"/>"),
		 "a number was expected"},
		{V2("<object type=\"L3Cache\" cpuset=\"0x1\" "
		    "cache_size=\"99999999999999999999\"/>"),
		 "a number was expected"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct topology *t;
		struct err e = {0};

		assert_int_equal(
			topology_from_xml(&t, bad[i].xml, strlen(bad[i].xml), &e), -1);
		assert_null(t);
		assert_int_equal(e.kind, ERR_USAGE);
		if (!strstr(e.msg, bad[i].why))
			fail_msg("'%s': %s", bad[i].xml, e.msg);
	}
}

static void a_bad_description_or_folder_is_an_error(void **unused)
{
	struct host_io nowhere = {"/nowhere"};
	struct topology *t;
	struct err e = {0};
	static const char *const large[] = {
		"PU:100000", "Package:2 [NUMANode(memory=1GB)] 64 (size=3) PU:65",
		"Package:99999 PU:99999", "PU:99999999999999999999999"};

	(void)unused;
	assert_int_equal(topology_from_synthetic(&t, "Socket of 4", &e), -1);
	assert_null(t);
	assert_int_equal(e.kind, ERR_USAGE);
	for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
		assert_int_equal(topology_from_synthetic(&t, large[i], &e), -1);
		assert_null(t);
		assert_int_equal(e.kind, ERR_USAGE);
		assert_non_null(strstr(e.msg, "has more than 8192 CPUs"));
	}
	assert_int_equal(topology_load(&t, &nowhere, &e), -1);
	assert_null(t);
	topology_free(NULL);
}

static void lists_of_cpus_are_read_strictly(void **unused)
{
	static const char *const bad[] = {
		"",     "a",   "1,",   ",1",    "1-",   "-1",     "3-1",
		"1 2",  "0x3", "1--2", "1-2-3", "8192", "0-8192", "99999999999999999999",
		"1,,2", "+1"};
	static const char *const good[][2] = {
		{"0", "0"},       {"3,1,2", "1-3"}, {"0-3,8", "0-3,8"},
		{"8191", "8191"}, {"1,1", "1"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err e = {0};

		assert_null(topology_cpus_parse(bad[i], &e));
		assert_int_equal(e.kind, ERR_USAGE);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct err e = {0};
		hwloc_bitmap_t set = topology_cpus_parse(good[i][0], &e);

		assert_non_null(set);
		assert_cpus(set, good[i][1]);
		hwloc_bitmap_free(set);
	}
}

static void this_machine_has_cpus(void **unused)
{
	struct host_io io = {"/"};
	struct topology *t;
	struct err e = {0};

	(void)unused;
	assert_int_equal(topology_load(&t, &io, &e), 0);
	assert_true(t->here);
	assert_true(t->n_cpus >= t->n_cores && t->n_cores > 0 && t->n_domains > 0);
	topology_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			two_sockets_of_64_cores_have_16_caches_and_8_or_16_domains),
		cmocka_unit_test(offline_cpus_and_gaps_in_ids_are_kept_apart),
		cmocka_unit_test(xml_tells_what_hwloc_told),
		cmocka_unit_test(domains_without_memory_or_cpus_are_told_apart),
		cmocka_unit_test(a_machine_without_core_information_counts_no_cores),
		cmocka_unit_test(siblings_need_not_be_neighbours),
		cmocka_unit_test(reading_a_recorded_tree_leaves_the_environment_alone),
		cmocka_unit_test(foreign_xml_is_refused_with_the_reason),
		cmocka_unit_test(a_bad_description_or_folder_is_an_error),
		cmocka_unit_test(lists_of_cpus_are_read_strictly),
		cmocka_unit_test(this_machine_has_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
