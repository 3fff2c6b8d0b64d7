/* SPDX-License-Identifier: Apache-2.0 */
/* Options from the command line: see options.h. */
#include "kernels/kit/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "base/units.h"

static const char *const formats[] = {"text", "records", NULL};
static const char *const hangs[] = {"none", "all", "last", NULL};

const struct kit_option kit_common_options[] = {
	{.name = "format",
	 .type = KIT_CHOICE,
	 .def = "text",
	 .choices = formats,
	 .help = "text for people, records for the controller"},
	{.name = "cpuset",
	 .type = KIT_TEXT,
	 .def = "",
	 .help = "CPUs of each local rank in thread order, as 0-7:8-15; only CPUs this "
		 "process may use"},
	{.name = "threads",
	 .type = KIT_INT,
	 .def = "0",
	 .max = 8192,
	 .help = "busy threads of each rank; 0: OMP_NUM_THREADS, else every CPU of "
		 "--cpuset, else one a core"},
	{.name = "limit",
	 .type = KIT_TIME,
	 .def = "0",
	 .help = "seconds after which it must have ended; 5 s later it ends itself; 0: "
		 "none"},
	{.name = "describe",
	 .type = KIT_FLAG,
	 .def = "no",
	 .help = "metrics and options as JSON"},
	/* for the controller: what would be run on so many ranks, and nothing is */
	{.name = "outline", .hidden = true, .type = KIT_INT, .def = "0", .max = 1 << 20},
	{.name = "help",
	 .letter = 'h',
	 .type = KIT_FLAG,
	 .def = "no",
	 .help = "this text"},
	{.name = "version", .type = KIT_FLAG, .def = "no", .help = "version and build"},
	/* for the tests of the watchdog: every rank, or the last one, never ends its run
	 */
	{.name = "hang",
	 .hidden = true,
	 .type = KIT_CHOICE,
	 .def = "none",
	 .choices = hangs},
	{.name = NULL},
};

static size_t count(const struct kit_option *o)
{
	size_t n = 0;

	while (o && o[n].name)
		n++;
	return n;
}

const struct kit_value *options_get(const struct kit_values *v, const char *name)
{
	for (size_t i = 0; i < v->n; i++) {
		if (!strcmp(v->items[i].option->name, name))
			return &v->items[i];
	}
	return NULL;
}

void options_release(struct kit_values *v)
{
	free(v->items);
	*v = (struct kit_values){0};
}

/* "10" is seconds on a command line; units_duration() wants its unit. */
static int parse_time(struct kit_value *v, struct err *e)
{
	char text[64];

	if (v->text[strspn(v->text, "0123456789.")] || strlen(v->text) > 32)
		return units_duration(v->text, &v->seconds, e);
	(void)snprintf(text, sizeof(text), "%ss", v->text);
	return units_duration(text, &v->seconds, e);
}

static bool is_choice(const struct kit_option *o, const char *text)
{
	for (size_t i = 0; o->choices && o->choices[i]; i++) {
		if (!strcmp(o->choices[i], text))
			return true;
	}
	return false;
}

static int not_a_choice(const struct kit_option *o, const char *text, struct err *e)
{
	size_t n = 0;
	const char *near;
	struct err list = {0};

	for (; o->choices[n]; n++) {
		if (n)
			err_set(&list, ERR_USAGE, "%s, %s", list.msg, o->choices[n]);
		else
			err_set(&list, ERR_USAGE, "%s", o->choices[n]);
	}
	near = suggest(text, o->choices, n);
	if (near)
		return err_set(
			e, ERR_USAGE,
			"option '--%s': '%.64s' is not one of %s; did you mean '%s'?",
			o->name, text, list.msg, near);
	return err_set(e, ERR_USAGE, "option '--%s': '%.64s' is not one of %s", o->name,
		       text, list.msg);
}

static int in_limits(const struct kit_value *v, struct err *e)
{
	const struct kit_option *o = v->option;

	if (v->number < o->min)
		return err_set(
			e, ERR_USAGE,
			"option '--%s': '%.64s' is too small, expected at least %lld",
			o->name, v->text, (long long)o->min);
	if (o->max && v->number > o->max)
		return err_set(
			e, ERR_USAGE,
			"option '--%s': '%.64s' is too large, expected at most %lld",
			o->name, v->text, (long long)o->max);
	if (o->multiple && v->number % o->multiple) {
		const int64_t below = v->number / o->multiple * o->multiple;

		return err_set(
			e, ERR_USAGE,
			"option '--%s': '%.64s' is not a multiple of %lld, expected "
			"%lld or %lld",
			o->name, v->text, (long long)o->multiple, (long long)below,
			(long long)(below + o->multiple));
	}
	return 0;
}

static int parse_int(struct kit_value *v, struct err *e)
{
	char *end;

	errno = 0;
	v->number = strtoll(v->text, &end, 10);
	if (errno || end == v->text || *end || isspace((unsigned char)v->text[0]))
		return err_set(e, ERR_USAGE,
			       "option '--%s': '%.64s' is not a whole number",
			       v->option->name, v->text);
	return in_limits(v, e);
}

