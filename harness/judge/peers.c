/* SPDX-License-Identifier: Apache-2.0 */
/* Like ones compared with each other: see peers.h. */
#include "judge/peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/stats.h"

/* Share of clean runs in which some node is called off by chance. */
#define FALSE_ALARMS 0.01
/* Degrees of freedom of a MAD, of each value but one. */
#define MAD_FREEDOM 0.37
/* Of the expectation, and how many of its standard deviations min_deviation is. */
#define EXPECTED_FREEDOM 8.0
#define EXPECTED_SIGMAS  3.0
/* What two populations are at least apart, in standard deviations inside of them, and
 * what the halves of one are at most. */
#define APART        4.0
#define HALVES_APART 3.0

/* A fleet being judged. */
struct fleet {
	const struct peers_question *asked;
	double *v; /* values, ascending */
	size_t n;
	double noise; /* standard deviation of a value between launches; 0: not known */
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Expected range of @n normal values in standard deviations (Tippett, Biometrika 17:364,
 * 1925). */
static double expected_range(size_t n)
{
	static const double few[] = {1,     1,     1.128, 1.693, 2.059, 2.326,
				     2.534, 2.704, 2.847, 2.970, 3.078};
	size_t most = sizeof(few) / sizeof(few[0]) - 1;

	/* more launches than that have a larger range: the noise comes out too large */
	return few[n < most ? n : most];
}

/* Of a value, as far as launches differ: the median over those with several launches. */
static bool know_noise(struct fleet *f, const struct peers_value *v)
{
	double *one = mem_calloc(f->n, sizeof(*one)), launches = 0;
	size_t known = 0;
	bool enough;

	for (size_t i = 0; i < f->n; i++) {
		launches += (double)v[i].launches / (double)f->n;
		if (v[i].launches > 1)
			one[known++] =
				(v[i].high - v[i].low) / expected_range(v[i].launches);
	}
	/* fewer were repeated because they were off: theirs is not the fleet's noise */
	enough = known && known >= f->n - known;
	if (enough) {
		qsort(one, known, sizeof(*one), ascending);
		/* a median varies more than a mean, from three launches on */
		f->noise = stats_median(one, known) *
			   sqrt((launches > 2.5 ? M_PI_2 : 1) / launches);
	}
	free(one);
	return enough;
}

/* The spread of values whose MAD gives @sigma with @freedom, which becomes the sum. */
static double moderate(const struct fleet *f, double median, double sigma,
		       double *freedom)
{
	double expected =
		hypot(f->asked->min_deviation * fabs(median) / EXPECTED_SIGMAS, f->noise);
	double own = *freedom;

	if (!(expected > 0))
		return sigma;
	*freedom += EXPECTED_FREEDOM;
	return sqrt(EXPECTED_FREEDOM / *freedom) *
	       hypot(expected, sqrt(own / EXPECTED_FREEDOM) * sigma);
}

/* Student's quantile for one false alarm over all nodes and tests. */
static double quantile(const struct fleet *f, double freedom)
{
	double all = (double)f->n * fmax((double)f->asked->tests, 1);

	return stats_student(FALSE_ALARMS / all, freedom);
}

/* Where nothing is expected, a MAD of 0 would call everything off. */
static double spread(const struct fleet *f, const double *sorted, size_t n)
{
	double sigma = stats_mad_sigma(sorted, n);

	return sigma > 0 || f->asked->min_deviation > 0 ? sigma : stats_sigma(sorted, n);
}

static struct peers_population population(const struct fleet *f, size_t from, size_t to)
{
	const double *v = f->v + from;
	struct peers_population p = {.n = to - from};
	double freedom = MAD_FREEDOM * ((double)p.n - 1);

