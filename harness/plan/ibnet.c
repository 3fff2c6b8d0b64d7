/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of ibnetdiscover: see ibnet.h. */
#include "plan/ibnet.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/node_name.h"

/* The text being read; groups are numbered by the switches' identities. */
struct reader {
	struct arena *a;
	struct names switches, nodes, labels;
	struct site_group *groups;
	size_t *cap, n_cap, cap_groups;
	const char *bad; /* the first name that is none */
};

static const char *between(const char *line, char from, char to, size_t *len)
{
	const char *start = strchr(line, from), *end;

	if (!start)
		return NULL;
	start++;
	end = strchr(start, to);
	if (!end)
		return NULL;
	while (start < end && isspace((unsigned char)*start))
		start++;
	while (end > start && isspace((unsigned char)end[-1]))
		end--;
	*len = (size_t)(end - start);
	return start;
}

/* What a description calls a switch, as the name of a group: letters, digits, - _ . */
static const char *label(struct reader *r, const char *text, size_t len, const char *guid)
{
	char *name = arena_strndup(r->a, text, len);
	bool fresh = true;

	for (char *p = name; *p; p++) {
		if (!isalnum((unsigned char)*p) && !strchr("-_.", *p))
			*p = '_';
	}
	if (*name)
		(void)names_add(&r->labels, name, &fresh);
	return *name && fresh ? name : guid;
}

/* An adapter called @node is behind the switch @guid, called @text. */
static void link(struct reader *r, const char *guid, const char *text, size_t len,
		 const char *node, size_t node_len)
{
	bool fresh;
	size_t k = names_add(&r->switches, guid, &fresh);
	struct site_group *g;
	char *name;

	node_len =
		strcspn(node, " \t'\"") < node_len ? strcspn(node, " \t'\"") : node_len;
	name = arena_strndup(r->a, node, node_len);
	mem_grow(&r->groups, &r->cap_groups, r->switches.n, sizeof(*r->groups));
	mem_grow(&r->cap, &r->n_cap, r->switches.n, sizeof(*r->cap));
	g = &r->groups[k];
	if (fresh)
		g->name = label(r, text, len, arena_strdup(r->a, guid));
	if (!node_name_valid(name)) {
		r->bad = r->bad ? r->bad : name;
		return;
	}
	(void)names_add(&r->nodes, name, &fresh);
	if (!fresh)
		return;
	mem_grow(&g->nodes, &r->cap[k], g->n_nodes + 1, sizeof(*g->nodes));
	g->nodes[g->n_nodes++] = name;
}

/*
 * "CA 88 1 0xb83f.. 4x HDR - SW 51 79 0x946d.. ( 'worker20 mlx5_3' - 'leaf1 ' )": one
 * port a line. A switch's own agent is an adapter, too, and no node: "Aggregation Node".
 */
static void port_line(struct reader *r, const char *line)
{
	const char *other = strstr(line, " - SW"), *guid, *text, *names, *name;
	size_t len, name_len;

	if (strncmp(line, "CA", 2) != 0 || !other)
		return;
	guid = strstr(other, "0x");
	names = guid ? strchr(guid, '(') : NULL;
	name = names ? between(names, '\'', '\'', &name_len) : NULL;
	text = name ? strstr(name + name_len, "- '") : NULL;
	text = text ? between(text, '\'', '\'', &len) : NULL;
	if (!text || strstr(arena_strndup(r->a, name, name_len), "Aggregation Node"))
		return;
	guid = arena_strndup(r->a, guid, strcspn(guid, " \t("));
	link(r, guid, text, len, name, name_len);
}

/* Switch 36 "S-0002c9020040f160" # "leaf1" enhanced port 0 lid 3 lmc 0 */
static void switch_line(const char *line, const char **guid, size_t *guid_len,
			const char **text, size_t *len)
{
	const char *rest;

	*guid = between(line, '"', '"', guid_len);
	rest = *guid ? strchr(*guid + *guid_len, '#') : NULL;
	*text = rest ? between(rest, '"', '"', len) : NULL;
	if (!*text)
		*len = 0;
}

/* [1] "H-0002c903000b9a38"[1](2c903000b9a39) # "node1 HCA-1" lid 5 4xQDR */
static void block_line(struct reader *r, const char *line, const char *guid,
		       const char *text, size_t len)
{
	const char *peer = strchr(line, '"'), *rest, *name;
	size_t name_len;

	if (!peer || peer[1] != 'H' || !guid)
		return;
	rest = strchr(peer, '#');
	name = rest ? between(rest, '"', '"', &name_len) : NULL;
	if (name && !strstr(arena_strndup(r->a, name, name_len), "Aggregation Node"))
		link(r, guid, text ? text : "", len, name, name_len);
}

static void read_lines(struct reader *r, const char *text)
{
	const char *guid = NULL, *name = NULL;
	size_t guid_len = 0, len = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");
		char *line = arena_strndup(r->a, text, n);

		if (!strncmp(line, "Switch", 6)) {
			switch_line(line, &guid, &guid_len, &name, &len);
			if (guid)
				guid = arena_strndup(r->a, guid, guid_len);
		} else if (*line == '[') {
			block_line(r, line, guid, name, len);
		} else {
			if (isalpha((unsigned char)*line))
				guid = NULL; /* another block: adapters, or nothing */
			port_line(r, line);
		}
		text += n + (text[n] == '\n');
	}
}

int ibnet_groups(const char *text, struct arena *a, struct site_group **groups, size_t *n,
		 struct err *e)
{
	struct reader r = {.a = a};
	int rc = 0;

	read_lines(&r, text);
	*n = r.switches.n;
	*groups = arena_dup(a, r.groups, *n, sizeof(**groups));
	for (size_t i = 0; i < *n; i++) {
		(*groups)[i].nodes = arena_dup(a, r.groups[i].nodes, r.groups[i].n_nodes,
					       sizeof(*r.groups[i].nodes));
		free(r.groups[i].nodes);
	}
	if (r.bad)
		rc = err_set(e, ERR_USAGE, "'%.64s' is no name of a node", r.bad);
	else if (!*n)
		rc = err_set(e, ERR_USAGE,
			     "no link from an adapter to a switch, expected the text of "
			     "ibnetdiscover, or of ibnetdiscover -p");
	free(r.groups);
	free(r.cap);
	names_release(&r.switches);
	names_release(&r.nodes);
	names_release(&r.labels);
	return rc;
}
