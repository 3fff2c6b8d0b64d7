/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and single links that explain slow pairs; groups are in pairs_groups.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/pairs_graph.h"
#include "judge/stats.h"

/* Share of the pairs of a node that are slow when the node is. */
#define MOST_OF_NODE 0.75
/* So many slow pairs, and such a share of all it has, are the node's fault. */
#define STAR_SHARE 0.25
enum { STAR_FEWEST = 3 };
/* There may be so many single faults, and one more for so many nodes: cables are that
 * many.
 */
enum { SINGLE_FAULTS = 20, NODES_A_FAULT = 20, FEWEST_OF_NODE = 2 };

/* A pair to measure again, none of whose nodes is in one that is there. */
static void add_check(struct pairs_finding *f, const struct pairs_edge *e)
{
	if (f->n_check == PAIRS_CHECKS)
		return;
	for (size_t i = 0; i < f->n_check; i++) {
		const struct pairs_pair *c = &f->check[i];

		if (c->a == e->from || c->a == e->to || c->b == e->from || c->b == e->to)
			return;
	}
	f->check[f->n_check++] = (struct pairs_pair){e->from, e->to};
}

void pairs_add(struct pairs_graph *g, struct pairs_finding *f)
{
	/* a node's edges are few, and findings of nodes and links may be many */
	bool of_node = f->kind == PAIRS_NODE || f->kind == PAIRS_LINK;
	size_t n = of_node ? g->first[f->a + 1] - g->first[f->a] : g->n, slow = 0;
	const uint32_t *list = of_node ? &g->list[g->first[f->a]] : NULL;
	double limit = pairs_limit(g, f->of ? f->of : 1);
	struct pairs *p = g->out;

	f->of = 0;
	for (size_t i = 0; i < n; i++) {
		struct pairs_edge *e = &g->edges[list ? list[i] : i];

		if (e->explained || !pairs_concerns(g->q, f, e->from, e->to))
			continue;
		f->of++;
		if (e->x >= -limit)
			continue;
		g->room[slow++] = e->x;
		e->explained = true;
		/* those of a node are tried with proven partners, found later */
		if (f->kind != PAIRS_NODE)
			add_check(f, e);
	}
	f->slow = slow;
	/* that it is slow together is known: the tail of single pairs does not matter */
	f->limit = exp(-pairs_limit(g, f->kind == PAIRS_LINK ? 1 : slow + 1));
	slow = stats_sort(g->room, slow);
	f->share = exp(stats_median(g->room, slow));
	mem_grow(&p->findings, &p->cap, p->n + 1, sizeof(*p->findings));
	p->findings[p->n++] = *f;
}

/* How much of a node's pairs is left and slow: [sent], [received]. */
struct load {
	size_t n[2], low[2];
};

static bool is_low(const struct pairs_graph *g, const struct pairs_edge *e, double limit)
{
	return e->x < -fmax(limit, g->dev);
}

static struct load load_of(const struct pairs_graph *g, size_t node, double limit)
{
	struct load l = {{0}, {0}};

	for (size_t j = g->first[node]; j < g->first[node + 1]; j++) {
		const struct pairs_edge *e = &g->edges[g->list[j]];
		int received = e->to == node;

		if (e->explained)
			continue;
		l.n[received]++;
		l.low[received] += is_low(g, e, limit);
	}
	return l;
}

static bool mostly(size_t low, size_t n)
{
	return n >= FEWEST_OF_NODE && (double)low >= MOST_OF_NODE * (double)n;
}

/* With one other alone it is a matter of the two. */
static bool has_peers(const struct pairs_graph *g, size_t node)
{
	uint32_t peer = UINT32_MAX;

	for (size_t j = g->first[node]; j < g->first[node + 1]; j++) {
		const struct pairs_edge *e = &g->edges[g->list[j]];
		uint32_t other = e->from == node ? e->to : e->from;

		if (e->explained || other == peer)
			continue;
		if (peer != UINT32_MAX)
			return true;
		peer = other;
	}
	return false;
}

