/* SPDX-License-Identifier: Apache-2.0 */
/* Results for people: see text.h. */
#include "kernels/hpl/text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

static const char rule[] = "------------------------------------------------------------"
			   "--------------------\n";

/* The @i-th sample of @metric of rank @rank (-1: of any), or NULL. */
static const struct record_sample *sample(const struct record *r, size_t n,
					  const char *metric, int64_t rank, size_t i)
{
	for (size_t j = 0; j < n; j++) {
		const struct record_sample *s = &r[j].u.sample;

		if (r[j].kind == RECORD_KIND_sample && !strcmp(s->metric, metric) &&
		    (rank < 0 || s->rank == rank) && !i--)
			return s;
	}
	return NULL;
}

static double value(const struct record *r, size_t n, const char *metric, size_t i)
{
	const struct record_sample *s = sample(r, n, metric, 0, i);

	return s ? s->value.v : 0;
}

static const struct record_valid *check(const struct record *r, size_t n, size_t i)
{
	for (size_t j = 0; j < n; j++) {
		if (r[j].kind == RECORD_KIND_valid && !i--)
			return &r[j].u.valid;
	}
	return NULL;
}

/*
 * W (wall time), R or C (how ranks fill the grid), depth of look-ahead, broadcast, then
 * the panel: right-looking halves down to 8 columns, left-looking.
 */
static void variant(const struct lu_want *w, char *text, size_t size)
{
	(void)snprintf(text, size, "W%c%d%dR2L8", w->by_column ? 'C' : 'R', w->lookahead,
		       w->bcast == BCAST_LONG ? 4 : 0);
}

static void result(const struct lu_want *w, const struct record *r, size_t n, size_t i,
		   FILE *out)
{
	const struct record_valid *c = check(r, n, i);
	char name[16];

	variant(w, name, sizeof(name));
	(void)fprintf(out, "%-12s%12lld%6d%6d%6d%19.2f%23.4e\n", name,
		      (long long)w->size.n, w->size.nb, w->size.p, w->size.q,
		      value(r, n, "hpl.time", i), value(r, n, "hpl.rate", i) / 1e9);
	if (c && isfinite(c->value.v))
		(void)fprintf(out,
			      "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= %18.7f "
			      "...... %s\n",
			      c->value.v, c->ok ? "PASSED" : "FAILED");
	else if (c)
		(void)fprintf(out, "residual: not a number ...... FAILED\n");
	else
		(void)fprintf(out,
			      "residual: not checked, the threshold in HPL.dat is not "
			      "above 0\n");
}

/* Where the time went, and the ranks at both ends. */
static void shares(const struct kit *k, const struct record *r, size_t n, size_t i,
		   FILE *out)
{
	static const char *const names[] = {"panel", "broadcast", "swap", "update",
					    "wait"};
	const struct record_sample *least = NULL, *most = NULL;
	char a[UNITS_TEXT], b[UNITS_TEXT];

	(void)fprintf(out, "seconds a thread:");
	for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
		char metric[32];

		(void)snprintf(metric, sizeof(metric), "hpl.%s", names[j]);
		(void)fprintf(out, "  %s %.2f", names[j], value(r, n, metric, i));
	}
	for (int rank = 0; rank < k->ranks; rank++) {
		const struct record_sample *s = sample(r, n, "hpl.rank_rate", rank, i);

		if (s && (!least || s->value.v < least->value.v))
			least = s;
		if (s && (!most || s->value.v > most->value.v))
			most = s;
	}
	if (least && least != most)
		(void)fprintf(out, "\nupdate of a rank: %s (rank %lld) to %s (rank %lld)",
			      units_format(a, sizeof(a), least->value.v, "FLOP/s"),
			      (long long)least->rank,
			      units_format(b, sizeof(b), most->value.v, "FLOP/s"),
			      (long long)most->rank);
	(void)fprintf(out, "\n");
}

void text_results(const struct kit *k, const struct runs *runs, int ntimes,
		  const struct record *records, size_t n, FILE *out)
{
	size_t count = 0;

	while (sample(records, n, "hpl.time", 0, count))
		count++;
	for (size_t i = 0; i < n; i++) {
		if (records[i].kind == RECORD_KIND_event &&
		    !strcmp(records[i].u.event.what, "placement"))
			(void)fprintf(out, "assay-hpl: %s\n", records[i].u.event.text);
	}
	if (!count)
		return; /* it did not run; why is on stderr */
	(void)fprintf(out, "%s%-12s%12s%6s%6s%6s%19s%23s\n%s", rule, "T/V", "N", "NB",
		      "P", "Q", "Time", "Gflops", rule);
	for (size_t i = 0; i < count && i / (size_t)ntimes < runs->n; i++) {
		result(&runs->items[i / (size_t)ntimes], records, n, i, out);
		shares(k, records, n, i, out);
		(void)fprintf(out, "%s", rule);
	}
}