static int parse_value(struct kit_value *v, struct err *e)
{
	const struct kit_option *o = v->option;

	v->number = 0;
	v->seconds = 0;
	switch (o->type) {
	case KIT_TEXT:
	case KIT_FILE:
		return 0;
	case KIT_CHOICE:
		return is_choice(o, v->text) ? 0 : not_a_choice(o, v->text, e);
	case KIT_FLAG:
		v->number = !strcmp(v->text, "yes");
		if (v->number || !strcmp(v->text, "no"))
			return 0;
		return err_set(e, ERR_USAGE,
			       "option '--%s': '%.64s' is neither yes nor no", o->name,
			       v->text);
	case KIT_INT:
		return is_choice(o, v->text) ? 0 : parse_int(v, e);
	case KIT_SIZE:
		if (is_choice(o, v->text))
			return 0;
		if (units_size(v->text, &v->number, e))
			return err_at(e, "option '--%s'", o->name);
		return in_limits(v, e);
	case KIT_TIME:
		if (!is_choice(o, v->text) && parse_time(v, e))
			return err_at(e, "option '--%s'", o->name);
		return 0;
	}
	return 0;
}

static void defaults(struct kit_values *v, const struct kernel *kernel)
{
	const size_t own = count(kernel->options);

	v->n = own + count(kit_common_options);
	v->items = mem_calloc(v->n, sizeof(*v->items));
	for (size_t i = 0; i < v->n; i++) {
		const struct kit_option *o =
			i < own ? &kernel->options[i] : &kit_common_options[i - own];

		v->items[i].option = o;
		v->items[i].text = o->def;
	}
}

/* The option @word names ("--size", "--size=1G", "-m"); *@text is a value in it. */
static struct kit_value *match(struct kit_values *v, const char *word, const char **text)
{
	const char *eq = strchr(word, '=');
	size_t len = eq ? (size_t)(eq - word) : strlen(word);

	*text = NULL;
	for (size_t i = 0; i < v->n; i++) {
		const struct kit_option *o = v->items[i].option;

		if (word[1] == '-' && strlen(o->name) == len - 2 &&
		    !strncmp(o->name, word + 2, len - 2)) {
			*text = eq ? eq + 1 : NULL;
			return &v->items[i];
		}
		if (o->letter && word[1] == o->letter && !word[2])
			return &v->items[i];
	}
	return NULL;
}

static struct kit_value *operand(struct kit_values *v)
{
	for (size_t i = 0; i < v->n; i++) {
		if (v->items[i].option->operand && !v->items[i].given)
			return &v->items[i];
	}
	return NULL;
}

static int unknown(const struct kit_values *v, const char *word, struct err *e)
{
	size_t len = word[1] == '-' ? strcspn(word + 2, "=") : 0;
	struct suggest s;
	char name[65];

	(void)snprintf(name, sizeof(name), "%.*s", (int)(len < 64 ? len : 64), word + 2);
	s = suggest_start(name);
	for (size_t i = 0; i < v->n && len; i++) {
		if (!v->items[i].option->hidden)
			suggest_offer(&s, v->items[i].option->name);
	}
	if (s.best)
		return err_set(e, ERR_USAGE,
			       "unknown option '%.64s', did you mean '--%s'?", word,
			       s.best);
	return err_set(e, ERR_USAGE, "unknown option '%.64s', see --help", word);
}

/* Takes argv[i] and what belongs to it; gives the number of words taken, or -1. */
static int take(struct kit_values *v, int argc, char *const *argv, int i, struct err *e)
{
	const char *word = argv[i], *text = word;
	const char *next = i + 1 < argc ? argv[i + 1] : NULL;
	struct kit_value *value;
	int words = 1;

	if (word[0] != '-' || !word[1]) {
		value = operand(v);
		if (!value)
			return err_set(e, ERR_USAGE,
				       "unexpected word '%.64s', see --help", word);
	} else {
		value = match(v, word, &text);
		if (!value)
			return unknown(v, word, e);
	}
	if (!text && value->option->type == KIT_FLAG) {
		text = "yes";
		if (next && (!strcmp(next, "yes") || !strcmp(next, "no"))) {
			text = next;
			words = 2;
		}
	} else if (!text) {
		if (!next)
			return err_set(e, ERR_USAGE, "option '%.64s' needs a value",
				       word);
		text = next;
		words = 2;
	}
	if (value->given)
		return err_set(e, ERR_USAGE, "option '--%s' is given twice",
			       value->option->name);
	value->given = true;
	value->text = text;
	return words;
}

int options_parse(struct kit_values *v, const struct kernel *kernel, int argc,
		  char *const *argv, struct err *e)
{
	defaults(v, kernel);
	for (int i = 1; i < argc;) {
		int words = take(v, argc, argv, i, e);

		if (words < 0)
			return -1;
		i += words;
	}
	for (size_t i = 0; i < v->n; i++) {
		if (parse_value(&v->items[i], e))
			return -1;
	}
	return 0;
}
