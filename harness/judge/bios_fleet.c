/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The odd ones out: each attribute of like nodes (same model, same source) has a usual
 * value when more than half of three or more have it. One pass over the settings and one
 * over the counts, whatever the number of nodes. What a profile wants is left to it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "config/hostlist.h"
#include "judge/bios.h"

enum { LEAST_LIKE = 3, MOST_REMARKS = 10, MOST_VALUES = 6, MOST_NAMED = 200 };

static const char model[] = "SystemModelName";

/* One value of one attribute in one group. */
struct value {
	size_t n; /* nodes that have it */
	uint32_t attribute;
	const char *text; /* in names */
};

/* One attribute in one group. */
struct kind {
	const char *name;
	size_t n; /* nodes that have it */
	size_t group;
	uint32_t usual; /* value that most have, by number */
	size_t distinct;
};

struct fleet {
	struct bios_view *v;
	const struct bios_known *known;
	struct names attributes; /* of any group: does it count? */
	bool *counts;
	size_t cap_counts;
	struct names groups, kinds, values;
	size_t *group_n;
	size_t cap_groups;
	struct kind *kind;
	size_t cap_kinds;
	struct value *value;
	size_t cap_values;
	struct strbuf key;
};

struct fleet *fleet_open(struct bios_view *v, const struct bios_known *known)
{
	struct fleet *f = mem_calloc(1, sizeof(*f));

	f->v = v;
	f->known = known;
	return f;
}

static bool is_profiles(const struct bios_view *v, const char *name)
{
	for (size_t i = 0; v->profile && i < v->profile->n; i++) {
		if (!strcmp(v->profile->attributes[i].name, name))
			return true;
	}
	return false;
}

/* Asked once for a name: there are patterns to be tried. */
static bool counts(struct fleet *f, const char *name)
{
	bool fresh;
	size_t i = names_add(&f->attributes, name, &fresh);

	if (fresh) {
		mem_grow(&f->counts, &f->cap_counts, i + 1, sizeof(*f->counts));
		f->counts[i] =
			bios_known_counts(f->known, name) && !is_profiles(f->v, name);
	}
	return f->counts[i];
}

/* Sources do not all read the same attributes. */
static size_t group_of(struct fleet *f, const struct bios_node *n,
		       const struct settings *own)
{
	const struct setting *s = settings_find(own, model);
	bool fresh;
	size_t i;

	strbuf_reset(&f->key);
	strbuf_addf(&f->key, "%s ", n->source);
	if (s)
		bios_add_value(&f->key, &s->current);
	i = names_add_n(&f->groups, f->key.buf, f->key.len, &fresh);
	mem_grow(&f->group_n, &f->cap_groups, i + 1, sizeof(*f->group_n));
	f->group_n[i]++;
	return i;
}

static size_t kind_of(struct fleet *f, size_t group, const char *name)
{
	bool fresh;
	size_t i;

	strbuf_reset(&f->key);
	strbuf_add(&f->key, &group, sizeof(group));
	/* a group's number may hold NUL: its bytes are made letters */
	for (size_t k = 0; k < sizeof(group); k++)
		f->key.buf[k] = (char)('@' + (group >> (6 * k) & 63));
	strbuf_addstr(&f->key, name);
	i = names_add_n(&f->kinds, f->key.buf, f->key.len, &fresh);
	if (fresh) {
		mem_grow(&f->kind, &f->cap_kinds, i + 1, sizeof(*f->kind));
		f->kind[i] = (struct kind){.name = f->kinds.items[i] + sizeof(group),
					   .group = group};
	}
	return i;
}

static uint32_t value_of(struct fleet *f, size_t kind, const struct setting_value *v)
{
	bool fresh;
	size_t i, head;

	strbuf_reset(&f->key);
	strbuf_addf(&f->key, "%zu ", kind);
	head = f->key.len;
	bios_add_value(&f->key, v);
	i = names_add_n(&f->values, f->key.buf, f->key.len, &fresh);
	if (fresh) {
		mem_grow(&f->value, &f->cap_values, i + 1, sizeof(*f->value));
		f->value[i] = (struct value){.attribute = (uint32_t)kind,
					     .text = f->values.items[i] + head};
		f->kind[kind].distinct++;
	}
	return (uint32_t)i;
}

void fleet_add(struct fleet *f, struct bios_node *n, const struct settings *own)
{
	n->values = mem_calloc(own->n, sizeof(*n->values));
	n->group = group_of(f, n, own);
	for (size_t i = 0; i < own->n; i++) {
		const struct setting *s = &own->items[i];
		size_t kind;
		uint32_t v;

		if (!counts(f, s->name))
			continue;
		kind = kind_of(f, n->group, s->name);
		v = value_of(f, kind, &s->current);
		f->kind[kind].n++;
		f->value[v].n++;
		n->values[n->n_values++] = v;
	}
}

