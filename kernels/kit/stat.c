/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers over ranks, and the clock's own step. */
#include "base/clock.h"
#include "kernels/kit/kit.h"

struct kit_stat kit_stat(MPI_Comm comm, double value)
{
	struct {
		double v;
		int rank;
	} mine = {.v = value}, least, most;
	struct kit_stat s;
	double sum = 0;
	int size = 1;

	(void)MPI_Comm_size(comm, &size);
	(void)MPI_Comm_rank(comm, &mine.rank);
	(void)MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, comm);
	(void)MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
	(void)MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
	s.min = least.v;
	s.min_rank = least.rank;
	s.max = most.v;
	s.max_rank = most.rank;
	s.mean = sum / size;
	return s;
}

double kit_tick(void)
{
	double tick = 1;

	for (int i = 0; i < 100; i++) {
		const double t = clock_now();
		double d;

		do
			d = clock_now() - t;
		while (d <= 0);
		if (d < tick)
			tick = d;
	}
	return tick;
}
