/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runner: starts steps, reads the records they print, journals both. One of the two
 * places that touch the world.
 */
#ifndef ASSAY_RUN_RUNNER_H
#define ASSAY_RUN_RUNNER_H

#include <signal.h>

#include "record/journal.h"
#include "run/launcher.h"

/* Seen after each event of a run, for the progress line on stderr. */
struct runner_progress {
	void (*step_started)(void *ctx, const struct step *s, size_t k, size_t n);
	void (*step_ended)(void *ctx, const struct step *s,
			   const struct record_step *ended);
	void (*tick)(void *ctx); /* about twice a second while steps run */
	void *ctx;
};

struct runner {
	const struct launcher *launcher;
	struct launcher_context context;
	struct journal *journal;
	const char *dir;           /* run folder */
	const struct state *state; /* declared metrics (plan record) and facts */
	const struct runner_progress *progress; /* may be NULL */
	/* set by a signal handler to the signal's number: stop, journal, return */
	const volatile sig_atomic_t *stop;
};

/*
 * Runs all steps, in order, as many of neighbouring steps with the same stage at the same
 * time as their at_once allows. A step that fails, hangs or prints nonsense is data: its
 * ended record says so. -1 only when the harness itself cannot go on (journal, fork).
 * When *stop was set, running steps end as "aborted" and the rest is not started.
 */
int runner_run(struct runner *r, const struct steps *steps, struct err *e);

/*
 * Runs one command on every node through reach, 64 at a time, each within @limit s, and
 * hands each node's result over. Used for the probe and the preflight.
 */
struct reach_result {
	const char *node;
	int exit;     /* exit status, -1 when it ended otherwise */
	int signal;   /* signal of our own child, 0 none */
	bool timeout; /* our limit ended it */
	double duration;
	const char *out; /* stdout, not more than 16 MiB */
	size_t out_len;
	const char *err_text; /* end of stderr */
};

int runner_reach(struct runner *r, const char *const *nodes, size_t n_nodes,
		 const char *const *words, size_t n_words, double limit,
		 int (*fn)(void *ctx, const struct reach_result *res, struct err *e),
		 void *ctx, struct err *e);

#endif
