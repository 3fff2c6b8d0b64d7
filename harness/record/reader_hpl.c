/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPL's output (2.x, and vendors' builds of it): a line of T/V, N, NB, P, Q, time and
 * Gflops for each problem, behind it the residual of the check. Only a residual makes a
 * result of it: an output that was cut off has a fine rate, too.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "record/reading.h"

/* HPL's own threshold, and what it prints is compared with. */
#define RESIDUAL_LIMIT 16.0

struct row {
	int64_t n, nb, p, q;
	double time, gflops;
	bool checked; /* its residual was there */
};

static bool knows(const char *text)
{
	return strstr(text, "HPLinpack") || strstr(text, "||Ax-b||_oo") ||
	       strstr(text, "passed residual checks") ||
	       (strstr(text, "T/V") && strstr(text, "Gflops"));
}

/* "WR11C2R4       10000   192     1     2              10.00             6.6673e+01" */
static bool read_row(const char *line, struct row *row)
{
	char copy[READING_LINE], *w[8];

	(void)snprintf(copy, sizeof(copy), "%s", line);
	if (line[0] != 'W' || (line[1] != 'R' && line[1] != 'C') ||
	    reading_words(copy, w, 8) != 7)
		return false;
	*row = (struct row){.n = reading_count(w[1]),
			    .nb = reading_count(w[2]),
			    .p = reading_count(w[3]),
			    .q = reading_count(w[4])};
	return row->n && row->nb && row->p && row->q &&
	       reading_number(w[5], &row->time) && reading_number(w[6], &row->gflops);
}

/* "||Ax-b||_oo/(eps*(...)*N)=   4.12139792e-03 ...... PASSED" */
static bool read_residual(const char *line, double *value, bool *passed)
{
	char copy[READING_LINE], *w[4];
	const char *equals = strrchr(line, '=');

	if (strncmp(line, "||Ax-b||", 8) != 0 || !equals)
		return false;
	(void)snprintf(copy, sizeof(copy), "%s", equals + 1);
	if (reading_words(copy, w, 4) != 3 || !reading_number(w[0], value))
		return false;
	*passed = !strcmp(w[2], "PASSED");
	return true;
}

static void begin(struct reading *r, const struct row *row)
{
	char title[128];

	(void)snprintf(title, sizeof(title), "n%lld-nb%lld-%lldx%lld", (long long)row->n,
		       (long long)row->nb, (long long)row->p, (long long)row->q);
	reading_begin(r, title);
	reading_lacks(r, "no residual line: the output ends before the check");
}

/* A residual that is no number is no pass, whatever word follows. */
static void check(struct reading *r, struct row *row, double residual, bool passed)
{
	struct reading_result *last = &r->items[r->n - 1];
	bool ok = passed && isfinite(residual) && residual >= 0 &&
		  residual < RESIDUAL_LIMIT;
	char text[160] = "";

	if (!ok)
		(void)snprintf(text, sizeof(text),
			       "residual %.3g of %.0f allowed at %.4g Gflop/s", residual,
			       RESIDUAL_LIMIT, row->gflops);
	reading_valid(r, "residual", residual, RESIDUAL_LIMIT, ok, ok ? NULL : text);
	if (row->checked)
		return; /* HPL 1.x checks in three ways */
	row->checked = true;
	last->cause = "ok";
	last->reason = NULL;
	reading_sample(r, "hpl.rate", row->gflops * 1e9, "FLOP/s", NULL);
	reading_sample(r, "hpl.time", row->time, "s", NULL);
}

static void read_text(const char *text, struct reading *r)
{
	char line[READING_LINE];
	struct row row = {0}, now;
	double residual;
	bool passed;

	while (reading_line(&text, line)) {
		if (read_row(line, &now)) {
			row = now;
			begin(r, &row);
		} else if (r->n && read_residual(line, &residual, &passed)) {
			check(r, &row, residual, passed);
		}
	}
}

const struct reader reader_hpl = {
	.name = "hpl",
	.kernel = "hpl",
	.help = "HPL (xhpl)",
	.knows = knows,
	.read = read_text,
};
