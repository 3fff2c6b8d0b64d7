/* SPDX-License-Identifier: Apache-2.0 */
/* What a journal says of pairs, by the numbers of nodes that pairs.h works with. */
#ifndef ASSAY_JUDGE_PAIRS_DATA_H
#define ASSAY_JUDGE_PAIRS_DATA_H

#include <jansson.h>

#include "judge/pairs.h"
#include "judge/rule.h"

/* How the metrics of pairs begin, and the one of messages that never arrived. */
#define PAIRS_METRIC "net.pair_"
#define PAIRS_HANG   PAIRS_METRIC "hang"

/* A pair that was launched alone, to be measured again. */
struct pairs_again {
	uint32_t a, b;
	const struct state_step *step;
};

/* All launches of one step over pairs. */
struct pairs_data {
	const struct rule_input *in;
	const struct launch_key *base; /* of the plan's own launches */
	const struct state_step *first, *last;
	int64_t rounds, of; /* that are done, and all; 0 where nothing is said */
	struct pairs_again *again;
	size_t n_again, cap_again;
	size_t *met; /* by node: pairs with a result or without answer */
	/* of the site: group of each node, NULL without; names of the groups */
	uint32_t *group;
	struct names groups;
	json_t *site; /* or NULL */
};

/* @base is the key of a launch over several nodes. pairs_data_release() after. */
void pairs_data_make(struct pairs_data *d, const struct rule_input *in,
		     const struct launch_key *base);
void pairs_data_release(struct pairs_data *d);

/* Some launch of this key has samples of pairs. */
bool pairs_data_is(const struct rule_input *in, const struct launch_key *base);

/*
 * Values of @metric of the plan's own launches, *n of them; free() it. *unit is that of
 * the last one.
 */
struct pairs_value *pairs_data_values(const struct pairs_data *d, const char *metric,
				      size_t *n, const char **unit);

/*
 * Who answered: 1 for each pair that was measured, 0 for one where a message never
 * arrived, those that were measured again, too. *smallest is the size, in bytes, of the
 * smallest such message, 0 when there is none.
 */
struct pairs_value *pairs_data_answers(const struct pairs_data *d, size_t *n,
				       double *smallest);

/* Number of a node, NAMES_NONE for one that is not of the plan. */
size_t pairs_data_node(const struct pairs_data *d, const char *name);
const char *pairs_data_name(const struct pairs_data *d, size_t node);

/* The last launch has the node. */
bool pairs_data_in_last(const struct pairs_data *d, size_t node);

#endif
