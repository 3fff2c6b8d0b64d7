/* SPDX-License-Identifier: Apache-2.0 */
/* assay bios show: the settings of each node as they were read. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bios.h"
#include "cmd/judged.h"
#include "record/json.h"
#include "reports/term.h"

enum { MAX_TEXT = 200 };

static json_t *attribute_json(const struct setting *s)
{
	json_t *o = json_object();

	(void)json_object_set_new(o, "current", setting_value_json(&s->current));
	(void)json_object_set_new(o, "pending",
				  s->has_pending ? setting_value_json(&s->pending)
						 : json_null());
	(void)json_object_set_new(o, "state", json_string(setting_state_name(s->state)));
	if (s->shown)
		(void)json_object_set_new(o, "shown", json_clean_string(s->shown));
	if (s->remark)
		(void)json_object_set_new(o, "remark", json_clean_string(s->remark));
	return o;
}

static json_t *job_json(const struct record_bios *r)
{
	json_t *job = r->job ? json_loads(r->job, 0, NULL) : NULL;

	if (json_object_size(job))
		return job;
	json_decref(job);
	return json_null();
}

static json_t *node_json(const struct record_bios *r, const struct settings *s)
{
	json_t *o = json_object(), *attributes = json_object();

	(void)json_object_set_new(o, "node", json_string(r->node));
	(void)json_object_set_new(o, "source", json_string(r->source));
	for (size_t i = 0; i < s->n; i++)
		(void)json_object_set_new(attributes, s->items[i].name,
					  attribute_json(&s->items[i]));
	(void)json_object_set_new(o, "attributes", attributes);
	(void)json_object_set_new(o, "job", job_json(r));
	if (r->chassis)
		(void)json_object_set_new(o, "chassis", json_loads(r->chassis, 0, NULL));
	if (r->error)
		(void)json_object_set_new(o, "error", json_clean_string(r->error));
	if (r->remark)
		(void)json_object_set_new(o, "remark", json_clean_string(r->remark));
	return o;
}

static void add_cell(struct term *t, const char *text, size_t column)
{
	struct strbuf clean = {0};

	term_clean(t, &clean, text, MAX_TEXT);
	term_pad(t, column);
	term_wrap(t, column, strbuf_str(&clean));
	strbuf_release(&clean);
}

static void setting_row(struct term *t, const struct setting *s, size_t widest)
{
	struct strbuf text = {0};

	add_cell(t, s->name, 2);
	bios_add_value(&text, &s->current);
	if (s->has_pending) {
		strbuf_addstr(&text, ", pending: ");
		bios_add_value(&text, &s->pending);
	}
	if (s->state != SETTING_RW)
		strbuf_addf(&text, " (%s)", setting_state_name(s->state));
	if (s->remark)
		strbuf_addf(&text, " (%s)", s->remark);
	add_cell(t, strbuf_str(&text), widest + 4);
	term_end(t);
	strbuf_release(&text);
}

static int by_name(const void *a, const void *b)
{
	const struct setting *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static void node_table(struct term *t, const struct record_bios *r,
		       const struct settings *s)
{
	struct strbuf head = {0};
	size_t widest = 0;

	strbuf_addf(&head, "%s (%s): ", r->node, r->source);
	if (r->error)
		strbuf_addstr(&head, r->error);
	else
		strbuf_addf(&head, "%zu attribute%s", s->n, s->n == 1 ? "" : "s");
	if (r->remark)
		strbuf_addf(&head, "; %s", r->remark);
	add_cell(t, strbuf_str(&head), 0);
	term_end(t);
	for (size_t i = 0; i < s->n; i++) {
		size_t n = strlen(s->items[i].name);

		widest = n > widest && n <= 40 ? n : widest;
	}
	for (size_t i = 0; i < s->n; i++)
		setting_row(t, &s->items[i], widest);
	strbuf_release(&head);
}

int bios_show(struct bios_look *l, struct err *e)
{
	struct report_style style = cmd_style(fileno(stdout));
	int status = 0, rc = 0;
	struct term t;

	term_init(&t, &style);
	for (size_t i = 0; i < l->state.n_bios && !rc; i++) {
		const struct record_bios *r = &l->state.bios[i];
		struct settings s = {0};
		struct arena a = {0};

		(void)bios_look_settings(r, &s, &a);
		if (s.n)
			qsort(s.items, s.n, sizeof(*s.items), by_name);
		if (r->error)
			status = 3;
		if (l->json) {
			json_t *o = node_json(r, &s);
			char *text = json_dumps(o, JSON_ENSURE_ASCII);

			strbuf_addf(&t.out, "%s\n", text);
			free(text);
			json_decref(o);
		} else {
			node_table(&t, r, &s);
		}
		settings_release(&s);
		arena_release(&a);
		rc = judged_put(&t.out, stdout, e);
	}
	term_release(&t);
	return rc ? -1 : status;
}
