/* SPDX-License-Identifier: Apache-2.0 */
/* From a set that failed to the node that did it: see isolate.h. */
#include "judge/isolate.h"

#include <string.h>

#include "judge/rule.h"
#include "record/key.h"

/* The search in one set. */
struct search {
	const struct rule_input *in;
	struct summary *out;
	const struct launch_key *base;
	const struct state_step
		*set;        /* the last launch of the plan's own, which failed */
	struct names proven; /* nodes that took part in a good launch of the search */
};

static bool failed(const struct state_step *st)
{
	const char *cause = st->phase == STATE_ENDED ? launch_cause(st) : "";

	if (state_wrong(st))
		return true;

	return !strcmp(cause, "launch") || !strcmp(cause, "timeout") ||
	       !strcmp(cause, "invalid") || !strcmp(cause, "no-data");
}

static bool good(const struct state_step *st)
{
	return launch_ok(st) && !state_wrong(st);
}

static bool is_proven(const struct search *s, const char *node)
{
	return names_find(&s->proven, node) != NAMES_NONE;
}

/* The step of the search with this key, made since the set failed; NULL: not yet. */
static const struct state_step *found(const struct search *s, const char *key)
{
	const struct launch_key *k = launches_find(s->in->launches, key);
	const struct state_step *st = k ? &s->in->state->steps[k->last] : NULL;

	return st && st->id > s->set->id ? st : NULL;
}

/*
 * Collects the nodes that work with others: those of the good parts. Pairs are left out,
 * or what is found would depend on which of them ended first. False while launches of the
 * search are under way, or were when the controller was killed.
 */
static bool prove(struct search *s)
{
	size_t n = strlen(s->base->key);

	for (size_t i = 0; i < s->in->launches->n; i++) {
		const struct launch_key *k = &s->in->launches->items[i];
		const struct state_step *st = &s->in->state->steps[k->last];

		if (key_set(k->key) != n || strncmp(k->key, s->base->key, n) != 0 ||
		    !k->key[n] || st->id < s->set->id)
			continue;
		if (!launch_ok(st) && !failed(st) &&
		    strcmp(launch_cause(st), "skip") != 0)
			return false;
		/* one node alone proves that it computes, not that it can be talked to */
		if (k->key[n] != '.' || !good(st) ||
		    (st->n_nodes < 2 && !state_wrong(s->set)))
			continue;
		for (size_t j = 0; j < st->n_nodes; j++)
			(void)names_add(&s->proven, st->nodes[j], NULL);
	}
	return true;
}

static void want(struct search *s, const char *what, const char *target,
		 const char *partner, const struct state_step *st, const char *because)
{
	struct arena *a = &s->out->arena;

	rule_request(s->out,
		     arena_printf(a, "%s:%s:%lld", what, target, (long long)st->id), what,
		     target, because);
	s->out->requests[s->out->n_requests - 1].partner = partner;
}

static const char *reason(const struct search *s, const struct state_step *st)
{
	for (size_t i = 0; i < st->n_valids; i++) {
		const struct record_valid *v = st->valids[i];

		if (!state_check_ok(v))
			return v->text ? v->text
				       : arena_printf(&s->out->arena,
						      "its check '%s' failed", v->check);
	}
	return st->ended.reason && *st->ended.reason ? st->ended.reason
						     : launch_cause(st);
}

static void exclude(struct search *s, const char *node, const struct state_step *st,
		    const char *with)
{
	struct arena *a = &s->out->arena;
	const char *name = st->planned.name ? st->planned.name : s->base->key;

	want(s, "exclude", node, NULL, st,
	     with ? arena_printf(a, "%s fails with %s, which works with others: %s", name,
				 with, reason(s, st))
		  : arena_printf(a,
				 state_wrong(st) ? "%s computes wrongly on it alone: %s"
						 : "%s failed and the node no longer "
						   "answers: %s",
				 name, reason(s, st)));
}

/* Nodes of the set that do not answer any more. True when there are some. */
static bool exclude_silent(struct search *s)
{
	bool any = false;

	for (size_t i = 0; i < s->set->n_events; i++) {
		const struct record_event *ev = s->set->events[i];

		if (strcmp(ev->what, "silent") != 0 || !ev->node)
			continue;
		exclude(s, ev->node, s->set, NULL);
		any = true;
	}
	return any;
}

/* The k-th proven node, counted round; NULL when there is none. */
static const char *partner(const struct search *s, size_t k)
{
	return s->proven.n
		       ? arena_strdup(&s->out->arena, s->proven.items[k % s->proven.n])
		       : NULL;
}

