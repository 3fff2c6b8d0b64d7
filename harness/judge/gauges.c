/* SPDX-License-Identifier: Apache-2.0 */
/* Clock and temperature: see gauges.h. */
#include "judge/gauges.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/rule.h"
#include "judge/stats.h"

enum { FEWEST = 9 };

/* A clock that falls by less may be boost that settles. */
#define FALL 0.1

static double median_of(double *v, size_t n)
{
	return stats_median(v, stats_sort(v, n));
}

/* Readings of @name while the kernel ran; free() them. */
static double *during(const struct state_step *st, size_t from, size_t to,
		      const char *name, size_t *n)
{
	double *v = mem_calloc(to - from + 1, sizeof(*v));

	*n = 0;
	for (size_t i = from; i < to; i++) {
		const struct record_counter *c = st->counters[i];

		if (!strcmp(c->name, name) && !strcmp(c->when, "during") &&
		    c->value.set && isfinite(c->value.v))
			v[(*n)++] = c->value.v;
	}
	return v;
}

void gauges_judge(struct summary *out, const struct state_step *st, size_t from,
		  size_t to)
{
	size_t n, n_hot;
	double *clock = during(st, from, to, "cpus/clock", &n);
	double *hot = during(st, from, to, "cpus/temperature", &n_hot);
	double first, last;

	if (n >= FEWEST) {
		first = median_of(clock, n / 3);
		last = median_of(clock + n - n / 3, n / 3);
		if (last < first * (1 - FALL)) {
			struct verdict *v = rule_step_verdict(out, "counter", st);
			struct strbuf why = {0};

			strbuf_addstr(&why, "the clock of its cores fell from ");
			rule_add_value(&why, first, "Hz");
			strbuf_addstr(&why, " to ");
			rule_add_value(&why, last, "Hz");
			strbuf_addf(&why, " (%.3g %%) during the step",
				    100 * (1 - last / first));
			if (n_hot) {
				hot[0] = hot[stats_sort(hot, n_hot) - 1];
				strbuf_addf(&why, ", at up to %.0f C", hot[0]);
			}
			strbuf_addstr(&why, "; check cooling and power limits");
			v->node = st->counters[from]->node;
			v->metric = "cpus/clock";
			v->word = VERDICT_WARN;
			v->value = record_num(last);
			v->reference = record_num(first);
			v->warn_low = record_num(first * (1 - FALL));
			v->from = "the first third of the same step";
			v->unit = "Hz";
			v->why = arena_strndup(&out->arena, why.buf, why.len);
			strbuf_release(&why);
		}
	}
	free(clock);
	free(hot);
}

void gauges_unreadable(struct summary *out, const struct state *state)
{
	struct names texts = {0}, nodes = {0};
	struct strbuf key = {0};
	size_t *counts = NULL, cap = 0;

	for (size_t s = 0; s < state->n_steps; s++) {
		for (size_t i = 0; i < state->steps[s].n_events; i++) {
			const struct record_event *ev = state->steps[s].events[i];
			bool fresh;
			size_t k;

			if (strcmp(ev->what, "counters") != 0)
				continue;
			strbuf_reset(&key);
			strbuf_addf(&key, "%s\n%s", ev->node ? ev->node : "", ev->text);
			(void)names_add(&nodes, strbuf_str(&key), &fresh);
			if (!fresh)
				continue;
			k = names_add(&texts, ev->text, NULL);
			mem_grow(&counts, &cap, k + 1, sizeof(*counts));
			counts[k]++;
		}
	}
	for (size_t k = 0; k < texts.n; k++)
		rule_remark(out, arena_printf(&out->arena, "counters of %zu node%s %s",
					      counts[k], counts[k] == 1 ? "" : "s",
					      texts.items[k]));
	free(counts);
	names_release(&texts);
	names_release(&nodes);
	strbuf_release(&key);
}
