/* SPDX-License-Identifier: Apache-2.0 */
/* One command on every node, and kernels asked about themselves: see runner.h. */
#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "run/hints.h"
#include "run/runner.h"

enum { MOST_AT_ONCE = 64, MAX_OUT = 16 << 20, MAX_ERR = 4096, MAX_WHY = 300 };

/* Seconds: how soon *stop is seen; time for a kernel to describe itself. */
static const double heartbeat = 0.25, describe_limit = 20;

struct reach {
	struct runner *r;
	double limit;
	int (*fn)(void *ctx, const struct reach_result *res, struct err *e);
	void *ctx;
	struct spawn *spawn;
	bool stopped, failed;
	struct err *e;
};

struct visit {
	struct reach *reach;
	const char *node;
	bool remote;
	bool cut; /* more than MAX_OUT came */
	struct strbuf out, err;
};

static void keep_end(struct strbuf *sb, const char *data, size_t len)
{
	strbuf_add(sb, data, len);
	if (sb->len > 2 * (size_t)MAX_ERR) {
		memmove(sb->buf, sb->buf + sb->len - MAX_ERR, MAX_ERR);
		strbuf_truncate(sb, MAX_ERR);
	}
}

static int visit_output(void *ctx, int fd, const char *data, size_t len)
{
	struct visit *v = ctx;

	if (fd == 2) {
		keep_end(&v->err, data, len);
		return 0;
	}
	if (len > MAX_OUT - v->out.len) {
		len = MAX_OUT - v->out.len;
		v->cut = true;
	}
	strbuf_add(&v->out, data, len);
	return v->cut;
}

static enum reach_end end_of(const struct visit *v, const struct spawn_result *r)
{
	if (r->end == SPAWN_TIMEOUT)
		return REACH_TIMEOUT;
	/* ssh, and what stands in for it: 255 is its own failure, see ssh(1) */
	if (v->remote && (r->error || r->signal || r->exit == 255))
		return REACH_TRANSPORT;
	return REACH_RAN;
}

/* The last line of @text that is not blank: what ssh says last is why. */
static void add_last_line(struct strbuf *out, const char *text)
{
	size_t len = strlen(text), begin;

	while (len && strchr(" \t\r\n", text[len - 1]))
		len--;
	begin = len;
	while (begin && text[begin - 1] != '\n')
		begin--;
	if (len == begin)
		return;
	strbuf_addstr(out, ": ");
	utf8_printable(out, text + begin, len - begin < MAX_WHY ? len - begin : MAX_WHY);
}

static void why_not(const struct visit *v, const struct spawn_result *r,
		    enum reach_end end, struct strbuf *why)
{
	const char *hint;

	if (end == REACH_TIMEOUT) {
		strbuf_addf(why, "no answer after %g s", v->reach->limit);
	} else if (v->cut) {
		strbuf_addf(why, "more than %d MiB of output", MAX_OUT >> 20);
	} else if (r->error) {
		strbuf_addf(why, "cannot be started: %s", strerror(r->error));
	} else if (r->signal) {
		strbuf_addf(why, "ended by signal %d (%s)", r->signal,
			    strsignal(r->signal));
	} else if (r->exit) {
		strbuf_addf(why, "exit status %d", r->exit);
	}
	if (why->len && end != REACH_TIMEOUT && !v->cut)
		add_last_line(why, strbuf_str(&v->err));
	hint = why->len ? hints_find(strbuf_str(&v->err), v->err.len) : NULL;
	if (hint)
		strbuf_addf(why, "; hint: %s", hint);
}

static void visit_ended(void *ctx, const struct spawn_result *r)
{
	struct visit *v = ctx;
	struct reach *reach = v->reach;
	struct strbuf why = {0};
	struct reach_result res = {.node = v->node,
				   .end = end_of(v, r),
				   .exit = v->cut ? -1 : r->exit,
				   .signal = r->signal,
				   .duration = r->duration,
				   .wall = clock_wall(),
				   .out = strbuf_str(&v->out),
				   .out_len = v->out.len,
				   .err_text = strbuf_str(&v->err)};

	why_not(v, r, res.end, &why);
	res.why = why.len ? strbuf_str(&why) : NULL;
	if (!reach->failed && !(reach->stopped && r->end == SPAWN_STOPPED))
		reach->failed = reach->fn(reach->ctx, &res, reach->e) != 0;
	strbuf_release(&why);
	strbuf_release(&v->out);
	strbuf_release(&v->err);
	free(v);
}

static int visit_start(struct reach *reach, const char *node, const char *const *words,
		       size_t n)
{
	struct visit *v = mem_calloc(1, sizeof(*v));
	struct arena a = {0};
	struct command c = {0};
	int rc = reach->r->launcher->reach(&reach->r->context, node, words, n, &a, &c,
					   reach->e);

	v->reach = reach;
	v->node = node;
	v->remote = c.remote;
	if (!rc) {
		const struct spawn_command sc = {.argv = (const char *const *)c.argv,
						 .env = (const char *const *)c.env,
						 .limit = reach->limit,
						 .output = visit_output,
						 .ended = visit_ended,
						 .ctx = v};

		rc = spawn_start(reach->spawn, &sc, reach->e);
	}
	arena_release(&a);
	if (rc)
		free(v);
	return rc;
}

