/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A broadcast along a row of the grid that goes on while its ranks compute: pieces are
 * passed on as they come, whenever somebody calls bcast_poll().
 *
 * Ring: the root gives all pieces to its neighbour, each rank passes them on. Long: the
 * root gives each rank one piece, the ranks then pass the pieces around among themselves.
 * The root sends as much in both; the last rank has all after size + (ranks - 2) pieces,
 * or twice the size: long is for messages that are short for so many ranks.
 */
#ifndef ASSAY_KERNELS_HPL_BCAST_H
#define ASSAY_KERNELS_HPL_BCAST_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum bcast_kind { BCAST_AUTO, BCAST_RING, BCAST_LONG };

struct bcast {
	MPI_Comm comm;
	int rank, ranks; /* counted from the root */
	int root;
	enum bcast_kind kind;
	double *data;
	int64_t count, piece; /* doubles */
	int pieces, got, sent;
	MPI_Request in, *out; /* one a piece */
	int cap;
};

/* Doubles in a piece of a ring. */
enum { BCAST_PIECE = 32768 };

/* Pure: what BCAST_AUTO becomes. */
enum bcast_kind bcast_choose(int ranks, int64_t count);

/* Every rank of @comm. @data stays as it is until the broadcast is over. */
void bcast_start(struct bcast *b, MPI_Comm comm, int root, enum bcast_kind kind,
		 double *data, int64_t count);
/* True when this rank has everything and all it has to send is sent. */
bool bcast_poll(struct bcast *b);
void bcast_release(struct bcast *b);

#endif
