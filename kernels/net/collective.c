/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectives of all ranks: barrier, bcast, allreduce, alltoall. Each rank takes the time
 * of its own call; all meet after it, untimed (but for the barrier, which is one). The
 * figure is the mean over the ranks of their mean times. Messages beyond what one call
 * can name go in several calls, one after the other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "kernels/net/content.h"
#include "kernels/net/net.h"

enum op { BARRIER, BCAST, ALLREDUCE, ALLTOALL };

/* No more for each buffer unless sizes are asked for: ranks of one node share it. */
static const uint64_t most_by_itself = (uint64_t)512 << 20;

/* The test's own: bcast has one buffer, .in. */
struct collective {
	unsigned char *out, *in;
	double *times, *sums; /* s of each turn: mine; on rank 0 of all ranks together */
	size_t cap_times, cap_sums;
	uint64_t piece;
};

/* What is timed; @op is a constant where it is called, so nothing of it is decided there.
 */
static inline __attribute__((always_inline)) void
call(const struct collective *c, enum op op, uint64_t size, int ranks)
{
	uint64_t at = 0;

	if (op == BARRIER) {
		(void)MPI_Barrier(MPI_COMM_WORLD);
		return;
	}
	do {
		const uint64_t left = size - at;
		const int n = (int)(left < c->piece ? left : c->piece);
		const uint64_t from = op == ALLTOALL ? at * (uint64_t)ranks : at;

		if (op == BCAST)
			(void)MPI_Bcast(c->in + from, n, MPI_CHAR, 0, MPI_COMM_WORLD);
		else if (op == ALLREDUCE)
			(void)MPI_Allreduce(c->out + from, c->in + from, n,
					    MPI_SIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
		else
			(void)MPI_Alltoall(c->out + from, n, MPI_CHAR, c->in + from, n,
					   MPI_CHAR, MPI_COMM_WORLD);
		at += (uint64_t)n;
	} while (at < size);
}

static inline __attribute__((always_inline)) void
loop(const struct collective *c, enum op op, uint64_t size, int ranks, int n)
{
	for (int i = 0; i < n; i++) {
		const double start = MPI_Wtime();

		call(c, op, size, ranks);
		c->times[i] = MPI_Wtime() - start;
		if (op != BARRIER)
			(void)MPI_Barrier(MPI_COMM_WORLD);
	}
}

static void turns(const struct collective *c, enum op op, uint64_t size, int ranks, int n)
{
	switch (op) {
	case BARRIER:
		loop(c, BARRIER, size, ranks, n);
		break;
	case BCAST:
		loop(c, BCAST, size, ranks, n);
		break;
	case ALLREDUCE:
		loop(c, ALLREDUCE, size, ranks, n);
		break;
	case ALLTOALL:
		loop(c, ALLTOALL, size, ranks, n);
		break;
	}
}

/* Contents. Who receives what from whom follows from the seed alone. */

/* The part of each piece of alltoall's buffer that is for, or from, one rank. */
struct block {
	uint64_t at, size, piece; /* the @piece-th piece */
};

static bool next_block(const struct collective *c, uint64_t size, int ranks, int rank,
		       struct block *b)
{
	const uint64_t done = b->piece * c->piece;

	if (done >= size)
		return false;
	b->size = size - done < c->piece ? size - done : c->piece;
	b->at = done * (uint64_t)ranks + b->size * (uint64_t)rank;
	b->piece++;
	return true;
}

static uint64_t block_seed(const struct kit *k, const struct net *x, int from, int to,
			   uint64_t piece)
{
	const uint64_t ranks = (uint64_t)k->ranks;

	return ((x->seed * 64 + piece) * ranks + (uint64_t)from) * ranks + (uint64_t)to;
}

/*
 * At each place one rank adds 1 to 127 and all others 0, so every rank knows the sum. It
 * stays below 128: vector code of Open MPI 4.1 adds bytes with saturation where the C
 * code beside it wraps round.
 */
static unsigned char sum_at(uint64_t seed, uint64_t i, uint64_t ranks, uint64_t *adder)
{
	const uint64_t x = ((i + 1) * 0x9E3779B97F4A7C15U) ^ (seed * 0xD1B54A32D192ED03U);

	*adder = (x >> 40) % ranks;
	return (unsigned char)(1 + (x >> 33) % 127);
}

static void fill(const struct kit *k, struct net *x, enum op op, uint64_t size)
{
	const struct collective *c = x->own;
	uint64_t adder;

	x->seed++;
	if (op == BARRIER)
		return;
	memset(c->in, 0, op == ALLTOALL ? size * (uint64_t)k->ranks : size);
	if (op == BCAST && !k->rank)
		content_fill(c->in, size, x->seed);
	for (uint64_t i = 0; op == ALLREDUCE && i < size; i++) {
		const unsigned char v = sum_at(x->seed, i, (uint64_t)k->ranks, &adder);

		c->out[i] = adder == (uint64_t)k->rank ? v : 0;
	}
	for (int to = 0; op == ALLTOALL && to < k->ranks; to++) {
		struct block b = {0};

		while (next_block(c, size, k->ranks, to, &b))
			content_fill(c->out + b.at, b.size,
				     block_seed(k, x, k->rank, to, b.piece));
	}
}

static uint64_t check(const struct kit *k, const struct net *x, enum op op, uint64_t size)
{
	const struct collective *c = x->own;
	uint64_t wrong = 0, adder;

	if (op != BARRIER && size && size == x->spoil)
		c->in[size - 1] ^= 1;
	if (op == BCAST)
		return content_wrong(c->in, size, x->seed);
	for (uint64_t i = 0; op == ALLREDUCE && i < size; i++)
		wrong += c->in[i] != sum_at(x->seed, i, (uint64_t)k->ranks, &adder);
	for (int from = 0; op == ALLTOALL && from < k->ranks; from++) {
		struct block b = {0};

		while (next_block(c, size, k->ranks, from, &b))
			wrong += content_wrong(c->in + b.at, b.size,
					       block_seed(k, x, from, k->rank, b.piece));
	}
	return wrong;
}

/* Figures */

/* Rank 0: what all ranks' times of each turn say. */
static void summarise(struct kit *k, const struct collective *c, int n,
		      struct net_figures *f)
{
	double mine = 0;
	struct kit_stat s;

	for (int i = 0; i < n; i++)
		mine += c->times[i] / n;
	s = kit_stat(MPI_COMM_WORLD, mine);
	(void)MPI_Reduce(c->times, c->sums, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (k->rank)
		return;
	f->turns = n;
	f->value = s.mean;
	f->min = s.min;
	f->max = s.max;
	for (int i = 0; i < n; i++)
		c->sums[i] /= k->ranks;
	net_tail(c->sums, n, f->tail);
}

/*
 * What this rank's node sent to others at least, of @bytes a rank gave to all turns
 * together: what else is sent, and by whom, is MPI's affair.
 */
static void count_sent(const struct kit *k, struct net *x, enum op op, uint64_t bytes)
{
	const bool several = k->local_ranks < k->ranks;
	const uint64_t others = (uint64_t)(k->ranks - k->local_ranks);

	if (op == ALLTOALL)
		x->far += others * bytes;
	else if (several && (op == BCAST ? !k->rank : op == ALLREDUCE && !k->local_rank))
		x->far += bytes;
	else if (!several && op != BARRIER)
		x->near += bytes;
}

static void measure(struct kit *k, struct net *x, enum op op, uint64_t size,
		    struct net_figures *f)
{
	const struct measure_how how = net_how(x, size);
	struct collective *c = x->own;
	const size_t n = (size_t)(how.turns > how.warmup ? how.turns : how.warmup);

	mem_grow(&c->times, &c->cap_times, n, sizeof(*c->times));
	mem_grow(&c->sums, &c->cap_sums, n, sizeof(*c->sums));
	c->piece = x->piece;
	if (!how.each) {
		fill(k, x, op, size);
		(void)MPI_Barrier(MPI_COMM_WORLD);
		turns(c, op, size, k->ranks, how.warmup);
		turns(c, op, size, k->ranks, how.turns);
		f->wrong = check(k, x, op, size);
	}
	for (int i = -how.warmup; how.each && i < how.turns; i++) {
		struct collective one = *c;

		one.times = &c->times[i < 0 ? 0 : i];
		fill(k, x, op, size);
		(void)MPI_Barrier(MPI_COMM_WORLD);
		turns(&one, op, size, k->ranks, 1);
		f->wrong += check(k, x, op, size);
	}
	count_sent(k, x, op, size * (uint64_t)(how.warmup + how.turns));
	summarise(k, c, how.turns, f);
}

/* Buffers */

/* Collective: sizes down to what every rank has the memory for. */
static int limit_sizes(struct kit *k, struct net *x, uint64_t ranks, int buffers,
		       struct err *e)
{
	const bool asked = kit_option(k, "message-size")[0];
	const uint64_t wanted = x->sizes.max;
	uint64_t usable = 0, least;
	char text[UNITS_TEXT];

	if (kit_usable_memory(k, &usable, e))
		usable = 0; /* the others wait; this rank says why */
	(void)MPI_Allreduce(&usable, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
	if (!usable)
		return -1;
	least /= (uint64_t)buffers;
	if (!asked && least > most_by_itself)
		least = most_by_itself;
	while (x->sizes.max / 2 >= x->sizes.min && x->sizes.max > least / ranks)
		x->sizes.max /= 2;
	(void)units_format_memory(text, sizeof(text), (double)least);
	if (x->sizes.max > least / ranks)
		return k->rank ? err_set(e, ERR_SYSTEM, "%s", "")
			       : kit_skip(k, e,
					  "messages of %llu bytes for %d ranks: more "
					  "than the %s there are for a buffer",
					  (unsigned long long)x->sizes.min, k->ranks,
					  text);
	if (x->sizes.max < wanted && !k->rank)
		kit_event(k, "remark",
			  "messages above %llu bytes left out: a buffer for %d ranks has "
			  "%s",
			  (unsigned long long)x->sizes.max, k->ranks, text);
	return 0;
}

static int setup_buffers(struct kit *k, struct net *x, uint64_t ranks, int buffers,
			 struct err *e)
{
	struct collective *c = x->own = mem_calloc(1, sizeof(*c));

	if (buffers && limit_sizes(k, x, ranks, buffers, e))
		return -1;
	c->in = measure_buffer(x->sizes.max * ranks, e);
	c->out = c->in && buffers > 1 ? measure_buffer(x->sizes.max * ranks, e) : NULL;
	return c->in && (c->out || buffers < 2) ? 0 : -1;
}

static int setup_none(struct kit *k, struct net *x, struct err *e)
{
	return setup_buffers(k, x, 1, 0, e);
}

static int setup_one(struct kit *k, struct net *x, struct err *e)
{
	return setup_buffers(k, x, 1, 1, e);
}

static int setup_two(struct kit *k, struct net *x, struct err *e)
{
	return setup_buffers(k, x, 1, 2, e);
}

static int setup_blocks(struct kit *k, struct net *x, struct err *e)
{
	return setup_buffers(k, x, (uint64_t)k->ranks, 2, e);
}

static void teardown(struct net *x)
{
	struct collective *c = x->own;

	if (!c)
		return;
	free(c->in);
	free(c->out);
	free(c->times);
	free(c->sums);
	free(c);
}

static void barrier(struct kit *k, struct net *x, uint64_t size, struct net_figures *f)
{
	measure(k, x, BARRIER, size, f);
}

static void bcast(struct kit *k, struct net *x, uint64_t size, struct net_figures *f)
{
	measure(k, x, BCAST, size, f);
}

static void allreduce(struct kit *k, struct net *x, uint64_t size, struct net_figures *f)
{
	measure(k, x, ALLREDUCE, size, f);
}

static void alltoall(struct kit *k, struct net *x, uint64_t size, struct net_figures *f)
{
	measure(k, x, ALLTOALL, size, f);
}

#define COLLECTIVE(name_, setup_, max_)            \
	const struct net_test net_##name_ = {      \
		.name = #name_,                    \
		.metric = "net." #name_,           \
		.ranks = 2,                        \
		.of_all = true,                    \
		.collective = true,                \
		.counts = {1000, 100, 100, 10},    \
		.sizes = {(max_) ? 1 : 0, (max_)}, \
		.setup = (setup_),                 \
		.measure = (name_),                \
		.teardown = teardown,              \
	}

COLLECTIVE(barrier, setup_none, 0);
COLLECTIVE(bcast, setup_one, (uint64_t)1 << 20);
COLLECTIVE(allreduce, setup_two, (uint64_t)1 << 20);
COLLECTIVE(alltoall, setup_blocks, (uint64_t)1 << 20);
