/* SPDX-License-Identifier: Apache-2.0 */
/* A plan's kernel options against what the kernel says of itself: see plan.h. */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/units.h"
#include "plan/form.h"
#include "plan/plan.h"
#include "record/json.h"

/* Of memory: less gives a problem of nothing. */
#define LEAST_SHARE 0.001

struct kernel_says {
	struct plan *plan;
	const char *kernel;
	const json_t *options, *metrics;
	const json_t *fit; /* NULL: its size follows from nothing */
	struct err *e;
};

/* The object of an array whose "name" is @name. */
static const json_t *by_name(const json_t *array, const char *name)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		if (!strcmp(json_member_text(item, "name"), name))
			return item;
	}
	return NULL;
}

static void offer_names(struct suggest *s, const json_t *array)
{
	const json_t *item;
	size_t i;

	json_array_foreach(array, i, item)
	{
		suggest_offer(s, json_member_text(item, "name"));
	}
}

static int complain(const struct kernel_says *k, const char *where)
{
	err_at(k->e, "%s", where);
	return err_clean(k->e);
}

static int unknown(const struct kernel_says *k, const struct plan_option *o)
{
	struct suggest s = suggest_start(o->name);

	/* a misspelt key of the step itself ends up here, too */
	for (size_t i = 0; i < form_n_step; i++)
		suggest_offer(&s, form_step[i].name);
	offer_names(&s, k->options);
	if (s.best)
		err_set(k->e, ERR_USAGE, "unknown key '%s', did you mean '%s'?", o->name,
			s.best);
	else
		err_set(k->e, ERR_USAGE,
			"unknown key '%s', kernel '%s' has no such option (assay-%s "
			"--help)",
			o->name, k->kernel, k->kernel);
	return complain(k, o->where);
}

/* The words an option takes as they are, "a, b or c"; empty when it has none. */
static bool is_choice(const json_t *choices, const char *value, struct strbuf *all,
		      struct suggest *near)
{
	size_t n = json_array_size(choices);

	for (size_t i = 0; i < n; i++) {
		const char *word = json_string_value(json_array_get(choices, i));

		if (!word)
			continue;
		if (!strcmp(word, value))
			return true;
		suggest_offer(near, word);
		strbuf_addf(all, "%s%s", !i ? "" : i + 1 < n ? ", " : " or ", word);
	}
	return false;
}

static bool whole_number(const char *text, int64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoll(text, &end, 10);
	return !errno && end != text && !*end && !strchr(" \t\n+", *text);
}

/* The limits a kernel declares for its whole numbers and sizes. */
static int check_limits(const json_t *says, const char *value, int64_t n, struct err *e)
{
	const json_t *min = json_object_get(says, "min"),
		     *max = json_object_get(says, "max"),
		     *multiple = json_object_get(says, "multiple");
	const int64_t step = json_integer_value(multiple); /* 0 when there is none */

	if (json_is_integer(min) && n < json_integer_value(min))
		return err_set(e, ERR_USAGE,
			       "'%.64s' is too small, expected at least %lld", value,
			       (long long)json_integer_value(min));
	if (json_is_integer(max) && n > json_integer_value(max))
		return err_set(e, ERR_USAGE,
			       "'%.64s' is too large, expected at most %lld", value,
			       (long long)json_integer_value(max));
	if (step > 0 && n % step)
		return err_set(e, ERR_USAGE,
			       "'%.64s' is not a multiple of %lld, expected %lld or %lld",
			       value, (long long)step, (long long)(n / step * step),
			       (long long)(n / step * step + step));
	return 0;
}

/* 0, or -1 with what was expected instead. */
static int check_type(const json_t *says, const char *type, const char *value,
		      struct err *e)
{
	int64_t n = 0;
	double seconds;

