/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Test `pairs`: each rank with many others, in rounds of disjoint pairs. Of each pair the
 * latency, the bandwidth there, back and both ways, each for a bounded time, so that a
 * slow pair does not hold up the others; before that a message of each size, with a limit
 * of its own, since on some links small ones arrive and large ones never do.
 *
 * The rounds are those of `slots` players of whom some may be absent: a run that lost a
 * node goes on where it stopped, without it, and every other pair still comes once.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/matching.h"
#include "base/mem.h"
#include "kernels/ladder.h"
#include "kernels/net/net.h"

enum { TAG_LADDER = 110 };

/* What --seconds is when nobody says it, s of one pair. */
static const double default_seconds = 0.4;

struct pairs {
	struct matching rounds;
	size_t slot;               /* of this rank */
	int *rank;                 /* of each slot; -1: absent */
	size_t at_once;            /* pairs; 0: all */
	size_t first;              /* round to begin with, from 0 */
	double patience;           /* s */
	struct measure_how how[2]; /* ping-pong, windows */
	uint64_t hung;             /* bytes of the message that never came, 0 none */
};

/* "3,17": the slots nobody is in. */
static int mark_absent(struct kit *k, struct pairs *p, struct err *e)
{
	const char *text = kit_option(k, "absent");
	char *end;

	while (*text) {
		long slot = strtol(text, &end, 10);

		if (end == text || slot < 0 || (size_t)slot >= p->rounds.n ||
		    (*end && *end != ','))
			return err_set(e, ERR_USAGE,
				       "option '--absent': '%s', expected numbers of "
				       "slots below %zu",
				       text, p->rounds.n);
		p->rank[slot] = -1;
		text = end + (*end == ',');
	}
	return 0;
}

/* Ranks take the slots in their order. */
static int take_slots(struct kit *k, struct pairs *p, struct err *e)
{
	int next = 0;

	p->rank = mem_calloc(p->rounds.n + 1, sizeof(*p->rank));
	if (mark_absent(k, p, e))
		return -1;
	for (size_t i = 0; i < p->rounds.n; i++) {
		if (p->rank[i] < 0)
			continue;
		if (next == k->rank)
			p->slot = i;
		p->rank[i] = next++;
	}
	if (next == k->ranks)
		return 0;
	return err_set(e, ERR_USAGE,
		       "%zu slots without the absent ones are %d, and there are %d ranks",
		       p->rounds.n, next, k->ranks);
}

static void make_rounds(struct kit *k, struct pairs *p)
{
	size_t n = kit_is(k, "slots", "auto") ? (size_t)k->ranks
					      : (size_t)kit_int(k, "slots");
	size_t rounds = (size_t)kit_int(k, "rounds");

	p->rounds = kit_is(k, "schedule", "sample")
			    ? matching_sample(n, rounds, (uint64_t)kit_int(k, "seed"))
			    : matching_all(n, rounds);
}

static void make_how(struct kit *k, const struct net *x, struct pairs *p)
{
	double seconds = kit_time(k, "seconds");

	for (int i = 0; i < 2; i++) {
		p->how[i] = net_how(x, i ? x->sizes.max : x->sizes.min);
		p->how[i].seconds = (seconds > 0 ? seconds : default_seconds) / 4;
		p->how[i].each = false;
		if (!i)
			p->how[i].window = 1;
	}
}

static int setup(struct kit *k, struct net *x, struct err *e)
{
	struct pairs *p = x->own = mem_calloc(1, sizeof(*p));

	make_rounds(k, p);
	p->at_once = (size_t)kit_int(k, "pairs-at-once");
	p->first = (size_t)kit_int(k, "first-round") - 1;
	p->patience = kit_time(k, "patience");
	make_how(k, x, p);
	return take_slots(k, p, e) || net_open(k, x, MPI_PROC_NULL, e) ? -1 : 0;
}

