/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks and threads on the cores of synthetic and recorded machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "plan/placement.h"
#include "tree.h"

/* Two sockets of 64 cores, in 8 NUMA domains and in 16. */
#define NPS4                                                              \
	"Package:2 Group:4 [NUMANode(memory=64GB)] L3Cache:2(size=32MB) " \
	"L2Cache:8(size=512kB) L1dCache:1(size=32kB) L1iCache:1(size=32kB) Core:1 PU:1"
#define CCX                                                             \
	"Package:2 Die:8 [NUMANode(memory=32GB)] L3Cache:1(size=32MB) " \
	"L2Cache:8(size=512kB) L1dCache:1 L1iCache:1 Core:1 PU:1"
#define SMT    "Package:2 L3Cache:1(size=32MB) Core:8 PU:2"
#define NO_L3  "Package:2 L2Cache:2(size=4MB) Core:4 PU:1"
#define NO_LLC "Package:2 Core:4 PU:1"

struct want {
	const char *machine, *mask, *word;
	int ranks, threads;
	const char *cpusets;
	const char *remark; /* a piece of it, NULL for none */
};

static void check(const struct topology *t, const struct want *w)
{
	struct err e = {0};
	hwloc_bitmap_t mask = topology_cpus_parse(w->mask, &e);
	struct arena a = {0};
	struct placed p;
	const char *remark;

	assert_non_null(mask);
	assert_int_equal(placement_make(t, mask, w->word, &a, &p, &remark, &e), 0);
	if (p.per_node != w->ranks || p.threads != w->threads ||
	    strcmp(p.cpusets, w->cpusets) != 0)
		fail_msg("%s on %s: %d ranks of %d threads on %s", w->word, w->machine,
			 p.per_node, p.threads, p.cpusets);
	if (!w->remark != !remark || (remark && !strstr(remark, w->remark)))
		fail_msg("%s on %s: remark '%s'", w->word, w->machine,
			 remark ? remark : "");
	arena_release(&a);
	hwloc_bitmap_free(mask);
}

static void check_all(const struct want *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct topology *t;
		struct err e = {0};

		assert_int_equal(topology_from_synthetic(&t, w[i].machine, &e), 0);
		check(t, &w[i]);
		topology_free(t);
	}
}

#define CHECK(want) check_all(want, sizeof(want) / sizeof((want)[0]))

static void two_sockets_of_64_cores(void **unused)
{
	static const char one_per_l3[] =
		"0,8,16,24,32,40,48,56,64,72,80,88,96,104,112,120";
	static const struct want want[] = {
		{NPS4, "0-127", "all-cores", 1, 128, "0-127", NULL},
		{CCX, "0-127", "all-cores", 1, 128, "0-127", NULL},
		{NPS4, "0-127", "1-per-l3", 1, 16, one_per_l3, NULL},
		{CCX, "0-127", "1-per-l3", 1, 16, one_per_l3, NULL},
		{NPS4, "0-127", "16-per-node", 1, 16, one_per_l3, NULL},
		{NPS4, "0-127", "2-per-domain", 1, 16, one_per_l3, NULL},
		{CCX, "0-127", "1-per-domain", 1, 16, one_per_l3, NULL},
		{NPS4, "0-127", "1-per-domain", 1, 8, "0,16,32,48,64,80,96,112", NULL},
		{NPS4, "0-127", "2-per-node", 1, 2, "0,64", NULL},
		{NPS4, "0-127", "8-per-l3", 1, 128, "0-127", NULL},
		{NPS4, "0-127", "one-per-domain", 8, 16,
		 "0-15:16-31:32-47:48-63:64-79:80-95:96-111:112-127", NULL},
		{NPS4, "0-127", "one-per-domain-x2", 8, 2,
		 "0,8:16,24:32,40:48,56:64,72:80,88:96,104:112,120", NULL},
		{CCX, "0-127", "one-per-l3-x1", 16, 1,
		 "0:8:16:24:32:40:48:56:64:72:80:88:96:104:112:120", NULL},
		{NPS4, "0-127", "one-per-socket", 2, 64, "0-63:64-127", NULL},
		{NPS4, "0-127", "one-per-socket-x8", 2, 8,
		 "0,8,16,24,32,40,48,56:64,72,80,88,96,104,112,120", NULL},
		{NPS4, "0-127", "one-per-node", 1, 128, "0-127", NULL},
		{NPS4, "0-127", "4-per-socket", 1, 8, "0,16,32,48,64,80,96,112", NULL},
		{NPS4, "60-67", "one-per-core", 8, 1, "60:61:62:63:64:65:66:67", NULL},
	};

	(void)unused;
	CHECK(want);
}

