/* SPDX-License-Identifier: Apache-2.0 */
/* What would be started, without starting it: see campaign.h. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"
#include "cmd/campaign.h"
#include "plan/places.h"

/* Facts of a dry run go into a state instead of a journal. */
struct state_sink {
	struct record_sink sink; /* first: put_state() casts */
	struct state *state;
};

static int put_state(struct record_sink *sink, const struct record *r, struct err *e)
{
	return state_add(((struct state_sink *)sink)->state, r, e);
}

static int print_step(struct campaign *c, const struct step *s, FILE *out, struct err *e)
{
	struct strbuf line = {0};
	struct command cmd = {0};
	const char *text;
	size_t n;
	char estimate[UNITS_TEXT], limit[UNITS_TEXT];

	(void)fprintf(out, "step %lld: %s\n", (long long)s->id, s->key);
	if (s->refused || s->remark)
		(void)fprintf(out, "  %s\n", s->refused ? s->refused : s->remark);
	if (s->refused)
		return 0;
	if (runner_command(&c->runner, s, &c->arena, &cmd, e))
		return -1;
	for (n = 0; cmd.argv[n]; n++)
		;
	text = words_quote(&c->arena, cmd.argv, n);
	utf8_printable(&line, text, strlen(text));
	(void)fprintf(out,
		      "  place %s: %d rank%s x %d thread%s, CPUs %s\n"
		      "  estimate %s, limit %s\n  %s\n",
		      s->place, s->ranks, s->ranks == 1 ? "" : "s", s->threads,
		      s->threads == 1 ? "" : "s", s->cpusets,
		      units_format_duration(estimate, sizeof(estimate), s->estimate),
		      units_format_duration(limit, sizeof(limit), s->limit),
		      strbuf_str(&line));
	strbuf_release(&line);
	return 0;
}

static int print_steps(struct campaign *c, const struct steps *steps, FILE *out,
		       struct err *e)
{
	char text[UNITS_TEXT];
	double cost = 0;

	(void)fprintf(out, "plan %s on %zu node%s by %s:\n", c->plan.name, c->n_nodes,
		      c->n_nodes == 1 ? "" : "s", c->runner.launcher->name);
	for (size_t i = 0; i < steps->n; i++) {
		if (print_step(c, &steps->items[i], out, e))
			return -1;
		cost += steps->items[i].cost;
	}
	for (size_t i = 0; i < steps->n_left_out; i++)
		(void)fprintf(out, "left out for lack of time: %s\n",
			      steps->left_out[i].text);
	for (size_t i = 0; i < c->plan.n_stages; i++) {
		if (c->plan.stages[i].gate && i + 1 < c->plan.n_stages)
			(void)fprintf(
				out,
				"stage %s is a gate: what follows it is planned when it "
				"has been judged\n",
				c->plan.stages[i].name);
	}
	(void)fprintf(out, "%zu steps, about %s; nothing was started but the probe\n",
		      steps->n, units_format_duration(text, sizeof(text), cost));
	return 0;
}

int campaign_dry_run(struct campaign *c, FILE *out, struct err *e)
{
	struct state state = {0};
	struct state_sink sink = {{put_state}, &state};
	struct record plan = campaign_plan_record(c);
	struct places places = {0};
	struct steps steps = {0};
	struct placer placer;
	int rc = -1;

	c->runner.dir = "RUN";
	if (state_add(&state, &plan, e) || campaign_probe(c, &state, &sink.sink, e))
		goto out;
	places_load(&places, &state, NULL);
	placer = places_placer(&places);
	rc = next_steps(&steps, &c->plan, &state, NULL, 0, campaign_time_left(c), &placer,
			e);
	if (!rc)
		rc = print_steps(c, &steps, out, e);
	/* the run itself could not end better */
	if (!rc && state.n_facts < c->n_nodes)
		rc = 3;
out:
	progress_end(&c->progress);
	steps_release(&steps);
	places_release(&places);
	state_release(&state);
	return rc;
}
