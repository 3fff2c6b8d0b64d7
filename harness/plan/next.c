/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the next round: see step.h. Nothing else starts a step. */
#include "plan/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/strbuf.h"
#include "record/key.h"

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
	struct table launches;  /* key and request -> its step's index in the state */
	struct table last;      /* key -> its last step's index */
	struct table durations; /* name -> longest good launch so far, s */
	struct table excluded;  /* node -> the request, or -1 when admitted again */
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

/* What tells launches apart: repeats share their key, a request may want several. */
static const char *identity(struct strbuf *sb, const char *key, const char *request)
{
	strbuf_reset(sb);
	strbuf_addf(sb, "%s\n%s", key, request ? request : "");
	return strbuf_str(sb);
}

static void know_steps(struct known *k)
{
	struct strbuf sb = {0};

	for (size_t i = 0; i < k->state->n_steps; i++) {
		const struct state_step *st = &k->state->steps[i];
		const struct record_step *p = &st->planned;
		double *longest;

		if (!st->id)
			continue;
		(void)cell(&k->launches, identity(&sb, p->key, p->request), (double)i);
		*cell(&k->last, p->key, 0) = (double)i;
		if (st->phase != STATE_ENDED || !p->name || !st->ended.duration.set ||
		    !st->ended.cause || strcmp(st->ended.cause, "ok") != 0)
			continue;
		longest = cell(&k->durations, p->name, 0);
		*longest = fmax(*longest, st->ended.duration.v);
	}
	strbuf_release(&sb);
}

static void know_exclusion(struct known *k, const struct request *q, size_t i)
{
	if (!strcmp(q->want, "exclude"))
		*cell(&k->excluded, q->target, 0) = (double)i;
	else if (!strcmp(q->want, "readmit"))
		*cell(&k->excluded, q->target, 0) = -1;
}

static void know(struct known *k, const struct state *state,
		 const struct request *requests, size_t n)
{
	memset(k, 0, sizeof(*k));
	k->state = state;
	know_steps(k);
	for (size_t i = 0; i < n; i++)
		know_exclusion(k, &requests[i], i);
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
	table_release(&k->last);
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
	size_t n_requests;
	const struct placer *placer;
	size_t n_chassis; /* a node whose chassis is not known has one of its own */
	double budget, used;
	int64_t next_id;
};

static const char *chassis_of(const struct state *s, size_t node)
{
	return s->chassis && *s->chassis[node] ? s->chassis[node] : NULL;
}

static size_t count_chassis(const struct state *s)
{
	struct names seen = {0};
	size_t n = 0;

	for (size_t i = 0; i < s->n_nodes; i++) {
		const char *chassis = chassis_of(s, i);
		bool fresh = true;

		if (chassis)
			(void)names_add(&seen, chassis, &fresh);
		n += fresh;
	}
	names_release(&seen);
	return n;
}

static bool takes_part(const struct round *r, const char *node)
{
	return state_facts(r->known->state, node) &&
	       get(&r->known->excluded, node, -1) < 0;
}

