/* SPDX-License-Identifier: Apache-2.0 */
/* The plain table of a kernel run by hand. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "kernels/kit/kit.h"

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool alike(const struct record_sample *a, const struct record_sample *b)
{
	return a->rank == b->rank && same(a->peer, b->peer) &&
	       same(a->metric, b->metric) && same(a->at, b->at);
}

static int rising(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void row(const struct record_sample *s, double *v, size_t n, FILE *out)
{
	char least[UNITS_TEXT], middle[UNITS_TEXT], most[UNITS_TEXT];

	qsort(v, n, sizeof(*v), rising);
	(void)fprintf(out, "%-20s %-24s %4lld %5zu %12s %12s %12s\n", s->metric,
		      s->at ? s->at : "", (long long)s->rank, n,
		      units_format(least, sizeof(least), v[0], s->unit),
		      units_format(middle, sizeof(middle), v[n / 2], s->unit),
		      units_format(most, sizeof(most), v[n - 1], s->unit));
}

static bool is_sample(const struct record *r)
{
	return r->kind == RECORD_KIND_sample;
}

/* The row of records[i] and all samples like it, which are then @done. */
static void row_of(const struct record *records, size_t n, size_t i, bool *done,
		   double *v, FILE *out)
{
	size_t found = 0;

	for (size_t j = i; j < n; j++) {
		if (!is_sample(&records[j]) ||
		    !alike(&records[i].u.sample, &records[j].u.sample))
			continue;
		done[j] = true;
		v[found++] = records[j].u.sample.value.v;
	}
	row(&records[i].u.sample, v, found, out);
}

void kit_table(const struct kit *k, const struct record *records, size_t n, FILE *out)
{
	double *v = mem_calloc(n + 1, sizeof(*v));
	bool *done = mem_calloc(n + 1, sizeof(*done));
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		if (!is_sample(&records[i]) || done[i])
			continue;
		if (!any)
			(void)fprintf(out,
				      "assay-%s: %d rank%s, %d thread%s a rank\n\n"
				      "%-20s %-24s %4s %5s %12s %12s %12s\n",
				      k->kernel->name, k->ranks, k->ranks == 1 ? "" : "s",
				      k->threads, k->threads == 1 ? "" : "s", "metric",
				      "at", "rank", "n", "min", "median", "max");
		any = true;
		row_of(records, n, i, done, v, out);
	}
	for (size_t i = 0; i < n; i++) {
		const struct record_valid *c = &records[i].u.valid;

		if (records[i].kind == RECORD_KIND_valid)
			(void)fprintf(out, "%s: %.3g, limit %.3g: %s%s%s\n", c->check,
				      c->value.v, c->limit.v, c->ok ? "ok" : "FAILED",
				      c->text ? ": " : "", c->text ? c->text : "");
	}
	free(v);
	free(done);
}
