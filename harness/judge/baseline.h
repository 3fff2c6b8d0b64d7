/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Baselines: what a metric reached before on machines that `match`, with limits and the
 * origin of the figure. Read from configs/baselines/ and from --baseline.
 */
#ifndef ASSAY_JUDGE_BASELINE_H
#define ASSAY_JUDGE_BASELINE_H

#include "judge/limits.h"
#include "judge/nodes.h"
#include "judge/series.h"

/* One key of `match`: the fact must be one of the values. */
struct baseline_match {
	enum node_fact fact;
	const char **values; /* a CPU is compared by its normalised name */
	size_t n;
};

struct baseline {
	const char *name;
	struct baseline_match match[NODE_FACTS];
	size_t n_match;
	bool preferred; /* of --baseline: wins over those shipped */
};

/* What one metric should reach. */
struct reference {
	size_t baseline; /* index */
	const char *metric, *unit;
	const char *place;    /* NULL: every placement */
	const char *at;       /* see series_at_match() */
	const char *blas;     /* measured with it: no FAIL with another; NULL: any */
	size_t nodes;         /* it is about as one, 1 where it does not say */
	double value;         /* in unit, above 0 */
	struct limits shares; /* limits as shares of value */
	double spread; /* share of value by which one launch varies, 0 = not known */
	const char *from, *why;
	const char *where; /* file:line:col */
	size_t next;       /* next reference of the same metric, BASELINE_END */
};

#define BASELINE_END SIZE_MAX

/* A zeroed struct has none. */
struct baselines {
	struct arena arena;
	struct baseline *items;
	size_t n, cap;
	struct reference *references;
	size_t n_references, cap_references;
	struct names metrics; /* with a reference */
	size_t *first;        /* by metric: its first reference */
	size_t cap_first;
};

/* Adds the baseline in @path. Errors are ERR_USAGE and begin with file:line:col. */
int baseline_load(struct baselines *b, const char *path, bool preferred, struct err *e);
void baselines_release(struct baselines *b);

enum baseline_found {
	BASELINE_NONE,
	BASELINE_FOUND,
	BASELINE_UNKNOWN, /* one may match, but a fact is not known: *fact */
};

/*
 * The reference for @s on @node (NULL: nothing is known of it): preferred ones first,
 * then those that ask for more. Absent keys match all.
 */
enum baseline_found baseline_find(const struct baselines *b, const struct series *s,
				  const struct judge_node *node,
				  const struct reference **r, enum node_fact *fact);

#endif
