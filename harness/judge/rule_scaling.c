/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `scaling`: what sets of nodes reach together against what as many of the smallest
 * sets reach apart. For a step whose plan says "scaling", the efficiency of a set of n
 * nodes is rate / (n * r), where r is the rate a node of the smallest sets: the median of
 * them all. Rates are of the problem solved, so that is right for a problem that grows
 * with the nodes (weak) and for one that stays (strong). What to expect is a reference of
 * a baseline for KERNEL.efficiency, at {nodes: N or any, scaling: weak or strong}.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/rule.h"
#include "record/json.h"
#include "record/key.h"

/* One series of a set. */
struct set {
	const struct series *series;
	const struct state_step *step; /* its last launch */
	size_t nodes;
};

/* The sets of one step of the plan. */
struct ladder {
	const char *scaling; /* weak, strong */
	struct set *sets;    /* in the order of the series */
	size_t n, cap;
	size_t smallest;    /* nodes of the smallest sets */
	double each, sigma; /* rate a node of these, and how one of them varies */
	size_t n_smallest;  /* of them */
	struct arena *a;
};

/* "hpl.rate" */
static bool is_rate(const struct series *s)
{
	const char *dot = strrchr(s->metric, '.');

	return dot && !strcmp(dot, ".rate") && s->declared && s->declared->higher;
}

static const struct state_step *last_launch(const struct rule_input *in,
					    const struct series *s)
{
	return &in->state->steps[s->launches[s->n - 1].step - 1];
}

/* The series is of a set of the step @stage/@step. */
static bool is_of(const struct series *s, const char *base)
{
	size_t n = strlen(base);

	return key_set(s->key) && !strncmp(s->key, base, n) && s->key[n] == '@';
}

/* A kernel that ran several problems in one launch counts with its best. */
static void add_set(struct ladder *l, const struct rule_input *in, const struct series *s)
{
	const struct state_step *st = last_launch(in, s);
	struct set *last = l->n ? &l->sets[l->n - 1] : NULL;

	if (last && !strcmp(last->series->key, s->key)) {
		if (s->value > last->series->value)
			last->series = s;
		return;
	}
	mem_grow(&l->sets, &l->cap, l->n + 1, sizeof(*l->sets));
	l->sets[l->n++] = (struct set){s, st, st->n_nodes};
	if (!l->smallest || st->n_nodes < l->smallest)
		l->smallest = st->n_nodes;
}

/* False when there is nothing to compare with. */
static bool know_smallest(struct ladder *l)
{
	double *rates = mem_calloc(l->n + 1, sizeof(*rates)), one = 0;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct set *s = &l->sets[i];

		if (s->nodes != l->smallest)
			continue;
		rates[n++] = s->series->value / (double)s->nodes;
		one = s->series->sigma / (double)s->nodes;
	}
	n = stats_sort(rates, n);
	l->n_smallest = n;
	l->each = stats_median(rates, n);
	/* of one set only its own launches are known */
	l->sigma = n > 1 ? stats_mad_sigma(rates, n) / sqrt((double)n) : one;
	free(rates);
	return l->each > 0;
}

/* The series as one of the efficiency, for looking up what to expect. */
static struct series as_efficiency(const struct ladder *l, const struct set *s)
{
	struct series e = *s->series;
	const char *dot = strrchr(e.metric, '.');

	e.metric = arena_printf(l->a, "%.*s.efficiency", (int)(dot - e.metric), e.metric);
	e.at = arena_printf(l->a, "{\"nodes\":%zu,\"scaling\":\"%s\"}", s->nodes,
			    l->scaling);
	e.unit = "ratio";
	e.nodes = 1; /* said by `at` */
	return e;
}