/* The size that never came, 0 when all came. */
static uint64_t climb(const struct pairs *p, const struct net *x,
		      const struct measure_end *end)
{
	const struct ladder l = {
		.comm = end->comm,
		.peer = end->peer,
		.tag = TAG_LADDER,
		.out = end->out,
		.in = end->in,
		.least = x->sizes.min,
		.most = x->sizes.max < end->piece ? x->sizes.max : end->piece,
		.patience = p->patience,
	};

	return ladder_climb(&l, NULL);
}

/* Bytes this rank received that were not what was sent. */
static uint64_t measure(struct kit *k, struct net *x, const struct pairs *p, int peer)
{
	struct measure_figure f;
	uint64_t wrong = 0;

	measure_run(&x->end, MEASURE_PING_PONG, x->sizes.min, &p->how[0], &f);
	wrong += f.wrong;
	if (x->end.first)
		kit_pair_sample(k, peer, "net.pair_latency", f.value, 0, NULL);
	measure_run(&x->end, MEASURE_THERE, x->sizes.max, &p->how[1], &f);
	wrong += f.wrong;
	if (x->end.first)
		kit_pair_sample(k, peer, "net.pair_bw", f.value, 0, NULL);
	measure_run(&x->end, MEASURE_BACK, x->sizes.max, &p->how[1], &f);
	wrong += f.wrong;
	if (!x->end.first)
		kit_pair_sample(k, peer, "net.pair_bw", f.value, 0, NULL);
	measure_run(&x->end, MEASURE_BOTH, x->sizes.max, &p->how[1], &f);
	wrong += f.wrong;
	if (x->end.first)
		kit_pair_sample(k, peer, "net.pair_bibw", f.value, 0, NULL);
	return wrong;
}

static void one_pair(struct kit *k, struct net *x, struct pairs *p, int peer)
{
	uint64_t wrong;

	measure_with(&x->end, peer);
	p->hung = climb(p, x, &x->end);
	if (p->hung) {
		kit_pair_sample(k, peer, "net.pair_hang", (double)p->hung, 0, NULL);
		return;
	}
	wrong = measure(k, x, p, peer);
	if (wrong)
		kit_valid(k, "content", (double)wrong, 0, false,
			  "%llu bytes received from rank %d were not what was sent",
			  (unsigned long long)wrong, peer);
	if (k->local_ranks == 1) /* then the partner is on another node */
		x->far = x->end.sent;
}

/* The partner's rank, -1 when it has none. */
static int partner_of(const struct pairs *p, size_t round, size_t slot)
{
	size_t other = matching_partner(&p->rounds, round, slot);

	return other == slot ? -1 : p->rank[other];
}

/*
 * All ranks are here. Those that wait sleep: where ranks share CPUs, as on a test bed, or
 * a control group's share of them, they would take it from the pair that measures.
 */
static void meet(void)
{
	const struct timespec moment = {.tv_nsec = 500000};
	MPI_Request all;
	int done = 0;

	(void)MPI_Ibarrier(MPI_COMM_WORLD, &all);
	for (;;) {
		(void)MPI_Test(&all, &done, MPI_STATUS_IGNORE);
		if (done)
			return;
		(void)nanosleep(&moment, NULL);
	}
}

static void play(struct kit *k, struct net *x, struct pairs *p, size_t round)
{
	const int peer = partner_of(p, round, p->slot);
	const size_t turns = matching_turns(&p->rounds, p->at_once);
	const size_t mine = matching_turn(&p->rounds, round, p->slot, p->at_once);

	for (size_t t = 0; t < turns; t++) {
		if (t == mine && peer >= 0)
			one_pair(k, x, p, peer);
		if (turns > 1)
			meet();
	}
}

/* Pairs of a round that took place. */
static size_t count_pairs(const struct pairs *p, size_t round)
{
	size_t n = 0;

	for (size_t i = 0; i < p->rounds.n; i++)
		n += p->rank[i] >= 0 && partner_of(p, round, i) >= 0;
	return n / 2;
}

/*
 * Where a message never came MPI cannot be trusted with another: what was measured is
 * out, the rest is for another launch. Collective.
 */
