/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated fabrics: see fabric.h. */
#include "fabric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/matching.h"
#include "base/mem.h"
#include "judge/pairs.h"

const char *const fabric_fault_names[FABRIC_FAULTS] = {
	[FABRIC_CLEAN] = "none",
	[FABRIC_NODE] = "node",
	[FABRIC_SENDS] = "node, sends",
	[FABRIC_RECEIVES] = "node, receives",
	[FABRIC_NODES] = "1 % of nodes",
	[FABRIC_LEAF] = "leaf",
	[FABRIC_UPLINK] = "uplinks of a leaf",
	[FABRIC_PART] = "1 of 4 uplinks, by pair",
	[FABRIC_PART_TO] = "1 of 4 uplinks, by destination",
	[FABRIC_PAIR] = "pair",
	[FABRIC_ONE_WAY] = "pair, one way",
};

struct sim {
	const struct fabric_model *m;
	uint64_t random;
	uint32_t *group;
	uint32_t a, b; /* where the fault is: node, or pair */
	size_t bad;    /* number of bad nodes, from a on */
	struct pairs_value *v;
	size_t n, cap;
};

static double uniform(struct sim *s)
{
	return ((double)(matching_random(&s->random) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct sim *s)
{
	double u = uniform(s);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * uniform(s));
}

/* With standard deviation 1. */
static double noise(struct sim *s)
{
	double x = normal(s), a, b, c;

	if (!s->m->heavy)
		return x;
	a = normal(s);
	b = normal(s);
	c = normal(s);
	return x / sqrt(a * a + b * b + c * c);
}

static bool is_bad(const struct sim *s, uint32_t node)
{
	return (node + s->m->nodes - s->a) % s->m->nodes < s->bad;
}

static bool by_fourth(uint32_t x)
{
	uint64_t state = x;

	return matching_random(&state) % 4 == 0;
}

/* Messages from @from to @to meet the fault. */
static bool hit(const struct sim *s, uint32_t from, uint32_t to)
{
	uint32_t leaf = s->group[s->a], f = s->group[from], t = s->group[to];
	bool across = f != t && (f == leaf || t == leaf);
	uint32_t small = from < to ? from : to, large = from < to ? to : from;

	switch (s->m->fault) {
	case FABRIC_NODE:
	case FABRIC_NODES:
		return is_bad(s, from) || is_bad(s, to);
	case FABRIC_SENDS:
		return from == s->a;
	case FABRIC_RECEIVES:
		return to == s->a;
	case FABRIC_LEAF:
		return f == leaf || t == leaf;
	case FABRIC_UPLINK:
		return across;
	case FABRIC_PART:
		return across && by_fourth(small * 65537U + large);
	case FABRIC_PART_TO:
		return across && t == leaf && to % 4 == 0;
	case FABRIC_PAIR:
		return (from == s->a && to == s->b) || (from == s->b && to == s->a);
	case FABRIC_ONE_WAY:
		return from == s->a && to == s->b;
	default:
		return false;
	}
}

static double measure(struct sim *s, uint32_t from, uint32_t to)
{
	const struct fabric_model *m = s->m;
	double x = fmax(1 + m->noise * noise(s), 0.05);
	double there = hit(s, from, to) ? 1 - m->loss : 1;
	double back = hit(s, to, from) ? 1 - m->loss : 1;

	if (!m->latency)
		return 25e9 * there * x;
	return 1e-6 * (s->group[from] == s->group[to] ? 1 : 1.4) *
	       (1 / there + 1 / back) / 2 / x;
}

static void take(struct sim *s, uint32_t a, uint32_t b)
{
	mem_grow(&s->v, &s->cap, s->n + 2, sizeof(*s->v));
	s->v[s->n++] = (struct pairs_value){a, b, measure(s, a, b)};
	if (!s->m->latency)
		s->v[s->n++] = (struct pairs_value){b, a, measure(s, b, a)};
}

static size_t play(struct sim *s, uint64_t seed)
{
	struct matching m = s->m->all ? matching_all(s->m->nodes, 0)
				      : matching_sample(s->m->nodes, 0, ~seed);
	size_t rounds = m.rounds;

	for (size_t r = 0; r < m.rounds; r++) {
		for (size_t i = 0; i < m.n; i++) {
			size_t k = matching_partner(&m, r, i);

			if (i < k)
				take(s, (uint32_t)i, (uint32_t)k);
		}
	}
	matching_release(&m);
	return rounds;
}

/* The pair is slow again in every way that the finding is about. */
static bool slow_again(struct sim *s, const struct pairs *p,
		       const struct pairs_question *q, const struct pairs_finding *f,
		       struct pairs_pair c)
{
	bool slow = true;

	for (int i = 0; i < 2; i++) {
		uint32_t from = i ? c.b : c.a, to = i ? c.a : c.b;

		if (!s->m->latency && !pairs_concerns(q, f, from, to))
			continue;
		slow &= pairs_share(p, q, measure(s, from, to),
				    pairs_between(q, from, to)) < f->limit;
	}
	return slow;
}

static enum pairs_state settle(struct sim *s, const struct pairs *p,
			       const struct pairs_question *q,
			       const struct pairs_finding *f, size_t *checks)
{
	size_t slow = 0, done = 0;
	enum pairs_state state = pairs_settle(f, 0, 0);

	while (f->n_check && state == PAIRS_MORE) {
		slow += slow_again(s, p, q, f, f->check[done % f->n_check]);
		done++;
		state = pairs_settle(f, slow, done);
	}
	*checks += done;
	return state;
}

/* The finding names the fault as it should be named. */
static bool is_right(const struct sim *s, const struct pairs_finding *f)
{
	uint32_t leaf = s->group[s->a];
	/* one metric that has no direction cannot tell of one */
	bool way = !s->m->latency;

	switch (s->m->fault) {
	case FABRIC_NODE:
	case FABRIC_NODES:
		return f->kind == PAIRS_NODE && f->way == PAIRS_BOTH && is_bad(s, f->a);
	case FABRIC_SENDS:
		return f->kind == PAIRS_NODE && f->a == s->a &&
		       (!way || f->way == PAIRS_SENDS);
	case FABRIC_RECEIVES:
		return f->kind == PAIRS_NODE && f->a == s->a &&
		       (!way || f->way == PAIRS_RECEIVES);
	case FABRIC_LEAF:
		return f->kind == PAIRS_LEAF && f->a == leaf;
	case FABRIC_UPLINK:
	case FABRIC_PART:
	case FABRIC_PART_TO:
		return f->kind == PAIRS_UPLINK && f->a == leaf;
	case FABRIC_PAIR:
		return f->kind == PAIRS_LINK && f->way == PAIRS_BOTH &&
		       (f->a == s->a || f->a == s->b) && (f->b == s->a || f->b == s->b);
	case FABRIC_ONE_WAY:
		return f->kind == PAIRS_LINK &&
		       (way ? f->a == s->a && f->b == s->b && f->way == PAIRS_SENDS
			    : f->a + f->b == s->a + s->b);
	default:
		return false;
	}
}

static void count(struct sim *s, const struct pairs *p, const struct pairs_question *q,
		  struct fabric_result *r)
{
	size_t right = 0, wanted = s->m->fault == FABRIC_NODES ? s->bad : 1;

	for (size_t i = 0; i < p->n; i++) {
		const struct pairs_finding *f = &p->findings[i];
		enum pairs_state state = settle(s, p, q, f, &r->checks);

		r->cleared += state == PAIRS_CLEARED;
		r->unsteady += state == PAIRS_UNSTEADY;
		if (state != PAIRS_CONFIRMED)
			continue;
		if (is_right(s, f))
			right++;
		else
			r->wrong++;
	}
	r->found = right == wanted;
}

struct fabric_result fabric_simulate(const struct fabric_model *m, uint64_t seed)
{
	struct sim s = {.m = m, .random = seed};
	struct fabric_result r = {0};
	size_t groups = (m->nodes + m->leaf - 1) / m->leaf;
	struct pairs_question q = {.nodes = m->nodes,
				   .groups = groups,
				   .higher = !m->latency,
				   .directed = !m->latency,
				   .min_deviation = 0.1,
				   .tests = 3};
	struct pairs p;

	s.group = mem_calloc(m->nodes, sizeof(*s.group));
	for (size_t i = 0; i < m->nodes; i++)
		s.group[i] = (uint32_t)(i / m->leaf);
	s.a = (uint32_t)(matching_random(&s.random) % m->nodes);
	s.b = (s.a + 1 + (uint32_t)(matching_random(&s.random) % (m->nodes - 1))) %
	      (uint32_t)m->nodes;
	s.bad = m->fault != FABRIC_NODES ? 1 : m->nodes < 200 ? 2 : m->nodes / 100;
	q.group = m->groups ? s.group : NULL;
	r.rounds = play(&s, seed);
	r.seconds = clock_now();
	pairs_judge(&p, s.v, s.n, &q);
	r.seconds = clock_now() - r.seconds;
	r.scattered = p.scattered;
	count(&s, &p, &q, &r);
	pairs_release(&p);
	free(s.v);
	free(s.group);
	return r;
}
