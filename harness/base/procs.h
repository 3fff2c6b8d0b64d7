/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of this machine that carry a mark in their environment: the only ones that
 * are ever signalled besides a child of our own. Every process of a run has
 * ASSAY_RUN=<run id>; every child of spawn, and what it starts, also has
 * ASSAY_CHILD=<controller's pid.number>, which tells the children of one run apart.
 */
#ifndef ASSAY_BASE_PROCS_H
#define ASSAY_BASE_PROCS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct procs {
	const char *run;   /* value of ASSAY_RUN */
	const char *child; /* value of ASSAY_CHILD too; NULL: whatever it is */
	const char *spare; /* not those with this ASSAY_CHILD; NULL: none */
	pid_t group;       /* also the members of this process group; 0: none. Only
			      of a child that is not reaped: its number cannot be reused */
};

/*
 * Sends @sig (0: none) to every live process of @p but ourselves, through a handle that
 * cannot mean another process when a pid is used again. Returns how many there are;
 * zombies do not count, nor what /proc does not let us see.
 */
size_t procs_signal(const struct procs *p, int sig);

/*
 * Ends what an earlier start of a run left on this machine: TERM to every process with
 * ASSAY_RUN = @run, KILL after 2 s, until all are gone; not to those that have our own
 * ASSAY_CHILD, such as a shell that started us. *found is how many there were. A process
 * that is still there 10 s after the first KILL is ERR_SYSTEM.
 */
int procs_end_run(const char *run, size_t *found, struct err *e);

#endif
