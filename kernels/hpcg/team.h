/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of a rank as one team: all of them go through the same code, each with its
 * own part of the rows, and meet at barriers that spin. Thread 0 is the kit's, and the
 * only one to call MPI.
 */
#ifndef ASSAY_KERNELS_HPCG_TEAM_H
#define ASSAY_KERNELS_HPCG_TEAM_H

#include <stdalign.h>
#include <stdatomic.h>

enum { TEAM_MOST = 1024 };

struct team {
	int n; /* threads */
	alignas(64) atomic_int arrived;
	alignas(64) atomic_int turn;
	alignas(64) double sum; /* of the last team_sum(), over all ranks */
	double waited;          /* thread 0: s in MPI's reductions */
	struct {
		alignas(64) double value;
	} part[TEAM_MOST];
};

/* Returns when all threads have called it. */
void team_barrier(struct team *t);

/* The sum of @value over all threads of all ranks, the same on each. A barrier, too. */
double team_sum(struct team *t, int thread, double value);

#endif
