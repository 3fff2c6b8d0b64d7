/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of nodes from saved files: see bios.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cmd/bios.h"
#include "cmd/choose.h"
#include "config/hostlist.h"

/* Nodes that were asked for by name. */
struct asked {
	const char **nodes;
	size_t n;
	struct names index;
	bool all; /* each of them should have a file */
};

/*
 * The command line names nodes, or the site does. A folder is all there is of a site;
 * single files are just what they are.
 */
static int find_asked(struct asked *a, struct bios_look *l, const struct bios_files *f,
		      struct err *e)
{
	const struct slurm none = {0};
	bool named = l->args->nodes || l->args->hostfile;

	a->all = named || f->folders;
	if (!named && !l->site.n_nodes)
		return 0;
	if (choose_nodes(&l->site, &none, l->args->nodes, l->args->hostfile, &l->arena,
			 &a->nodes, &a->n, e))
		return -1;
	for (size_t i = 0; i < a->n; i++)
		(void)names_add(&a->index, a->nodes[i], NULL);
	return 0;
}

static void say(const char *fmt, const char *text)
{
	struct strbuf clean = {0};

	utf8_printable(&clean, text, strlen(text));
	(void)fprintf(stderr, fmt, strbuf_str(&clean));
	strbuf_release(&clean);
}

/* Files of other nodes: left out where nodes were named, else only remarked. */
static void say_others(const struct asked *a, const struct bios_files *f,
		       struct arena *arena)
{
	const char **others = arena_alloc(arena, f->nodes.n + 1, sizeof(*others));
	struct strbuf list = {0};
	size_t n = 0;

	for (size_t i = 0; a->n && i < f->nodes.n; i++) {
		if (names_find(&a->index, f->nodes.items[i]) == NAMES_NONE)
			others[n++] = f->nodes.items[i];
	}
	if (n) {
		qsort(others, n, sizeof(*others), hostlist_compare);
		hostlist_fold(&list, others, n);
		say(a->all ? "left out, not among the nodes asked for: %s\n"
			   : "not among the nodes of the site: %s\n",
		    strbuf_str(&list));
	}
	strbuf_release(&list);
}

static int read_node(struct bios_look *l, const char *node,
		     const struct bios_files_node *files, struct err *e)
{
	struct bios_reading readings[BIOS_FILES_READINGS];
	const char *name = arena_strdup(&l->arena, node);
	size_t n = bios_files_read(files, readings);
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		rc = rc ? rc : bios_look_put(l, name, &readings[i], e);
		bios_reading_release(&readings[i]);
	}
	return rc;
}

static int read_all(struct bios_look *l, const struct bios_files *f,
		    const struct asked *a, struct err *e)
{
	const bool some = a->n && a->all;
	const char **nodes = some ? a->nodes : f->nodes.items;
	size_t n = some ? a->n : f->nodes.n;
	int rc = bios_look_plan(l, nodes, n, e);

	for (size_t i = 0; i < n && !rc; i++) {
		size_t at = names_find(&f->nodes, nodes[i]);

		rc = at == NAMES_NONE
			     ? bios_look_missing(l, nodes[i], "file", BIOS_FILES_NONE, e)
			     : read_node(l, nodes[i], &f->items[at], e);
	}
	return rc;
}

int bios_look_files(struct bios_look *l, char **words, int n, struct err *e)
{
	struct bios_files files = {0};
	struct asked asked = {0};
	int rc = 0;

	for (int i = 0; i < n && !rc; i++)
		rc = bios_files_add(&files, words[i], e);
	for (size_t i = 0; i < files.n_skipped; i++)
		say("skipped %s\n", files.skipped[i]);
	if (!rc)
		rc = find_asked(&asked, l, &files, e);
	if (!rc) {
		say_others(&asked, &files, &l->arena);
		rc = read_all(l, &files, &asked, e);
	}
	names_release(&asked.index);
	bios_files_release(&files);
	return rc;
}
