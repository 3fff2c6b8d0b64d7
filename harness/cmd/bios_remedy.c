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

static const char idrac_system[] = "/redfish/v1/Systems/System.Embedded.1";
static const char idrac[] = "/redfish/v1/Managers/iDRAC.Embedded.1";

/* One step as racadm does it; "" where it has no such command. */
static void racadm(const struct remedy_step *s, struct strbuf *out)
{
	struct strbuf name = {0};

	switch (s->kind) {
	case REMEDY_SET:
		strbuf_addf(&name, "BIOS.%s.%s", s->group ? s->group : "GROUP",
			    s->attribute);
		strbuf_addstr(out, "racadm set ");
		term_shell_word(out, strbuf_str(&name));
		strbuf_addch(out, ' ');
		term_shell_word(out, s->value);
		break;
	case REMEDY_WAIT:
		strbuf_addstr(out, "racadm jobqueue view -i ");
		term_shell_word(out, s->job);
		break;
	case REMEDY_DELETE:
		strbuf_addstr(out, "racadm jobqueue delete -i ");
		term_shell_word(out, s->job);
		break;
	case REMEDY_CLEAR:
		strbuf_addstr(out, "racadm clearpending BIOS.Setup.1-1");
		break;
	case REMEDY_JOB:
		strbuf_addstr(out, "racadm jobqueue create BIOS.Setup.1-1");
		break;
	case REMEDY_REBOOT:
		/* not "reboot", which would be that of whoever types it */
		strbuf_addstr(out, "racadm serveraction powercycle");
		break;
	case REMEDY_NOTE:
		break;
	}
	strbuf_release(&name);
}

/* Where a node's requests go, and in whose way. */
struct target {
	const struct bios_node *node;
	const char *settings, *system; /* paths */
	bool idrac;
};

/* The settings object lies beneath the Bios resource, and this beneath the system. */
static struct target target_of(const struct bios_node *n, struct arena *a)
{
	struct target t = {.node = n, .idrac = n->by_job, .system = idrac_system};
	const char *link = n->record ? n->record->link : NULL;
	const char *bios = link ? strcasestr(link, "/bios") : NULL;

	if (bios)
		t.system = arena_strndup(a, link, (size_t)(bios - link));
	t.settings = link ? link : arena_printf(a, "%s/Bios/Settings", t.system);
	return t;
}

struct http_request {
	const char *method;
	char uri[256];
	json_t *body;
};

static void ask(struct http_request *q, const char *method, const char *base,
		const char *rest)
{
	q->method = method;
	(void)snprintf(q->uri, sizeof(q->uri), "%s%s", base, rest);
}

/* Settings of a round go in one PATCH; @i is moved to the last of them. */
static json_t *settings_of(const struct remedy *r, size_t *i)
{
	int round = r->steps[*i].round;
	json_t *values = json_object();

	for (;
	     *i < r->n && r->steps[*i].kind == REMEDY_SET && r->steps[*i].round == round;
	     (*i)++) {
		const struct setting_value v = {r->steps[*i].value, r->steps[*i].literal};

		(void)json_object_set_new(values, r->steps[*i].attribute,
					  setting_value_json(&v));
	}
	(*i)--;
	return values;
}

/* Only iDRAC has a request for it: elsewhere the present values are written again. */
static json_t *present_values(const struct bios_node *n)
{
	json_t *values = json_object();

	for (size_t i = 0; i < n->n; i++) {
		const struct bios_finding *f = &n->findings[i];

		if (f->result == BIOS_PENDING && f->current.text)
			(void)json_object_set_new(values, f->attribute,
						  setting_value_json(&f->current));
	}
	return values;
}

/* The request for step @i, which is moved behind what it takes; false for a note. */
static bool redfish(const struct remedy *r, const struct target *t, size_t *i,
		    struct http_request *q)
{
	const struct remedy_step *s = &r->steps[*i];

