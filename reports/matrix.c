/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices of NUMA domains: see matrix.h. */
#include "reports/matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "judge/series.h"
#include "judge/stats.h"

enum { MAX_MATRICES = 6, NAME_COLUMNS = 60 };

/* Where a value belongs; threads -1: the metric has none. */
struct place {
	int cpus, memory;
	double threads;
	bool is;
};

/* One pair of domains: a value of each node, with most threads that were tried. */
struct cell {
	int cpus, memory;
	double threads;
	double *values;
	size_t n, cap;
};

struct matrix {
	const struct series *first;
	struct cell *cells;
	size_t n, cap;
};

struct matrices {
	struct names keys, places, nodes;
	struct matrix *items;
	struct place *by_place;
	size_t cap, cap_places;
};

/* @at is one of few texts: each is read once. */
static const struct place *place_of(struct matrices *m, const char *at)
{
	bool fresh;
	size_t i = names_add(&m->places, at, &fresh);
	struct place *p;
	double cpus, memory, threads;

	mem_grow(&m->by_place, &m->cap_places, i + 1, sizeof(*m->by_place));
	p = &m->by_place[i];
	if (!fresh)
		return p;
	cpus = record_json_num(at, "domain");
	memory = record_json_num(at, "mem_domain");
	threads = record_json_num(at, "threads");
	p->is = cpus >= 0 && cpus < 1e6 && memory >= 0 && memory < 1e6;
	if (p->is)
		*p = (struct place){(int)cpus, (int)memory, isnan(threads) ? -1 : threads,
				    true};
	return p;
}

static struct cell *cell_of(struct matrix *x, int cpus, int memory)
{
	for (size_t i = 0; i < x->n; i++) {
		if (x->cells[i].cpus == cpus && x->cells[i].memory == memory)
			return &x->cells[i];
	}
	return NULL;
}

static void add_value(struct matrix *x, const struct place *p, double value)
{
	struct cell *c = cell_of(x, p->cpus, p->memory);

	if (!c) {
		mem_grow(&x->cells, &x->cap, x->n + 1, sizeof(*x->cells));
		c = &x->cells[x->n++];
		c->cpus = p->cpus;
		c->memory = p->memory;
		c->threads = p->threads;
	}
	if (p->threads < c->threads)
		return;
	if (p->threads > c->threads)
		c->n = 0;
	c->threads = p->threads;
	mem_grow(&c->values, &c->cap, c->n + 1, sizeof(*c->values));
	c->values[c->n++] = value;
}

static void collect(struct matrices *m, const struct summary *s)
{
	struct strbuf key = {0};

	for (size_t i = 0; i < s->n_nodes; i++)
		(void)names_add(&m->nodes, s->nodes[i].name, NULL);
	for (size_t i = 0; i < s->n_series; i++) {
		const struct series *series = &s->series[i];
		const struct place *p =
			series->at && series->node ? place_of(m, series->at) : NULL;
		struct matrix *x;
		size_t node, k;
		bool fresh;

		if (!p || !p->is)
			continue;
		node = names_find(&m->nodes, series->node);
		strbuf_reset(&key);
		strbuf_addf(
			&key, "%s\n%s\n%s", series->name ? series->name : "",
			series->metric,
			node != NAMES_NONE && s->nodes[node].class ? s->nodes[node].class
								   : series->node);
		k = names_add(&m->keys, strbuf_str(&key), &fresh);
		mem_grow(&m->items, &m->cap, k + 1, sizeof(*m->items));
		x = &m->items[k];
		if (fresh)
			x->first = series;
		add_value(x, p, series->value);
	}
	strbuf_release(&key);
}

