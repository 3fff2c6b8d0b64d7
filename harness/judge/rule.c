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

const struct judge_node *rule_node(const struct rule_input *in, const struct series *s)
{
	const struct state_step *st = &in->state->steps[s->launches[s->n - 1].step - 1];
	const struct judge_node *first;

	if (s->node || !st->n_nodes)
		return nodes_find(in->nodes, s->node);
	first = nodes_find(in->nodes, st->nodes[0]);
	for (size_t i = 1; i < st->n_nodes && first; i++) {
		const struct judge_node *n = nodes_find(in->nodes, st->nodes[i]);

		if (!n || series_compare_text(n->class, first->class) != 0)
			return NULL;
	}
	return first;
}

void rule_request(struct summary *out, const char *id, const char *want,
		  const char *target, const char *because)
{
	mem_grow(&out->requests, &out->cap_requests, out->n_requests + 1,
		 sizeof(*out->requests));
	out->requests[out->n_requests++] =
		(struct request){id, want, target, because, NULL};
}

void rule_miss(struct summary *out, const char *key, const char *node, const char *why)
{
	mem_grow(&out->missing, &out->cap_missing, out->n_missing + 1,
		 sizeof(*out->missing));
	out->missing[out->n_missing++] = (struct summary_missing){key, node, why};
}

void rule_remark(struct summary *out, const char *text)
{
	mem_grow(&out->remarks, &out->cap_remarks, out->n_remarks + 1,
		 sizeof(*out->remarks));
	out->remarks[out->n_remarks++] = text;
}

void rule_add_share(struct strbuf *out, double share, bool signs)
{
	double percent = signs ? (share - 1) * 100 : share * 100;

	/* "1.64e+03 %" is read as 1.64 */
	strbuf_addf(out,
		    fabs(percent) < 999.5 ? (signs ? "%+.3g %%" : "%.3g %%")
					  : (signs ? "%+.0f %%" : "%.0f %%"),
		    percent);
}

void rule_add_value(struct strbuf *out, double value, const char *unit)
{
	char text[UNITS_TEXT];

	strbuf_addstr(out, units_format(text, sizeof(text), value, unit));
}

/* Where the site does not say. */
#define MIN_DEVIATION 0.05

double rule_min_deviation(const json_t *site, const char *metric)
{
	const json_t *said = json_object_get(site, "min_deviation");
	const json_t *v = json_object_get(said, metric);
	double share;

	if (!v)
		v = json_object_get(said, "default");
	share = json_is_number(v) ? json_number_value(v) : MIN_DEVIATION;
	return share >= 0 ? share : MIN_DEVIATION;
}

static struct record_num scaled(struct record_num share, double reference)
{
	if (share.set)
		share.v *= reference;
	return share;
}

/* ", limit 75 %", or which limit was passed. A value is on one side of its reference. */
static void add_limit(struct strbuf *out, enum verdict_word word, double share,
		      const struct limits *l, bool signs)
{
	bool lower = l->warn_low.set || l->fail_low.set;
	bool upper = (l->warn_high.set || l->fail_high.set) && (share > 1 || !lower);
	struct record_num warn = upper ? l->warn_high : l->warn_low;
	struct record_num fail = upper ? l->fail_high : l->fail_low;
	const char *side = upper ? "above" : "below";

	if (!warn.set && !fail.set)
		return;
	if (word == VERDICT_PASS)
		strbuf_addstr(out, ", limit ");
	else
		strbuf_addf(out, ", %s the %s limit ", side,
			    word == VERDICT_FAIL ? "fail" : "warn");
	rule_add_share(out, word == VERDICT_FAIL || !warn.set ? fail.v : warn.v, signs);
}

/* How many launches stand behind the value and how much they vary. */
static void add_launches(struct strbuf *out, const struct comparison *c)
{
	if (c->n > 1)
		strbuf_addf(out, "; median of %zu launches, spread ", c->n);
	else if (!c->sigma_from || !(c->sigma > 0))
		strbuf_addstr(out, "; one launch, spread not known");
	else
		strbuf_addstr(out, "; one launch, spread ");
	if (c->n > 1 || (c->sigma_from && c->sigma > 0))
		rule_add_share(out, c->sigma, false);
	if (c->n == 1 && c->sigma_from && c->sigma > 0)
		strbuf_addf(out, " by %s", c->sigma_from);
}

static void undecided(const struct rule_input *in, struct summary *out, struct verdict *v,
		      const struct series *s, const struct comparison *c,
		      struct strbuf *why)
{
	const struct launch_key *k = launches_find(in->launches, s->key);
	struct stats_interval i = stats_interval(c->values, c->n, c->sigma);
	double half = limits_resolution(&c->shares, stats_median(c->values, c->n));
	size_t needed = stats_values_needed(c->sigma, half), more;
	bool last = !k || k->n_repeats >= in->repeats;

	strbuf_addstr(why, last ? ", at the limit: " : ", but ");
	/* a wide interval goes below nothing, which no rate or time does */
	rule_add_share(why, fmax(i.low, 0), c->signs);
	strbuf_addstr(why, " to ");
	rule_add_share(why, i.high, c->signs);
	if (last) {
		v->word = VERDICT_WARN;
		strbuf_addf(why,
			    " is possible after %zu launches and no more are allowed",
			    c->n);
		v->why = arena_strndup(&out->arena, why->buf, why->len);
		return;
	}
	strbuf_addstr(why, " is possible, across both limits");
	add_launches(why, c);
	more = needed > c->n ? needed - c->n : 1;
	strbuf_addf(why, "; about %zu more launch%s needed", more, more == 1 ? "" : "es");
	v->why = arena_strndup(&out->arena, why->buf, why->len);
	rule_request(out, arena_printf(&out->arena, "repeat:%s:%zu", s->key, k->n_done),
		     "repeat", s->key, v->why);
}

void rule_compare(const struct rule_input *in, struct summary *out, struct verdict *v,
		  const struct series *s, const struct comparison *c, struct strbuf *why)
{
	struct stats_interval i = stats_interval(c->values, c->n, c->sigma);
	double share = stats_median(c->values, c->n);

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
		undecided(in, out, v, s, c, why);
		return;
	}
	add_limit(why, v->word, share, &c->shares, c->signs);
	add_launches(why, c);
	if (v->word == VERDICT_FAIL && c->not_binding) {
		v->word = VERDICT_WARN;
		strbuf_addf(why, "; no FAIL, since %s", c->binding_why);
	}
	v->why = arena_strndup(&out->arena, why->buf, why->len);
}
