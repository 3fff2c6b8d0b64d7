/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launchers: pure functions that say how a step, or one command on one node, is started.
 * One file launcher_NAME.c and one line in launchers.def each; the runner starts what
 * they give.
 */
#ifndef ASSAY_RUN_LAUNCHER_H
#define ASSAY_RUN_LAUNCHER_H

#include "base/arena.h"
#include "base/err.h"
#include "plan/site.h"
#include "plan/step.h"

/* What is started. Texts live in the arena given to build or reach. */
struct command {
	const char **argv; /* NULL-terminated */
	const char **env;  /* "NAME=value" to add, "NAME" to remove; NULL-terminated */
};

struct launcher_context {
	const struct site *site;
	const char *bindir; /* where assay and the kernels are, the same on every node */
	const char *run_id; /* value of ASSAY_RUN */
	const char *step_dir; /* DIR/steps/NNN-name, for a hostfile and the like */
	bool allow_root;
};

struct launcher {
	const char *name, *help;
	/* 0 when it can be used here and now; else -1 and why. */
	int (*usable)(const struct launcher_context *c, struct err *e);
	/* How one command is run on one node. */
	int (*reach)(const struct launcher_context *c, const char *node,
		     const char *const *words, size_t n, struct arena *a,
		     struct command *out, struct err *e);
	/* How a step's kernel (c->bindir/assay-KERNEL and @words) is started. */
	int (*build)(const struct launcher_context *c, const struct step *s,
		     const char *const *words, size_t n, struct arena *a,
		     struct command *out, struct err *e);
};

/* By name, or NULL. @i counts from 0 for listing: NULL at the end. */
const struct launcher *launcher_find(const char *name);
const struct launcher *launcher_at(size_t i);
/* "auto": mpirun where it is usable, else local. */
const struct launcher *launcher_auto(const struct launcher_context *c);

#endif
