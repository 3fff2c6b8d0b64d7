/* SPDX-License-Identifier: Apache-2.0 */
/* Summaries made by hand, which the tests of the report writers write out. */
#ifndef ASSAY_TESTS_GOLDEN_SUMMARIES_H
#define ASSAY_TESTS_GOLDEN_SUMMARIES_H

#include "judge/verdict.h"

struct made {
	struct state state;
	struct summary summary;
};

struct made_case {
	const char *name;
	void (*make)(struct made *m);
};

/* NULL-terminated by name. */
extern const struct made_case made_cases[];

/* @nodes nodes with @metrics metrics each; every node of which the word is not PASS has
 * it for all its metrics; one node in @every has the word @word. */
void make_fleet(struct made *m, size_t nodes, size_t metrics, enum verdict_word word,
		size_t every);
void made_release(struct made *m);

#endif