/* An excluded node may be cleared by a repeat where a gate was all it failed. */
static bool may_be_cleared(const struct round *r, const char *node)
{
	double q = get(&r->known->excluded, node, -1);

	return q >= 0 && !strncmp(r->requests[(size_t)q].id, KEY_GATE, strlen(KEY_GATE));
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
	double limit = ps->limit > 0 ? ps->limit : r->plan->limits.step;

	return get(&r->known->durations, name,
		   ps->estimate > 0 ? ps->estimate : fmin(UNKNOWN_ESTIMATE, limit));
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
static int place_on(struct round *r, struct step *s, const struct plan_step *ps,
		    const char *node, struct placed *placed, struct err *e)
{
	struct err why = {0};

	*placed = (struct placed){.per_node = 1, .threads = 1, .cpusets = ""};
	if (!r->placer->place(r->placer->ctx, node, ps->place, &r->out->arena, placed,
			      &why))
		return 0;
	if (why.kind != ERR_USAGE) {
		*e = why;
		return err_at(e, "%s: place '%s' on '%s'", ps->where, ps->place, node);
	}
	s->refused = arena_printf(&r->out->arena, "cannot be placed as '%s' on %s: %s",
				  ps->place, node, why.msg);
	return 0;
}

/* All nodes of a launch get the same cpusets: mpirun starts the same words everywhere. */
static int place(struct round *r, struct step *s, const struct plan_step *ps,
		 struct err *e)
{
	struct placed first, other;

	if (place_on(r, s, ps, s->nodes[0], &first, e))
		return -1;
	for (size_t i = 1; i < s->n_nodes && !s->refused; i++) {
		if (place_on(r, s, ps, s->nodes[i], &other, e))
			return -1;
		if (!s->refused && (strcmp(first.cpusets, other.cpusets) != 0 ||
				    first.threads != other.threads))
			s->refused = arena_printf(
				&r->out->arena,
				"its nodes are not alike: CPUs %s on %s, %s on %s",
				first.cpusets, s->nodes[0], other.cpusets, s->nodes[i]);
	}
	s->per_node = first.per_node;
	s->ranks = first.per_node * (int)s->n_nodes;
	s->cpusets = first.cpusets;
	s->threads = first.threads;
	s->remark = first.remark;
	return 0;
}

/* A launch to be added. */
struct what {
	const struct plan_stage *stage;
	const struct plan_step *ps;
	const char *key;
	const char *const *nodes;
	size_t n_nodes;
	const char *chassis; /* that must have no other launch meanwhile, or NULL */
	const struct state_step *st; /* what the journal knows of it; NULL: it is new */
	const char *request;
};

static void set_nodes(struct step *s, const struct what *w, struct arena *a)
{
	s->nodes = arena_alloc(a, w->n_nodes, sizeof(*s->nodes));
	for (; s->n_nodes < w->n_nodes; s->n_nodes++)
		s->nodes[s->n_nodes] = arena_strdup(a, w->nodes[s->n_nodes]);
}

static double cost(const struct round *r, const struct what *w, double seconds)
{
	size_t at_once = w->stage->at_once ? (size_t)w->stage->at_once : MOST_AT_ONCE;
	size_t groups =
		(w->stage->one_per_chassis ? r->n_chassis : r->known->state->n_nodes) /
		w->n_nodes;

	if (at_once > groups)
		at_once = groups;
	return seconds / (double)(at_once ? at_once : 1);
}

static int add(struct round *r, const struct what *w, struct err *e)
{
	struct arena *a = &r->out->arena;
	const struct plan_step *ps = w->ps;
	const char *name = arena_printf(a, "%s/%s", w->stage->name, ps->name);
	double seconds = estimate(r, ps, name);
	struct step *s;

	if (r->used + seconds > r->budget) {
		leave_out(r, name, w->key, w->n_nodes == 1 ? w->nodes[0] : NULL, seconds);
		return 0;
	}
	mem_grow(&r->out->items, &r->out->cap, r->out->n + 1, sizeof(*r->out->items));
	s = &r->out->items[r->out->n++];
	s->id = w->st ? w->st->id : r->next_id++;
	s->attempt = !w->st ? 1 : w->st->attempt + (w->st->phase != STATE_PLANNED);
	s->key = arena_strdup(a, w->key);
	s->name = name;
	s->stage = arena_strdup(a, w->stage->name);
	s->kernel = arena_strdup(a, ps->kernel);
	s->place = arena_strdup(a, ps->place);
	set_nodes(s, w, a);
	s->chassis = arena_strdup(a, w->chassis);
	if (place(r, s, ps, e))
		return -1;
	add_options(s, ps, a);
	s->limit = fmin(ps->limit > 0 ? ps->limit : r->plan->limits.step, r->budget);
	s->estimate = seconds;
	s->at_once = w->stage->at_once;
	s->request = arena_strdup(a, w->request);
	s->cost = cost(r, w, seconds);
	r->used += s->cost;
	return 0;
}

/* Adds @w when the journal does not know it, or knows it unfinished. */
static int add_unless_done(struct round *r, struct what *w, struct err *e)
{
	struct strbuf sb = {0};
	double i = get(&r->known->launches, identity(&sb, w->key, w->request), -1);

	strbuf_release(&sb);
	w->st = i < 0 ? NULL : &r->known->state->steps[(size_t)i];
	if (w->st && !unfinished(w->st))
		return 0;
	if (w->st && w->st->n_nodes) {
		w->nodes = w->st->nodes;
		w->n_nodes = w->st->n_nodes;
	}
	return add(r, w, e);
}

static const struct state_step *last_launch(const struct known *k, const char *key)
{
	double i = get(&k->last, key, -1);

	return i < 0 ? NULL : &k->state->steps[(size_t)i];
}

/* The plan's own launch of one step on one node, then those that requests want. */
static int add_node(struct round *r, struct what *w, const char *const *node,
		    struct err *e)
{
	const struct known *k = r->known;
	const struct state_step *st;
	double first;

	w->key = arena_printf(&r->out->arena, "%s/%s@%s", w->stage->name, w->ps->name,
			      *node);
	w->nodes = node;
	w->n_nodes = 1;
	w->request = NULL;
	st = last_launch(k, w->key);
	if (takes_part(r, *node) && add_unless_done(r, w, e))
		return -1;
	first = st ? get(&k->wanted, w->key, -1) : -1;
	for (size_t q = first < 0 ? NAMES_NONE : (size_t)first; q != NAMES_NONE;
	     q = k->next_wanted[q]) {
		w->request = r->requests[q].id;
		if (!strcmp(r->requests[q].want, "repeat") && add_unless_done(r, w, e))
			return -1;
	}
	return 0;
}

/* Sets of nodes */

static bool failed(const struct state_step *st)
{
	const char *cause = st->ended.cause;

	return st->phase == STATE_ENDED && cause && strcmp(cause, "ok") != 0 &&
	       strcmp(cause, "skip") != 0 && !unfinished(st);
}

static int add_part(struct round *r, struct what *w, const struct request *q, int i,
		    const char *const *nodes, size_t n, struct err *e)
{
	w->request = q->id;
	w->key = arena_printf(&r->out->arena, "%s.%d", q->target, i);
	w->nodes = nodes;
	w->n_nodes = n;
	return add_unless_done(r, w, e);
}

/*
 * The halves of a set that failed; of three nodes all pairs, since one node alone proves
 * nothing.
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
	if (set->n_nodes > 3)
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
	return add_unless_done(r, w, e);
}

/* The set again without the nodes that were excluded since it failed. */
static int add_rest(struct round *r, struct what *w, const char *base,
		    const struct state_step *last, struct err *e)
{
	const char **rest = arena_alloc(&r->out->arena, last->n_nodes, sizeof(*rest));

	w->request = NULL;
	w->n_nodes = 0;
	for (size_t i = 0; i < last->n_nodes; i++) {
		double q = get(&r->known->excluded, last->nodes[i], -1);

		if (q < 0)
			rest[w->n_nodes++] = last->nodes[i];
		else if (!w->request)
			w->request = r->requests[(size_t)q].id;
	}
	w->key = base;
	w->nodes = rest;
	if (!w->request || w->n_nodes < 2)
		return 0;
	return add_unless_done(r, w, e);
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
	return add_unless_done(r, w, e);
}

/* One launch over all nodes that take part, and what is wanted when it failed. */
static int add_set(struct round *r, struct what *w, struct err *e)
{
	const struct state *state = r->known->state;
	const char **nodes = arena_alloc(&r->out->arena, state->n_nodes, sizeof(*nodes));
	const char *base = arena_printf(&r->out->arena, "%s/%s" KEY_SET, w->stage->name,
					w->ps->name);
	const struct state_step *last = last_launch(r->known, base);
	size_t n = 0;

	for (size_t i = 0; i < state->n_nodes; i++) {
		if (takes_part(r, state->nodes[i]))
			nodes[n++] = state->nodes[i];
	}
	if (!n)
		return 0;
	w->key = base;
	w->nodes = nodes;
	w->n_nodes = n;
	w->request = last ? last->planned.request : NULL;
	if (!last || unfinished(last))
		return add_unless_done(r, w, e);
	if (failed(last) && add_rest(r, w, base, last, e))
		return -1;
	for (size_t q = 0; q < r->n_requests; q++) {
		if (add_wanted(r, w, base, nodes, n, &r->requests[q], e))
			return -1;
	}
	return 0;
}

static int add_stage(struct round *r, const struct plan_stage *stage, struct err *e)
{
	const struct state *state = r->known->state;

	for (size_t i = 0; i < stage->n_steps; i++) {
		struct what w = {.stage = stage, .ps = &stage->steps[i]};

		if (w.ps->on != PLAN_ON_NODE) {
			if (add_set(r, &w, e))
				return -1;
			continue;
		}
		for (size_t n = 0; n < state->n_nodes; n++) {
			const char *node = state->nodes[n];

			w.chassis = stage->one_per_chassis ? chassis_of(state, n) : NULL;
			if ((takes_part(r, node) || may_be_cleared(r, node)) &&
			    add_node(r, &w, &state->nodes[n], e))
				return -1;
		}
	}
	return 0;
}

static int check_plan(const struct plan *p, struct err *e)
{
	for (size_t i = 0; i < p->n_stages; i++) {
		for (size_t k = 0; k < p->stages[i].n_steps; k++) {
			if (plan_check_on(&p->stages[i].steps[k], e))
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

		all[k++] = (struct request){r->id, r->want, r->target, r->because,
					    r->partner};
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
			  .n_chassis = count_chassis(state),
			  .budget = budget,
			  .next_id = (int64_t)state->n_steps + 1};
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (check_plan(plan, e))
		return -1;
	requests = r.requests = all_requests(&out->arena, state, requests, &n_requests);
	r.n_requests = n_requests;
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
