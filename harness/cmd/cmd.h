/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands of assay: one file cmd_NAME.c and one line in commands.def each. A command
 * returns its exit status and writes results to stdout, progress to stderr; only main
 * prints errors.
 */
#ifndef ASSAY_CMD_CMD_H
#define ASSAY_CMD_CMD_H

#include "base/err.h"
#include "reports/report.h"

/* What main found out before the command starts. */
struct cmd_env {
	const char *bindir;              /* folder of this program and of the kernels */
	const char *configs;             /* ../share/assay/configs of it */
	struct credentials *credentials; /* of BMCs, see cmd_env_open() */
};

/* Takes secrets out of the environment, see bios/credentials.h. */
void cmd_env_open(struct cmd_env *env);
void cmd_env_release(struct cmd_env *env);

struct command_def {
	const char *name, *usage, *help; /* usage: the words after the name */
	/*
	 * @argv[0] is the command's name. -1 with @e set is an error (main prints it and
	 * uses its exit status), otherwise the exit status.
	 */
	int (*run)(const struct cmd_env *env, int argc, char **argv, struct err *e);
};

#define COMMAND(n) extern const struct command_def cmd_##n;
#include "cmd/commands.def"
#undef COMMAND

const struct command_def *cmd_find(const char *name);
const struct command_def *cmd_at(size_t i); /* NULL at the end */

/*
 * Options of a command: one table gives the parser, --help and the suggestions for a
 * misspelt word. Long options only, "--name VALUE" or "--name=VALUE"; one letter where
 * `letter` is set. "--" ends the options.
 */
enum cmd_option_type {
	CMD_FLAG, /* target: bool * */
	CMD_TEXT, /* target: const char ** */
	CMD_LIST, /* target: struct cmd_list *, may be given several times */
};

struct cmd_list {
	const char **items;
	size_t n, cap;
};

struct cmd_option {
	const char *name;
	char letter; /* 0: none */
	enum cmd_option_type type;
	const char *value; /* name of the value in --help */
	const char *help;
	void *target;
};

/*
 * Parses @argv into the targets; *args gets the other words (in @argv's own array,
 * reordered), *n_args their number. "--help" prints usage and options of @c to stdout and
 * returns 1: the command then ends with 0. -1 with ERR_USAGE otherwise.
 */
int cmd_options(const struct command_def *c, const struct cmd_option *options, size_t n,
		int argc, char **argv, char ***args, int *n_args, struct err *e);
void cmd_list_release(struct cmd_list *l);

/*
 * How text on @fd (1 or 2) may look: colour only on a terminal without NO_COLOR and
 * TERM=dumb; UTF-8 signs as the locale says; width of the terminal, else COLUMNS, else
 * 100, at least 40.
 */
struct report_style cmd_style(int fd);

#endif