int runner_reach(struct runner *r, const char *const *nodes, size_t n_nodes,
		 const char *const *words, size_t n_words, double limit,
		 int (*fn)(void *ctx, const struct reach_result *res, struct err *e),
		 void *ctx, struct err *e)
{
	struct reach reach = {.r = r, .limit = limit, .fn = fn, .ctx = ctx, .e = e};
	size_t next = 0;

	if (spawn_open(&reach.spawn, r->context.run_id, e))
		return -1;
	while (!reach.failed) {
		if (!reach.stopped && r->stop && *r->stop) {
			reach.stopped = true;
			spawn_stop(reach.spawn);
		}
		while (!reach.failed && !reach.stopped && next < n_nodes &&
		       spawn_running(reach.spawn) < MOST_AT_ONCE)
			reach.failed =
				visit_start(&reach, nodes[next++], words, n_words) != 0;
		if (reach.failed || !spawn_running(reach.spawn))
			break;
		if (spawn_pump(reach.spawn, heartbeat, e))
			reach.failed = true;
	}
	spawn_close(reach.spawn);
	return reach.failed ? -1 : 0;
}

/* Kernels */

static const char prefix[] = "assay-";

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name that is safe in a path and as a word. */
static bool is_name(const char *name)
{
	return *name && *name != '-' &&
	       !name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-")];
}

const char **runner_kernels(const char *bindir, struct arena *a, size_t *n)
{
	DIR *d = opendir(bindir);
	const struct dirent *entry;
	struct words w = {0};

	while (d && (entry = readdir(d))) {
		const char *name = entry->d_name;

		if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
			continue;
		name += sizeof(prefix) - 1;
		if (is_name(name) && strcmp(name, "probe") != 0 &&
		    !faccessat(dirfd(d), entry->d_name, X_OK, 0))
			words_add(&w, a, arena_strdup(a, name));
	}
	if (d)
		(void)closedir(d);
	if (w.n)
		qsort(w.items, w.n, sizeof(*w.items), by_text);
	*n = w.n;
	return w.items;
}

static int no_kernel(const char *bindir, const char *kernel, struct err *e)
{
	struct arena a = {0};
	size_t n;
	const char **names = runner_kernels(bindir, &a, &n);
	const char *near = suggest(kernel, names, n);

	if (near)
		err_set(e, ERR_USAGE, "unknown kernel '%.64s', did you mean '%s'?",
			kernel, near);
	else
		err_set(e, ERR_USAGE, "unknown kernel '%.64s', see assay list kernels",
			kernel);
	arena_release(&a);
	return -1;
}

/* What the plan record and the judge rely on. */
static bool is_description(const char *text, size_t len, const char *kernel)
{
	json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL), *metric;
	const char *name = json_string_value(json_object_get(o, "kernel"));
	json_t *metrics = json_object_get(o, "metrics");
	bool ok = name && !strcmp(name, kernel) && json_array_size(metrics) > 0;
	size_t i;

	json_array_foreach(metrics, i, metric)
	{
		ok = ok && json_is_string(json_object_get(metric, "name")) &&
		     json_is_string(json_object_get(metric, "unit"));
	}
	json_decref(o);
	return ok;
}

struct description {
	const char *kernel;
	struct arena *a;
	const char **json;
};

static int take_description(void *ctx, const struct reach_result *res, struct err *e)
{
	const struct description *d = ctx;

	if (res->why)
		return err_set(e, ERR_USAGE, "kernel '%s': --describe: %s", d->kernel,
			       res->why);
	if (!is_description(res->out, res->out_len, d->kernel))
		return err_set(e, ERR_USAGE,
			       "kernel '%s': what --describe prints is no description",
			       d->kernel);
	*d->json = arena_strndup(d->a, res->out, res->out_len);
	return 0;
}

int runner_describe(const char *bindir, const char *run_id, const char *kernel,
		    struct arena *a, const char **json, struct err *e)
{
	static const char *const here[] = {"localhost"};
	struct runner r = {.launcher = launcher_find("local"),
			   .context = {.run_id = run_id}};
	struct description d = {.kernel = kernel, .a = a, .json = json};
	const char *words[] = {arena_printf(a, "%s/%s%s", bindir, prefix, kernel),
			       "--describe"};

	if (!is_name(kernel) || !strcmp(kernel, "probe") || access(words[0], X_OK))
		return no_kernel(bindir, kernel, e);
	return runner_reach(&r, here, 1, words, 2, describe_limit, take_description, &d,
			    e);
}

struct outline {
	struct arena *a;
	const char **text;
	bool *refused;
};

static int take_outline(void *ctx, const struct reach_result *res, struct err *e)
{
	const struct outline *o = ctx;
	/* what it says of itself is enough; without, how it ended */
	const char *said = res->why && *res->err_text ? res->err_text
			   : res->why                 ? res->why
						      : res->out;
	struct strbuf clean = {0};

	(void)e;
	*o->refused = res->why != NULL;
	utf8_printable(&clean, said, strcspn(said, "\n"));
	*o->text = clean.len ? arena_strdup(o->a, strbuf_str(&clean)) : NULL;
	strbuf_release(&clean);
	return 0;
}

int runner_outline(const struct runner *r, const struct step *s, struct arena *a,
		   const char **text, bool *refused, struct err *e)
{
	static const char *const here[] = {"localhost"};
	struct runner local = {.launcher = launcher_find("local"), .context = r->context};
	struct outline o = {.a = a, .text = text, .refused = refused};
	struct words w = {0};

	*text = NULL;
	*refused = false;
	words_add(&w, a, launcher_program(&r->context, s, a));
	words_add(&w, a, "--outline");
	words_add(&w, a, arena_printf(a, "%d", s->ranks));
	if (s->threads > 0) {
		words_add(&w, a, "--threads");
		words_add(&w, a, arena_printf(a, "%d", s->threads));
	}
	for (size_t i = 0; i < s->n_options; i++)
		words_add(&w, a, s->options[i]);
	return runner_reach(&local, here, 1, (const char *const *)w.items, w.n,
			    describe_limit, take_outline, &o, e);
}
