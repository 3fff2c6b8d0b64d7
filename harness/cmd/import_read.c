/* SPDX-License-Identifier: Apache-2.0 */
/* Files of assay import: see import.h. */
#include "cmd/import.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/node_name.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "record/metrics.h"
#include "run/runner.h"

enum { MOST_TEXT = 64 << 20 };

/* "results/n017.hpl.out" is of node n017: what may stand in a name, up to a dot. */
static const char *node_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = arena_strdup(a, slash ? slash + 1 : path);

	name[strcspn(name, ".")] = '\0';
	for (char *c = name; *c; c++) {
		if (!node_name_char(*c))
			*c = '-';
	}
	while (*name && !node_name_first(*name))
		name++;
	if (strlen(name) > NODE_NAME_MAX)
		name[NODE_NAME_MAX] = '\0';
	return *name ? name : "file";
}

bool import_is_table(const struct import_source *s)
{
	return s->reader && !s->reader->kernel;
}

const char *import_kernel(const struct import_source *s, const struct reading_result *r)
{
	return r->kernel ? r->kernel : s->reader->kernel;
}

/* A line for people: what stands in a file is not for the terminal. */
static void say(const char *text)
{
	struct strbuf clean = {0};

	utf8_printable(&clean, text, strlen(text));
	(void)fprintf(stderr, "assay: %s\n", strbuf_str(&clean));
	strbuf_release(&clean);
}

static void set_bad(struct import_sources *x, struct import_source *s, const char *why)
{
	s->bad = arena_strdup(x->arena, why);
	reading_release(&s->reading);
	x->n_bad++;
}

/* The first thing that is wrong with it. @line 0: with all of it. */
static void __attribute__((format(printf, 4, 5)))
bad(struct import_sources *x, struct import_source *s, long line, const char *fmt, ...)
{
	struct strbuf text = {0};
	va_list ap;

	if (s->bad)
		return;
	strbuf_addf(&text, "%s:", s->path);
	if (line)
		strbuf_addf(&text, "%ld:", line);
	strbuf_addstr(&text, " ");
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	set_bad(x, s, strbuf_str(&text));
	strbuf_release(&text);
}

static int unknown_reader(const char *name, struct err *e)
{
	struct suggest near = suggest_start(name);
	struct strbuf all = {0};

	for (size_t i = 0; reader_at(i); i++) {
		suggest_offer(&near, reader_at(i)->name);
		strbuf_addf(&all, "%s%s", i ? ", " : "", reader_at(i)->name);
	}
	err_set(e, ERR_USAGE, "unknown reader '%.64s', expected %s%s%s%s", name,
		strbuf_str(&all), near.best ? "; did you mean '" : "",
		near.best ? near.best : "", near.best ? "'?" : "");
	strbuf_release(&all);
	return -1;
}

/* The first line with something on it, and its number. */
static long first_line(const char *text, char line[READING_LINE])
{
	long n = 0;

	while (reading_line(&text, line)) {
		n++;
		if (line[strspn(line, " \t")])
			return n;
	}
	line[0] = '\0';
	return 0;
}

/* Bytes that no program prints: damage, or no text at all. */
static bool is_text(struct import_sources *x, struct import_source *s)
{
	const char *text = strbuf_str(&s->text);
	const char *nul = s->text.len ? memchr(text, 0, s->text.len) : NULL;
	long line = 1;

	for (const char *c = text; nul && c < nul; c++)
		line += *c == '\n';
	if (nul)
		bad(x, s, line,
		    "a byte that is 0: the file is damaged, or no plain text (UTF-16?)");
	return !nul;
}

static void find_reader(struct import_sources *x, struct import_source *s,
			const char *reader)
{
	char line[READING_LINE];
	const long n = first_line(strbuf_str(&s->text), line);

	if (!is_text(x, s))
		return;
	if (!n) {
		bad(x, s, 0,
		    "an empty file: the program that was to write it printed "
		    "nothing, or elsewhere");
		return;
	}
	s->reader = reader ? reader_find(reader) : reader_for(strbuf_str(&s->text));
	if (!s->reader)
		bad(x, s, n,
		    "'%.40s': not the output of a program that is known (HPL, HPCG, "
		    "STREAM, OSU, perfquery), and no CSV; --reader says which",
		    line);
}

/* The earlier file of the same node that @s goes on, or NULL. */
static struct import_source *joined(struct import_sources *x,
				    const struct import_source *s)
{
	for (size_t i = 0; s->reader && s->reader->joins && i < x->n; i++) {
		if (x->items[i].reader == s->reader && !strcmp(x->items[i].node, s->node))
			return &x->items[i];
	}
	return NULL;
}

/*
 * Reads a file into the next source, or joins it to the one it goes on. A path that is
 * not there is a slip of the pen: no shell finds such files.
 */
static int read_source(struct import_sources *x, const char *path, const char *reader,
		       const char *node, struct err *e)
{
	struct import_source *s = &x->items[x->n], *before;
	struct err why = {0};

	s->path = path;
	s->node = node ? node : node_of(x->arena, path);
	if (!file_read(&s->text, path, MOST_TEXT, &why))
		find_reader(x, s, reader);
	else if (why.kind == ERR_NOTFOUND)
		return err_set(e, ERR_USAGE, "%s", why.msg);
	else
		set_bad(x, s, why.msg);
	before = joined(x, s);
	if (before) {
		strbuf_addstr(&before->text, "\n");
		strbuf_add(&before->text, s->text.buf, s->text.len);
		strbuf_release(&s->text);
		return 0;
	}
	x->n++;
	return 0;
}

