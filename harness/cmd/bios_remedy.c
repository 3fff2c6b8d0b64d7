/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay bios remedy: the commands and requests that would put the settings right, nodes
 * with the same ones together. Nothing of it is done here.
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
#include "judge/remedy.h"
#include "record/json.h"
#include "reports/term.h"

enum { MAX_TEXT = 2000 };

static const char system_uri[] = "/redfish/v1/Systems/System.Embedded.1";

/* One step as racadm does it; "" where it has no such command. */
static void racadm(const struct remedy_step *s, struct strbuf *out)
{
	switch (s->kind) {
	case REMEDY_SET:
		strbuf_addf(out, "racadm set BIOS.%s.%s ", s->group ? s->group : "GROUP",
			    s->attribute);
		term_shell_word(out, s->value);
		break;
	case REMEDY_CLEAR:
		strbuf_addstr(out, "racadm clearpending BIOS.Setup.1-1");
		break;
	case REMEDY_JOB:
		strbuf_addstr(out, "racadm jobqueue create BIOS.Setup.1-1");
		break;
	case REMEDY_REBOOT:
		strbuf_addstr(out, "reboot");
		break;
	case REMEDY_NOTE:
		break;
	}
}

struct http_request {
	const char *method;
	char uri[128];
	json_t *body;
};

static void target(struct http_request *q, const char *method, const char *uri)
{
	q->method = method;
	(void)snprintf(q->uri, sizeof(q->uri), "%s%s", system_uri, uri);
}

/*
 * The requests of a round: settings go in one PATCH. @i is moved behind what it takes.
 * False for a note.
 */
static bool redfish(const struct remedy *r, size_t *i, struct http_request *q)
{
	const struct remedy_step *s = &r->steps[*i];
	json_t *values;

	*q = (struct http_request){.body = json_object()};
	switch (s->kind) {
	case REMEDY_SET:
		values = json_object();
		for (; *i < r->n && r->steps[*i].kind == REMEDY_SET &&
		       r->steps[*i].round == s->round;
		     (*i)++) {
			const struct setting_value v = {r->steps[*i].value,
							r->steps[*i].literal};

			(void)json_object_set_new(values, r->steps[*i].attribute,
						  setting_value_json(&v));
		}
		(*i)--;
		target(q, "PATCH", "/Bios/Settings");
		(void)json_object_set_new(q->body, "Attributes", values);
		break;
	case REMEDY_CLEAR:
		target(q, "POST", "/Bios/Settings/Actions/Oem/DellManager.ClearPending");
		break;
	case REMEDY_JOB:
		q->method = "POST";
		(void)snprintf(q->uri, sizeof(q->uri),
			       "/redfish/v1/Managers/iDRAC.Embedded.1/Jobs");
		(void)json_object_set_new(q->body, "TargetSettingsURI",
					  json_sprintf("%s/Bios/Settings", system_uri));
		break;
	case REMEDY_REBOOT:
		target(q, "POST", "/Actions/ComputerSystem.Reset");
		(void)json_object_set_new(q->body, "ResetType",
					  json_string("GracefulRestart"));
		break;
	case REMEDY_NOTE:
		json_decref(q->body);
		return false;
	}
	return true;
}

/* All steps of a node as one text: nodes with the same text go together. */
static void as_text(const struct remedy *r, struct strbuf *out)
{
	struct strbuf line = {0};

	for (size_t i = 0; i < r->n; i++) {
		strbuf_reset(&line);
		racadm(&r->steps[i], &line);
		if (line.len)
			strbuf_addf(out, "  %s\n", strbuf_str(&line));
	}
	for (size_t i = 0; i < r->n; i++) {
		struct http_request q;
		char *body;

		if (!redfish(r, &i, &q))
			continue;
		body = json_dumps(q.body, JSON_COMPACT);
		strbuf_addf(out, "  Redfish: %s %s %s\n", q.method, q.uri, body);
		free(body);
		json_decref(q.body);
	}
	for (size_t i = 0; i < r->n; i++) {
		if (r->steps[i].kind == REMEDY_NOTE)
			strbuf_addf(out, "  # %s\n", r->steps[i].text);
	}
	strbuf_release(&line);
}

