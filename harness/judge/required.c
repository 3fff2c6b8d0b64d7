/* SPDX-License-Identifier: Apache-2.0 */
/* Requirements of a plan: see required.h. */
#include "judge/required.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/judge.h"

/* One entry of `requires`; NULL stands for any. */
struct requirement {
	const char *text, *rule, *metric;
};

static struct requirement parse(struct arena *a, const char *text)
{
	const char *dot = strchr(text, '.');
	const char *head = dot ? arena_strndup(a, text, (size_t)(dot - text)) : text;

	if (rule_find(head))
		return (struct requirement){text, head, dot ? dot + 1 : NULL};
	if (dot)
		return (struct requirement){text, NULL, text};
	return (struct requirement){text, text, NULL};
}

/* "facts.pcie" is met by the metric "pcie" of that rule, and by "facts.pcie". */
static bool covers(const struct requirement *r, const struct verdict *v)
{
	if (r->rule && strcmp(r->rule, v->rule) != 0)
		return false;
	return !r->metric || (v->metric && (!strcmp(r->metric, v->metric) ||
					    !strcmp(r->text, v->metric)));
}

static void require(struct summary *s, struct verdict *v)
{
	v->required = true;
	if (v->word != VERDICT_SKIP && v->word != VERDICT_UNJUDGED)
		return;
	v->why = arena_printf(&s->arena, "required, but %s: %s",
			      v->word == VERDICT_SKIP ? "skipped" : "not judged", v->why);
	v->word = VERDICT_ERROR;
	v->cause = "no-data";
}

static void add_missing(struct summary *s, const struct requirement *r, const char *node)
{
	struct verdict *v = summary_add(s);

	v->rule = r->rule ? r->rule : "coverage";
	v->metric = r->metric;
	v->node = node;
	v->word = VERDICT_ERROR;
	v->cause = "no-data";
	v->required = true;
	v->why = arena_printf(
		&s->arena, "the plan requires '%s', which nothing judged here", r->text);
}

/* Nodes are numbered as s->nodes is. */
static void apply(struct summary *s, const struct requirement *r,
		  const struct names *nodes, bool *seen)
{
	size_t n = s->n_verdicts;
	bool everywhere = false;

	memset(seen, 0, s->n_nodes * sizeof(*seen));
	for (size_t i = 0; i < n; i++) {
		struct verdict *v = &s->verdicts[i];
		size_t node;

		if (!covers(r, v))
			continue;
		require(s, v);
		if (!v->node) {
			everywhere = true;
			continue;
		}
		node = names_find(nodes, v->node);
		if (node != NAMES_NONE)
			seen[node] = true;
	}
	for (size_t i = 0; i < s->n_nodes && !everywhere; i++) {
		if (!seen[i])
			add_missing(s, r, s->nodes[i].name);
	}
}

size_t required_apply(struct summary *s)
{
	const char **entries;
	struct names nodes = {0};
	bool *seen;
	size_t n;

	entries = record_unlist(&s->arena, s->state->plan.requires, &n);
	if (!n)
		return 0;
	seen = mem_calloc(s->n_nodes + 1, sizeof(*seen));
	for (size_t i = 0; i < s->n_nodes; i++)
		(void)names_add(&nodes, s->nodes[i].name, NULL);
	for (size_t i = 0; i < n; i++) {
		struct requirement r = parse(&s->arena, entries[i]);

		apply(s, &r, &nodes, seen);
	}
	names_release(&nodes);
	free(seen);
	return n;
}
