/* SPDX-License-Identifier: Apache-2.0 */
/* The next round while it is put together: see round.h. */
#include "plan/round.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "plan/fit.h"
#include "plan/rounds.h"

/* Estimate of a launch of which neither the plan nor the journal knows anything, s. */
#define UNKNOWN_ESTIMATE 60.0

enum { MOST_AT_ONCE = 64 };

bool round_takes_part(const struct round *r, const char *node)
{
	return state_facts(r->known->state, node) &&
	       known_exclusion(r->known, node) == NAMES_NONE;
}

static double estimate(const struct round *r, const struct plan_step *ps,
		       const char *name)
{
	double limit = ps->limit > 0 ? ps->limit : r->plan->limits.step;

	return known_duration(r->known, name,
			      ps->estimate > 0 ? ps->estimate
					       : fmin(UNKNOWN_ESTIMATE, limit));
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
	/* rounded apart: "60 s, 60 s left" explains nothing */
	l->text = arena_printf(&out->arena, "%s: estimate %.0f s, %.0f s left", name,
			       ceil(seconds), left > 0 ? floor(left) : 0.0);
}

static void add_options(struct step *s, const struct plan_step *ps, struct arena *a)
{
	s->options = arena_alloc(a, 2 * ps->n_options + 1, sizeof(*s->options));
	for (size_t i = 0; i < ps->n_options; i++) {
		s->options[s->n_options++] = arena_printf(a, "--%s", ps->options[i].name);
		s->options[s->n_options++] = arena_strdup(a, ps->options[i].value);
	}
}

static void add_command(struct step *s, const struct plan_step *ps, struct arena *a)
{
	s->command = arena_alloc(a, ps->n_command + 1, sizeof(*s->command));
	for (; s->n_command < ps->n_command; s->n_command++)
		s->command[s->n_command] = arena_strdup(a, ps->command[s->n_command]);
	s->reader = arena_strdup(a, ps->reader);
	s->dir = arena_strdup(a, ps->dir);
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

/*
 * The memory a kernel may use where there is least of it, B: of all nodes that take part,
 * so that sets, and repeats of them, are of one size; a node alone is compared with its
 * like. NaN: not known of all of them.
 */
static double least_memory(const struct round *r, const struct what *w, const char **node)
{
	const struct state *s = r->known->state;
	const struct record_node *own = state_facts(s, w->nodes[0]);
	double least = INFINITY;

	*node = w->nodes[0];
	for (size_t i = 0; i < s->n_nodes; i++) {
		const struct record_node *n = state_facts(s, s->nodes[i]);
		double usable;

		if (!n || !round_takes_part(r, s->nodes[i]))
			continue;
		if (w->ps->on == PLAN_ON_NODE && (!n->class || !own || !own->class ||
						  strcmp(n->class, own->class) != 0))
			continue;
		usable = record_json_num(n->facts, "memory.usable");
		if (isnan(usable))
			return NAN;
		if (usable < least) {
			least = usable;
			*node = s->nodes[i];
		}
	}
	return isinf(least) ? NAN : least;
}

static void fit(struct round *r, const struct what *w, struct step *s)
{
	struct fit_question q = {.says = json_object_get(r->kernels, s->kernel),
				 .ps = w->ps,
				 .smallest = w->smallest,
				 .part = w->part};

	if (!json_object_get(q.says, "fit"))
		return; /* most kernels: memory need not be looked up */
	q.memory = least_memory(r, w, &q.node);
	fit_apply(&q, s, &r->out->arena);
}

static int add(struct round *r, const struct what *w, struct err *e)
{
	struct arena *a = &r->out->arena;
	const struct plan_step *ps = w->ps;
	const char *name = arena_printf(a, "%s/%s%s", w->stage->name, ps->name,
					w->suffix ? w->suffix : "");
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
	add_command(s, ps, a);
	add_options(s, ps, a);
	if (ps->on == PLAN_ON_PAIRS)
		rounds_go_on(r->known->state, s, a);
	fit(r, w, s);
	s->limit = fmin(ps->limit > 0 ? ps->limit : r->plan->limits.step, r->budget);
	s->estimate = seconds;
	s->at_once = w->stage->at_once;
	s->request = arena_strdup(a, w->request);
	s->cost = cost(r, w, seconds);
	r->used += s->cost;
	return 0;
}

int round_add(struct round *r, struct what *w, struct err *e)
{
	w->st = known_launch(r->known, w->key, w->request);
	if (w->st && !known_unfinished(w->st))
		return 0;
	if (w->st && w->st->n_nodes) {
		w->nodes = w->st->nodes;
		w->n_nodes = w->st->n_nodes;
	}
	return add(r, w, e);
}
