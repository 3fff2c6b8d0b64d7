/* SPDX-License-Identifier: Apache-2.0 */
/* CPUs in the node's topology: see place.h. */
#include "kernels/kit/place.h"

#include <hwloc.h>
#include <limits.h>
#include <stdlib.h>

#include "base/mem.h"

struct place {
	hwloc_topology_t topology;
};

struct place *place_load(void)
{
	struct place *p = mem_calloc(1, sizeof(*p));

	if (!hwloc_topology_init(&p->topology)) {
		if (!hwloc_topology_load(p->topology))
			return p;
		hwloc_topology_destroy(p->topology);
	}
	free(p);
	return NULL;
}

void place_release(struct place *p)
{
	if (p)
		hwloc_topology_destroy(p->topology);
	free(p);
}

static hwloc_bitmap_t bitmap(const struct cpumask *mask)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();

	for (int cpu = 0; set && cpu < CPULIST_MAX; cpu++) {
		if (cpumask_has(mask, cpu) && hwloc_bitmap_set(set, (unsigned)cpu)) {
			hwloc_bitmap_free(set);
			return NULL;
		}
	}
	return set;
}

/* The topology (recorded, or of another machine) has all of @set. */
static bool knows(const struct place *p, hwloc_const_bitmap_t set)
{
	return p && set &&
	       hwloc_bitmap_isincluded(set,
				       hwloc_topology_get_topology_cpuset(p->topology));
}

int place_cores(const struct place *p, const struct cpumask *mask)
{
	hwloc_bitmap_t set = bitmap(mask);
	int n = 0;

	if (knows(p, set)) {
		hwloc_obj_t core = NULL;

		while ((core = hwloc_get_next_obj_by_type(p->topology, HWLOC_OBJ_CORE,
							  core)))
			n += hwloc_bitmap_intersects(core->cpuset, set);
	}
	hwloc_bitmap_free(set);
	return n ? n : cpumask_count(mask);
}

/* hwloc_distrib() over a copy of the topology that has nothing outside @set. */
static int spread(const struct place *p, hwloc_const_bitmap_t set, int n, int *cpus)
{
	hwloc_bitmap_t *sets = mem_calloc((size_t)n, sizeof(void *));
	struct cpumask used = {0};
	hwloc_topology_t copy;
	hwloc_obj_t root;
	int rc = -1;

	if (hwloc_topology_dup(&copy, p->topology))
		goto out;
	if (hwloc_topology_restrict(copy, set, 0))
		goto out_copy;
	root = hwloc_get_root_obj(copy);
	if (hwloc_distrib(copy, &root, 1, sets, (unsigned)n, INT_MAX, 0))
		goto out_copy;
	rc = 0;
	for (int i = 0; i < n; i++) {
		cpus[i] = hwloc_bitmap_first(sets[i]);
		if (cpumask_has(&used, cpus[i]) || cpus[i] < 0 || cpus[i] >= CPULIST_MAX)
			rc = -1;
		else
			cpumask_add(&used, cpus[i]);
	}
out_copy:
	hwloc_topology_destroy(copy);
out:
	for (int i = 0; i < n; i++)
		hwloc_bitmap_free(sets[i]);
	free(sets);
	return rc;
}

void place_spread(const struct place *p, const struct cpumask *mask, int n, int *cpus)
{
	hwloc_bitmap_t set = bitmap(mask);
	int *all, count;

	if (!knows(p, set) || spread(p, set, n, cpus)) {
		all = mem_calloc(CPULIST_MAX, sizeof(*all));
		count = cpumask_list(mask, all);
		for (int i = 0; i < n; i++)
			cpus[i] = all[(int64_t)i * count / n];
		free(all);
	}
	hwloc_bitmap_free(set);
}

struct kit_cpu place_cpu(const struct place *p, int cpu)
{
	struct kit_cpu c = {.cpu = cpu, .core = -1, .l3 = -1, .llc = -1, .domain = -1};
	hwloc_obj_t pu =
		p ? hwloc_get_pu_obj_by_os_index(p->topology, (unsigned)cpu) : NULL;
	hwloc_obj_t node = NULL;

	for (hwloc_obj_t o = pu; o; o = o->parent) {
		if (o->type == HWLOC_OBJ_CORE)
			c.core = (int)o->logical_index;
		else if (o->type == HWLOC_OBJ_L3CACHE)
			c.l3 = (int)o->logical_index;
		if (hwloc_obj_type_is_dcache(o->type)) {
			c.llc = (int)o->logical_index;
			c.llc_bytes = o->attr->cache.size;
		}
	}
	while (pu && (node = hwloc_get_next_obj_by_type(p->topology, HWLOC_OBJ_NUMANODE,
							node))) {
		/* a CPU may have several: slow and fast memory; the first is the usual */
		if (hwloc_bitmap_isincluded(pu->cpuset, node->cpuset) && !c.domain_mem) {
			if (c.domain < 0 || node->attr->numanode.local_memory)
				c.domain = (int)node->os_index;
			c.domain_mem = node->attr->numanode.local_memory;
		}
	}
	return c;
}