/* Two nodes that fail together: the one whose partner is proven, or each with another. */
static void search_pair(struct search *s, const struct state_step *st)
{
	struct arena *a = &s->out->arena;
	const char *suspects[2];
	size_t n = 0;

	for (size_t i = 0; i < 2; i++) {
		if (!is_proven(s, st->nodes[i]))
			suspects[n++] = st->nodes[i];
	}
	if (n == 1) {
		exclude(s, suspects[0], st, st->nodes[suspects[0] == st->nodes[0]]);
		return;
	}
	if (!s->proven.n)
		return; /* nobody to try them with: both stay suspects */
	for (size_t i = 0; i < n; i++) {
		const char *key = arena_printf(a, "%s~%s", s->base->key, suspects[i]);
		const struct state_step *pair = found(s, key);

		if (!pair)
			want(s, "pair", key, partner(s, i), s->set,
			     arena_printf(a, "%s and %s fail together: which is it",
					  st->nodes[0], st->nodes[1]));
		else if (failed(pair))
			exclude(s, suspects[i], pair, pair->nodes[0]);
	}
}

/* Both halves of the pair with @key were tried alone, and each computes right. */
static bool found_none(const struct search *s, const char *key)
{
	for (int i = 0; i < 2; i++) {
		const struct state_step *part =
			found(s, arena_printf(&s->out->arena, "%s.%d", key, i));

		if (!part || !good(part))
			return false;
	}
	return true;
}

/*
 * A set that failed, the plan's or a part of it; its key is @key. What computes wrongly
 * does so alone, too, so such a set is halved down to single nodes; only when these are
 * good are pairs tried, as they are for what fails or hangs.
 */
static void search_set(struct search *s, const struct state_step *st, const char *key)
{
	struct arena *a = &s->out->arena;
	const bool wrong = state_wrong(st);

	if (wrong && st->n_nodes == 1)
		exclude(s, st->nodes[0], st, NULL);
	if (st->n_nodes == 2 && (!wrong || found_none(s, key)))
		search_pair(s, st);
	if (st->n_nodes < (wrong ? 2 : 3))
		return;
	want(s, "split", key, NULL, st,
	     arena_printf(a, "%zu nodes failed together: %s", st->n_nodes,
			  reason(s, st)));
	/* three nodes are tried as three pairs, more as two halves */
	for (int i = 0; i < (st->n_nodes == 3 && !wrong ? 3 : 2); i++) {
		const char *name = arena_printf(a, "%s.%d", key, i);
		const struct state_step *part = found(s, name);

		if (part && failed(part))
			search_set(s, part, name);
	}
}

void isolate_sets(const struct rule_input *in, struct summary *out)
{
	for (size_t i = 0; i < in->launches->n; i++) {
		const struct launch_key *k = &in->launches->items[i];
		const struct state_step *last = &in->state->steps[k->last];
		struct search s = {.in = in, .out = out, .base = k, .set = last};

		if (!key_set(k->key) || key_is_search(k->key) || !failed(last))
			continue;
		if (exclude_silent(&s))
			continue;
		/* rule `pairs` lets it go on where it stopped */
		if (state_rounds(last, NULL))
			continue;
		/* a launch that failed is tried once more before nodes are suspected */
		if (!strcmp(launch_cause(last), "launch") && !k->relaunched)
			continue;
		if (prove(&s))
			search_set(&s, last, k->key);
		names_release(&s.proven);
	}
}

static void culprit(const struct rule_input *in, struct summary *out, const char *node,
		    int64_t step, const char *because)
{
	const struct state_step *st;
	struct verdict *v;
	bool wrong;

	if (step < 1 || (uint64_t)step > in->state->n_steps ||
	    !in->state->steps[step - 1].id)
		return;
	st = &in->state->steps[step - 1];
	wrong = state_wrong(st);
	v = rule_step_verdict(out, wrong ? "valid" : "coverage", st);
	v->node = node;
	v->word = wrong ? VERDICT_FAIL : VERDICT_ERROR;
	v->cause = wrong ? "numerical" : launch_cause(st);
	v->why = because;
}

void isolate_culprits(const struct rule_input *in, struct summary *out)
{
	for (size_t i = 0; i < in->state->n_requests; i++) {
		const struct record_request *r = &in->state->requests[i];

		if (!strcmp(r->want, "exclude") && !strncmp(r->id, "exclude:", 8))
			culprit(in, out, r->target, key_request_step(r->id), r->because);
	}
}
