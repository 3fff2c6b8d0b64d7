/* SPDX-License-Identifier: Apache-2.0 */
/* What decides about the next steps, as tables: see known.h. */
#include "plan/known.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"

static double *cell(struct known_table *t, const char *text, double unset)
{
	bool fresh;
	size_t i = names_add(&t->names, text, &fresh);

	mem_grow(&t->values, &t->cap, i + 1, sizeof(*t->values));
	if (fresh)
		t->values[i] = unset;
	return &t->values[i];
}

static double get(const struct known_table *t, const char *text, double unset)
{
	size_t i = names_find(&t->names, text);

	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): each name has its value */
	return i == NAMES_NONE ? unset : t->values[i];
}

static void table_release(struct known_table *t)
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

void known_make(struct known *k, const struct state *state,
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

void known_release(struct known *k)
{
	table_release(&k->launches);
	table_release(&k->last);
	table_release(&k->durations);
	table_release(&k->excluded);
	table_release(&k->wanted);
	free(k->next_wanted);
}

const struct state_step *known_launch(const struct known *k, const char *key,
				      const char *request)
{
	struct strbuf sb = {0};
	double i = get(&k->launches, identity(&sb, key, request), -1);

	strbuf_release(&sb);
	return i < 0 ? NULL : &k->state->steps[(size_t)i];
}

const struct state_step *known_last(const struct known *k, const char *key)
{
	double i = get(&k->last, key, -1);

	return i < 0 ? NULL : &k->state->steps[(size_t)i];
}

double known_duration(const struct known *k, const char *name, double unknown)
{
	return get(&k->durations, name, unknown);
}

static size_t request_in(const struct known_table *t, const char *text)
{
	double i = get(t, text, -1);

	return i < 0 ? NAMES_NONE : (size_t)i;
}

size_t known_exclusion(const struct known *k, const char *node)
{
	return request_in(&k->excluded, node);
}

size_t known_wanted(const struct known *k, const char *key)
{
	return request_in(&k->wanted, key);
}

bool known_unfinished(const struct state_step *st)
{
	const char *cause = st->ended.cause;

	if (st->phase != STATE_ENDED)
		return true;
	return cause && (!strcmp(cause, "aborted") || !strcmp(cause, "io"));
}
