/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of problems: see fit.h. */
#include "plan/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "record/json.h"

/* What a kernel takes besides its arrays: buffers, panels, MPI. */
#define EXTRA 1.1

enum { MOST_OPTIONS = 4 };

/* The "fit" of a kernel. */
struct fit {
	const struct fit_question *q;
	struct step *s;
	struct arena *a;
	const char *options[MOST_OPTIONS]; /* names of the size's options */
	size_t n_options;
	double power, bytes;
	bool per_rank, strict;
	double multiple, least;
	double given[MOST_OPTIONS]; /* sizes; NAN: not given */
};

/* The value of option @name among the step's words, or NULL. */
static const char *value_of(const struct step *s, const char *name)
{
	for (size_t i = 0; i + 1 < s->n_options; i += 2) {
		if (!strcmp(s->options[i] + 2, name))
			return s->options[i + 1];
	}
	return NULL;
}

static void set(struct fit *f, const char *name, const char *value)
{
	struct step *s = f->s;
	const char **more;

	for (size_t i = 0; i + 1 < s->n_options; i += 2) {
		if (!strcmp(s->options[i] + 2, name)) {
			s->options[i + 1] = value;
			return;
		}
	}
	more = arena_alloc(f->a, s->n_options + 2, sizeof(*more));
	memcpy(more, s->options, s->n_options * sizeof(*more));
	more[s->n_options++] = arena_printf(f->a, "--%s", name);
	more[s->n_options++] = value;
	s->options = more;
}

static void unset(struct step *s, const char *name)
{
	for (size_t i = 0; i + 1 < s->n_options; i += 2) {
		if (strcmp(s->options[i] + 2, name) != 0)
			continue;
		memmove(&s->options[i], &s->options[i + 2],
			(s->n_options - i - 2) * sizeof(*s->options));
		s->n_options -= 2;
		return;
	}
}

/* A whole number above zero, "179328" or "4G"; NAN for "auto" and what is no number. */
static double whole(const char *text)
{
	struct err none = {0};
	int64_t v;

	return text && !units_size(text, &v, &none) ? (double)v : NAN;
}

/* What the plan, or else the kernel's default, says for an option. */
static const char *option_or_default(const struct fit *f, const char *name)
{
	const json_t *all = json_object_get(f->q->says, "options"), *o;
	const char *value = value_of(f->s, name);
	size_t i;

	if (value)
		return value;
	json_array_foreach(all, i, o)
	{
		if (!strcmp(json_member_text(o, "name"), name))
			return json_member_text(o, "default");
	}
	return NULL;
}

static bool declares(const struct fit *f, const char *name)
{
	const json_t *o;
	size_t i;

	json_array_foreach(json_object_get(f->q->says, "options"), i, o)
	{
		if (!strcmp(json_member_text(o, "name"), name))
			return true;
	}
	return false;
}

/* A number, or the option that holds it: "nb", "nb|576" where it may hold a word. */
static double multiple(const struct fit *f, const json_t *says)
{
	const json_t *m = json_object_get(says, "multiple");
	const char *text = json_string_value(m);
	double v = json_number_value(m);

	if (text) {
		const size_t len = strcspn(text, "|");
		const char *name = arena_strndup(f->a, text, len);

		v = whole(option_or_default(f, name));
		if (isnan(v) && text[len])
			v = whole(text + len + 1);
	}
	return v >= 1 ? v : 1;
}

/* False: the kernel has no size that could be chosen. */
static bool read_fit(struct fit *f)
{
	const json_t *says = json_object_get(f->q->says, "fit"), *o;
	size_t i;

	json_array_foreach(json_object_get(says, "options"), i, o)
	{
		if (i < MOST_OPTIONS && json_is_string(o))
			f->options[f->n_options++] = json_string_value(o);
	}
	f->power = json_number_value(json_object_get(says, "power"));
	f->bytes = json_number_value(json_object_get(says, "bytes"));
	f->per_rank = !strcmp(json_member_text(says, "of"), "rank");
	f->strict = json_is_true(json_object_get(says, "strict"));
	f->least = json_number_value(json_object_get(says, "least"));
	f->multiple = multiple(f, says);
	for (i = 0; i < f->n_options; i++)
		f->given[i] = whole(value_of(f->s, f->options[i]));
	return f->n_options && f->power >= 1 && f->power <= 3 && f->bytes > 0;
}

