/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HPL's output (2.x, and vendors' builds of it): what it is going to do, a line of T/V,
 * N, NB, P, Q, time and Gflops for each problem, behind it the residual of the check, and
 * closing lines. Only a residual makes a result of a line, and only its closing lines and
 * as many lines as were announced make it whole: an output that was cut off has fine
 * rates, too. Of rows alone, as a search through an output gives them, nothing is missed.
 * assay-hpl has line and residual in one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/reading.h"

/* HPL's own threshold, and what it prints is compared with. */
#define RESIDUAL_LIMIT 16.0

/* The lists of the head: every combination of them is a problem; P and Q go together. */
static const char *const lists[] = {"N",    "NB",    "P",     "PFACT", "NBMIN",
				    "NDIV", "RFACT", "BCAST", "DEPTH"};

enum { N_LISTS = sizeof(lists) / sizeof(lists[0]), N_ROW = 7 };

/* What HPL says when it gives up, and what helps. */
static const struct {
	const char *text, *fix;
} fixes[] = {
	{"cannot open file HPL.dat", "start it in the folder of HPL.dat"},
	{"Need at least", "start as many ranks as P x Q of HPL.dat, or make that less"},
	{"Memory allocation failed", "make N less, or take more nodes"},
	{"Value of", "mend HPL.dat"},
	{"Number of values", "mend HPL.dat"},
	{"number of values", "mend HPL.dat"},
	{"Illegal input in file", "mend HPL.dat"},
};

/* One start of HPL: a text may hold several, one behind the other. */
struct start {
	size_t first;   /* of its results in the reading */
	size_t rows;    /* lines of results, good and bad ones */
	bool whole;     /* it has a title or columns' names, so it should have an end */
	bool own;       /* assay-hpl's: "4 tests on 2 ranks", "Finished 4 tests: ..." */
	double tests;   /* as assay-hpl announces them; 0: not */
	bool announced; /* its lists were there, or began to be */
	bool checks;    /* it said that it would check */
	bool unchecked; /* it said that it did not */
	bool ended;     /* its closing lines are there, or began to be */
	size_t sizes[N_LISTS];
	size_t *list;             /* the one whose values go on, or NULL */
	double finished, skipped; /* as its closing lines say; NaN before */
	char error[READING_LINE]; /* the first that it tells */
	long error_line;          /* 0: none */
};

struct hpl {
	struct reading *r;
	struct start s;
	long line;
	bool in_error; /* what the error is comes next */
	bool checked;  /* a residual of the last row was there */
	bool good;     /* the last row is one whose rate may count */
	double time, gflops;
};

static bool knows(const char *text)
{
	return strstr(text, "HPLinpack") || strstr(text, "||Ax-b||_oo") ||
	       strstr(text, "passed residual checks") || strstr(text, "HPL ERROR") ||
	       (strstr(text, "T/V") && strstr(text, "Gflops"));
}

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

/* Half of the last digit of a number as it is printed, "10.00" or "6.6673e+01". */
static double half_digit(const char *word)
{
	const char *point = strchr(word, '.'), *e = strpbrk(word, "eE");
	const int decimals = point ? (int)strspn(point + 1, "0123456789") : 0;
	const long exponent = e ? strtol(e + 1, NULL, 10) : 0;

	return 0.5 * pow(10, (double)exponent - decimals);
}

/*
 * The rate must be what N and the time make, with HPL's count of 2/3 N^3 + 3/2 N^2
 * operations and both numbers rounded as they are printed. False: *least and *most are
 * what it should be within, Gflop/s; most is infinite where the time was rounded to 0.
 */
static bool rate_fits(double n, const char *const w[2], double time, double gflops,
		      double *least, double *most)
{
	const double giga = (2.0 / 3 * n + 1.5) * n * n / 1e9;
	/* no program prints tens of seconds, and "0e99" would go with any rate */
	const double dt = fmin(half_digit(w[0]), 0.5), dg = half_digit(w[1]);

	*least = giga / (time + dt);
	*most = time > dt ? giga / (time - dt) : INFINITY;
	return gflops >= *least - dg && gflops <= *most + dg;
}

