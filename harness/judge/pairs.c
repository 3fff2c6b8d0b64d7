/* SPDX-License-Identifier: Apache-2.0 */
/* From what pairs reached to shares of what good pairs reach: see pairs.h. */
#include "judge/pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/pairs_graph.h"
#include "judge/stats.h"

/* As in peers.c: false alarms of a clean fabric, and what weighs the expected spread. */
#define FALSE_ALARMS     0.01
#define MAD_FREEDOM      0.37
#define EXPECTED_FREEDOM 8.0
#define EXPECTED_SIGMAS  3.0
/* Standard deviation of a quartile of normal values, times sqrt(n) (Stuart and Ord). */
#define QUARTILE 1.36
/* A single link is measured so often again, and at most. */
enum { LINK_CHECKS = 2, LINK_MOST = 4 };
/* Of so many good pairs that are the best the least is what chance can do to one pair. */
enum { TAIL = 3 };
/* MAD of normal values to their standard deviation. */
#define MAD_SIGMA 1.4826

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

bool pairs_between(const struct pairs_question *q, uint32_t a, uint32_t b)
{
	return q->group && q->group[a] != PAIRS_NO_GROUP &&
	       q->group[b] != PAIRS_NO_GROUP && q->group[a] != q->group[b];
}

static bool of_way(const struct pairs_finding *f, bool from, bool to)
{
	return (from && f->way != PAIRS_RECEIVES) || (to && f->way != PAIRS_SENDS);
}

static bool concerns_group(const struct pairs_finding *f, uint32_t from, uint32_t to)
{
	if (f->kind == PAIRS_BETWEEN)
		return (from == f->a && to == f->b) || (from == f->b && to == f->a);
	if (f->kind == PAIRS_LEAF)
		return from == f->a || to == f->a;
	return from != to && from != PAIRS_NO_GROUP && to != PAIRS_NO_GROUP &&
	       of_way(f, from == f->a, to == f->a);
}

bool pairs_concerns(const struct pairs_question *q, const struct pairs_finding *f,
		    uint32_t from, uint32_t to)
{
	if (f->kind == PAIRS_NODE)
		return of_way(f, from == f->a, to == f->a);
	if (f->kind == PAIRS_LINK)
		return (from == f->a && to == f->b) ||
		       (f->way == PAIRS_BOTH && from == f->b && to == f->a);
	return q->group && concerns_group(f, q->group[from], q->group[to]);
}

static enum pairs_state settle_link(size_t slow, size_t checked)
{
	if (checked < LINK_CHECKS)
		return PAIRS_MORE;
	if (slow == checked)
		return PAIRS_CONFIRMED;
	if (!slow)
		return PAIRS_CLEARED;
	if (checked < LINK_MOST)
		return PAIRS_MORE;
	return 2 * slow > checked ? PAIRS_UNSTEADY : PAIRS_CLEARED;
}

bool pairs_at_times(const struct pairs_finding *f)
{
	return 4 * f->slow < 3 * f->of;
}

enum pairs_state pairs_settle(const struct pairs_finding *f, size_t slow, size_t checked)
{
	if (f->kind == PAIRS_LINK)
		return settle_link(slow, checked);
	if (checked < f->n_check)
		return PAIRS_MORE;
	if (slow == checked || (f->kind < PAIRS_NODE && 3 * slow >= 2 * checked) ||
	    (slow && pairs_at_times(f)))
		return PAIRS_CONFIRMED;
	return slow ? PAIRS_UNSTEADY : PAIRS_CLEARED;
}

static bool usable(const struct pairs_value *v)
{
	return v->value > 0 && stats_usable(v->value);
}

/* Logarithm that grows with goodness. */
static double good(const struct pairs_question *q, double value)
{
	return q->higher ? log(value) : -log(value);
}

/*
 * Of bandwidths all pairs are compared: a port's rate does not depend on the way. Of
 * latencies those between groups are apart.
 */
static size_t class_of(const struct pairs_question *q, bool between)
{
	return !q->higher && between;
}

static void copy_values(struct pairs_graph *g, const struct pairs_value *v, size_t n)
{
	g->edges = mem_calloc(n, sizeof(*g->edges));
	for (size_t i = 0; i < n; i++) {
		struct pairs_edge *e = &g->edges[g->n];

		if (v[i].from >= g->q->nodes || v[i].to >= g->q->nodes ||
		    v[i].from == v[i].to)
			continue;
		e->from = v[i].from;
		e->to = v[i].to;
		e->between = pairs_between(g->q, e->from, e->to);
		e->x = usable(&v[i]) ? good(g->q, v[i].value) : -INFINITY;
		g->n++;
	}
}

static void index_nodes(struct pairs_graph *g)
{
	size_t *next;

	g->first = mem_calloc(g->q->nodes + 1, sizeof(*g->first));
	g->list = mem_calloc(2 * g->n, sizeof(*g->list));
	next = mem_calloc(g->q->nodes + 1, sizeof(*next));
	for (size_t i = 0; i < g->n; i++) {
		g->first[g->edges[i].from + 1]++;
		g->first[g->edges[i].to + 1]++;
	}
	for (size_t i = 0; i < g->q->nodes; i++)
		g->first[i + 1] += g->first[i];
	memcpy(next, g->first, (g->q->nodes + 1) * sizeof(*next));
	for (size_t i = 0; i < g->n; i++) {
		g->list[next[g->edges[i].from]++] = (uint32_t)i;
		g->list[next[g->edges[i].to]++] = (uint32_t)i;
	}
	free(next);
}

