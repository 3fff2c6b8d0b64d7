/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of assay-probe: see probe.h. */
#include "cmd/probe.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

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

void probe_words(const char *bindir, struct arena *a, const char *words[PROBE_WORDS])
{
	words[0] = arena_printf(a, "%s/assay-probe", bindir);
	words[1] = "--format";
	words[2] = "records";
}

/* @facts with what @saved knows of the node, by the name asked for or its own. */
static const char *complete(const struct probe_saved *saved, const struct record_node *n,
			    struct arena *a)
{
	size_t i = names_find(&saved->nodes, n->node);
	json_t *facts;
	char *text;
	const char *copy = n->facts;

	if (i == NAMES_NONE && n->host)
		i = names_find(&saved->nodes, n->host);
	if (i == NAMES_NONE)
		return copy;
	facts = json_loads(n->facts, 0, NULL);
	if (facts_complete(facts, saved->facts[i]) > 0) {
		text = json_dumps(facts, JSON_COMPACT | JSON_REAL_PRECISION(17));
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

const char *probe_read(const struct reach_result *res, const struct probe_saved *saved,
		       struct arena *a, struct record_node *out)
{
	const char *at = res->out, *line;
	bool found = false, whole = false;
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
	out->node = arena_strdup(a, res->node);
	if (!is_class(out->class))
		out->class = NULL;
	out->facts = complete(saved, out, a);
	return NULL;
}
