/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay import: saved outputs of other programs as a run folder, which is then judged and
 * reported like one that was measured here.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assay_build.h"
#include "base/strbuf.h"
#include "cmd/import.h"
#include "cmd/judged.h"
#include "plan/placement.h"
#include "record/journal.h"
#include "run/folder.h"
#include "run/stepdir.h"

struct import {
	const struct cmd_env *env;
	const char *output, *node, *reader, *baseline, *cpu, *sockets, *place;
	struct arena arena;
	struct import_sources sources;
	struct names nodes;
	struct judge_config *config;
	struct folder folder;
	struct journal *journal;
	const char *command; /* JSON */
	int64_t step;        /* the last one */
};

static void add_nodes(struct import *x)
{
	for (size_t i = 0; i < x->sources.n; i++) {
		const struct import_source *s = &x->sources.items[i];

		if (s->bad && !import_is_table(s))
			(void)names_add(&x->nodes, s->node, NULL);
		for (size_t k = 0; k < s->reading.n; k++) {
			const struct reading_result *res = &s->reading.items[k];

			(void)names_add(&x->nodes, res->node ? res->node : s->node, NULL);
			if (res->peer)
				(void)names_add(&x->nodes, res->peer, NULL);
		}
	}
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

static int put_plan(struct import *x, struct err *e)
{
	struct record r = record_make(RECORD_KIND_plan);

	r.u.plan.name = "import";
	r.u.plan.nodes = record_list(&x->arena, x->nodes.items, x->nodes.n);
	r.u.plan.requires = "[]";
	r.u.plan.limits = "{\"repeats\":0}";
	r.u.plan.kernels = x->sources.kernels;
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

/* The text itself stays with the step, where explain and people look for it: @whole. */
static int keep_text(struct import *x, const struct import_source *s,
		     const struct step *st, bool whole, struct err *e)
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

/* A step of nodes[0..n) that is planned and started; its text kept where @whole. */
static int begin_step(struct import *x, const struct import_source *s,
		      const struct step *st, const char *const *nodes, size_t n,
		      bool whole, struct err *e)
{
	const char *argv[] = {"import", s->path};
	struct record r = step_record(st, "planned");

	r.u.step.place = x->place;
	r.u.step.nodes = record_list(&x->arena, nodes, n);
	if (keep_text(x, s, st, whole, e) || put(x, &r, e))
		return -1;
	r = step_record(st, "started");
	r.u.step.launcher = "import";
	r.u.step.argv = record_list(&x->arena, argv, 2);
	return put(x, &r, e);
}

static int end_step(struct import *x, const struct step *st, const char *cause,
		    const char *reason, struct err *e)
{
	struct record r = step_record(st, "ended");

	r.u.step.cause = cause;
	r.u.step.reason = reason;
	return put(x, &r, e);
}

/* Why a result is none, with its file and line; NULL for one that is. */
static const char *reason_of(struct import *x, const struct import_source *s,
			     const struct reading_result *res)
{
	if (!res->reason)
		return NULL;
	return res->line ? arena_printf(&x->arena, "%s:%ld: %s", s->path, res->line,
					res->reason)
			 : arena_printf(&x->arena, "%s: %s", s->path, res->reason);
}

static const char *node_of(const struct import_source *s, const struct reading_result *r)
{
	return r->node ? r->node : s->node;
}

static int put_records(struct import *x, const struct import_source *s,
		       const struct step *st, const struct reading_result *res,
		       struct err *e)
{
	for (size_t i = 0; i < res->n; i++) {
		struct record r = res->records[i];

		if (reading_own(&r, st->id, 1, node_of(s, res)) && put(x, &r, e))
			return -1;
	}
	return 0;
}

/* The next step, of a result: all but its key. */
static struct step next_step(struct import *x, const struct import_source *s,
			     const struct reading_result *res)
{
	return (struct step){.id = ++x->step,
			     .attempt = 1,
			     .kernel = import_kernel(s, res),
			     .name = arena_printf(&x->arena, "import/%s%s%s",
						  s->reader->name, *res->title ? "-" : "",
						  res->title)};
}

/* Of a table with thousands of results there is one copy. */
static bool is_whole(const struct import_source *s, const struct reading_result *res)
{
	return !import_is_table(s) || res == s->reading.items;
}

/*
 * Results with the same key are repeats, and the last decides; one that is none stands by
 * itself, so that a good one behind it does not hide it.
 */
static int put_result(struct import *x, const struct import_source *s,
		      const struct reading_result *res, struct err *e)
{
	struct arena *a = &x->arena;
	struct step st = next_step(x, s, res);
	const char *node = node_of(s, res);

	st.key = !strcmp(res->cause, "ok")
			 ? arena_printf(a, "%s@%s", st.name, node)
			 : arena_printf(a, "%s@%s:%" PRId64, st.name, node, st.id);
	if (begin_step(x, s, &st, &node, 1, is_whole(s, res), e) ||
	    put_records(x, s, &st, res, e))
		return -1;
	return end_step(x, &st, res->cause, reason_of(x, s, res), e);
}

/* @r is of pairs too, and of the same kernel: the same step over pairs. */
static bool is_of_step(const struct import_source *s, const struct reading_result *res,
		       const struct reading_result *r)
{
	return r->peer && !strcmp(import_kernel(s, res), import_kernel(s, r));
}

/*
 * All pairs that a table has of a kernel, from its first on, are one step over their
 * nodes, as a step of a plan that measured them would be: a pair is judged by the others.
 */
static int put_pairs(struct import *x, const struct import_source *s,
		     const struct reading_result *first, struct err *e)
{
	const struct reading_result *end = s->reading.items + s->reading.n, *r;
	struct step st = next_step(x, s, first);
	struct names nodes = {0};
	int rc;

	for (r = first; r < end; r++) {
		if (!is_of_step(s, first, r))
			continue;
		(void)names_add(&nodes, node_of(s, r), NULL);
		(void)names_add(&nodes, r->peer, NULL);
	}
	/* another table's pairs are compared with each other: they may be of other days
	 */
	st.key = arena_printf(&x->arena, "%s@*%zu:%" PRId64, st.name, nodes.n, st.id);
	rc = begin_step(x, s, &st, (const char *const *)nodes.items, nodes.n,
			is_whole(s, first), e);
	for (r = first; r < end && !rc; r++) {
		if (is_of_step(s, first, r))
			rc = put_records(x, s, &st, r, e);
	}
	names_release(&nodes);
	return rc ? rc : end_step(x, &st, "ok", NULL, e);
}

/* The result @k is of pairs that an earlier one has begun. */
static bool is_put(const struct import_source *s, size_t k)
{
	for (size_t i = 0; s->reading.items[k].peer && i < k; i++) {
		if (is_of_step(s, &s->reading.items[k], &s->reading.items[i]))
			return true;
	}
	return false;
}

/* A file that is none is a node that gave nothing; of a table nobody knows whose. */
static int put_bad(struct import *x, const struct import_source *s, struct err *e)
{
	struct arena *a = &x->arena;
	struct step st = {.id = ++x->step, .attempt = 1};

	st.kernel = s->reader ? s->reader->kernel : NULL;
	st.name = arena_printf(a, "import/%s", s->reader ? s->reader->name : "unknown");
	st.key = arena_printf(a, "%s@%s:%" PRId64, st.name, s->node, st.id);
	if (begin_step(x, s, &st, &s->node, import_is_table(s) ? 0 : 1, s->reader != NULL,
		       e))
		return -1;
	return end_step(x, &st, "no-data", s->bad, e);
}

static int put_all(struct import *x, const char *id, struct err *e)
{
	if (put_run(x, id, e) || put_plan(x, e) || put_nodes(x, e))
		return -1;
	for (size_t i = 0; i < x->sources.n; i++) {
		const struct import_source *s = &x->sources.items[i];

		if (s->bad && put_bad(x, s, e))
			return -1;
		for (size_t k = 0; k < s->reading.n; k++) {
			const struct reading_result *r = &s->reading.items[k];

			if (!is_put(s, k) &&
			    (r->peer ? put_pairs(x, s, r, e) : put_result(x, s, r, e)))
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

	(void)snprintf(id, sizeof(id), "import-%ld", (long)getpid());
	if (x->sockets && (strspn(x->sockets, "0123456789") != strlen(x->sockets) ||
			   strtol(x->sockets, NULL, 10) < 1))
		return err_set(e, ERR_USAGE, "--sockets '%.32s', expected a number",
			       x->sockets);
	if (x->place && placement_check(x->place, e))
		return err_at(e, "--place");
	x->sources.arena = &x->arena;
	if (import_read(&x->sources, x->env, id, x->reader, x->node, paths, n, e) ||
	    judge_config_load(&x->config, x->env->configs, x->baseline, e))
		return -1;
	add_nodes(x);
	if (folder_create(&x->folder, x->output, "import", e) || keep_configs(x, e) ||
	    journal_open(&x->journal, x->folder.path, false, e) || put_all(x, id, e))
		return -1;
	return finish(x, e);
}

static void release(struct import *x)
{
	import_sources_release(&x->sources);
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