static void only_cpus_in_the_mask_are_used(void **unused)
{
	static const struct want want[] = {
		{NPS4, "0-15,64-79", "all-cores", 1, 32, "0-15,64-79", NULL},
		{NPS4, "4-11,100,500", "1-per-l3", 1, 3, "4,8,100", NULL},
		{NPS4, "4-11,100", "2-per-l3", 1, 5, "4,6,8,10,100",
		 "an L3 has 1 usable cores of the 2 asked for"},
		{NPS4, "4-11,100", "one-per-domain", 2, 1, "4:100",
		 "NUMA domains: 1 to 8 usable cores on each, 1 used"},
		{NPS4, "127", "all-cores", 1, 1, "127", NULL},
		{NPS4, "3,5", "16-per-node", 1, 2, "3,5",
		 "the node has 2 usable cores of the 16 asked for"},
	};

	(void)unused;
	CHECK(want);
}

static void siblings_stay_idle(void **unused)
{
	static const struct want want[] = {
		{SMT, "0-31", "all-cores", 1, 16,
		 "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30", NULL},
		{SMT, "0-31", "2-per-l3", 1, 4, "0,8,16,24", NULL},
		/* a mask of siblings only, and of both of one core */
		{SMT, "1,3,5", "all-cores", 1, 3, "1,3,5", NULL},
		{SMT, "2-4", "all-cores", 1, 2, "2,4", NULL},
		{SMT, "2-4", "one-per-core", 2, 1, "2:4", NULL},
	};

	(void)unused;
	CHECK(want);
}

static void siblings_come_last_when_they_are_asked_for(void **unused)
{
	static const struct want want[] = {
		{SMT, "0-31", "all-threads", 1, 32,
		 "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,"
		 "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31",
		 NULL},
		{SMT, "2-4", "all-threads", 1, 3, "2,4,3", NULL},
		{SMT, "0-31", "10-per-l3", 1, 20,
		 "0,2,4,6,8,10,12,14,1,9,16,18,20,22,24,26,28,30,17,25",
		 "an L3 has 8 usable cores for 10 threads: SMT siblings"},
		{SMT, "0-31", "20-per-l3", 1, 32,
		 "0,2,4,6,8,10,12,14,1,3,5,7,9,11,13,15-16,"
		 "18,20,22,24,26,28,30,17,19,21,23,25,27,29,31",
		 "an L3 has 16 usable CPUs of the 20 asked for"},
		{SMT, "0-3", "one-per-core-x2", 2, 2, "0-1:2-3",
		 "a core has 1 usable cores for 2 threads"},
		{SMT, "0-2", "one-per-core-x2", 2, 1, "0:2",
		 "a core has 1 usable cores of the 2 asked for"},
	};

	(void)unused;
	CHECK(want);
}

static void without_an_l3_the_next_best_is_taken(void **unused)
{
	static const struct want want[] = {
		{NO_L3, "0-15", "1-per-l3", 1, 4, "0,4,8,12", "L2 caches taken"},
		{NO_LLC, "0-7", "1-per-l3", 1, 2, "0,4", "packages taken"},
		{"Core:4 PU:1", "0-3", "1-per-l3", 1, 1, "0", "the node taken as one"},
		{"Core:1 PU:1", "0", "all-cores", 1, 1, "0", NULL},
		{"Core:1 PU:1", "0", "4-per-node", 1, 1, "0", "has 1 usable cores"},
		{"Core:1 PU:1", "0", "one-per-domain", 1, 1, "0", NULL},
	};

	(void)unused;
	CHECK(want);
}

