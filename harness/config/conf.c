/* SPDX-License-Identifier: Apache-2.0 */
/* Maps into structs by tables: see conf.h. */
#include "config/conf.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/node_name.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/units.h"
#include "config/hostlist.h"

enum { MAX_NAME = 64 };

/* One key at work. */
struct slot {
	struct arena *a;
	const struct yaml_node *key, *value;
	const struct conf_key *def;
	void *field;
	size_t *count; /* of lists */
	struct err *e;
};

bool conf_is_name(const char *text)
{
	return node_name_valid(text) && strlen(text) <= MAX_NAME;
}

const struct conf_key *conf_find(const struct conf_key *keys, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	}
	return NULL;
}

/* Ends a message with the choice that was probably meant, or with all of them. */
static void add_choices(struct strbuf *out, const struct suggest *s,
			const struct strbuf *all)
{
	if (s->best)
		strbuf_addf(out, ", did you mean '%s'?", s->best);
	else
		strbuf_addf(out, ", expected %s", strbuf_str(all));
}

int conf_unknown(const struct yaml_node *key, const struct conf_key *keys, size_t n,
		 struct err *e)
{
	struct suggest s = suggest_start(key->text);
	struct strbuf all = {0}, hint = {0};

	for (size_t i = 0; i < n; i++) {
		suggest_offer(&s, keys[i].name);
		strbuf_addf(&all, "%s%s", i ? ", " : "", keys[i].name);
	}
	add_choices(&hint, &s, &all);
	yaml_error(key, e, "unknown key '%.64s'%s", key->text, strbuf_str(&hint));
	strbuf_release(&all);
	strbuf_release(&hint);
	return -1;
}

int conf_expect(const struct yaml_node *key, const struct yaml_node *value,
		enum yaml_kind kind, struct err *e)
{
	static const char *const names[] = {"one value", "a list", "a map"};

	if (yaml_no_value(value))
		return yaml_error(key, e, "no value given for '%.64s'", key->text);
	if (value->kind != kind)
		return yaml_error(value, e, "'%.64s': %s, expected %s", key->text,
				  yaml_kind_name(value), names[kind]);
	if (kind == YAML_TEXT ? !*value->text : !value->n)
		return yaml_error(value, e, "'%.64s': empty %s", key->text,
				  kind == YAML_TEXT   ? "text"
				  : kind == YAML_LIST ? "list"
						      : "map");
	return 0;
}

static int text(const struct slot *s)
{
	*(const char **)s->field = s->value->text;
	return 0;
}

static int name(const struct slot *s)
{
	if (!conf_is_name(s->value->text))
		return yaml_error(s->value, s->e,
				  "'%s': bad name '%.64s', expected letters, digits and "
				  "'._-', at most %d",
				  s->def->name, s->value->text, MAX_NAME);
	return text(s);
}

static int file(const struct slot *s)
{
	const char *slash = strrchr(s->value->path, '/');

	if (*s->value->text == '/' || !slash)
		return text(s);
	*(const char **)s->field =
		arena_printf(s->a, "%.*s/%s", (int)(slash - s->value->path),
			     s->value->path, s->value->text);
	return 0;
}

static int choice(const struct slot *s)
{
	const char *const *choices = s->def->choices;
	struct suggest near = suggest_start(s->value->text);
	struct strbuf all = {0}, hint = {0};

	for (int i = 0; choices[i]; i++) {
		if (!strcmp(choices[i], s->value->text)) {
			*(int *)s->field = i;
			strbuf_release(&all);
			return 0;
		}
		suggest_offer(&near, choices[i]);
		strbuf_addf(&all, "%s%s",
			    !i               ? ""
			    : choices[i + 1] ? ", "
					     : " or ",
			    choices[i]);
	}
	add_choices(&hint, &near, &all);
	yaml_error(s->value, s->e, "'%s': unknown word '%.64s'%s", s->def->name,
		   s->value->text, strbuf_str(&hint));
	strbuf_release(&all);
	strbuf_release(&hint);
	return -1;
}

static bool limited(const struct conf_key *def)
{
	return def->min < 0 || def->min > 0 || def->max > 0;
}