	*q = (struct http_request){.body = json_object()};
	switch (s->kind) {
	case REMEDY_SET:
		ask(q, "PATCH", t->settings, "");
		(void)json_object_set_new(q->body, "Attributes", settings_of(r, i));
		break;
	case REMEDY_WAIT:
		ask(q, "GET", t->idrac ? idrac : "/redfish/v1/JobService", "/Jobs/");
		strncat(q->uri, s->job, sizeof(q->uri) - strlen(q->uri) - 1);
		break;
	case REMEDY_DELETE:
		if (!t->idrac) {
			ask(q, "DELETE", "/redfish/v1/JobService/Jobs/", s->job);
			break;
		}
		ask(q, "POST", idrac,
		    "/Oem/Dell/DellJobService/Actions/DellJobService.DeleteJobQueue");
		(void)json_object_set_new(q->body, "JobID", json_clean_string(s->job));
		break;
	case REMEDY_CLEAR:
		if (t->idrac) {
			ask(q, "POST", t->settings,
			    "/Actions/Oem/DellManager.ClearPending");
			break;
		}
		ask(q, "PATCH", t->settings, "");
		(void)json_object_set_new(q->body, "Attributes", present_values(t->node));
		break;
	case REMEDY_JOB:
		ask(q, "POST", idrac, "/Jobs");
		(void)json_object_set_new(q->body, "TargetSettingsURI",
					  json_string(t->settings));
		break;
	case REMEDY_REBOOT:
		ask(q, "POST", t->system, "/Actions/ComputerSystem.Reset");
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
static void as_text(const struct remedy *r, const struct target *t, struct strbuf *out)
{
	struct strbuf line = {0};

	for (size_t i = 0; t->idrac && i < r->n; i++) {
		strbuf_reset(&line);
		racadm(&r->steps[i], &line);
		if (line.len)
			strbuf_addf(out, "  %s\n", strbuf_str(&line));
	}
	for (size_t i = 0; i < r->n; i++) {
		struct http_request q;
		char *body;

		if (!redfish(r, t, &i, &q))
			continue;
		body = json_dumps(q.body, JSON_COMPACT | JSON_ENSURE_ASCII);
		strbuf_addf(out, "  Redfish: %s %s%s%s\n", q.method, q.uri,
			    json_object_size(q.body) || *q.method == 'P' ? " " : "",
			    json_object_size(q.body) || *q.method == 'P' ? body : "");
		free(body);
		json_decref(q.body);
	}
	for (size_t i = 0; i < r->n; i++) {
		if (r->steps[i].kind == REMEDY_NOTE)
			strbuf_addf(out, "  # %s\n", r->steps[i].text);
	}
	strbuf_release(&line);
}

static json_t *as_json(const struct target *t, const struct remedy *r)
{
	json_t *steps = json_array(), *requests = json_array(), *notes = json_array();
	struct strbuf line = {0};

	for (size_t i = 0; i < r->n; i++) {
		strbuf_reset(&line);
		racadm(&r->steps[i], &line);
		if (line.len && t->idrac)
			(void)json_array_append_new(steps,
						    json_clean_string(strbuf_str(&line)));
		if (r->steps[i].kind == REMEDY_NOTE)
			(void)json_array_append_new(notes,
						    json_clean_string(r->steps[i].text));
	}
	for (size_t i = 0; i < r->n; i++) {
		struct http_request q;

		if (redfish(r, t, &i, &q))
			(void)json_array_append_new(
				requests, json_pack("{s:s, s:s, s:o}", "method", q.method,
						    "uri", q.uri, "body", q.body));
	}
	strbuf_release(&line);
	return json_pack("{s:s, s:o, s:o, s:o}", "name", t->node->name, "racadm", steps,
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
		struct target to = target_of(&v.nodes[i], &l->arena);
		struct strbuf text = {0};
		struct remedy r;

		n_unread += !v.nodes[i].readable;
		remedy_make(&r, &v, &v.nodes[i], &l->config->known);
		if (r.n && l->json)
			(void)json_array_append_new(list, as_json(&to, &r));
		as_text(&r, &to, &text);
		if (r.n)
			(void)nodes_groups_add(&groups, strbuf_str(&text),
					       v.nodes[i].name);
		strbuf_release(&text);
		remedy_release(&r);
	}
	if (l->json) {
		char *text = json_dumps(list, JSON_INDENT(1) | JSON_ENSURE_ASCII);

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
