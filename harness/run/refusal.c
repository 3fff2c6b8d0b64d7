/* SPDX-License-Identifier: Apache-2.0 */
/* Launchers that do not start the program: see refusal.h. */
#include "run/refusal.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

enum { MOST_NAME = 200 };

/* Part of a line, and what it means: Open MPI's words, and env's of a step with a dir. */
static const struct {
	const char *part, *what;
} said[] = {
	{"unable to find the specified executable", "command not found"},
	{"change to the specified working directory", "no such directory"},
	{"or execute an executable", "command not found or not executable"},
	{"via the \"execve\" system call", "command cannot be executed"},
	{"env: cannot change directory to ", "no such directory"},
};

/* Lines that follow in Open MPI's message, indented in some. */
static const char *const names[] = {
	"Executable:", "Working directory:", "Application name:"};
static const char *const nodes[] = {"Node:", "Local host:"};
static const char error[] = "Error:";

static bool begins(const char *line, size_t len, const char *with)
{
	const size_t n = strlen(with);

	return len >= n && !memcmp(line, with, n);
}

static void take(struct strbuf *to, const char *text, size_t len)
{
	while (len && strchr(" \t'", *text)) {
		text++;
		len--;
	}
	while (len && strchr(" \t\r'", text[len - 1]))
		len--;
	if (!to->len)
		utf8_printable(to, text, len < MOST_NAME ? len : MOST_NAME);
}

static void take_label(struct strbuf *to, const char *line, size_t len, const char *label)
{
	if (begins(line, len, label))
		take(to, line + strlen(label), len - strlen(label));
}

/* "env: cannot change directory to '/x': No such file or directory" */
static void take_env(struct refusal *r, const char *line, size_t len, const char *part)
{
	const char *from = line + strlen(part);
	const char *end = memmem(from, len - strlen(part), ": ", 2);

	take(&r->name, from, end ? (size_t)(end - from) : len - strlen(part));
}

void refusal_line(struct refusal *r, const char *line, size_t len)
{
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]) && !r->what; i++) {
		if (!memmem(line, len, said[i].part, strlen(said[i].part)))
			continue;
		r->what = said[i].what;
		if (begins(line, len, said[i].part) && begins(line, len, "env: "))
			take_env(r, line, len, said[i].part);
		/* "change to the specified working directory:" is no label of it */
		return;
	}
	while (len && *line == ' ') {
		line++;
		len--;
	}
	if (!r->what)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		take_label(&r->name, line, len, names[i]);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		take_label(&r->node, line, len, nodes[i]);
	take_label(&r->error, line, len, error);
}

void refusal_text(const struct refusal *r, struct strbuf *out)
{
	strbuf_addstr(out, r->what);
	if (r->name.len)
		strbuf_addf(out, ": '%s'", strbuf_str(&r->name));
	if (r->node.len)
		strbuf_addf(out, " on %s", strbuf_str(&r->node));
	if (r->error.len)
		strbuf_addf(out, ": %s", strbuf_str(&r->error));
}

void refusal_release(struct refusal *r)
{
	strbuf_release(&r->name);
	strbuf_release(&r->node);
	strbuf_release(&r->error);
	r->what = NULL;
}
