/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of all sizes, each with a time limit: see ladder.h. */
#include "ladder.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"

enum { STEP = 8 };

/* A message each way; false when one has not come in time. */
static bool arrives(const struct ladder *l, uint64_t size)
{
	MPI_Request both[2];
	const double limit = clock_now() + l->patience;
	int done = 0;

	/* one that never comes stays open: only the end of the job gets rid of it */
	/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker) */
	(void)MPI_Irecv(l->in, (int)size, MPI_BYTE, l->peer, l->tag, l->comm, &both[0]);
	(void)MPI_Isend(l->out, (int)size, MPI_BYTE, l->peer, l->tag, l->comm, &both[1]);
	while (!done) {
		(void)MPI_Testall(2, both, &done, MPI_STATUSES_IGNORE);
		if (!done && clock_now() > limit)
			return false;
	}
	return true;
}
/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

uint64_t ladder_climb(const struct ladder *l, uint64_t *arrived)
{
	uint64_t size = l->least < l->most ? l->least : l->most;

	if (arrived)
		*arrived = 0;
	for (;;) {
		if (!arrives(l, size))
			return size;
		if (arrived)
			*arrived = size;
		if (size >= l->most)
			return 0;
		size = size < l->most / STEP ? size * STEP : l->most;
		if (!size)
			size = 1;
	}
}
