/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels asked for their version: see programs.h. */
#include "programs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay_build.h"
#include "base/spawn.h"
#include "base/utf8.h"

enum { MAX_OUT = 4096 };

/* s for all of them, which are asked one after the other. */
static const double limit = 5;

struct program {
	char name[64];
	struct strbuf out, err;
	struct strbuf *broken;
};

static int output(void *ctx, int fd, const char *data, size_t len)
{
	struct program *p = ctx;
	struct strbuf *to = fd == 1 ? &p->out : &p->err;

	strbuf_add(to, data, len < MAX_OUT - to->len ? len : MAX_OUT - to->len);
	return 0;
}

/* "/opt/bin/assay-hpl: error while loading ...": the name is told already. */
static void add_first_line(struct strbuf *out, const char *text)
{
	const char *colon = strstr(text, ": ");
	const char *from = text[0] == '/' && colon ? colon + 2 : text;

	utf8_printable(out, from, strcspn(from, "\n"));
}

static void ended(void *ctx, const struct spawn_result *r)
{
	static const char build[] = "(" ASSAY_BUILD ")";
	struct program *p = ctx;
	const char *end = r->end == SPAWN_EXITED && !r->signal ? NULL : "does not answer";

	if (!end && !r->exit && strstr(strbuf_str(&p->out), build))
		return;
	strbuf_addf(p->broken, "%sassay-%s: ", p->broken->len ? "; " : "", p->name);
	if (r->error)
		strbuf_addstr(p->broken, strerror(r->error));
	else if (end)
		strbuf_addstr(p->broken, end);
	else if (!r->exit)
		strbuf_addf(p->broken, "another build than the probe's %s", ASSAY_BUILD);
	else if (p->err.len)
		add_first_line(p->broken, strbuf_str(&p->err));
	else
		strbuf_addf(p->broken, "exit status %d", r->exit);
}

static int ask(struct spawn *s, const char *folder, struct program *p, struct err *e)
{
	char path[PATH_MAX];
	const char *argv[] = {path, "--version", NULL};
	/* the first line of ld.so's complaint, and no other language */
	static const char *const env[] = {"LC_ALL=C", NULL};
	const struct spawn_command c = {.argv = argv,
					.env = env,
					.limit = limit,
					.output = output,
					.ended = ended,
					.ctx = p};

	if ((size_t)snprintf(path, sizeof(path), "%s/assay-%s", folder, p->name) >=
	    sizeof(path))
		return err_set(e, ERR_SYSTEM, "'%s': too long", folder);
	if (spawn_start(s, &c, e))
		return -1;
	while (spawn_running(s)) {
		if (spawn_pump(s, 1, e))
			return -1;
	}
	strbuf_release(&p->out);
	strbuf_release(&p->err);
	return 0;
}

int programs_check(const char *list, struct strbuf *broken, struct err *e)
{
	const char *run = getenv("ASSAY_RUN");
	char self[PATH_MAX] = "", *slash;
	struct spawn *s;
	int rc = 0;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		self[0] = '\0';
	slash = strrchr(self, '/');
	if (!slash)
		return err_set(e, ERR_SYSTEM, "where this program is");
	*slash = '\0';
	if (spawn_open(&s, run ? run : "probe", e))
		return -1;
	while (*list && !rc) {
		struct program p = {.broken = broken};
		size_t n = strcspn(list, ",");

		if (n && n < sizeof(p.name)) {
			memcpy(p.name, list, n);
			rc = ask(s, self, &p, e);
		}
		list += n + (list[n] == ',');
	}
	spawn_close(s);
	return rc;
}
