/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of pairs and launches of their pairs alone: see pairs_repeats.h. */
#include "judge/pairs_repeats.h"

#include <math.h>
#include <string.h>

/* Below such a share the other direction is slow whatever the named one is. */
#define HALF 0.5

/* The best share there (what a finding is about) and back, -1 where there is none. */
struct ways {
	double there, back;
};

static struct ways ways_of(const struct pairs_judged *j, const struct pairs_finding *f,
			   const struct state_step *st)
{
	struct ways best = {-1, -1};

	for (size_t i = 0; i < st->n_samples && launch_ok(st); i++) {
		const struct record_sample *s = st->samples[i];
		size_t from, to;
		double share, *x;

		if (strcmp(s->metric, j->metric) != 0 || !s->node || !s->peer)
			continue;
		from = pairs_data_node(j->data, s->node);
		to = pairs_data_node(j->data, s->peer);
		if (from == NAMES_NONE || to == NAMES_NONE)
			continue;
		share = pairs_share(j->pairs, j->q, s->value.v,
				    pairs_between(j->q, (uint32_t)from, (uint32_t)to));
		x = &best.there;
		if (j->q->directed &&
		    !pairs_concerns(j->q, f, (uint32_t)from, (uint32_t)to))
			x = &best.back;
		*x = fmax(*x, share);
	}
	return best;
}

/*
 * Slow as the finding's limit has it, and like the other one: nearer to what that reaches
 * than to good pairs. Beside a direction at a tenth one at four fifths is noise.
 */
static bool slow_too(const struct ways *x, double limit)
{
	return x->back >= 0 && x->back < fmin(limit, fmax(HALF, sqrt(x->there)));
}

void pairs_repeats_add(struct pairs_repeats *r, const struct pairs_judged *j,
		       const struct pairs_finding *f, const struct pairs_again *again)
{
	const struct ways x = ways_of(j, f, again->step);
	bool turned;

	if (x.there < 0)
		return;
	r->checked++;
	if (x.there >= f->limit)
		return;
	r->slow++;
	if (f->way == PAIRS_BOTH || !slow_too(&x, f->limit) || r->both++)
		return;
	turned = !pairs_concerns(j->q, f, again->a, again->b);
	r->from = turned ? again->b : again->a;
	r->to = turned ? again->a : again->b;
	r->there = x.there;
	r->back = x.back;
}

bool pairs_repeats_any_way(const struct pairs_finding *f)
{
	return f->kind == PAIRS_NODE && pairs_at_times(f);
}

enum pairs_state pairs_repeats_settle(const struct pairs_repeats *r,
				      const struct pairs_finding *f)
{
	enum pairs_state state = pairs_settle(f, r->slow, r->checked);

	if (state != PAIRS_CONFIRMED || !r->both || pairs_repeats_any_way(f))
		return state;
	return pairs_settle(f, r->slow - r->both, r->checked) == PAIRS_CONFIRMED
		       ? PAIRS_CONFIRMED
		       : PAIRS_UNSTEADY;
}