	if (!strcmp(type, "int") && !whole_number(value, &n))
		return err_set(e, ERR_USAGE, "expected a whole number, found '%.64s'",
			       value);
	if (!strcmp(type, "int"))
		return check_limits(says, value, n, e);
	if (!strcmp(type, "flag") && strcmp(value, "yes") != 0 &&
	    strcmp(value, "no") != 0)
		return err_set(e, ERR_USAGE, "expected yes or no, found '%.64s'", value);
	if (!strcmp(type, "size"))
		return units_size(value, &n, e) ? -1 : check_limits(says, value, n, e);
	/* on a kernel's command line a bare number is seconds */
	if (!strcmp(type, "time") && value[strspn(value, "0123456789.")])
		return units_duration(value, &seconds, e);
	return 0;
}

/* Given on the command line. */
static bool is_set(const struct plan_option *o)
{
	return !strncmp(o->where, "--set", 5);
}

/* A file there must be; its path becomes absolute. */
static int check_file(const struct kernel_says *k, struct plan_option *o)
{
	struct stat st;

	if (*o->value && *o->value != '/') {
		char *here = is_set(o) ? realpath(".", NULL) : NULL;

		o->value = arena_printf(&k->plan->arena, "%s/%s",
					here ? here : k->plan->folder, o->value);
		free(here);
	}
	if (!stat(o->value, &st) && S_ISREG(st.st_mode) && !access(o->value, R_OK))
		return 0;
	err_set(k->e, ERR_USAGE, "'%s': '%.200s' is no file that can be read", o->name,
		o->value);
	return complain(k, o->where);
}

static int check_value(const struct kernel_says *k, struct plan_option *o,
		       const json_t *says)
{
	const char *type = json_member_text(says, "type");
	const json_t *choices = json_object_get(says, "choices");
	struct suggest near = suggest_start(o->value);
	struct strbuf all = {0};
	int rc = 0;

	if (is_choice(choices, o->value, &all, &near))
		goto out;
	if (!strcmp(type, "file")) {
		rc = check_file(k, o);
		goto out;
	}
	if (!strcmp(type, "choice"))
		rc = near.best ? err_set(k->e, ERR_USAGE,
					 "unknown word '%.64s', did you mean '%s'?",
					 o->value, near.best)
			       : err_set(k->e, ERR_USAGE,
					 "unknown word '%.64s', expected %s", o->value,
					 strbuf_str(&all));
	else
		rc = check_type(says, type, o->value, k->e);
	if (rc) {
		if (strcmp(type, "choice") != 0 && all.len)
			err_set(k->e, ERR_USAGE, "%s, or %s", k->e->msg,
				strbuf_str(&all));
		err_at(k->e, "'%s'", o->name);
		rc = complain(k, o->where);
	}
out:
	strbuf_release(&all);
	return rc;
}

/* Only a kernel that says which rounds it did can go on behind them. */
static int check_on(const struct kernel_says *k, const struct plan_step *st)
{
	if (st->on != PLAN_ON_PAIRS || by_name(k->options, "first-round"))
		return 0;
	return err_set(k->e, ERR_USAGE,
		       "%s: step '%s': 'on: pairs' is for kernels that measure pairs in "
		       "rounds, expected kernel 'net' with 'test: pairs'",
		       st->where, st->name);
}

/*
 * "memory": a share of it, from which the planner makes the size of a kernel that says
 * how they hang together, whether or not the kernel has such an option itself.
 */
static bool is_share(const struct kernel_says *k, const struct plan_option *o)
{
	return k->fit && !strcmp(o->name, "memory");
}

static int check_share(const struct kernel_says *k, const struct plan_option *o)
{
	double share;

	if (!units_parse(o->value, "ratio", &share, k->e) && share >= LEAST_SHARE &&
	    share < 1)
		return 0;
	err_set(k->e, ERR_USAGE,
		"'memory': '%.64s', expected a share such as 0.8 or 80 %%, of at least "
		"0.1 %%",
		o->value);
	return complain(k, o->where);
}

/* The option @name when it says something, NULL when it leaves the choice. */
static struct plan_option *given(struct plan_step *st, const char *name)
{
	for (size_t i = 0; i < st->n_options && name; i++) {
		struct plan_option *o = &st->options[i];

		if (!strcmp(o->name, name) && strcmp(o->value, "auto") != 0 &&
		    strcmp(o->value, "none") != 0)
			return o;
	}
	return NULL;
}

