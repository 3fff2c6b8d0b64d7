/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Roofs that one kernel measures and others are compared with: what a node as a whole
 * reached in this run, of the metrics theory.yaml names as roofs.
 */
#ifndef ASSAY_JUDGE_ROOFS_H
#define ASSAY_JUDGE_ROOFS_H

#include "judge/series.h"
#include "judge/theory.h"

struct roofs {
	struct names keys; /* metric and node */
	double *values;
	size_t cap;
};

void roofs_make(struct roofs *r, const struct theory *t, const struct series *series,
		size_t n);
void roofs_release(struct roofs *r);

/* The best of @metric on @node, in its unit; 0 when it was not measured. */
double roofs_find(const struct roofs *r, const char *metric, const char *node);

#endif