	p.median = stats_median(v, p.n);
	p.sigma = moderate(f, p.median, spread(f, v, p.n), &freedom);
	p.chance = quantile(f, freedom) * p.sigma;
	return p;
}

/* Sum of absolute deviations from the median of the values [from, to) by prefix sums. */
static double deviations(const double *sums, size_t from, size_t to)
{
	size_t half = (to - from) / 2;

	return sums[to] - sums[to - half] - (sums[from + half] - sums[from]);
}

/* Where two medians leave the smallest sum of deviations; both parts above a quarter. */
static size_t best_cut(const struct fleet *f)
{
	double *sums = mem_calloc(f->n + 1, sizeof(*sums)), least = INFINITY;
	size_t least_part = f->n / 4 + 1, cut = least_part;

	for (size_t i = 0; i < f->n; i++)
		sums[i + 1] = sums[i] + f->v[i];
	for (size_t i = least_part; i + least_part <= f->n; i++) {
		double sum = deviations(sums, 0, i) + deviations(sums, i, f->n);

		if (sum < least) {
			least = sum;
			cut = i;
		}
	}
	free(sums);
	return cut;
}

static bool are_two(const struct fleet *f, size_t cut)
{
	size_t above = f->n - cut;
	double low = stats_median(f->v, cut), high = stats_median(f->v + cut, above);
	double better = f->asked->higher ? high : low;
	double s1 = spread(f, f->v, cut), s2 = spread(f, f->v + cut, above);
	double n1 = (double)cut - 1, n2 = (double)above - 1;
	double inside = sqrt((n1 * s1 * s1 + n2 * s2 * s2) / (n1 + n2));
	double freedom = MAD_FREEDOM * (n1 + n2);
	double middle = low / 2 + high / 2;

	/* each nearer to its own median: else a few bad ones have taken in good ones */
	if (f->v[cut - 1] > middle || f->v[cut] < middle)
		return false;
	if (high - low <= f->asked->min_deviation * fabs(better) ||
	    high - low <= HALVES_APART * inside)
		return false;
	inside = moderate(f, better, inside, &freedom);
	return high - low > fmax(APART, quantile(f, freedom)) * inside;
}

void peers_judge(struct peers *p, const struct peers_value *v, size_t n,
		 const struct peers_question *q)
{
	struct fleet f = {.asked = q, .n = n};
	size_t cut;

	memset(p, 0, sizeof(*p));
	p->asked = *q;
	if (n < PEERS_FEWEST)
		return;
	f.v = mem_calloc(n, sizeof(*f.v));
	for (size_t i = 0; i < n; i++)
		f.v[i] = v[i].value;
	qsort(f.v, n, sizeof(*f.v), ascending);
	p->noise_known = know_noise(&f, v);
	cut = best_cut(&f);
	if (are_two(&f, cut)) {
		p->n_populations = 2;
		p->cut = f.v[cut - 1] / 2 + f.v[cut] / 2;
		p->populations[q->higher ? 1 : 0] = population(&f, 0, cut);
		p->populations[q->higher ? 0 : 1] = population(&f, cut, n);
	} else {
		p->n_populations = 1;
		p->populations[0] = population(&f, 0, n);
	}
	free(f.v);
}

static bool is_slower(const struct peers *p, double value)
{
	return p->n_populations > 1 && (value < p->cut) == p->asked.higher;
}

const struct peers_population *peers_of(const struct peers *p, double value)
{
	return &p->populations[is_slower(p, value)];
}

static double off(const struct peers *p, const struct peers_population *of, double value)
{
	return p->asked.higher ? of->median - value : value - of->median;
}

double peers_off(const struct peers *p, double value)
{
	return off(p, peers_of(p, value), value);
}

static enum peers_place place(const struct peers *p, const struct peers_population *of,
			      double value)
{
	double counts = p->asked.min_deviation * fabs(of->median), chance = of->chance;
	double d = off(p, of, value);
	double most = fmax(counts, chance), least = fmin(counts, chance);

	if (d > 2 * most)
		return PEERS_FAR;
	if (d > most)
		return PEERS_OFF;
	if (d > most / 2 && d > 1.5 * least)
		return PEERS_NEAR;
	return -d > most ? PEERS_BETTER : PEERS_ALIKE;
}

enum peers_place peers_place(const struct peers *p, double value)
{
	return place(p, peers_of(p, value), value);
}

/* No value of a rate is below 0, so a limit there is never reached. */
static bool is_blind(const struct peers *p, const struct peers_population *of)
{
	return p->asked.higher && of->median > 0 && of->chance >= of->median;
}

static bool is_off(enum peers_place p)
{
	return p == PEERS_OFF || p == PEERS_FAR;
}

/* What was said is not to be changed by another launch. */
static bool is_certain(const struct peers *p, const struct peers_population *of,
		       const struct peers_value *v, enum peers_place now)
{
	enum peers_place best = place(p, of, p->asked.higher ? v->high : v->low);

	if (v->launches >= PEERS_MEDIAN)
		return true;
	if (v->launches < PEERS_AGREE || now == PEERS_NEAR)
		return false;
	return !is_off(now) || is_off(best);
}

/* Only one launch says something else than that all is well: has it to be looked into? */
static bool is_doubted(const struct peers *p, const struct peers_population *of,
		       const struct peers_value *v, const struct peers_opinion *o)
{
	if (is_off(o->place))
		return true;
	if (o->place == PEERS_NEAR &&
	    off(p, of, v->value) > p->asked.min_deviation * fabs(of->median))
		return true;
	/* many nodes are their own witnesses, a few are not */
	return o->slower && p->populations[0].n + p->populations[1].n < PEERS_SMALL;
}

static size_t wanted(const struct peers_value *v, bool certain)
{
	if (certain)
		return 0;
	return v->launches < PEERS_AGREE ? PEERS_AGREE - v->launches
					 : PEERS_MEDIAN - v->launches;
}

static enum verdict_word word(const struct peers_opinion *o, bool certain)
{
	if (o->place == PEERS_FAR || (o->place == PEERS_OFF && certain))
		return VERDICT_FAIL;
	if (o->place == PEERS_OFF)
		return o->more ? VERDICT_INCONCLUSIVE : VERDICT_WARN;
	if (o->place == PEERS_NEAR || o->slower || o->unsteady || o->blind)
		return VERDICT_WARN;
	return VERDICT_PASS;
}

struct peers_opinion peers_opinion(const struct peers *p, const struct peers_value *v,
				   size_t allowed)
{
	const struct peers_population *of = peers_of(p, v->value);
	struct peers_opinion o = {.place = place(p, of, v->value),
				  .slower = is_slower(p, v->value),
				  .blind = is_blind(p, of)};
	bool certain = is_certain(p, of, v, o.place);

	o.unsteady = !is_off(o.place) && o.place != PEERS_NEAR &&
		     place(p, of, p->asked.higher ? v->low : v->high) == PEERS_FAR;
	if (is_doubted(p, of, v, &o))
		o.more = wanted(v, certain);
	if (o.more > allowed)
		o.more = allowed;
	o.word = word(&o, certain);
	return o;
}

size_t peers_wanted_of_all(const struct peers_opinion *o, size_t n)
{
	return o->more && o->place != PEERS_FAR && n < PEERS_SMALL ? PEERS_AGREE : 0;
}
