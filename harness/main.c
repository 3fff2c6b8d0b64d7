/* SPDX-License-Identifier: Apache-2.0 */
/* assay: finds the command, prints its error, exits. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay_build.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cmd/cmd.h"

static const struct command_def *const commands[] = {
#define COMMAND(n) &cmd_##n,
#include "cmd/commands.def"
#undef COMMAND
};

enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

const struct command_def *cmd_at(size_t i)
{
	return i < N_COMMANDS ? commands[i] : NULL;
}

const struct command_def *cmd_find(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

static void usage(FILE *out)
{
	(void)fprintf(out,
		      "usage: assay COMMAND [WORDS] [--help]\n\n"
		      "Proves that every node, every link and the machine as a whole is "
		      "what was bought.\n\ncommands:\n");
	for (size_t i = 0; i < N_COMMANDS; i++)
		(void)fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->help);
	(void)fprintf(out,
		      "\nexit status:\n"
		      "  0  good\n"
		      "  1  a FAIL\n"
		      "  2  usage or configuration, no kernel launched\n"
		      "  3  no FAIL, but ERROR or INCONCLUSIVE, or not judged at all\n"
		      "  4  the harness could not go on (disk, memory)\n"
		      "  128+n  ended by signal n after writing what it had\n"
		      "Of several the first of 2, 4, 128+n, 1, 3, 0 counts.\n");
}

static int no_such_command(const char *word, struct err *e)
{
	struct suggest near = suggest_start(word);
	char kernel[PATH_MAX], self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = '\0';
	if (n > 0 && !strchr(word, '/')) {
		(void)snprintf(kernel, sizeof(kernel), "%.*s/assay-%s",
			       (int)(strrchr(self, '/') - self), self, word);
		if (!access(kernel, X_OK))
			return err_set(
				e, ERR_USAGE,
				"unknown command '%.64s', did you mean 'assay-%.64s'?",
				word, word);
	}
	for (size_t i = 0; i < N_COMMANDS; i++)
		suggest_offer(&near, commands[i]->name);
	if (near.best)
		return err_set(e, ERR_USAGE,
			       "unknown command '%.64s', did you mean '%s'?", word,
			       near.best);
	return err_set(e, ERR_USAGE, "unknown command '%.64s', see assay --help", word);
}

/* Where this program is; kernels are beside it, configurations in ../share. */
static int find_self(char *bindir, char *configs, size_t size, struct err *e)
{
	ssize_t n = readlink("/proc/self/exe", bindir, size - 1);
	char *slash;

	if (n <= 0)
		return err_set(e, ERR_SYSTEM, "cannot read /proc/self/exe");
	bindir[n] = '\0';
	slash = strrchr(bindir, '/');
	*slash = '\0';
	(void)snprintf(configs, size, "%.*s/../share/assay/configs",
		       (int)(slash - bindir), bindir);
	return 0;
}

static int run_command(int argc, char **argv, struct err *e)
{
	char bindir[PATH_MAX / 2], configs[PATH_MAX];
	struct cmd_env env = {.bindir = bindir, .configs = configs};
	const struct command_def *c = cmd_find(argv[1]);
	int status;

	if (!c)
		return no_such_command(argv[1], e);
	if (find_self(bindir, configs, sizeof(bindir), e))
		return -1;
	/* before anything is started that would inherit them */
	cmd_env_open(&env);
	status = c->run(&env, argc - 1, argv + 1, e);
	cmd_env_release(&env);
	return status;
}

/* A report that could not be written is no success; a reader that left is none of ours.
 */
static int flush_stdout(int status)
{
	int bad = fflush(stdout) || ferror(stdout);

	if (!bad || errno == EPIPE || status == 2 || status == 4)
		return status;
	(void)fprintf(stderr, "assay: write to standard output: %s\n", strerror(errno));
	return 4;
}

/*
 * With stdout closed, the next file opened would get its number, and a report would be
 * printed into the journal.
 */
static void open_standard(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
}

int main(int argc, char **argv)
{
	struct err e = {0};
	struct strbuf text = {0};
	int status;

	open_standard();
	/* numbers are written and read with a point, whatever the locale */
	(void)setlocale(LC_CTYPE, "");
	/* a closed pipe is an error of write(), not the end before the journal is safe */
	(void)signal(SIGPIPE, SIG_IGN);
	/* so is a limit on the size of files */
	(void)signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		usage(stdout);
		return flush_stdout(0);
	}
	if (!strcmp(argv[1], "--version")) {
		(void)printf("assay %s (build %s)\n", ASSAY_VERSION, ASSAY_BUILD);
		return flush_stdout(0);
	}
	status = run_command(argc, argv, &e);
	if (e.kind != ERR_NONE) {
		utf8_printable(&text, e.msg, strlen(e.msg));
		(void)fprintf(stderr, "assay: %s\n", strbuf_str(&text));
		strbuf_release(&text);
		status = err_exit_status(&e);
	}
	return flush_stdout(status < 0 ? 4 : status);
}
