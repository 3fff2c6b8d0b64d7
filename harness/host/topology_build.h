/* SPDX-License-Identifier: Apache-2.0 */
/* From a list of objects, whoever read it, to a struct topology; a part of topology.c. */
#ifndef ASSAY_HOST_TOPOLOGY_BUILD_H
#define ASSAY_HOST_TOPOLOGY_BUILD_H

#include "host/topology.h"

/*
 * Of a NUMA node in our XML: the kernel lists no CPU for it. hwloc lends such a node the
 * CPUs of its neighbours, and its XML does not tell.
 */
#define TOPOLOGY_CPULESS "AssayCpuless"

enum topology_kind {
	TOPOLOGY_PACKAGE,
	TOPOLOGY_CACHE, /* data or unified */
	TOPOLOGY_DOMAIN,
	TOPOLOGY_CORE,
	TOPOLOGY_CPU,
};

struct topology_object {
	enum topology_kind kind;
	int level;    /* of a cache, 1 to 5 */
	bool cpuless; /* of a domain: TOPOLOGY_CPULESS */
	uint32_t id;
	uint64_t size;
	hwloc_bitmap_t cpus;
};

/* In hwloc's order within each kind. A zeroed struct is empty. */
struct topology_objects {
	struct topology_object *items;
	size_t n, cap;
};

/* Adds an object whose CPUs are copied; the others of it are 0 until the caller sets
 * them. */
struct topology_object *topology_add(struct topology_objects *list,
				     enum topology_kind kind, hwloc_const_bitmap_t cpus);
void topology_objects_release(struct topology_objects *list);

/*
 * Fills packages, caches, domains and cores of @t. ERR_USAGE when they cannot be those of
 * a machine: no CPU, one CPU twice, a core without CPUs or with another core's.
 */
int topology_build(struct topology *t, const struct topology_objects *list,
		   struct err *e);

#endif
