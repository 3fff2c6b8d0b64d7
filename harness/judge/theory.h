/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Theory: which share of a roof a metric must reach. A roof is what a CPU model can do by
 * configs/cpus.yaml, or what this machine itself was measured to do in the same launch.
 */
#ifndef ASSAY_JUDGE_THEORY_H
#define ASSAY_JUDGE_THEORY_H

#include "judge/limits.h"
#include "judge/nodes.h"
#include "judge/series.h"

enum theory_roof {
	THEORY_MEMORY_BANDWIDTH, /* B/s, all sockets of the node */
	THEORY_PEAK_FLOPS,       /* FLOP/s at base clock, all cores of the node */
	THEORY_LINE_RATE,        /* B/s one way, of the ports that carried the messages */
	THEORY_OWN,              /* another metric of the same launch */
};

struct theory_limit {
	const char *metric, *at; /* see series_at_match() */
	const char **places;     /* placements it holds for; none: every one */
	size_t n_places;
	enum theory_roof roof;
	const char *of;            /* metric of an own roof */
	const char *unit;          /* of a nominal one */
	const char *called;        /* the roof in words */
	struct limits shares;      /* warn_low, fail_low */
	struct record_num invalid; /* above this share the measurement is wrong */
	const char *from, *why;
	const char *where; /* file:line:col */
	size_t next;       /* next limit of the same metric, THEORY_END */
};

#define THEORY_END SIZE_MAX

/* A zeroed struct has none. */
struct theory {
	struct arena arena;
	struct theory_limit *limits;
	size_t n, cap;
	struct names metrics; /* with a limit */
	size_t *first;        /* by metric: its first limit */
	size_t cap_first;
};

/* Reads theory.yaml. Errors are ERR_USAGE and begin with file:line:col. */
int theory_load(struct theory *t, const char *path, struct err *e);
void theory_release(struct theory *t);

/* First limit of @metric, NULL when there is none; theory_next() goes on. */
const struct theory_limit *theory_first(const struct theory *t, const char *metric);
const struct theory_limit *theory_next(const struct theory *t,
				       const struct theory_limit *l);

/* The limit is meant for this placement and place on the scale. */
bool theory_covers(const struct theory_limit *l, const struct series *s);

/* What the CPU model of @node gives for a nominal roof, or 0 and *why_not, one clause. */
double theory_nominal(const struct theory_limit *l, const struct judge_node *node,
		      const char **why_not);

#endif