static int whole_number(const struct slot *s)
{
	const struct conf_key *def = s->def;
	const char *t = s->value->text;
	char *end;
	long v;

	errno = 0;
	v = strtol(t, &end, 10);
	if (*end || (*t != '-' && (*t < '0' || *t > '9')) || end == t)
		return yaml_error(s->value, s->e,
				  "'%s': expected a whole number, found '%.64s'",
				  def->name, t);
	if (errno || v < INT_MIN || v > INT_MAX ||
	    (limited(def) && ((double)v < def->min || (double)v > def->max)))
		return yaml_error(s->value, s->e,
				  "'%s': %.64s is out of range, expected %.0f to %.0f",
				  def->name, t, limited(def) ? def->min : INT_MIN,
				  limited(def) ? def->max : INT_MAX);
	*(int *)s->field = (int)v;
	return 0;
}

static int boolean(const struct slot *s)
{
	bool yes = !strcmp(s->value->text, "true");

	if (!yes && strcmp(s->value->text, "false") != 0)
		return yaml_error(s->value, s->e,
				  "'%s': expected true or false, found '%.64s'",
				  s->def->name, s->value->text);
	*(bool *)s->field = yes;
	return 0;
}

/* Says which key it was about, then where. */
static int located(const struct slot *s)
{
	err_at(s->e, "'%s'", s->def->name);
	return yaml_at(s->value, s->e);
}

static int quantity(const struct slot *s)
{
	bool time = s->def->type == CONF_DURATION;
	const char *unit = time ? "s" : s->def->unit;
	double v;

	if (time ? units_duration(s->value->text, &v, s->e)
		 : units_parse(s->value->text, unit, &v, s->e))
		return located(s);
	if (limited(s->def) && (v < s->def->min || v > s->def->max)) {
		char low[UNITS_TEXT], high[UNITS_TEXT];

		if (time) {
			units_format_duration(low, sizeof(low), s->def->min);
			units_format_duration(high, sizeof(high), s->def->max);
		} else {
			units_format(low, sizeof(low), s->def->min, unit);
			units_format(high, sizeof(high), s->def->max, unit);
		}
		return yaml_error(s->value, s->e,
				  "'%s': '%.64s' is out of range, expected %s to %s",
				  s->def->name, s->value->text, low, high);
	}
	*(double *)s->field = v;
	return 0;
}

/* The items of a list, or the one text that stands for a list of one. */
static int items(const struct slot *s, const struct yaml_node *const **list, size_t *n)
{
	*list = s->value->kind == YAML_LIST ? s->value->items : &s->value;
	*n = s->value->kind == YAML_LIST ? s->value->n : 1;
	if (s->value->kind == YAML_LIST && conf_expect(s->key, s->value, YAML_LIST, s->e))
		return -1;
	for (size_t i = 0; i < *n; i++) {
		if (conf_expect(s->key, (*list)[i], YAML_TEXT, s->e))
			return -1;
	}
	return 0;
}

