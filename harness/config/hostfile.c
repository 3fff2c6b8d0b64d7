/* SPDX-License-Identifier: Apache-2.0 */
/* Hostfiles: see hostfile.h. */
#include "config/hostfile.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/suggest.h"
#include "config/hostlist.h"

enum { MAX_FILE = 64 << 20, MAX_SLOTS = 1000000 };

struct reader {
	struct hostfile *h;
	struct names seen; /* their numbers are indices into h->nodes */
	const char *path;
	int line;
	char *start, *p; /* the line at hand, and where we are in it */
	struct err *e;
};

/* What a line says about its names; 0: nothing. */
struct slots {
	int slots, max_slots;
};

static int complain(const struct reader *r, const char *at)
{
	err_at(r->e, "%s:%d:%d", r->path, r->line, (int)(at - r->start) + 1);
	return err_clean(r->e);
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static void skip_blanks(struct reader *r)
{
	while (blank(*r->p))
		r->p++;
}

/* Cuts out the word that ends at a blank, at '=' or at the end. */
static char *word(struct reader *r, char *ended_by)
{
	char *from = r->p;

	while (*r->p && !blank(*r->p) && *r->p != '=')
		r->p++;
	*ended_by = *r->p;
	if (*r->p)
		*r->p++ = '\0';
	return from;
}

static int count(const struct reader *r, const char *text, int *value)
{
	char *end;
	long v = strtol(text, &end, 10);

	if (end == text || *end || *text == '+' || v < 1 || v > MAX_SLOTS) {
		err_set(r->e, ERR_USAGE, "bad number of slots '%.40s', expected 1 to %d",
			text, MAX_SLOTS);
		return complain(r, text);
	}
	*value = (int)v;
	return 0;
}

/* "key=value" or, as Open MPI allows, "key = value". */
static int setting(struct reader *r, struct slots *s)
{
	static const char *const keys[] = {"slots", "max_slots", "max-slots"};
	char ended_by, *key = word(r, &ended_by), *value;
	const char *near = suggest(key, keys, 3);
	bool max = key[0] == 'm';

	if (!near || strcmp(near, key) != 0) {
		err_set(r->e, ERR_USAGE, "unknown word '%.64s', %s%s%s", key,
			near ? "did you mean '" : "expected slots=N or max_slots=N",
			near ? near : "", near ? "'?" : "");
		return complain(r, key);
	}
	skip_blanks(r);
	if (ended_by != '=' && *r->p == '=')
		r->p++;
	else if (ended_by != '=') {
		err_set(r->e, ERR_USAGE, "expected '=' after '%s'", key);
		return complain(r, r->p);
	}
	skip_blanks(r);
	value = word(r, &ended_by);
	if (max ? s->max_slots : s->slots) {
		err_set(r->e, ERR_USAGE, "'%s' is there twice", key);
		return complain(r, key);
	}
	return count(r, value, max ? &s->max_slots : &s->slots);
}

static void add(struct reader *r, const char *name, const struct slots *s)
{
	struct hostfile *h = r->h;
	bool fresh;
	size_t i = names_add(&r->seen, name, &fresh);
	struct hostfile_node *node;

	if (fresh) {
		mem_grow(&h->nodes, &h->cap, i + 1, sizeof(*h->nodes));
		h->nodes[i].name = name;
		h->nodes[i].line = r->line;
		h->n = i + 1;
	}
	node = &h->nodes[i];
	node->listed++;
	node->slots += s->slots;
	node->max_slots += s->max_slots;
	if (node->slots > MAX_SLOTS)
		node->slots = MAX_SLOTS;
	if (node->max_slots > MAX_SLOTS)
		node->max_slots = MAX_SLOTS;
}

/* The line without comment and line end, NUL-terminated. */
static int line(struct reader *r)
{
	struct slots s = {0};
	const char **names;
	char ended_by, *hosts, *colon;
	size_t n;

	skip_blanks(r);
	if (!*r->p)
		return 0;
	hosts = word(r, &ended_by);
	colon = strrchr(hosts, ':');
	if (colon) {
		*colon = '\0';
		if (count(r, colon + 1, &s.slots))
			return -1;
	}
	if (hostlist_expand(&r->h->arena, hosts, &names, &n, r->e))
		return complain(r, hosts);
	if (ended_by == '=') {
		err_set(r->e, ERR_USAGE, "expected a node name before '='");
		return complain(r, hosts);
	}
	for (skip_blanks(r); *r->p; skip_blanks(r)) {
		if (setting(r, &s))
			return -1;
	}
	if (s.max_slots && s.slots > s.max_slots) {
		err_set(r->e, ERR_USAGE, "%d slots, but at most %d", s.slots,
			s.max_slots);
		return complain(r, hosts);
	}
	for (size_t i = 0; i < n; i++)
		add(r, names[i], &s);
	if (r->h->n > HOSTLIST_MAX_NAMES) {
		err_set(r->e, ERR_USAGE, "more than %d names", HOSTLIST_MAX_NAMES);
		return complain(r, hosts);
	}
	return 0;
}

static int lines(struct reader *r, char *text, size_t len)
{
	char *end = text + len;

	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) /* a mark some editors write */
		text += 3;
	for (char *next; text < end; text = next) {
		char *stop = memchr(text, '\n', (size_t)(end - text));

		next = stop ? stop + 1 : end;
		if (!stop)
			stop = end; /* the buffer has a NUL there */
		*stop = '\0';
		if (stop > text && stop[-1] == '\r')
			*--stop = '\0';
		r->line++;
		r->start = r->p = text;
		if (strlen(text) != (size_t)(stop - text)) {
			err_set(r->e, ERR_USAGE, "not a text file");
			return complain(r, text + strlen(text));
		}
		text[strcspn(text, "#")] = '\0';
		if (line(r))
			return -1;
	}
	return 0;
}

static void remark(struct hostfile *h)
{
	const struct hostfile_node *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++) {
		if (h->nodes[i].listed < 2)
			continue;
		n++;
		if (!first)
			first = &h->nodes[i];
	}
	if (n)
		h->remark = arena_printf(&h->arena,
					 "%zu %s listed more than once and counted once "
					 "('%s' %d times)",
					 n, n == 1 ? "name is" : "names are", first->name,
					 first->listed);
}

int hostfile_parse(struct hostfile *h, const char *text, size_t len, const char *path,
		   struct err *e)
{
	struct reader r = {.h = h, .path = path, .e = e};
	char *copy = arena_strndup(&h->arena, text, len);
	int rc = lines(&r, copy, len);

	names_release(&r.seen);
	if (rc)
		return rc;
	if (!h->n) {
		err_set(e, ERR_USAGE, "%s: no node names in it", path);
		return err_clean(e);
	}
	remark(h);
	return 0;
}

int hostfile_read(struct hostfile *h, const char *path, struct err *e)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	struct strbuf text = {0};
	int rc;

	rc = is_stdin ? file_read_fd(&text, STDIN_FILENO, name, MAX_FILE, e)
		      : file_read(&text, path, MAX_FILE, e);
	if (rc) {
		e->kind = ERR_USAGE; /* a wrong argument, not a sick machine */
		(void)err_clean(e);
	} else {
		rc = hostfile_parse(h, strbuf_str(&text), text.len, name, e);
	}
	strbuf_release(&text);
	return rc;
}

void hostfile_release(struct hostfile *h)
{
	free(h->nodes);
	arena_release(&h->arena);
	memset(h, 0, sizeof(*h));
}
