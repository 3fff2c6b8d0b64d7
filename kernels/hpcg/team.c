/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers and sums of a rank's threads: see team.h. */
#include <mpi.h>
#include <sched.h>

#include "base/clock.h"
#include "kernels/hpcg/team.h"

/* Turns of the spinning loop before it lets others run: some 10 us. */
enum { PATIENCE = 1000 };

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

void team_barrier(struct team *t)
{
	int turn;

	if (t->n == 1)
		return;
	turn = atomic_load_explicit(&t->turn, memory_order_relaxed);
	if (atomic_fetch_add_explicit(&t->arrived, 1, memory_order_acq_rel) == t->n - 1) {
		atomic_store_explicit(&t->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&t->turn, turn + 1, memory_order_release);
		return;
	}
	for (int i = 0; atomic_load_explicit(&t->turn, memory_order_acquire) == turn;
	     i++) {
		if (i < PATIENCE)
			relax();
		else
			(void)sched_yield();
	}
}

double team_sum(struct team *t, int thread, double value)
{
	t->part[thread].value = value;
	team_barrier(t);
	if (!thread) {
		const double start = clock_now();
		double sum = 0;

		for (int i = 0; i < t->n; i++)
			sum += t->part[i].value;
		(void)MPI_Allreduce(&sum, &t->sum, 1, MPI_DOUBLE, MPI_SUM,
				    MPI_COMM_WORLD);
		t->waited += clock_now() - start;
	}
	team_barrier(t);
	return t->sum;
}
