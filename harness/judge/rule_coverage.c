/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rule `coverage`: everything that was planned was measured. Silence is an error: a step
 * that never ended, a node nothing is known of, a line of the journal that is damaged.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "judge/isolate.h"
#include "judge/rule.h"
#include "judge/twins.h"
#include "record/key.h"

/* The launch gave something that counts. */
static bool has_result(const struct state_step *st)
{
	return launch_ok(st) && (st->n_samples || st->n_valids);
}

/* Its recorded reason, and who killed it where that was asked. */
static const char *recorded(struct arena *a, const struct state_step *st)
{
	const char *reason = st->ended.reason && *st->ended.reason
				     ? st->ended.reason
				     : "no reason was recorded";

	for (size_t i = 0; i < st->n_events; i++) {
		if (!strcmp(st->events[i]->what, "killer"))
			return arena_printf(a, "%s; who did it: %s", reason,
					    st->events[i]->text);
	}
	return reason;
}

/* One sentence on a launch that is not good, and its cause. */
static const char *fault(struct arena *a, const struct state_step *st, const char **cause)
{
	*cause = "no-data";
	if (st->phase == STATE_PLANNED)
		return "planned, but never started";
	if (st->phase == STATE_STARTED)
		return "started, but its end is not in the journal";
	if (launch_ok(st))
		return "it ended well, but without any result";
	*cause = launch_cause(st);
	return recorded(a, st);
}

static void relaunch(const struct rule_input *in, struct summary *out,
		     const struct launch_key *k, const char *why)
{
	const struct state_step *last = &in->state->steps[k->last];

	if (k->relaunched || last->phase != STATE_ENDED ||
	    strcmp(launch_cause(last), "launch") != 0)
		return;
	rule_request(out, arena_printf(&out->arena, "repeat-launch:%s:1", k->key),
		     "repeat", k->key,
		     arena_printf(&out->arena, "its launch failed: %s", why));
}

/*
 * What a kernel says of a launch that is good, but not as good as it might be, and what
 * one with several results did not bring.
 */
static void tell_warnings(struct summary *out, const struct state_step *st)
{
	for (size_t i = 0; i < st->n_events; i++) {
		const struct record_event *ev = st->events[i];
		const bool missing = !strcmp(ev->what, "no-data");
		struct verdict *v;

		if (!missing && strcmp(ev->what, "warn") != 0)
			continue;
		v = rule_step_verdict(out, "coverage", st);
		v->word = missing ? VERDICT_ERROR : VERDICT_WARN;
		v->cause = missing ? "no-data" : NULL;
		v->why = ev->text;
		if (missing)
			rule_miss(out, st->planned.key, ev->node, ev->text);
	}
}

/* The last launch decides; that an earlier one failed is worth a WARN. */
static void judge_key(const struct rule_input *in, struct summary *out,
		      const struct launch_key *k)
{
	const struct state_step *last = &in->state->steps[k->last], *failed = NULL;
	const char *cause, *why;
	struct verdict *v;

	for (size_t i = k->first; i != k->last; i = in->launches->next[i]) {
		if (!has_result(&in->state->steps[i]))
			failed = &in->state->steps[i];
	}
	if (key_is_search(k->key))
		return; /* it looked for a culprit: what it found is said of the node */
	if (has_result(last)) {
		tell_warnings(out, last);
		if (!failed)
			return;
		v = rule_step_verdict(out, "coverage", failed);
		v->word = VERDICT_WARN;
		v->why = arena_printf(&out->arena, "an earlier launch gave no result: %s",
				      fault(&out->arena, failed, &v->cause));
		return;
	}
	why = fault(&out->arena, last, &cause);
	rule_miss(out, last->planned.key, last->n_nodes == 1 ? last->nodes[0] : NULL,
		  why);
	relaunch(in, out, k, why);
	if (!strcmp(cause, "invalid"))
		return; /* rule `valid` has said so */
	v = rule_step_verdict(out, "coverage", last);
	v->word = !strcmp(cause, "skip") ? VERDICT_SKIP : VERDICT_ERROR;
	v->cause = v->word == VERDICT_SKIP ? NULL : cause;
	v->why = why;
}

/* A step the time budget left out; false for one that was run by a later start. */
static bool judge_left_out(const struct rule_input *in, struct summary *out,
			   const struct record_event *ev)
{
	struct verdict *v;

	if (ev->key && launches_find(in->launches, ev->key))
		return false;
	v = summary_add(out);
	v->rule = "coverage";
	v->key = ev->key;
	v->node = ev->node;
	v->word = VERDICT_SKIP;
	v->why = arena_printf(&out->arena, "left out for want of time: %s", ev->text);
	rule_miss(out, ev->key, ev->node, v->why);
	return true;
}

/* What was said of nodes outside of steps; the last word counts. */
struct said {
	struct names nodes;
	const struct record_event **events; /* numbered as nodes is */
	size_t cap;
};

