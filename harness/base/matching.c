/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of disjoint pairs: see matching.h. */
#include "base/matching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

uint64_t matching_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15U;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
	return x ^ (x >> 31);
}

static size_t all_rounds(const struct matching *m)
{
	return m->n < 2 ? 0 : m->m - 1;
}

size_t matching_sample_rounds(size_t n)
{
	struct matching m = matching_all(n, 0);
	size_t rounds = n < 2 ? 0 : (size_t)ceil(3 * log2((double)n));

	return rounds < m.rounds ? rounds : m.rounds;
}

struct matching matching_all(size_t n, size_t rounds)
{
	struct matching m = {.n = n, .m = n + n % 2};
	size_t all = all_rounds(&m);

	m.rounds = rounds && rounds < all ? rounds : all;
	return m;
}

/* 0 .. n-1 in an order drawn by @state (Fisher and Yates). */
static uint32_t *shuffled(size_t n, uint64_t *state)
{
	uint32_t *v = mem_calloc(n, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = (uint32_t)i;
	for (size_t i = n; i > 1; i--) {
		/* that the remainder favours small numbers by n / 2^64 does not matter */
		size_t k = (size_t)(matching_random(state) % i);
		uint32_t x = v[k];

		v[k] = v[i - 1];
		v[i - 1] = x;
	}
	return v;
}

struct matching matching_sample(size_t n, size_t rounds, uint64_t seed)
{
	struct matching m = matching_all(n, rounds ? rounds : matching_sample_rounds(n));

	if (!m.rounds)
		return m;
	m.who = shuffled(m.m, &seed);
	m.where = mem_calloc(m.m, sizeof(*m.where));
	for (size_t i = 0; i < m.m; i++)
		m.where[m.who[i]] = (uint32_t)i;
	m.drawn = shuffled(m.m - 1, &seed);
	return m;
}

void matching_release(struct matching *m)
{
	free(m->who);
	free(m->where);
	free(m->drawn);
	memset(m, 0, sizeof(*m));
}

/* The one who meets the last in round @r: half of it modulo m - 1, which is odd. */
static size_t centre(const struct matching *m, size_t r)
{
	return r % 2 ? (r + m->m - 1) / 2 : r / 2;
}

static size_t circle_round(const struct matching *m, size_t round)
{
	return m->drawn ? m->drawn[round] : round;
}

size_t matching_partner(const struct matching *m, size_t round, size_t player)
{
	size_t r = circle_round(m, round), odd = m->m - 1;
	size_t p = m->where ? m->where[player] : player, q;

	if (p == odd) {
		q = centre(m, r);
	} else {
		q = (r + odd - p) % odd;
		if (q == p)
			q = odd;
	}
	q = m->who ? m->who[q] : q;
	return q < m->n ? q : player;
}

/* Both of a pair are as far from the centre, on either side. */
size_t matching_turn(const struct matching *m, size_t round, size_t player,
		     size_t at_once)
{
	size_t r = circle_round(m, round), odd = m->m - 1, c = centre(m, r);
	size_t p = m->where ? m->where[player] : player, away;

	if (!at_once || p == odd)
		return 0;
	away = (p + odd - c) % odd;
	if (away > odd - away)
		away = odd - away;
	return away / at_once;
}

size_t matching_turns(const struct matching *m, size_t at_once)
{
	size_t pairs = m->m / 2;

	return !at_once || !pairs ? 1 : (pairs + at_once - 1) / at_once;
}

double matching_share(const struct matching *m)
{
	return m->n < 2 ? 1 : (double)m->rounds / (double)all_rounds(m);
}
