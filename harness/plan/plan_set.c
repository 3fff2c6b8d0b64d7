/* SPDX-License-Identifier: Apache-2.0 */
/* Changes to a plan from the command line: plan_set() of plan.h. */
#include <string.h>

#include "base/suggest.h"
#include "plan/form.h"
#include "plan/plan.h"

/* "WHAT.key=value", cut up. */
struct assignment {
	struct plan *plan;
	const char *what; /* a stage, a kernel or "limits" */
	struct yaml_node key, value;
	const char *text; /* the value as written */
	struct err *e;
};

static int cut(struct assignment *s, const char *text)
{
	struct arena *a = &s->plan->arena;
	const char *eq = strchr(text, '='), *dot = eq;

	while (dot && dot > text && *dot != '.')
		dot--;
	if (!eq || !*dot || dot == text || dot + 1 == eq) {
		err_set(s->e, ERR_USAGE,
			"'%.80s', expected STAGE.key=value, KERNEL.option=value or "
			"limits.key=value",
			text);
		return err_clean(s->e);
	}
	s->what = arena_strndup(a, text, (size_t)(dot - text));
	s->text = arena_strdup(a, eq + 1);
	s->key = (struct yaml_node){
		.kind = YAML_TEXT,
		.path = arena_printf(a, "'%.80s'", text),
		.text = arena_strndup(a, dot + 1, (size_t)(eq - dot - 1)),
	};
	s->value = s->key;
	s->value.text = s->text;
	if (!*s->text)
		return yaml_error(&s->key, s->e, "no value given for '%.64s'",
				  s->key.text);
	return 0;
}

/* The pair of key and value; a list ("[1, 2, all]") is written as in a file. */
static int pair(struct assignment *s, const struct conf_key *def, struct yaml_pair *out)
{
	const struct yaml_node *list;

	*out = (struct yaml_pair){&s->key, &s->value};
	if (def->type != CONF_TEXTS || *s->text != '[')
		return 0;
	if (yaml_parse(&s->plan->arena, s->text, strlen(s->text), s->key.path, &list,
		       s->e))
		return -1;
	out->value = list;
	return 0;
}

static int set_limit(struct assignment *s)
{
	const struct conf_key *def = conf_find(form_limits, form_n_limits, s->key.text);

	if (!def)
		return conf_unknown(&s->key, form_limits, form_n_limits, s->e);
	return conf_value(&s->plan->arena, &s->key, &s->value, def, &s->plan->limits,
			  s->e);
}

static int set_steps(struct assignment *s, struct plan_stage *stage,
		     const struct conf_key *def)
{
	struct yaml_pair p;

	if (pair(s, def, &p))
		return -1;
	for (size_t i = 0; i < stage->n_steps; i++) {
		struct plan_step *st = &stage->steps[i];

		if (conf_value(&s->plan->arena, p.key, p.value, def, st, s->e) ||
		    form_step_check(&p, st, s->e))
			return -1;
	}
	return 0;
}

/* A stage's own keys, then those of its steps; what a step starts and its name stay. */
enum { N_OWN = 2 };
static const struct conf_key own_keys[N_OWN] = {
	{"gate", CONF_BOOL, .offset = offsetof(struct plan_stage, gate)},
	{.name = "at_once", .type = CONF_NODE},
};

static const struct conf_key *step_key(const char *name)
{
	static const char *const fixed[] = {"kernel", "name", "command", "reader", "dir"};

	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		if (!strcmp(name, fixed[i]))
			return NULL;
	}
	return conf_find(form_step, form_n_step, name);
}

static int set_stage(struct assignment *s, struct plan_stage *stage)
{
	const struct conf_key *def = conf_find(own_keys, N_OWN, s->key.text);
	const struct yaml_pair p = {&s->key, &s->value};

	if (!def)
		return set_steps(s, stage, step_key(s->key.text));
	if (def->type == CONF_NODE)
		return form_at_once(&p, stage, s->e);
	return conf_value(&s->plan->arena, p.key, p.value, def, stage, s->e);
}

static int unknown_stage_key(struct assignment *s)
{
	struct conf_key all[32];
	size_t n = 0;

	for (; n < N_OWN; n++)
		all[n] = own_keys[n];
	for (size_t i = 0; i < form_n_step; i++) {
		if (step_key(form_step[i].name))
			all[n++] = form_step[i];
	}
	return conf_unknown(&s->key, all, n, s->e);
}

static void set_option(struct assignment *s, struct plan_step *st)
{
	struct arena *a = &s->plan->arena;
	struct plan_option *o = st->options, *more;
	size_t i = 0;

	while (i < st->n_options && strcmp(o[i].name, s->key.text) != 0)
		i++;
	if (i == st->n_options) {
		more = arena_alloc(a, i + 1, sizeof(*more));
		if (i)
			memcpy(more, o, i * sizeof(*more));
		st->options = o = more;
		st->n_options++;
	}
	o[i] = (struct plan_option){s->key.text, s->text,
				    arena_printf(a, "--set %s.%s", s->what, s->key.text)};
}

/* Number of steps of the kernel, which get the option. */
static size_t set_kernel(struct assignment *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->plan->n_stages; i++) {
		struct plan_stage *stage = &s->plan->stages[i];

		for (size_t k = 0; k < stage->n_steps; k++) {
			if (strcmp(stage->steps[k].kernel, s->what) != 0)
				continue;
			set_option(s, &stage->steps[k]);
			n++;
		}
	}
	return n;
}

static int unknown_target(struct assignment *s)
{
	struct suggest near = suggest_start(s->what);

	suggest_offer(&near, "limits");
	for (size_t i = 0; i < s->plan->n_stages; i++) {
		const struct plan_stage *stage = &s->plan->stages[i];

		suggest_offer(&near, stage->name);
		for (size_t k = 0; k < stage->n_steps; k++)
			suggest_offer(&near, stage->steps[k].kernel);
	}
	return yaml_error(&s->key, s->e, "no stage or kernel '%.64s' in plan '%s'%s%s%s",
			  s->what, s->plan->name, near.best ? ", did you mean '" : "",
			  near.best ? near.best : "", near.best ? "'?" : "");
}

int plan_set(struct plan *p, const char *text, struct err *e)
{
	struct assignment s = {.plan = p, .e = e};
	struct plan_stage *stage = NULL;

	if (cut(&s, text))
		return -1;
	if (!strcmp(s.what, "limits"))
		return set_limit(&s);
	for (size_t i = 0; i < p->n_stages && !stage; i++) {
		if (!strcmp(p->stages[i].name, s.what))
			stage = &p->stages[i];
	}
	/* a stage named like a kernel: its own keys first, the rest are options */
	if (stage && (conf_find(own_keys, N_OWN, s.key.text) || step_key(s.key.text)))
		return set_stage(&s, stage);
	if (conf_is_name(s.key.text) && set_kernel(&s))
		return 0;
	return stage ? unknown_stage_key(&s) : unknown_target(&s);
}
