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
	/* the @k-th of @n, in the order in which they start */
	void (*step_started)(void *ctx, const struct step *s, size_t k, size_t n);
	void (*step_ended)(void *ctx, const struct step *s,
			   const struct record_step *ended);
	void (*tick)(void *ctx); /* about twice a second while steps run */
	void *ctx;
};

struct runner {
	const struct launcher *launcher;
	struct launcher_context context; /* its step_dir is the runner's to set */
	struct journal *journal;
	const char *dir;           /* run folder */
	const struct state *state; /* declared metrics (plan record), planned steps */
	const struct runner_progress *progress; /* may be NULL */
	size_t most_records; /* bytes of records of one step; 0: HARVEST_MOST */
	bool killed;         /* set by runner_run(): SIGKILL ended a step */
	/* set by a signal handler to the signal's number: stop, journal, return */
	const volatile sig_atomic_t *stop;
};

/*
 * Runs all steps: journals all of them as planned (but those that @r->state knows as
 * planned), then runs them in order. Neighbours with the same name (stage/step) run at
 * the same time, as many as their at_once allows (at most 64), never two on one node, nor
 * two of one chassis where they name it; on each node steps keep their order. Each has
 * the folder DIR/steps/NNN-name.
 *
 * A step that fails, hangs or prints nonsense is data: its ended record says so, see
 * harvest_cause(). One that the planner refused ends as "skip" unstarted. -1 only when
 * the harness itself cannot go on (journal, folder, fork). When *stop was set, running
 * steps end as "aborted" and the rest is not started.
 */
int runner_run(struct runner *r, const struct steps *steps, struct err *e);

/*
 * What would be started for a step, nothing done: for --dry-run. In @a. -1 with ERR_USAGE
 * when the launcher cannot do it.
 */
int runner_command(const struct runner *r, const struct step *s, struct arena *a,
		   struct command *out, struct err *e);

/*
 * Runs one command on every node through reach, 64 at a time, each within @limit s, and
 * hands each node's result over as it comes. Used for the probe and the preflight. An
 * error of @fn ends it. When *stop was set the rest is not run, and 0 returned.
 */
enum reach_end {
	REACH_RAN,       /* the command ran there: exit or signal are its own */
	REACH_TRANSPORT, /* the agent failed: not found, ended by a signal, status 255 */
	REACH_TIMEOUT,   /* our limit ended it */
};

struct reach_result {
	const char *node;
	enum reach_end end;
	int exit;   /* exit status, -1 when it ended otherwise */
	int signal; /* signal of our own child, 0 none */
	double duration;
	double wall;     /* when it ended, s since the epoch by our clock */
	const char *out; /* stdout, not more than 16 MiB */
	size_t out_len;
	const char *err_text; /* end of stderr */
	const char *why;      /* one sentence when it is not exit status 0, else NULL */
};

int runner_reach(struct runner *r, const char *const *nodes, size_t n_nodes,
		 const char *const *words, size_t n_words, double limit,
		 int (*fn)(void *ctx, const struct reach_result *res, struct err *e),
		 void *ctx, struct err *e);

/*
 * What `@bindir/assay-KERNEL --describe` prints: a JSON object for the plan record's
 * `kernels`, in @a. A kernel that is not there (with a suggestion from those that are) or
 * that does not describe itself within 20 s is ERR_USAGE. @run_id as in the context.
 */
int runner_describe(const char *bindir, const char *run_id, const char *kernel,
		    struct arena *a, const char **json, struct err *e);

/*
 * What a kernel whose description says "outline" would run as @s: its line without the
 * end, in @a; *refused: why it would not.
 */
int runner_outline(const struct runner *r, const struct step *s, struct arena *a,
		   const char **text, bool *refused, struct err *e);

/* Names of the kernels in @bindir, sorted, in @a; assay-probe is none. */
const char **runner_kernels(const char *bindir, struct arena *a, size_t *n);

#endif
