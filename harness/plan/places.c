/* SPDX-License-Identifier: Apache-2.0 */
/* Topologies of a run's nodes as the planner's placer: see places.h. */
#include "plan/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "host/topology.h"
#include "plan/placement.h"

enum { MAX_XML = 64 * 1024 * 1024 };

struct places_class {
	struct topology *topology; /* NULL: could not be read */
	const char *why;           /* then: why */
};

/* The XML itself, or the path of a file in the run folder that holds it. */
static int load(struct topology **out, const char *topology, const char *dir,
		struct err *e)
{
	struct strbuf xml = {0};
	char path[8192];
	int rc;

	if (topology[0] == '<')
		return topology_from_xml(out, topology, strlen(topology), e);
	(void)snprintf(path, sizeof(path), "%s/%s", dir ? dir : ".", topology);
	rc = file_read(&xml, path, MAX_XML, e);
	if (!rc)
		rc = topology_from_xml(out, strbuf_str(&xml), xml.len, e);
	strbuf_release(&xml);
	return rc ? err_at(e, "topology '%s'", topology[0] == '<' ? "record" : topology)
		  : 0;
}

void places_load(struct places *p, const struct state *state, const char *dir)
{
	memset(p, 0, sizeof(*p));
	p->state = state;
	for (size_t i = 0; i < state->n_facts; i++) {
		const struct record_node *n = &state->facts[i];
		struct err e = {0};
		bool fresh;
		size_t k;

		if (!n->topology)
			continue;
		k = names_add(&p->classes, n->topology, &fresh);
		if (!fresh)
			continue;
		mem_grow(&p->by_class, &p->cap, k + 1, sizeof(*p->by_class));
		if (load(&p->by_class[k].topology, n->topology, dir, &e))
			p->by_class[k].why = arena_strdup(&p->arena, e.msg);
	}
}

static int place(const void *ctx, const char *node, const char *word, struct arena *a,
		 struct placed *out, struct err *e)
{
	const struct places *p = ctx;
	const struct record_node *n = state_facts(p->state, node);
	const struct places_class *class;
	const char *mask;
	hwloc_bitmap_t cpus;
	int rc;

	if (placement_anywhere(word))
		return placement_make(NULL, NULL, word, a, out, &out->remark, e);
	if (!n || !n->topology)
		return err_set(e, ERR_USAGE, "no topology of node '%s'", node);
	class = &p->by_class[names_find(&p->classes, n->topology)];
	if (!class->topology)
		return err_set(e, ERR_USAGE, "%s", class->why);
	mask = record_json_text(a, n->facts, "cpu.mask");
	cpus = topology_cpus_parse(mask, e);
	if (!cpus)
		return err_at(e, "CPU mask of node '%s'", node);
	rc = placement_make(class->topology, cpus, word, a, out, &out->remark, e);
	hwloc_bitmap_free(cpus);
	return rc;
}

struct placer places_placer(const struct places *p)
{
	return (struct placer){place, p};
}

void places_release(struct places *p)
{
	for (size_t i = 0; i < p->classes.n; i++)
		topology_free(p->by_class[i].topology);
	free(p->by_class);
	arena_release(&p->arena);
	names_release(&p->classes);
	memset(p, 0, sizeof(*p));
}
