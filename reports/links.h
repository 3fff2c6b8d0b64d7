/* SPDX-License-Identifier: Apache-2.0 */
/* Links: the worst that was said about each pair of nodes, whichever was named first. */
#ifndef ASSAY_REPORTS_LINKS_H
#define ASSAY_REPORTS_LINKS_H

#include "base/names.h"
#include "judge/verdict.h"

struct report_link {
	const struct verdict *worst; /* the first of the worst: names, word, why */
	size_t n;                    /* verdicts about this pair */
};

struct links {
	struct names pairs; /* numbers the items */
	struct report_link *items;
	size_t n, cap;
};

/* Links of @s in the order of their first verdict; links_release() after. */
void links_collect(struct links *links, const struct summary *s);
void links_release(struct links *links);

#endif
