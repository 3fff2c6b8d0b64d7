/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Like verdicts of all nodes as one row: same step name, metric, place, rule and origin
 * of the reference. One pass and a sort inside each row, whatever the number of nodes.
 */
#ifndef ASSAY_REPORTS_ROWS_H
#define ASSAY_REPORTS_ROWS_H

#include "base/names.h"
#include "judge/verdict.h"

/* A number that like verdicts have: the median of those that have a finite one. */
struct row_num {
	double v;
	bool set;     /* at least one has it */
	bool differs; /* they have not all the same */
};

struct row {
	const struct verdict *const *verdicts; /* in the order of the summary */
	size_t n;
	size_t step; /* number of its step name, in the order of the summary */
	const struct verdict *worst;
	size_t counts[VERDICT_WORDS];
	struct row_num value, reference, low, high;
	struct row_num share; /* value / reference */
};

struct rows {
	struct names keys;  /* numbers the items */
	struct names steps; /* numbers the step names, "" where there is none */
	struct row *items;  /* in the order of their first verdict */
	size_t n, cap;
	const struct verdict **order; /* what the rows point into */
};

void rows_collect(struct rows *rows, const struct summary *s);
void rows_release(struct rows *rows);

/*
 * How far a verdict's value is on the bad side of its reference, as a share of it: above
 * where only a high limit is set, below where a low one is, either way where none is. 0
 * without a reference.
 */
double row_deviation(const struct verdict *v);

/* @a is worse than @b: by its word, of equals by row_deviation(). */
bool row_worse(const struct verdict *a, const struct verdict *b);

#endif
