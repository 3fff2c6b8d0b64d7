/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated fleets: see fleet.h. */
#include "fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/peers.h"
#include "judge/stats.h"

enum { REPEATS = 5, MOST_LAUNCHES = REPEATS + 1 };

struct sim {
	const struct fleet_model *m;
	uint64_t random[2];
	double *own;             /* [node][metric]: noise that persists */
	double *values;          /* [node][metric][launch] */
	size_t *launches;        /* [node] */
	size_t *more;            /* [node]: launches wanted */
	struct peers_value *now; /* [node], of one metric */
	enum verdict_word *word; /* [node]: of its worst metric */
};

/* xorshift128+ (Vigna, 2017). */
static uint64_t next_random(struct sim *s)
{
	uint64_t a = s->random[0], b = s->random[1];

	s->random[0] = b;
	a ^= a << 23;
	s->random[1] = a ^ b ^ (a >> 18) ^ (b >> 5);
	return s->random[1] + b;
}

static double uniform(struct sim *s)
{
	return ((double)(next_random(s) >> 11) + 0.5) / 9007199254740992.0;
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

static void launch(struct sim *s, size_t node)
{
	const struct fleet_model *m = s->m;
	size_t l = s->launches[node]++;

	for (size_t k = 0; k < m->metrics; k++) {
		size_t at = node * m->metrics + k;
		double x = m->persistent ? s->own[at] : noise(s);
		double level = node < m->bad && !k ? 1 - m->loss : 1;

		s->values[at * MOST_LAUNCHES + l] = level * (1 + m->noise * x);
	}
}

static void look(struct sim *s, size_t metric)
{
	double v[MOST_LAUNCHES];

	for (size_t i = 0; i < s->m->nodes; i++) {
		size_t n = s->launches[i];

		memcpy(v, s->values + (i * s->m->metrics + metric) * MOST_LAUNCHES,
		       n * sizeof(*v));
		(void)stats_sort(v, n);
		s->now[i] = (struct peers_value){stats_median(v, n), v[0], v[n - 1], n};
	}
}

static void want(size_t *more, size_t n)
{
	if (n > *more)
		*more = n;
}

static void judge_metric(struct sim *s, size_t metric)
{
	struct peers_question q = {true, 0.05, s->m->metrics};
	size_t n = s->m->nodes, of_all = 0;
	struct peers p;

	look(s, metric);
	peers_judge(&p, s->now, n, &q);
	for (size_t i = 0; i < n && p.n_populations; i++) {
		struct peers_opinion o =
			peers_opinion(&p, &s->now[i], MOST_LAUNCHES - s->launches[i]);

		s->word[i] = verdict_worse(s->word[i], o.word);
		want(&s->more[i], o.more);
		want(&of_all, peers_wanted_of_all(&o, n));
	}
	for (size_t i = 0; i < n; i++) {
		if (of_all > s->launches[i])
			want(&s->more[i], of_all - s->launches[i]);
	}
}

static bool judge_all(struct sim *s)
{
	bool again = false;

	for (size_t i = 0; i < s->m->nodes; i++) {
		s->word[i] = VERDICT_PASS;
		s->more[i] = 0;
	}
	for (size_t k = 0; k < s->m->metrics; k++)
		judge_metric(s, k);
	for (size_t i = 0; i < s->m->nodes; i++) {
		again |= s->more[i] > 0;
		for (size_t k = 0; k < s->more[i]; k++)
			launch(s, i);
	}
	return again;
}

static void count(const struct sim *s, struct fleet_result *r)
{
	bool alarmed = false;

	for (size_t i = 0; i < s->m->nodes; i++) {
		bool failed = s->word[i] == VERDICT_FAIL;
		bool warned = s->word[i] == VERDICT_WARN;

		r->launches += s->launches[i];
		if (i < s->m->bad) {
			r->bad++;
			r->bad_failed += failed;
			r->bad_warned += warned;
			continue;
		}
		r->good++;
		r->good_failed += failed;
		r->good_warned += warned;
		alarmed |= failed;
	}
	r->alarmed += alarmed;
	r->fleets++;
}

static void one_fleet(struct sim *s)
{
	for (size_t i = 0; i < s->m->nodes * s->m->metrics; i++)
		s->own[i] = s->m->persistent ? noise(s) : 0;
	for (size_t i = 0; i < s->m->nodes; i++) {
		s->launches[i] = 0;
		launch(s, i);
	}
	while (judge_all(s))
		;
}

struct fleet_result fleet_simulate(const struct fleet_model *m, size_t fleets,
				   uint64_t seed)
{
	size_t series = m->nodes * m->metrics;
	struct sim s = {.m = m, .random = {seed, 0x9e3779b97f4a7c15}};
	struct fleet_result r = {0};

	s.own = mem_calloc(series, sizeof(*s.own));
	s.values = mem_calloc(series * MOST_LAUNCHES, sizeof(*s.values));
	s.launches = mem_calloc(m->nodes, sizeof(*s.launches));
	s.more = mem_calloc(m->nodes, sizeof(*s.more));
	s.now = mem_calloc(m->nodes, sizeof(*s.now));
	s.word = mem_calloc(m->nodes, sizeof(*s.word));
	for (int i = 0; i < 20; i++)
		(void)next_random(&s); /* a seed of few bits needs a while to spread */
	for (size_t i = 0; i < fleets; i++) {
		one_fleet(&s);
		count(&s, &r);
	}
	free(s.own);
	free(s.values);
	free(s.launches);
	free(s.more);
	free(s.now);
	free(s.word);
	return r;
}