static json_t *as_json(const struct bios_node *n, const struct remedy *r)
{
	json_t *steps = json_array(), *requests = json_array(), *notes = json_array();
	struct strbuf line = {0};

	for (size_t i = 0; i < r->n; i++) {
		strbuf_reset(&line);
		racadm(&r->steps[i], &line);
		if (line.len)
			(void)json_array_append_new(steps,
						    json_clean_string(strbuf_str(&line)));
		else
			(void)json_array_append_new(notes,
						    json_clean_string(r->steps[i].text));
	}
	for (size_t i = 0; i < r->n; i++) {
		struct http_request q;

		if (redfish(r, &i, &q))
			(void)json_array_append_new(
				requests, json_pack("{s:s, s:s, s:o}", "method", q.method,
						    "uri", q.uri, "body", q.body));
	}
	strbuf_release(&line);
	return json_pack("{s:s, s:o, s:o, s:o}", "name", n->name, "racadm", steps,
			 "redfish", requests, "notes", notes);
}

/* The lines of a text, wrapped; commands are for copying and stay as they are. */
static void put_lines(struct term *t, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *copy = mem_calloc(len + 1, 1);
		struct strbuf clean = {0};

		memcpy(copy, text, len);
		term_clean(t, &clean, copy, MAX_TEXT);
		strbuf_addf(&t->out, "%s\n", strbuf_str(&clean));
		strbuf_release(&clean);
		free(copy);
		text += len + (text[len] == '\n');
	}
}

static void put_table(struct nodes_groups *groups, struct term *t, struct arena *a)
{
	for (size_t i = 0; i < groups->keys.n; i++) {
		struct nodes_group *g = &groups->items[i];

		qsort(g->names, g->n, sizeof(*g->names), hostlist_compare);
		term_wrapf(t, 0, "%s:", nodes_groups_list(groups, i, a));
		term_end(t);
		put_lines(t, groups->keys.items[i]);
	}
	if (!groups->keys.n) {
		term_wrapf(t, 0, "nothing to change");
		term_end(t);
	}
}

int bios_remedy(struct bios_look *l, struct err *e)
{
	struct report_style style = cmd_style(fileno(stdout));
	struct nodes_groups groups = {0};
	json_t *list = json_array();
	size_t n_unread = 0;
	struct bios_view v;
	struct term t;
	int rc;

	if (!l->profile) {
		json_decref(list);
		return err_set(e, ERR_USAGE,
			       "no profile: --profile, or bmc.profile of the site, says "
			       "what the settings should be");
	}
	term_init(&t, &style);
	bios_view_make(&v, &l->state, l->config);
	for (size_t i = 0; i < v.n; i++) {
		struct strbuf text = {0};
		struct remedy r;

		n_unread += !v.nodes[i].readable;
		remedy_make(&r, &v, &v.nodes[i], &l->config->known);
		if (r.n && l->json)
			(void)json_array_append_new(list, as_json(&v.nodes[i], &r));
		as_text(&r, &text);
		if (r.n)
			(void)nodes_groups_add(&groups, strbuf_str(&text),
					       v.nodes[i].name);
		strbuf_release(&text);
		remedy_release(&r);
	}
	if (l->json) {
		char *text = json_dumps(list, JSON_INDENT(1));

		strbuf_addf(&t.out, "%s\n", text);
		free(text);
	} else {
		put_table(&groups, &t, &l->arena);
	}
	rc = judged_put(&t.out, stdout, e);
	bios_view_release(&v);
	nodes_groups_release(&groups);
	term_release(&t);
	json_decref(list);
	return rc ? -1 : n_unread ? 3 : 0;
}
