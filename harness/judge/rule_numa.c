/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `numa`: does what was measured between NUMA domains agree with the topology? Own
 * memory has to be the nearest, and domains that differ have to differ: if not, numbers
 * of domains are wrong, or memory is interleaved behind them, and a program that places
 * its memory by them gains nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/rule.h"

/* Other memory may seem this much better than the own one by chance. */
#define CHANCE 0.05
/* Cells that differ by less are alike: the nearest neighbours differ by a tenth. */
#define ALIKE 0.03

/* One pair of domains, with as many threads as were tried. */
struct cell {
	int cpus, memory; /* ids of the domains */
	double threads;   /* -1: a metric without */
	const struct series *series;
};

/* The matrix of one metric of one step on one node. */
struct matrix {
	struct cell *cells;
	size_t n, cap;
};

static void add(struct matrix *m, const struct series *s)
{
	const double cpus = record_json_num(s->at, "domain");
	const double memory = record_json_num(s->at, "mem_domain");
	const double threads = record_json_num(s->at, "threads");
	struct cell c = {(int)cpus, (int)memory, isnan(threads) ? -1 : threads, s};

	if (isnan(cpus) || isnan(memory) || !(s->value > 0))
		return;
	for (size_t i = 0; i < m->n; i++) {
		if (m->cells[i].cpus != c.cpus || m->cells[i].memory != c.memory)
			continue;
		if (c.threads > m->cells[i].threads)
			m->cells[i] = c;
		return;
	}
	mem_grow(&m->cells, &m->cap, m->n + 1, sizeof(*m->cells));
	m->cells[m->n++] = c;
}

static const struct cell *own_of(const struct matrix *m, int cpus)
{
	for (size_t i = 0; i < m->n; i++) {
		if (m->cells[i].cpus == cpus && m->cells[i].memory == cpus)
			return &m->cells[i];
	}
	return NULL;
}

/* What was found. */
struct finding {
	const struct cell *nearer; /* than the own memory, the most so; or NULL */
	double nearer_by;
	double farthest;     /* ratio to the own memory, 1 and more */
	double low, high;    /* of all values */
	size_t domains, far; /* with memory of their own; cells of other domains */
};

static struct finding look(const struct matrix *m)
{
	struct finding f = {.farthest = 1, .low = INFINITY};

	for (size_t i = 0; i < m->n; i++) {
		const struct cell *c = &m->cells[i], *own = own_of(m, c->cpus);
		const double v = c->series->value;
		double farther;

		f.low = v < f.low ? v : f.low;
		f.high = v > f.high ? v : f.high;
		if (c == own)
			f.domains++;
		if (!own || c == own)
			continue;
		f.far++;
		farther = c->series->declared->higher ? own->series->value / v
						      : v / own->series->value;
		f.farthest = farther > f.farthest ? farther : f.farthest;
		if (1 / farther > 1 + CHANCE && 1 / farther > f.nearer_by) {
			f.nearer = c;
			f.nearer_by = 1 / farther;
		}
	}
	return f;
}

static void say_nearer(struct strbuf *why, const struct matrix *m, const struct cell *c)
{
	strbuf_addf(why, "CPUs of NUMA domain %d get ", c->cpus);
	rule_add_value(why, c->series->value, c->series->unit);
	strbuf_addf(why, " from memory of domain %d, ", c->memory);
	rule_add_value(why, own_of(m, c->cpus)->series->value, c->series->unit);
	strbuf_addstr(why, " from their own: check numbers of domains (SRAT), memory "
			   "interleaving and DIMMs of the domain");
}

static void judge_matrix(struct summary *out, const struct matrix *m)
{
	const struct finding f = look(m);
	struct strbuf why = {0};
	struct verdict *v;

	if (!f.far || f.domains < 2)
		return;
	v = rule_series_verdict(out, "numa", m->cells[0].series);
	v->at = NULL;
	v->value = record_num(f.farthest);
	v->unit = "ratio";
	v->word = VERDICT_WARN;
	if (f.nearer) {
		say_nearer(&why, m, f.nearer);
		v->at = f.nearer->series->at;
	} else if (f.high < f.low * (1 + ALIKE)) {
		strbuf_addf(&why,
			    "all %zu pairs of NUMA domains are alike within %.2g %%: "
			    "memory is interleaved behind them, or they are no real ones",
			    m->n, 100 * (f.high / f.low - 1));
	} else {
		v->word = VERDICT_PASS;
		strbuf_addf(&why,
			    "own memory is the nearest for the CPUs of all %zu domains; "
			    "the farthest is %.3g times as far",
			    f.domains, f.farthest);
	}
	v->why = arena_strndup(&out->arena, why.buf, why.len);
	strbuf_release(&why);
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Series of one step, node and metric are neighbours: see series.h. */
int rule_numa_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	static const char *const metrics[] = {"numa.read", "numa.triad", "numa.latency"};

	(void)e;
	for (size_t i = 0; i < in->n_series;) {
		const struct series *first = &in->series[i];
		struct matrix m = {0};
		bool mine = false;
		size_t k = i;

		for (size_t j = 0; j < sizeof(metrics) / sizeof(metrics[0]); j++)
			mine = mine || !strcmp(first->metric, metrics[j]);
		for (; k < in->n_series && same(in->series[k].key, first->key) &&
		       same(in->series[k].node, first->node) &&
		       !strcmp(in->series[k].metric, first->metric);
		     k++) {
			if (mine && in->series[k].declared && in->series[k].at)
				add(&m, &in->series[k]);
		}
		if (m.n)
			judge_matrix(out, &m);
		free(m.cells);
		i = k;
	}
	return 0;
}