/* The way in which @node is slow; false: in none. */
static bool slow_way(const struct pairs_graph *g, size_t node, enum pairs_way *way,
		     size_t *of)
{
	struct load l = load_of(g, node, 0);
	size_t all = l.n[0] + l.n[1];

	if (!mostly(l.low[0], l.n[0]) && !mostly(l.low[1], l.n[1]) &&
	    !mostly(l.low[0] + l.low[1], all))
		return false; /* seen at once for most nodes */
	l = load_of(g, node, pairs_limit(g, all));
	*way = PAIRS_BOTH;
	*of = all;
	if (!g->q->directed)
		return mostly(l.low[0] + l.low[1], all);
	if (mostly(l.low[0], l.n[0]) && mostly(l.low[1], l.n[1]))
		return true;
	for (int i = 0; i < 2; i++) {
		*way = i ? PAIRS_RECEIVES : PAIRS_SENDS;
		*of = l.n[i];
		l = load_of(g, node, pairs_limit(g, l.n[i]));
		if (mostly(l.low[i], l.n[i]))
			return true;
	}
	return false;
}

/*
 * The worst of @nodes, which are taken out of it when they are no longer slow. Explained
 * pairs are slow ones, so that a node is less slow without them: none has to be added.
 */
static bool explain_node(struct pairs_graph *g, uint32_t *nodes, size_t *n)
{
	struct pairs_finding best = {.kind = PAIRS_NODE};
	size_t kept = 0;
	double worst = 0;

	for (size_t i = 0; i < *n; i++) {
		enum pairs_way way;
		size_t of;
		double weight;

		if (!slow_way(g, nodes[i], &way, &of) || !has_peers(g, nodes[i]))
			continue;
		nodes[kept++] = nodes[i];
		/* of two that are slow with all, the slower: it may spoil the other's */
		weight = (double)of * (1 - fmin(g->out->share[nodes[i]], 1) / 2);
		if (weight <= worst)
			continue;
		worst = weight;
		best.a = nodes[i];
		best.way = way;
		best.of = of;
	}
	*n = kept;
	if (!kept)
		return false;
	pairs_add(g, &best);
	return true;
}

static void explain_nodes(struct pairs_graph *g)
{
	uint32_t *nodes = mem_calloc(g->q->nodes, sizeof(*nodes));
	size_t n = g->q->nodes;

	for (size_t i = 0; i < n; i++)
		nodes[i] = (uint32_t)i;
	while (explain_node(g, nodes, &n))
		;
	free(nodes);
}

/* The pair @e is the @node's first slow one with this other node. */
static bool is_first(const struct pairs_graph *g, size_t node, size_t j, double limit)
{
	const struct pairs_edge *e = &g->edges[g->list[j]];
	uint32_t other = e->from == node ? e->to : e->from;

	for (size_t k = g->first[node]; k < j; k++) {
		const struct pairs_edge *o = &g->edges[g->list[k]];

		if (!o->explained && o->x < -limit &&
		    (o->from == other || o->to == other))
			return false;
	}
	return true;
}

/* Slow pairs of @node, and all it has; *peers: with how many others they are. */
static struct load slow_pairs(const struct pairs_graph *g, size_t node, size_t *peers)
{
	double limit = pairs_limit(g, 1);
	struct load l = {{0}, {0}};

	*peers = 0;
	for (size_t j = g->first[node]; j < g->first[node + 1]; j++) {
		const struct pairs_edge *e = &g->edges[g->list[j]];
		int received = e->to == node;

		l.n[received]++;
		if (e->explained || e->x >= -limit)
			continue;
		l.low[received]++;
		*peers += is_first(g, node, j, limit);
	}
	return l;
}

/* The last finding is of a node that one speaks of already: then it is both ways. */
static void join_last(struct pairs *p)
{
	const struct pairs_finding *last = &p->findings[p->n - 1];

	for (size_t i = 0; i + 1 < p->n; i++) {
		struct pairs_finding *f = &p->findings[i];

		if (f->kind != PAIRS_NODE || f->a != last->a)
			continue;
		f->slow += last->slow;
		f->of = p->count[f->a];
		f->way = PAIRS_BOTH;
		p->n--;
		return;
	}
}

/*
 * A node that is in several of the slow pairs that are left, each with another: one fault
 * that shows at times, as loss of packets does, and not several links at once.
 */
