/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated fleets for the comparison of peers: nodes are launched, judged and launched
 * again as the rule wishes until it wishes no more, and what it said is counted.
 */
#ifndef ASSAY_TESTS_FLEET_H
#define ASSAY_TESTS_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fleet_model {
	size_t nodes, bad; /* how many nodes lose @loss, a share, in the first metric */
	size_t metrics;    /* of each node, with noise of their own */
	double loss;
	double noise;    /* standard deviation of a launch, share of the value */
	bool heavy;      /* noise has Student's distribution with 3 degrees of freedom */
	bool persistent; /* noise is the node's: every launch of it is the same */
};

struct fleet_result {
	size_t fleets;
	size_t alarmed;                        /* fleets with a good node called FAIL */
	size_t good, good_failed, good_warned; /* nodes */
	size_t bad, bad_failed, bad_warned;
	size_t launches; /* of all nodes */
};

/* The same @seed gives the same result. */
struct fleet_result fleet_simulate(const struct fleet_model *m, size_t fleets,
				   uint64_t seed);

#endif