/* Like nodes without the attribute; a usual value may also be not to have it. */
static size_t without(const struct fleet *f, const struct kind *k)
{
	return f->group_n[k->group] - k->n;
}

static bool is_usual(const struct fleet *f, const struct kind *k, size_t n)
{
	size_t like = f->group_n[k->group];

	return like >= LEAST_LIKE && 2 * n > like;
}

static void add_odd(struct fleet *f, struct bios_node *n, const struct kind *k,
		    const struct value *own)
{
	const struct value *usual = &f->value[k->usual];
	struct setting s = {.name = k->name};
	struct bios_finding *o;

	s.current.text = own ? own->text : NULL;
	o = bios_add(f->v, n, BIOS_ODD, &s);
	o->absent = !own;
	o->like_n = f->group_n[k->group];
	if (is_usual(f, k, usual->n)) {
		o->usual = arena_strdup(&f->v->arena, usual->text);
		o->usual_n = usual->n;
	} else {
		o->usual_n = without(f, k);
	}
}

/* The node's own values first, then what all others have and it has not. */
static void find_odd(struct fleet *f, struct bios_node *n, uint32_t *seen, uint32_t mark)
{
	for (size_t i = 0; i < n->n_values; i++) {
		const struct value *own = &f->value[n->values[i]];
		const struct kind *k = &f->kind[own->attribute];

		seen[own->attribute] = mark;
		if ((is_usual(f, k, f->value[k->usual].n) && k->usual != n->values[i]) ||
		    is_usual(f, k, without(f, k)))
			add_odd(f, n, k, own);
	}
	for (size_t i = 0; i < f->kinds.n; i++) {
		const struct kind *k = &f->kind[i];

		if (k->group == n->group && seen[i] != mark &&
		    is_usual(f, k, f->value[k->usual].n))
			add_odd(f, n, k, NULL);
	}
}

static void add_value(const struct fleet *f, struct strbuf *out, uint32_t value)
{
	const char **names = mem_calloc(f->value[value].n + 1, sizeof(*names));
	struct strbuf list = {0};
	size_t n = 0;

	for (size_t i = 0; i < f->v->n; i++) {
		const struct bios_node *node = &f->v->nodes[i];

		for (size_t k = 0; k < node->n_values; k++) {
			if (node->values[k] == value && n < f->value[value].n)
				names[n++] = node->name;
		}
	}
	hostlist_fold(&list, names, n);
	strbuf_addf(out, "%s on %.*s", f->value[value].text, MOST_NAMED,
		    strbuf_str(&list));
	strbuf_release(&list);
	free(names);
}

/* An attribute that nobody can be called odd for. */
static void remark(struct fleet *f, size_t kind)
{
	struct bios_view *v = f->v;
	struct strbuf text = {0};
	size_t n = 0;

	if (v->n_remarks == MOST_REMARKS)
		return;
	strbuf_addf(&text, "BIOS: %s has no usual value: ", f->kind[kind].name);
	for (size_t i = 0; i < f->values.n && n <= MOST_VALUES; i++) {
		if (f->value[i].attribute != kind)
			continue;
		strbuf_addstr(&text, n ? ", " : "");
		if (n++ < MOST_VALUES)
			add_value(f, &text, (uint32_t)i);
		else
			strbuf_addstr(&text, "...");
	}
	mem_grow(&v->remarks, &v->cap_remarks, v->n_remarks + 1, sizeof(*v->remarks));
	v->remarks[v->n_remarks++] = arena_strdup(&v->arena, strbuf_str(&text));
	strbuf_release(&text);
}

static void find_usual(struct fleet *f)
{
	for (size_t i = 0; i < f->values.n; i++) {
		struct kind *k = &f->kind[f->value[i].attribute];

		if (f->value[k->usual].attribute != f->value[i].attribute ||
		    f->value[i].n > f->value[k->usual].n)
			k->usual = (uint32_t)i;
	}
	for (size_t i = 0; i < f->kinds.n; i++) {
		const struct kind *k = &f->kind[i];

		if (k->distinct > 1 && !is_usual(f, k, f->value[k->usual].n) &&
		    !is_usual(f, k, without(f, k)))
			remark(f, i);
	}
}

void fleet_close(struct fleet *f)
{
	uint32_t *seen = mem_calloc(f->kinds.n + 1, sizeof(*seen));

	find_usual(f);
	for (size_t i = 0; i < f->v->n; i++) {
		if (f->v->nodes[i].values)
			find_odd(f, &f->v->nodes[i], seen, (uint32_t)i + 1);
	}
	free(seen);
	f->v->like = f->group_n;
	names_release(&f->attributes);
	names_release(&f->groups);
	names_release(&f->kinds);
	names_release(&f->values);
	free(f->counts);
	free(f->kind);
	free(f->value);
	strbuf_release(&f->key);
	free(f);
}