static bool explain_star(struct pairs_graph *g)
{
	struct pairs_finding f = {.kind = PAIRS_NODE, .of = 1};
	size_t most = 0;

	for (size_t i = 0; i < g->q->nodes; i++) {
		size_t peers, slow;
		struct load l = slow_pairs(g, i, &peers);

		slow = l.low[0] + l.low[1];
		if (peers < STAR_FEWEST || slow <= most ||
		    (double)slow < STAR_SHARE * (double)(l.n[0] + l.n[1]))
			continue;
		most = slow;
		f.a = (uint32_t)i;
		f.way = !g->q->directed || (l.low[0] && l.low[1]) ? PAIRS_BOTH
			: l.low[0]                                ? PAIRS_SENDS
								  : PAIRS_RECEIVES;
	}
	if (!most)
		return false;
	pairs_add(g, &f);
	join_last(g->out);
	return true;
}

static struct pairs_edge *other_way(struct pairs_graph *g, const struct pairs_edge *e)
{
	for (size_t j = g->first[e->from]; j < g->first[e->from + 1]; j++) {
		struct pairs_edge *o = &g->edges[g->list[j]];

		if (o->from == e->to && o->to == e->from)
			return o;
	}
	return NULL;
}

static void explain_link(struct pairs_graph *g, struct pairs_edge *e)
{
	struct pairs_finding f = {
		.kind = PAIRS_LINK, .a = e->from, .b = e->to, .of = 1, .slow = 1};
	const struct pairs_edge *o = g->q->directed ? other_way(g, e) : NULL;

	if (o && o->x >= -pairs_limit(g, 1))
		f.way = PAIRS_SENDS;
	pairs_add(g, &f);
}

static void explain_links(struct pairs_graph *g)
{
	size_t slow = 0;

	for (size_t i = 0; i < g->n; i++) {
		slow += !g->edges[i].explained && g->edges[i].x < -pairs_limit(g, 1);
	}
	if (slow > SINGLE_FAULTS + g->q->nodes / NODES_A_FAULT) {
		g->out->left = slow;
		g->out->scattered = true;
		return;
	}
	for (size_t i = 0; i < g->n; i++) {
		if (!g->edges[i].explained && g->edges[i].x < -pairs_limit(g, 1))
			explain_link(g, &g->edges[i]);
	}
}

/* Nodes of which no finding speaks, and whose pairs are good. */
static void find_proven(const struct pairs_graph *g, bool *proven)
{
	for (size_t i = 0; i < g->q->nodes; i++)
		proven[i] = g->out->count[i] && log(g->out->share[i]) > -g->dev;
	for (size_t k = 0; k < g->out->n; k++) {
		const struct pairs_finding *f = &g->out->findings[k];

		if (f->kind == PAIRS_NODE || f->kind == PAIRS_LINK)
			proven[f->a] = false;
		if (f->kind == PAIRS_LINK)
			proven[f->b] = false;
		for (size_t i = 0; g->q->group && f->kind < PAIRS_NODE && i < g->q->nodes;
		     i++)
			proven[i] &= g->q->group[i] != f->a &&
				     (f->kind != PAIRS_BETWEEN || g->q->group[i] != f->b);
	}
}

/* The first proven node behind @node, of its own group or of another. */
static bool add_partner(const struct pairs_graph *g, struct pairs_finding *f,
			const bool *proven, bool other)
{
	for (size_t k = 1; k < g->q->nodes; k++) {
		uint32_t i = (uint32_t)((f->a + k) % g->q->nodes);

		if (!proven[i] || pairs_between(g->q, f->a, i) != other ||
		    (f->n_check && f->check[0].b == i))
			continue;
		f->check[f->n_check++] = (struct pairs_pair){f->a, i};
		return true;
	}
	return false;
}

static void find_partners(const struct pairs_graph *g)
{
	bool *proven = mem_calloc(g->q->nodes, sizeof(*proven));

	find_proven(g, proven);
	for (size_t k = 0; k < g->out->n; k++) {
		struct pairs_finding *f = &g->out->findings[k];

		if (f->kind != PAIRS_NODE)
			continue;
		/* two, one of them behind the same leaf: whatever is between them, then,
		 * it is not the leaf's uplinks */
		if (!add_partner(g, f, proven, false))
			(void)add_partner(g, f, proven, true);
		if (!add_partner(g, f, proven, true))
			(void)add_partner(g, f, proven, false);
	}
	free(proven);
}

void pairs_explain(struct pairs_graph *g)
{
	if (g->q->group) {
		while (pairs_explain_group(g))
			;
	}
	explain_nodes(g);
	if (g->q->group)
		pairs_explain_parts(g);
	while (explain_star(g))
		;
	explain_links(g);
	find_partners(g);
}
