/* SPDX-License-Identifier: Apache-2.0 */
/* What rules share: verdicts about a series or a step, and the comparison with limits. */
#ifndef ASSAY_JUDGE_RULE_H
#define ASSAY_JUDGE_RULE_H

#include <jansson.h>

#include "judge/judge_config.h"
#include "judge/launches.h"
#include "judge/limits.h"

/* The functions of the table, rule_NAME_judge(). */
#define RULE(name, help)                                                          \
	int rule_##name##_judge(const struct rule_input *in, struct summary *out, \
				struct err *e);
#include "judge/rules.def"
#undef RULE

/* A verdict of @rule with all that is known of the series filled in. */
struct verdict *rule_series_verdict(struct summary *out, const char *rule,
				    const struct series *s);

/* A verdict of @rule about one launch; its node when there is one only. */
struct verdict *rule_step_verdict(struct summary *out, const char *rule,
				  const struct state_step *st);

/* A value against a reference, all as shares of the reference. */
struct comparison {
	double reference; /* in the unit of the series, above 0 */
	const char *from;
	struct limits shares;
	const double *values; /* one a launch, sorted */
	size_t n;
	double sigma; /* of one launch */
	const char
		*sigma_from; /* "its repetitions", for a single launch; NULL: not known */
	bool signs;          /* shares read as deviations: "-7 %" for 0.93 */
	bool not_binding;    /* FAIL becomes WARN */
	const char *binding_why; /* and why: one clause */
};

/*
 * Judges @v, made by rule_series_verdict(): fills reference, limits, word and why, which
 * is what @why holds (one clause) with the limits and the spread added. INCONCLUSIVE asks
 * for a repeat until the plan's limit, then it is WARN.
 */
void rule_compare(const struct rule_input *in, struct summary *out, struct verdict *v,
		  const struct series *s, const struct comparison *c, struct strbuf *why);

/* Adds a request; the same id twice counts once. */
void rule_request(struct summary *out, const char *id, const char *want,
		  const char *target, const char *because);

/* Adds a step or a node without result; @key and @node may be NULL. */
void rule_miss(struct summary *out, const char *key, const char *node, const char *why);

/* Adds a line about the run as a whole. */
void rule_remark(struct summary *out, const char *text);

/* Appends "-7 %" for 0.93 with @signs, else "93 %". */
void rule_add_share(struct strbuf *out, double share, bool signs);

/* Appends a number with its unit: "29.1 GB/s". */
void rule_add_value(struct strbuf *out, double value, const char *unit);

/*
 * The share by which like nodes may differ in @metric before it counts: what the site
 * record @site (NULL: there is none) says of it, or as default, else 5 %.
 */
double rule_min_deviation(const json_t *site, const char *metric);

/*
 * What is known of the node a series is about, or of the nodes it is about as one: the
 * first of them where they are alike. NULL when they are not, or nothing is known.
 */
const struct judge_node *rule_node(const struct rule_input *in, const struct series *s);

/* The series is of one core of a node: rule `cores` compares it with its like. */
bool rule_is_core(const struct series *s);

/* Why rule `theory` had nothing to compare @s with, one clause; NULL when it had. */
const char *rule_theory_why_not(const struct rule_input *in, const struct series *s);

#endif
