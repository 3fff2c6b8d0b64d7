/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Progress of a run on stderr: step k of n, elapsed, remaining by estimate, worst so far.
 * One live line on a terminal, plain lines otherwise, never a control character then.
 */
#ifndef ASSAY_CMD_PROGRESS_H
#define ASSAY_CMD_PROGRESS_H

#include <stdio.h>

#include "reports/report.h"
#include "run/runner.h"

struct progress {
	struct runner_progress calls; /* give its address to the runner */
	FILE *out;
	bool live; /* redraw one line */
	bool quiet;
	int width;
	double t0; /* clock_now() at the start of the run */
	/* of this start, by all rounds: steps of the plan that ended and that are known;
	   the same of steps that requests want */
	size_t done, planned, extra_done, extra;
	double left;  /* s, by estimate, that the steps not ended need from `since` on */
	double since; /* clock_now() when the last step ended or a round began */
	size_t running;
	char now[160];     /* name of the step that started last */
	const char *worst; /* word, or NULL while nothing ended */
	/* asks the judge now and then; the word of the run so far, or NULL */
	const char *(*judge)(void *ctx);
	void *judge_ctx;
	double judged_at, judge_cost;
};

/* @out is stderr, @style how it may look. */
void progress_init(struct progress *p, FILE *out, const struct report_style *style,
		   bool terminal);
/* Steps of a new round, before they run. */
void progress_plan(struct progress *p, const struct steps *steps);
/* A line for the reader that is not about a step: "probing 4 nodes". */
void progress_say(struct progress *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Takes the live line away. */
void progress_end(struct progress *p);

#endif
