/* SPDX-License-Identifier: Apache-2.0 */
/* BIOS attributes from YAML: see bios_known.h. */
#include "judge/bios_known.h"

#include <fnmatch.h>
#include <string.h>

#include "config/conf.h"

#define AT(type, field)    .offset = offsetof(struct type, field)
#define COUNT(type, field) .n_offset = offsetof(struct type, field)
#define N_OF(array)        (sizeof(array) / sizeof((array)[0]))

struct form {
	struct bios_known_list ignore, identity, unique;
	const struct yaml_node *parents, *groups;
};

static const struct conf_key keys[] = {
	{"ignore", CONF_TEXTS, AT(form, ignore.items), COUNT(form, ignore.n),
	 .flags = CONF_MUST},
	{"identity", CONF_TEXTS, AT(form, identity.items), COUNT(form, identity.n)},
	{"unique", CONF_TEXTS, AT(form, unique.items), COUNT(form, unique.n)},
	{"parents", CONF_NODE, AT(form, parents)},
	{"groups", CONF_NODE, AT(form, groups)},
};

static const struct conf_key parent_keys[] = {
	{"value", CONF_TEXT, AT(bios_known_parent, value), .flags = CONF_MUST},
	{"children", CONF_TEXTS, AT(bios_known_parent, children.items),
	 COUNT(bios_known_parent, children.n), .flags = CONF_MUST},
};

static int load_parents(struct bios_known *k, const struct yaml_pair *pair, struct err *e)
{
	if (conf_expect(pair->key, pair->value, YAML_MAP, e))
		return -1;
	k->parents = arena_alloc(&k->arena, pair->value->n, sizeof(*k->parents));
	for (; k->n_parents < pair->value->n; k->n_parents++) {
		const struct yaml_pair *p = &pair->value->pairs[k->n_parents];
		struct bios_known_parent *out = &k->parents[k->n_parents];

		out->name = p->key->text;
		if (conf_expect(p->key, p->value, YAML_MAP, e) ||
		    conf_decode(&k->arena, p->value, parent_keys, N_OF(parent_keys), out,
				NULL, e))
			return -1;
	}
	return 0;
}

static int load_groups(struct bios_known *k, const struct yaml_pair *pair, struct err *e)
{
	static const struct conf_key def = {"", CONF_TEXTS,
					    AT(bios_known_group, attributes.items),
					    COUNT(bios_known_group, attributes.n)};

	if (conf_expect(pair->key, pair->value, YAML_MAP, e))
		return -1;
	k->groups = arena_alloc(&k->arena, pair->value->n, sizeof(*k->groups));
	for (; k->n_groups < pair->value->n; k->n_groups++) {
		const struct yaml_pair *p = &pair->value->pairs[k->n_groups];
		struct bios_known_group *out = &k->groups[k->n_groups];

		out->name = p->key->text;
		if (conf_value(&k->arena, p->key, p->value, &def, out, e))
			return -1;
	}
	return 0;
}

int bios_known_load(struct bios_known *k, const char *path, struct err *e)
{
	struct form f = {0};
	const struct yaml_node *root;

	memset(k, 0, sizeof(*k));
	if (yaml_load(&k->arena, path, &root, e) ||
	    conf_decode(&k->arena, root, keys, N_OF(keys), &f, NULL, e))
		return -1;
	k->ignore = f.ignore;
	k->identity = f.identity;
	k->unique = f.unique;
	if (f.parents && load_parents(k, yaml_find(root, "parents"), e))
		return -1;
	return f.groups ? load_groups(k, yaml_find(root, "groups"), e) : 0;
}

void bios_known_release(struct bios_known *k)
{
	arena_release(&k->arena);
	memset(k, 0, sizeof(*k));
}

bool bios_known_has(const struct bios_known_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!fnmatch(list->items[i], name, 0))
			return true;
	}
	return false;
}

bool bios_known_counts(const struct bios_known *k, const char *name)
{
	return !bios_known_has(&k->ignore, name) && !bios_known_has(&k->unique, name);
}

const struct bios_known_parent *bios_known_parent(const struct bios_known *k,
						  const char *name)
{
	for (size_t i = 0; i < k->n_parents; i++) {
		if (bios_known_has(&k->parents[i].children, name))
			return &k->parents[i];
	}
	return NULL;
}

const char *bios_known_group(const struct bios_known *k, const char *name)
{
	for (size_t i = 0; i < k->n_groups; i++) {
		if (bios_known_has(&k->groups[i].attributes, name))
			return k->groups[i].name;
	}
	return NULL;
}
