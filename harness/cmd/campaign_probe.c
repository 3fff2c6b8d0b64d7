/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of the nodes, from assay-probe on each of them: see campaign.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/campaign.h"

/* Probing one node; includes the way there. */
#define PROBE_LIMIT 60.0

/* Where probes' records go: the journal, or the state of a dry run. */
struct probe {
	struct campaign *c;
	struct record_sink *sink;
	size_t lost;
};

static int put_lost(struct probe *p, const char *node, const char *why, struct err *e)
{
	struct record r = record_make(RECORD_KIND_event);

	r.u.event.node = node;
	r.u.event.what = "lost";
	r.u.event.text = why;
	p->lost++;
	progress_say(&p->c->progress, "%s: %s", node, why);
	return p->sink->put(p->sink, &r, e);
}

static const char *reach_failure(struct arena *a, const struct reach_result *res)
{
	if (res->end == REACH_TRANSPORT)
		return arena_printf(a, "unreachable: %s", res->why);
	if (res->why)
		return arena_printf(a, "probe: %s", res->why);
	return "probe gave no record of the node";
}

/* Keeps the topology once per class, and leaves its name in the record. */
static int keep_topology(struct campaign *c, struct record_node *n, struct err *e)
{
	const char *name, *path;

	if (!n->topology || !c->runner.journal)
		return 0;
	name = arena_printf(&c->arena, "nodes/%s.xml", n->class ? n->class : n->node);
	path = arena_printf(&c->arena, "%s/%s", c->folder.path, name);
	if (access(path, F_OK) &&
	    folder_write(&c->folder, name, n->topology, strlen(n->topology), e))
		return -1;
	n->topology = name;
	return 0;
}

static int take_node(struct probe *p, const struct reach_result *res, struct record *r,
		     struct err *e)
{
	r->u.node.node = arena_strdup(&p->c->arena, res->node);
	if (r->u.node.class &&
	    (strchr(r->u.node.class, '/') || r->u.node.class[0] == '.'))
		r->u.node.class = NULL;
	if (keep_topology(p->c, &r->u.node, e))
		return -1;
	return p->sink->put(p->sink, r, e);
}

static int on_probe(void *ctx, const struct reach_result *res, struct err *e)
{
	static const char mark[] = "@assay ";
	struct probe *p = ctx;
	struct arena *a = &p->c->arena;
	const char *line = res->out, *end = res->out + res->out_len;

	while (res->end == REACH_RAN && res->exit == 0 && line < end) {
		const char *nl = memchr(line, '\n', (size_t)(end - line));
		struct record r;
		struct err why = {0};

		if (!nl)
			break;
		if ((size_t)(nl - line) > sizeof(mark) &&
		    !memcmp(line, mark, sizeof(mark) - 1) &&
		    !record_decode(line + sizeof(mark) - 1,
				   (size_t)(nl - line) - (sizeof(mark) - 1), a, &r,
				   &why) &&
		    r.kind == RECORD_KIND_node)
			return take_node(p, res, &r, e);
		line = nl + 1;
	}
	return put_lost(p, arena_strdup(a, res->node), reach_failure(a, res), e);
}

int campaign_probe(struct campaign *c, const struct state *s, struct record_sink *sink,
		   struct err *e)
{
	const char *const words[] = {
		arena_printf(&c->arena, "%s/assay-probe", c->env->bindir), "--format",
		"records"};
	const char **todo = arena_alloc(&c->arena, c->n_nodes, sizeof(*todo));
	struct probe p = {.c = c, .sink = sink};
	size_t n = 0;

	for (size_t i = 0; i < c->n_nodes; i++) {
		if (!state_facts(s, c->nodes[i]))
			todo[n++] = c->nodes[i];
	}
	if (!n)
		return 0;
	progress_say(&c->progress, "probing %zu node%s", n, n == 1 ? "" : "s");
	return runner_reach(&c->runner, todo, n, words, 3, PROBE_LIMIT, on_probe, &p, e);
}
