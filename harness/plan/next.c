/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of the next round: see step.h. Nothing else starts a step. */
#include <stdlib.h>
#include <string.h>

#include "plan/round.h"
#include "plan/sets.h"
#include "record/key.h"

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

/* An excluded node may be cleared by a repeat where a gate was all it failed. */
static bool may_be_cleared(const struct round *r, const char *node)
{
	size_t q = known_exclusion(r->known, node);

	return q != NAMES_NONE && !strncmp(r->requests[q].id, KEY_GATE, strlen(KEY_GATE));
}

/* The plan's own launch of one step on one node, then those that requests want. */
static int add_node(struct round *r, struct what *w, const char *const *node,
		    struct err *e)
{
	const struct known *k = r->known;
	const struct state_step *st;

	w->key = arena_printf(&r->out->arena, "%s/%s@%s", w->stage->name, w->ps->name,
			      *node);
	w->nodes = node;
	w->n_nodes = 1;
	w->request = NULL;
	st = known_last(k, w->key);
	if (round_takes_part(r, *node) && round_add(r, w, e))
		return -1;
	for (size_t q = st ? known_wanted(k, w->key) : NAMES_NONE; q != NAMES_NONE;
	     q = k->next_wanted[q]) {
		w->request = r->requests[q].id;
		if (!strcmp(r->requests[q].want, "repeat") && round_add(r, w, e))
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
			if (sets_add(r, &w, e))
				return -1;
			continue;
		}
		for (size_t n = 0; n < state->n_nodes; n++) {
			const char *node = state->nodes[n];

			w.chassis = stage->one_per_chassis ? chassis_of(state, n) : NULL;
			if ((round_takes_part(r, node) || may_be_cleared(r, node)) &&
			    add_node(r, &w, &state->nodes[n], e))
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
	json_t *kernels;
	struct round r = {.out = out,
			  .plan = plan,
			  .known = &known,
			  .placer = placer,
			  .n_chassis = count_chassis(state),
			  .budget = budget,
			  .next_id = (int64_t)state->n_steps + 1};
	int rc = 0;

	memset(out, 0, sizeof(*out));
	kernels = state->plan.kernels ? json_loads(state->plan.kernels, 0, NULL) : NULL;
	r.kernels = kernels;
	requests = r.requests = all_requests(&out->arena, state, requests, &n_requests);
	r.n_requests = n_requests;
	known_make(&known, state, requests, n_requests);
	for (size_t i = 0; i < plan->n_stages && !rc; i++) {
		size_t before = out->n;

		rc = add_stage(&r, &plan->stages[i], e);
		if (plan->stages[i].gate && out->n > before)
			break;
	}
	known_release(&known);
	json_decref(kernels);
	return rc;
}

void steps_release(struct steps *s)
{
	free(s->items);
	free(s->left_out);
	arena_release(&s->arena);
	memset(s, 0, sizeof(*s));
}
