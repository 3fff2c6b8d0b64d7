/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of nodes that explain slow pairs: leaf switches and what leads up from them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/pairs_graph.h"

/* Share of a group's pairs that are slow when the group is. */
#define MOST_OF_GROUP 0.9
/*
 * One uplink of several: so many slow pairs with so many nodes on each side, that share
 * of the group's pairs to others at least, so many times as often as elsewhere, and none
 * of its nodes has half of them.
 */
#define PART_LEAST 0.03
#define PART_TIMES 4.0
enum { PART_FEWEST = 6, PART_NODES = 3 };
/* Nodes of a group that are slow alike before it is an uplink they share, and share. */
#define ALIKE_SHARE 0.15
enum { ALIKE_FEWEST = 3 };
/* Pairs between two groups that are slow before it is more than chance. */
enum { BETWEEN_FEWEST = 4 };

static uint32_t group_of(const struct pairs_graph *g, uint32_t node)
{
	return g->q->group[node];
}

/* Pairs of one group to others that are left: how many, and how many are slow. */
struct load {
	size_t n[2], low[2]; /* sent, received */
	size_t n_inside, low_inside;
};

static struct load *loads_of(const struct pairs_graph *g)
{
	struct load *l = mem_calloc(g->q->groups, sizeof(*l));

	for (size_t i = 0; i < g->n; i++) {
		const struct pairs_edge *e = &g->edges[i];
		uint32_t from = group_of(g, e->from), to = group_of(g, e->to);
		bool low = e->x < -g->dev;

		if (e->explained || from == PAIRS_NO_GROUP || to == PAIRS_NO_GROUP)
			continue;
		if (from == to) {
			l[from].n_inside++;
			l[from].low_inside += low;
			continue;
		}
		l[from].n[0]++;
		l[from].low[0] += low;
		l[to].n[1]++;
		l[to].low[1] += low;
	}
	return l;
}

/* Nodes of a group that appear in slow pairs to others, and the most that one has. */
struct touched {
	size_t own, others, most, slow;
};

static struct touched touch(const struct pairs_graph *g, const struct pairs_finding *f,
			    double limit)
{
	uint32_t *count = mem_calloc(g->q->nodes, sizeof(*count));
	struct touched t = {0};

	for (size_t i = 0; i < g->n; i++) {
		const struct pairs_edge *e = &g->edges[i];

		if (e->explained || e->x >= -limit ||
		    !pairs_concerns(g->q, f, e->from, e->to))
			continue;
		t.slow++;
		count[e->from]++;
		count[e->to]++;
	}
	for (uint32_t i = 0; i < g->q->nodes; i++) {
		if (!count[i])
			continue;
		t.own += group_of(g, i) == f->a;
		t.others += group_of(g, i) != f->a;
		if (count[i] > t.most)
			t.most = count[i];
	}
	free(count);
	return t;
}

static size_t members(const struct pairs_graph *g, uint32_t group)
{
	size_t n = 0;

	for (size_t i = 0; i < g->q->nodes; i++)
		n += g->q->group[i] == group && g->out->count[i];
	return n;
}

static bool mostly(size_t low, size_t n)
{
	return n > 1 && (double)low >= MOST_OF_GROUP * (double)n;
}

/* The way in which pairs of a group to others are slow. */
static bool slow_way(const struct pairs_graph *g, const struct load *l,
		     enum pairs_way *way, size_t *of)
{
	*of = l->n[0] + l->n[1];
	*way = PAIRS_BOTH;
	if (mostly(l->low[0] + l->low[1], *of))
		return true;
	for (int i = 0; g->q->directed && i < 2; i++) {
		*way = i ? PAIRS_RECEIVES : PAIRS_SENDS;
		*of = l->n[i];
		if (mostly(l->low[i], l->n[i]))
			return true;
	}
	return false;
}

