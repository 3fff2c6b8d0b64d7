/* SPDX-License-Identifier: Apache-2.0 */
/* What would be started, without starting it: see campaign.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cmd/campaign.h"
#include "config/hostlist.h"
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

/* What was asked of a kernel last: many launches are alike. */
struct outlined {
	const char *words, *text;
	bool refused;
	size_t n_refused; /* launches */
};

/* The size of the problem, where the kernel says it without being run. */
static int print_outline(struct campaign *c, const struct step *s, const json_t *kernels,
			 struct outlined *last, FILE *out, struct err *e)
{
	const char *words =
		arena_printf(&c->arena, "%s %d %d %s", s->kernel, s->ranks, s->threads,
			     words_quote(&c->arena, s->options, s->n_options));

	if (s->n_command || !json_is_true(json_object_get(
				    json_object_get(kernels, s->kernel), "outline")))
		return 0;
	if (!last->words || strcmp(last->words, words) != 0) {
		last->words = words;
		if (runner_outline(&c->runner, s, &c->arena, &last->text, &last->refused,
				   e))
			return -1;
	}
	last->n_refused += last->refused;
	if (last->text)
		(void)fprintf(out, "  %s%s\n", last->refused ? "would be refused: " : "",
			      last->text);
	return 0;
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
		      s->threads == 1 ? "" : "s", *s->cpusets ? s->cpusets : "any",
		      units_format_duration(estimate, sizeof(estimate), s->estimate),
		      units_format_duration(limit, sizeof(limit), s->limit),
		      strbuf_str(&line));
	strbuf_release(&line);
	return 0;
}

/* What each class of nodes is, and which nodes those are. */
static void print_machines(struct campaign *c, const struct state *state, FILE *out)
{
	const char **nodes = mem_calloc(state->n_facts + 1, sizeof(*nodes));
	struct names seen = {0};

	for (size_t i = 0; i < state->n_facts; i++) {
		const char *topology = state->facts[i].topology;
		struct strbuf list = {0};
		bool fresh = false;
		size_t n = 0;

		if (topology)
			(void)names_add(&seen, topology, &fresh);
		if (!fresh)
			continue;
		for (size_t k = i; k < state->n_facts; k++) {
			if (state->facts[k].topology &&
			    !strcmp(state->facts[k].topology, topology))
				nodes[n++] = state->facts[k].node;
		}
		hostlist_fold(&list, nodes, n);
		(void)fprintf(out, "%s:\n", strbuf_str(&list));
		strbuf_release(&list);
		campaign_print_machine(c, &state->facts[i], out);
	}
	names_release(&seen);
	free(nodes);
}

static int print_steps(struct campaign *c, const struct steps *steps, FILE *out,
		       struct err *e)
{
	json_t *kernels = json_loads(c->kernels, 0, NULL);
	struct outlined last = {0};
	char text[UNITS_TEXT];
	double cost = 0;
	int rc = 0;

	(void)fprintf(out, "plan %s on %zu node%s by %s:\n", c->plan.name, c->n_nodes,
		      c->n_nodes == 1 ? "" : "s", c->runner.launcher->name);
	for (size_t i = 0; i < steps->n && !rc; i++) {
		const struct step *s = &steps->items[i];

		rc = print_step(c, s, out, e);
		if (!rc && !s->refused)
			rc = print_outline(c, s, kernels, &last, out, e);
		cost += s->cost;
	}
	json_decref(kernels);
	if (rc)
		return -1;
	for (size_t i = 0; i < steps->n_left_out; i++)
		(void)fprintf(out, "left out for lack of time: %s\n",
			      steps->left_out[i].text);
	(void)fprintf(out, "%zu step%s, about %s; nothing was started%s\n", steps->n,
		      steps->n == 1 ? "" : "s",
		      units_format_duration(text, sizeof(text), cost),
		      c->args->topology ? "" : " but the probe");
	/* so would end the run */
	return last.n_refused ? 3 : 0;
}

/*
 * Opens the gates: what is behind them is to be seen, too. Here alone, where nothing
 * is started.
 */
static void open_gates(struct campaign *c, FILE *out)
{
	for (size_t i = 0; i < c->plan.n_stages; i++) {
		struct plan_stage *stage = &c->plan.stages[i];

		if (stage->gate && i + 1 < c->plan.n_stages)
			(void)fprintf(out,
				      "stage %s is a gate: a node that fails it stays "
				      "out of what follows\n",
				      stage->name);
		stage->gate = false;
	}
}

int campaign_dry_run(struct campaign *c, FILE *out, struct err *e)
{
	struct state state = {0};
	struct state_sink sink = {{put_state}, &state};
	struct record plan = campaign_plan_record(c);
	struct places places = {0};
	struct steps steps = {0};
	struct placer placer;
	size_t missing = 0;
	int rc = -1;

	c->runner.dir = "RUN";
	if (state_add(&state, &plan, e) ||
	    (c->args->topology ? campaign_topology(c, &sink.sink, e)
			       : campaign_probe(c, &state, &sink.sink, e)))
		goto out;
	print_machines(c, &state, out);
	open_gates(c, out);
	places_load(&places, &state, NULL);
	placer = places_placer(&places);
	rc = next_steps(&steps, &c->plan, &state, NULL, 0, campaign_time_left(c), &placer,
			e);
	if (!rc)
		rc = print_steps(c, &steps, out, e);
	if (rc >= 0 && !c->args->topology &&
	    campaign_ask_commands(c, &state, out, &missing, e))
		rc = -1;
	/* the run itself could not end better */
	if (!rc && (state.n_facts < c->n_nodes || missing))
		rc = 3;
out:
	progress_end(&c->progress);
	steps_release(&steps);
	places_release(&places);
	state_release(&state);
	return rc;
}
