/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs: which node, link, direction or switch is slow, seen from what pairs of nodes
 * reached? Statistics without records: the rule `pairs` and the simulations of fabrics
 * use the same functions.
 *
 * Each value becomes a share of what good pairs reach (for latencies the inverse), by its
 * logarithm. What good pairs reach is the median over the nodes of the median over each
 * node's pairs, the better one of the middle where there are two: bad nodes spoil the
 * pairs of good ones, so neither may count more than its half. Where groups of nodes
 * (those behind a leaf switch) are known, latencies inside and between them are compared
 * apart, since more switches take more time.
 *
 * The spread of good pairs is measured on the better side only, where no fault can be,
 * and moderated as in peers.h. A pair is slow when it is beyond both min_deviation and
 * what chance explains: one false alarm in a hundred over all pairs and tests of the run
 * with normal noise, and no less than the best pairs are better, for noise that is not.
 * Over many pairs chance explains less, so what they have in common is looked for first.
 * What explains the most slow pairs counts, and they are no longer looked at:
 *   - a group, all of whose pairs to others are slow (9 of 10): its uplinks, or when its
 *     pairs inside are slow, too, its leaf; two groups between which all pairs are slow;
 *   - a node, all of whose pairs are slow (3 of 4), or only what it sends or receives;
 *   - a group of which a part of the pairs to others is slow, with many nodes on both
 *     sides and far more often than elsewhere: one of several uplinks. Routes go by
 *     destination, so this may look like some nodes of a leaf that receive badly from
 *     everywhere but their own leaf;
 *   - a node that is in several slow pairs that are left: it is slow at times, as loss of
 *     packets makes it;
 *   - what is left: single pairs, or one direction of one.
 * When more is left than single faults can be, nothing is said of pairs, only that it is
 * so: paths of different length, most often, and groups that are not known.
 */
#ifndef ASSAY_JUDGE_PAIRS_H
#define ASSAY_JUDGE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAIRS_NO_GROUP UINT32_MAX

/* What one pair reached. */
struct pairs_value {
	uint32_t from, to; /* nodes; for what has no direction in any order */
	double value;      /* above 0; 0 or less: nothing arrived */
};

struct pairs_question {
	size_t nodes;
	const uint32_t *group; /* of each node, or PAIRS_NO_GROUP; NULL: not known */
	size_t groups;
	bool higher;          /* is better */
	bool directed;        /* from and to matter */
	double min_deviation; /* share by which good pairs may differ */
	size_t tests;         /* questions of this run, this one included */
};

enum pairs_kind {
	PAIRS_LEAF,    /* a is a group */
	PAIRS_UPLINK,  /* a is a group; a part of its paths when slow < of */
	PAIRS_BETWEEN, /* a and b are groups */
	PAIRS_NODE,    /* a is a node */
	PAIRS_LINK,    /* a and b are nodes */
};

/* Of whose messages: of node or group @a, or from @a to @b. */
enum pairs_way { PAIRS_BOTH, PAIRS_SENDS, PAIRS_RECEIVES };

struct pairs_pair {
	uint32_t a, b;
};

enum { PAIRS_CHECKS = 3 };

struct pairs_finding {
	enum pairs_kind kind;
	enum pairs_way way;
	uint32_t a, b;
	double share;    /* of what good pairs reach, median over what it explains */
	double limit;    /* a share below is slow here */
	size_t slow, of; /* values it explains, of how many it could be about */
	/* pairs that, measured again, confirm it: the suspect with proven partners */
	struct pairs_pair check[PAIRS_CHECKS];
	size_t n_check;
};

struct pairs {
	struct pairs_finding *findings;
	size_t n, cap;
	double reference[2]; /* what good pairs reach; [1] between groups, same unit */
	double limit;        /* least share that may be chance or does not matter */
	double sigma;        /* of one value, share */
	double *share;       /* by node: median share of its pairs, 0 for none */
	size_t *count;       /* by node: its values */
	size_t left;         /* slow values that nothing explains; not in findings when */
	bool scattered;      /* they are too many to be single faults */
};

/*
 * Judges @n values. Nodes of which nothing was measured are allowed. pairs_release()
 * after.
 */
void pairs_judge(struct pairs *p, const struct pairs_value *v, size_t n,
		 const struct pairs_question *q);
void pairs_release(struct pairs *p);

/*
 * The share of one value, for what is measured again; @between: its nodes are of
 * different groups. 0 when nothing arrived.
 */
double pairs_share(const struct pairs *p, const struct pairs_question *q, double value,
		   bool between);

/* What pairs measured again say of a finding. */
enum pairs_state {
	PAIRS_MORE, /* .check are to be measured, or once more */
	PAIRS_CONFIRMED,
	PAIRS_CLEARED,  /* it was slow once and never again */
	PAIRS_UNSTEADY, /* some were slow again */
};

/*
 * @slow of @checked pairs of .check were slow again. Of a node all have to be, unless it
 * is slow at times only: then one; of a group two of three. A single link, of which one
 * pair is all there is, is measured twice, and where these disagree four times.
 */
enum pairs_state pairs_settle(const struct pairs_finding *f, size_t slow, size_t checked);

/* Fewer are slow than would be if it always was. */
bool pairs_at_times(const struct pairs_finding *f);

/* What @f says is that messages from @from to @to are slow. */
bool pairs_concerns(const struct pairs_question *q, const struct pairs_finding *f,
		    uint32_t from, uint32_t to);

/* Nodes of different groups, both known. */
bool pairs_between(const struct pairs_question *q, uint32_t a, uint32_t b);

#endif
