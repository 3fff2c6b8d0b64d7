/* SPDX-License-Identifier: Apache-2.0 */
/* Launches over several nodes: see sets.h. */
#include "plan/sets.h"

#include <string.h>

#include "record/key.h"

static bool failed(const struct state_step *st)
{
	const char *cause = st->ended.cause;

	if (state_wrong(st))
		return true;
	return st->phase == STATE_ENDED && cause && strcmp(cause, "ok") != 0 &&
	       strcmp(cause, "skip") != 0 && !known_unfinished(st);
}

static int add_part(struct round *r, struct what *w, const struct request *q, int i,
		    const char *const *nodes, size_t n, struct err *e)
{
	w->request = q->id;
	w->key = arena_printf(&r->out->arena, "%s.%d", q->target, i);
	w->nodes = nodes;
	w->n_nodes = n;
	return round_add(r, w, e);
}

/*
 * The halves of a set that failed; of three nodes all pairs, since one node alone proves
 * nothing, unless what was computed is wrong.
 */
static int add_parts(struct round *r, struct what *w, const struct request *q,
		     struct err *e)
{
	int64_t id = key_request_step(q->id);
	const struct state_step *set;
	const char *ends[2];
	size_t half;

	if (id < 1 || (uint64_t)id > r->known->state->n_steps)
		return 0;
	set = &r->known->state->steps[id - 1];
	half = (set->n_nodes + 1) / 2;
	if (set->n_nodes > 3 || (set->n_nodes > 1 && state_wrong(set)))
		return add_part(r, w, q, 0, set->nodes, half, e) ||
				       add_part(r, w, q, 1, set->nodes + half,
						set->n_nodes - half, e)
			       ? -1
			       : 0;
	if (set->n_nodes < 3)
		return 0;
	ends[0] = set->nodes[0];
	ends[1] = set->nodes[2];
	return add_part(r, w, q, 0, set->nodes, 2, e) ||
			       add_part(r, w, q, 1, set->nodes + 1, 2, e) ||
			       add_part(r, w, q, 2, ends, 2, e)
		       ? -1
		       : 0;
}

/* A suspect, named by the target, with a node that works with others. */
static int add_pair(struct round *r, struct what *w, const struct request *q,
		    struct err *e)
{
	const char *mark = strrchr(q->target, '~');
	const char *nodes[2];

	if (!mark || !q->partner)
		return 0;
	nodes[0] = q->partner;
	nodes[1] = mark + 1;
	w->request = q->id;
	w->key = q->target;
	w->nodes = nodes;
	w->n_nodes = 2;
	return round_add(r, w, e);
}

/* The set again without the nodes that were excluded since it failed. */
static int add_rest(struct round *r, struct what *w, const char *base,
		    const struct state_step *last, struct err *e)
{
	const char **rest = arena_alloc(&r->out->arena, last->n_nodes, sizeof(*rest));

	w->request = NULL;
	w->n_nodes = 0;
	for (size_t i = 0; i < last->n_nodes; i++) {
		size_t q = known_exclusion(r->known, last->nodes[i]);

		if (q == NAMES_NONE)
			rest[w->n_nodes++] = last->nodes[i];
		else if (!w->request)
			w->request = r->requests[q].id;
	}
	w->key = base;
	w->nodes = rest;
	if (!w->request || w->n_nodes < 2)
		return 0;
	return round_add(r, w, e);
}

static int add_wanted(struct round *r, struct what *w, const char *base,
		      const char *const *nodes, size_t n, const struct request *q,
		      struct err *e)
{
	if (strncmp(q->target, base, strlen(base)) != 0)
		return 0;
	if (!strcmp(q->want, "split"))
		return add_parts(r, w, q, e);
	if (!strcmp(q->want, "pair"))
		return add_pair(r, w, q, e);
	if (strcmp(q->want, "repeat") != 0 || strcmp(q->target, base) != 0)
		return 0;
	w->request = q->id;
	w->key = base;
	w->nodes = nodes;
	w->n_nodes = n;
	return round_add(r, w, e);
}

int sets_add(struct round *r, struct what *w, struct err *e)
{
	const struct state *state = r->known->state;
	const char **nodes = arena_alloc(&r->out->arena, state->n_nodes, sizeof(*nodes));
	const char *base = arena_printf(&r->out->arena, "%s/%s" KEY_SET, w->stage->name,
					w->ps->name);
	const struct state_step *last = known_last(r->known, base);
	size_t n = 0;

	for (size_t i = 0; i < state->n_nodes; i++) {
		if (round_takes_part(r, state->nodes[i]))
			nodes[n++] = state->nodes[i];
	}
	if (!n)
		return 0;
	w->key = base;
	w->nodes = nodes;
	w->n_nodes = n;
	w->request = last ? last->planned.request : NULL;
	if (!last || known_unfinished(last))
		return round_add(r, w, e);
	if (failed(last) && add_rest(r, w, base, last, e))
		return -1;
	for (size_t q = 0; q < r->n_requests; q++) {
		if (add_wanted(r, w, base, nodes, n, &r->requests[q], e))
			return -1;
	}
	return 0;
}
