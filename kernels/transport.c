/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-transport: the first messages of MPI. Each rank and the next one exchange a small
 * and a large message, checked byte by byte; then each node says which of its interfaces
 * carried them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "kernels/kit/kit.h"
#include "ladder.h"
#include "wires.h"

enum { SMALL = 8, SMALL_TURNS = 20, TAG_LADDER = 1, HUNG = 3 };

static const struct kit_metric metrics[] = {
	{.name = "transport.latency",
	 .unit = "s",
	 .better = "lower",
	 .reduce = "median",
	 .unrated = true,
	 .help = "half the time there and back of 8 bytes between two ranks"},
	{.name = "transport.bandwidth",
	 .unit = "B/s",
	 .better = "higher",
	 .reduce = "median",
	 .unrated = true,
	 .help = "of the large message, one way at a time"},
	{.name = NULL},
};

static const struct kit_option options[] = {
	{.name = "size",
	 .type = KIT_SIZE,
	 .def = "1M",
	 .min = SMALL,
	 .max = 1 << 30,
	 .help = "bytes of the large message"},
	{.name = "ntimes",
	 .type = KIT_INT,
	 .def = "5",
	 .min = 1,
	 .max = 10000,
	 .help = "repetitions"},
	{.name = "patience",
	 .type = KIT_TIME,
	 .def = "5",
	 .help = "a first message of its size that takes longer never comes"},
	{.name = NULL},
};

struct transport {
	int size, ntimes;
	double patience; /* s */
	unsigned char *out, *in;
	int wrong;        /* messages that were not what was sent */
	uint64_t payload; /* bytes sent to other nodes */
	int *local;       /* by rank: its rank in k->node, MPI_UNDEFINED elsewhere */
};

static int find_local(struct kit *k, struct transport *x)
{
	int *all = mem_calloc((size_t)k->ranks, sizeof(*all));
	MPI_Group world, node;
	int rc = 0;

	x->local = mem_calloc((size_t)k->ranks, sizeof(*x->local));
	for (int i = 0; i < k->ranks; i++)
		all[i] = i;
	rc |= MPI_Comm_group(MPI_COMM_WORLD, &world);
	rc |= MPI_Comm_group(k->node, &node);
	rc |= MPI_Group_translate_ranks(world, k->ranks, all, node, x->local);
	rc |= MPI_Group_free(&world);
	rc |= MPI_Group_free(&node);
	free(all);
	return rc;
}

static int setup(struct kit *k, struct err *e)
{
	struct transport *x = k->state;

	if (k->ranks < 2)
		return kit_skip(k, e, "needs two ranks");
	x->size = (int)kit_size(k, "size");
	x->ntimes = (int)kit_int(k, "ntimes");
	x->patience = kit_time(k, "patience");
	x->out = kit_alloc((uint64_t)x->size, e);
	x->in = x->out ? kit_alloc((uint64_t)x->size, e) : NULL;
	if (!x->in)
		return -1;
	if (find_local(k, x))
		return err_set(e, ERR_SYSTEM, "MPI does not say which ranks are near");
	return 0;
}

/* Differs from place to place, from rank to rank and from one message to the next. */
static unsigned char content(int rank, int turn, int i)
{
	return (unsigned char)(rank * 7 + turn * 31 + i + (i >> 8) * 13);
}

static void fill(unsigned char *p, int n, int rank, int turn)
{
	for (int i = 0; i < n; i++)
		p[i] = content(rank, turn, i);
}

static bool is(const unsigned char *p, int n, int rank, int turn)
{
	for (int i = 0; i < n; i++) {
		if (p[i] != content(rank, turn, i))
			return false;
	}
	return true;
}

/* @turns times there and back; s. The message differs from the last of that pair. */
static double ping_pong(struct kit *k, int peer, int size, int turns, int turn)
{
	struct transport *x = k->state;
	const bool first = k->rank < peer;
	double begin;

	fill(x->out, size, k->rank, turn);
	memset(x->in, 0, (size_t)(unsigned int)size);
	begin = clock_now();
	for (int i = 0; i < turns; i++) {
		if (first)
			(void)MPI_Send(x->out, size, MPI_BYTE, peer, turn,
				       MPI_COMM_WORLD);
		(void)MPI_Recv(x->in, size, MPI_BYTE, peer, turn, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE);
		if (!first)
			(void)MPI_Send(x->out, size, MPI_BYTE, peer, turn,
				       MPI_COMM_WORLD);
	}
	begin = clock_now() - begin;
	x->wrong += !is(x->in, size, peer, turn);
	if (x->local[peer] == MPI_UNDEFINED)
		x->payload += (uint64_t)size * (uint64_t)turns;
	return begin;
}

