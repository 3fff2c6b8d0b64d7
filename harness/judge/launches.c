/* SPDX-License-Identifier: Apache-2.0 */
/* Launches by key: see launches.h. */
#include "judge/launches.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *launch_cause(const struct state_step *st)
{
	return st->ended.cause ? st->ended.cause : "no-data";
}

bool launch_ok(const struct state_step *st)
{
	return st->id && st->phase == STATE_ENDED && !strcmp(launch_cause(st), "ok");
}

/* Launches that were in flight or ended by ourselves are done again: they do not count.
 */
static bool is_done(const struct state_step *st)
{
	return st->phase == STATE_ENDED && strcmp(launch_cause(st), "aborted") != 0 &&
	       strcmp(launch_cause(st), "io") != 0;
}

static bool starts_with(const char *s, const char *prefix)
{
	return s && !strncmp(s, prefix, strlen(prefix));
}

void launches_make(struct launches *l, const struct state *state)
{
	memset(l, 0, sizeof(*l));
	l->next = mem_calloc(state->n_steps + 1, sizeof(*l->next));
	for (size_t i = 0; i < state->n_steps; i++) {
		const struct state_step *st = &state->steps[i];
		struct launch_key *k;
		size_t at;
		bool fresh;

		l->next[i] = LAUNCHES_END;
		if (!st->id)
			continue;
		at = names_add(&l->keys, st->planned.key, &fresh);
		mem_grow(&l->items, &l->cap, at + 1, sizeof(*l->items));
		k = &l->items[at];
		if (fresh) {
			l->n++;
			k->key = st->planned.key;
			k->first = i;
		} else {
			l->next[k->last] = i;
		}
		k->last = i;
		if (!is_done(st))
			continue;
		k->n_done++;
		k->n_repeats += starts_with(st->planned.request, "repeat:");
		k->relaunched |= starts_with(st->planned.request, "repeat-launch:");
	}
}

void launches_release(struct launches *l)
{
	names_release(&l->keys);
	free(l->items);
	free(l->next);
	memset(l, 0, sizeof(*l));
}

const struct launch_key *launches_find(const struct launches *l, const char *key)
{
	size_t i = names_find(&l->keys, key);

	return i == NAMES_NONE ? NULL : &l->items[i];
}
