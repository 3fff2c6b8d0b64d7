/* SPDX-License-Identifier: Apache-2.0 */
/* Replay of a journal: see state.h. */
#include "record/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/journal.h"

/* What is beyond is no measurement; a NaN is beyond everything. */
#define MOST 1e300

static void forget_results(struct state_step *s)
{
	s->n_samples = s->n_valids = s->n_ranks = s->n_events = s->n_counters = 0;
}

/* The step a record belongs to, when the record is of its last attempt. */
static struct state_step *step_of(struct state *s, int64_t id, int64_t attempt)
{
	struct state_step *st;

	if (id < 1 || (uint64_t)id > s->n_steps)
		return NULL;
	st = &s->steps[id - 1];
	return st->id == id && st->attempt == attempt ? st : NULL;
}

static int add_step(struct state *s, const struct record_step *r, double t)
{
	struct state_step *st;

	/* steps are numbered as they come: a number beyond all records is a damaged one
	 */
	if (r->step < 1 || (uint64_t)r->step > s->n_records || r->attempt < 1) {
		s->damaged++;
		return 0;
	}
	if ((uint64_t)r->step > s->n_steps) {
		mem_grow(&s->steps, &s->cap_steps, (size_t)r->step, sizeof(*s->steps));
		s->n_steps = (size_t)r->step;
	}
	st = &s->steps[r->step - 1];
	if (!strcmp(r->event, "planned")) {
		if (st->id && r->attempt <= st->attempt)
			return 0; /* planned again by a resumed run before it started */
		st->id = r->step;
		st->attempt = r->attempt;
		st->phase = STATE_PLANNED;
		st->planned = *r;
		st->t_planned = t;
		st->nodes = record_unlist(&s->arena, r->nodes, &st->n_nodes);
		forget_results(st);
		return 0;
	}
	if (!step_of(s, r->step, r->attempt)) {
		s->damaged++;
		return 0;
	}
	if (!strcmp(r->event, "started")) {
		st->phase = STATE_STARTED;
		st->started = *r;
		st->t_started = t;
	} else if (!strcmp(r->event, "ended")) {
		st->phase = STATE_ENDED;
		st->ended = *r;
		st->t_ended = t;
	} else {
		s->damaged++;
	}
	return 0;
}

static void add_request(struct state *s, const struct record_request *r)
{
	if (names_add(&s->request_of, r->id, NULL) != s->n_requests)
		return;
	mem_grow(&s->requests, &s->cap_requests, s->n_requests + 1, sizeof(*s->requests));
	s->requests[s->n_requests++] = *r;
}

static void add_facts(struct state *s, const struct record_node *r)
{
	size_t i = names_add(&s->fact_of, r->node, NULL);

	if (i == s->n_facts) {
		mem_grow(&s->facts, &s->cap_facts, i + 1, sizeof(*s->facts));
		s->n_facts++;
	}
	s->facts[i] = *r;
}

/* Copies a result record and appends its address to one of a step's lists. */
static void attach(struct state *s, const void *record, size_t size, void *list,
		   size_t *n, size_t *cap)
{
	void *copy = arena_alloc(&s->arena, 1, size);
	void **items;

	memcpy(copy, record, size);
	mem_grow(list, cap, *n + 1, sizeof(void *));
	memcpy(&items, list, sizeof(items));
	items[(*n)++] = copy;
}

