/* SPDX-License-Identifier: Apache-2.0 */
/* Plans from YAML: see plan.h. */
#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/strbuf.h"
#include "plan/form.h"
#include "record/reading.h"

/* The top level of a plan, and of a stage, before its parts are looked into. */
struct plan_form {
	const char *name;
	struct plan_limits limits;
	const struct yaml_node *requires, *stages;
};

struct stage_form {
	const char *name;
	bool gate;
	const struct yaml_node *at_once, *steps;
};

struct loader {
	struct plan *plan;
	struct arena *a;
	struct err *e;
};

/* A list that must be there and hold something: without, a plan has nothing to do. */
static int list_of(const struct loader *l, const struct yaml_node *map, const char *key)
{
	const struct yaml_node *list = yaml_get(map, key);

	if (!list)
		return yaml_error(map, l->e, "nothing to do: no key '%s'", key);
	if (list->kind != YAML_LIST)
		return yaml_error(list, l->e, "'%s': %s, expected a list", key,
				  yaml_kind_name(list));
	if (!list->n)
		return yaml_error(list, l->e, "nothing to do: '%s' is empty", key);
	return 0;
}

static int load_requires(const struct loader *l, const struct yaml_pair *pair)
{
	static const struct conf_key def = {
		"requires", CONF_TEXTS, .offset = offsetof(struct plan, requires),
		.n_offset = offsetof(struct plan, n_requires)};
	const struct yaml_node *list = pair->value;
	struct plan *p = l->plan;
	struct names seen = {0};
	bool fresh = true;
	int rc = 0;

	if (list->kind == YAML_LIST && !list->n)
		return 0; /* "requires: []" says on purpose that nothing is */
	if (conf_value(l->a, pair->key, list, &def, p, l->e))
		return -1;
	p->requires_where = arena_alloc(l->a, p->n_requires, sizeof(*p->requires_where));
	for (size_t i = 0; i < p->n_requires && !rc; i++) {
		const struct yaml_node *item =
			list->kind == YAML_LIST ? list->items[i] : list;

		p->requires_where[i] = yaml_where(l->a, item);
		(void)names_add(&seen, item->text, &fresh);
		if (!conf_is_name(item->text))
			rc = yaml_error(
				item, l->e,
				"'requires': '%.64s', expected a rule or a metric "
				"such as bios or stream.triad",
				item->text);
		else if (!fresh)
			rc = yaml_error(item, l->e, "'requires': '%s' is there twice",
					item->text);
	}
	names_release(&seen);
	return rc;
}

/* Value of a kernel's option as one word: a list becomes "a,b,c". */
static int option_value(const struct loader *l, const struct yaml_pair *p,
			const char **text)
{
	struct strbuf sb = {0};
	const struct yaml_node *v = p->value;

	if (v->kind != YAML_LIST) {
		if (conf_expect(p->key, v, YAML_TEXT, l->e))
			return -1;
		*text = v->text;
		return 0;
	}
	if (conf_expect(p->key, v, YAML_LIST, l->e))
		return -1;
	for (size_t i = 0; i < v->n; i++) {
		if (conf_expect(p->key, v->items[i], YAML_TEXT, l->e)) {
			strbuf_release(&sb);
			return -1;
		}
		strbuf_addf(&sb, "%s%s", i ? "," : "", v->items[i]->text);
	}
	*text = arena_strdup(l->a, strbuf_str(&sb));
	strbuf_release(&sb);
	return 0;
}

static int load_options(const struct loader *l, const struct conf_rest *rest,
			struct plan_step *st)
{
	st->options = arena_alloc(l->a, rest->n + 1, sizeof(*st->options));
	for (size_t i = 0; i < rest->n; i++) {
		const struct yaml_pair *p = rest->pairs[i];
		struct plan_option *o = &st->options[st->n_options++];

		o->name = p->key->text;
		o->where = yaml_where(l->a, p->key);
		if (!conf_is_name(o->name))
			return yaml_error(p->key, l->e, "unknown key '%.64s'", o->name);
		if (option_value(l, p, &o->value))
			return -1;
	}
	return 0;
}

/* A program of somebody else: it has no options of ours, and its text a reader. */
static int check_command(const struct loader *l, const struct yaml_node *map,
			 struct plan_step *st)
{
	const struct reader *reader;

	if (!st->n_command)
		return st->reader || st->dir
			       ? yaml_error(map, l->e,
					    "'reader' and 'dir' are for steps with "
					    "'command'")
			       : 0;
	if (!st->reader)
		st->reader = st->kernel;
	if (st->dir && *st->dir != '/')
		st->dir = arena_printf(l->a, "%s/%s", l->plan->folder, st->dir);
	reader = reader_find(st->reader);
	if (!reader || (reader->kernel && strcmp(reader->kernel, st->kernel) != 0))
		return yaml_error(
			map, l->e,
			"nothing reads what '%.64s' prints as results of kernel "
			"'%s'",
			st->reader, st->kernel);
	return 0;
}

static int load_step(const struct loader *l, const struct yaml_node *map,
		     struct plan_step *st)
{
	struct conf_rest rest;

