/* SPDX-License-Identifier: Apache-2.0 */
/* Results for people: see text.h. */
#include "kernels/hpl/text.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

static const char rule[] = "------------------------------------------------------------"
			   "---------------------------------------\n";

/* The first record at or after @from with which a result begins; @n: there is none. */
static size_t next_result(const struct record *r, size_t n, size_t from)
{
	while (from < n && (r[from].kind != RECORD_KIND_sample ||
			    strcmp(r[from].u.sample.metric, "hpl.rate") != 0))
		from++;
	return from;
}

/* Rank 0's value of @metric among the records of one result. */
static double value(const struct record *r, size_t n, const char *metric)
{
	for (size_t i = 0; i < n; i++) {
		const struct record_sample *s = &r[i].u.sample;

		if (r[i].kind == RECORD_KIND_sample && !strcmp(s->metric, metric) &&
		    !s->rank)
			return s->value.v;
	}
	return 0;
}

static const struct record_valid *check(const struct record *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (r[i].kind == RECORD_KIND_valid)
			return &r[i].u.valid;
	}
	return NULL;
}

static const struct record_event *event(const struct record *r, size_t n,
					const char *what)
{
	for (size_t i = 0; i < n; i++) {
		if (r[i].kind == RECORD_KIND_event && !strcmp(r[i].u.event.what, what))
			return &r[i].u.event;
	}
	return NULL;
}

static int ntimes(const struct kit *k)
{
	return (int)kit_int(k, "ntimes");
}

static const struct lu_want *problem(const struct kit *k, const struct runs *runs,
				     size_t test)
{
	return &runs->items[test / (size_t)ntimes(k)];
}

/*
 * W (wall time), R or C (how ranks fill the grid), depth of look-ahead, broadcast, then
 * the panel: right-looking halves down to 8 columns, left-looking; N, NB, P and Q.
 */
static void print_problem(const struct lu_want *w, FILE *out)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "W%c%d%dR2L8", w->by_column ? 'C' : 'R',
		       w->lookahead, w->bcast == BCAST_LONG ? 4 : 0);
	(void)fprintf(out, "%-12s%12lld%6d%6d%6d", name, (long long)w->size.n, w->size.nb,
		      w->size.p, w->size.q);
}

void text_mapping(const struct runs *runs, char *text, size_t size)
{
	size_t n;

	text[0] = '\0';
	if (!runs->from_file)
		return;
	(void)snprintf(
		text, size,
		"HPL.dat: DEPTH 0 is no look-ahead, 1%s one panel; BCAST 0 to 3 is "
		"the ring, 4 and 5 long; the panel's and the swaps' variants do "
		"not matter",
		runs->deeper ? " and all above" : "");
	n = strlen(text);
	if ((size_t)runs->combinations > runs->n)
		(void)snprintf(text + n, size - n,
			       "; its %d combinations are %zu different ones",
			       runs->combinations, runs->n);
}

static void print_head(const struct kit *k, const struct runs *runs,
		       const struct record *records, size_t n, FILE *out)
{
	const struct record_event *library = event(records, n, "library");
	const size_t tests = runs->n * (size_t)ntimes(k);
	char mapping[320];

	text_mapping(runs, mapping, sizeof(mapping));
	(void)fprintf(out, "assay-hpl: %zu test%s on %d rank%s; %s\n", tests,
		      tests == 1 ? "" : "s", k->ranks, k->ranks == 1 ? "" : "s",
		      library ? library->text : "");
	/* of several problems the first says what all have in common */
	(void)fprintf(out, "%s%s\n", runs->n > 1 ? "the first: " : "",
		      event(records, n, "placement")->text);
	if (*mapping)
		(void)fprintf(out, "%s\n", mapping);
	if (runs->threshold <= 0)
		(void)fprintf(out, "residual: not checked, the threshold in HPL.dat is "
				   "not above 0\n");
	else
		(void)fprintf(out,
			      "residual: ||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)"
			      ", to be below %g\n",
			      runs->threshold);
	(void)fprintf(out, "%s%-12s%12s%6s%6s%6s%19s%16s%15s\n%s", rule, "T/V", "N", "NB",
		      "P", "Q", "Time", "Gflops", "residual", rule);
}

