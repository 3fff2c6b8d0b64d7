/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Slurm allocation around this process: its nodes from the environment, their states
 * and the rest of the job's time from sinfo and squeue. What those two say only refines
 * the run: one that is missing, fails or hangs costs a remark, not the run.
 */
#ifndef ASSAY_RUN_SLURM_H
#define ASSAY_RUN_SLURM_H

#include "base/arena.h"
#include "base/err.h"
#include "run/launcher.h"

/* A zeroed struct is no allocation. */
struct slurm {
	struct arena arena;
	const char *job;    /* SLURM_JOB_ID, which srun and squeue need; may be NULL */
	const char **nodes; /* of the allocation, each once; none: not inside of one */
	size_t n_nodes;
	int *cpus;  /* granted on each node; NULL: not said */
	int *tasks; /* granted on each node; NULL: not said */
};

/*
 * Reads SLURM_JOB_NODELIST, SLURM_JOB_CPUS_PER_NODE and SLURM_TASKS_PER_NODE. In a prolog
 * or epilog (SLURM_SCRIPT_CONTEXT), where no step can be started, there is no allocation.
 * ERR_USAGE for a list that is none and for counts that do not fit its nodes.
 * slurm_release() after, also after an error.
 */
int slurm_load(struct slurm *s, struct err *e);
void slurm_release(struct slurm *s);

/*
 * "40,8(x2),16" as one number for each of @n nodes, in @a. ERR_USAGE when it is not that
 * or stands for another number of nodes.
 */
int slurm_counts(const char *text, size_t n, struct arena *a, int **counts,
		 struct err *e);

/*
 * Time as squeue prints it: [days-][hours:]minutes:seconds in s, INFINITY for UNLIMITED
 * and NOT_SET. ERR_USAGE for all else, also for INVALID, the word for a time in the past.
 */
int slurm_duration(const char *text, double *seconds, struct err *e);

/* What Slurm says of the nodes asked for, and of the time. Texts are in an arena. */
struct slurm_view {
	/* for each node: NULL, or why it is left out: "not tested (down*)" */
	const char **not_tested;
	double time_left;     /* s until the job ends; INFINITY: no limit, or not known */
	struct words remarks; /* a sentence each; of nodes alike one for all of them */
};

/*
 * Asks for the states of @nodes, each named once. ERR_USAGE when some are not in the
 * allocation, unless they are down, drained or failed, so that nobody could allocate
 * them: those and nodes of the allocation with such a state are not tested. Outside of an
 * allocation nothing is asked. @run_id as in the launcher's context. Texts in @a.
 */
int slurm_nodes(const struct slurm *s, const char *run_id, const char *const *nodes,
		size_t n, struct arena *a, struct slurm_view *v, struct err *e);

/* Asks for the rest of the job's time; adds to @v what slurm_nodes() began. */
int slurm_time(const struct slurm *s, const char *run_id, struct arena *a,
	       struct slurm_view *v, struct err *e);

#endif