	if (conf_decode(l->a, map, form_step, form_n_step, st, &rest, l->e))
		return -1;
	for (size_t i = 0; i < map->n; i++) {
		if (form_step_check(&map->pairs[i], st, l->e))
			return -1;
	}
	if (st->on != PLAN_ON_SETS && (st->n_sizes || st->scaling))
		return yaml_error(map, l->e,
				  "'sizes' and 'scaling' are for steps with 'on: sets'");
	if (check_command(l, map, st))
		return -1;
	st->where = yaml_where(l->a, map);
	if (!st->name)
		st->name = st->place ? arena_printf(l->a, "%s-%s", st->kernel, st->place)
				     : st->kernel;
	if (!st->place)
		st->place = "all-cores";
	if (st->n_command && rest.n)
		return yaml_error(rest.pairs[0]->key, l->e,
				  "unknown key '%.64s': a step with 'command' has no "
				  "options of the kernel",
				  rest.pairs[0]->key->text);
	return load_options(l, &rest, st);
}

static int load_steps(const struct loader *l, const struct yaml_node *list,
		      struct plan_stage *stage)
{
	struct names seen = {0};
	int rc = 0;

	stage->steps = arena_alloc(l->a, list->n, sizeof(*stage->steps));
	for (size_t i = 0; i < list->n && !rc; i++) {
		struct plan_step *st = &stage->steps[stage->n_steps++];
		bool fresh;

		rc = load_step(l, list->items[i], st);
		if (rc)
			break;
		(void)names_add(&seen, st->name, &fresh);
		if (!fresh)
			rc = yaml_error(
				list->items[i], l->e,
				"a second step '%s' in stage '%s', give it a 'name'",
				st->name, stage->name);
	}
	names_release(&seen);
	return rc;
}

static int load_stage(const struct loader *l, const struct yaml_node *map,
		      struct plan_stage *stage)
{
#define STAGE(field) .offset = offsetof(struct stage_form, field)
	static const struct conf_key keys[] = {
		{"name", CONF_NAME, STAGE(name), .flags = CONF_MUST},
		{"gate", CONF_BOOL, STAGE(gate)},
		{"at_once", CONF_NODE, STAGE(at_once)},
		{"steps", CONF_NODE, STAGE(steps)},
	};
	struct stage_form f = {0};

	if (conf_decode(l->a, map, keys, sizeof(keys) / sizeof(keys[0]), &f, NULL, l->e))
		return -1;
	stage->name = f.name;
	stage->gate = f.gate;
	stage->where = yaml_where(l->a, map);
	if (!strcmp(f.name, "limits"))
		return yaml_error(
			yaml_get(map, "name"), l->e,
			"'limits' is no name for a stage: --set takes it for the "
			"plan's limits");
	if (f.at_once && form_at_once(yaml_find(map, "at_once"), stage, l->e))
		return -1;
	if (list_of(l, map, "steps"))
		return -1;
	return load_steps(l, f.steps, stage);
}

static int load_stages(const struct loader *l, const struct yaml_node *list)
{
	struct plan *p = l->plan;
	struct names seen = {0};
	int rc = 0;

	p->stages = arena_alloc(l->a, list->n, sizeof(*p->stages));
	for (size_t i = 0; i < list->n && !rc; i++) {
		struct plan_stage *stage = &p->stages[p->n_stages++];
		bool fresh;

		rc = load_stage(l, list->items[i], stage);
		if (rc)
			break;
		(void)names_add(&seen, stage->name, &fresh);
		if (!fresh)
			rc = yaml_error(list->items[i], l->e, "a second stage '%s'",
					stage->name);
	}
	names_release(&seen);
	return rc;
}

/* Absolute, in @a. */
static const char *folder_of(struct arena *a, const char *path)
{
	char *full = realpath(path, NULL);
	char *folder = arena_strdup(a, full ? full : path), *slash;

	free(full);
	slash = strrchr(folder, '/');
	if (!slash)
		return ".";
	*slash = '\0';
	return *folder ? folder : "/";
}

int plan_load(struct plan *p, const char *path, struct err *e)
{
	return plan_load_copy(p, path, NULL, e);
}

int plan_load_copy(struct plan *p, const char *path, const char *folder, struct err *e)
{
#define PLAN(field) .offset = offsetof(struct plan_form, field)
	const struct conf_key keys[] = {
		{"plan", CONF_NAME, PLAN(name), .flags = CONF_MUST},
		{"limits", CONF_MAP, PLAN(limits), .keys = form_limits,
		 .n_keys = form_n_limits},
		{"requires", CONF_NODE, PLAN(requires)},
		{"stages", CONF_NODE, PLAN(stages)},
	};
	struct plan_form f = {.limits = {.step = 600,
					 .rounds = 6,
					 .repeats = 5,
					 .probe = PLAN_PROBE_LIMIT,
					 .preflight = true}};
	struct loader l = {.plan = p, .a = &p->arena, .e = e};
	const struct yaml_node *root;

	memset(p, 0, sizeof(*p));
	p->folder = folder ? arena_strdup(&p->arena, folder) : folder_of(&p->arena, path);
	if (yaml_load(&p->arena, path, &root, e) ||
	    conf_decode(&p->arena, root, keys, sizeof(keys) / sizeof(keys[0]), &f, NULL,
			e))
		return -1;
	p->name = f.name;
	p->path = arena_strdup(&p->arena, path);
	p->limits = f.limits;
	if (f.requires && load_requires(&l, yaml_find(root, "requires")))
		return -1;
	if (list_of(&l, root, "stages"))
		return -1;
	return load_stages(&l, f.stages);
}

void plan_release(struct plan *p)
{
	arena_release(&p->arena);
	memset(p, 0, sizeof(*p));
}
