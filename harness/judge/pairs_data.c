/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of a journal: see pairs_data.h. */
#include "judge/pairs_data.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/key.h"

size_t pairs_data_node(const struct pairs_data *d, const char *name)
{
	const struct judge_node *n = nodes_find(d->in->nodes, name);

	return n ? (size_t)(n - d->in->nodes->items) : NAMES_NONE;
}

const char *pairs_data_name(const struct pairs_data *d, size_t node)
{
	return d->in->nodes->items[node].name;
}

static bool of_pairs(const struct record_sample *s)
{
	return s->node && s->peer &&
	       !strncmp(s->metric, PAIRS_METRIC, sizeof(PAIRS_METRIC) - 1);
}

/* What a launch that was cut off said of whole rounds counts; what is wrong does not. */
static bool counts(const struct state_step *st)
{
	return st->id && !state_wrong(st) &&
	       !(st->phase == STATE_ENDED && !strcmp(launch_cause(st), "invalid"));
}

bool pairs_data_is(const struct rule_input *in, const struct launch_key *base)
{
	for (size_t i = base->first; i != LAUNCHES_END; i = in->launches->next[i]) {
		const struct state_step *st = &in->state->steps[i];

		if (st->n_samples && of_pairs(st->samples[0]))
			return true;
	}
	return false;
}

static void find_again(struct pairs_data *d)
{
	const struct rule_input *in = d->in;
	size_t len = strlen(d->base->key);

	for (size_t k = 0; k < in->launches->n; k++) {
		const struct launch_key *key = &in->launches->items[k];

		if (strncmp(key->key, d->base->key, len) != 0 || key->key[len] != '~')
			continue;
		for (size_t i = key->first; i != LAUNCHES_END;
		     i = in->launches->next[i]) {
			const struct state_step *st = &in->state->steps[i];
			size_t a, b;

			if (st->phase != STATE_ENDED || st->n_nodes != 2)
				continue;
			a = pairs_data_node(d, st->nodes[0]);
			b = pairs_data_node(d, st->nodes[1]);
			if (a == NAMES_NONE || b == NAMES_NONE)
				continue;
			mem_grow(&d->again, &d->cap_again, d->n_again + 1,
				 sizeof(*d->again));
			d->again[d->n_again++] =
				(struct pairs_again){(uint32_t)a, (uint32_t)b, st};
		}
	}
}

static void find_groups(struct pairs_data *d)
{
	json_t *groups = json_object_get(json_object_get(d->site, "fabric"), "groups");
	json_t *nodes, *node;
	const char *name;
	size_t i;

	if (!json_object_size(groups))
		return;
	d->group = mem_calloc(d->in->nodes->n, sizeof(*d->group));
	for (i = 0; i < d->in->nodes->n; i++)
		d->group[i] = PAIRS_NO_GROUP;
	json_object_foreach(groups, name, nodes)
	{
		uint32_t k = (uint32_t)names_add(&d->groups, name, NULL);

		json_array_foreach(nodes, i, node)
		{
			const char *text = json_string_value(node);
			size_t n = text ? pairs_data_node(d, text) : NAMES_NONE;

			if (n != NAMES_NONE)
				d->group[n] = k;
		}
	}
}

/* The rounds that are done over all launches, and who was met. */
static void look(struct pairs_data *d)
{
	const struct rule_input *in = d->in;

	for (size_t i = d->base->first; i != LAUNCHES_END; i = in->launches->next[i]) {
		const struct state_step *st = &in->state->steps[i];
		int64_t of, done = state_rounds(st, &of);

		if (done > d->rounds)
			d->rounds = done;
		if (of > d->of)
			d->of = of;
		for (size_t k = 0; k < st->n_samples && counts(st); k++) {
			const struct record_sample *s = st->samples[k];
			size_t a, b;

			if (strcmp(s->metric, PAIRS_METRIC "latency") != 0 || !s->node ||
			    !s->peer)
				continue;
			a = pairs_data_node(d, s->node);
			b = pairs_data_node(d, s->peer);
			if (a == NAMES_NONE || b == NAMES_NONE)
				continue;
			d->met[a]++;
			d->met[b]++;
		}
	}
}

void pairs_data_make(struct pairs_data *d, const struct rule_input *in,
		     const struct launch_key *base)
{
	const char *site = in->state->plan.site;

	*d = (struct pairs_data){.in = in,
				 .base = base,
				 .first = &in->state->steps[base->first],
				 .last = &in->state->steps[base->last],
				 .met = mem_calloc(in->nodes->n + 1, sizeof(*d->met)),
				 .site = site ? json_loads(site, 0, NULL) : NULL};
	find_groups(d);
	find_again(d);
	look(d);
}

void pairs_data_release(struct pairs_data *d)
{
	names_release(&d->groups);
	json_decref(d->site);
	free(d->group);
	free(d->again);
	free(d->met);
	memset(d, 0, sizeof(*d));
}

/* Values being collected. */
struct list {
	struct pairs_value *v;
	size_t n, cap;
};

static void add(const struct pairs_data *d, struct list *l, const struct record_sample *s,
		double value)
{
	size_t a = pairs_data_node(d, s->node), b = pairs_data_node(d, s->peer);

	if (a == NAMES_NONE || b == NAMES_NONE)
		return;
	mem_grow(&l->v, &l->cap, l->n + 1, sizeof(*l->v));
	l->v[l->n++] = (struct pairs_value){(uint32_t)a, (uint32_t)b, value};
}

struct pairs_value *pairs_data_values(const struct pairs_data *d, const char *metric,
				      size_t *n, const char **unit)
{
	const struct rule_input *in = d->in;
	struct list l = {0};

	for (size_t i = d->base->first; i != LAUNCHES_END; i = in->launches->next[i]) {
		const struct state_step *st = &in->state->steps[i];

		for (size_t k = 0; k < st->n_samples && counts(st); k++) {
			const struct record_sample *s = st->samples[k];

			if (!s->node || !s->peer || strcmp(s->metric, metric) != 0)
				continue;
			add(d, &l, s, s->value.v);
			*unit = s->unit;
		}
	}
	*n = l.n;
	return l.v;
}

static void answers_of(const struct pairs_data *d, struct list *l,
		       const struct state_step *st, double *smallest)
{
	for (size_t k = 0; k < st->n_samples && counts(st); k++) {
		const struct record_sample *s = st->samples[k];
		bool hang = !strcmp(s->metric, PAIRS_HANG);

		if (!s->node || !s->peer ||
		    (!hang && strcmp(s->metric, PAIRS_METRIC "latency") != 0))
			continue;
		add(d, l, s, !hang);
		if (hang && (*smallest <= 0 || s->value.v < *smallest))
			*smallest = s->value.v;
	}
}

struct pairs_value *pairs_data_answers(const struct pairs_data *d, size_t *n,
				       double *smallest)
{
	const struct rule_input *in = d->in;
	struct list l = {0};

	*smallest = 0;
	for (size_t i = d->base->first; i != LAUNCHES_END; i = in->launches->next[i])
		answers_of(d, &l, &in->state->steps[i], smallest);
	for (size_t i = 0; i < d->n_again; i++)
		answers_of(d, &l, d->again[i].step, smallest);
	*n = l.n;
	return l.v;
}

bool pairs_data_in_last(const struct pairs_data *d, size_t node)
{
	for (size_t i = 0; i < d->last->n_nodes; i++) {
		if (!strcmp(d->last->nodes[i], pairs_data_name(d, node)))
			return true;
	}
	return false;
}
