/* SPDX-License-Identifier: Apache-2.0 */
/* Like verdicts as rows: see rows.h. */
#include "reports/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

double row_deviation(const struct verdict *v)
{
	double d;

	if (!v->value.set || !v->reference.set || !isfinite(v->value.v) ||
	    !isfinite(v->reference.v) || v->reference.v == 0)
		return 0;
	d = (v->reference.v - v->value.v) / fabs(v->reference.v);
	if (v->low.set)
		return d;
	return v->high.set ? -d : fabs(d);
}

bool row_worse(const struct verdict *a, const struct verdict *b)
{
	if (a->word != b->word)
		return a->word < b->word;
	return row_deviation(a) > row_deviation(b);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Median of @n numbers, which it sorts. */
static struct row_num middle(double *v, size_t n)
{
	struct row_num m = {.set = n > 0};

	for (size_t i = 1; i < n && !m.differs; i++)
		m.differs = v[i] != v[0];
	if (m.differs)
		qsort(v, n, sizeof(*v), by_value);
	if (n)
		m.v = n % 2 ? v[n / 2] : v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
	return m;
}

/* Median of the number at @offset of each verdict of @r. */
static struct row_num member(const struct row *r, size_t offset, double *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct record_num *num =
			(const void *)((const char *)r->verdicts[i] + offset);

		if (num->set && isfinite(num->v))
			scratch[n++] = num->v;
	}
	return middle(scratch, n);
}

static struct row_num share(const struct row *r, double *scratch)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct verdict *v = r->verdicts[i];
		double x = verdict_share(v);

		if (isfinite(x))
			scratch[n++] = x;
	}
	return middle(scratch, n);
}

static void fill(struct row *r, double *scratch)
{
	r->value = member(r, offsetof(struct verdict, value), scratch);
	r->reference = member(r, offsetof(struct verdict, reference), scratch);
	r->low = member(r, offsetof(struct verdict, low), scratch);
	r->high = member(r, offsetof(struct verdict, high), scratch);
	r->share = share(r, scratch);
}

/* Number of the row @v belongs to; the row is new when it is the first of its kind. */
static size_t row_of(struct rows *rows, const struct verdict *v, struct strbuf *key)
{
	const char *const parts[] = {v->name, v->metric, v->at,
				     v->rule, v->unit,   v->from};
	bool fresh;
	size_t k;

	strbuf_reset(key);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i])
			strbuf_addstr(key, parts[i]);
		strbuf_addch(key, '\n');
	}
	k = names_add(&rows->keys, key->buf, &fresh);
	if (fresh) {
		mem_grow(&rows->items, &rows->cap, k + 1, sizeof(*rows->items));
		rows->n = k + 1;
		rows->items[k].step =
			names_add(&rows->steps, v->name ? v->name : "", NULL);
	}
	return k;
}

void rows_collect(struct rows *rows, const struct summary *s)
{
	uint32_t *row_at = mem_calloc(s->n_verdicts + 1, sizeof(*row_at));
	double *scratch = mem_calloc(s->n_verdicts + 1, sizeof(*scratch));
	struct strbuf key = {0};
	size_t first = 0;

	memset(rows, 0, sizeof(*rows));
	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];
		size_t k = row_of(rows, v, &key);
		struct row *r = &rows->items[k];

		row_at[i] = (uint32_t)k;
		if (!r->worst || row_worse(v, r->worst))
			r->worst = v;
		r->counts[v->word]++;
		r->n++;
	}
	rows->order = mem_calloc(s->n_verdicts + 1, sizeof(*rows->order));
	for (size_t k = 0; k < rows->n; k++) {
		rows->items[k].verdicts = rows->order + first;
		first += rows->items[k].n;
		rows->items[k].n = 0;
	}
	for (size_t i = 0; i < s->n_verdicts; i++) {
		struct row *r = &rows->items[row_at[i]];

		rows->order[(size_t)(r->verdicts - rows->order) + r->n++] =
			&s->verdicts[i];
	}
	for (size_t k = 0; k < rows->n; k++)
		fill(&rows->items[k], scratch);
	strbuf_release(&key);
	free(scratch);
	free(row_at);
}

void rows_release(struct rows *rows)
{
	names_release(&rows->keys);
	names_release(&rows->steps);
	free(rows->items);
	free(rows->order);
	memset(rows, 0, sizeof(*rows));
}
