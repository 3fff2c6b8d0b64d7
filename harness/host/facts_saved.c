/* SPDX-License-Identifier: Apache-2.0 */
/* Facts saved by somebody who may read more: see facts.h. */
#include <stdio.h>
#include <string.h>

#include "host/facts.h"

/* The value at "group.fact" or "fact", NULL when there is none. */
static json_t *lookup(const json_t *facts, const char *path)
{
	const char *dot = strchr(path, '.');
	char name[64];

	if (!dot)
		return json_object_get(facts, path);
	(void)snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
	return json_object_get(json_object_get(facts, name), dot + 1);
}

static void store(json_t *facts, const char *path, json_t *v)
{
	const char *dot = strchr(path, '.');
	json_t *group = facts;
	char name[64];

	if (dot) {
		(void)snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
		if (!json_object_get(facts, name))
			(void)json_object_set_new(facts, name, json_object());
		group = json_object_get(facts, name);
	}
	(void)json_object_set(group, dot ? dot + 1 : path, v);
}

static bool same_machine(const json_t *a, const json_t *b)
{
	static const char *const paths[] = {"cpu.model", "dmi.product", "dmi.board"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const json_t *x = lookup(a, paths[i]), *y = lookup(b, paths[i]);

		if (x && y && !json_equal(x, y))
			return false;
	}
	return true;
}

int facts_complete(json_t *facts, const json_t *saved)
{
	json_t *missing = json_object_get(facts, "unreadable"), *why;
	const json_t *unknown = json_object_get(saved, "unreadable");
	const char *path;
	void *next;
	int n = 0;

	if (!same_machine(facts, saved))
		return -1;
	json_object_foreach_safe(missing, next, path, why)
	{
		json_t *v = lookup(saved, path);

		if (!v || json_object_get(unknown, path))
			continue;
		store(facts, path, v);
		(void)json_object_del(missing, path);
		n++;
	}
	if (missing && !json_object_size(missing))
		(void)json_object_del(facts, "unreadable");
	return n;
}
