/* SPDX-License-Identifier: Apache-2.0 */
/* Launches over pairs of nodes: see rounds.h. */
#include "plan/rounds.h"

#include <string.h>

#include "base/strbuf.h"
#include "record/key.h"

/* Rounds of a part of a set that failed: whether its nodes work is all that is asked. */
#define ROUNDS_OF_PART "3"

static void add(struct step *s, struct arena *a, const char *option, const char *value)
{
	const char **more = arena_alloc(a, s->n_options + 2, sizeof(*more));

	if (s->n_options)
		memcpy(more, s->options, s->n_options * sizeof(*more));
	s->options = more;
	s->options[s->n_options++] = option;
	s->options[s->n_options++] = arena_strdup(a, value);
}

static bool has(const struct step *s, const char *option)
{
	for (size_t i = 0; i < s->n_options; i += 2) {
		if (!strcmp(s->options[i], option))
			return true;
	}
	return false;
}

/* The players that are not in this launch, which has the others in the same order. */
static void add_absent(struct step *s, const struct state_step *first, struct arena *a)
{
	struct strbuf absent = {0};
	size_t k = 0;

	for (size_t i = 0; i < first->n_nodes; i++) {
		if (k < s->n_nodes && !strcmp(first->nodes[i], s->nodes[k]))
			k++;
		else
			strbuf_addf(&absent, "%s%zu", absent.len ? "," : "", i);
	}
	if (absent.len) {
		add(s, a, "--slots", arena_printf(a, "%zu", first->n_nodes));
		add(s, a, "--absent", strbuf_str(&absent));
	}
	strbuf_release(&absent);
}

void rounds_go_on(const struct state *state, struct step *s, struct arena *a)
{
	const struct state_step *first = NULL;
	int64_t done = 0;

	if (key_is_search(s->key)) {
		if (s->n_nodes > 2 && !has(s, "--rounds"))
			add(s, a, "--rounds", ROUNDS_OF_PART);
		return;
	}
	for (size_t i = 0; i < state->n_steps; i++) {
		const struct state_step *st = &state->steps[i];
		int64_t n;

		if (!st->id || st->id == s->id || strcmp(st->planned.key, s->key) != 0)
			continue;
		if (!first)
			first = st;
		n = state_rounds(st, NULL);
		if (n > done)
			done = n;
	}
	if (!done)
		return;
	add(s, a, "--first-round", arena_printf(a, "%lld", (long long)done + 1));
	add_absent(s, first, a);
}
