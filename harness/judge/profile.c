/* SPDX-License-Identifier: Apache-2.0 */
/* BIOS profiles from YAML: see profile.h. */
#include "bios/profile.h"

#include <string.h>

#include "config/conf.h"

static const char *const severities[] = {"fail", "warn", NULL};

#define ATTRIBUTE(field) .offset = offsetof(struct profile_attribute, field)
static const struct conf_key attribute_keys[] = {
	{"want", CONF_TEXTS, ATTRIBUTE(want), .flags = CONF_MUST,
	 .n_offset = offsetof(struct profile_attribute, n_want)},
	{"severity", CONF_CHOICE, ATTRIBUTE(severity), .choices = severities},
	{"optional", CONF_BOOL, ATTRIBUTE(optional)},
	{"why", CONF_TEXT, ATTRIBUTE(why), .flags = CONF_MUST},
};

struct form {
	const char *name;
	const struct yaml_node *attributes;
};

static const struct conf_key keys[] = {
	{"profile", CONF_NAME, .offset = offsetof(struct form, name), .flags = CONF_MUST},
	{"attributes", CONF_NODE, .offset = offsetof(struct form, attributes),
	 .flags = CONF_MUST},
};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

int profile_load(struct profile *p, const char *path, struct err *e)
{
	struct form f = {0};
	const struct yaml_node *root;

	memset(p, 0, sizeof(*p));
	if (yaml_load(&p->arena, path, &root, e) ||
	    conf_decode(&p->arena, root, keys, N_OF(keys), &f, NULL, e) ||
	    conf_expect(yaml_find(root, "attributes")->key, f.attributes, YAML_MAP, e))
		return -1;
	p->name = f.name;
	p->attributes = arena_alloc(&p->arena, f.attributes->n, sizeof(*p->attributes));
	for (; p->n < f.attributes->n; p->n++) {
		const struct yaml_pair *pair = &f.attributes->pairs[p->n];
		struct profile_attribute *a = &p->attributes[p->n];

		a->name = pair->key->text;
		a->where = yaml_where(&p->arena, pair->key);
		if (conf_expect(pair->key, pair->value, YAML_MAP, e) ||
		    conf_decode(&p->arena, pair->value, attribute_keys,
				N_OF(attribute_keys), a, NULL, e))
			return -1;
	}
	return 0;
}

void profile_release(struct profile *p)
{
	arena_release(&p->arena);
	memset(p, 0, sizeof(*p));
}