static void print_result(const struct lu_want *w, const struct record *r, size_t n,
			 FILE *out)
{
	const struct record_valid *c = check(r, n);

	print_problem(w, out);
	(void)fprintf(out, "%19.2f%16.4e", value(r, n, "hpl.time"),
		      value(r, n, "hpl.rate") / 1e9);
	if (!c)
		(void)fprintf(out, "%15s\n", "unchecked");
	else if (!isfinite(c->value.v))
		(void)fprintf(out, "%15s FAILED\n", "nan");
	else
		(void)fprintf(out, "%15.7f %s\n", c->value.v,
			      c->ok ? "PASSED" : "FAILED");
	if (c && !c->ok && c->text)
		(void)fprintf(out, "  %s\n", c->text);
}

void text_so_far(struct text *t, const struct kit *k, const struct runs *runs,
		 const struct record *records, size_t n, FILE *out)
{
	const size_t at = next_result(records, n, t->seen);
	const struct record_valid *c = check(records + at, n - at);

	if (!t->begun && event(records, n, "placement")) {
		print_head(k, runs, records, n, out);
		t->begun = true;
	}
	t->seen = n;
	if (at == n)
		return;
	print_result(problem(k, runs, t->tests), records + at, n - at, out);
	t->tests++;
	t->passed += c && c->ok;
	t->failed += c && !c->ok;
}

/* Where the time went, and the ranks at both ends. */
static void print_shares(const struct kit *k, const struct record *r, size_t n, FILE *out)
{
	static const char *const names[] = {"hpl.panel", "hpl.broadcast", "hpl.swap",
					    "hpl.update", "hpl.wait"};
	const struct record_sample *least = NULL, *most = NULL;
	char a[UNITS_TEXT], b[UNITS_TEXT];

	for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++)
		(void)fprintf(out, "%11.2f", value(r, n, names[j]));
	for (size_t i = 0; i < n; i++) {
		const struct record_sample *s = &r[i].u.sample;

		if (r[i].kind != RECORD_KIND_sample ||
		    strcmp(s->metric, "hpl.rank_rate") != 0)
			continue;
		if (!least || s->value.v < least->value.v)
			least = s;
		if (!most || s->value.v > most->value.v)
			most = s;
	}
	if (least && k->ranks > 1)
		(void)fprintf(out, "  %s (rank %lld) to %s (rank %lld)",
			      units_format(a, sizeof(a), least->value.v, "FLOP/s"),
			      (long long)least->rank,
			      units_format(b, sizeof(b), most->value.v, "FLOP/s"),
			      (long long)most->rank);
	(void)fprintf(out, "\n");
}

void text_end(const struct text *t, const struct kit *k, const struct runs *runs,
	      const struct record *records, size_t n, FILE *out)
{
	const size_t tests = runs->n * (size_t)ntimes(k), left = tests - t->tests;
	size_t test = 0;

	if (!t->begun)
		return; /* it did not run; why is on stderr */
	(void)fprintf(out, "%sFinished %zu test%s: %zu passed, %zu failed", rule,
		      t->tests, t->tests == 1 ? "" : "s", t->passed, t->failed);
	if (t->tests > t->passed + t->failed)
		(void)fprintf(out, ", %zu unchecked", t->tests - t->passed - t->failed);
	if (left)
		(void)fprintf(out, ", %zu not run", left);
	(void)fprintf(out, "\n");
	if (!t->tests)
		return;
	(void)fprintf(out, "\n%-12s%12s%6s%6s%6s%11s%11s%11s%11s%11s%s\n%s", "s a thread",
		      "N", "NB", "P", "Q", "panel", "broadcast", "swap", "update", "wait",
		      k->ranks > 1 ? "  update of the slowest and the fastest rank" : "",
		      rule);
	for (size_t at = next_result(records, n, 0), end; at < n; at = end) {
		end = next_result(records, n, at + 1);
		print_problem(problem(k, runs, test++), out);
		print_shares(k, records + at, end - at, out);
	}
}
