/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan: what is measured, in which stages, within which limits, and what must have been
 * judged at the end. Read from configs/plans/NAME.yaml.
 */
#ifndef ASSAY_PLAN_PLAN_H
#define ASSAY_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct plan_option {
	const char *name, *value; /* option of the kernel, text as written */
	const char *where;        /* file:line:col, or "--set KERNEL.option" */
};

enum plan_on { PLAN_ON_NODE, PLAN_ON_PAIRS, PLAN_ON_SETS, PLAN_ON_ALL };
enum plan_scaling { PLAN_SCALING_NONE, PLAN_SCALING_WEAK, PLAN_SCALING_STRONG };

struct plan_step {
	const char *kernel;
	const char *name; /* unique in the stage; default: kernel[-place] */
	enum plan_on on;  /* node: one launch per node */
	/* nodes of each set for PLAN_ON_SETS: "1", "2", "all"; none: 1, 2, 4, ... all */
	const char **sizes;
	size_t n_sizes;
	enum plan_scaling scaling; /* what grows with the size of the set */
	const char *place;         /* a word of placement.h, default all-cores */
	/*
	 * Words of a program that is started instead of the kernel's own; its output is
	 * read as records of that kernel. None: the kernel.
	 */
	const char **command;
	size_t n_command;
	const char *reader; /* who reads it; default: the kernel's name */
	const char *dir;    /* where it is started, absolute, or NULL */
	double limit;       /* s of one launch; 0 = limits.step */
	double estimate; /* s of one launch as the plan's author knows it; 0 = unknown */
	/* all keys of the step that are not above */
	struct plan_option *options;
	size_t n_options;
	const char *where; /* file:line:col */
};

struct plan_stage {
	const char *name;
	bool gate;   /* a node that FAILs here stays out of later stages */
	int at_once; /* launches at the same time; 0 = all (at most 64) */
	bool one_per_chassis;
	struct plan_step *steps;
	size_t n_steps;
	const char *where;
};

/* Seconds: a node that has not answered by then hangs; ssh gives up after five. */
enum { PLAN_PROBE_LIMIT = 12 };

struct plan_limits {
	double time;    /* s of the whole run; 0 = none */
	double step;    /* s of one launch where the step does not say; default 600 */
	int rounds;     /* default 6 */
	int repeats;    /* default 5, of one step */
	double probe;   /* s for the facts of one node; default PLAN_PROBE_LIMIT */
	bool preflight; /* several nodes are tried together first; default yes */
};

struct plan {
	struct arena arena;
	const char *name;
	const char *path;
	const char *folder; /* absolute: what files that it names are relative to */
	struct plan_limits limits;
	const char **requires;
	const char **requires_where; /* file:line:col of each */
	size_t n_requires;
	struct plan_stage *stages;
	size_t n_stages;
	size_t n_preflight; /* of them, in front, added by plan_preflight() */
};

/*
 * Reads a plan. Errors are ERR_USAGE and begin with file:line:col. plan_release() after,
 * also after an error.
 */
int plan_load(struct plan *p, const char *path, struct err *e);
/* The same of a copy of a plan that was in @folder; NULL: it is where it was. */
int plan_load_copy(struct plan *p, const char *path, const char *folder, struct err *e);
void plan_release(struct plan *p);

/*
 * Puts the preflight's stages in front of the plan's own, which is for runs over several
 * (@nodes) nodes: gates, so that what fails there is known and out before anything else
 * is started. "preflight" meets all nodes without MPI (kernel fence), "fabric" sends
 * MPI's first messages (kernel transport). A stage of the plan with such a name stands
 * instead.
 */
void plan_preflight(struct plan *p, size_t nodes);
/* Takes them away again, for limits.preflight = no. */
void plan_no_preflight(struct plan *p);

/*
 * Applies one `--set KEY=VALUE`: "STAGE.key=value" (at_once, gate, or a step's key for
 * all steps of the stage), "limits.key=value" or "KERNEL.option=value". An unknown stage,
 * kernel or key is ERR_USAGE with a suggestion. Kernel options themselves are checked
 * against the kernel's own description later, by plan_check_options().
 */
int plan_set(struct plan *p, const char *assignment, struct err *e);

/*
 * Checks the options that @p gives to @kernel, and the metrics of it that @p requires,
 * against what the kernel says of itself: @describe is the JSON object its --describe
 * printed. ERR_USAGE with the place of the option (or of the requirement) for an unknown
 * name, with a suggestion, for a value of the wrong type, for a file that is not there
 * and for a problem whose size is said twice; ERR_SYSTEM when @describe is not such an
 * object. Paths of files become absolute, those of --set from where we are; where --set
 * gives a size, a share of memory or a file with sizes, the plan's own stands aside.
 */
int plan_check_options(struct plan *p, const char *kernel, const char *describe,
		       struct err *e);

/*
 * What the number of nodes, @nodes, leaves of the plan's series of sets. A step of which
 * it leaves nothing is ERR_USAGE with its place; for others with a size above it @say
 * gets a sentence, @all when sets of all nodes are among them anyway.
 */
int plan_check_nodes(const struct plan *p, size_t nodes,
		     void (*say)(void *ctx, const char *text, bool all), void *ctx,
		     struct err *e);

#endif
