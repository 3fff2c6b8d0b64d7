/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of assay-probe: see probe.h. */
#include "cmd/probe.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "assay_build.h"
#include "base/file.h"
#include "base/mem.h"
#include "host/facts.h"

enum { MAX_SAVED = 64 << 20 };

static const char mark[] = "@assay ";

/* The next line of @*text, which moves behind it; false at the end. */
static bool next_line(const char **text, const char *end, const char **line, size_t *len)
{
	const char *nl;

	if (*text >= end)
		return false;
	nl = memchr(*text, '\n', (size_t)(end - *text));
	*line = *text;
	*len = (size_t)((nl ? nl : end) - *text);
	*text = nl ? nl + 1 : end;
	return true;
}

static void keep_facts(struct probe_saved *s, const char *node, const char *text)
{
	bool fresh;
	size_t i = names_add(&s->nodes, node, &fresh);

	mem_grow(&s->facts, &s->cap, i + 1, sizeof(*s->facts));
	json_decref(s->facts[i]);
	s->facts[i] = json_loads(text, 0, NULL);
}

/*
 * One file: the records of one or, put together, of several nodes. For "*" they go by
 * what the nodes call themselves, else there has to be one.
 */
static int load_file(struct probe_saved *s, const struct conf_pair *file, struct err *e)
{
	bool all = !strcmp(file->key, "*");
	struct strbuf text = {0};
	struct arena a = {0};
	const char *at, *line;
	size_t len, n = 0;
	int rc = file_read(&text, file->value, MAX_SAVED, e);

	at = strbuf_str(&text);
	while (!rc && next_line(&at, strbuf_str(&text) + text.len, &line, &len)) {
		struct record r;

		rc = record_decode(line, len, &a, &r, e);
		if (!rc && (r.kind != RECORD_KIND_node || (n && !all)))
			rc = err_set(e, ERR_USAGE, "more than the record of one node");
		n++;
		if (!rc && (!all || r.u.node.host))
			keep_facts(s, all ? r.u.node.host : file->key, r.u.node.facts);
		arena_release(&a);
	}
	if (!rc && !n)
		rc = err_set(e, ERR_USAGE, "no record");
	strbuf_release(&text);
	if (!rc)
		return 0;
	e->kind = ERR_USAGE;
	return err_at(e, "%s: facts '%s', expected what assay-probe --save wrote",
		      file->where, file->value);
}

int probe_saved_load(struct probe_saved *s, const struct site *site, struct err *e)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < site->n_facts; i++) {
		if (load_file(s, &site->facts[i], e))
			return -1;
	}
	return 0;
}

void probe_saved_release(struct probe_saved *s)
{
	for (size_t i = 0; i < s->nodes.n; i++)
		json_decref(s->facts[i]);
	free(s->facts);
	names_release(&s->nodes);
	memset(s, 0, sizeof(*s));
}

size_t probe_words(const char *bindir, bool mask_users, const char *run, struct arena *a,
		   const char *words[PROBE_WORDS])
{
	size_t n = 0;

	words[n++] = arena_printf(a, "%s/assay-probe", bindir);
	words[n++] = "--format";
	words[n++] = "records";
	if (mask_users)
		words[n++] = "--mask-users";
	if (run) {
		words[n++] = "--run";
		words[n++] = run;
	}
	return n;
}

/*
 * What the node's clock is ahead of ours. Its probe cannot have begun before we asked nor
 * ended after we knew of it, so the truth is between two bounds, and the probe's own time
 * plays no part.
 */
static bool add_skew(json_t *facts, const struct reach_result *res)
{
	json_t *clock = json_object_get(facts, "clock");
	const json_t *start = json_object_get(clock, "start");
	const json_t *end = json_object_get(clock, "end");
	double most, least;

	if (!json_is_number(start) || !json_is_number(end) || !(res->wall > 0))
		return false;
	most = json_number_value(start) - (res->wall - res->duration);
	least = json_number_value(end) - res->wall;
	(void)json_object_set_new(clock, "skew", json_real((most + least) / 2));
	(void)json_object_set_new(clock, "uncertainty",
				  json_real(fabs(most - least) / 2));
	return true;
}

/* Adds what @saved knows of the node, by the name asked for or its own. */
static bool complete(const struct probe_saved *saved, const struct record_node *n,
		     json_t *facts)
{
	size_t i = names_find(&saved->nodes, n->node);

	if (i == NAMES_NONE && n->host)
		i = names_find(&saved->nodes, n->host);
	return i != NAMES_NONE && facts_complete(facts, saved->facts[i]) > 0;
}

/* The facts as they go into the journal. */
static const char *finish(const struct reach_result *res, const struct probe_saved *saved,
			  const struct record_node *n, struct arena *a)
{
	json_t *facts = json_loads(n->facts, 0, NULL);
	bool changed = add_skew(facts, res);
	const char *copy = n->facts;
	char *text;

	if (complete(saved, n, facts) || changed) {
		text = json_dumps(facts, JSON_COMPACT | JSON_SORT_KEYS |
						 JSON_REAL_PRECISION(17));
		copy = arena_strdup(a, text);
		free(text);
	}
	json_decref(facts);
	return copy;
}

/* A class becomes the name of a file: what assay-probe would not make is no class. */
static bool is_class(const char *class)
{
	return class && *class && *class != '.' && strlen(class) < 128 &&
	       !class[strspn(class, "abcdefghijklmnopqrstuvwxyz0123456789.-")];
}

/* What is installed there must be what runs here, and must run. */
static const char *unfit(const struct record_node *n, struct arena *a)
{
	if (!n->build || strcmp(n->build, ASSAY_BUILD) != 0)
		return arena_printf(a, "build %.100s, here %s",
				    n->build ? n->build : "unknown", ASSAY_BUILD);
	if (n->broken)
		return arena_printf(a, "cannot run there: %s", n->broken);
	return NULL;
}

const char *probe_read(const struct reach_result *res, const struct probe_saved *saved,
		       struct arena *a, struct record_node *out)
{
	const char *at = res->out, *line;
	bool found = false, whole = false;
	const char *why;
	size_t len;

	if (res->why)
		return arena_printf(a, "%s: %s",
				    res->end == REACH_TRANSPORT ? "unreachable" : "probe",
				    res->why);
	while (next_line(&at, res->out + res->out_len, &line, &len)) {
		struct record r;
		struct err e = {0};

		if (len < sizeof(mark) || memcmp(line, mark, sizeof(mark) - 1) != 0)
			continue; /* a login script's greeting */
		if (record_decode(line + sizeof(mark) - 1, len - (sizeof(mark) - 1), a,
				  &r, &e))
			return arena_printf(a, "the probe's answer is garbled: %.200s",
					    e.msg);
		if (r.kind == RECORD_KIND_node && !found) {
			*out = r.u.node;
			found = true;
		}
		whole = found && r.kind == RECORD_KIND_end && r.u.end.count == 1;
	}
	if (!whole)
		return found ? "the probe's answer is cut off"
			     : "the probe gave no record of the node";
	why = unfit(out, a);
	if (why)
		return why;
	out->node = arena_strdup(a, res->node);
	if (!is_class(out->class))
		out->class = NULL;
	out->facts = finish(res, saved, out, a);
	return NULL;
}