/* Elements of the problem of one rank when each option is @size. */
static double elements(const struct fit *f, const double *sizes)
{
	double n = 1;

	if (f->n_options == 1)
		n = pow(sizes[0], f->power);
	for (size_t i = 0; i < f->n_options && f->n_options > 1; i++)
		n *= sizes[i];
	return f->per_rank ? n : n / f->s->ranks;
}

/* The largest size for which @bytes a rank are enough when @ranks share the problem. */
static double size_for(const struct fit *f, double bytes, double ranks)
{
	double n = bytes / f->bytes * (f->per_rank ? 1 : ranks);

	return floor(pow(n, 1 / f->power) / f->multiple) * f->multiple;
}

static const char *text_of(const struct fit *f, double size)
{
	return arena_printf(f->a, "%.0f", size);
}

static double nodes_of(const struct fit *f)
{
	return (double)f->s->n_nodes;
}

static bool grows(const struct fit *f)
{
	return f->q->smallest && f->q->ps->scaling == PLAN_SCALING_WEAK;
}

static bool stays(const struct fit *f)
{
	return f->q->smallest && f->q->ps->scaling == PLAN_SCALING_STRONG;
}

static double rounded(const struct fit *f, double size)
{
	/* the size of the smallest set itself must come back as it was given */
	return floor((size + 1e-6) / f->multiple) * f->multiple;
}

/*
 * From what holds for the smallest set of a series. The whole problem grows with the
 * nodes (weak), so that of one rank stays, or the other way round (strong).
 */
static double scaled(const struct fit *f, double size)
{
	double by = f->q->smallest ? nodes_of(f) / (double)f->q->smallest : 1;

	if (by == 1)
		return size;
	if (!f->per_rank && grows(f))
		return rounded(f, size * pow(by, 1 / f->power));
	if (f->per_rank && stays(f))
		return rounded(f, size / pow(by, 1 / f->power));
	return size;
}

static void refuse(struct fit *f, const char *why)
{
	if (!f->s->refused)
		f->s->refused = why;
}

/* "N 430000": as users of the kernel write it. */
static const char *called(const struct fit *f, const double *sizes)
{
	if (f->n_options == 1)
		return arena_printf(f->a, "%s %.0f", f->options[0], sizes[0]);
	if (f->n_options == 3)
		return arena_printf(f->a, "%.0f x %.0f x %.0f", sizes[0], sizes[1],
				    sizes[2]);
	return arena_printf(f->a, "%s %.0f and others", f->options[0], sizes[0]);
}

/* Sizes a kernel cannot have at all. */
static bool possible(struct fit *f, const double *sizes)
{
	for (size_t i = 0; i < f->n_options; i++) {
		double v = sizes[i], below = floor(v / f->multiple) * f->multiple;

		if (isnan(v) || (v >= f->least && v >= 1 &&
				 (!f->strict || fmod(v, f->multiple) == 0)))
			continue;
		if (v < f->least || v < 1)
			refuse(f,
			       arena_printf(f->a, "%s %.0f is too small, at least %.0f",
					    f->options[i], v, fmax(f->least, 1)));
		else
			refuse(f, arena_printf(f->a,
					       "%s %.0f is no multiple of %.0f: %.0f or "
					       "%.0f",
					       f->options[i], v, f->multiple, below,
					       below + f->multiple));
		return false;
	}
	return true;
}

/* The sizes fit into the smallest node, or what would is said, or taken for a part. */
static void check_memory(struct fit *f, double *sizes)
{
	double need = elements(f, sizes) * f->bytes * EXTRA * f->s->per_node;
	char needs[UNITS_TEXT], has[UNITS_TEXT];
	double most;

	if (isnan(f->q->memory) || isnan(need) || need <= f->q->memory)
		return;
	most = size_for(f, f->q->memory / EXTRA / f->s->per_node, f->s->ranks);
	if (f->q->part) {
		for (size_t i = 0; i < f->n_options; i++)
			sizes[i] = fmin(sizes[i], most);
		return;
	}
	refuse(f,
	       arena_printf(f->a,
			    "%s needs %s a node, %s has %s usable: the largest that "
			    "fits is %s%.0f",
			    called(f, sizes),
			    units_format_memory(needs, sizeof(needs), need), f->q->node,
			    units_format_memory(has, sizeof(has), f->q->memory),
			    f->n_options == 1 ? "" : "a cube of ", most));
}