/* The better one of the middle where there are two. */
static double better_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), ascending);
	return v[n / 2];
}

/* Median over the nodes of each node's own; NaN when no pair of this class is there. */
static double reference(struct pairs_graph *g, size_t class)
{
	double *medians = mem_calloc(g->q->nodes, sizeof(*medians)), x = NAN;
	size_t n = 0;

	for (size_t i = 0; i < g->q->nodes; i++) {
		size_t k = 0;

		for (size_t j = g->first[i]; j < g->first[i + 1]; j++) {
			const struct pairs_edge *e = &g->edges[g->list[j]];

			if (class_of(g->q, e->between) == class)
				g->room[k++] = e->x;
		}
		if (k)
			medians[n++] = better_median(g->room, k);
	}
	if (n)
		x = better_median(medians, n);
	free(medians);
	return isfinite(x) ? x : NAN;
}

static void take_references(struct pairs_graph *g)
{
	double x[2] = {reference(g, 0), reference(g, 1)};

	for (int i = 0; i < 2; i++) {
		double own = isnan(x[i]) ? x[!i] : x[i];

		g->out->reference[i] = isnan(own) ? 0 : exp(g->q->higher ? own : -own);
		x[i] = isnan(own) ? 0 : own;
	}
	for (size_t i = 0; i < g->n; i++) {
		struct pairs_edge *e = &g->edges[i];

		e->x = fmax(e->x - x[class_of(g->q, e->between)], PAIRS_NOTHING);
	}
}

/* The spread of good pairs from those that are better, and what chance explains by it. */
static void take_spread(struct pairs_graph *g)
{
	double expected, sigma, freedom;
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		if (g->edges[i].x > 0)
			g->room[n++] = g->edges[i].x;
	}
	qsort(g->room, n, sizeof(*g->room), ascending);
	sigma = n ? MAD_SIGMA * stats_median(g->room, n) : 0;
	freedom = MAD_FREEDOM * 2 * (double)n;
	expected = g->dev / EXPECTED_SIGMAS;
	sigma = sqrt((EXPECTED_FREEDOM * expected * expected + freedom * sigma * sigma) /
		     (EXPECTED_FREEDOM + freedom));
	freedom += EXPECTED_FREEDOM;
	g->out->sigma = sigma;
	g->chance = sigma * stats_student(FALSE_ALARMS / (fmax((double)g->n, 1) *
							  fmax((double)g->q->tests, 1)),
					  freedom);
	/* noise with heavy tails has them on the good side, too */
	g->tail = n > (size_t)2 * TAIL ? g->room[n - TAIL] : 0;
	g->out->limit = exp(-pairs_limit(g, 1));
}

double pairs_limit(const struct pairs_graph *g, size_t n)
{
	if (n < 2)
		return fmax(fmax(g->dev, g->chance), g->tail);
	return fmax(g->dev, g->chance * fmin(QUARTILE / sqrt((double)n), 1));
}

static void tell_nodes(struct pairs_graph *g)
{
	struct pairs *p = g->out;

	p->share = mem_calloc(g->q->nodes, sizeof(*p->share));
	p->count = mem_calloc(g->q->nodes, sizeof(*p->count));
	for (size_t i = 0; i < g->q->nodes; i++) {
		size_t n = 0;

		for (size_t j = g->first[i]; j < g->first[i + 1]; j++)
			g->room[n++] = g->edges[g->list[j]].x;
		p->count[i] = n;
		if (n)
			p->share[i] = exp(better_median(g->room, n));
	}
}

void pairs_judge(struct pairs *p, const struct pairs_value *v, size_t n,
		 const struct pairs_question *q)
{
	struct pairs_graph g = {.q = q, .out = p};

	memset(p, 0, sizeof(*p));
	g.dev = -log1p(-fmin(q->min_deviation, 0.99));
	g.room = mem_calloc(2 * n + 1, sizeof(*g.room));
	copy_values(&g, v, n);
	index_nodes(&g);
	take_references(&g);
	take_spread(&g);
	tell_nodes(&g);
	/* where nothing arrived anywhere there is nothing to compare with */
	if (p->reference[0] > 0)
		pairs_explain(&g);
	free(g.edges);
	free(g.first);
	free(g.list);
	free(g.room);
}

void pairs_release(struct pairs *p)
{
	free(p->findings);
	free(p->share);
	free(p->count);
	memset(p, 0, sizeof(*p));
}

double pairs_share(const struct pairs *p, const struct pairs_question *q, double value,
		   bool between)
{
	double reference = p->reference[class_of(q, between)];

	if (!(value > 0) || !(reference > 0))
		return 0;
	return q->higher ? value / reference : reference / value;
}
