/* SPDX-License-Identifier: Apache-2.0 */
/* Gates: see gates.h. */
#include "judge/gates.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/launches.h"
#include "judge/nodes.h"
#include "judge/rule.h"
#include "record/json.h"
#include "record/key.h"

/* What a node failed at first. */
struct failure {
	const char *why; /* NULL: nothing */
	size_t stage;
};

struct gates {
	const struct rule_input *in;
	struct summary *out;
	json_t *stages;
	struct names names; /* of the stages, numbered as they follow each other */
	bool *is_gate;
	struct failure *failed; /* by node of the plan */
	struct names excluded;  /* nodes by the journal's requests so far */
	bool *is_excluded;
	size_t cap_excluded;
};

/* False when there is no gate with something behind it. */
static bool know_stages(struct gates *g)
{
	size_t n = json_array_size(g->stages);
	bool any = false;

	g->is_gate = mem_calloc(n + 1, sizeof(*g->is_gate));
	for (size_t i = 0; i < n; i++) {
		const json_t *stage = json_array_get(g->stages, i);
		bool fresh;
		size_t k = names_add(&g->names, json_member_text(stage, "name"), &fresh);

		if (!fresh)
			return false; /* no plan has two: whoever wrote this is no assay
				       */
		g->is_gate[k] = json_is_true(json_object_get(stage, "gate"));
		any |= g->is_gate[k] && i + 1 < n;
	}
	return any;
}

static void know_excluded(struct gates *g)
{
	const struct state *s = g->in->state;

	for (size_t i = 0; i < s->n_requests; i++) {
		bool out = !strcmp(s->requests[i].want, "exclude");
		size_t k;

		if (!out && strcmp(s->requests[i].want, "readmit") != 0)
			continue;
		k = names_add(&g->excluded, s->requests[i].target, NULL);
		mem_grow(&g->is_excluded, &g->cap_excluded, k + 1,
			 sizeof(*g->is_excluded));
		g->is_excluded[k] = out;
	}
}

/* Number of the stage a verdict is about: its name is "stage/step". */
static size_t stage_of(const struct gates *g, const struct verdict *v,
		       struct strbuf *name)
{
	if (!v->name)
		return NAMES_NONE;
	strbuf_reset(name);
	strbuf_add(name, v->name, strcspn(v->name, "/"));
	return names_find(&g->names, strbuf_str(name));
}

static void find_failures(struct gates *g)
{
	const struct judge_nodes *nodes = g->in->nodes;
	struct strbuf name = {0};

	for (size_t i = 0; i < g->out->n_verdicts; i++) {
		const struct verdict *v = &g->out->verdicts[i];
		const struct judge_node *node;
		struct failure *f;
		size_t stage;

		/* a link is two nodes, either of which may be good */
		if (v->word != VERDICT_FAIL || !v->node || v->peer)
			continue;
		node = nodes_find(nodes, v->node);
		stage = stage_of(g, v, &name);
		if (!node || stage == NAMES_NONE || !g->is_gate[stage])
			continue;
		f = &g->failed[node - nodes->items];
		if (!f->why || stage < f->stage)
			*f = (struct failure){v->why, stage};
	}
	strbuf_release(&name);
}

/* Asks for it once; false when the node was admitted again since. */
static bool exclude(struct gates *g, const char *node, const struct failure *f)
{
	struct summary *out = g->out;
	const char *stage = g->names.items[f->stage];
	char *id = arena_printf(&out->arena, KEY_GATE "%s:%s", stage, node);
	size_t k;

	if (names_find(&g->in->state->request_of, id) != NAMES_NONE) {
		k = names_find(&g->excluded, node);
		return k != NAMES_NONE && g->is_excluded[k];
	}
	rule_request(out, id, "exclude", node,
		     arena_printf(&out->arena, "failed gate '%s': %s", stage, f->why));
	return true;
}

/* A step of a later stage that the node should have had. */
static void miss(struct gates *g, const char *node, const char *name, const char *why)
{
	struct summary *out = g->out;
	char *key = arena_printf(&out->arena, "%s@%s", name, node);
	struct verdict *v;

	if (launches_find(g->in->launches, key))
		return;
	v = summary_add(out);
	v->rule = "coverage";
	v->key = key;
	v->name = name;
	v->node = node;
	v->word = VERDICT_SKIP;
	v->why = why;
	rule_miss(out, key, node, why);
}

static void miss_later(struct gates *g, const char *node, const struct failure *f)
{
	struct arena *a = &g->out->arena;
	const char *why =
		arena_printf(a, "excluded: failed gate '%s'", g->names.items[f->stage]);

	for (size_t i = f->stage + 1; i < g->names.n; i++) {
		const json_t *stage = json_array_get(g->stages, i);
		const json_t *steps = json_object_get(stage, "steps"), *step;
		size_t k;

		json_array_foreach(steps, k, step)
		{
			if (strcmp(json_member_text(step, "on"), "node") != 0)
				continue;
			miss(g, node,
			     arena_printf(a, "%s/%s", g->names.items[i],
					  json_member_text(step, "name")),
			     why);
		}
	}
}

void gates_apply(const struct rule_input *in, struct summary *out)
{
	const struct record_plan *plan = &in->state->plan;
	struct gates g = {.in = in, .out = out};

	g.stages = plan->stages ? json_loads(plan->stages, 0, NULL) : NULL;
	if (know_stages(&g)) {
		know_excluded(&g);
		g.failed = mem_calloc(in->nodes->n + 1, sizeof(*g.failed));
		find_failures(&g);
		for (size_t i = 0; i < in->nodes->n; i++) {
			const struct failure *f = &g.failed[i];
			const char *node = in->nodes->items[i].name;

			/* nothing is behind the last stage */
			if (f->why && f->stage + 1 < g.names.n && exclude(&g, node, f))
				miss_later(&g, node, f);
		}
	}
	json_decref(g.stages);
	names_release(&g.names);
	names_release(&g.excluded);
	free(g.is_gate);
	free(g.is_excluded);
	free(g.failed);
}
