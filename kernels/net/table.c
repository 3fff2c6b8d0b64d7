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

/* The samples of @metric for messages of @size bytes, @share as their `at` names it. */
static struct cell collect(const struct record *records, size_t n, const char *metric,
			   uint64_t size, const char *key, const char *share)
{
	struct arena a = {0};
	struct cell c = {0};

	for (size_t i = 0; i < n; i++) {
		const struct record_sample *s = &records[i].u.sample;

		if (records[i].kind != RECORD_KIND_sample ||
		    strcmp(s->metric, metric) != 0 ||
		    (size && record_json_num(s->at, "size") != (double)size) ||
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

static double middle(const struct record *records, size_t n, const char *metric,
		     uint64_t size, const char *key, const char *share)
{
	struct cell c = collect(records, n, metric, size, key, share);
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

static void row(const struct kit *k, const struct net *x, const struct record *r,
		size_t n, uint64_t size, int number, FILE *out)
{
	const struct net_test *t = x->test;
	struct cell c = collect(r, n, t->metric, size, NULL, NULL);
	char share[16], tail[64];

	(void)snprintf(tail, sizeof(tail), "%s_tail", t->metric);
	if (x->sizes.max)
		(void)fprintf(out, "%-10llu", (unsigned long long)size);
	else
		(void)fputs("  ", out);
	(void)fprintf(out, "%*.2f", WIDTH, shown(t, median(&c)));
	if (t->rate)
		(void)fprintf(out, "%*.2f", WIDTH,
			      middle(r, n, t->rate, size, NULL, NULL));
	if (t->collective)
		(void)fprintf(out, "%*.2f%*.2f%12d", WIDTH,
			      shown(t, middle(r, n, tail, size, "rank", "fastest")),
			      WIDTH,
			      shown(t, middle(r, n, tail, size, "rank", "slowest")),
			      net_how(k, x, size).turns);
	(void)fprintf(out, "%*s", WIDTH, x->wrong_sizes >> number & 1 ? "Fail" : "Pass");
	for (int i = 0; i < NET_SHARES; i++) {
		(void)snprintf(share, sizeof(share), "%d", net_shares[i]);
		(void)fprintf(out, "%*.2f", WIDTH,
			      shown(t, middle(r, n, tail, size, "percentile", share)));
	}
	(void)fprintf(out, "%*.1f\n", WIDTH, spread(&c));
	free(c.v);
}

void net_table(const struct kit *k, const struct net *x, const struct record *records,
	       size_t n, FILE *out)
{
	uint64_t size = x->sizes.min;
	int number = 0;

	(void)fprintf(out, "\n# assay-net %s: %d ranks, median of %d repetition%s",
		      x->test->name, k->ranks, x->repeat, x->repeat == 1 ? "" : "s");
	if (x->test->window)
		(void)fprintf(out, ", window size %d", x->window);
	(void)fputc('\n', out);
	header(x, out);
	do {
		row(k, x, records, n, size, number++, out);
		size = sizes_next(&x->sizes, size);
	} while (size);
}
