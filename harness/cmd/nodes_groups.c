/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes by what they have in common: see nodes.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cmd/nodes.h"
#include "config/hostlist.h"

size_t nodes_groups_add(struct nodes_groups *g, const char *key, const char *name)
{
	size_t i = names_add(&g->keys, key, NULL);
	struct nodes_group *group;

	mem_grow(&g->items, &g->cap, i + 1, sizeof(*g->items));
	group = &g->items[i];
	mem_grow(&group->names, &group->cap, group->n + 1, sizeof(*group->names));
	group->names[group->n++] = name;
	return i;
}

const char *nodes_groups_list(const struct nodes_groups *g, size_t i, struct arena *a)
{
	struct strbuf list = {0};
	const char *copy;

	hostlist_fold(&list, g->items[i].names, g->items[i].n);
	copy = arena_strdup(a, strbuf_str(&list));
	strbuf_release(&list);
	return copy;
}

void nodes_groups_release(struct nodes_groups *g)
{
	for (size_t i = 0; i < g->keys.n; i++)
		free(g->items[i].names);
	free(g->items);
	names_release(&g->keys);
	memset(g, 0, sizeof(*g));
}