static void say(struct said *said, const char *node, const struct record_event *ev)
{
	size_t n = names_add(&said->nodes, node, NULL);

	mem_grow(&said->events, &said->cap, n + 1, sizeof(*said->events));
	said->events[n] = ev;
}

/* A node without steps: a fault of the node, or of what it should have been asked. */
static void judge_node(struct summary *out, const struct summary_node *node,
		       const struct record_event *ev)
{
	struct verdict *v = summary_add(out);
	bool lost = ev && !strcmp(ev->what, "lost");

	v->rule = "coverage";
	v->node = node->name;
	v->word = VERDICT_ERROR;
	v->cause = lost ? "launch" : "no-data";
	v->why = ev ? ev->text : "NODATA: no step was planned on this node";
	rule_miss(out, NULL, node->name, v->why);
}

/*
 * Events outside of steps: what was said of nodes, and what was left out; *waiting are
 * the nodes of that.
 */
static void judge_events(const struct rule_input *in, struct summary *out,
			 struct said *said, struct names *waiting)
{
	struct names keys = {0};

	for (size_t i = 0; i < in->state->n_events; i++) {
		const struct record_event *ev = &in->state->events[i];
		bool fresh = true;

		if (strcmp(ev->what, "left-out") != 0) {
			if (ev->node)
				say(said, ev->node, ev);
			continue;
		}
		if (ev->key)
			(void)names_add(&keys, ev->key, &fresh);
		if (fresh && judge_left_out(in, out, ev) && ev->node)
			(void)names_add(waiting, ev->node, NULL);
	}
	names_release(&keys);
}

/* Steps a node takes part in: how many, and how many of them gave a result. */
struct tally {
	size_t planned, good;
	bool blamed; /* one that failed ran on this node alone, and says so there */
};

static void count_steps(const struct rule_input *in, struct tally *tally)
{
	for (size_t i = 0; i < in->launches->n; i++) {
		const struct launch_key *k = &in->launches->items[i];
		const struct state_step *last = &in->state->steps[k->last];

		if (key_is_search(k->key))
			continue;
		for (size_t n = 0; n < last->n_nodes; n++) {
			const struct judge_node *node =
				nodes_find(in->nodes, last->nodes[n]);
			struct tally *t;

			if (!node)
				continue;
			t = &tally[node - in->nodes->items];
			t->planned++;
			t->good += has_result(last);
			t->blamed |= !has_result(last) && last->n_nodes == 1;
		}
	}
}

/* A node no step that failed is alone to blame for: all is there, or others failed, too.
 */
static void judge_tally(struct summary *out, const char *node, const struct tally *t)
{
	struct verdict *v = summary_add(out);
	bool all = t->good == t->planned;

	v->rule = "coverage";
	v->node = node;
	v->value = record_num((double)t->good);
	v->n = (int64_t)t->planned;
	v->why = arena_printf(&out->arena, "%zu of %zu steps gave a result%s", t->good,
			      t->planned,
			      all ? "" : "; the others ran on several nodes at once");
	if (all)
		return;
	v->word = t->good ? VERDICT_WARN : VERDICT_ERROR;
	v->cause = "no-data";
}

static void judge_nodes(const struct rule_input *in, struct summary *out)
{
	struct tally *tally = mem_calloc(out->n_nodes + 1, sizeof(*tally));
	struct said said = {0};
	struct names waiting = {0};

	count_steps(in, tally);
	judge_events(in, out, &said, &waiting);
	for (size_t i = 0; i < out->n_nodes; i++) {
		const char *name = out->nodes[i].name;
		bool short_of = names_find(&waiting, name) != NAMES_NONE;
		size_t n = names_find(&said.nodes, name);

		if (!tally[i].planned && !short_of)
			judge_node(out, &out->nodes[i],
				   n < said.cap ? said.events[n] : NULL);
		else if (tally[i].planned && !tally[i].blamed && !short_of)
			judge_tally(out, name, &tally[i]);
	}
	names_release(&waiting);
	names_release(&said.nodes);
	free(said.events);
	free(tally);
}

int rule_coverage_judge(const struct rule_input *in, struct summary *out, struct err *e)
{
	struct verdict *v;

	(void)e;
	for (size_t i = 0; i < in->launches->n; i++)
		judge_key(in, out, &in->launches->items[i]);
	isolate_sets(in, out);
	isolate_culprits(in, out);
	judge_nodes(in, out);
	twins_judge(in, out);
	if (!in->state->damaged)
		return 0;
	v = summary_add(out);
	v->rule = "coverage";
	v->word = VERDICT_ERROR;
	v->cause = "io";
	v->value = record_num((double)in->state->damaged);
	v->why = arena_printf(&out->arena,
			      "%zu damaged line%s of the journal: what they said is lost",
			      in->state->damaged, in->state->damaged == 1 ? "" : "s");
	return 0;
}
