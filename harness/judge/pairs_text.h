/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of rule `pairs`: what is slow, by how much, and where to look next. */
#ifndef ASSAY_JUDGE_PAIRS_TEXT_H
#define ASSAY_JUDGE_PAIRS_TEXT_H

#include "judge/pairs_repeats.h"

/* What is being said of one metric. */
struct pairs_talk {
	const struct pairs_data *data;
	const char *metric, *unit;
	bool higher;
	double reference; /* what good pairs reach */
};

/* "all 14 pairs of n05 reach 25 % of ...: node, port or cable of n05" */
void pairs_text_finding(const struct pairs_talk *t, const struct pairs_finding *f,
			struct strbuf *out);

/* "; alone n1 to n4 reached 6.00 GB/s and n4 to n1 5.80 GB/s, ...": @r has some such. */
void pairs_text_both(const struct pairs_talk *t, const struct pairs_repeats *r,
		     struct strbuf *out);

/* "; look with: ..." for what @f suspects. */
void pairs_text_look(const struct pairs_talk *t, const struct pairs_finding *f,
		     struct strbuf *out);

#endif
