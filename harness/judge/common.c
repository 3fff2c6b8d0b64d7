/* SPDX-License-Identifier: Apache-2.0 */
/* Faults that all nodes share: see common.h. */
#include "judge/common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/rule.h"
#include "judge/stats.h"

enum { FEWEST_NODES = 3 }; /* two may be alike by chance */

/* Nodes that differ by less from their median are alike. */
#define ALIKE 0.05

/* Like verdicts of like nodes. */
struct group {
	const struct verdict *first;
	const char *cpu;
	double *shares; /* value / reference */
	size_t n, cap;
	size_t below, above; /* beyond a limit on that side */
};

struct groups {
	struct names index; /* numbered as items is */
	struct group *items;
	size_t cap;
	struct names cpus; /* of all nodes that were judged */
};

static const char *or_empty(const char *s)
{
	return s ? s : "";
}

static void add(struct groups *g, const struct verdict *v, const char *cpu,
		struct strbuf *key)
{
	struct group *group;
	double share = v->value.v / v->reference.v;
	bool bad = v->word == VERDICT_FAIL || v->word == VERDICT_WARN;
	bool fresh;
	size_t i;

	strbuf_reset(key);
	strbuf_addf(key, "%s\n%s\n%s\n%s", or_empty(v->name), v->metric, or_empty(v->at),
		    cpu);
	(void)names_add(&g->cpus, cpu, NULL);
	i = names_add(&g->index, strbuf_str(key), &fresh);
	mem_grow(&g->items, &g->cap, i + 1, sizeof(*g->items));
	group = &g->items[i];
	if (fresh) {
		group->first = v;
		group->cpu = g->cpus.items[names_find(&g->cpus, cpu)];
	}
	mem_grow(&group->shares, &group->cap, group->n + 1, sizeof(*group->shares));
	group->shares[group->n++] = share;
	group->below += bad && share < 1;
	group->above += bad && share > 1;
}

static void remark(struct summary *s, const struct groups *groups, struct group *g)
{
	const struct verdict *v = g->first;
	double median, sigma;
	const char *cpu = "";

	if (g->n < FEWEST_NODES || (g->below != g->n && g->above != g->n))
		return;
	g->n = stats_sort(g->shares, g->n);
	median = stats_median(g->shares, g->n);
	if (g->shares[g->n - 1] - median > ALIKE * median ||
	    median - g->shares[0] > ALIKE * median)
		return;
	sigma = stats_sigma(g->shares, g->n) / median;
	if (groups->cpus.n > 1)
		cpu = arena_printf(&s->arena, " with '%s'", g->cpu);
	rule_remark(
		s,
		arena_printf(&s->arena,
			     "%s: all %zu nodes%s %.0f %% %s the baseline, spread below "
			     "%.0f %%: check "
			     "common cause (BIOS profile, build, baseline)",
			     v->metric, g->n, cpu, fabs(1 - median) * 100,
			     median < 1 ? "below" : "above", floor(sigma * 100) + 1));
}

void common_cause(struct summary *s, const struct judge_nodes *nodes)
{
	struct groups groups = {0};
	struct strbuf key = {0};

	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];
		const struct judge_node *node = nodes_find(nodes, v->node);

		if (!node || strcmp(v->rule, "baseline") != 0 || !v->metric ||
		    !v->value.set || !v->reference.set || !(v->reference.v > 0))
			continue;
		add(&groups, v, or_empty(node->facts[NODE_CPU]), &key);
	}
	for (size_t i = 0; i < groups.index.n; i++) {
		remark(s, &groups, &groups.items[i]);
		free(groups.items[i].shares);
	}
	names_release(&groups.index);
	names_release(&groups.cpus);
	free(groups.items);
	strbuf_release(&key);
}