/* With two groups all that is slow is between them, and it may be either's. */
static uint32_t only_other(const struct pairs_graph *g, const struct load *l, uint32_t a)
{
	uint32_t other = PAIRS_NO_GROUP;

	for (uint32_t i = 0; i < g->q->groups; i++) {
		if (i == a || !(l[i].n[0] + l[i].n[1]))
			continue;
		if (other != PAIRS_NO_GROUP)
			return PAIRS_NO_GROUP;
		other = i;
	}
	return other;
}

static bool find_group(const struct pairs_graph *g, const struct load *l,
		       struct pairs_finding *best)
{
	best->of = 0;
	for (uint32_t i = 0; i < g->q->groups; i++) {
		struct pairs_finding f = {.kind = PAIRS_UPLINK, .a = i};
		struct touched t;

		if (!slow_way(g, &l[i], &f.way, &f.of) || f.of <= best->of)
			continue;
		/* one node behind a leaf is the node's own matter */
		t = touch(g, &f, pairs_limit(g, f.of));
		if (t.own < 2 || (double)t.own < MOST_OF_GROUP * (double)members(g, i))
			continue;
		*best = f;
	}
	return best->of > 0;
}

/* Two groups between which all pairs are slow. Their number is few: those of slow pairs.
 */
static bool explain_between(struct pairs_graph *g)
{
	size_t groups = g->q->groups, *n, *low, most = 0;
	struct pairs_finding f = {.kind = PAIRS_BETWEEN};
	struct touched t;

	if (groups > 2048)
		return false;
	n = mem_calloc(groups * groups, sizeof(*n));
	low = mem_calloc(groups * groups, sizeof(*low));
	for (size_t i = 0; i < g->n; i++) {
		const struct pairs_edge *e = &g->edges[i];
		size_t a = group_of(g, e->from), b = group_of(g, e->to), k;

		if (e->explained || !e->between)
			continue;
		k = a < b ? a * groups + b : b * groups + a;
		n[k]++;
		low[k] += e->x < -g->dev;
		if (low[k] < BETWEEN_FEWEST || low[k] <= most)
			continue;
		most = low[k];
	}
	most = 0;
	for (size_t k = 0; k < groups * groups; k++) {
		if (low[k] < BETWEEN_FEWEST || low[k] <= most || !mostly(low[k], n[k]))
			continue;
		f.a = (uint32_t)(k / groups);
		f.b = (uint32_t)(k % groups);
		f.of = n[k];
		t = touch(g, &f, pairs_limit(g, f.of));
		if (t.own >= 2 && t.others >= 2 && 2 * t.most <= t.slow)
			most = low[k];
	}
	free(n);
	free(low);
	if (!most)
		return false;
	pairs_add(g, &f);
	return true;
}

bool pairs_explain_group(struct pairs_graph *g)
{
	struct load *l = loads_of(g);
	struct pairs_finding f = {0};
	bool found = find_group(g, l, &f);
	uint32_t other = found ? only_other(g, l, f.a) : PAIRS_NO_GROUP;

	if (found && mostly(l[f.a].low_inside, l[f.a].n_inside)) {
		f.kind = PAIRS_LEAF;
		f.way = PAIRS_BOTH;
	} else if (other != PAIRS_NO_GROUP) {
		f.kind = PAIRS_BETWEEN;
		f.way = PAIRS_BOTH;
		f.b = other;
	}
	free(l);
	if (!found)
		return explain_between(g);
	pairs_add(g, &f);
	return true;
}

/* A finding of a node of @group in one way. */
static bool is_alike(const struct pairs_graph *g, const struct pairs_finding *f,
		     uint32_t group, enum pairs_way way)
{
	return f->kind == PAIRS_NODE && f->way == way && group_of(g, f->a) == group;
}

/*
 * How many there are; false when pairs of those nodes inside the group are slow, too. Few
 * such pairs may be there; that several ports of a leaf fail in one direction is not it.
 */
