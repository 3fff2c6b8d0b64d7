/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated fabrics for the inference from pairs: leaf switches with nodes, one fault,
 * noise; pairs are measured by a schedule, judged, and what is found is measured again as
 * the rule wishes.
 */
#ifndef ASSAY_TESTS_FABRIC_H
#define ASSAY_TESTS_FABRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fabric_fault {
	FABRIC_CLEAN,
	FABRIC_NODE,     /* one node, both ways */
	FABRIC_SENDS,    /* one node, what it sends */
	FABRIC_RECEIVES, /* one node, what it receives */
	FABRIC_NODES,    /* one node of a hundred, at least two */
	FABRIC_LEAF,     /* all of one leaf */
	FABRIC_UPLINK,   /* all between one leaf and others */
	FABRIC_PART,     /* a fourth of that, by pair */
	FABRIC_PART_TO,  /* what a fourth of a leaf's nodes receive from others */
	FABRIC_PAIR,     /* one pair, both ways */
	FABRIC_ONE_WAY,  /* one pair, one way */
	FABRIC_FAULTS
};

extern const char *const fabric_fault_names[FABRIC_FAULTS];

struct fabric_model {
	size_t nodes, leaf; /* nodes behind a leaf */
	enum fabric_fault fault;
	double loss;  /* share of the rate that is lost */
	double noise; /* standard deviation of a measurement, share of the value */
	bool heavy;   /* noise has Student's distribution with 3 degrees of freedom */
	bool latency; /* is measured, 40 % more between leaves; not the rate */
	bool groups;  /* are known */
	bool all;     /* pairs, not a sample */
};

struct fabric_result {
	bool found;   /* the fault was confirmed, by its right name */
	size_t wrong; /* confirmed findings that are not the fault */
	size_t cleared, unsteady;
	size_t rounds, checks; /* of the schedule, pairs measured again */
	bool scattered;
	double seconds; /* that judging took */
};

/* The same @seed gives the same result, but for .seconds. */
struct fabric_result fabric_simulate(const struct fabric_model *m, uint64_t seed);

#endif
