/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of rule `facts`: what one node is, against what it should be. Each part looks at
 * one thing and says so under a metric of its own (facts.pcie, facts.dimms, ...): at most
 * one verdict that is good for each node and part.
 */
#ifndef ASSAY_JUDGE_FACTS_H
#define ASSAY_JUDGE_FACTS_H

#include <jansson.h>

#include "judge/rule.h"

struct facts_look {
	struct summary *out;
	const char *name; /* of the node, as long-lived as the summary */
	const struct judge_node *node;
	const json_t *facts;  /* harness/host/facts.h */
	const json_t *expect; /* key -> text as the site file has it; may be NULL */
	bool required;        /* the plan asks for this part */
};

/*
 * What a part found on a node. It starts as { 0 } and is good until something is added
 * that is not; finding_put() ends it.
 */
struct finding {
	enum verdict_word word; /* valid when `bad` holds something */
	struct strbuf bad, good;
};

/* Adds one clause; of those that are good only as long as nothing else is there. */
void finding_add(struct finding *f, enum verdict_word word, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The verdict @metric of what was found, or NULL when nothing was looked at. Empties @f.
 */
struct verdict *finding_put(const struct facts_look *l, const char *metric,
			    struct finding *f);

/* The fact at "group.fact"; NULL when it is not known. */
const json_t *facts_get(const struct facts_look *l, const char *path);
/* The number there, NaN when it is not known. */
double facts_num(const struct facts_look *l, const char *path);
/* Why it could not be read: "no permission", or the reason; NULL when there is none. */
const char *facts_why_not(const struct facts_look *l, const char *path);

/* What the site expects: the text, or the number in @unit (NULL: a count); NULL, NaN. */
const char *facts_expected(const struct facts_look *l, const char *key);
double facts_expected_num(const struct facts_look *l, const char *key, const char *unit);

/* Names of @list, at most four: "A5, A6 and 3 more". */
void facts_add_names(struct strbuf *out, const json_t *list);

/* The parts. True when there was something to look at. */
bool facts_pcie(const struct facts_look *l);  /* facts_pcie.c */
bool facts_port(const struct facts_look *l);  /* facts_port.c */
bool facts_dimms(const struct facts_look *l); /* facts_dimms.c */
bool facts_cpu(const struct facts_look *l);   /* facts_cpu.c: CPUs and NUMA domains */
bool facts_numa(const struct facts_look *l);
bool facts_clean(const struct facts_look *l); /* facts_clean.c */
bool facts_clock(const struct facts_look *l);
bool facts_expect(const struct facts_look *l); /* facts_expect.c */

#endif
