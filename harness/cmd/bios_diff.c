/* SPDX-License-Identifier: Apache-2.0 */
/* assay bios diff: attributes that nodes do not have alike, by value, and who has them.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/bios.h"
#include "cmd/judged.h"
#include "cmd/nodes.h"
#include "config/hostlist.h"
#include "judge/judge_config.h"
#include "record/json.h"
#include "reports/term.h"

enum { MAX_TEXT = 400 };

static const char absent[] = "(absent)", os_source[] = "os";

/* Values of one attribute, and who has each. */
struct attribute {
	struct nodes_groups values;
	size_t n; /* nodes that have it */
};

struct diff {
	struct bios_look *l;
	struct arena arena;
	struct names names;
	struct attribute *items; /* by number of the name */
	size_t cap;
	struct settings *nodes; /* of each record */
	struct names by_bios;   /* nodes of which there is more than the system's view */
	size_t n_readable;
};

static bool counts(const struct diff *d, const char *name)
{
	return d->l->args->all || bios_known_counts(&d->l->config->known, name);
}

/* What waits is a difference, too: after the next restart it is one in any case. */
static void add_pending(struct strbuf *value, const struct setting *s)
{
	struct strbuf text = {0};

	if (!s->has_pending)
		return;
	bios_add_value(&text, &s->pending);
	if (strcmp(strbuf_str(&text), strbuf_str(value)) != 0)
		strbuf_addf(value, ", pending: %s", strbuf_str(&text));
	strbuf_release(&text);
}

static void add_node(struct diff *d, const struct record_bios *r, struct settings *s)
{
	if (r->error || (!strcmp(r->source, os_source) &&
			 names_find(&d->by_bios, r->node) != NAMES_NONE))
		return;
	if (bios_look_settings(r, s, &d->arena))
		return;
	d->n_readable++;
	for (size_t i = 0; i < s->n; i++) {
		const struct setting *item = &s->items[i];
		struct strbuf value = {0};
		size_t at;

		if (!counts(d, item->name))
			continue;
		at = names_add(&d->names, item->name, NULL);
		mem_grow(&d->items, &d->cap, at + 1, sizeof(*d->items));
		bios_add_value(&value, &item->current);
		add_pending(&value, item);
		(void)nodes_groups_add(&d->items[at].values, strbuf_str(&value), r->node);
		d->items[at].n++;
		strbuf_release(&value);
	}
}

/* Those that do not have what others have. */
static void add_absent(struct diff *d)
{
	for (size_t i = 0; i < d->names.n; i++) {
		struct attribute *a = &d->items[i];

		if (a->n == d->n_readable)
			continue;
		for (size_t k = 0; k < d->l->state.n_bios; k++) {
			const struct record_bios *r = &d->l->state.bios[k];

			if (d->nodes[k].n &&
			    !settings_find(&d->nodes[k], d->names.items[i]))
				(void)nodes_groups_add(&a->values, absent, r->node);
		}
	}
}

static void sort(struct attribute *a)
{
	for (size_t i = 0; i < a->values.keys.n; i++)
		qsort(a->values.items[i].names, a->values.items[i].n,
		      sizeof(*a->values.items[i].names), hostlist_compare);
}

static void put_table(struct diff *d, struct term *t, size_t i)
{
	struct attribute *a = &d->items[i];
	struct strbuf text = {0};

	term_clean(t, &text, d->names.items[i], MAX_TEXT);
	term_wrap(t, 0, strbuf_str(&text));
	term_end(t);
	for (size_t k = 0; k < a->values.keys.n; k++) {
		strbuf_reset(&text);
		term_clean(t, &text, a->values.keys.items[k], MAX_TEXT);
		strbuf_addstr(&text, "  on ");
		term_clean(t, &text, nodes_groups_list(&a->values, k, &d->arena),
			   MAX_TEXT);
		term_pad(t, 4);
		term_wrap(t, 8, strbuf_str(&text));
		term_end(t);
	}
	strbuf_release(&text);
}

/*
 * An attribute that all who have it have alike: boards and sources of two kinds differ in
 * hundreds of these, so they are put together by who has them.
 */
static bool add_one_sided(struct diff *d, struct nodes_groups *sides, size_t i)
{
	const struct attribute *a = &d->items[i];
	const size_t last = a->values.keys.n - 1;
	const char *key;

	if (last != 1 || strcmp(a->values.keys.items[last], absent) != 0)
		return false;
	key = arena_printf(&d->arena, "on %s, not on %s",
			   nodes_groups_list(&a->values, 0, &d->arena),
			   nodes_groups_list(&a->values, last, &d->arena));
	(void)nodes_groups_add(sides, key, d->names.items[i]);
	return true;
}

