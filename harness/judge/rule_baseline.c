/* SPDX-License-Identifier: Apache-2.0 */
/* Rule `baseline`: values against what like machines reached before. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "judge/library.h"
#include "judge/rule.h"

/* "150 GB/s is 19.8 % below the 187 GB/s of baseline 'milan-7713'". */
static void start(struct strbuf *why, const struct series *s, const struct reference *r,
		  const char *baseline)
{
	double off = s->value / r->value - 1;

	strbuf_reset(why);
	rule_add_value(why, s->value, s->unit);
	strbuf_addstr(why, " is ");
	if (fabs(off) >= 0.0005)
		strbuf_addf(why, "%.3g %% %s ", fabs(off) * 100,
			    off < 0 ? "below" : "above");
	strbuf_addstr(why, "the ");
	rule_add_value(why, r->value, r->unit);
	strbuf_addf(why, " of baseline '%s'", baseline);
}

static void compare(const struct rule_input *in, struct summary *out,
		    const struct series *s, const struct reference *r, struct strbuf *why)
{
	double *shares = mem_calloc(s->n, sizeof(*shares));
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
	if (r->blas) {
		const char *library = library_name(out, s);

		c.not_binding = !library_is(library, r->blas);
		c.binding_why = arena_printf(
			&out->arena, "that was measured with %s, this with %s", r->blas,
			library ? library : "a library not known");
	}
	start(why, s, r, in->config->baselines.items[r->baseline].name);
	rule_compare(in, out, rule_series_verdict(out, "baseline", s), s, &c, why);
	free(shares);
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
	struct strbuf why = {0};

	(void)e;
	for (size_t i = 0; i < in->n_series; i++) {
		const struct series *s = &in->series[i];
		const struct reference *r;
		enum node_fact fact;

		if (s->mark || !s->declared)
			continue;
		switch (baseline_find(b, s, rule_node(in, s), &r, &fact)) {
		case BASELINE_FOUND:
			compare(in, out, s, r, &why);
			break;
		case BASELINE_UNKNOWN:
			unknown(out, s, r, b->items[r->baseline].name, fact);
			break;
		case BASELINE_NONE:
			break;
		}
	}
	strbuf_release(&why);
	return 0;
}