static void recorded_machines_are_placed_by_their_own_numbers(void **unused)
{
	static const struct want want[] = {
		{"offline", "0-7", "all-cores", 1, 4, "0,2,4,6", NULL},
		{"offline", "0-7", "1-per-l3", 1, 2, "0,4", NULL},
		{"offline", "0-7", "one-per-domain", 2, 2, "0,2:4,6", NULL},
		/* CPUs without memory are a domain, memory without CPUs is none */
		{"numa", "0-11", "one-per-domain", 3, 4, "0-3:4-7:8-11", NULL},
		{"server", "0-7", "all-cores", 1, 4, "0-3", NULL},
		{"server", "4-7", "1-per-l3", 1, 2, "4,6", NULL},
		{"container", "8,24", "all-cores", 1, 2, "8,24", NULL},
		{"mixed", "0-19", "1-per-l3", 1, 2, "0,10", "packages taken"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct topology *t;
		struct tree tree;
		struct err e = {0};

		tree_load(&tree, want[i].machine);
		assert_int_equal(topology_load(&t, &tree.io, &e), 0);
		check(t, &want[i]);
		topology_free(t);
		tree_remove(&tree);
	}
}

static void threads_follow_caches_and_not_numbers(void **unused)
{
	/* packages numbered in turn, as many firmwares do: 0 here, 1 there */
	static const struct want want = {"in turn",         "0-7", "all-cores", 1, 8,
					 "0,2,4,6,1,3,5,7", NULL};
	static const struct want half = {"in turn", "0-7",     "2-per-l3", 1,
					 4,         "0,4,1,5", NULL};
	struct topology *t;
	struct tree tree;
	struct err e = {0};

	(void)unused;
	tree_make(&tree);
	tree_put(&tree, "/sys/devices/system/cpu/online", "0-7\n");
	tree_put(&tree, "/sys/devices/system/cpu/present", "0-7\n");
	tree_put(&tree, "/sys/devices/system/cpu/possible", "0-7\n");
	for (int cpu = 0; cpu < 8; cpu++) {
		static const char dir[] = "/sys/devices/system/cpu";
		const struct {
			const char *name, *text;
		} files[] = {
			{"topology/physical_package_id", cpu % 2 ? "1\n" : "0\n"},
			{"topology/package_cpus", cpu % 2 ? "aa\n" : "55\n"},
			{"cache/index0/shared_cpu_map", cpu % 2 ? "aa\n" : "55\n"},
			{"cache/index0/level", "3\n"},
			{"cache/index0/type", "Unified\n"},
			{"cache/index0/size", "8192K\n"},
		};
		char path[128], text[16];

		for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
			(void)snprintf(path, sizeof(path), "%s/cpu%d/%s", dir, cpu,
				       files[i].name);
			tree_put(&tree, path, files[i].text);
		}
		(void)snprintf(path, sizeof(path), "%s/cpu%d/topology/core_id", dir, cpu);
		(void)snprintf(text, sizeof(text), "%d\n", cpu / 2);
		tree_put(&tree, path, text);
		(void)snprintf(path, sizeof(path), "%s/cpu%d/topology/core_cpus", dir,
			       cpu);
		(void)snprintf(text, sizeof(text), "%02x\n", 1 << cpu);
		tree_put(&tree, path, text);
	}
	assert_int_equal(topology_load(&t, &tree.io, &e), 0);
	check(t, &want);
	check(t, &half);
	topology_free(t);
	tree_remove(&tree);
}

static void unknown_words_and_empty_masks_are_refused(void **unused)
{
	static const char *const bad[] = {"",
					  "all",
					  "0-per-l3",
					  "-1-per-l3",
					  "l3",
					  "1-per-l3 ",
					  "01-per-node",
					  "8193-per-node",
					  "1.5-per-l3",
					  " 1-per-l3",
					  "99999999999999999999-per-l3",
					  "1per-l3",
					  "one-per-l3-x",
					  "one-per-l3-x0",
					  "one-per-l3-2",
					  "one-per-l3-x2 ",
					  "2-per-core"};
	static const char *const good[] = {
		"all-cores",     "one-per-domain", "1-per-l3",    "one-per-l3-x8",
		"8192-per-node", "4-per-domain",   "all-threads", "one-per-core"};
	hwloc_bitmap_t mask = hwloc_bitmap_alloc();
	struct topology *t;
	struct arena a = {0};
	struct placed p;
	const char *remark;
	struct err e = {0};

	(void)unused;
	assert_int_equal(topology_from_synthetic(&t, NPS4, &e), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err why = {0};

		assert_int_equal(placement_check(bad[i], &why), -1);
		assert_int_equal(why.kind, ERR_USAGE);
		assert_int_equal(placement_make(t, mask, bad[i], &a, &p, &remark, &why),
				 -1);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(placement_check(good[i], &e), 0);
	assert_int_equal(placement_make(NULL, NULL, "anywhere", &a, &p, &remark, &e), 0);
	assert_int_equal(p.per_node, 1);
	assert_int_equal(p.threads, 1);
	assert_string_equal(p.cpusets, "");
	assert_int_equal(placement_make(t, mask, "all-cores", &a, &p, &remark, &e), -1);
	assert_non_null(strstr(e.msg, "may be used"));
	(void)hwloc_bitmap_set(mask, 4000);
	assert_int_equal(placement_make(t, mask, "one-per-domain", &a, &p, &remark, &e),
			 -1);
	arena_release(&a);
	topology_free(t);
	hwloc_bitmap_free(mask);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_sockets_of_64_cores),
		cmocka_unit_test(only_cpus_in_the_mask_are_used),
		cmocka_unit_test(siblings_stay_idle),
		cmocka_unit_test(siblings_come_last_when_they_are_asked_for),
		cmocka_unit_test(without_an_l3_the_next_best_is_taken),
		cmocka_unit_test(recorded_machines_are_placed_by_their_own_numbers),
		cmocka_unit_test(threads_follow_caches_and_not_numbers),
		cmocka_unit_test(unknown_words_and_empty_masks_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