static void put_one_sided(const struct nodes_groups *sides, struct term *t)
{
	struct strbuf text = {0};

	for (size_t i = 0; i < sides->keys.n; i++) {
		strbuf_reset(&text);
		term_clean(t, &text, sides->keys.items[i], 2 * (size_t)MAX_TEXT);
		strbuf_addstr(&text, ": ");
		for (size_t k = 0; k < sides->items[i].n; k++) {
			strbuf_addstr(&text, k ? ", " : "");
			term_clean(t, &text, sides->items[i].names[k], MAX_TEXT);
		}
		term_wrap(t, 4, strbuf_str(&text));
		term_end(t);
	}
	strbuf_release(&text);
}

static json_t *attribute_json(const struct diff *d, size_t i)
{
	const struct attribute *a = &d->items[i];
	json_t *o = json_object(), *values = json_array();

	for (size_t k = 0; k < a->values.keys.n; k++) {
		json_t *nodes = json_array();

		for (size_t n = 0; n < a->values.items[k].n; n++)
			(void)json_array_append_new(
				nodes, json_string(a->values.items[k].names[n]));
		(void)json_array_append_new(
			values, json_pack("{s:o, s:o}", "value",
					  json_clean_string(a->values.keys.items[k]),
					  "nodes", nodes));
	}
	(void)json_object_set_new(o, "attribute", json_clean_string(d->names.items[i]));
	(void)json_object_set_new(o, "values", values);
	return o;
}

/* What cannot be read is said: it may differ in everything. */
static bool put_unreadable(const struct diff *d, struct term *t, json_t *list)
{
	bool any = false;

	for (size_t i = 0; i < d->l->state.n_bios; i++) {
		const struct record_bios *r = &d->l->state.bios[i];
		struct strbuf text = {0};

		if (!r->error)
			continue;
		any = true;
		strbuf_addf(&text, "%s: UNREADABLE: ", r->node);
		term_clean(t, &text, r->error, MAX_TEXT);
		if (list) {
			(void)json_array_append_new(list,
						    json_clean_string(strbuf_str(&text)));
		} else {
			term_wrap(t, 0, strbuf_str(&text));
			term_end(t);
		}
		strbuf_release(&text);
	}
	return any;
}

static void put_alike(const struct diff *d, struct term *t)
{
	if (!d->n_readable)
		term_wrapf(t, 0, "no settings were read: there is nothing to compare");
	else
		term_wrapf(t, 0, "%zu node%s, %zu attribute%s: %s", d->n_readable,
			   d->n_readable == 1 ? "" : "s", d->names.n,
			   d->names.n == 1 ? "" : "s",
			   d->n_readable == 1 ? "there is no other to compare it with"
					      : "no difference");
	term_end(t);
}

/* 0 all alike, 1 something differs, 3 something could not be read. */
static int put(struct diff *d, struct err *e)
{
	struct report_style style = cmd_style(fileno(stdout));
	json_t *o = d->l->json ? json_object() : NULL, *list = json_array(),
	       *unreadable = json_array();
	struct nodes_groups sides = {0};
	bool differ = false, unknown;
	struct term t;
	int rc;

	term_init(&t, &style);
	for (size_t i = 0; i < d->names.n; i++) {
		if (d->items[i].values.keys.n < 2)
			continue;
		differ = true;
		sort(&d->items[i]);
		if (o)
			(void)json_array_append_new(list, attribute_json(d, i));
		else if (!add_one_sided(d, &sides, i))
			put_table(d, &t, i);
	}
	put_one_sided(&sides, &t);
	nodes_groups_release(&sides);
	unknown = put_unreadable(d, &t, o ? unreadable : NULL);
	if (o) {
		char *text;

		(void)json_object_set(o, "differ", list);
		(void)json_object_set(o, "unreadable", unreadable);
		text = json_dumps(o, JSON_INDENT(1) | JSON_ENSURE_ASCII);
		strbuf_addf(&t.out, "%s\n", text);
		free(text);
	} else if (!differ) {
		put_alike(d, &t);
	}
	rc = judged_put(&t.out, stdout, e);
	term_release(&t);
	json_decref(o);
	json_decref(list);
	json_decref(unreadable);
	return rc ? -1 : differ ? 1 : unknown ? 3 : 0;
}

int bios_diff(struct bios_look *l, struct err *e)
{
	struct diff d = {.l = l};
	int status;

	d.nodes = mem_calloc(l->state.n_bios, sizeof(*d.nodes));
	for (size_t i = 0; i < l->state.n_bios; i++) {
		if (strcmp(l->state.bios[i].source, os_source) != 0)
			(void)names_add(&d.by_bios, l->state.bios[i].node, NULL);
	}
	for (size_t i = 0; i < l->state.n_bios; i++)
		add_node(&d, &l->state.bios[i], &d.nodes[i]);
	add_absent(&d);
	status = put(&d, e);
	for (size_t i = 0; i < l->state.n_bios; i++)
		settings_release(&d.nodes[i]);
	for (size_t i = 0; i < d.names.n; i++)
		nodes_groups_release(&d.items[i].values);
	free(d.nodes);
	free(d.items);
	names_release(&d.names);
	names_release(&d.by_bios);
	arena_release(&d.arena);
	return status;
}
