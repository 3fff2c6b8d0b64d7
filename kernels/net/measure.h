/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latency and bandwidth between two ranks. The method is that of the OSU micro-benchmarks
 * 7.x, so that figures can be compared:
 *
 *   ping-pong   one message there and one back; half the time of a turn
 *   there       a window of messages at once, the receiver answers the whole of it with
 *               one byte; bytes of the window over the time of a turn
 *   both ways   a window from each end to the other at once; the bytes of both over time
 *
 * The mean is over all turns together. One buffer serves all messages of a window.
 * Messages larger than one MPI call can name go in pieces, all under way at once.
 *
 * Two ways to say how long: by turns, as OSU does; or by time, for a link of which
 * nothing is known yet. The second starts with a single message and grows window and
 * turns as far as the time allows, so that a link that is a hundred times slower than
 * its like costs no more time than they do.
 *
 * What was received is checked after the clock has stopped. MPI's errors are fatal, as
 * they are by default; a peer that is gone or stuck is for the kit's watchdog.
 */
#ifndef ASSAY_KERNELS_NET_MEASURE_H
#define ASSAY_KERNELS_NET_MEASURE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Bytes of one MPI call at most: below what an int counts and fabrics take. */
#define MEASURE_PIECE ((uint64_t)1 << 30)

/* There is from the first to the other, back from the other to the first. */
enum measure_way { MEASURE_PING_PONG, MEASURE_THERE, MEASURE_BACK, MEASURE_BOTH };

/* This rank's end of a pair; the other rank has one of its own. */
struct measure_end {
	MPI_Comm comm;
	int rank, peer; /* in it */
	bool first;     /* of the two: the smaller rank */
	uint64_t room;  /* bytes of the largest message */
	uint64_t piece; /* MEASURE_PIECE; tests set less */
	uint64_t spoil; /* for tests: what is received of this size is changed */
	unsigned char *out, *in;
	uint64_t seed; /* of the last contents */
	uint64_t sent; /* bytes of messages so far */
	MPI_Request *requests;
	double *times; /* s of each turn, as far as this end kept the time */
	size_t cap_requests, cap_times;
};

struct measure_how {
	int window;     /* messages under way at once; a ping-pong has one */
	int warmup;     /* turns that do not count; 1 with .seconds */
	int turns;      /* that count; with .seconds at most */
	double seconds; /* 0: just .warmup and .turns; else about as long, and one turn */
	/* its ranks meet twice before each turn, all with the same .turns; NULL: nobody
	 * does */
	const MPI_Comm *meet;
	bool each; /* every turn has its own contents and is checked, not the last; not
		   with .seconds */
};

struct measure_turns {
	int turns, window;
};

/* The same at both ends, but for .wrong. */
struct measure_figure {
	double value; /* s (ping-pong), B/s */
	/* of the turns: s (ping-pong), B/s; 90: as large as 90 % of them or larger */
	double p50, p90, p99;
	int turns, window; /* that it is made of */
	uint64_t wrong;    /* bytes received at this end that were not what was sent */
};

/*
 * Makes an end with buffers for messages of up to @room bytes, touched by the calling
 * thread. ERR_SYSTEM without memory. measure_close() after, also after an error.
 */
int measure_open(struct measure_end *end, MPI_Comm comm, uint64_t room, struct err *e);
void measure_close(struct measure_end *end);

/* From now on with rank @peer of the communicator, which does the same with this one. */
void measure_with(struct measure_end *end, int peer);

/*
 * Collective over the two: measures messages of @size bytes, at most .room. Both give the
 * same arguments.
 */
void measure_run(struct measure_end *end, enum measure_way way, uint64_t size,
		 const struct measure_how *how, struct measure_figure *f);

/*
 * The same without figures: the end that keeps the time has the s of each turn in .times.
 * Gives those turns and their window; *@wrong as above.
 */
struct measure_turns measure_times(struct measure_end *end, enum measure_way way,
				   uint64_t size, const struct measure_how *how,
				   uint64_t *wrong);

/* Touched memory for messages; free() it. ERR_SYSTEM where there is none. */
void *measure_buffer(uint64_t bytes, struct err *e);

/*
 * The @percent-th percentile of @n > 0 rising numbers, as OSU takes it: the value of
 * number round(n * percent / 100), counted from 1.
 */
double measure_percentile(const double *rising, int n, int percent);

#endif
