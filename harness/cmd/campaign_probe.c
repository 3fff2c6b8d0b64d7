/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of the nodes, from assay-probe on each of them: see campaign.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "cmd/campaign.h"
#include "run/resolve.h"

/* Where probes' records go: the journal, or the state of a dry run. */
struct probe {
	struct campaign *c;
	struct record_sink *sink;
	struct resolve names;
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

static int put_remark(struct probe *p, const char *text, struct err *e)
{
	struct record r = record_make(RECORD_KIND_event);

	r.u.event.what = "remark";
	r.u.event.text = text;
	progress_say(&p->c->progress, "%s", text);
	return p->sink->put(p->sink, &r, e);
}

/*
 * The names first. A resolver that hangs would hang the way to the node as well: such a
 * node is lost here. One without an address may be known to the remote agent all the
 * same (a host of ssh_config): that is told only when the node cannot be reached.
 */
static int resolve(struct probe *p, const char **todo, size_t *n, struct err *e)
{
	struct arena *a = &p->c->arena;
	const char **remarks;
	size_t kept = 0, n_remarks;
	int rc = resolve_nodes(&p->names, &p->c->runner, todo, *n, RESOLVE_LIMIT, e);

	for (size_t i = 0; i < *n && !rc; i++) {
		const struct resolve_name *name = resolve_find(&p->names, todo[i]);

		if (!name || !name->hung)
			todo[kept++] = todo[i];
		else
			rc = put_lost(
				p, todo[i],
				arena_printf(a, "name does not resolve: %s", name->why),
				e);
	}
	*n = kept;
	remarks = resolve_remarks(&p->names, a, &n_remarks);
	for (size_t i = 0; i < n_remarks && !rc; i++)
		rc = put_remark(p, remarks[i], e);
	return rc;
}

/* The first rung that failed is why. */
static const char *first_rung(struct probe *p, const char *node, const char *why)
{
	const struct resolve_name *name = resolve_find(&p->names, node);

	if (!name || !name->why)
		return why;
	return arena_printf(&p->c->arena, "name does not resolve: %s; %s", name->why,
			    why);
}

/* The kernels of the plan, which have to run on each node. */
static const char *kernels(struct campaign *c)
{
	struct strbuf list = {0};
	struct names seen = {0};
	const char *text;

	for (size_t i = 0; i < c->plan.n_stages; i++) {
		const struct plan_stage *stage = &c->plan.stages[i];

		for (size_t k = 0; k < stage->n_steps; k++) {
			bool fresh;

			(void)names_add(&seen, stage->steps[k].kernel, &fresh);
			if (fresh)
				strbuf_addf(&list, "%s%s", list.len ? "," : "",
					    stage->steps[k].kernel);
		}
	}
	text = arena_strdup(&c->arena, strbuf_str(&list));
	strbuf_release(&list);
	names_release(&seen);
	return text;
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
		return put_lost(p, arena_strdup(a, res->node),
				first_rung(p, res->node, why), e);
	if (keep_topology(p->c, &r.u.node, e))
		return -1;
	return p->sink->put(p->sink, &r, e);
}

/* What holds for the run as a whole, and which nodes it goes without. */
static int put_view(struct probe *p, struct err *e)
{
	const struct slurm_view *v = &p->c->view;

	for (size_t i = 0; i < v->remarks.n; i++) {
		struct record r = record_make(RECORD_KIND_event);

		r.u.event.what = "remark";
		r.u.event.text = v->remarks.items[i];
		progress_say(&p->c->progress, "%s", r.u.event.text);
		if (p->sink->put(p->sink, &r, e))
			return -1;
	}
	for (size_t i = 0; i < p->c->n_nodes; i++) {
		if (v->not_tested[i] && put_lost(p, p->c->nodes[i], v->not_tested[i], e))
			return -1;
	}
	return 0;
}

int campaign_probe(struct campaign *c, const struct state *s, struct record_sink *sink,
		   struct err *e)
{
	const char **todo = arena_alloc(&c->arena, c->n_nodes, sizeof(*todo));
	const char *words[PROBE_WORDS + 2];
	struct probe p = {.c = c, .sink = sink};
	size_t n = 0, n_words;
	int rc;

	if (put_view(&p, e))
		return -1;
	for (size_t i = 0; i < c->n_nodes; i++) {
		if (!state_facts(s, c->nodes[i]) && !c->view.not_tested[i])
			todo[n++] = c->nodes[i];
	}
	if (!n)
		return 0;
	progress_say(&c->progress, "probing %zu node%s", n, n == 1 ? "" : "s");
	n_words = probe_words(c->env->bindir, c->args->mask_users, c->run_id, &c->arena,
			      words);
	words[n_words++] = "--programs";
	words[n_words++] = kernels(c);
	rc = resolve(&p, todo, &n, e);
	if (!rc)
		rc = runner_reach(&c->runner, todo, n, words, n_words,
				  c->plan.limits.probe, on_probe, &p, e);
	resolve_release(&p.names);
	return rc;
}