#define ATTACH(record, list)                                                           \
	do {                                                                           \
		struct state_step *st = step_of(s, (record)->step, (record)->attempt); \
		if (st)                                                                \
			attach(s, record, sizeof(*(record)), &st->list, &st->n_##list, \
			       &st->cap_##list);                                       \
	} while (0)

static void add_event(struct state *s, const struct record_event *r)
{
	if (r->step != RECORD_NO_INT) {
		ATTACH(r, events);
		return;
	}
	mem_grow(&s->events, &s->cap_events, s->n_events + 1, sizeof(*s->events));
	s->events[s->n_events++] = *r;
}

static void add_plan(struct state *s, const struct record_plan *r)
{
	size_t n;

	s->plan = *r;
	s->has_plan = true;
	s->nodes = record_unlist(&s->arena, r->nodes, &s->n_nodes);
	s->chassis = record_unlist(&s->arena, r->chassis, &n);
	if (n != s->n_nodes)
		s->chassis = NULL;
}

int state_add(struct state *s, const struct record *r, struct err *e)
{
	(void)e;
	s->n_records++;
	if (s->t_first == 0)
		s->t_first = r->t;
	if (r->kind == RECORD_KIND_run && s->n_runs)
		s->paused += r->t - s->t_last;
	s->t_last = r->t;
	switch (r->kind) {
	case RECORD_KIND_run:
		s->run = r->u.run;
		s->n_runs++;
		s->has_end = false;
		break;
	case RECORD_KIND_plan:
		add_plan(s, &r->u.plan);
		break;
	case RECORD_KIND_node:
		add_facts(s, &r->u.node);
		break;
	case RECORD_KIND_bios:
		mem_grow(&s->bios, &s->cap_bios, s->n_bios + 1, sizeof(*s->bios));
		s->bios[s->n_bios++] = r->u.bios;
		break;
	case RECORD_KIND_request:
		add_request(s, &r->u.request);
		break;
	case RECORD_KIND_step:
		return add_step(s, &r->u.step, r->t);
	case RECORD_KIND_rank:
		ATTACH(&r->u.rank, ranks);
		break;
	case RECORD_KIND_sample:
		ATTACH(&r->u.sample, samples);
		break;
	case RECORD_KIND_valid:
		ATTACH(&r->u.valid, valids);
		break;
	case RECORD_KIND_counter:
		ATTACH(&r->u.counter, counters);
		break;
	case RECORD_KIND_event:
		add_event(s, &r->u.event);
		break;
	case RECORD_KIND_end:
		s->end = r->u.end;
		s->has_end = true;
		break;
	case RECORD_KINDS:
		break;
	}
	return 0;
}

static int add_line(void *ctx, const struct record *r, struct err *e)
{
	return state_add(ctx, r, e);
}

int state_replay(struct state *s, const char *dir, struct err *e)
{
	struct names texts = {0};
	size_t damaged;
	int rc;

	memset(s, 0, sizeof(*s));
	rc = journal_read(dir, &texts, add_line, s, &damaged, e);
	s->damaged += damaged;
	arena_adopt(&s->arena, &texts.arena);
	names_release(&texts);
	return rc;
}

void state_release(struct state *s)
{
	for (size_t i = 0; i < s->n_steps; i++) {
		struct state_step *st = &s->steps[i];

		free(st->samples);
		free(st->valids);
		free(st->ranks);
		free(st->events);
		free(st->counters);
	}
	names_release(&s->fact_of);
	names_release(&s->request_of);
	free(s->facts);
	free(s->bios);
	free(s->requests);
	free(s->steps);
	free(s->events);
	arena_release(&s->arena);
	memset(s, 0, sizeof(*s));
}

bool state_check_ok(const struct record_valid *v)
{
	return v->ok && (!v->value.set || fabs(v->value.v) <= MOST);
}

bool state_wrong(const struct state_step *st)
{
	if (st->phase != STATE_ENDED || !st->ended.cause ||
	    strcmp(st->ended.cause, "ok") != 0)
		return false;
	for (size_t i = 0; i < st->n_valids; i++) {
		if (!state_check_ok(st->valids[i]))
			return true;
	}
	return false;
}

const struct record_node *state_facts(const struct state *s, const char *node)
{
	size_t i = names_find(&s->fact_of, node);

	return i == NAMES_NONE ? NULL : &s->facts[i];
}

int64_t state_rounds(const struct state_step *st, int64_t *of)
{
	for (size_t i = st->n_events; i-- > 0;) {
		const char *text = st->events[i]->text;
		char *end;
		long long done, all;

		if (strcmp(st->events[i]->what, "round") != 0)
			continue;
		done = strtoll(text, &end, 10);
		if (strncmp(end, " of ", 4) != 0 || done < 1)
			continue;
		all = strtoll(end + 4, NULL, 10);
		if (all < done)
			continue;
		if (of)
			*of = all;
		return done;
	}
	if (of)
		*of = 0;
	return 0;
}

double state_duration(const struct state *s)
{
	return s->t_last - s->t_first - s->paused;
}
