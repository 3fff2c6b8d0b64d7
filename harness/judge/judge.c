/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the rules, then says what their verdicts mean for nodes and run: see judge.h. */
#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/bios.h"
#include "judge/common.h"
#include "judge/gates.h"
#include "judge/judge_config.h"
#include "judge/launches.h"
#include "judge/library.h"
#include "judge/required.h"
#include "judge/roofs.h"
#include "judge/rule.h"
#include "judge/series.h"

static const struct rule rules[] = {
#define RULE(name, help) {#name, help, rule_##name##_judge},
#include "judge/rules.def"
#undef RULE
};

enum { N_RULES = sizeof(rules) / sizeof(rules[0]), DEFAULT_REPEATS = 5 };

static const char *const words[VERDICT_WORDS] = {
	[VERDICT_FAIL] = "FAIL",
	[VERDICT_ERROR] = "ERROR",
	[VERDICT_INCONCLUSIVE] = "INCONCLUSIVE",
	[VERDICT_UNJUDGED] = "UNJUDGED",
	[VERDICT_WARN] = "WARN",
	[VERDICT_SKIP] = "SKIP",
	[VERDICT_PASS] = "PASS",
};

const struct rule *rule_at(size_t i)
{
	return i < N_RULES ? &rules[i] : NULL;
}

const struct rule *rule_find(const char *name)
{
	for (size_t i = 0; i < N_RULES; i++) {
		if (!strcmp(rules[i].name, name))
			return &rules[i];
	}
	return NULL;
}

const char *verdict_name(enum verdict_word w)
{
	return words[w];
}

double verdict_share(const struct verdict *v)
{
	if (v->share.set)
		return v->share.v;
	if (!v->value.set || !v->reference.set || v->reference.v == 0)
		return NAN;
	return v->value.v / v->reference.v;
}

enum verdict_word verdict_worse(enum verdict_word a, enum verdict_word b)
{
	return a < b ? a : b;
}

bool verdict_decides(const struct verdict *v)
{
	return !v->aside || v->word != VERDICT_SKIP;
}

/* What one judgement needs besides its result. */
struct work {
	struct metrics metrics;
	struct judge_nodes nodes;
	struct launches launches;
	struct series_list series;
	struct roofs roofs;
	struct bios_view bios;
	struct rule_input in;
};

static void work_release(struct work *w)
{
	metrics_release(&w->metrics);
	nodes_release(&w->nodes);
	launches_release(&w->launches);
	roofs_release(&w->roofs);
	bios_view_release(&w->bios);
}

static size_t repeats_of(const struct state *state)
{
	double n = record_json_num(state->plan.limits, "repeats");

	return n >= 0 && n <= 1000 ? (size_t)n : DEFAULT_REPEATS;
}

static void start_nodes(struct summary *out, const struct work *w)
{
	const struct state *state = out->state;

	out->n_nodes = w->nodes.n;
	out->nodes = arena_alloc(&out->arena, out->n_nodes + 1, sizeof(*out->nodes));
	for (size_t i = 0; i < out->n_nodes; i++) {
		out->nodes[i].name = arena_strdup(&out->arena, w->nodes.items[i].name);
		out->nodes[i].class = w->nodes.items[i].class;
		out->nodes[i].chassis =
			arena_strdup(&out->arena, w->nodes.items[i].chassis);
		out->nodes[i].word = VERDICT_PASS;
	}
	for (size_t i = 0; i < state->n_steps; i++) {
		const struct state_step *st = &state->steps[i];

		out->steps_planned += st->id != 0;
		out->steps_ended += st->id && st->phase == STATE_ENDED;
		if (!launch_ok(st) || (!st->n_samples && !st->n_valids))
			continue;
		for (size_t n = 0; n < st->n_nodes; n++) {
			size_t at = names_find(&w->nodes.index, st->nodes[n]);

			if (at != NAMES_NONE)
				out->nodes[at].reported = true;
		}
	}
}