static int texts(const struct slot *s)
{
	const struct yaml_node *const *list;
	const char **out;
	size_t n;

	if (items(s, &list, &n))
		return -1;
	out = arena_alloc(s->a, n, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		out[i] = list[i]->text;
	*(const char ***)s->field = out;
	*s->count = n;
	return 0;
}

/* Appends the names one text stands for to *all, of capacity *cap. */
static int add_hosts(const struct slot *s, const struct yaml_node *item,
		     const char ***all, size_t *cap)
{
	const char **names;
	size_t n;

	if (hostlist_expand(s->a, item->text, &names, &n, s->e)) {
		err_at(s->e, "'%s'", s->def->name);
		return yaml_at(item, s->e);
	}
	if (n > HOSTLIST_MAX_NAMES - *s->count)
		return yaml_error(item, s->e, "'%s': more than %d names", s->def->name,
				  HOSTLIST_MAX_NAMES);
	mem_grow(all, cap, *s->count + n, sizeof(**all));
	memcpy(*all + *s->count, names, n * sizeof(**all));
	*s->count += n;
	return 0;
}

static int hosts(const struct slot *s)
{
	const struct yaml_node *const *list;
	const char **all = NULL;
	size_t n, cap = 0;
	int rc = 0;

	if (items(s, &list, &n))
		return -1;
	*s->count = 0;
	for (size_t i = 0; i < n && !rc; i++)
		rc = add_hosts(s, list[i], &all, &cap);
	if (!rc) {
		(void)hostlist_unique(all, s->count);
		*(const char ***)s->field = arena_dup(s->a, all, *s->count, sizeof(*all));
	}
	free(all);
	return rc;
}

static int pairs(const struct slot *s)
{
	struct conf_pair *out = arena_alloc(s->a, s->value->n, sizeof(*out));

	for (size_t i = 0; i < s->value->n; i++) {
		const struct yaml_pair *p = &s->value->pairs[i];

		if (conf_expect(p->key, p->value, YAML_TEXT, s->e))
			return -1;
		out[i] = (struct conf_pair){p->key->text, p->value->text,
					    yaml_where(s->a, p->value)};
	}
	*(struct conf_pair **)s->field = out;
	*s->count = s->value->n;
	return 0;
}

static int map(const struct slot *s)
{
	return conf_decode(s->a, s->value, s->def->keys, s->def->n_keys, s->field, NULL,
			   s->e);
}

static int node(const struct slot *s)
{
	*(const struct yaml_node **)s->field = s->value;
	return 0;
}

static const struct {
	int (*decode)(const struct slot *s);
	bool any; /* decode() checks the kind of node itself */
	enum yaml_kind kind;
} types[] = {
	[CONF_TEXT] = {text, false, YAML_TEXT},
	[CONF_NAME] = {name, false, YAML_TEXT},
	[CONF_FILE] = {file, false, YAML_TEXT},
	[CONF_CHOICE] = {choice, false, YAML_TEXT},
	[CONF_INT] = {whole_number, false, YAML_TEXT},
	[CONF_BOOL] = {boolean, false, YAML_TEXT},
	[CONF_QUANTITY] = {quantity, false, YAML_TEXT},
	[CONF_DURATION] = {quantity, false, YAML_TEXT},
	[CONF_TEXTS] = {texts, true, YAML_LIST},
	[CONF_HOSTS] = {hosts, true, YAML_LIST},
	[CONF_PAIRS] = {pairs, false, YAML_MAP},
	[CONF_MAP] = {map, false, YAML_MAP},
	[CONF_NODE] = {node, true, YAML_TEXT},
};

int conf_value(struct arena *a, const struct yaml_node *key,
	       const struct yaml_node *value, const struct conf_key *def, void *out,
	       struct err *e)
{
	struct slot s = {.a = a,
			 .key = key,
			 .value = value,
			 .def = def,
			 .field = (char *)out + def->offset,
			 .count = (size_t *)(void *)((char *)out + def->n_offset),
			 .e = e};

	if (yaml_no_value(value))
		return yaml_error(key, e, "no value given for '%.64s'", key->text);
	if (!types[def->type].any && conf_expect(key, value, types[def->type].kind, e))
		return -1;
	return types[def->type].decode(&s);
}

int conf_decode(struct arena *a, const struct yaml_node *map_node,
		const struct conf_key *keys, size_t n, void *out, struct conf_rest *rest,
		struct err *e)
{
	if (map_node->kind != YAML_MAP)
		return yaml_error(map_node, e, "%s, expected a map of keys and values",
				  yaml_kind_name(map_node));
	if (rest) {
		rest->pairs = arena_alloc(a, map_node->n + 1, sizeof(*rest->pairs));
		rest->n = 0;
	}
	for (size_t i = 0; i < map_node->n; i++) {
		const struct yaml_pair *p = &map_node->pairs[i];
		const struct conf_key *def = conf_find(keys, n, p->key->text);

		if (!def && !rest)
			return conf_unknown(p->key, keys, n, e);
		if (!def)
			rest->pairs[rest->n++] = p;
		else if (conf_value(a, p->key, p->value, def, out, e))
			return -1;
	}
	for (size_t i = 0; i < n; i++) {
		if (keys[i].flags & CONF_MUST && !yaml_get(map_node, keys[i].name))
			return yaml_error(map_node, e, "no key '%s'", keys[i].name);
	}
	return 0;
}