/* A row that cannot be right counts nowhere; it says so with its line. */
static void begin_row(struct hpl *h, char *const w[N_ROW])
{
	const int64_t n = reading_count(w[1]), nb = reading_count(w[2]),
		      p = reading_count(w[3]), q = reading_count(w[4]);
	const char *const printed[] = {w[5], w[6]};
	double least, most;
	char title[128] = "";

	if (n && nb && p && q)
		(void)snprintf(title, sizeof(title), "n%lld-nb%lld-%lldx%lld",
			       (long long)n, (long long)nb, (long long)p, (long long)q);
	reading_begin(h->r, title);
	reading_at(h->r, h->line);
	if (!n || !nb || !p || !q || !reading_number(w[5], &h->time) ||
	    !reading_number(w[6], &h->gflops)) {
		reading_doubt(h->r,
			      "N '%s', NB '%s', P '%s', Q '%s', time '%s', Gflops "
			      "'%s': expected numbers above 0",
			      w[1], w[2], w[3], w[4], w[5], w[6]);
	} else if (!isfinite(h->time) || h->time < 0 || !isfinite(h->gflops) ||
		   h->gflops <= 0) {
		reading_doubt(h->r,
			      "time '%s', Gflops '%s': expected finite numbers above 0",
			      w[5], w[6]);
	} else if (!rate_fits((double)n, printed, h->time, h->gflops, &least, &most)) {
		reading_doubt(h->r,
			      "%s Gflops, but N %lld in %s s makes %s%.5g: no line that "
			      "HPL prints",
			      w[6], (long long)n, w[5], isfinite(most) ? "" : "at least ",
			      isfinite(most) ? (least + most) / 2 : least);
	} else {
		h->good = true;
		reading_lacks(h->r, "no residual line: the output ends before the check");
	}
}

/* A residual that is no number is no pass, whatever word follows. */
static void check(struct hpl *h, double residual, bool passed)
{
	struct reading_result *last = &h->r->items[h->r->n - 1];
	bool ok = passed && isfinite(residual) && residual >= 0 &&
		  residual < RESIDUAL_LIMIT;
	char text[160] = "";

	if (!ok)
		(void)snprintf(text, sizeof(text),
			       "residual %.3g of %.0f allowed at %.4g Gflop/s", residual,
			       RESIDUAL_LIMIT, h->gflops);
	reading_valid(h->r, "residual", residual, RESIDUAL_LIMIT, ok, ok ? NULL : text);
	if (h->checked || !h->good)
		return; /* HPL 1.x checks in three ways */
	h->checked = true;
	last->cause = "ok";
	last->reason = NULL;
	reading_sample(h->r, "hpl.rate", h->gflops * 1e9, "FLOP/s", NULL);
	if (h->time > 0)
		reading_sample(h->r, "hpl.time", h->time, "s", NULL);
}

/*
 * "WR11C2R4       10000   192     1     2              10.00             6.6673e+01", and
 * of assay-hpl behind it "0.0041213 PASSED", or "unchecked"
 */
static bool read_row(struct hpl *h, const char *line)
{
	char copy[READING_LINE], *w[N_ROW + 3];
	double residual;
	size_t n;

	/* behind its end assay-hpl says of each where the time went */
	if ((h->s.own && h->s.ended) || line[0] != 'W' ||
	    (line[1] != 'R' && line[1] != 'C') || !strchr("0123456789", line[2]) ||
	    !line[2])
		return false;
	(void)snprintf(copy, sizeof(copy), "%s", line);
	n = reading_words(copy, w, N_ROW + 3);
	if (n < 2 || strspn(w[1], "+-0123456789") != strlen(w[1]))
		return false;
	h->s.rows++;
	h->checked = false;
	h->good = false;
	if (n == N_ROW || (n == N_ROW + 1 && !strcmp(w[N_ROW], "unchecked"))) {
		begin_row(h, w);
		return true;
	}
	if (n == N_ROW + 2 && reading_number(w[N_ROW], &residual) &&
	    (!strcmp(w[N_ROW + 1], "PASSED") || !strcmp(w[N_ROW + 1], "FAILED"))) {
		begin_row(h, w);
		check(h, residual, !strcmp(w[N_ROW + 1], "PASSED"));
		return true;
	}
	reading_begin(h->r, "");
	reading_at(h->r, h->line);
	reading_doubt(h->r,
		      "'%.40s': a line of results with %zu of %d columns: it is torn or "
		      "was cut off",
		      line, n, N_ROW);
	return true;
}

/* "||Ax-b||_oo/(eps*(...)*N)=   4.12139792e-03 ...... PASSED" */
static bool read_residual(const char *line, double *value, bool *passed)
{
	char copy[READING_LINE], *w[4];
	const char *equals = strrchr(line, '=');

	if (!begins(line, "||Ax-b||") || !equals)
		return false;
	(void)snprintf(copy, sizeof(copy), "%s", equals + 1);
	if (reading_words(copy, w, 4) != 3 || !reading_number(w[0], value))
		return false;
	*passed = !strcmp(w[2], "PASSED");
	return *passed || !strcmp(w[2], "FAILED"); /* not "PASS", where it was cut */
}

