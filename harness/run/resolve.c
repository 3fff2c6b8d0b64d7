/* SPDX-License-Identifier: Apache-2.0 */
/* Names to addresses, bounded in time: see resolve.h. */
#include "run/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/spawn.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "run/lines.h"

/* Names a child takes, and children at the same time. */
enum { BATCH = 64, MOST_AT_ONCE = 16, MAX_LINE = 4096 };

/* Seconds: how soon *stop is seen. */
static const double heartbeat = 0.25;

struct batch {
	struct resolve *resolve;
	size_t begin, end; /* its names, by number */
	double limit;
	struct lines out;
};

static const char *clean(struct arena *a, const char *text, size_t len)
{
	struct strbuf sb = {0};
	const char *copy;

	utf8_printable(&sb, text, len);
	copy = arena_strdup(a, strbuf_str(&sb));
	strbuf_release(&sb);
	return copy;
}

/* "NAME\tADDRESS ADDRESS" or "NAME\t! why". */
static int take_line(void *ctx, const char *line, size_t len, bool cut, struct err *e)
{
	struct batch *b = ctx;
	struct arena *a = &b->resolve->nodes.arena;
	const char *tab = memchr(line, '\t', len);
	size_t i, rest = tab ? (size_t)(line + len - tab - 1) : 0;
	struct resolve_name *name;

	(void)cut;
	(void)e;
	if (!rest)
		return 0;
	i = names_find(&b->resolve->nodes, arena_strndup(a, line, (size_t)(tab - line)));
	if (i < b->begin || i >= b->end)
		return 0;
	name = &b->resolve->items[i];
	name->why = NULL;
	name->addresses = NULL;
	if (tab[1] == '!')
		name->why = clean(a, tab + 3, rest > 2 ? rest - 2 : 0);
	else
		name->addresses = clean(a, tab + 1, rest);
	return 0;
}

static int batch_output(void *ctx, int fd, const char *data, size_t len)
{
	struct batch *b = ctx;
	struct err none = {0};

	if (fd == 1)
		(void)lines_feed(&b->out, data, len, take_line, b, &none);
	return 0;
}

/* Those without a line: the child hung, or could not ask. */
static void batch_ended(void *ctx, const struct spawn_result *r)
{
	struct batch *b = ctx;
	struct arena *a = &b->resolve->nodes.arena;

	for (size_t i = b->begin; i < b->end; i++) {
		struct resolve_name *name = &b->resolve->items[i];

		if (name->addresses || name->why)
			continue;
		name->hung = r->end == SPAWN_TIMEOUT;
		name->why = name->hung ? arena_printf(a, "no answer after %g s", b->limit)
				       : "the resolver could not be asked";
	}
	lines_release(&b->out);
	free(b);
}

static int start(struct resolve *out, const struct runner *r, struct spawn *s,
		 size_t begin, double limit, struct err *e)
{
	struct batch *b = mem_calloc(1, sizeof(*b));
	struct spawn_command c = {
		.limit = limit, .output = batch_output, .ended = batch_ended, .ctx = b};
	struct arena a = {0};
	struct words w = {0};
	int rc;

	b->resolve = out;
	b->begin = b->end = begin;
	b->limit = limit;
	b->out.max = MAX_LINE;
	words_add(&w, &a, arena_printf(&a, "%s/assay-probe", r->context.bindir));
	words_add(&w, &a, "--resolve");
	for (; b->end < out->nodes.n && b->end < begin + BATCH; b->end++)
		words_add(&w, &a, out->nodes.items[b->end]);
	c.argv = (const char *const *)w.items;
	rc = spawn_start(s, &c, e);
	if (rc)
		free(b);
	arena_release(&a);
	return rc;
}

static int ask(struct resolve *out, const struct runner *r, double limit, struct err *e)
{
	struct spawn *s;
	size_t next = 0;
	int rc = 0;

	if (spawn_open(&s, r->context.run_id, e))
		return -1;
	while (!rc) {
		bool stop = r->stop && *r->stop;

		for (; !rc && !stop && next < out->nodes.n &&
		       spawn_running(s) < MOST_AT_ONCE;
		     next += BATCH)
			rc = start(out, r, s, next, limit, e);
		if (stop)
			spawn_stop(s);
		if (rc || !spawn_running(s))
			break;
		rc = spawn_pump(s, heartbeat, e);
	}
	spawn_close(s);
	return rc;
}

int resolve_nodes(struct resolve *out, const struct runner *r, const char *const *nodes,
		  size_t n, double limit, struct err *e)
{
	memset(out, 0, sizeof(*out));
	if (!r->launcher->preflight || r->context.slurm)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!launcher_is_here(&r->context, nodes[i]))
			(void)names_add(&out->nodes, nodes[i], NULL);
	}
	mem_grow(&out->items, &out->cap, out->nodes.n + 1, sizeof(*out->items));
	return out->nodes.n ? ask(out, r, limit, e) : 0;
}

void resolve_release(struct resolve *r)
{
	names_release(&r->nodes);
	free(r->items);
	memset(r, 0, sizeof(*r));
}

const struct resolve_name *resolve_find(const struct resolve *r, const char *node)
{
	size_t i = names_find(&r->nodes, node);

	return i == NAMES_NONE ? NULL : &r->items[i];
}

static bool is_loopback(const char *address)
{
	return !strncmp(address, "127.", 4) || !strcmp(address, "::1");
}

static void remark(struct words *w, struct arena *a, const char *node,
		   const char *address, const char *other)
{
	if (is_loopback(address))
		words_add(w, a,
			  arena_printf(a,
				       "'%s' resolves to %s, which is this machine: see "
				       "/etc/hosts",
				       node, address));
	else if (other)
		words_add(w, a,
			  arena_printf(a,
				       "'%s' and '%s' have the same address %s: one node "
				       "may be measured twice and another never",
				       other, node, address));
}

/* Of several addresses the first is the one that is used. */
const char **resolve_remarks(const struct resolve *r, struct arena *a, size_t *n)
{
	struct names addresses = {0};
	size_t *owner = mem_calloc(r->nodes.n + 1, sizeof(*owner));
	struct words w = {0};

	for (size_t i = 0; i < r->nodes.n; i++) {
		const char *all = r->items[i].addresses, *first;
		bool fresh;
		size_t k;

		if (!all)
			continue;
		first = arena_strndup(a, all, strcspn(all, " "));
		k = names_add(&addresses, first, &fresh);
		if (fresh)
			owner[k] = i;
		remark(&w, a, r->nodes.items[i], first,
		       fresh ? NULL : r->nodes.items[owner[k]]);
	}
	names_release(&addresses);
	free(owner);
	*n = w.n;
	return w.items;
}
