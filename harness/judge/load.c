/* SPDX-License-Identifier: Apache-2.0 */
/* Shared pieces of judge configuration: see load.h. */
#include "judge/load.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/units.h"

static const char *const at_keys[] = {"store",  "size",       "core",  "l3",
				      "domain", "mem_domain", "nodes", "scaling",
				      "path",   "threads"};

enum { N_AT_KEYS = sizeof(at_keys) / sizeof(at_keys[0]) };

static int check_at_key(const struct yaml_node *key, struct err *e)
{
	const char *near = suggest(key->text, at_keys, N_AT_KEYS);
	struct strbuf all = {0};

	for (size_t i = 0; i < N_AT_KEYS; i++) {
		if (!strcmp(key->text, at_keys[i]))
			return 0;
	}
	if (near)
		return yaml_error(key, e, "unknown place '%.64s', did you mean '%s'?",
				  key->text, near);
	for (size_t i = 0; i < N_AT_KEYS; i++)
		strbuf_addf(&all, "%s%s",
			    !i                  ? ""
			    : i + 1 < N_AT_KEYS ? ", "
						: " or ",
			    at_keys[i]);
	yaml_error(key, e, "unknown place '%.64s', expected %s", key->text,
		   strbuf_str(&all));
	strbuf_release(&all);
	return -1;
}

static json_t *at_value(const char *text)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 10);
	return end != text && !*end && !errno ? json_integer(v) : json_string(text);
}

int load_at(struct arena *a, const struct yaml_node *map, const char **at, struct err *e)
{
	json_t *o;
	char *text;

	*at = NULL;
	if (!map)
		return 0;
	if (map->kind != YAML_MAP || !map->n)
		return yaml_error(map, e,
				  "'at' is %s, expected a map such as {store: nt}",
				  yaml_kind_name(map));
	o = json_object();
	for (size_t i = 0; i < map->n; i++) {
		const struct yaml_node *key = map->pairs[i].key;
		const struct yaml_node *value = map->pairs[i].value;

		if (check_at_key(key, e) || conf_expect(key, value, YAML_TEXT, e)) {
			json_decref(o);
			return -1;
		}
		(void)json_object_set_new(o, key->text, at_value(value->text));
	}
	text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
	*at = arena_strdup(a, text);
	free(text);
	json_decref(o);
	return 0;
}

/* One limit as a share; *high says on which side of the reference it is. */
static int load_limit(const struct yaml_node *node, double value, const char *unit,
		      double *share, bool *high, struct err *e)
{
	double x = 0;

	if (node->kind != YAML_TEXT)
		return yaml_error(node, e,
				  "a limit is %s, expected '-7 %%' or a number "
				  "with its unit",
				  yaml_kind_name(node));
	if (strchr(node->text, '%')) {
		if (units_parse(node->text, "ratio", &x, e))
			return yaml_at(node, e);
		*high = node->text[0] == '+';
		if (!*high && node->text[0] != '-')
			return yaml_error(node, e,
					  "no sign in '%s', expected '-%s' for a lower "
					  "limit or '+%s' for an upper one",
					  node->text, node->text, node->text);
		*share = 1 + x;
	} else {
		if (units_parse(node->text, unit, &x, e))
			return yaml_at(node, e);
		*high = x > value;
		*share = x / value;
	}
	if (!(*share > 0))
		return yaml_error(node, e, "'%s' is a limit below zero", node->text);
	return 0;
}

/* A limit, or a map with one for each side. */
static int load_sides(const struct yaml_node *node, double value, const char *unit,
		      struct record_num *low, struct record_num *high, struct err *e)
{
	double share = 0;
	bool above = false;

	if (!node)
		return 0;
	if (node->kind != YAML_MAP) {
		if (load_limit(node, value, unit, &share, &above, e))
			return -1;
		*(above ? high : low) = record_num(share);
		return 0;
	}
	for (size_t i = 0; i < node->n; i++) {
		const struct yaml_pair *p = &node->pairs[i];
		bool wants_high = !strcmp(p->key->text, "high");

		if (!wants_high && strcmp(p->key->text, "low") != 0)
			return yaml_error(p->key, e,
					  "unknown key '%.64s', expected low "
					  "or high",
					  p->key->text);
		if (load_limit(p->value, value, unit, &share, &above, e))
			return -1;
		if (above != wants_high)
			return yaml_error(p->value, e,
					  "'%s' is not on the %s side of "
					  "the reference",
					  p->value->text, p->key->text);
		*(above ? high : low) = record_num(share);
	}
	return 0;
}

int load_limits(const struct yaml_node *warn, const struct yaml_node *fail, double value,
		const char *unit, struct limits *shares, struct err *e)
{
	memset(shares, 0, sizeof(*shares));
	if (load_sides(warn, value, unit, &shares->warn_low, &shares->warn_high, e) ||
	    load_sides(fail, value, unit, &shares->fail_low, &shares->fail_high, e))
		return -1;
	if (shares->warn_low.set && shares->fail_low.set &&
	    shares->warn_low.v < shares->fail_low.v)
		return yaml_error(warn, e,
				  "'warn' is below 'fail': it would never be "
				  "reached");
	if (shares->warn_high.set && shares->fail_high.set &&
	    shares->warn_high.v > shares->fail_high.v)
		return yaml_error(warn, e,
				  "'warn' is above 'fail': it would never be "
				  "reached");
	return 0;
}
