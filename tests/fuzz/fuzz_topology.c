/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topologies: any XML gives a machine or is refused with a reason; on a machine every
 * place of a plan gives lists of CPUs that are there, as many as it says.
 */
#include <string.h>

#include "fuzz.h"
#include "host/facts.h"
#include "plan/placement.h"

static hwloc_bitmap_t all_cpus(const struct topology *t)
{
	hwloc_bitmap_t all = hwloc_bitmap_alloc();

	for (size_t i = 0; i < t->n_cores; i++)
		(void)hwloc_bitmap_or(all, all, t->cores[i].cpus);
	return all;
}

static void check_placed(const struct placed *p, hwloc_const_bitmap_t all)
{
	const char *s = p->cpusets;
	struct arena a = {0};
	int ranks = 0;

	for (size_t len; *s; s += len + (s[len] == ':'), ranks++) {
		struct err e = {0};
		hwloc_bitmap_t cpus;

		len = strcspn(s, ":");
		cpus = topology_cpus_parse(arena_strndup(&a, s, len), &e);
		FUZZ_EXPECT(cpus != NULL);
		FUZZ_EXPECT(hwloc_bitmap_isincluded(cpus, all));
		FUZZ_EXPECT(hwloc_bitmap_weight(cpus) == p->threads);
		hwloc_bitmap_free(cpus);
	}
	FUZZ_EXPECT(ranks == p->per_node);
	arena_release(&a);
}

static void check_machine(const struct topology *t)
{
	static const char *const words[] = {
		"all-cores",      "2-per-l3",    "1-per-domain",   "3-per-node",
		"one-per-domain", "all-threads", "one-per-core-x2"};
	hwloc_bitmap_t all = all_cpus(t);
	struct strbuf name = {0};
	struct arena a = {0};

	FUZZ_EXPECT(t->n_cpus > 0 && t->n_cores > 0);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct placed p;
		const char *remark;
		struct err e = {0};

		FUZZ_EXPECT(!placement_make(t, all, words[i], &a, &p, &remark, &e));
		check_placed(&p, all);
	}
	facts_class(NULL, t, &name);
	FUZZ_EXPECT(name.len > 0);
	strbuf_release(&name);
	arena_release(&a);
	hwloc_bitmap_free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct topology *t;
	struct err e = {0};

	if (topology_from_xml(&t, (const char *)data, size, &e)) {
		FUZZ_EXPECT(!t && e.kind == ERR_USAGE && e.msg[0]);
	} else {
		check_machine(t);
		topology_free(t);
	}
	return 0;
}