static void start(struct work *w, struct summary *out, const struct judge_config *c)
{
	const struct state *state = out->state;

	nodes_make(&w->nodes, state, &c->cpus);
	bios_view_make(&w->bios, state, c);
	nodes_bios(&w->nodes, &w->bios);
	launches_make(&w->launches, state);
	series_make(&w->series, state, &w->launches, &w->metrics, &out->arena);
	roofs_make(&w->roofs, &c->theory, w->series.items, w->series.n);
	out->series = w->series.items;
	out->n_series = w->series.n;
	/* room for most of the verdicts at once: on a large run it is what takes most */
	mem_grow(&out->verdicts, &out->cap_verdicts,
		 2 * w->series.n + state->n_steps + w->nodes.n, sizeof(*out->verdicts));
	start_nodes(out, w);
	w->in = (struct rule_input){.state = state,
				    .config = c,
				    .series = w->series.items,
				    .n_series = w->series.n,
				    .nodes = &w->nodes,
				    .launches = &w->launches,
				    .metrics = &w->metrics,
				    .roofs = &w->roofs,
				    .bios = &w->bios,
				    .repeats = repeats_of(state)};
}

static void add_unjudged(struct summary *out, const struct work *w,
			 const struct series *s)
{
	struct verdict *v = rule_series_verdict(out, "baseline", s);

	v->word = VERDICT_UNJUDGED;
	v->cause = s->mark ? s->mark : "no-reference";
	if (s->mark)
		v->why = s->mark_text;
	else if (!s->declared)
		v->why = "its kernel does not declare this metric";
	else
		v->why = arena_printf(&out->arena, "no baseline holds for it, and %s",
				      rule_theory_why_not(&w->in, s));
}

/* What no reference was found for is said, too: silence would read as good. */
static void unjudged(struct summary *out, const struct work *w)
{
	size_t n = out->n_verdicts;
	bool *judged = mem_calloc(w->series.n + 1, sizeof(*judged));

	for (size_t i = 0; i < n; i++) {
		const struct series *s = out->verdicts[i].series;

		/* that nothing was to be compared with it is said all the same */
		if (s && !s->mark)
			judged[s - w->series.items] = true;
	}
	for (size_t i = 0; i < w->series.n; i++) {
		const struct metric *d = w->series.items[i].declared;

		if (!judged[i] && !(d && (d->unrated || d->relative)) &&
		    !(d && rule_is_core(&w->series.items[i])))
			add_unjudged(out, w, &w->series.items[i]);
	}
	free(judged);
}

static bool gives_reference(const struct verdict *v)
{
	static const char *const by[] = {"baseline", "theory", "peers", "pairs", "bios"};

	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]); i++) {
		if (v->word == VERDICT_PASS && !strcmp(v->rule, by[i]))
			return true;
	}
	return false;
}

static void count_verdicts(struct summary *out, const struct work *w)
{
	out->word = out->n_verdicts ? VERDICT_PASS : VERDICT_ERROR;
	for (size_t i = 0; i < out->n_verdicts; i++) {
		struct verdict *v = &out->verdicts[i];
		size_t at = v->node ? names_find(&w->nodes.index, v->node) : NAMES_NONE;
		struct summary_node *node;

		v->id = arena_printf(&out->arena, "v%zu", i + 1);
		out->counts[v->word]++;
		if (verdict_decides(v))
			out->word = verdict_worse(out->word, v->word);
		if (at == NAMES_NONE)
			continue;
		node = &out->nodes[at];
		/* a link is two nodes, either of which may be good: it is the run's */
		if (!v->peer && (!node->why || v->word < node->word)) {
			node->word = v->word;
			node->why = v->why;
		}
		node->referenced |= gives_reference(v);
	}
	for (size_t i = 0; i < out->n_nodes; i++)
		out->n_reported += out->nodes[i].reported;
}

/*
 * d4: 128+n for a run that signal n cut short, whatever it had found by then; 1 a FAIL;
 * 3 ERROR, INCONCLUSIVE, or a node that nothing was compared for.
 */