static void end_if_hung(struct kit *k, const struct pairs *p)
{
	const int mine = p->hung != 0;
	int *all = k->rank ? NULL : mem_calloc((size_t)k->ranks, sizeof(*all));

	(void)MPI_Gather(&mine, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; !k->rank && i < k->ranks; i++) {
		if (!all[i])
			continue;
		(void)fprintf(stderr,
			      "assay-net: rank %d waited %g s in vain for a message\n", i,
			      p->patience);
		(void)MPI_Abort(MPI_COMM_WORLD, 3);
	}
	free(all);
}

/* The records of a round are out before the event says so, which stands before the next
 * one's. */
static int run(struct kit *k, struct net *x, struct err *e)
{
	struct pairs *p = x->own;

	(void)e;
	for (size_t r = p->first; r < p->rounds.rounds; r++) {
		(void)MPI_Barrier(MPI_COMM_WORLD);
		play(k, x, p, r);
		kit_flush(k);
		if (!k->rank)
			kit_event(k, "round", "%zu of %zu: %zu pairs", r + 1,
				  p->rounds.rounds, count_pairs(p, r));
		end_if_hung(k, p);
	}
	return 0;
}

static void teardown(struct net *x)
{
	struct pairs *p = x->own;

	if (p) {
		matching_release(&p->rounds);
		free(p->rank);
		free(p);
		x->own = NULL;
	}
	measure_close(&x->end);
}

/* The four values of a pair. */
struct line {
	double latency, there, back, both;
};

/* Records of one rank with one peer, whoever said them. */
static struct line *lines_of(const struct record *records, size_t n, int ranks)
{
	struct line *lines = mem_calloc((size_t)ranks * (size_t)ranks, sizeof(*lines));

	for (size_t i = 0; i < n; i++) {
		const struct record_sample *s = &records[i].u.sample;
		long a, b;
		struct line *l;

		if (records[i].kind != RECORD_KIND_sample || !s->peer)
			continue;
		a = (long)s->rank;
		b = strtol(s->peer, NULL, 10);
		l = &lines[a < b ? a * ranks + b : b * ranks + a];
		if (!strcmp(s->metric, "net.pair_latency"))
			l->latency = s->value.v;
		else if (!strcmp(s->metric, "net.pair_bibw"))
			l->both = s->value.v;
		else if (!strcmp(s->metric, "net.pair_bw") && a < b)
			l->there = s->value.v;
		else if (!strcmp(s->metric, "net.pair_bw"))
			l->back = s->value.v;
	}
	return lines;
}

static void text(struct kit *k, const struct net *x, const struct record *records,
		 size_t n, FILE *out)
{
	struct line *lines = lines_of(records, n, k->ranks);
	const double all = k->ranks * (k->ranks - 1.0) / 2;
	size_t met = 0;

	for (int i = 0; i < k->ranks * k->ranks; i++)
		met += lines[i].latency > 0;
	if (!met) {
		free(lines);
		return;
	}
	(void)fprintf(
		out,
		"\n# assay-net pairs: %d ranks, %zu pairs, %.3g %% of all, %llu and "
		"%llu bytes\n%-8s%-6s%16s%16s%16s%16s\n",
		k->ranks, met, 100 * (double)met / all, (unsigned long long)x->sizes.min,
		(unsigned long long)x->sizes.max, "# Rank", "Peer", "Latency(us)",
		"There(MB/s)", "Back(MB/s)", "Both(MB/s)");
	for (int i = 0; i < k->ranks * k->ranks; i++) {
		const struct line *l = &lines[i];

		if (l->latency > 0)
			(void)fprintf(out, "%-8d%-6d%16.2f%16.2f%16.2f%16.2f\n",
				      i / k->ranks, i % k->ranks, l->latency * 1e6,
				      l->there / 1e6, l->back / 1e6, l->both / 1e6);
	}
	free(lines);
}

const struct net_test net_pairs = {
	.name = "pairs",
	.metric = "net.pair_latency",
	.ranks = 2,
	.window = true,
	.collective = true,
	.counts = {10000, 1, 1000, 1},
	.sizes = {8, (uint64_t)1 << 20},
	.setup = setup,
	.run = run,
	.teardown = teardown,
	.text = text,
};