/*
 * The first messages of a pair, which make its connection. Where one never comes MPI
 * cannot be trusted with a record of it, so the rank that waited says why the job ends.
 */
static void connect_to(struct kit *k, int peer)
{
	const struct transport *x = k->state;
	const struct ladder l = {.comm = MPI_COMM_WORLD,
				 .peer = peer,
				 .tag = TAG_LADDER,
				 .out = x->out,
				 .in = x->in,
				 .least = SMALL,
				 .most = (uint64_t)x->size,
				 .patience = x->patience};
	uint64_t arrived, hung = ladder_climb(&l, &arrived);
	const int low = k->rank < peer ? k->rank : peer, high = k->rank + peer - low;

	if (!hung)
		return;
	(void)fprintf(stderr,
		      arrived ? "assay-transport: ranks %d and %d: small messages pass, "
				"from %llu bytes on they hang (%g s): check MTU and "
				"firewall\n"
			      : "assay-transport: ranks %d and %d: not even a message of "
				"%llu bytes arrived (%g s)\n",
		      low, high, (unsigned long long)hung, x->patience);
	(void)MPI_Abort(MPI_COMM_WORLD, HUNG);
}

/* The rank that is first in the ring reports for both. */
static void measure(struct kit *k, int peer, bool reports)
{
	const struct transport *x = k->state;

	connect_to(k, peer);
	for (int i = 1; i <= x->ntimes; i++) {
		const double small = ping_pong(k, peer, SMALL, SMALL_TURNS, 2 * i);
		const double large = ping_pong(k, peer, x->size, 1, 2 * i + 1);

		if (!reports)
			continue;
		kit_pair_sample(k, peer, "transport.latency", small / (2 * SMALL_TURNS),
				i, NULL);
		kit_pair_sample(k, peer, "transport.bandwidth", 2.0 * x->size / large, i,
				NULL);
	}
}

/*
 * Rank i with i + 1, for even i, then for odd i, then the last with the first where they
 * are an odd number: in each round a rank talks to one other.
 */
static void ring(struct kit *k)
{
	const int n = k->ranks, last = n % 2 ? n - 1 : -1;

	for (int round = 0; round < 3; round++) {
		const int next = (k->rank + 1) % n, before = (k->rank + n - 1) % n;

		(void)MPI_Barrier(MPI_COMM_WORLD);
		if (round == 2 ? k->rank == last
			       : k->rank != last && k->rank % 2 == round)
			measure(k, next, true);
		else if (round == 2 ? before == last
				    : before != last && before % 2 == round)
			measure(k, before, false);
		if (n == 2)
			return; /* the other way round it is the same pair */
	}
}

/* Node. What this node's interfaces sent since @before. */
static void say_transport(struct kit *k, const struct wires *before, uint64_t payload)
{
	struct strbuf text = {0};
	struct wires sent;

	wires_since(before, payload, &sent);
	wires_say(&sent, payload, &text);
	kit_event(k, "transport", "%s", strbuf_str(&text));
	strbuf_release(&text);
}

static int run(struct kit *k, struct err *e)
{
	struct transport *x = k->state;
	struct wires before = {.n = 0};
	uint64_t payload = 0;

	(void)e;
	(void)MPI_Barrier(MPI_COMM_WORLD);
	if (!k->local_rank)
		wires_read("", &before);
	ring(k);
	(void)MPI_Reduce(&x->payload, &payload, 1, MPI_UINT64_T, MPI_SUM, 0, k->node);
	if (!k->local_rank && payload)
		say_transport(k, &before, payload);
	kit_flush(k);
	return 0;
}

static int verify(struct kit *k, struct err *e)
{
	const struct transport *x = k->state;

	(void)e;
	kit_valid(k, "messages", x->wrong, 0, !x->wrong,
		  x->wrong ? "%d messages were not what was sent" : NULL, x->wrong);
	return 0;
}

static void teardown(struct kit *k)
{
	struct transport *x = k->state;

	kit_free(x->out, (uint64_t)x->size);
	kit_free(x->in, (uint64_t)x->size);
	free(x->local);
}

const struct kernel kernel = {
	.name = "transport",
	.help = "Whether MPI's messages arrive whole, from each rank to the next, and "
		"which "
		"interfaces of each node carry them.",
	.shape = KIT_PAIR,
	.metrics = metrics,
	.options = options,
	.state_size = sizeof(struct transport),
	.setup = setup,
	.run = run,
	.verify = verify,
	.teardown = teardown,
};