/* "NB     :     192      256", and more lines of values where there are more than 8. */
static void read_list(struct start *s, const char *line)
{
	const char *colon = strchr(line, ':');
	char copy[READING_LINE], *w[READING_LINE / 2];
	const size_t name = strcspn(line, " :");

	if (line[0] != ' ') {
		s->list = NULL;
		for (size_t i = 0; i < N_LISTS && colon; i++) {
			if (strlen(lists[i]) == name && !memcmp(lists[i], line, name))
				s->list = &s->sizes[i];
		}
	}
	if (!s->list || (line[0] == ' ' && colon))
		return;
	(void)snprintf(copy, sizeof(copy), "%s", line[0] == ' ' ? line : colon + 1);
	*s->list += reading_words(copy, w, sizeof(w) / sizeof(w[0]));
}

/* How many problems the head announces; NaN when that cannot be told. */
static double planned(const struct start *s)
{
	double n = 1;

	for (size_t i = 0; i < N_LISTS; i++)
		n *= (double)s->sizes[i];
	if (s->tests > 0)
		return s->tests;
	return s->announced && n > 0 ? n : NAN;
}

/*
 * The first error it tells: "HPL ERROR from process # 0, on line 180 of function F:", and
 * on the next line what it is, between marks: ">>> Memory allocation failed <<<".
 */
static void read_error(struct hpl *h, const char *line)
{
	const char *what = strstr(line, ">>> "), *end = strstr(line, " <<<");
	struct start *s = &h->s;

	if (strstr(line, "HPL ERROR") && !s->error_line)
		h->in_error = true;
	else if (!h->in_error || !line[0])
		return;
	else
		h->in_error = false;
	what = what ? what + 4 : line;
	(void)snprintf(s->error, sizeof(s->error), "%.*s",
		       (int)(end && end > what ? (size_t)(end - what) : strlen(what)),
		       what);
	s->error_line = h->line;
}

static const char *fix_of(const char *error)
{
	for (size_t i = 0; i < sizeof(fixes) / sizeof(fixes[0]); i++) {
		if (strstr(error, fixes[i].text))
			return fixes[i].fix;
	}
	return NULL;
}

/* Rows without a residual of a start that was not to look at any. */
static void tell_unchecked(struct hpl *h)
{
	const struct start *s = &h->s;
	const bool unchecked = s->unchecked || (s->announced && !s->checks);

	for (size_t i = s->first; i < h->r->n && unchecked; i++) {
		struct reading_result *x = &h->r->items[i];

		if (!strcmp(x->cause, "no-data") && !x->n)
			x->reason = "not checked: the threshold in HPL.dat is not above "
				    "0, so HPL did not look at the residual, and what "
				    "nobody checked counts nowhere";
	}
}

/* "; HPL says on line 45 'Memory allocation failed': make N less", or "". */
static void error_text(const struct start *s, char *text, size_t size)
{
	const char *fix = fix_of(s->error);

	text[0] = '\0';
	if (s->error_line)
		(void)snprintf(text, size, "; HPL says on line %ld '%.160s'%s%s",
			       s->error_line, s->error, fix ? ": " : "", fix ? fix : "");
}

static size_t good_ones(const struct hpl *h)
{
	size_t n = 0;

	for (size_t i = h->s.first; i < h->r->n; i++)
		n += !strcmp(h->r->items[i].cause, "ok");
	return n;
}

/* What was announced and is not there, as a result of its own that lacks it. */
static void tell_missing(struct hpl *h)
{
	const struct start *s = &h->s;
	const bool cut = s->whole && !s->ended && (!s->own || s->tests > 0);
	const double all = isnan(planned(s)) ? s->finished : planned(s);
	const double missing = all - (double)good_ones(h);
	char what[128], why[128] = "", said[320];

	if (!cut && !(all > (double)s->rows) && !s->error_line)
		return;
	if (isnan(all))
		(void)snprintf(what, sizeof(what),
			       "configurations may be missing, %zu have a result",
			       good_ones(h));
	else if (missing > 0)
		(void)snprintf(what, sizeof(what),
			       "%.0f of %.0f configurations have no result", missing,
			       all);
	else
		(void)snprintf(what, sizeof(what), "all %.0f configurations are there%s",
			       all, cut ? ", but not the end" : "");
	if (cut)
		(void)snprintf(why, sizeof(why),
			       ": the output was cut off, there is no '%s'",
			       s->own ? "Finished" : "End of Tests.");
	else if (s->skipped > 0)
		(void)snprintf(why, sizeof(why), ": HPL skipped %.0f", s->skipped);
	error_text(s, said, sizeof(said));
	reading_begin(h->r, "missing");
	reading_at(h->r, h->line);
	reading_lacks(h->r, "%s%s%s", what, why, said);
}