/* What the process grid is called, and that it is of all ranks. */
static void check_grid(struct fit *f)
{
	const json_t *grid = json_object_get(json_object_get(f->q->says, "fit"), "grid");
	double p, q;

	if (json_array_size(grid) != 2)
		return;
	p = whole(value_of(f->s, json_string_value(json_array_get(grid, 0))));
	q = whole(value_of(f->s, json_string_value(json_array_get(grid, 1))));
	for (size_t i = 0; i < 2; i++) {
		const double one = i ? q : p, other = i ? p : q;

		if (one > 0 && isnan(other) && fmod(f->s->ranks, one) != 0)
			refuse(f,
			       arena_printf(
				       f->a, "%s %.0f: %d rank%s cannot be divided by it",
				       json_string_value(json_array_get(grid, i)), one,
				       f->s->ranks, f->s->ranks == 1 ? "" : "s"));
	}
	if (p * q != f->s->ranks && p * q > 0)
		refuse(f, arena_printf(f->a,
				       "P x Q is %.0f x %.0f, %.0f ranks, and there are "
				       "%d",
				       p, q, p * q, f->s->ranks));
}

/* A file says all sizes, and which grids. */
static bool from_file(const struct fit *f)
{
	const char *name = json_string_value(
		json_object_get(json_object_get(f->q->says, "fit"), "file"));
	const char *file = name ? value_of(f->s, name) : NULL;

	return file && strcmp(file, "none") != 0;
}

/* The share of memory the plan gives; NAN: none, and *refused when it is no share. */
static double share_of(struct fit *f)
{
	const char *text = value_of(f->s, "memory");
	struct err e = {0};
	double share = NAN;

	if (!text || (!strcmp(text, "auto") && !f->q->ps->scaling))
		return NAN;
	if (units_parse(text, "ratio", &share, &e) || !(share > 0 && share < 1)) {
		refuse(f, arena_printf(f->a,
				       "memory '%.32s', expected a share between 0 and 1",
				       text));
		return NAN;
	}
	return share;
}

/* The size from a share of the memory; false when that is not known. */
static bool from_share(struct fit *f, double share, double *sizes)
{
	const struct fit_question *q = f->q;
	double ranks = f->s->ranks, bytes = share * q->memory / f->s->per_node;
	char text[UNITS_TEXT];
	double size;

	if (isnan(f->q->memory))
		return false;
	if (stays(f))
		ranks = (double)f->q->smallest * f->s->per_node;
	size = size_for(f, bytes, ranks);
	if (size < fmax(f->least, 1)) {
		refuse(f, arena_printf(f->a,
				       "memory %s of %s is %s a rank: too little for "
				       "the smallest problem, %s %.0f",
				       value_of(f->s, "memory"), q->node,
				       units_format_memory(text, sizeof(text), bytes),
				       f->options[0], fmax(f->least, f->multiple)));
		return true;
	}
	if (f->per_rank && stays(f))
		size = scaled(f, size);
	for (size_t i = 0; i < f->n_options; i++)
		sizes[i] = size;
	return true;
}

void fit_apply(const struct fit_question *q, struct step *s, struct arena *a)
{
	struct fit f = {.q = q, .s = s, .a = a};
	double sizes[MOST_OPTIONS] = {NAN, NAN, NAN, NAN}, share;
	bool given = false;

	if (s->refused || !read_fit(&f) || from_file(&f))
		return;
	check_grid(&f);
	share = share_of(&f);
	for (size_t i = 0; i < f.n_options; i++) {
		given |= !isnan(f.given[i]);
		sizes[i] = scaled(&f, f.given[i]);
	}
	if (stays(&f) && !given && isnan(share))
		refuse(&f, arena_printf(a,
					"a series of one size needs that size: give %s, "
					"or memory",
					f.options[0]));
	if (s->refused || !possible(&f, f.given))
		return;
	if (!isnan(share) && given) {
		refuse(&f, arena_printf(a, "%s and memory are both given", f.options[0]));
		return;
	}
	if (!given && (isnan(share) || !from_share(&f, share, sizes))) {
		if (!declares(&f, "memory"))
			unset(s, "memory");
		return; /* the kernel's own choice */
	}
	if (!s->refused)
		check_memory(&f, sizes);
	if (s->refused || !possible(&f, sizes))
		return;
	unset(s, "memory");
	for (size_t i = 0; i < f.n_options; i++) {
		if (!isnan(sizes[i]))
			set(&f, f.options[i], text_of(&f, sizes[i]));
	}
}