static int rising(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Numbers of domains in their order, each once. free() them. */
static int *ids(const struct matrix *x, bool of_memory, size_t *n)
{
	int *all = mem_calloc(x->n + 1, sizeof(*all));

	*n = 0;
	for (size_t i = 0; i < x->n; i++)
		all[i] = of_memory ? x->cells[i].memory : x->cells[i].cpus;
	qsort(all, x->n, sizeof(*all), rising);
	for (size_t i = 0; i < x->n; i++) {
		if (!i || all[i] != all[*n - 1])
			all[(*n)++] = all[i];
	}
	return all;
}

/* Rates in GB/s and times in ns, so that a number is a few characters. */
static const char *scaled(const char *unit, double *value)
{
	*value *= !strcmp(unit, "B/s") ? 1e-9 : !strcmp(unit, "s") ? 1e9 : 1;
	return !strcmp(unit, "B/s") ? "GB/s" : !strcmp(unit, "s") ? "ns" : unit;
}

static void cell_text(const struct matrix *x, struct cell *c, char *text, size_t size)
{
	double v;

	(void)snprintf(text, size, "-");
	if (!c || !c->n)
		return;
	v = stats_median(c->values, stats_sort(c->values, c->n));
	(void)scaled(x->first->unit, &v);
	(void)snprintf(text, size, v < 99.95 ? "%.1f" : "%.0f", v);
}

static void add_head(struct term *t, const struct matrix *x)
{
	struct strbuf text = {0};
	double one = 1;
	size_t nodes = 0;

	for (size_t i = 0; i < x->n; i++)
		nodes = x->cells[i].n > nodes ? x->cells[i].n : nodes;
	term_clean(t, &text, x->first->metric, NAME_COLUMNS);
	strbuf_addf(&text, " in %s", scaled(x->first->unit, &one));
	if (x->cells[0].threads > 0)
		strbuf_addf(&text, ", %.0f thread%s", x->cells[0].threads,
			    x->cells[0].threads == 1 ? "" : "s");
	if (nodes > 1)
		strbuf_addf(&text, ", median of %zu like nodes", nodes);
	else
		strbuf_addf(&text, ", %s", x->first->node);
	term_pad(t, 2);
	term_wrap(t, 4, strbuf_str(&text));
	term_end(t);
	strbuf_release(&text);
}

/* A right-aligned word that ends before column @end. */
static void add_right(struct term *t, size_t end, const char *text)
{
	const size_t len = strlen(text);

	term_pad(t, end > len ? end - len : 0);
	strbuf_addstr(&t->out, text);
	t->column += len;
}

static void add_matrix(struct term *t, struct matrix *x)
{
	enum { LABEL = 12 };
	size_t n_rows, n_columns, shown, width = 4;
	int *rows = ids(x, false, &n_rows), *columns = ids(x, true, &n_columns);
	char text[48];

	for (size_t i = 0; i < x->n; i++) {
		cell_text(x, &x->cells[i], text, sizeof(text));
		width = strlen(text) + 1 > width ? strlen(text) + 1 : width;
	}
	shown = ((size_t)t->style.width - LABEL) / width;
	shown = shown < n_columns ? shown : n_columns;
	add_head(t, x);
	add_right(t, LABEL, "CPUs\\mem");
	for (size_t m = 0; m < shown; m++) {
		(void)snprintf(text, sizeof(text), "%d", columns[m]);
		add_right(t, LABEL + (m + 1) * width, text);
	}
	term_end(t);
	for (size_t c = 0; c < n_rows; c++) {
		(void)snprintf(text, sizeof(text), "%d", rows[c]);
		add_right(t, LABEL, text);
		for (size_t m = 0; m < shown; m++) {
			cell_text(x, cell_of(x, rows[c], columns[m]), text, sizeof(text));
			add_right(t, LABEL + (m + 1) * width, text);
		}
		term_end(t);
	}
	if (shown < n_columns) {
		term_pad(t, 4);
		term_wrapf(t, 4, "and %zu more columns on a wider screen",
			   n_columns - shown);
		term_end(t);
	}
	free(rows);
	free(columns);
}

void matrix_add(struct term *t, const struct summary *s)
{
	struct matrices m = {0};
	size_t shown = 0, left = 0;

	collect(&m, s);
	for (size_t k = 0; k < m.keys.n; k++) {
		/* a single cell is a row of the table, or nothing to compare */
		if (m.items[k].n < 2)
			continue;
		if (shown == MAX_MATRICES) {
			left++;
			continue;
		}
		if (!shown++)
			term_title(t, "NUMA: CPUs (rows) on memory");
		add_matrix(t, &m.items[k]);
	}
	if (left) {
		term_pad(t, 2);
		term_wrapf(t, 2, "and %zu more", left);
		term_end(t);
	}
	for (size_t k = 0; k < m.keys.n; k++) {
		for (size_t i = 0; i < m.items[k].n; i++)
			free(m.items[k].cells[i].values);
		free(m.items[k].cells);
	}
	free(m.items);
	free(m.by_place);
	names_release(&m.keys);
	names_release(&m.places);
	names_release(&m.nodes);
}
