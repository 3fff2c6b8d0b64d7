/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of the nodes, from assay-probe on each of them: see campaign.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/campaign.h"

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

static int on_probe(void *ctx, const struct reach_result *res, struct err *e)
{
	struct record r = record_make(RECORD_KIND_node);
	struct probe *p = ctx;
	struct arena *a = &p->c->arena;
	const char *why = probe_read(res, &p->c->saved, a, &r.u.node);

	if (why)
		return put_lost(p, arena_strdup(a, res->node), why, e);
	if (keep_topology(p->c, &r.u.node, e))
		return -1;
	return p->sink->put(p->sink, &r, e);
}

int campaign_probe(struct campaign *c, const struct state *s, struct record_sink *sink,
		   struct err *e)
{
	const char **todo = arena_alloc(&c->arena, c->n_nodes, sizeof(*todo));
	const char *words[PROBE_WORDS];
	struct probe p = {.c = c, .sink = sink};
	size_t n = 0, n_words;

	for (size_t i = 0; i < c->n_nodes; i++) {
		if (!state_facts(s, c->nodes[i]))
			todo[n++] = c->nodes[i];
	}
	if (!n)
		return 0;
	progress_say(&c->progress, "probing %zu node%s", n, n == 1 ? "" : "s");
	n_words = probe_words(c->env->bindir, c->args->mask_users, &c->arena, words);
	return runner_reach(&c->runner, todo, n, words, n_words, PROBE_LIMIT, on_probe,
			    &p, e);
}
