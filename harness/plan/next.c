/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the next round: see step.h. Nothing else starts a step. */
#include "plan/step.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"

/* Estimate of a launch of which neither the plan nor the journal knows anything, s. */
#define UNKNOWN_ESTIMATE 60.0

enum { MOST_AT_ONCE = 64 };

/* A number for each text that has one. */
struct table {
	struct names names;
	double *values;
	size_t cap;
};

/* What of the journal and of the requests decides, as tables. */
struct known {
	const struct state *state;
	struct table launches;  /* key, or request id -> its step's index in the state */
	struct table durations; /* name -> longest launch so far, s */
	struct table excluded;  /* node -> 1 excluded, 0 admitted again */
	struct table wanted;    /* target -> first request; chained by next_wanted */
	size_t *next_wanted;
};

static double *cell(struct table *t, const char *text, double unset)
{
	bool fresh;
	size_t i = names_add(&t->names, text, &fresh);

	mem_grow(&t->values, &t->cap, i + 1, sizeof(*t->values));
	if (fresh)
		t->values[i] = unset;
	return &t->values[i];
}

static double get(const struct table *t, const char *text, double unset)
{
	size_t i = names_find(&t->names, text);

	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): each name has its value */
	return i == NAMES_NONE ? unset : t->values[i];
}

static void table_release(struct table *t)
{
	names_release(&t->names);
	free(t->values);
}

static void know_steps(struct known *k)
{
	for (size_t i = 0; i < k->state->n_steps; i++) {
		const struct state_step *st = &k->state->steps[i];
		const struct record_step *p = &st->planned;
		double *longest;

		if (!st->id)
			continue;
		(void)cell(&k->launches, p->request ? p->request : p->key, (double)i);
		if (st->phase != STATE_ENDED || !p->name || !st->ended.duration.set)
			continue;
		longest = cell(&k->durations, p->name, 0);
		*longest = fmax(*longest, st->ended.duration.v);
	}
}

static void know_exclusion(struct known *k, const char *want, const char *target)
{
	if (!strcmp(want, "exclude"))
		*cell(&k->excluded, target, 1) = 1;
	else if (!strcmp(want, "readmit"))
		*cell(&k->excluded, target, 0) = 0;
}

static void know(struct known *k, const struct state *state,
		 const struct request *requests, size_t n)
{
	memset(k, 0, sizeof(*k));
	k->state = state;
	know_steps(k);
	for (size_t i = 0; i < n; i++)
		know_exclusion(k, requests[i].want, requests[i].target);
	k->next_wanted = mem_calloc(n, sizeof(*k->next_wanted));
	/* walked backwards, so that a chain is in the order of the requests */
	for (size_t i = n; i-- > 0;) {
		double *first = cell(&k->wanted, requests[i].target, -1);

		k->next_wanted[i] = *first < 0 ? NAMES_NONE : (size_t)*first;
		*first = (double)i;
	}
}

static void forget(struct known *k)
{
	table_release(&k->launches);
	table_release(&k->durations);
	table_release(&k->excluded);
	table_release(&k->wanted);
	free(k->next_wanted);
}

/* Where the next round is being put together. */
struct round {
	struct steps *out;
	const struct plan *plan;
	const struct known *known;
	const struct request *requests;
	const struct placer *placer;
	double budget, used;
	int64_t next_id;
};

static bool takes_part(const struct round *r, const char *node)
{
	return state_facts(r->known->state, node) &&
	       get(&r->known->excluded, node, 0) == 0;
}

/* A launch that has to be done again: it was in flight, or we ended it ourselves. */
static bool unfinished(const struct state_step *st)
{
	const char *cause = st->ended.cause;

	if (st->phase != STATE_ENDED)
		return true;
	return cause && (!strcmp(cause, "aborted") || !strcmp(cause, "io"));
}

static double estimate(const struct round *r, const struct plan_step *ps,
		       const char *name)
{
	return get(&r->known->durations, name,
		   ps->estimate > 0 ? ps->estimate : UNKNOWN_ESTIMATE);
}

static void leave_out(struct round *r, const char *name, const char *key,
		      const char *node, double seconds)
{
	struct steps *out = r->out;
	double left = r->budget - r->used;
	struct left_out *l;

	mem_grow(&out->left_out, &out->cap_left_out, out->n_left_out + 1,
		 sizeof(*out->left_out));
	l = &out->left_out[out->n_left_out++];
	l->key = arena_strdup(&out->arena, key);
	l->node = arena_strdup(&out->arena, node);
	l->text = arena_printf(&out->arena, "%s: estimate %.0f s, %.0f s left", name,
			       seconds, left > 0 ? left : 0.0);
}

static void add_options(struct step *s, const struct plan_step *ps, struct arena *a)
{
	s->options = arena_alloc(a, 2 * ps->n_options + 1, sizeof(*s->options));
	for (size_t i = 0; i < ps->n_options; i++) {
		s->options[s->n_options++] = arena_printf(a, "--%s", ps->options[i].name);
		s->options[s->n_options++] = arena_strdup(a, ps->options[i].value);
	}
}

/* A node that cannot be used as the plan wants is data, an unusable system is not. */
static int place(struct round *r, struct step *s, const struct plan_step *ps,
		 const char *node, struct err *e)
{
	struct placed placed = {.per_node = 1, .threads = 1, .cpusets = ""};
	struct err why = {0};

	if (r->placer->place(r->placer->ctx, node, ps->place, &r->out->arena, &placed,
			     &why)) {
		if (why.kind != ERR_USAGE) {
			*e = why;
			return err_at(e, "%s: place '%s' on '%s'", ps->where, ps->place,
				      node);
		}
		s->refused = arena_printf(&r->out->arena, "cannot be placed as '%s': %s",
					  ps->place, why.msg);
	}
	s->per_node = s->ranks = placed.per_node;
	s->cpusets = placed.cpusets;
	s->threads = placed.threads;
	s->remark = placed.remark;
	return 0;
}