static bool count_alike(const struct pairs_graph *g, uint32_t group, enum pairs_way way,
			size_t *n)
{
	size_t inside = 0, low = 0;

	*n = 0;
	for (size_t k = 0; k < g->out->n; k++) {
		const struct pairs_finding *f = &g->out->findings[k];

		if (!is_alike(g, f, group, way))
			continue;
		++*n;
		for (size_t j = g->first[f->a]; j < g->first[f->a + 1]; j++) {
			const struct pairs_edge *e = &g->edges[g->list[j]];

			if (group_of(g, e->from) != group_of(g, e->to) ||
			    !pairs_concerns(g->q, f, e->from, e->to))
				continue;
			inside++;
			low += e->x < -g->dev;
		}
	}
	return (inside >= ALIKE_FEWEST || way != PAIRS_BOTH) && 4 * low <= inside;
}

/* Pairs to others of those nodes are looked at again, as the group's. */
static void forget_alike(struct pairs_graph *g, uint32_t group, enum pairs_way way)
{
	struct pairs *p = g->out;
	size_t kept = 0;

	for (size_t k = 0; k < p->n; k++) {
		struct pairs_finding f = p->findings[k];

		if (!is_alike(g, &f, group, way)) {
			p->findings[kept++] = f;
			continue;
		}
		for (size_t j = g->first[f.a]; j < g->first[f.a + 1]; j++) {
			struct pairs_edge *e = &g->edges[g->list[j]];

			if (pairs_concerns(g->q, &f, e->from, e->to))
				e->explained = false;
		}
	}
	p->n = kept;
}

/* Routes go by destination: a link down to a leaf has its share of the leaf's nodes. */
static void join_nodes(struct pairs_graph *g)
{
	for (uint32_t i = 0; i < g->q->groups; i++) {
		for (enum pairs_way way = PAIRS_BOTH; way <= PAIRS_RECEIVES; way++) {
			struct pairs_finding f = {
				.kind = PAIRS_UPLINK, .way = way, .a = i, .of = 1};
			size_t n;

			if (!count_alike(g, i, way, &n) || n < ALIKE_FEWEST ||
			    (double)n < ALIKE_SHARE * (double)members(g, i))
				continue;
			forget_alike(g, i, way);
			pairs_add(g, &f);
		}
	}
}

static bool find_part(const struct pairs_graph *g, const struct load *l,
		      struct pairs_finding *best)
{
	size_t n = 0, low = 0, most = 0;

	for (uint32_t i = 0; i < g->q->groups; i++) {
		n += l[i].n[0];
		low += l[i].low[0];
	}
	for (uint32_t i = 0; i < g->q->groups; i++) {
		struct pairs_finding f = {.kind = PAIRS_UPLINK, .a = i, .of = 1};
		size_t own = l[i].n[0] + l[i].n[1], slow = l[i].low[0] + l[i].low[1];
		double elsewhere = n > own ? (double)(low - slow) / (double)(n - own) : 0;
		struct touched t;

		if (slow < PART_FEWEST || slow <= most ||
		    (double)slow < PART_LEAST * (double)own ||
		    (double)slow < PART_TIMES * elsewhere * (double)own)
			continue;
		t = touch(g, &f, pairs_limit(g, 1));
		if (t.slow < PART_FEWEST || t.own < PART_NODES || t.others < PART_NODES ||
		    2 * t.most > t.slow)
			continue;
		if (g->q->directed &&
		    (double)l[i].low[1] >= PART_TIMES * (double)l[i].low[0])
			f.way = PAIRS_RECEIVES;
		else if (g->q->directed &&
			 (double)l[i].low[0] >= PART_TIMES * (double)l[i].low[1])
			f.way = PAIRS_SENDS;
		most = slow;
		*best = f;
	}
	return most > 0;
}

void pairs_explain_parts(struct pairs_graph *g)
{
	struct pairs_finding f;
	bool found = true;

	join_nodes(g);
	while (found) {
		struct load *l = loads_of(g);

		found = find_part(g, l, &f);
		if (found)
			pairs_add(g, &f);
		free(l);
	}
}
