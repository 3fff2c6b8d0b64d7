/* SPDX-License-Identifier: Apache-2.0 */
/* The BLAS, not the node: see library.h. */
#include "judge/library.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "judge/rule.h"

/* Shares that differ by less are of one cause. */
#define ALIKE 0.1

/* Nodes of one CPU model with one library. */
struct group {
	const char *library, *cpu;
	size_t n, low; /* nodes, those below the limit */
	double least, most;
};

const char *library_name(struct summary *s, const struct series *series)
{
	static const char start[] = "BLAS: ";
	const int64_t id = series->launches[series->n - 1].step;
	const struct state_step *st = &s->state->steps[id - 1];

	for (size_t i = 0; i < st->n_events; i++) {
		const char *text = st->events[i]->text, *end, *threads;

		if (strcmp(st->events[i]->what, "library") != 0 ||
		    strncmp(text, start, sizeof(start) - 1) != 0)
			continue;
		text += sizeof(start) - 1;
		threads = strstr(text, " thread");
		for (end = threads; end && end > text && *end != ','; end--)
			continue;
		if (end && end > text)
			return arena_strndup(&s->arena, text, (size_t)(end - text));
	}
	return NULL;
}

bool library_is(const char *name, const char *wanted)
{
	size_t len = strlen(wanted);

	return name && !strncasecmp(name, wanted, len) &&
	       (!name[len] || name[len] == ' ' || name[len] == ',');
}

static void say(struct summary *s, const struct group *g)
{
	if (!g->n || g->low < g->n || g->most > g->least * (1 + ALIKE))
		return;
	rule_remark(
		s,
		arena_printf(&s->arena,
			     "BLAS, not the node: %s reaches %.0f %% of what the cores "
			     "do in registers, on %s%zu node%s%s%s; another libblas, or "
			     "one that knows the CPU, is needed to rate them by DGEMM "
			     "or HPL",
			     g->library, 100 * g->least, g->n > 1 ? "all " : "", g->n,
			     g->n > 1 ? "s" : "", *g->cpu ? " with " : "", g->cpu));
}

void library_cause(struct summary *s, const struct judge_nodes *nodes)
{
	struct names keys = {0};
	struct group *groups = NULL;
	struct strbuf key = {0};
	size_t cap = 0;

	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];
		const struct judge_node *node =
			v->node ? nodes_find(nodes, v->node) : NULL;
		const char *cpu =
			node && node->facts[NODE_CPU] ? node->facts[NODE_CPU] : "";
		const char *library;
		struct group *g;
		bool fresh;
		size_t k;

		if (!node || !v->series || v->at || strcmp(v->rule, "theory") != 0 ||
		    strcmp(v->metric, "dgemm.dgemm") != 0 || !v->share.set)
			continue;
		library = library_name(s, v->series);
		if (!library)
			library = "the BLAS";
		strbuf_reset(&key);
		strbuf_addf(&key, "%s\n%s", library, cpu);
		k = names_add(&keys, strbuf_str(&key), &fresh);
		mem_grow(&groups, &cap, k + 1, sizeof(*groups));
		g = &groups[k];
		if (fresh)
			*g = (struct group){library, cpu, 0, 0, v->share.v, v->share.v};
		g->n++;
		g->low += v->word == VERDICT_WARN || v->word == VERDICT_FAIL;
		g->least = v->share.v < g->least ? v->share.v : g->least;
		g->most = v->share.v > g->most ? v->share.v : g->most;
	}
	for (size_t k = 0; k < keys.n; k++)
		say(s, &groups[k]);
	free(groups);
	names_release(&keys);
	strbuf_release(&key);
}
