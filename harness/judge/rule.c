/* SPDX-License-Identifier: Apache-2.0 */
/* What rules share: see rule.h. */
#include "judge/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

struct verdict *summary_add(struct summary *out)
{
	struct verdict *v;

	mem_grow(&out->verdicts, &out->cap_verdicts, out->n_verdicts + 1,
		 sizeof(*out->verdicts));
	v = &out->verdicts[out->n_verdicts++];
	memset(v, 0, sizeof(*v));
	v->word = VERDICT_PASS;
	return v;
}

struct verdict *rule_series_verdict(struct summary *out, const char *rule,
				    const struct series *s)
{
	struct verdict *v = summary_add(out);

	v->rule = rule;
	v->step = s->n == 1 ? s->launches[0].step : 0;
	v->key = s->key;
	v->name = s->name;
	v->kernel = s->kernel;
	v->node = s->node;
	v->peer = s->peer;
	v->metric = s->metric;
	v->at = s->at;
	v->unit = s->unit;
	v->value = record_num(s->value);
	v->n = (int64_t)s->n;
	v->series = s;
	if (s->sigma > 0 && s->value != 0)
		v->spread = record_num(s->sigma / fabs(s->value));
	return v;
}

struct verdict *rule_step_verdict(struct summary *out, const char *rule,
				  const struct state_step *st)
{
	struct verdict *v = summary_add(out);

	v->rule = rule;
	v->step = st->id;
	v->key = st->planned.key;
	v->name = st->planned.name;
	v->kernel = st->planned.kernel;
	v->node = st->n_nodes == 1 ? st->nodes[0] : NULL;
	return v;
}

void rule_request(struct summary *out, const char *id, const char *want,
		  const char *target, const char *because)
{
	mem_grow(&out->requests, &out->cap_requests, out->n_requests + 1,
		 sizeof(*out->requests));
	out->requests[out->n_requests++] = (struct request){id, want, target, because};
}

const char *rule_share_text(struct arena *a, double share, bool signs)
{
	if (signs)
		return arena_printf(a, "%+.3g %%", (share - 1) * 100);
	return arena_printf(a, "%.3g %%", share * 100);
}

static struct record_num scaled(struct record_num share, double reference)
{
	if (share.set)
		share.v *= reference;
	return share;
}

/* ", limit 75 %", or which limit was passed. A value is on one side of its reference. */
static const char *limit_text(struct arena *a, enum verdict_word word, double share,
			      const struct limits *l, bool signs)
{
	bool lower = l->warn_low.set || l->fail_low.set;
	bool upper = (l->warn_high.set || l->fail_high.set) && (share > 1 || !lower);
	struct record_num warn = upper ? l->warn_high : l->warn_low;
	struct record_num fail = upper ? l->fail_high : l->fail_low;
	const char *side = upper ? "above" : "below";

	if (!warn.set && !fail.set)
		return "";
	if (word == VERDICT_PASS)
		return arena_printf(
			a, ", limit %s",
			rule_share_text(a, warn.set ? warn.v : fail.v, signs));
	if (word == VERDICT_FAIL)
		return arena_printf(a, ", %s the fail limit %s", side,
				    rule_share_text(a, fail.v, signs));
	return arena_printf(a, ", %s the warn limit %s", side,
			    rule_share_text(a, warn.v, signs));
}

/* How many launches stand behind the value and how much they vary. */
static const char *launches_text(struct arena *a, const struct comparison *c)
{
	const char *sigma = rule_share_text(a, c->sigma, false);

	if (c->n > 1)
		return arena_printf(a, "; median of %zu launches, spread %s", c->n,
				    sigma);
	if (!c->sigma_from || !(c->sigma > 0))
		return "; one launch, spread not known";
	return arena_printf(a, "; one launch, spread %s by %s", sigma, c->sigma_from);
}

static void undecided(const struct rule_input *in, struct summary *out, struct verdict *v,
		      const struct series *s, const struct comparison *c,
		      struct stats_interval i, const char *head)
{
	struct arena *a = &out->arena;
	const struct launch_key *k = launches_find(in->launches, s->key);
	double half = limits_resolution(&c->shares, stats_median(c->values, c->n));
	size_t needed = stats_values_needed(c->sigma, half), more;
	const char *low = rule_share_text(a, i.low, c->signs);
	const char *high = rule_share_text(a, i.high, c->signs);

	if (!k || k->n_repeats >= in->repeats) {
		v->word = VERDICT_WARN;
		v->why = arena_printf(a,
				      "%s, at the limit: %s to %s is possible after %zu "
				      "launches and no more are allowed",
				      head, low, high, c->n);
		return;
	}
	more = needed > c->n ? needed - c->n : 1;
	v->why = arena_printf(a,
			      "%s, but %s to %s is possible, across both limits%s; about "
			      "%zu more launch%s needed",
			      head, low, high, launches_text(a, c), more,
			      more == 1 ? "" : "es");
	rule_request(out, arena_printf(a, "repeat:%s:%zu", s->key, k->n_done), "repeat",
		     s->key, v->why);
}

void rule_compare(const struct rule_input *in, struct summary *out, struct verdict *v,
		  const struct series *s, const struct comparison *c, const char *head)
{
	struct arena *a = &out->arena;
	struct stats_interval i = stats_interval(c->values, c->n, c->sigma);
	double share = stats_median(c->values, c->n);
	const char *limit;

	v->reference = record_num(c->reference);
	v->from = c->from;
	v->n = (int64_t)c->n;
	v->low = scaled(c->shares.fail_low, c->reference);
	v->high = scaled(c->shares.fail_high, c->reference);
	v->warn_low = scaled(c->shares.warn_low, c->reference);
	v->warn_high = scaled(c->shares.warn_high, c->reference);
	if (c->sigma > 0 && share > 0)
		v->spread = record_num(c->sigma / share);
	v->word = limits_judge(&c->shares, share, i);
	if (v->word == VERDICT_INCONCLUSIVE) {
		undecided(in, out, v, s, c, i, head);
		return;
	}
	limit = limit_text(a, v->word, share, &c->shares, c->signs);
	if (v->word == VERDICT_FAIL && c->not_binding) {
		v->word = VERDICT_WARN;
		v->why = arena_printf(a, "%s%s%s; no FAIL, since %s", head, limit,
				      launches_text(a, c), c->binding_why);
		return;
	}
	v->why = arena_printf(a, "%s%s%s", head, limit, launches_text(a, c));
}
