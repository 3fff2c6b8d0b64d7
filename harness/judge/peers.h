/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers: is the value of one node like those of its like? Statistics and policy without
 * records: the rule `peers` and the simulations of fleets use the same functions. A
 * "node" may be anything that has like ones beside it, the cores of one machine as well.
 *
 * Values are compared with their median. A worse one is off when it is beyond both
 *   - min_deviation, the share of the median by which like nodes may differ, and
 *   - what chance explains: t s, where s is the spread of the values by their MAD, and t
 *     Student's quantile for one false alarm in a hundred over all nodes and all tests of
 *     the run (Bonferroni).
 * The MAD of a few values is a poor measure of their spread, so it is moderated as in
 * Smyth (Stat. Appl. Genet. Mol. Biol. 3:3, 2004): s^2 is the mean of MAD's, which has
 * 0.37 (n - 1) degrees of freedom, MAD's efficiency (Rousseeuw and Croux, JASA 88:1273,
 * 1993), and of an expectation with 8: min_deviation is three standard deviations, plus
 * the noise of a launch where it is known. The weight 8 was found by simulation, see
 * tests/bench/RESULTS.md: with less, four nodes hide a fault of 10 or 20 %, with more,
 * nodes that differ by 2 % for good raise false alarms. A MAD of 0 is nothing special.
 *
 * Neither median nor MAD sees a bad half, so two populations are looked for first: the
 * cut that leaves the smallest sum of absolute deviations from the two medians, with more
 * than a quarter of the values on each side. They are two when their medians are further
 * apart than min_deviation, than 3 times the spread inside of them by MAD alone, and than
 * t (at least 4) times the moderated one: of one population, be it normal, uniform or
 * heavy-tailed, the halves are less than 3 apart (Ashman's D, AJ 108:2348, 1994, with
 * medians and MAD). Each is then judged by itself.
 */
#ifndef ASSAY_JUDGE_PEERS_H
#define ASSAY_JUDGE_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#include "judge/verdict.h"

enum {
	PEERS_FEWEST = 4, /* nodes; fewer cannot outvote a bad one */
	PEERS_SMALL = 32, /* below, launches of all nodes are repeated to know noise */
	PEERS_AGREE = 3,  /* so many launches that agree are certain, */
	PEERS_MEDIAN = 5, /* and so is the median of so many */
};

/* One node's value: the median of its launches, and their range. */
struct peers_value {
	double value, low, high;
	size_t launches;
};

struct peers_question {
	bool higher;          /* is better */
	double min_deviation; /* share of the median */
	size_t tests; /* series that are compared in this run, this one included */
};

struct peers_population {
	double median, sigma; /* in the unit of the values; sigma is the moderated one */
	double chance;        /* t s: how far off a value may be by chance */
	size_t n;
};

struct peers {
	struct peers_question asked;
	size_t n_populations; /* 1, or 2; 0: fewer than PEERS_FEWEST values */
	struct peers_population populations[2]; /* the better one first */
	double cut;                             /* between two populations */
	bool noise_known; /* launches of at least half of the nodes were repeated */
};

/* Judges the population(s) of @v. Values are finite. */
void peers_judge(struct peers *p, const struct peers_value *v, size_t n,
		 const struct peers_question *q);

/* The population @value belongs to. */
const struct peers_population *peers_of(const struct peers *p, double value);

enum peers_place {
	PEERS_BETTER, /* beyond both limits, on the good side */
	PEERS_ALIKE,
	PEERS_NEAR, /* one and a half times beyond one limit, and beyond half of the other
		     */
	PEERS_OFF,  /* beyond both limits */
	PEERS_FAR,  /* beyond both limits twice */
};

/* Where @value is in its population. */
enum peers_place peers_place(const struct peers *p, double value);

/* How far @value is on the bad side of the median of its population, in its unit. */
double peers_off(const struct peers *p, double value);

struct peers_opinion {
	enum verdict_word word;
	enum peers_place place;
	bool slower;   /* of the worse of two populations */
	bool unsteady; /* the median is good, but a launch was far off */
	bool blind;    /* like nodes differ so much that not even 0 would be off */
	size_t more;   /* launches wanted before it is certain */
};

/*
 * What is said of a node, of whose launch @allowed more may be made.
 *
 * One launch may be disturbed by anything, so a node that is off is INCONCLUSIVE until
 * three launches agree or the median of five says so, then FAIL; WARN when no more are
 * allowed. A node that is far off is FAIL at once, but measured again all the same, which
 * may clear it. A node that is near is WARN, and measured again where what it lacks
 * matters; WARN are also a node whose launches disagree, all of a worse population, and
 * all where chance reaches down to nothing: what cannot fail is no proof.
 */
struct peers_opinion peers_opinion(const struct peers *p, const struct peers_value *v,
				   size_t allowed);

/*
 * Launches wanted of every node, to know the noise, since @o is the opinion about one of
 * @n: in a small fleet there is not enough to judge it by otherwise. 0 when none are.
 */
size_t peers_wanted_of_all(const struct peers_opinion *o, size_t n);

#endif
