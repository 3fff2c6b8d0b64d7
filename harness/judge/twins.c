/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that answer the same host name: see twins.h. */
#include "judge/twins.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/names.h"

/* Host names do not depend on case. */
static const char *lower(struct arena *a, const char *host)
{
	char *copy = arena_strdup(a, host);

	for (char *p = copy; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

/* The first two nodes with a host name. */
struct pair {
	const char *first, *second;
};

static void warn(struct summary *out, const struct record_node *node, const char *other)
{
	struct verdict *v = summary_add(out);

	v->rule = "coverage";
	v->node = node->node;
	v->word = VERDICT_WARN;
	v->why = arena_printf(&out->arena,
			      "answers the host name '%s', as '%s' does: one machine may "
			      "have been measured twice, and another never",
			      node->host, other);
}

void twins_judge(const struct rule_input *in, struct summary *out)
{
	const struct state *s = in->state;
	struct pair *pairs = mem_calloc(s->n_facts + 1, sizeof(*pairs));
	size_t *host_of = mem_calloc(s->n_facts + 1, sizeof(*host_of));
	struct names hosts = {0};

	for (size_t i = 0; i < s->n_facts; i++) {
		const struct record_node *node = &s->facts[i];
		struct pair *p;

		host_of[i] = NAMES_NONE;
		if (!node->host || !*node->host)
			continue;
		host_of[i] = names_add(&hosts, lower(&hosts.arena, node->host), NULL);
		p = &pairs[host_of[i]];
		if (!p->first)
			p->first = node->node;
		else if (!p->second)
			p->second = node->node;
	}
	for (size_t i = 0; i < s->n_facts; i++) {
		const struct pair *p =
			host_of[i] == NAMES_NONE ? NULL : &pairs[host_of[i]];

		if (p && p->second)
			warn(out, &s->facts[i],
			     s->facts[i].node == p->first ? p->second : p->first);
	}
	names_release(&hosts);
	free(host_of);
	free(pairs);
}
