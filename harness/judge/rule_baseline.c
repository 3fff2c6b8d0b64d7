/* SPDX-License-Identifier: Apache-2.0 */
/* Rule `baseline`: values against what like machines reached before. */
#include <math.h>

#include "base/units.h"
#include "judge/rule.h"

/* "150 GB/s is 19.8 % below the baseline 187 GB/s". */
static const char *head(struct arena *a, const struct series *s,
			const struct reference *r, const char *baseline)
{
	char value[UNITS_TEXT], reference[UNITS_TEXT];
	double off = s->value / r->value - 1;

	units_format(value, sizeof(value), s->value, s->unit);
	units_format(reference, sizeof(reference), r->value, r->unit);
	if (fabs(off) < 0.0005)
		return arena_printf(a, "%s is the %s of baseline '%s'", value, reference,
				    baseline);
	return arena_printf(a, "%s is %.3g %% %s the %s of baseline '%s'", value,
			    fabs(off) * 100, off < 0 ? "below" : "above", reference,
			    baseline);
}

static void compare(const struct rule_input *in, struct summary *out,
		    const struct series *s, const struct reference *r)
{
	struct arena *a = &out->arena;
	double *shares = arena_alloc(a, s->n, sizeof(*shares));
	const struct baselines *b = &in->config->baselines;
	struct comparison c = {.reference = r->value,
			       .from = r->from,
			       .shares = r->shares,
			       .values = shares,
			       .n = s->n,
			       .sigma = s->sigma / r->value,
			       .sigma_from = "its repetitions",
			       .signs = true};

	for (size_t i = 0; i < s->n; i++)
		shares[i] = s->sorted[i] / r->value;
	if (s->within && r->spread > 0) {
		c.sigma = r->spread;
		c.sigma_from = "the baseline";
	}
	rule_compare(in, out, rule_series_verdict(out, "baseline", s), s, &c,
		     head(a, s, r, b->items[r->baseline].name));
}

static void unknown(struct summary *out, const struct series *s,
		    const struct reference *r, const char *baseline, enum node_fact fact)
{
	struct verdict *v = rule_series_verdict(out, "baseline", s);

	v->word = VERDICT_UNJUDGED;
	v->cause = "no-reference";
	v->from = r->from;
	v->why = arena_printf(&out->arena,
			      "baseline '%s' may hold, but %s of this node is not known",
			      baseline, node_fact_names[fact]);
}

int rule_baseline_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	const struct baselines *b = &in->config->baselines;

	(void)e;
	for (size_t i = 0; i < in->n_series; i++) {
		const struct series *s = &in->series[i];
		const struct reference *r;
		enum node_fact fact;

		if (s->mark || !s->declared)
			continue;
		switch (baseline_find(b, s, nodes_find(in->nodes, s->node), &r, &fact)) {
		case BASELINE_FOUND:
			compare(in, out, s, r);
			break;
		case BASELINE_UNKNOWN:
			unknown(out, s, r, b->items[r->baseline].name, fact);
			break;
		case BASELINE_NONE:
			break;
		}
	}
	return 0;
}