/* One launch: @st is what the journal knows of it, NULL when it is new. */
static int add(struct round *r, const struct plan_stage *stage,
	       const struct plan_step *ps, const char *node, const struct state_step *st,
	       const char *request, struct err *e)
{
	struct arena *a = &r->out->arena;
	const char *name = arena_printf(a, "%s/%s", stage->name, ps->name);
	const char *key = arena_printf(a, "%s@%s", name, node);
	double seconds = estimate(r, ps, name);
	int at_once = stage->at_once ? stage->at_once : MOST_AT_ONCE;
	struct step *s;

	if (r->used + seconds > r->budget) {
		leave_out(r, name, key, node, seconds);
		return 0;
	}
	mem_grow(&r->out->items, &r->out->cap, r->out->n + 1, sizeof(*r->out->items));
	s = &r->out->items[r->out->n++];
	s->id = st ? st->id : r->next_id++;
	s->attempt = !st ? 1 : st->attempt + (st->phase != STATE_PLANNED);
	s->key = key;
	s->name = name;
	s->stage = arena_strdup(a, stage->name);
	s->kernel = arena_strdup(a, ps->kernel);
	s->place = arena_strdup(a, ps->place);
	s->nodes = arena_alloc(a, 1, sizeof(*s->nodes));
	s->nodes[s->n_nodes++] = arena_strdup(a, node);
	if (place(r, s, ps, node, e))
		return -1;
	add_options(s, ps, a);
	s->limit = fmin(ps->limit > 0 ? ps->limit : r->plan->limits.step, r->budget);
	s->estimate = seconds;
	s->at_once = stage->at_once;
	s->request = arena_strdup(a, request);
	if ((size_t)at_once > r->known->state->n_nodes)
		at_once = (int)r->known->state->n_nodes;
	s->cost = seconds / (at_once > 0 ? at_once : 1);
	r->used += s->cost;
	return 0;
}

/* What the journal knows of a launch by its key or request id, or NULL. */
static const struct state_step *launch(const struct known *k, const char *id)
{
	double i = get(&k->launches, id, -1);

	return i < 0 ? NULL : &k->state->steps[(size_t)i];
}

/* The plan's own launch of one step on one node, then those that requests want. */
static int add_key(struct round *r, const struct plan_stage *stage,
		   const struct plan_step *ps, const char *node, struct err *e)
{
	const struct known *k = r->known;
	const struct state_step *st;
	char key[512];
	double first;
	int n = snprintf(key, sizeof(key), "%s/%s@%s", stage->name, ps->name, node);

	if (n < 0 || (size_t)n >= sizeof(key))
		return err_set(e, ERR_USAGE,
			       "%s: key of step '%.64s' on '%.64s' is too long",
			       ps->where, ps->name, node);
	st = launch(k, key);
	if (!st)
		return add(r, stage, ps, node, NULL, NULL, e);
	if (unfinished(st) && add(r, stage, ps, node, st, NULL, e))
		return -1;
	first = get(&k->wanted, key, -1);
	for (size_t q = first < 0 ? NAMES_NONE : (size_t)first; q != NAMES_NONE;
	     q = k->next_wanted[q]) {
		const struct request *req = &r->requests[q];

		if (strcmp(req->want, "repeat") != 0)
			continue;
		st = launch(k, req->id);
		if ((!st || unfinished(st)) && add(r, stage, ps, node, st, req->id, e))
			return -1;
	}
	return 0;
}

static int add_stage(struct round *r, const struct plan_stage *stage, struct err *e)
{
	const struct state *state = r->known->state;

	for (size_t i = 0; i < stage->n_steps; i++) {
		for (size_t n = 0; n < state->n_nodes; n++) {
			if (takes_part(r, state->nodes[n]) &&
			    add_key(r, stage, &stage->steps[i], state->nodes[n], e))
				return -1;
		}
	}
	return 0;
}

/* Those the journal holds, which a crash may have left undone, and the new ones. */
static const struct request *all_requests(struct arena *a, const struct state *state,
					  const struct request *requests, size_t *n)
{
	struct request *all = arena_alloc(a, state->n_requests + *n, sizeof(*all));
	size_t k = 0;

	for (size_t i = 0; i < state->n_requests; i++) {
		const struct record_request *r = &state->requests[i];

		all[k++] = (struct request){r->id, r->want, r->target, r->because};
	}
	for (size_t i = 0; i < *n; i++) {
		if (names_find(&state->request_of, requests[i].id) == NAMES_NONE)
			all[k++] = requests[i];
	}
	*n = k;
	return all;
}

int next_steps(struct steps *out, const struct plan *plan, const struct state *state,
	       const struct request *requests, size_t n_requests, double budget,
	       const struct placer *placer, struct err *e)
{
	struct known known;
	struct round r = {.out = out,
			  .plan = plan,
			  .known = &known,
			  .placer = placer,
			  .budget = budget,
			  .next_id = (int64_t)state->n_steps + 1};
	int rc = 0;

	memset(out, 0, sizeof(*out));
	requests = r.requests = all_requests(&out->arena, state, requests, &n_requests);
	know(&known, state, requests, n_requests);
	for (size_t i = 0; i < plan->n_stages && !rc; i++) {
		size_t before = out->n;

		rc = add_stage(&r, &plan->stages[i], e);
		if (plan->stages[i].gate && out->n > before)
			break;
	}
	forget(&known);
	return rc;
}

void steps_release(struct steps *s)
{
	free(s->items);
	free(s->left_out);
	arena_release(&s->arena);
	memset(s, 0, sizeof(*s));
}
