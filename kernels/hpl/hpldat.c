/* SPDX-License-Identifier: Apache-2.0 */
/* HPL.dat: see hpldat.h. */
#include "kernels/hpl/hpldat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/hpl/size.h"

struct reader {
	const char *at, *name;
	char line[1024];
	int number;
	struct err *e;
};

static int bad(const struct reader *r, const char *what)
{
	return err_set(r->e, ERR_USAGE, "%.200s:%d: %s", r->name, r->number, what);
}

static int next_line(struct reader *r, const char *what)
{
	const size_t len = strcspn(r->at, "\n");

	r->number++;
	if (!*r->at)
		return err_set(r->e, ERR_USAGE, "%.200s:%d: ends before the line '%s'",
			       r->name, r->number, what);
	if (len >= sizeof(r->line))
		return bad(r, "a line of more than 1023 characters");
	memcpy(r->line, r->at, len);
	r->line[len] = '\0';
	r->at += len + (r->at[len] == '\n');
	return 0;
}

/* @count whole numbers from the beginning of the next line into @l, if that is asked. */
static int numbers(struct reader *r, const char *what, int count, int64_t least,
		   int64_t most, struct hpldat_list *l)
{
	char *at = r->line;

	if (next_line(r, what))
		return -1;
	for (int i = 0; i < count; i++) {
		char *end;
		long long v;

		errno = 0;
		v = strtoll(at, &end, 10);
		if (end == at || errno || !strchr(" \t\r", *end))
			return err_set(r->e, ERR_USAGE,
				       "%.200s:%d: %s: expected %d whole number%s",
				       r->name, r->number, what, count,
				       count == 1 ? "" : "s");
		if (v < least || v > most)
			return err_set(r->e, ERR_USAGE,
				       "%.200s:%d: %s: %lld, expected %lld to %lld",
				       r->name, r->number, what, v, (long long)least,
				       (long long)most);
		if (l)
			l->v[i] = v;
		at = end;
	}
	if (l)
		l->n = count;
	return 0;
}

/* A line with a count, and one with so many values. */
static int list(struct reader *r, const char *what, int64_t least, int64_t most,
		struct hpldat_list *l)
{
	struct hpldat_list count;

	if (numbers(r, what, 1, 1, HPLDAT_MOST, &count))
		return -1;
	return numbers(r, what, (int)count.v[0], least, most, l);
}

static int threshold(struct reader *r, double *t)
{
	char *end;

	if (next_line(r, "threshold"))
		return -1;
	*t = strtod(r->line, &end);
	if (end == r->line || !(*t > -1e300 && *t < 1e300))
		return bad(r, "threshold: expected a number");
	return 0;
}

/* Grids: a count, and two lines of so many values. */
static int grids(struct reader *r, struct hpldat *d)
{
	static const int64_t most = 1 << 20;

	if (list(r, "Ps", 1, most, &d->p))
		return -1;
	return numbers(r, "Qs", d->p.n, 1, most, &d->q);
}

/* What this kernel has no choice of. */
static int unused(struct reader *r)
{
	static const char *const lines[] = {"SWAP", "swapping threshold", "L1", "U",
					    "equilibration"};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (numbers(r, lines[i], 1, 0, INT32_MAX, NULL))
			return -1;
	}
	return numbers(r, "memory alignment", 1, 1, INT32_MAX, NULL);
}

int hpldat_parse(const char *text, const char *name, struct hpldat *d, struct err *e)
{
	struct reader r = {.at = text, .name = name, .e = e};
	struct hpldat_list one;

	memset(d, 0, sizeof(*d));
	if (next_line(&r, "first") || next_line(&r, "second") ||
	    next_line(&r, "output file") ||
	    numbers(&r, "device", 1, 0, INT32_MAX, NULL) ||
	    list(&r, "Ns", 1, (int64_t)1 << 30, &d->n) ||
	    list(&r, "NBs", 1, SIZE_NB_MAX, &d->nb) ||
	    numbers(&r, "PMAP", 1, 0, 1, &one) || grids(&r, d))
		return -1;
	d->by_column = one.v[0] == 1;
	if (threshold(&r, &d->threshold) || list(&r, "PFACTs", 0, 2, &one) ||
	    list(&r, "NBMINs", 1, INT32_MAX, &one) ||
	    list(&r, "NDIVs", 2, INT32_MAX, &one) || list(&r, "RFACTs", 0, 2, &one) ||
	    list(&r, "BCASTs", 0, 5, &d->broadcast) ||
	    list(&r, "DEPTHs", 0, INT32_MAX, &d->depth))
		return -1;
	return unused(&r);
}