static int exit_status(const struct summary *s)
{
	if (s->state->has_end && s->state->end.exit > 128)
		return (int)s->state->end.exit;
	if (s->counts[VERDICT_FAIL])
		return 1;
	if (s->counts[VERDICT_ERROR] || s->counts[VERDICT_INCONCLUSIVE] || !s->n_nodes ||
	    !s->n_verdicts)
		return 3;
	for (size_t i = 0; i < s->n_nodes; i++) {
		if (!s->nodes[i].referenced)
			return 3;
	}
	return 0;
}

/* What the run said of itself; a resumed one may have said it before. */
static void said_remarks(struct summary *s)
{
	struct names seen = {0};

	for (size_t i = 0; i < s->state->n_events; i++) {
		const struct record_event *ev = &s->state->events[i];
		bool fresh = false;

		if (!strcmp(ev->what, "remark") && !ev->node)
			(void)names_add(&seen, ev->text, &fresh);
		if (fresh)
			rule_remark(s, ev->text);
	}
	names_release(&seen);
}

static void add_remarks(struct summary *s, const struct work *w)
{
	if (!s->n_nodes || !s->steps_planned)
		rule_remark(s, "nothing was measured");
	if (s->n_reported < s->n_nodes)
		rule_remark(s, arena_printf(&s->arena, "%zu of %zu nodes reported",
					    s->n_reported, s->n_nodes));
	said_remarks(s);
	common_cause(s, &w->nodes);
	library_cause(s, &w->nodes);
}

/* Why a run without a bad word does not end with 0. */
static void tell_unreferenced(struct summary *s)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->n_nodes; i++) {
		if (s->nodes[i].referenced)
			continue;
		if (!n++)
			first = s->nodes[i].name;
	}
	if (s->exit == 3 && n && s->word != VERDICT_ERROR &&
	    s->word != VERDICT_INCONCLUSIVE && s->word != VERDICT_UNJUDGED)
		rule_remark(
			s, arena_printf(&s->arena,
					"exit status 3: nothing that was measured on %zu "
					"of %zu nodes, such as %s, was compared with a "
					"reference",
					n, s->n_nodes, first));
}

/* The same wish of several metrics is one request; one in the journal is under way. */
static void merge_requests(struct summary *s)
{
	struct names ids = {0};
	size_t n = 0;
	bool fresh;

	for (size_t i = 0; i < s->n_requests; i++) {
		(void)names_add(&ids, s->requests[i].id, &fresh);
		if (fresh &&
		    names_find(&s->state->request_of, s->requests[i].id) == NAMES_NONE)
			s->requests[n++] = s->requests[i];
	}
	s->n_requests = n;
	names_release(&ids);
}

int judge(struct summary *out, const struct state *state, const struct judge_config *c,
	  struct err *e)
{
	return judge_by(out, state, c, NULL, e);
}

int judge_by(struct summary *out, const struct state *state, const struct judge_config *c,
	     const char *rule, struct err *e)
{
	struct work w = {0};
	int rc;

	memset(out, 0, sizeof(*out));
	out->state = state;
	metrics_read(&w.metrics, state->plan.kernels, &out->arena);
	rc = judge_config_check(c, &w.metrics, e);
	if (rc)
		goto out;
	start(&w, out, c);
	for (size_t i = 0; i < N_RULES; i++) {
		rc = rule && strcmp(rule, rules[i].name) != 0
			     ? 0
			     : rules[i].judge(&w.in, out, e);
		if (rc)
			goto out;
	}
	unjudged(out, &w);
	gates_apply(&w.in, out);
	out->accepted = required_apply(out) > 0;
	count_verdicts(out, &w);
	merge_requests(out);
	add_remarks(out, &w);
	out->exit = exit_status(out);
	tell_unreferenced(out);
	out->accepted &= out->exit == 0;
out:
	work_release(&w);
	return rc;
}

void summary_release(struct summary *s)
{
	free(s->verdicts);
	free(s->series);
	free(s->missing);
	free(s->remarks);
	free(s->requests);
	arena_release(&s->arena);
	memset(s, 0, sizeof(*s));
}
