/* SPDX-License-Identifier: Apache-2.0 */
/* The launches of each step key: repeats of a step share its key. */
#ifndef ASSAY_JUDGE_LAUNCHES_H
#define ASSAY_JUDGE_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/names.h"
#include "record/state.h"

#define LAUNCHES_END SIZE_MAX

/* Steps are indices into state->steps. */
struct launch_key {
	const char *key; /* borrowed from the state */
	size_t first, last;
	size_t n_done;    /* ended, and not to be done again */
	size_t n_repeats; /* of these, wanted because a value was not certain */
	bool relaunched;  /* of these, one was wanted because a launch had failed */
};

struct launches {
	struct names keys;        /* numbered as items is */
	struct launch_key *items; /* in the order of their first launch */
	size_t n, cap;
	size_t *next; /* by step: the next launch of its key, or LAUNCHES_END */
};

void launches_make(struct launches *l, const struct state *state);
void launches_release(struct launches *l);

/* NULL when no step has this key. */
const struct launch_key *launches_find(const struct launches *l, const char *key);

/* Cause of a launch that has ended: as journalled, "no-data" where it says none. */
const char *launch_cause(const struct state_step *st);
/* It ended, and what it gave counts. */
bool launch_ok(const struct state_step *st);

#endif