static void make_reading(struct import_sources *x, struct import_source *s)
{
	struct reading *r = &s->reading;

	if (s->bad)
		return;
	reading_make(r, s->reader, strbuf_str(&s->text));
	if (r->left_aside)
		say(arena_printf(x->arena, "%s:%ld: %s", s->path, r->left_line,
				 r->left_aside));
	if (r->wrong)
		bad(x, s, r->wrong_line, "%s", r->wrong);
}

/* Line of the first record of a result. */
static long line_of(const struct reading_result *r)
{
	return r->n ? r->lines[0] : r->line;
}

/* What the kernels it has values of say, into @all. */
static int describe(struct import_sources *x, struct import_source *s,
		    const struct cmd_env *env, const char *run_id, json_t *all,
		    struct err *e)
{
	for (size_t i = 0; i < s->reading.n; i++) {
		const struct reading_result *r = &s->reading.items[i];
		const char *kernel = import_kernel(s, r), *json;
		struct err why = {0};

		if (!kernel || json_object_get(all, kernel))
			continue;
		if (!runner_describe(env->bindir, run_id, kernel, x->arena, &json,
				     &why)) {
			json_object_set_new(all, kernel, json_loads(json, 0, NULL));
			continue;
		}
		if (!import_is_table(s) || why.kind != ERR_USAGE)
			return err_set(e, why.kind, "%s: %s", s->path, why.msg);
		bad(x, s, line_of(r), "%s", why.msg);
		return 0;
	}
	return 0;
}

/* "unknown metric 'hpl.rates', did you mean 'hpl.rate'? known of hpl: ..." */
static void unknown_metric(struct import_sources *x, struct import_source *s, long line,
			   const struct metrics *m, const char *name, const char *kernel)
{
	struct suggest near = suggest_start(name);
	struct strbuf all = {0};

	for (size_t i = 0; i < m->n; i++) {
		if (strcmp(m->items[i]->kernel, kernel) != 0)
			continue;
		suggest_offer(&near, m->items[i]->name);
		strbuf_addf(&all, "%s%s", all.len ? ", " : "", m->items[i]->name);
	}
	bad(x, s, line, "unknown metric '%.64s'%s%s%s of %s are known: %s", name,
	    near.best ? ", did you mean '" : "", near.best ? near.best : "",
	    near.best ? "'?" : ";", kernel, strbuf_str(&all));
	strbuf_release(&all);
}

/* Values of tables whose metric there is not, or in another dimension than it has. */
static void check_metrics(struct import_sources *x, struct import_source *s,
			  const struct metrics *m)
{
	for (size_t i = 0; i < s->reading.n && import_is_table(s); i++) {
		const struct reading_result *r = &s->reading.items[i];

		for (size_t k = 0; k < r->n; k++) {
			const struct record_sample *v = &r->records[k].u.sample;
			const struct metric *d = metrics_find(m, v->metric);

			if (!d || strcmp(d->kernel, r->kernel) != 0)
				unknown_metric(x, s, r->lines[k], m, v->metric,
					       r->kernel);
			else if (strcmp(d->unit, v->unit) != 0)
				bad(x, s, r->lines[k], "%s of %s: its unit is %s, not %s",
				    v->metric, r->node, d->unit, v->unit);
			if (s->bad)
				return; /* its results are gone */
		}
	}
}

static int check_all(struct import_sources *x, const struct cmd_env *env,
		     const char *run_id, struct err *e)
{
	json_t *all = json_object();
	struct metrics m = {0};
	char *text = NULL;
	int rc = 0;

	for (size_t i = 0; i < x->n && !rc; i++)
		rc = describe(x, &x->items[i], env, run_id, all, e);
	if (!rc) {
		text = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
		x->kernels = arena_strdup(x->arena, text);
		metrics_read(&m, x->kernels, x->arena);
	}
	for (size_t i = 0; i < x->n && !rc; i++)
		check_metrics(x, &x->items[i], &m);
	metrics_release(&m);
	free(text);
	json_decref(all);
	return rc;
}

int import_read(struct import_sources *x, const struct cmd_env *env, const char *run_id,
		const char *reader, const char *node, char **paths, int n, struct err *e)
{
	if (reader && !reader_find(reader))
		return unknown_reader(reader, e);
	if (node && !node_name_valid(node))
		return err_set(e, ERR_USAGE, "--node '%.64s' is no name of a node", node);
	x->items = mem_calloc((size_t)n + 1, sizeof(*x->items));
	for (int i = 0; i < n; i++) {
		if (read_source(x, paths[i], reader, node, e)) {
			strbuf_release(&x->items[x->n].text);
			return -1;
		}
	}
	for (size_t i = 0; i < x->n; i++)
		make_reading(x, &x->items[i]);
	if (check_all(x, env, run_id, e))
		return -1;
	/* the only one is left to main, which says errors */
	for (size_t i = 0; i < x->n && x->n > 1; i++) {
		if (x->items[i].bad)
			say(x->items[i].bad);
	}
	if (x->n_bad < x->n)
		return 0;
	err_set(e, ERR_USAGE, "%s",
		x->n == 1 ? x->items[0].bad : "not one of these files holds a result");
	return err_clean(e);
}

void import_sources_release(struct import_sources *x)
{
	for (size_t i = 0; i < x->n; i++) {
		reading_release(&x->items[i].reading);
		strbuf_release(&x->items[i].text);
	}
	free(x->items);
	memset(x, 0, sizeof(*x));
}