/* It gave up before it said what it would do. Of a text without more that is all. */
static void tell_error(struct hpl *h, bool more)
{
	const struct start *s = &h->s;
	const char *fix = fix_of(s->error);

	if (!more && !h->r->n) {
		(void)reading_wrong(h->r, s->error_line, "HPL gave up: '%.160s'%s%s",
				    s->error, fix ? "; " : "", fix ? fix : "");
		return;
	}
	reading_begin(h->r, "missing");
	reading_at(h->r, s->error_line);
	reading_lacks(h->r, "HPL gave up: '%.160s'%s%s", s->error, fix ? "; " : "",
		      fix ? fix : "");
}

/* @more: another start follows. */
static void end_start(struct hpl *h, bool more)
{
	tell_unchecked(h);
	if (h->s.error_line && !h->s.whole && !h->s.rows)
		tell_error(h, more);
	else
		tell_missing(h);
}

static void begin_start(struct hpl *h)
{
	end_start(h, true);
	h->in_error = false;
	h->s = (struct start){
		.first = h->r->n, .whole = true, .finished = NAN, .skipped = NAN};
}

/* "Finished      4 tests with the following results:" and the counts below it */
static bool read_closing(struct start *s, const char *line)
{
	char copy[READING_LINE], *w[3];
	double v;

	(void)snprintf(copy, sizeof(copy), "%s", line);
	if (begins(line, "End of Tests.") || (s->own && begins(line, "Finished "))) {
		s->ended = true;
	} else if (strstr(line, " tests with the following results") &&
		   reading_words(copy, w, 3) == 3 && reading_number(w[1], &v)) {
		s->ended = true;
		s->finished = v;
	} else if (strstr(line, " tests completed without checking") ||
		   begins(line, "residual: not checked")) { /* assay-hpl's words */
		s->unchecked = true;
	} else if (strstr(line, " tests skipped because") &&
		   reading_words(copy, w, 3) == 3 && reading_number(w[0], &v)) {
		s->skipped = v;
	} else {
		return false;
	}
	return true;
}

/* "assay-hpl: 4 tests on 2 ranks; ..."; other lines of it are remarks. */
static void read_own(struct hpl *h, const char *line)
{
	char copy[READING_LINE], *w[4];
	double tests;

	(void)snprintf(copy, sizeof(copy), "%s", line);
	if (reading_words(copy, w, 4) == 4 && begins(w[2], "test") &&
	    !strcmp(w[3], "on") && reading_number(w[1], &tests)) {
		begin_start(h);
		h->s.tests = tests;
	}
	h->s.own = true;
}

static void read_head(struct hpl *h, const char *line)
{
	struct start *s = &h->s;

	if (begins(line, "HPLinpack ") && strstr(line, "benchmark")) {
		begin_start(h);
	} else if (begins(line, "The following parameter values will be used")) {
		if (s->announced || s->rows)
			begin_start(h);
		s->whole = s->announced = true;
	} else if (begins(line, "T/V ") && strstr(line, "Gflops")) {
		s->whole = true;
		s->own = s->own || strstr(line, "residual");
	} else if (begins(line, "assay-hpl: ")) {
		read_own(h, line);
	} else if (strstr(line, "scaled residual check")) {
		s->checks = true;
	} else if (s->announced && !s->rows) {
		read_list(s, line);
	}
}

static void read_line(struct hpl *h, const char *line)
{
	double residual;
	bool passed;

	read_error(h, line);
	if (read_closing(&h->s, line) || read_row(h, line))
		return;
	if (h->r->n && h->s.rows && read_residual(line, &residual, &passed))
		check(h, residual, passed);
	else
		read_head(h, line);
}

static void read_text(const char *text, struct reading *r)
{
	struct hpl h = {.r = r, .s = {.finished = NAN, .skipped = NAN}};
	char line[READING_LINE];

	while (reading_line(&text, line)) {
		h.line++;
		read_line(&h, line);
	}
	end_start(&h, false);
}

const struct reader reader_hpl = {
	.name = "hpl",
	.kernel = "hpl",
	.help = "HPL (xhpl)",
	.knows = knows,
	.read = read_text,
};