static void drop(struct plan_step *st, const struct plan_option *o)
{
	const size_t i = (size_t)(o - st->options);

	memmove(&st->options[i], &st->options[i + 1],
		(st->n_options - i - 1) * sizeof(*o));
	st->n_options--;
}

/* Of two ways to say one size: that of the command line counts, else it is an error. */
static int only_one(const struct kernel_says *k, struct plan_step *st, const char *first,
		    const char *second)
{
	const struct plan_option *a = given(st, first), *b = given(st, second);

	if (!a || !b)
		return 0;
	if (is_set(a) == is_set(b)) {
		err_set(k->e, ERR_USAGE,
			"'%s' and '%s' are both given: each says the size, leave one out",
			a->name, b->name);
		return complain(k, a > b ? a->where : b->where);
	}
	drop(st, is_set(a) ? b : a);
	return 0;
}

static int check_sizes(const struct kernel_says *k, struct plan_step *st)
{
	const json_t *sizes = json_object_get(k->fit, "options"), *size;
	const char *file = json_string_value(json_object_get(k->fit, "file"));
	size_t i;

	json_array_foreach(sizes, i, size)
	{
		const char *name = json_string_value(size);

		if (only_one(k, st, name, "memory") ||
		    (file && only_one(k, st, name, file)))
			return -1;
	}
	return file ? only_one(k, st, file, "memory") : 0;
}

static int check_step(const struct kernel_says *k, struct plan_step *st)
{
	if (check_on(k, st))
		return -1;
	for (size_t i = 0; i < st->n_options; i++) {
		struct plan_option *o = &st->options[i];
		const json_t *says = by_name(k->options, o->name);

		if (is_share(k, o)) {
			if (check_share(k, o))
				return -1;
			continue;
		}
		if (!says)
			return unknown(k, o);
		if (check_value(k, o, says))
			return -1;
	}
	return k->fit ? check_sizes(k, st) : 0;
}

/* "stream.triadd": a requirement that this kernel should know and does not. */
static int check_requires(const struct kernel_says *k, const struct plan *p)
{
	size_t len = strlen(k->kernel);

	for (size_t i = 0; i < p->n_requires; i++) {
		const char *name = p->requires[i];
		struct suggest s = suggest_start(name);

		if (strncmp(name, k->kernel, len) != 0 || name[len] != '.' ||
		    by_name(k->metrics, name))
			continue;
		offer_names(&s, k->metrics);
		err_set(k->e, ERR_USAGE,
			"'requires': kernel '%s' has no metric '%s'%s%s%s", k->kernel,
			name, s.best ? ", did you mean '" : "", s.best ? s.best : "",
			s.best ? "'?" : "");
		return complain(k, p->requires_where[i]);
	}
	return 0;
}

static int check_plan(const struct kernel_says *k, struct plan *p)
{
	for (size_t i = 0; i < p->n_stages; i++) {
		struct plan_stage *stage = &p->stages[i];

		for (size_t j = 0; j < stage->n_steps; j++) {
			if (!strcmp(stage->steps[j].kernel, k->kernel) &&
			    check_step(k, &stage->steps[j]))
				return -1;
		}
	}
	return check_requires(k, p);
}

int plan_check_options(struct plan *p, const char *kernel, const char *describe,
		       struct err *e)
{
	json_t *says = json_loads(describe, JSON_REJECT_DUPLICATES, NULL);
	struct kernel_says k = {.plan = p,
				.kernel = kernel,
				.options = json_object_get(says, "options"),
				.metrics = json_object_get(says, "metrics"),
				.fit = json_object_get(says, "fit"),
				.e = e};
	int rc;

	if (json_is_array(k.options) && json_is_array(k.metrics) &&
	    !strcmp(json_member_text(says, "kernel"), kernel))
		rc = check_plan(&k, p);
	else
		rc = err_set(e, ERR_SYSTEM, "kernel '%s' does not describe itself as one",
			     kernel);
	json_decref(says);
	return rc;
}
