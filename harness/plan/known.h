/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of the journal and of the requests decides about the next steps, as tables: which
 * launches there were, how long they took, who is excluded, what is wanted.
 */
#ifndef ASSAY_PLAN_KNOWN_H
#define ASSAY_PLAN_KNOWN_H

#include "base/names.h"
#include "plan/step.h"

/* A number for each text that has one. */
struct known_table {
	struct names names;
	double *values;
	size_t cap;
};

struct known {
	const struct state *state; /* borrowed */
	struct known_table
		launches;        /* key and request -> its step's index in the state */
	struct known_table last; /* key -> its last step's index */
	struct known_table durations; /* name -> longest good launch so far, s */
	struct known_table excluded;  /* node -> the request, or -1 when admitted again */
	struct known_table wanted; /* target -> first request; chained by next_wanted */
	size_t *next_wanted;       /* NAMES_NONE ends a chain */
};

/* Borrows @state; the @n @requests are all there are, the journal's and new ones. */
void known_make(struct known *k, const struct state *state,
		const struct request *requests, size_t n);
void known_release(struct known *k);

/* The launch of @key that @request (NULL: the plan) wanted, NULL when there is none yet.
 */
const struct state_step *known_launch(const struct known *k, const char *key,
				      const char *request);
/* The last launch of @key whoever wanted it, or NULL. */
const struct state_step *known_last(const struct known *k, const char *key);
/* The longest good launch of the plan's step @name in s, or @unknown. */
double known_duration(const struct known *k, const char *name, double unknown);
/* The index of the request that excluded @node, NAMES_NONE while it takes part. */
size_t known_exclusion(const struct known *k, const char *node);
/* The first request whose target is @key, NAMES_NONE without one; next_wanted goes on. */
size_t known_wanted(const struct known *k, const char *key);
/* A launch that has to be done again: it was in flight, or we ended it ourselves. */
bool known_unfinished(const struct state_step *st);

#endif
