/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of measured pairs while pairs_judge() looks for what explains the slow ones.
 */
#ifndef ASSAY_JUDGE_PAIRS_GRAPH_H
#define ASSAY_JUDGE_PAIRS_GRAPH_H

#include "judge/pairs.h"

/* x of what never arrived: the share e^-100 is nothing, and sums stay finite. */
#define PAIRS_NOTHING (-100.0)

struct pairs_edge {
	uint32_t from, to;
	bool between;   /* its nodes are of different groups */
	bool explained; /* by a finding: nobody looks at it any more */
	double x;       /* logarithm of its share; below 0 is worse than good pairs */
};

struct pairs_graph {
	const struct pairs_question *q;
	struct pairs *out;
	struct pairs_edge *edges;
	size_t n;
	/* edges of node i: list[first[i] .. first[i + 1]) */
	size_t *first;
	uint32_t *list;
	double dev;    /* -x from which a slow pair matters: min_deviation */
	double chance; /* -x that chance explains for one pair */
	double tail;   /* x that the best pairs reach: the noise's tail, if it has one */
	double *room;  /* n values to work with */
};

/* -x beyond which @n values together are slow. */
double pairs_limit(const struct pairs_graph *g, size_t n);

/* Fills out->findings, left and scattered. */
void pairs_explain(struct pairs_graph *g);

/* Looks for slow groups and adds the best, 1; 0: there is none. */
bool pairs_explain_group(struct pairs_graph *g);
/* What only shows once nodes and whole groups are known: one uplink of several. */
void pairs_explain_parts(struct pairs_graph *g);

/* Fills share, slow, of and n_check of @f from the edges it is about, and adds it. */
void pairs_add(struct pairs_graph *g, struct pairs_finding *f);

#endif
