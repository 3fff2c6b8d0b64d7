/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who meets whom: rounds in which each of n players meets at most one other. The planner,
 * the kernel that measures pairs of nodes and the judge use the same rounds, so that what
 * one did not finish another goes on with.
 *
 * All pairs: the circle method (Kirkman, 1847). Of m players, n or for odd n one more who
 * is nobody, player m - 1 stands still; in round r players p and q meet where
 * p + q = r modulo m - 1, and the one with 2 p = r meets the last. After m - 1 rounds
 * everybody has met everybody once.
 *
 * Sample: rounds of that, drawn by a seed without putting them back, with the players in
 * an order drawn by it. Each is a random perfect matching, and no pair comes twice.
 */
#ifndef ASSAY_BASE_MATCHING_H
#define ASSAY_BASE_MATCHING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct matching {
	size_t n;      /* players */
	size_t m;      /* n, or n + 1 where that is even */
	size_t rounds; /* that are played, at most m - 1 */
	/* of a sample, else NULL: who stands where, where each stands, the rounds drawn
	 */
	uint32_t *who, *where, *drawn;
};

/* 3 log2 n rounded up, so that each of n players meets that many: at most m - 1. */
size_t matching_sample_rounds(size_t n);

/* All rounds, or the first @rounds of them (0: all). Needs no release. */
struct matching matching_all(size_t n, size_t rounds);

/* A sample of @rounds (0: matching_sample_rounds()). matching_release() after. */
struct matching matching_sample(size_t n, size_t rounds, uint64_t seed);
void matching_release(struct matching *m);

/* Whom @player < n meets in @round < rounds; itself when nobody. Constant time. */
size_t matching_partner(const struct matching *m, size_t round, size_t player);

/*
 * For rounds in which only @at_once pairs (0: all) may be busy at the same time: in which
 * turn of the round the pair of @player is, and how many turns a round has. A turn may
 * have fewer pairs than that.
 */
size_t matching_turn(const struct matching *m, size_t round, size_t player,
		     size_t at_once);
size_t matching_turns(const struct matching *m, size_t at_once);

/* Share of all pairs that meet, 0 .. 1. */
double matching_share(const struct matching *m);

/* The next of a row of random numbers (splitmix64, Steele and others, OOPSLA 2014). */
uint64_t matching_random(uint64_t *state);

#endif
