/* SPDX-License-Identifier: Apache-2.0 */
/* Declared metrics: see metrics.h. */
#include "record/metrics.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/json.h"

static void add(struct metrics *m, const char *kernel, const json_t *o, struct arena *a)
{
	const char *name = json_member_text(o, "name");
	struct metric *d;

	if (!*name || names_add(&m->index, name, NULL) != m->n)
		return;
	mem_grow(&m->items, &m->cap, m->n + 1, sizeof(*m->items));
	d = arena_alloc(a, 1, sizeof(*d));
	m->items[m->n++] = d;
	d->name = arena_strdup(a, name);
	d->unit = arena_strdup(a, json_member_text(o, "unit"));
	d->kernel = kernel;
	d->higher = strcmp(json_member_text(o, "better"), "lower") != 0;
	d->best = !strcmp(json_member_text(o, "reduce"), "best");
	d->unrated = json_is_true(json_object_get(o, "unrated"));
	d->relative = json_is_true(json_object_get(o, "relative"));
	d->of_set = !strcmp(json_member_text(o, "of"), "set");
}

void metrics_read(struct metrics *m, const char *kernels, struct arena *a)
{
	json_t *all = kernels ? json_loads(kernels, 0, NULL) : NULL;
	const char *key;
	json_t *about, *o;
	size_t i;

	memset(m, 0, sizeof(*m));
	json_object_foreach(all, key, about)
	{
		const char *kernel = arena_strdup(a, key);

		if (!strcmp(json_member_text(about, "shape"), "set"))
			(void)names_add(&m->sets, kernel, NULL);
		json_array_foreach(json_object_get(about, "metrics"), i, o)
		{
			add(m, kernel, o, a);
		}
	}
	json_decref(all);
}

void metrics_release(struct metrics *m)
{
	names_release(&m->index);
	names_release(&m->sets);
	free(m->items);
	memset(m, 0, sizeof(*m));
}

const struct metric *metrics_find(const struct metrics *m, const char *name)
{
	size_t i = names_find(&m->index, name);

	return i == NAMES_NONE ? NULL : m->items[i];
}

bool metrics_of_set(const struct metrics *m, const char *kernel)
{
	return kernel && names_find(&m->sets, kernel) != NAMES_NONE;
}
