/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `theory`: values against what the CPU model can do by the book, and against what
 * this machine itself was measured to do in the same launch.
 */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "judge/rule.h"

/* What a series is compared with: one roof value for each launch that has one. */
struct roof {
	double value;   /* median, in the unit of the series */
	double *shares; /* of the roof, one a launch, sorted */
	size_t n;
	double sigma; /* of one share */
	const char *sigma_from;
};

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/*
 * The series of the roof metric in the launches of @s: at the same place, or at the
 * nearest wider one. Series of one key and node are neighbours.
 */
static const struct series *own_roof(const struct rule_input *in, const struct series *s,
				     const char *metric)
{
	const struct series *end = in->series + in->n_series, *best = NULL, *r = s;

	while (r > in->series && same_text(r[-1].key, s->key) &&
	       same_text(r[-1].node, s->node))
		r--;
	for (; r < end && same_text(r->key, s->key) && same_text(r->node, s->node); r++) {
		if (strcmp(r->metric, metric) != 0 || !same_text(r->peer, s->peer) ||
		    strcmp(r->unit, s->unit) != 0 || !series_at_part(r->at, s->at))
			continue;
		if (!best || series_at_part(best->at, r->at))
			best = r;
	}
	return best;
}

static double relative(const struct series *s)
{
	return s->value != 0 ? s->sigma / fabs(s->value) : 0;
}

/* Shares launch by launch: only what was measured together may be divided. */
static bool divide(struct roof *roof, const struct series *s, const struct series *r,
		   struct arena *a)
{
	double *roofs = arena_alloc(a, s->n, sizeof(*roofs));

	roof->shares = arena_alloc(a, s->n, sizeof(*roof->shares));
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
	if (!roof->n)
		return false;
	roof->value = stats_median(roofs, stats_sort(roofs, roof->n));
	roof->sigma = stats_sigma(roof->shares, roof->n);
	if (roof->n == 1) {
		roof->sigma = roof->shares[0] * hypot(relative(s), relative(r));
		roof->sigma_from = "their repetitions";
	}
	return true;
}

static bool nominal(struct roof *roof, const struct series *s, double value,
		    struct arena *a)
{
	roof->value = value;
	roof->n = s->n;
	roof->shares = arena_alloc(a, s->n, sizeof(*roof->shares));
	for (size_t i = 0; i < s->n; i++)
		roof->shares[i] = s->sorted[i] / value;
	roof->sigma = s->sigma / value;
	roof->sigma_from = s->within ? "its repetitions" : NULL;
	return true;
}

static bool find_roof(const struct rule_input *in, const struct theory_limit *l,
		      const struct series *s, struct roof *roof, struct arena *a,
		      const char **why_not)
{
	double value;

	memset(roof, 0, sizeof(*roof));
	if (l->roof == THEORY_OWN) {
		const struct series *own = own_roof(in, s, l->of);
		if (own && divide(roof, s, own, a))
			return true;
		*why_not = arena_printf(a, "this launch has no '%s'", l->of);
		return false;
	}
	value = theory_nominal(l, nodes_find(in->nodes, s->node), a, why_not);
	return value > 0 && nominal(roof, s, value, a);
}

/* "29.1 GB/s is 94 % of this machine's own read bandwidth 31.0 GB/s". */
static const char *head(struct arena *a, const struct series *s,
			const struct theory_limit *l, const struct roof *roof)
{
	char value[UNITS_TEXT], reference[UNITS_TEXT];

	units_format(value, sizeof(value), s->value, s->unit);
	units_format(reference, sizeof(reference), roof->value, s->unit);
	return arena_printf(
		a, "%s is %s of %s %s", value,
		rule_share_text(a, stats_median(roof->shares, roof->n), false), l->called,
		reference);
}

static void compare(const struct rule_input *in, struct summary *out,
		    const struct series *s, const struct theory_limit *l,
		    const struct roof *roof)
{
	struct arena *a = &out->arena;
	const struct judge_node *node = nodes_find(in->nodes, s->node);
	struct verdict *v = rule_series_verdict(out, "theory", s);
	const char *text = head(a, s, l, roof);
	double share = stats_median(roof->shares, roof->n);
	struct comparison c = {.reference = roof->value,
			       .from = l->from,
			       .shares = l->shares,
			       .values = roof->shares,
			       .n = roof->n,
			       .sigma = roof->sigma,
			       .sigma_from = roof->sigma_from,
			       .binding_why = "sources differ on this CPU model"};

	c.not_binding =
		l->roof != THEORY_OWN && node && node->model && node->model->uncertain;
	rule_compare(in, out, v, s, &c, text);
	if (!l->invalid.set)
		return;
	v->high = record_num(l->invalid.v * roof->value);
	if (share > l->invalid.v) {
		v->word = VERDICT_ERROR;
		v->cause = "invalid";
		v->why = arena_printf(a, "%s: more than %s is no measurement", text,
				      rule_share_text(a, l->invalid.v, false));
	}
}

int rule_theory_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	const struct theory *t = &in->config->theory;

	(void)e;
	for (size_t i = 0; i < in->n_series; i++) {
		const struct series *s = &in->series[i];
		const struct theory_limit *l;

		if (s->mark || !s->declared)
			continue;
		for (l = theory_first(t, s->metric); l; l = theory_next(t, l)) {
			const char *why_not = NULL;
			struct roof roof;

			if (theory_covers(l, s) &&
			    find_roof(in, l, s, &roof, &out->arena, &why_not))
				compare(in, out, s, l, &roof);
		}
	}
	return 0;
}

const char *rule_theory_why_not(const struct rule_input *in, const struct series *s,
				struct arena *a)
{
	const struct theory *t = &in->config->theory;
	const char *why_not = "no limit by theory is known for it";
	const struct theory_limit *l;
	struct roof roof;

	for (l = theory_first(t, s->metric); l; l = theory_next(t, l)) {
		if (theory_covers(l, s) && find_roof(in, l, s, &roof, a, &why_not))
			return NULL;
	}
	return why_not;
}
