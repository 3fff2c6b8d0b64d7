/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Series: the values of one metric at one place of one step on one node, one value a
 * launch. What is judged against baselines and limits are series, not samples.
 */
#ifndef ASSAY_JUDGE_SERIES_H
#define ASSAY_JUDGE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/launches.h"
#include "record/metrics.h"
#include "judge/stats.h"
#include "record/state.h"

/* One launch: its repetitions as one number. */
struct series_launch {
	int64_t step;
	double value;
};

/* Texts are borrowed from the state, launches from the arena given to series_make(). */
struct series {
	const char *key, *name, *kernel, *place;
	const char *node; /* NULL: about all nodes of the step as one */
	const char *peer; /* other node of a pair, or NULL */
	size_t nodes;     /* it is about as one: those of its last launch, else 1 */
	const char *metric, *at, *unit;
	const struct metric *declared; /* NULL when the kernel does not declare it */
	const struct series_launch *launches; /* in the order of their steps */
	const double *sorted;                 /* their values, ascending */
	size_t n;                             /* at least 1 */
	double value;                         /* median over the launches, in unit */
	/*
	 * Standard deviation of one launch, in unit: the robust one between the launches
	 * when there are several. Of a single launch only the repetitions are known,
	 * which say nothing about the next launch, but it is the best there is: their
	 * robust standard deviation, or where the best of them counts, half the distance
	 * from their median to it (for 5 to 20 normally distributed repetitions that is
	 * 0.9 to 1.8 standard deviations of their best).
	 */
	double sigma;
	bool within;                  /* sigma is of repetitions */
	const char *mark, *mark_text; /* "size" or "short": no reference holds for it */
	size_t before, behind;        /* neighbours of the same key, node and peer */
};

/* Those of one key, node and peer are neighbours, sorted by metric, then at. */
struct series_list {
	struct series *items; /* free() it */
	size_t n, cap;
};

/*
 * Makes the series of all launches that ended well, in the order: key by its first
 * launch, node by its place in the plan, metric, at. Launches whose own check failed on a
 * node, and launches with a value that is no number, are left out there: rule `valid`
 * tells of them. A launch with several ranks on a node counts with its worst rank.
 */
void series_make(struct series_list *out, const struct state *state,
		 const struct launches *launches, const struct metrics *metrics,
		 struct arena *a);

/*
 * The series of @metric in the launches of @s, which is in a list: at the same place, or
 * at the nearest wider one ({"domain":1} for {"domain":1,"store":"nt"}). NULL when there
 * is none.
 */
const struct series *series_beside(const struct series *s, const char *metric);

/* As strcmp(), with NULL before every text. */
int series_compare_text(const char *a, const char *b);

/*
 * Both are `at` objects as records hold them: flat, compact, keys sorted; NULL has no
 * members. Every member of @part is in @whole with the same value.
 */
bool series_at_part(const char *part, const char *whole);

/*
 * A reference for @pattern holds at @at: the same members, where the value "any" of
 * @pattern stands for every value. A reference that does not say where (NULL) is for the
 * node as one with non-temporal stores: ordinary ones read each line before they write
 * it, and reach three quarters of the same reference.
 */
bool series_at_match(const char *pattern, const char *at);

#endif
