/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launchers: pure functions that say how a step, or one command on one node, is started.
 * One file launcher_NAME.c and one line in launchers.def each; the runner starts what
 * they give.
 */
#ifndef ASSAY_RUN_LAUNCHER_H
#define ASSAY_RUN_LAUNCHER_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/site.h"
#include "plan/step.h"

/* A file the command reads: the runner writes it into step_dir before the start. */
struct command_file {
	const char *name, *content;
};

/* What is started. Texts live in the arena given to build or reach. */
struct command {
	const char **argv; /* NULL-terminated */
	const char **env;  /* "NAME=value" to add, "NAME" or "NAME*" to remove; may be
			      NULL,  else NULL-terminated */
	struct command_file *files;
	size_t n_files;
	bool remote; /* reach: through an agent, which ends with 255 when it fails */
};

struct launcher_context {
	const struct site *site;
	const char *bindir; /* where assay and the kernels are, the same on every node */
	const char *run_id; /* value of ASSAY_RUN */
	const char *step_dir; /* DIR/steps/NNN-name, for a hostfile and the like */
	const char *host;     /* what this machine calls itself; NULL: it is asked */
	bool slurm;           /* inside an allocation: nodes are reached by srun */
	bool allow_root;
};

struct launcher {
	const char *name, *help;
	bool preflight; /* it starts ranks on several nodes, which are tried first */
	/* 0 when it can be used here and now; else -1 and why. */
	int (*usable)(const struct launcher_context *c, struct err *e);
	/* How one command is run on one node. */
	int (*reach)(const struct launcher_context *c, const char *node,
		     const char *const *words, size_t n, struct arena *a,
		     struct command *out, struct err *e);
	/* How a step's program (launcher_program() and @words) is started. */
	int (*build)(const struct launcher_context *c, const struct step *s,
		     const char *const *words, size_t n, struct arena *a,
		     struct command *out, struct err *e);
};

/* By name, or NULL. @i counts from 0 for listing: NULL at the end. */
const struct launcher *launcher_find(const char *name);
const struct launcher *launcher_at(size_t i);
/* "auto": mpirun where it is usable, else local. */
const struct launcher *launcher_auto(const struct launcher_context *c);
/*
 * The launcher of `--launcher NAME`, "auto" too, and that it is usable. An unknown name
 * (with a suggestion) or one that cannot be used here is ERR_USAGE.
 */
int launcher_pick(const struct launcher **out, const char *name,
		  const struct launcher_context *c, struct err *e);

/* For launchers. */

/* @node is this machine: its own name, with or without domain, or localhost. */
bool launcher_is_here(const struct launcher_context *c, const char *node);
/* c->bindir/assay-KERNEL, or the first word of the step's command. In @a. */
const char *launcher_program(const struct launcher_context *c, const struct step *s,
			     struct arena *a);
/* Root needs --allow-root: MPI, a wrong path, a bug, all weigh more then. */
int launcher_root(const struct launcher_context *c, const char *name, struct err *e);
/*
 * Reach as all launchers but the one for tests do it: here directly, in a Slurm
 * allocation by srun, else by the site's remote_agent, with the words quoted for the
 * shell at the other end.
 */
int launcher_reach(const struct launcher_context *c, const char *node,
		   const char *const *words, size_t n, struct arena *a,
		   struct command *out, struct err *e);
/* A list of words that grows in an arena, always NULL-terminated. */
struct words {
	const char **items;
	size_t n, cap;
};
void words_add(struct words *w, struct arena *a, const char *word);
/* The words of @text, which blanks part. */
void words_split(struct words *w, struct arena *a, const char *text);
/* @words as one line a POSIX shell reads as just these words. In @a. */
const char *words_quote(struct arena *a, const char *const *words, size_t n);

#endif
