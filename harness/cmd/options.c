/* SPDX-License-Identifier: Apache-2.0 */
/* Option tables of commands, and how output may look: see cmd.h. */
#include "cmd/cmd.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/suggest.h"

static void print_help(const struct command_def *c, const struct cmd_option *o, size_t n)
{
	(void)printf("usage: assay %s %s\n\n%s\n\noptions:\n", c->name, c->usage,
		     c->help);
	for (size_t i = 0; i < n; i++) {
		char left[80], letter[8] = "    ";

		if (o[i].letter)
			(void)snprintf(letter, sizeof(letter), "-%c, ", o[i].letter);
		(void)snprintf(left, sizeof(left), "%s--%s%s%s", letter, o[i].name,
			       o[i].value ? " " : "", o[i].value ? o[i].value : "");
		(void)printf("  %-30s %s\n", left, o[i].help);
	}
	(void)printf("  %-30s %s\n", "    --help", "this text");
}

static int unknown(const char *word, const struct cmd_option *o, size_t n, struct err *e)
{
	struct suggest near = suggest_start(strncmp(word, "--", 2) ? word : word + 2);

	for (size_t i = 0; i < n; i++)
		suggest_offer(&near, o[i].name);
	suggest_offer(&near, "help");
	if (near.best)
		return err_set(e, ERR_USAGE,
			       "unknown option '%.64s', did you mean '--%s'?", word,
			       near.best);
	return err_set(e, ERR_USAGE, "unknown option '%.64s', see --help", word);
}

static void store(const struct cmd_option *o, const char *value)
{
	struct cmd_list *l;

	switch (o->type) {
	case CMD_FLAG:
		*(bool *)o->target = true;
		break;
	case CMD_TEXT:
		*(const char **)o->target = value;
		break;
	case CMD_LIST:
		l = o->target;
		mem_grow(&l->items, &l->cap, l->n + 1, sizeof(*l->items));
		l->items[l->n++] = value;
		break;
	}
}

/* The option @word names, and the value written in the same word, if any. */
static const struct cmd_option *match(const struct cmd_option *o, size_t n,
				      const char *word, const char **value)
{
	*value = NULL;
	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(o[i].name);

		if (!strncmp(word, "--", 2) && !strncmp(word + 2, o[i].name, len) &&
		    (word[2 + len] == '=' || !word[2 + len])) {
			if (word[2 + len])
				*value = word + 3 + len;
			return &o[i];
		}
		if (o[i].letter && word[1] == o[i].letter &&
		    (!word[2] || o[i].type != CMD_FLAG)) {
			if (word[2])
				*value = word + 2;
			return &o[i];
		}
	}
	return NULL;
}

/* One word that begins with '-'; *i is moved on when it takes the next one. */
static int option(const struct cmd_option *o, size_t n, int argc, char **argv, int *i,
		  struct err *e)
{
	const char *value;
	const struct cmd_option *hit = match(o, n, argv[*i], &value);

	if (!hit)
		return unknown(argv[*i], o, n, e);
	if (hit->type == CMD_FLAG && value)
		return err_set(e, ERR_USAGE, "option '--%s' takes no value", hit->name);
	if (!value && hit->type != CMD_FLAG) {
		if (*i + 1 >= argc)
			return err_set(e, ERR_USAGE, "option '--%s' needs a value: %s",
				       hit->name, hit->value);
		value = argv[++*i];
	}
	store(hit, value);
	return 0;
}

int cmd_options(const struct command_def *c, const struct cmd_option *o, size_t n,
		int argc, char **argv, char ***args, int *n_args, struct err *e)
{
	bool words_only = false;

	*args = argv + 1;
	*n_args = 0;
	for (int i = 1; i < argc; i++) {
		if (!words_only && !strcmp(argv[i], "--")) {
			words_only = true;
		} else if (!words_only &&
			   (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))) {
			print_help(c, o, n);
			return 1;
		} else if (!words_only && argv[i][0] == '-' && argv[i][1]) {
			if (option(o, n, argc, argv, &i, e))
				return -1;
		} else {
			(*args)[(*n_args)++] = argv[i];
		}
	}
	return 0;
}

void cmd_list_release(struct cmd_list *l)
{
	free(l->items);
	memset(l, 0, sizeof(*l));
}

struct report_style cmd_style(int fd)
{
	enum { DEFAULT_WIDTH = 100, LEAST_WIDTH = 40, MOST_WIDTH = 500 };
	struct report_style s = {.width = DEFAULT_WIDTH};
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	const char *columns = getenv("COLUMNS");
	long asked = columns ? strtol(columns, NULL, 10) : 0;
	struct winsize ws;
	bool tty = isatty(fd);

	s.colour = tty && term && *term && strcmp(term, "dumb") != 0 &&
		   !(no_color && *no_color);
	s.utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (tty && !ioctl(fd, TIOCGWINSZ, &ws) && ws.ws_col > 0)
		s.width = ws.ws_col;
	else if (asked > 0 && asked <= MOST_WIDTH)
		s.width = (int)asked;
	if (s.width < LEAST_WIDTH)
		s.width = LEAST_WIDTH;
	if (s.width > MOST_WIDTH)
		s.width = MOST_WIDTH;
	return s;
}
