/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Verdicts, and the summary that reports are written from. judge(state, configuration)
 * gives one struct summary; it is pure and const from then on.
 */
#ifndef ASSAY_JUDGE_VERDICT_H
#define ASSAY_JUDGE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/step.h"
#include "record/state.h"

/* In the order in which they decide for a node, a link and the run: the first wins. */
enum verdict_word {
	VERDICT_FAIL,
	VERDICT_ERROR,
	VERDICT_INCONCLUSIVE,
	VERDICT_UNJUDGED,
	VERDICT_WARN,
	VERDICT_SKIP,
	VERDICT_PASS,
	VERDICT_WORDS
};

const char *verdict_name(enum verdict_word w);
/* The one that decides. */
enum verdict_word verdict_worse(enum verdict_word a, enum verdict_word b);

struct series;

struct verdict {
	const char *id;   /* "v12": stable within one judgement of one journal */
	const char *rule; /* valid, theory, baseline, coverage, ... */
	int64_t step;     /* 0 when it is not about one step */
	const char *key;  /* key of the step(s) */
	const char *name; /* stage/name: like steps of all nodes share it */
	const char *kernel;
	const char *node, *peer; /* NULL where it does not apply */
	const char *metric;      /* "stream.triad" */
	const char *at;          /* canonical JSON or NULL */
	struct record_num value, reference, low, high, spread;
	/* what is judged, where it is not value / reference: the median of the launches'
	 * shares, each of its own reference */
	struct record_num share;
	/* low and high are the fail limits; between warn and fail it is WARN */
	struct record_num warn_low, warn_high;
	const char *unit;
	int64_t n;        /* independent runs behind the value */
	const char *from; /* origin of the reference */
	enum verdict_word word;
	const char
		*cause; /* launch, timeout, no-data, invalid, bmc, io; no-reference, .. */
	const char *why; /* one sentence */
	bool required;   /* the plan requires it */
	bool aside;      /* there was nothing it could be about: it decides nothing */
	const struct series *series; /* behind it, or NULL: judge/series.h */
};

/* The value as a share of its reference; NaN when there is none. */
double verdict_share(const struct verdict *v);

/* False for a SKIP that decides nothing: nobody has to look into it. */
bool verdict_decides(const struct verdict *v);

struct summary_node {
	const char *name, *class, *chassis;
	enum verdict_word word;
	const char *why; /* of the verdict that decided */
	bool reported;   /* at least one step on it gave a result */
	bool referenced; /* at least one PASS by baseline, theory, peers or bios */
};

struct summary_missing {
	const char *key, *node, *why; /* planned but not measured */
};

struct summary {
	struct arena arena;
	const struct state *state; /* borrowed; texts of verdicts may be its, too */
	enum verdict_word word;
	int exit;      /* d4, without the signals' 128+n */
	bool accepted; /* exit 0 of a plan that requires something */
	struct verdict *verdicts;
	size_t n_verdicts, cap_verdicts;
	struct summary_node *nodes; /* all nodes of the plan, in its order */
	size_t n_nodes;
	size_t counts[VERDICT_WORDS]; /* of verdicts */
	size_t n_reported;
	size_t steps_planned, steps_ended;
	struct summary_missing *missing;
	size_t n_missing, cap_missing;
	const char **remarks; /* lines about the run as a whole */
	size_t n_remarks, cap_remarks;
	struct series *series; /* what was judged: judge/series.h */
	size_t n_series;
	struct request *requests; /* what the next round should do */
	size_t n_requests, cap_requests;
};

#endif
