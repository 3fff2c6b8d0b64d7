/* SPDX-License-Identifier: Apache-2.0 */
/* BIOS profiles from YAML: see profile.h. */
#include "judge/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/names.h"
#include "config/conf.h"

static const char *const severities[] = {"fail", "warn", NULL};

#define ATTRIBUTE(field) .offset = offsetof(struct profile_attribute, field)
static const struct conf_key attribute_keys[] = {
	{"want", CONF_TEXTS, ATTRIBUTE(want), .flags = CONF_MUST,
	 .n_offset = offsetof(struct profile_attribute, n_want)},
	{"also", CONF_TEXTS, ATTRIBUTE(also),
	 .n_offset = offsetof(struct profile_attribute, n_also)},
	{"severity", CONF_CHOICE, ATTRIBUTE(severity), .choices = severities},
	{"optional", CONF_BOOL, ATTRIBUTE(optional)},
	{"why", CONF_TEXT, ATTRIBUTE(why), .flags = CONF_MUST},
};

struct form {
	const char *name, *include;
	bool setting;
	const struct yaml_node *attributes;
};

static const struct conf_key keys[] = {
	{"profile", CONF_NAME, .offset = offsetof(struct form, name), .flags = CONF_MUST},
	{"include", CONF_NAME, .offset = offsetof(struct form, include)},
	{"setting", CONF_BOOL, .offset = offsetof(struct form, setting)},
	{"attributes", CONF_NODE, .offset = offsetof(struct form, attributes),
	 .flags = CONF_MUST},
};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

enum { MOST_INCLUDES = 8 }; /* one within the other: nobody could tell what holds */

/* Reads @path into @p behind what it includes. */
struct loader {
	struct profile *p;
	const char *shipped;
	struct stat open[MOST_INCLUDES + 1]; /* the files we are in, outermost first */
	int depth;                           /* so many */
	struct err *e;
};

static int load(struct loader *l, const char *path, bool outermost);

static bool is_open(const struct loader *l, const struct stat *st, int from)
{
	for (int i = from; i < l->depth; i++) {
		if (l->open[i].st_dev == st->st_dev && l->open[i].st_ino == st->st_ino)
			return true;
	}
	return false;
}

static bool is_shipped(const struct loader *l, const char *path)
{
	size_t len = l->shipped ? strlen(l->shipped) : 0;

	return len && !strncmp(path, l->shipped, len) && path[len] == '/';
}

/* Includes are few: there is room for all of them. */
static void add_file(struct profile *p, const char *path)
{
	if (!p->files)
		p->files = arena_alloc(&p->arena, MOST_INCLUDES + 1, sizeof(*p->files));
	if (p->n_files <= MOST_INCLUDES)
		p->files[p->n_files++] = path;
}

/*
 * The file NAME.yaml beside @path, else among those shipped: also where the one beside is
 * @path itself, so that a hpc.yaml of a site's own may include the shipped one.
 */
static int include(struct loader *l, const struct yaml_node *root, const char *path,
		   const char *name)
{
	const struct yaml_node *key = yaml_find(root, "include")->value;
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) + 1 : 0;
	const char *file = arena_printf(&l->p->arena, "%.*s%s.yaml", dir, path, name);
	struct stat st;
	bool there = !stat(file, &st);

	if ((!there || is_open(l, &st, l->depth - 1)) && l->shipped) {
		file = arena_printf(&l->p->arena, "%s/%s.yaml", l->shipped, name);
		there = !stat(file, &st);
	} else if (there && !is_shipped(l, path)) {
		add_file(l->p, file);
	}
	if (!there)
		return yaml_error(
			key, l->e,
			"'include': no profile '%.64s', see assay list profiles", name);
	if (!strcmp(name, l->p->name))
		return yaml_error(
			key, l->e,
			"'include': '%.64s' includes itself: a profile that takes "
			"over another one has a name of its own",
			name);
	if (is_open(l, &st, 0))
		return yaml_error(key, l->e, "'include': '%.64s' includes itself", name);
	if (l->depth > MOST_INCLUDES)
		return yaml_error(
			key, l->e,
			"'include': more than %d profiles, one within the other",
			MOST_INCLUDES);
	return load(l, file, false);
}

/* The entry of that name, which stands instead of an included one; else a new one. */
static struct profile_attribute *entry(struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!strcmp(p->attributes[i].name, name))
			return &p->attributes[i];
	}
	return &p->attributes[p->n++];
}

static int add(struct loader *l, const struct yaml_node *attributes)
{
	struct profile *p = l->p;
	struct profile_attribute *all =
		arena_alloc(&p->arena, p->n + attributes->n, sizeof(*all));

	if (p->n)
		memcpy(all, p->attributes, p->n * sizeof(*all));
	p->attributes = all;
	for (size_t i = 0; i < attributes->n; i++) {
		const struct yaml_pair *pair = &attributes->pairs[i];
		struct profile_attribute a = {.name = pair->key->text};

		a.where = yaml_where(&p->arena, pair->key);
		if (conf_expect(pair->key, pair->value, YAML_MAP, l->e) ||
		    conf_decode(&p->arena, pair->value, attribute_keys,
				N_OF(attribute_keys), &a, NULL, l->e))
			return -1;
		*entry(p, a.name) = a;
	}
	return 0;
}

static int load(struct loader *l, const char *path, bool outermost)
{
	struct form f = {0};
	const struct yaml_node *root;

	if (stat(path, &l->open[l->depth]))
		memset(&l->open[l->depth], 0, sizeof(l->open[0]));
	l->depth++;
	if (yaml_load(&l->p->arena, path, &root, l->e) ||
	    conf_decode(&l->p->arena, root, keys, N_OF(keys), &f, NULL, l->e) ||
	    conf_expect(yaml_find(root, "attributes")->key, f.attributes, YAML_MAP, l->e))
		return -1;
	if (outermost) {
		l->p->name = f.name;
		l->p->setting = f.setting;
		l->p->include = f.include;
	}
	if (f.include && include(l, root, path, f.include))
		return -1;
	l->depth--;
	return add(l, f.attributes);
}

/* One name cannot be what two attributes are called. */
static int check_names(const struct profile *p, struct err *e)
{
	struct names seen = {0};
	size_t *of = NULL, cap = 0;
	int rc = 0;

	for (size_t i = 0; i < p->n && !rc; i++) {
		const struct profile_attribute *a = &p->attributes[i];

		for (size_t k = 0; k <= a->n_also && !rc; k++) {
			const char *name = k ? a->also[k - 1] : a->name;
			bool fresh;
			size_t at = names_add(&seen, name, &fresh);

			mem_grow(&of, &cap, at + 1, sizeof(*of));
			if (fresh)
				of[at] = i;
			else
				rc = err_set(
					e, ERR_USAGE,
					"%s: '%.64s' is also a name of '%.64s' (%s): "
					"which of them holds?",
					a->where, name, p->attributes[of[at]].name,
					p->attributes[of[at]].where);
		}
	}
	free(of);
	names_release(&seen);
	return rc;
}

int profile_load(struct profile *p, const char *path, const char *shipped, struct err *e)
{
	struct loader l = {.p = p, .shipped = shipped, .e = e};

	memset(p, 0, sizeof(*p));
	return load(&l, path, true) ? -1 : check_names(p, e);
}

void profile_release(struct profile *p)
{
	arena_release(&p->arena);
	memset(p, 0, sizeof(*p));
}
