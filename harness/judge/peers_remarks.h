/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the rule `peers` says of the run as a whole: two populations, nodes that are
 * better than their like. Where several metrics say the same of the same nodes it is one
 * remark.
 */
#ifndef ASSAY_JUDGE_PEERS_REMARKS_H
#define ASSAY_JUDGE_PEERS_REMARKS_H

#include "base/names.h"
#include "judge/peers.h"
#include "judge/series.h"

struct peers_remark {
	const char *text;
	size_t more; /* other series that say the same */
};

struct peers_remarks {
	struct arena arena;
	struct names keys; /* numbers the items */
	struct peers_remark *items;
	size_t cap;
};

/* Takes note of what @p says of the @n series it judged. */
void peers_remarks_add(struct peers_remarks *r, const struct peers *p,
		       const struct series *const *series, size_t n);

/* Adds one remark when the nodes of @out are of several classes. */
void peers_remark_classes(struct summary *out);

/* Adds them to the summary, and releases them. */
void peers_remarks_put(struct peers_remarks *r, struct summary *out);

#endif
