/* SPDX-License-Identifier: Apache-2.0 */
/* Objects to a struct topology: see topology_build.h. */
#include "host/topology_build.h"

#include <stdlib.h>

#include "base/mem.h"

struct topology_object *topology_add(struct topology_objects *list,
				     enum topology_kind kind, hwloc_const_bitmap_t cpus)
{
	struct topology_object *o;

	mem_grow(&list->items, &list->cap, list->n + 1, sizeof(*list->items));
	o = &list->items[list->n++];
	o->kind = kind;
	o->id = TOPOLOGY_NO_ID;
	o->cpus = hwloc_bitmap_dup(cpus);
	return o;
}

void topology_objects_release(struct topology_objects *list)
{
	for (size_t i = 0; i < list->n; i++)
		hwloc_bitmap_free(list->items[i].cpus);
	free(list->items);
	*list = (struct topology_objects){0};
}

/* No machine has more of any kind; more could only be meant to keep us busy. */
enum { MAX_PARTS = 8192 };

/* All CPUs; each object of kind CPU is one that no other is. */
static int online(struct topology *t, const struct topology_objects *list,
		  hwloc_bitmap_t all, struct err *e)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct topology_object *o = &list->items[i];

		if (o->kind != TOPOLOGY_CPU)
			continue;
		if (hwloc_bitmap_weight(o->cpus) != 1 ||
		    hwloc_bitmap_intersects(o->cpus, all))
			return err_set(e, ERR_USAGE,
				       "a CPU of the topology is none or there twice");
		(void)hwloc_bitmap_or(all, all, o->cpus);
		t->n_cpus++;
	}
	return t->n_cpus ? 0 : err_set(e, ERR_USAGE, "the topology has no CPU");
}

/* The objects of a kind (for caches: and level) as an array of @t. */
static struct topology_part *parts(const struct topology_objects *list,
				   enum topology_kind kind, int level,
				   hwloc_const_bitmap_t all, size_t *n)
{
	struct topology_part *p = mem_calloc(list->n, sizeof(*p));

	*n = 0;
	for (size_t i = 0; i < list->n; i++) {
		const struct topology_object *o = &list->items[i];
		struct topology_part *part = &p[*n];

		if (o->kind != kind || o->level != level)
			continue;
		*part = (struct topology_part){o->id, o->size, hwloc_bitmap_alloc()};
		(void)hwloc_bitmap_and(part->cpus, o->cpus, all);
		(*n)++;
	}
	return p;
}

static int last_level(const struct topology_objects *list)
{
	int level = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct topology_object *o = &list->items[i];

		if (o->kind == TOPOLOGY_CACHE && o->level > level)
			level = o->level;
	}
	return level;
}

/*
 * A CPU belongs to one domain: the smallest that has it, the first of equals, since
 * hwloc puts the domain that really has the CPUs before those it lends them to.
 */
static bool borrowed(const struct topology *t, size_t i)
{
	int weight = hwloc_bitmap_weight(t->domains[i].cpus);

	for (size_t j = 0; j < t->n_domains; j++) {
		int other = hwloc_bitmap_weight(t->domains[j].cpus);

		if (j != i && (other < weight || (other == weight && j < i)) &&
		    hwloc_bitmap_intersects(t->domains[i].cpus, t->domains[j].cpus))
			return true;
	}
	return false;
}

static void lend_nothing(struct topology *t, const struct topology_objects *list)
{
	bool *empty = mem_calloc(t->n_domains, sizeof(*empty));
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		if (list->items[i].kind != TOPOLOGY_DOMAIN)
			continue;
		if (list->items[i].cpuless)
			hwloc_bitmap_zero(t->domains[n].cpus);
		n++;
	}
	for (size_t i = 0; i < t->n_domains; i++)
		empty[i] = borrowed(t, i);
	for (size_t i = 0; i < t->n_domains; i++) {
		if (empty[i])
			hwloc_bitmap_zero(t->domains[i].cpus);
	}
	free(empty);
}

static size_t holder(const struct topology_part *p, size_t n, hwloc_const_bitmap_t cpus)
{
	for (size_t i = 0; i < n; i++) {
		if (hwloc_bitmap_intersects(p[i].cpus, cpus))
			return i;
	}
	return TOPOLOGY_NONE;
}

static int cores(struct topology *t, const struct topology_objects *list,
		 hwloc_const_bitmap_t all, struct err *e)
{
	hwloc_bitmap_t seen = hwloc_bitmap_alloc();
	enum topology_kind kind = TOPOLOGY_CPU;
	int rc = 0;

	for (size_t i = 0; i < list->n; i++)
		t->cores_known |= list->items[i].kind == TOPOLOGY_CORE;
	if (t->cores_known)
		kind = TOPOLOGY_CORE;
	t->cores = mem_calloc(list->n, sizeof(*t->cores));
	for (size_t i = 0; !rc && i < list->n; i++) {
		hwloc_const_bitmap_t cpus = list->items[i].cpus;
		struct topology_core *c = &t->cores[t->n_cores];

		if (list->items[i].kind != kind)
			continue;
		if (hwloc_bitmap_iszero(cpus) || !hwloc_bitmap_isincluded(cpus, all) ||
		    hwloc_bitmap_intersects(cpus, seen))
			rc = err_set(e, ERR_USAGE,
				     "a core of the topology has no CPUs of its own");
		(void)hwloc_bitmap_or(seen, seen, cpus);
		c->cpus = hwloc_bitmap_dup(cpus);
		c->package = holder(t->packages, t->n_packages, cpus);
		c->cache = holder(t->caches, t->n_caches, cpus);
		c->domain = holder(t->domains, t->n_domains, cpus);
		t->n_cores++;
	}
	hwloc_bitmap_free(seen);
	return rc;
}

int topology_build(struct topology *t, const struct topology_objects *list, struct err *e)
{
	hwloc_bitmap_t all = hwloc_bitmap_alloc();
	int rc = online(t, list, all, e);

	if (!rc) {
		t->packages = parts(list, TOPOLOGY_PACKAGE, 0, all, &t->n_packages);
		t->cache_level = last_level(list);
		t->caches =
			parts(list, TOPOLOGY_CACHE, t->cache_level, all, &t->n_caches);
		t->domains = parts(list, TOPOLOGY_DOMAIN, 0, all, &t->n_domains);
		if (t->n_packages > MAX_PARTS || t->n_caches > MAX_PARTS ||
		    t->n_domains > MAX_PARTS)
			rc = err_set(e, ERR_USAGE, "the topology has more than %d parts",
				     MAX_PARTS);
	}
	if (!rc) {
		lend_nothing(t, list);
		rc = cores(t, list, all, e);
	}
	hwloc_bitmap_free(all);
	return rc;
}
