/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `valid`: what a kernel says about its own results, values that are no numbers, and
 * launches whose output cannot be trusted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/rule.h"
#include "record/key.h"

/* Like checks, or like samples, of one launch: what they are grouped by. */
struct item {
	const char *node, *what, *at;
	size_t order; /* in the journal */
};

static int compare_items(const void *x, const void *y)
{
	const struct item *a = x, *b = y;
	int c = series_compare_text(a->node, b->node);

	if (!c)
		c = strcmp(a->what, b->what);
	if (!c)
		c = series_compare_text(a->at, b->at);
	return c ? c : (a->order > b->order) - (a->order < b->order);
}

static bool same_item(const struct item *a, const struct item *b)
{
	return !series_compare_text(a->node, b->node) && !strcmp(a->what, b->what) &&
	       !series_compare_text(a->at, b->at);
}

/* The more telling of two records of one check: not ok, then no number, then larger. */
static bool worse(const struct record_valid *a, const struct record_valid *b)
{
	if (state_check_ok(a) != state_check_ok(b))
		return !state_check_ok(a);
	if (!a->value.set || !b->value.set)
		return a->value.set;
	return a->value.v > b->value.v || !stats_usable(a->value.v);
}

static const char *check_text(struct arena *a, const struct record_valid *v, size_t bad,
			      size_t n)
{
	const char *value = v->value.set ? arena_printf(a, " %.3g", v->value.v) : "";
	const char *limit =
		v->limit.set ? arena_printf(a, ", limit %.3g", v->limit.v) : "";
	const char *text = v->text ? arena_printf(a, ": %s", v->text) : "";

	if (!bad)
		return arena_printf(a, "check '%s' is good%s%s%s", v->check,
				    *value ? ": worst" : "", value, limit);
	return arena_printf(a, "%zu of %zu checks '%s' failed%s%s%s%s; %s counts nowhere",
			    bad, n, v->check, *value ? ": worst" : "", value, limit, text,
			    v->at ? "it" : "the launch");
}

/* valids items[0..n) of @st are one check, on one node or of all nodes as one. */
static void judge_check(struct summary *out, const struct state_step *st,
			const struct item *items, size_t n)
{
	const struct record_valid *worst = st->valids[items[0].order];
	struct verdict *v = rule_step_verdict(out, "valid", st);
	size_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		const struct record_valid *r = st->valids[items[i].order];

		bad += !state_check_ok(r);
		if (worse(r, worst))
			worst = r;
	}
	if (items[0].node)
		v->node = items[0].node;
	v->metric = worst->check;
	v->at = worst->at && bad ? worst->at : NULL;
	v->value = worst->value;
	v->high = worst->limit;
	v->n = (int64_t)n;
	v->word = bad ? VERDICT_FAIL : VERDICT_PASS;
	v->cause = bad ? "numerical" : NULL;
	v->why = check_text(&out->arena, worst, bad, n);
}

/* samples items[0..n) of @st are of one metric at one place on one node. */
static void judge_numbers(struct summary *out, const struct state_step *st,
			  const struct item *items, size_t n)
{
	const struct record_sample *first = st->samples[items[0].order];
	double shown = 0;
	struct verdict *v;
	size_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		double value = st->samples[items[i].order]->value.v;

		if (stats_usable(value))
			continue;
		if (!bad++ || isnan(value) || value > shown)
			shown = value;
	}
	if (!bad)
		return;
	v = rule_step_verdict(out, "valid", st);
	if (items[0].node)
		v->node = items[0].node;
	v->metric = first->metric;
	v->at = first->at;
	v->unit = first->unit;
	v->value = record_num(shown);
	v->n = (int64_t)n;
	v->word = VERDICT_FAIL;
	v->cause = "invalid";
	v->why = arena_printf(
		&out->arena,
		"%zu of %zu values of '%s' are no numbers (%.3g); the launch "
		"counts nowhere",
		bad, n, first->metric, shown);
}

typedef void judge_fn(struct summary *out, const struct state_step *st,
		      const struct item *items, size_t n);

static void by_item(struct summary *out, const struct state_step *st, struct item *items,
		    size_t n, judge_fn *fn)
{
	if (n)
		qsort(items, n, sizeof(*items), compare_items);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && same_item(&items[i], &items[end]); end++)
			;
		fn(out, st, items + i, end - i);
	}
}

/* Grouping is worth its cost only where something is wrong: usually nothing is. */
static bool all_numbers(const struct state_step *st)
{
	for (size_t i = 0; i < st->n_samples; i++) {
		if (!stats_usable(st->samples[i]->value.v))
			return false;
	}
	return true;
}

/*
 * What a kernel computes on several nodes as one is wrong on all of them: the node of the
 * rank that looked is not to blame. Which one is finds the search of isolate.h.
 */
static bool is_common(const struct rule_input *in, const struct state_step *st)
{
	return st->n_nodes > 1 && metrics_of_set(in->metrics, st->planned.kernel);
}

static void judge_step(const struct rule_input *in, struct summary *out,
		       const struct state_step *st, bool last)
{
	const bool common = is_common(in, st);
	size_t most = st->n_valids > st->n_samples ? st->n_valids : st->n_samples;
	struct item *items = mem_calloc(most + 1, sizeof(*items));
	bool failed = false;

	for (size_t i = 0; i < st->n_valids; i++) {
		const struct record_valid *v = st->valids[i];
		const bool ok = state_check_ok(v);

		/* which of several problems matters when it failed */
		items[i] = (struct item){common ? NULL : v->node, v->check,
					 ok ? NULL : v->at, i};
		failed |= !ok;
	}
	by_item(out, st, items, st->n_valids, judge_check);
	if (!all_numbers(st)) {
		failed = true;
		for (size_t i = 0; i < st->n_samples; i++)
			items[i] = (struct item){st->samples[i]->node,
						 st->samples[i]->metric,
						 st->samples[i]->at, i};
		by_item(out, st, items, st->n_samples, judge_numbers);
	}
	free(items);
	if (last && !failed && !strcmp(launch_cause(st), "invalid") &&
	    !key_is_search(st->planned.key)) {
		struct verdict *v = rule_step_verdict(out, "valid", st);

		v->word = VERDICT_ERROR;
		v->cause = "invalid";
		v->why = st->ended.reason ? st->ended.reason
					  : "the launch gave no result to be trusted";
	}
}

int rule_valid_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	(void)e;
	for (size_t i = 0; i < in->state->n_steps; i++) {
		const struct state_step *st = &in->state->steps[i];

		if (st->id && st->phase == STATE_ENDED)
			judge_step(in, out, st,
				   launches_find(in->launches, st->planned.key)->last ==
					   i);
	}
	return 0;
}
