/* SPDX-License-Identifier: Apache-2.0 */
/* Launches over several nodes: see sets.h. */
#include "plan/sets.h"

#include <stdlib.h>
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
	int rc;

	w->request = q->id;
	w->key = arena_printf(&r->out->arena, "%s.%d", q->target, i);
	w->nodes = nodes;
	w->n_nodes = n;
	w->part = true;
	rc = round_add(r, w, e);
	w->part = false;
	return rc;
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
	if (key_set(q->target) != strlen(base) ||
	    strncmp(q->target, base, strlen(base)) != 0)
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

/* One launch over @nodes, the plan's own, and what is wanted when it failed. */
static int add_set(struct round *r, struct what *w, const char *base,
		   const char *const *nodes, size_t n, struct err *e)
{
	const struct state_step *last = known_last(r->known, base);

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

/* The key of the K-th set of @size nodes; all nodes are one set without a number. */
static const char *set_key(const struct round *r, const struct what *w, size_t size,
			   size_t k)
{
	struct arena *a = &r->out->arena;

	if (size == SIZE_MAX)
		return arena_printf(a, "%s/%s" KEY_SET, w->stage->name, w->ps->name);
	return arena_printf(a, "%s/%s" KEY_SET "%zu:%zu", w->stage->name, w->ps->name,
			    size, k);
}

static int ascending(const void *x, const void *y)
{
	const size_t a = *(const size_t *)x, b = *(const size_t *)y;

	return (a > b) - (a < b);
}

/*
 * The numbers of nodes of the series, ascending, each once; SIZE_MAX is all of them, and
 * what is more than the @n there are is left out, unless it was planned when there were
 * more. A step that does not say has 1, 2, 4, ... and all.
 */
static size_t sizes_of(const struct round *r, const struct what *w, size_t n,
		       size_t **out)
{
	const struct plan_step *ps = w->ps;
	size_t *sizes = arena_alloc(&r->out->arena, ps->n_sizes + 65, sizeof(*sizes));
	size_t k = 0, kept = 0;
	bool all = !ps->n_sizes;

	for (size_t i = 0; i < ps->n_sizes; i++)
		all |= !strcmp(ps->sizes[i], "all");
	for (size_t i = 0; i < ps->n_sizes; i++) {
		if (strcmp(ps->sizes[i], "all") != 0)
			sizes[k++] = strtoul(ps->sizes[i], NULL, 10);
	}
	for (size_t size = 1; size < n && !ps->n_sizes; size *= 2)
		sizes[k++] = size;
	if (k)
		qsort(sizes, k, sizeof(*sizes), ascending);
	for (size_t i = 0; i < k; i++) {
		bool fits = sizes[i] < n || (sizes[i] == n && !all) ||
			    known_last(r->known, set_key(r, w, sizes[i], 0));

		if (fits && (!kept || sizes[i] != sizes[kept - 1]))
			sizes[kept++] = sizes[i];
	}
	if (all)
		sizes[kept++] = SIZE_MAX;
	*out = sizes;
	return kept;
}

/* A set the journal knows has the nodes it had, without those excluded since. */
static size_t nodes_of(const struct round *r, const char *base, const char *const *nodes,
		       size_t n, const char **out)
{
	const struct state_step *last = known_last(r->known, base);
	size_t k = 0;

	for (size_t i = 0; i < (last ? last->n_nodes : n); i++) {
		const char *node = last ? last->nodes[i] : nodes[i];

		if (round_takes_part(r, node))
			out[k++] = node;
	}
	return k;
}

/* The sets of one size. */
static int add_size(struct round *r, struct what *w, const char *const *nodes, size_t n,
		    size_t size, struct err *e)
{
	const char **set =
		arena_alloc(&r->out->arena, r->known->state->n_nodes + 1, sizeof(*set));
	size_t from = 0;

	for (size_t k = 0;; k++) {
		const char *base = set_key(r, w, size, k);
		size_t left = n - from, m;

		if (!left && !known_last(r->known, base))
			return 0;
		m = nodes_of(r, base, nodes + from, left < size ? left : size, set);
		if (m && add_set(r, w, base, set, m, e))
			return -1;
		if (size == SIZE_MAX)
			return 0;
		from += left < size ? left : size;
	}
}

/*
 * Disjoint sets of each size; where the nodes do not come out even, the last set is the
 * rest, so that no node is left out.
 */
static int add_sets(struct round *r, struct what *w, const char *const *nodes, size_t n,
		    struct err *e)
{
	struct arena *a = &r->out->arena;
	size_t *sizes, n_sizes = sizes_of(r, w, n, &sizes);

	for (size_t i = 0; i < n_sizes; i++) {
		w->smallest = sizes[0] == SIZE_MAX ? n : sizes[0];
		w->suffix = sizes[i] == SIZE_MAX ? "-all"
						 : arena_printf(a, "-x%zu", sizes[i]);
		if (add_size(r, w, nodes, n, sizes[i], e))
			return -1;
	}
	return 0;
}

int sets_add(struct round *r, struct what *w, struct err *e)
{
	const struct state *state = r->known->state;
	const char **nodes = arena_alloc(&r->out->arena, state->n_nodes, sizeof(*nodes));
	size_t n = 0;

	for (size_t i = 0; i < state->n_nodes; i++) {
		if (round_takes_part(r, state->nodes[i]))
			nodes[n++] = state->nodes[i];
	}
	if (!n)
		return 0;
	if (w->ps->on == PLAN_ON_SETS)
		return add_sets(r, w, nodes, n, e);
	return add_set(r, w, set_key(r, w, SIZE_MAX, 0), nodes, n, e);
}
