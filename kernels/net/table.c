/* SPDX-License-Identifier: Apache-2.0 */
/* The table of sizes, by the columns and units that users of OSU and their scripts know.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/net/net.h"

/* Columns of numbers are right-aligned in so many characters; the first has ten. */
enum { WIDTH = 20 };

/* Values of one column and size in all repetitions, rising. */
struct cell {
	double *v;
	size_t n, cap;
};

static int rising(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* What a row is about. */
struct row {
	const struct record *records;
	size_t n;
	const struct net_place *place;
	uint64_t size;
	int number;
};

static bool at_place(const struct net_place *p, const char *at, struct arena *a)
{
	const char *key = strncmp(p->at, "\"domain\"", 8) ? "locality" : "domain";

	return !p->at[0] || !strcmp(record_json_text(a, at, key), p->value);
}

/* The samples of @metric for the row, @share as their `at` names it. */
static struct cell collect(const struct row *r, const char *metric, const char *key,
			   const char *share)
{
	struct arena a = {0};
	struct cell c = {0};

	for (size_t i = 0; i < r->n; i++) {
		const struct record_sample *s = &r->records[i].u.sample;

		if (r->records[i].kind != RECORD_KIND_sample ||
		    strcmp(s->metric, metric) != 0 || !at_place(r->place, s->at, &a) ||
		    (r->size && record_json_num(s->at, "size") != (double)r->size) ||
		    (key && strcmp(record_json_text(&a, s->at, key), share) != 0))
			continue;
		mem_grow(&c.v, &c.cap, c.n + 1, sizeof(*c.v));
		c.v[c.n++] = s->value.v;
	}
	if (c.n)
		qsort(c.v, c.n, sizeof(*c.v), rising);
	arena_release(&a);
	return c;
}

static double median(const struct cell *c)
{
	if (!c->n)
		return 0;
	return c->n % 2 ? c->v[c->n / 2] : (c->v[c->n / 2 - 1] + c->v[c->n / 2]) / 2;
}

static double middle(const struct row *r, const char *metric, const char *key,
		     const char *share)
{
	struct cell c = collect(r, metric, key, share);
	const double m = median(&c);

	free(c.v);
	return m;
}

/* Times are shown in us, bytes a second in MB/s (10^6). */
static double shown(const struct net_test *t, double value)
{
	return t->bandwidth ? value / 1e6 : value * 1e6;
}

static void header(const struct net *x, FILE *out)
{
	const struct net_test *t = x->test;
	const char *tail = t->bandwidth ? "Tail BW(MB/s)" : "Tail Lat(us)";

	if (x->sizes.max)
		(void)fprintf(out, "%-10s", "# Size");
	else
		(void)fputs("# ", out);
	(void)fprintf(out, "%*s", WIDTH,
		      t->rate        ? "MB/s"
		      : t->bandwidth ? "Bandwidth (MB/s)"
				     : "Avg Latency(us)");
	if (t->rate)
		(void)fprintf(out, "%*s", WIDTH, "Messages/s");
	if (t->collective)
		(void)fprintf(out, "%*s%*s%12s", WIDTH, "Min Latency(us)", WIDTH,
			      "Max Latency(us)", "Iterations");
	(void)fprintf(out, "%*s", WIDTH, "Validation");
	for (int i = 0; i < NET_SHARES; i++)
		(void)fprintf(out, "%*sP%d %s", WIDTH - 4 - (int)strlen(tail), "",
			      net_shares[i], tail);
	(void)fprintf(out, "%*s\n", WIDTH, "Spread(%)");
}

/* (largest - smallest) / median of the repetitions, in percent. */
static double spread(const struct cell *c)
{
	const double m = median(c);

	return c->n && m > 0 ? (c->v[c->n - 1] - c->v[0]) / m * 100 : 0;
}

static void print_row(const struct net *x, const struct row *r, FILE *out)
{
	const struct net_test *t = x->test;
	struct cell c = collect(r, t->metric, NULL, NULL);
	char share[16], tail[64];

	(void)snprintf(tail, sizeof(tail), "%s_tail", t->metric);
	if (x->sizes.max)
		(void)fprintf(out, "%-10llu", (unsigned long long)r->size);
	else
		(void)fputs("  ", out);
	(void)fprintf(out, "%*.2f", WIDTH, shown(t, median(&c)));
	if (t->rate)
		(void)fprintf(out, "%*.2f", WIDTH, middle(r, t->rate, NULL, NULL));
	if (t->collective)
		(void)fprintf(out, "%*.2f%*.2f%12d", WIDTH,
			      shown(t, middle(r, tail, "rank", "fastest")), WIDTH,
			      shown(t, middle(r, tail, "rank", "slowest")),
			      net_how(x, r->size).turns);
	(void)fprintf(out, "%*s", WIDTH,
		      x->wrong_sizes >> r->number & 1 ? "Fail" : "Pass");
	for (int i = 0; i < NET_SHARES; i++) {
		(void)snprintf(share, sizeof(share), "%d", net_shares[i]);
		(void)fprintf(out, "%*.2f", WIDTH,
			      shown(t, middle(r, tail, "percentile", share)));
	}
	(void)fprintf(out, "%*.1f\n", WIDTH, spread(&c));
	free(c.v);
}

static void print_place(const struct net *x, struct row r, FILE *out)
{
	if (r.place->at[0])
		(void)fprintf(out, "# %s%s: NUMA domain %d of the first node, %s\n",
			      strncmp(r.place->at, "\"domain\"", 8) ? "" : "domain ",
			      r.place->value, r.place->id, x->device);
	header(x, out);
	r.size = x->sizes.min;
	do {
		print_row(x, &r, out);
		r.size = sizes_next(&x->sizes, r.size);
		r.number++;
	} while (r.size);
}

void net_table(const struct kit *k, const struct net *x, const struct record *records,
	       size_t n, FILE *out)
{
	struct row r = {.records = records, .n = n};
	bool measured = false;

	for (size_t i = 0; i < n; i++)
		measured = measured || records[i].kind == RECORD_KIND_sample;
	if (!measured)
		return; /* it did not run; why is on stderr */

	(void)fprintf(out, "\n# assay-net %s: %d ranks, median of %d repetition%s",
		      x->test->name, k->ranks, x->repeat, x->repeat == 1 ? "" : "s");
	if (x->test->window)
		(void)fprintf(out, ", window size %d", x->window);
	(void)fputc('\n', out);
	for (int i = 0; i < x->n_places; i++) {
		r.place = &x->places[i];
		print_place(x, r, out);
	}
	for (size_t i = 0; i < n; i++) {
		const struct record_sample *s = &records[i].u.sample;

		if (records[i].kind == RECORD_KIND_sample &&
		    !strcmp(s->metric, "net.remote"))
			(void)fprintf(out, "# far from %s: %+.1f %%\n", x->device,
				      (s->value.v - 1) * 100);
	}
}
