/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay import: saved outputs of other programs as a run folder, which is then judged and
 * reported like one that was measured here.
 */
#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay_build.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "cmd/judged.h"
#include "plan/placement.h"
#include "record/journal.h"
#include "record/metrics.h"
#include "record/reading.h"
#include "run/folder.h"
#include "run/runner.h"
#include "run/stepdir.h"

enum { MOST_TEXT = 64 << 20 };

/* One file and what is in it. Where a reader joins texts, of all of one node together. */
struct source {
	const char *path, *node;
	struct strbuf text;
	const struct reader *reader;
	struct reading reading;
};

struct import {
	const struct cmd_env *env;
	const char *output, *node, *reader, *baseline, *cpu, *sockets, *place;
	struct arena arena;
	struct source *sources;
	size_t n;
	struct names nodes;
	struct judge_config *config;
	struct folder folder;
	struct journal *journal;
	const char *command; /* JSON */
	int64_t step;        /* the last one */
};

/* "results/n017.hpl.out" is of node n017: what may stand in a name, up to a dot. */
static const char *node_of(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = arena_strdup(a, slash ? slash + 1 : path);

	name[strcspn(name, ".")] = '\0';
	for (char *c = name; *c; c++) {
		if (!isalnum((unsigned char)*c) && !strchr("_-", *c))
			*c = '-';
	}
	return *name ? name : "file";
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

static int find_reader(const struct import *x, struct source *s, struct err *e)
{
	s->reader = x->reader ? reader_find(x->reader) : reader_for(strbuf_str(&s->text));
	if (s->reader)
		return 0;
	if (x->reader)
		return unknown_reader(x->reader, e);
	return err_set(e, ERR_USAGE,
		       "%s: not the output of a program that is known (HPL, HPCG, "
		       "STREAM, OSU, perfquery), and no CSV; --reader says which",
		       s->path);
}

/* The earlier file of the same node that @s goes on, or NULL. */
static struct source *joined(struct import *x, const struct source *s)
{
	for (size_t i = 0; s->reader->joins && i < x->n; i++) {
		if (x->sources[i].reader == s->reader &&
		    !strcmp(x->sources[i].node, s->node))
			return &x->sources[i];
	}
	return NULL;
}

/* Reads a file into the next source, or joins it to the one it goes on. */
static int read_source(struct import *x, const char *path, struct err *e)
{
	struct source *s = &x->sources[x->n], *before;

	s->path = path;
	if (file_read(&s->text, path, MOST_TEXT, e)) {
		e->kind = ERR_USAGE;
		return -1;
	}
	if (find_reader(x, s, e))
		return -1;
	s->node = x->node ? x->node : node_of(&x->arena, path);
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

static void add_nodes(struct import *x, const struct source *s)
{
	for (size_t i = 0; i < s->reading.n; i++) {
		const struct reading_result *res = &s->reading.items[i];

		(void)names_add(&x->nodes, res->node ? res->node : s->node, NULL);
		if (res->peer)
			(void)names_add(&x->nodes, res->peer, NULL);
	}
}

static int read_sources(struct import *x, char **paths, int n, struct err *e)
{
	x->sources = mem_calloc((size_t)n, sizeof(*x->sources));
	for (int i = 0; i < n; i++) {
		if (read_source(x, paths[i], e)) {
			strbuf_release(&x->sources[x->n].text);
			return -1;
		}
	}
	for (size_t i = 0; i < x->n; i++) {
		struct reading *r = &x->sources[i].reading;

		reading_make(r, x->sources[i].reader, strbuf_str(&x->sources[i].text));
		/* a table is of our own making, and can be mended; outputs are as they
		 * are */
		if (r->wrong && !x->sources[i].reader->kernel)
			return err_set(e, ERR_USAGE, "%s:%s", x->sources[i].path,
				       r->wrong + strlen("line "));
		add_nodes(x, &x->sources[i]);
	}
	return 0;
}

/* NULL: of none. */
static const char *kernel_of(const struct source *s, const struct reading_result *res)
{
	return res->kernel ? res->kernel : s->reader->kernel;
}

static int describe_kernel(struct import *x, const char *kernel, const char *run_id,
			   json_t *all, struct err *e)
{
	const char *json;

	if (!kernel || json_object_get(all, kernel))
		return 0;
	if (runner_describe(x->env->bindir, run_id, kernel, &x->arena, &json, e))
		return -1;
	json_object_set_new(all, kernel, json_loads(json, 0, NULL));
	return 0;
}

/* What the kernels of that kind say of the metrics. */
static const char *describe(struct import *x, const char *run_id, struct err *e)
{
	json_t *all = json_object();
	const char *text = NULL;
	char *dumped;

	for (size_t i = 0; i < x->n; i++) {
		const struct source *s = &x->sources[i];

		for (size_t k = 0; k < s->reading.n; k++) {
			if (describe_kernel(x, kernel_of(s, &s->reading.items[k]), run_id,
					    all, e)) {
				err_at(e, "%s", s->path);
				goto out;
			}
		}
	}
	dumped = json_dumps(all, JSON_COMPACT | JSON_SORT_KEYS);
	text = arena_strdup(&x->arena, dumped);
	free(dumped);
out:
	json_decref(all);
	return text;
}

/* Values of tables in another dimension than their metric has. */
static int check_units(struct import *x, const char *kernels, struct err *e)
{
	struct metrics m = {0};
	int rc = 0;

	metrics_read(&m, kernels, &x->arena);
	for (size_t i = 0; i < x->n; i++) {
		const struct reading *r = &x->sources[i].reading;

		for (size_t k = 0; k < r->n && !x->sources[i].reader->kernel; k++) {
			for (size_t j = 0; j < r->items[k].n && !rc; j++) {
				const struct record_sample *s =
					&r->items[k].records[j].u.sample;
				const struct metric *d = metrics_find(&m, s->metric);

				if (d && strcmp(d->unit, s->unit) != 0)
					rc = err_set(
						e, ERR_USAGE,
						"%s: %s of %s: its unit is %s, not %s",
						x->sources[i].path, s->metric,
						r->items[k].node, d->unit, s->unit);
			}
		}
	}
	metrics_release(&m);
	return rc;
}

static int put(struct import *x, const struct record *r, struct err *e)
{
	return journal_put(x->journal, r, e);
}

static int put_run(struct import *x, const char *id, struct err *e)
{
	struct record r = record_make(RECORD_KIND_run);
	char host[256] = "";

	(void)gethostname(host, sizeof(host) - 1);
	r.u.run.id = id;
	r.u.run.version = ASSAY_VERSION;
	r.u.run.build = ASSAY_BUILD;
	r.u.run.host = host;
	r.u.run.pid = getpid();
	r.u.run.command = x->command;
	return put(x, &r, e);
}

static int put_plan(struct import *x, const char *kernels, struct err *e)
{
	struct record r = record_make(RECORD_KIND_plan);

	r.u.plan.name = "import";
	r.u.plan.nodes = record_list(&x->arena, x->nodes.items, x->nodes.n);
	r.u.plan.requires = "[]";
	r.u.plan.limits = "{\"repeats\":0}";
	r.u.plan.kernels = kernels;
	r.u.plan.stages = "[]";
	return put(x, &r, e);
}

/*
 * Nothing is known of the machines but what the command line says. That they are alike
 * goes without saying: their outputs were given together, to be compared.
 */
static int put_nodes(struct import *x, struct err *e)
{
	json_t *facts = json_object(), *cpu = json_object();
	char *text;
	int rc = 0;

	if (x->cpu)
		json_object_set_new(cpu, "model", json_string(x->cpu));
	if (x->sockets)
		json_object_set_new(cpu, "sockets",
				    json_integer(strtol(x->sockets, NULL, 10)));
	if (json_object_size(cpu))
		json_object_set(facts, "cpu", cpu);
	if (x->cpu)
		json_object_set_new(facts, "virtual", json_string("none"));
	text = json_dumps(facts, JSON_COMPACT | JSON_SORT_KEYS);
	for (size_t i = 0; i < x->nodes.n && !rc; i++) {
		struct record r = record_make(RECORD_KIND_node);

		r.u.node.node = x->nodes.items[i];
		r.u.node.class = x->cpu ? x->cpu : "imported";
		r.u.node.facts = text;
		rc = put(x, &r, e);
	}
	free(text);
	json_decref(cpu);
	json_decref(facts);
	return rc;
}

static struct record step_record(const struct step *s, const char *event)
{
	struct record r = record_make(RECORD_KIND_step);

	r.u.step.step = s->id;
	r.u.step.attempt = 1;
	r.u.step.event = event;
	r.u.step.key = s->key;
	r.u.step.name = s->name;
	r.u.step.kernel = s->kernel;
	return r;
}

/*
 * The text itself stays with its first result (@whole), where explain and people look for
 * it: of a table with thousands there is one copy.
 */
static int keep_text(struct import *x, const struct source *s, const struct step *st,
		     bool whole, struct err *e)
{
	const char *argv[] = {"cat", s->path, NULL};
	const struct command c = {.argv = argv};
	struct stepdir d;

	if (stepdir_open(&d, stepdir_path(x->folder.path, st, &x->arena), &c, e))
		return -1;
	if (whole)
		stepdir_add(&d, 1, s->text.buf, s->text.len);
	stepdir_close(&d);
	return d.error ? err_sys(e, d.error, "write the text of '%s'", s->path) : 0;
}

static int put_result(struct import *x, const struct source *s,
		      const struct reading_result *res, struct err *e)
{
	struct arena *a = &x->arena;
	struct step st = {.id = ++x->step, .attempt = 1, .kernel = kernel_of(s, res)};
	const char *argv[] = {"import", s->path};
	const char *nodes[] = {res->node ? res->node : s->node, res->peer};
	struct record r;

	st.name = arena_printf(a, "import/%s%s%s", s->reader->name,
			       *res->title ? "-" : "", res->title);
	st.key = res->peer ? arena_printf(a, "%s@*2:%" PRId64, st.name, st.id)
			   : arena_printf(a, "%s@%s", st.name, nodes[0]);
	r = step_record(&st, "planned");
	r.u.step.place = x->place;
	r.u.step.nodes = record_list(a, nodes, res->peer ? 2 : 1);
	if (keep_text(x, s, &st, s->reader->kernel || res == s->reading.items, e) ||
	    put(x, &r, e))
		return -1;
	r = step_record(&st, "started");
	r.u.step.launcher = "import";
	r.u.step.argv = record_list(a, argv, 2);
	if (put(x, &r, e))
		return -1;
	for (size_t i = 0; i < res->n; i++) {
		r = res->records[i];
		if (reading_own(&r, st.id, 1, nodes[0]) && put(x, &r, e))
			return -1;
	}
	r = step_record(&st, "ended");
	r.u.step.cause = res->cause;
	r.u.step.reason = res->reason;
	return put(x, &r, e);
}

static int put_all(struct import *x, const char *kernels, const char *id, struct err *e)
{
	if (put_run(x, id, e) || put_plan(x, kernels, e) || put_nodes(x, e))
		return -1;
	for (size_t i = 0; i < x->n; i++) {
		const struct source *s = &x->sources[i];

		for (size_t k = 0; k < s->reading.n; k++) {
			if (put_result(x, s, &s->reading.items[k], e))
				return -1;
		}
	}
	return 0;
}

static int keep_configs(struct import *x, struct err *e)
{
	const struct judge_file *files;
	size_t n = judge_config_files(x->config, &files);
	char hash[FOLDER_HASH];

	for (size_t i = 0; i < n; i++) {
		if (folder_keep(&x->folder, files[i].path, files[i].name, hash, e))
			return -1;
	}
	return 0;
}

/* The verdict, the reports and the end record; the exit status or -1. */
static int finish(struct import *x, struct err *e)
{
	struct record r = record_make(RECORD_KIND_end);
	struct judged v = {0};
	int status = -1;

	if (journal_sync(x->journal, e) || judged_load(&v, x->folder.path, x->config, e))
		goto out;
	status = v.summary.exit;
	r.u.end.exit = status;
	r.u.end.verdict = verdict_name(v.summary.word);
	judged_ended(&v, &r.u.end);
	if (judged_save(&v, x->folder.path, e) || put(x, &r, e) ||
	    journal_sync(x->journal, e) || judged_print(&v, "term", stdout, e))
		status = -1;
out:
	judged_release(&v);
	return status;
}

static int import(struct import *x, char **paths, int n, struct err *e)
{
	char id[64];
	const char *kernels;

	(void)snprintf(id, sizeof(id), "import-%ld", (long)getpid());
	if (x->sockets && (strspn(x->sockets, "0123456789") != strlen(x->sockets) ||
			   strtol(x->sockets, NULL, 10) < 1))
		return err_set(e, ERR_USAGE, "--sockets '%.32s', expected a number",
			       x->sockets);
	if (x->place && placement_check(x->place, e))
		return err_at(e, "--place");
	if (read_sources(x, paths, n, e) ||
	    judge_config_load(&x->config, x->env->configs, x->baseline, e))
		return -1;
	kernels = describe(x, id, e);
	if (!kernels || check_units(x, kernels, e) ||
	    folder_create(&x->folder, x->output, "import", e) || keep_configs(x, e) ||
	    journal_open(&x->journal, x->folder.path, false, e) ||
	    put_all(x, kernels, id, e))
		return -1;
	return finish(x, e);
}

static void release(struct import *x)
{
	for (size_t i = 0; i < x->n; i++) {
		reading_release(&x->sources[i].reading);
		strbuf_release(&x->sources[i].text);
	}
	free(x->sources);
	journal_close(x->journal);
	folder_close(&x->folder);
	judge_config_free(x->config);
	names_release(&x->nodes);
	arena_release(&x->arena);
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	struct import x = {.env = env, .folder = {.lock_fd = -1}};
	const struct cmd_option options[] = {
		{"output", 'o', CMD_TEXT, "DIR", "run folder that is made", &x.output},
		{"reader", 0, CMD_TEXT, "NAME",
		 "whose output they are: hpl, hpcg, stream, osu, perfquery, csv; "
		 "default: what fits",
		 &x.reader},
		{"node", 0, CMD_TEXT, "NAME",
		 "node of all files; default: the file's name up to its first dot",
		 &x.node},
		{"cpu", 0, CMD_TEXT, "MODEL",
		 "of the nodes, which are no virtual machines, for baselines", &x.cpu},
		{"sockets", 0, CMD_TEXT, "N", "of the nodes", &x.sockets},
		{"place", 0, CMD_TEXT, "WORD",
		 "how they used the cores: all-cores, 1-per-l3, ...", &x.place},
		{"baseline", 0, CMD_TEXT, "FILE", "references that win over all others",
		 &x.baseline},
	};
	char **words;
	int n, rc;

	x.command = record_list(&x.arena, (const char *const *)argv, (size_t)argc);
	rc = cmd_options(&cmd_import, options, sizeof(options) / sizeof(options[0]), argc,
			 argv, &words, &n, e);
	if (!rc && (!n || !x.output))
		rc = err_set(e, ERR_USAGE, "%s; see assay import --help",
			     n ? "no folder given: -o DIR" : "no file given");
	if (!rc)
		rc = import(&x, words, n, e);
	else if (rc > 0)
		rc = 0;
	release(&x);
	return rc;
}

const struct command_def cmd_import = {
	.name = "import",
	.usage = "FILE... -o DIR [options]",
	.help = "judges saved outputs of HPL, HPCG, STREAM, OSU, perfquery, or CSV, like "
		"a run",
	.run = run,
};