/* "1.9 TFLOP/s of 2 nodes (n1 to n2) are 95 % of 2 times the 1 TFLOP/s of one" */
static void start(struct strbuf *why, const struct ladder *l, const struct set *s,
		  double efficiency)
{
	const struct state_step *st = s->step;

	strbuf_reset(why);
	rule_add_value(why, s->series->value, s->series->unit);
	strbuf_addf(why, " of %zu nodes (%s to %s) is ", s->nodes, st->nodes[0],
		    st->nodes[s->nodes - 1]);
	rule_add_share(why, efficiency, false);
	strbuf_addf(why, " of %zu times the ", s->nodes);
	rule_add_value(why, l->each, s->series->unit);
	if (l->smallest == 1)
		strbuf_addf(why, " of one (median of %zu)", l->n_smallest);
	else
		strbuf_addf(why, " a node of %zu sets of %zu", l->n_smallest,
			    l->smallest);
}

static void compare(const struct rule_input *in, struct summary *out,
		    const struct ladder *l, const struct set *s,
		    const struct reference *r, struct verdict *v, struct strbuf *why)
{
	const double all = (double)s->nodes * l->each * r->value;
	double *shares = mem_calloc(s->series->n, sizeof(*shares));
	struct comparison c = {.reference = r->value,
			       .from = r->from,
			       .shares = r->shares,
			       .values = shares,
			       .n = s->series->n,
			       .sigma_from = "that of both"};

	for (size_t i = 0; i < s->series->n; i++)
		shares[i] = s->series->sorted[i] / all;
	c.sigma = s->series->value / all *
		  hypot(s->series->value > 0 ? s->series->sigma / s->series->value : 0,
			l->sigma / l->each);
	if (s->series->within && r->spread > 0) {
		c.sigma = r->spread;
		c.sigma_from = "the baseline";
	}
	strbuf_addstr(why, ", expected ");
	rule_add_share(why, r->value, false);
	rule_compare(in, out, v, s->series, &c, why);
	free(shares);
}

static void judge_set(const struct rule_input *in, struct summary *out,
		      const struct ladder *l, const struct set *s, struct strbuf *why)
{
	struct verdict *v = rule_series_verdict(out, "scaling", s->series);
	struct series e = as_efficiency(l, s);
	double efficiency = s->series->value / ((double)s->nodes * l->each);
	const struct reference *r;
	enum node_fact fact;

	v->metric = e.metric;
	v->at = e.at;
	v->unit = e.unit;
	v->value = record_num(efficiency);
	start(why, l, s, efficiency);
	if (baseline_find(&in->config->baselines, &e, rule_node(in, s->series), &r,
			  &fact) == BASELINE_FOUND &&
	    !strcmp(r->unit, "ratio")) {
		compare(in, out, l, s, r, v, why);
		return;
	}
	v->word = VERDICT_UNJUDGED;
	v->cause = "no-reference";
	strbuf_addf(why, "; no baseline says what to expect of %s", e.metric);
	v->why = arena_strndup(&out->arena, why->buf, why->len);
}

static void judge_ladder(const struct rule_input *in, struct summary *out,
			 struct ladder *l, const char *base)
{
	struct strbuf why = {0};

	l->a = &out->arena;
	for (size_t i = 0; i < in->n_series; i++) {
		if (is_rate(&in->series[i]) && is_of(&in->series[i], base))
			add_set(l, in, &in->series[i]);
	}
	if (know_smallest(l)) {
		for (size_t i = 0; i < l->n; i++) {
			if (l->sets[i].nodes > l->smallest)
				judge_set(in, out, l, &l->sets[i], &why);
		}
	}
	strbuf_release(&why);
	free(l->sets);
}

int rule_scaling_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	const char *text = in->state->plan.stages;
	json_t *stages = text ? json_loads(text, 0, NULL) : NULL, *stage, *step;
	size_t i, k;

	(void)e;
	json_array_foreach(stages, i, stage)
	{
		json_array_foreach(json_object_get(stage, "steps"), k, step)
		{
			struct ladder l = {0};
			const char *scaling = json_member_text(step, "scaling");

			if (!*scaling)
				continue;
			l.scaling = arena_strdup(&out->arena, scaling);
			judge_ladder(in, out, &l,
				     arena_printf(&out->arena, "%s/%s",
						  json_member_text(stage, "name"),
						  json_member_text(step, "name")));
		}
	}
	json_decref(stages);
	return 0;
}
