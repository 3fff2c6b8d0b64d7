/* SPDX-License-Identifier: Apache-2.0 */
/* The panel's broadcast: see bcast.h. */
#include "kernels/hpl/bcast.h"

#include <stdlib.h>

#include "base/mem.h"

enum { TAG = 1 };

enum bcast_kind bcast_choose(int ranks, int64_t count)
{
	return ranks > 3 && count < (int64_t)(ranks - 2) * BCAST_PIECE ? BCAST_LONG
								       : BCAST_RING;
}

static int real(const struct bcast *b, int rank)
{
	return (rank + b->root) % b->ranks;
}

/* Where the piece that comes @i-th comes from, -1: it is here already. */
static int source(const struct bcast *b, int i)
{
	if (!b->rank)
		return -1;
	if (b->kind == BCAST_RING)
		return b->rank - 1;
	if (!i)
		return 0;
	return b->rank == 1 ? b->ranks - 1 : b->rank - 1;
}

/* Whom it is given to, -1: nobody. */
static int target(const struct bcast *b, int i)
{
	const int next = b->rank + 1;

	if (b->kind == BCAST_RING)
		return next < b->ranks ? next : -1;
	if (!b->rank)
		return i + 1;
	/* all but the last that comes, which has been everywhere */
	if (i + 1 == b->pieces)
		return -1;
	return next < b->ranks ? next : 1;
}

/* The pieces in the order in which they come to this rank. */
static int piece(const struct bcast *b, int i)
{
	if (b->kind == BCAST_RING || !b->rank)
		return i;
	return (b->rank - 1 - i + b->pieces) % b->pieces;
}

static int length(const struct bcast *b, int which)
{
	const int64_t left = b->count - which * b->piece;

	return (int)(left < b->piece ? (left > 0 ? left : 0) : b->piece);
}

/* NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): other calls wait for them */
static void receive(struct bcast *b)
{
	const int which = piece(b, b->got);

	(void)MPI_Irecv(b->data + which * b->piece, length(b, which), MPI_DOUBLE,
			real(b, source(b, b->got)), TAG, b->comm, &b->in);
}

/* Passes piece @i on, when somebody is to have it. */
static void pass(struct bcast *b, int i)
{
	const int to = target(b, i), which = piece(b, i);

	b->out[i] = MPI_REQUEST_NULL;
	if (to >= 0)
		(void)MPI_Isend(b->data + which * b->piece, length(b, which), MPI_DOUBLE,
				real(b, to), TAG, b->comm, &b->out[i]);
}

void bcast_start(struct bcast *b, MPI_Comm comm, int root, enum bcast_kind kind,
		 double *data, int64_t count)
{
	b->comm = comm;
	b->root = root;
	(void)MPI_Comm_size(comm, &b->ranks);
	(void)MPI_Comm_rank(comm, &b->rank);
	b->rank = (b->rank - root + b->ranks) % b->ranks;
	b->kind = kind == BCAST_AUTO ? bcast_choose(b->ranks, count) : kind;
	b->data = data;
	b->count = count;
	if (b->ranks < 3)
		b->kind = BCAST_RING;
	b->piece = BCAST_PIECE;
	if (b->kind == BCAST_LONG)
		b->piece = (count + b->ranks - 2) / (b->ranks - 1);
	/* a length is an int in MPI, and so is the number of pieces here */
	b->pieces = b->kind == BCAST_LONG ? b->ranks - 1
					  : (int)((count + b->piece - 1) / b->piece);
	b->got = b->sent = 0;
	if (b->pieces > b->cap) {
		b->cap = b->pieces;
		b->out = mem_realloc(b->out, (size_t)b->cap, sizeof(MPI_Request));
	}
	if (b->ranks == 1)
		b->pieces = 0;
	if (!b->rank) {
		for (; b->got < b->pieces; b->got++)
			pass(b, b->got);
	} else if (b->pieces) {
		receive(b);
	}
}

bool bcast_poll(struct bcast *b)
{
	int over = 1;

	while (b->got < b->pieces && over) {
		(void)MPI_Test(&b->in, &over, MPI_STATUS_IGNORE);
		if (over) {
			pass(b, b->got);
			b->got++;
			if (b->got < b->pieces)
				receive(b);
		}
	}
	if (b->got < b->pieces)
		return false;
	while (b->sent < b->pieces) {
		(void)MPI_Test(&b->out[b->sent], &over, MPI_STATUS_IGNORE);
		if (!over)
			return false;
		b->sent++;
	}
	return true;
}

/* NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker) */

void bcast_release(struct bcast *b)
{
	free(b->out);
}
