/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `theory`: values against what the CPU model can do by the book, and against what
 * this machine itself was measured to do in the same launch.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/carriers.h"
#include "judge/roofs.h"
#include "judge/rule.h"

/* What a series is compared with: one roof value for each launch that has one. */
struct roof {
	double value;   /* median, in the unit of the series */
	double *shares; /* of the roof, one a launch, sorted */
	size_t n;
	double sigma; /* of one share */
	const char *sigma_from;
};

static double relative(const struct series *s)
{
	return s->value != 0 ? s->sigma / fabs(s->value) : 0;
}

/* Shares launch by launch: only what was measured together may be divided. */
static bool divide(struct roof *roof, const struct series *s, const struct series *r)
{
	double *roofs = mem_calloc(s->n, sizeof(*roofs));

	roof->shares = mem_calloc(s->n, sizeof(*roof->shares));
	for (size_t i = 0, k = 0; i < s->n; i++) {
		while (k < r->n && r->launches[k].step < s->launches[i].step)
			k++;
		if (k == r->n || r->launches[k].step != s->launches[i].step ||
		    r->launches[k].value <= 0)
			continue;
		roofs[roof->n] = r->launches[k].value;
		roof->shares[roof->n++] = s->launches[i].value / r->launches[k].value;
	}
	roof->n = stats_sort(roof->shares, roof->n);
	roof->value = stats_median(roofs, stats_sort(roofs, roof->n));
	free(roofs);
	if (!roof->n)
		return false;
	roof->sigma = stats_sigma(roof->shares, roof->n);
	if (roof->n == 1) {
		roof->sigma = roof->shares[0] * hypot(relative(s), relative(r));
		roof->sigma_from = "their repetitions";
	}
	return true;
}

static void nominal(struct roof *roof, const struct series *s, double value)
{
	roof->value = value;
	roof->n = s->n;
	roof->shares = mem_calloc(s->n, sizeof(*roof->shares));
	for (size_t i = 0; i < s->n; i++)
		roof->shares[i] = s->sorted[i] / value;
	roof->sigma = s->sigma / value;
	roof->sigma_from = s->within ? "its repetitions" : NULL;
}

static bool of_same_kernel(const char *metric, const struct series *s)
{
	size_t n = s->kernel ? strlen(s->kernel) : 0;

	return n && !strncmp(metric, s->kernel, n) && metric[n] == '.';
}

/* A roof that another kernel measured, on each node of the launch in a step of its own.
 */
static bool elsewhere(struct roof *roof, const struct rule_input *in,
		      const struct theory_limit *l, const struct series *s)
{
	const struct state_step *st = &in->state->steps[s->launches[s->n - 1].step - 1];
	double sum = 0;

	if (s->peer || of_same_kernel(l->of, s))
		return false;
	for (size_t i = 0; i < st->n_nodes; i++) {
		double one = roofs_find(in->roofs, l->of, st->nodes[i]);

		if (!(one > 0))
			return false;
		sum += one;
	}
	if (!(sum > 0))
		return false;
	nominal(roof, s, sum);
	return true;
}

/* free() roof->shares after, also when there is no roof. */
static bool find_roof(const struct rule_input *in, const struct theory_limit *l,
		      const struct series *s, struct roof *roof, const char **why_not)
{
	double value;

	memset(roof, 0, sizeof(*roof));
	if (l->roof == THEORY_OWN) {
		const struct series *own = series_beside(s, l->of);

		if (own && !strcmp(own->unit, s->unit) && divide(roof, s, own))
			return true;
		if (elsewhere(roof, in, l, s))
			return true;
		*why_not = of_same_kernel(l->of, s)
				   ? "its launch has no value for its own roof"
				   : "its roof was not measured on its nodes";
		return false;
	}
	if (l->roof == THEORY_LINE_RATE)
		value = carriers_line_rate(
			in->state, &in->state->steps[s->launches[s->n - 1].step - 1],
			why_not);
	else
		value = (double)s->nodes * theory_nominal(l, rule_node(in, s), why_not);
	if (!(value > 0))
		return false;
	nominal(roof, s, value);
	return true;
}

/* "29.1 GB/s is 94 % of this machine's own read bandwidth 31.0 GB/s". */
static void start(struct strbuf *why, const struct series *s,
		  const struct theory_limit *l, const struct roof *roof, double share)
{
	strbuf_reset(why);
	rule_add_value(why, s->value, s->unit);
	strbuf_addstr(why, " is ");
	/* each launch has its own roof: the median of the shares is no share of medians
	 */
	if (roof->n > 1 && fabs(share - s->value / roof->value) > 0.005 * share)
		strbuf_addstr(why, "launch by launch ");
	rule_add_share(why, share, false);
	strbuf_addf(why, " of %s ", l->called);
	rule_add_value(why, roof->value, s->unit);
}

static void compare(const struct rule_input *in, struct summary *out,
		    const struct series *s, const struct theory_limit *l,
		    const struct roof *roof, struct strbuf *why)
{
	const struct judge_node *node = rule_node(in, s);
	struct verdict *v = rule_series_verdict(out, "theory", s);
	double share = stats_median(roof->shares, roof->n);
	struct comparison c = {.reference = roof->value,
			       .from = l->from,
			       .shares = l->shares,
			       .values = roof->shares,
			       .n = roof->n,
			       .sigma = roof->sigma,
			       .sigma_from = roof->sigma_from,
			       .binding_why = "sources differ on this CPU model"};
	size_t head;

	c.not_binding = l->roof < THEORY_LINE_RATE && node && node->model &&
			node->model->uncertain;
	start(why, s, l, roof, share);
	head = why->len;
	rule_compare(in, out, v, s, &c, why);
	v->share = record_num(share);
	if (!l->invalid.set)
		return;
	v->high = record_num(l->invalid.v * roof->value);
	if (share > l->invalid.v) {
		strbuf_truncate(why, head);
		strbuf_addstr(why, ": more than ");
		rule_add_share(why, l->invalid.v, false);
		strbuf_addstr(why, " is no measurement");
		v->word = VERDICT_ERROR;
		v->cause = "invalid";
		v->why = arena_strndup(&out->arena, why->buf, why->len);
	}
}

int rule_theory_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	const struct theory *t = &in->config->theory;
	struct strbuf why = {0};

	(void)e;
	for (size_t i = 0; i < in->n_series; i++) {
		const struct series *s = &in->series[i];
		const struct theory_limit *l;

		if (s->mark || !s->declared)
			continue;
		for (l = theory_first(t, s->metric); l; l = theory_next(t, l)) {
			const char *why_not = NULL;
			struct roof roof = {0};

			if (theory_covers(l, s) && find_roof(in, l, s, &roof, &why_not))
				compare(in, out, s, l, &roof, &why);
			free(roof.shares);
		}
	}
	strbuf_release(&why);
	return 0;
}

const char *rule_theory_why_not(const struct rule_input *in, const struct series *s)
{
	const struct theory *t = &in->config->theory;
	const char *why_not = "no limit by theory is known for it";
	const struct theory_limit *l;

	for (l = theory_first(t, s->metric); l; l = theory_next(t, l)) {
		struct roof roof = {0};
		bool found = theory_covers(l, s) && find_roof(in, l, s, &roof, &why_not);

		free(roof.shares);
		if (found)
			return NULL;
	}
	return why_not;
}
