/* SPDX-License-Identifier: Apache-2.0 */
/* Running steps: see runner.h. */
#include "run/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/spawn.h"
#include "run/harvest.h"
#include "run/stepdir.h"

enum { MOST_AT_ONCE = 64 };

/* Seconds: how soon *stop is seen, and how often the progress is told. */
static const double heartbeat = 0.25, tick = 0.5;

struct node_use {
	bool busy;
	size_t awaited; /* the last pass in which an earlier step had to wait for it */
};

/* One call of runner_run(). */
struct run {
	struct runner *r;
	const struct steps *steps;
	struct spawn *spawn;
	struct metrics metrics; /* its texts are in `declared` */
	struct arena declared;
	struct names nodes;   /* and chassis */
	struct node_use *use; /* by number of the node */
	struct strbuf name;   /* scratch */
	size_t cap_use;
	bool *started;     /* by step */
	size_t begin, end; /* the block: neighbours with the same name */
	size_t pass;       /* looks for what may start */
	bool look;         /* something ended since the last one */
	size_t n_started, running;
	int stopped; /* signal */
	bool failed; /* the harness cannot go on: *e says why */
	struct err *e;
};

/* One step that runs. */
struct job {
	struct run *run;
	const struct step *step;
	struct harvest harvest;
	struct stepdir dir;
};

/* Journal */

static struct record step_record(const struct step *s, const char *event)
{
	struct record r = record_make(RECORD_KIND_step);

	r.u.step.step = s->id;
	r.u.step.attempt = s->attempt;
	r.u.step.event = event;
	r.u.step.key = s->key;
	r.u.step.name = s->name;
	r.u.step.kernel = s->kernel;
	return r;
}

static int put(struct run *run, const struct record *r, bool sync)
{
	if (!run->failed)
		run->failed = journal_put(run->r->journal, r, run->e) ||
			      (sync && journal_sync(run->r->journal, run->e));
	return run->failed ? -1 : 0;
}

static bool is_planned(const struct state *state, const struct step *s)
{
	const struct state_step *st;

	if (!state || s->id < 1 || (size_t)s->id > state->n_steps)
		return false;
	st = &state->steps[s->id - 1];
	return st->id == s->id && st->attempt == s->attempt;
}

static int put_planned(struct run *run)
{
	struct arena a = {0};
	int rc = 0;

	for (size_t i = 0; i < run->steps->n && !rc; i++) {
		const struct step *s = &run->steps->items[i];
		struct record r = step_record(s, "planned");

		if (is_planned(run->r->state, s))
			continue;
		r.u.step.place = s->place;
		r.u.step.nodes = record_list(&a, s->nodes, s->n_nodes);
		r.u.step.ranks = s->ranks;
		r.u.step.request = s->request;
		if (s->limit > 0)
			r.u.step.limit = record_num(s->limit);
		rc = put(run, &r, i + 1 == run->steps->n);
	}
	arena_release(&a);
	return rc;
}

static int put_started(struct run *run, const struct step *s, const struct command *c)
{
	struct record r = step_record(s, "started");
	struct arena a = {0};
	size_t n = 0;
	int rc;

	while (c->argv[n])
		n++;
	r.u.step.launcher = run->r->launcher->name;
	r.u.step.argv = record_list(&a, c->argv, n);
	rc = put(run, &r, true);
	arena_release(&a);
	return rc;
}

static int put_remark(struct run *run, const struct step *s)
{
	struct record r = record_make(RECORD_KIND_event);

	if (!s->remark)
		return 0;
	r.u.event.step = s->id;
	r.u.event.attempt = s->attempt;
	r.u.event.what = "remark";
	r.u.event.text = s->remark;
	return put(run, &r, false);
}

static int put_ended(struct run *run, const struct step *s, const char *cause,
		     const char *reason, const struct spawn_result *res, int sig)
{
	const struct runner_progress *p = run->r->progress;
	struct record r = step_record(s, "ended");
	int rc;

	r.u.step.cause = cause;
	r.u.step.reason = *reason ? reason : NULL;
	if (res) {
		if (res->exit >= 0)
			r.u.step.exit = res->exit;
		if (sig)
			r.u.step.signal = sig;
		run->r->killed |= sig == SIGKILL && res->end == SPAWN_EXITED;
		r.u.step.duration = record_num(res->duration);
	}
	rc = put(run, &r, true);
	if (!rc && p && p->step_ended)
		p->step_ended(p->ctx, s, &r.u.step);
	return rc;
}

/* Nodes */

/* What a step has for itself alone: its nodes, and its chassis where that matters. */
static size_t n_uses(const struct step *s)
{
	return s->n_nodes + (s->chassis ? 1 : 0);
}

/* No node has a name with a blank. */
static void name_chassis(struct strbuf *name, const struct step *s)
{
	strbuf_reset(name);
	strbuf_addf(name, "chassis %s", s->chassis);
}

static struct node_use *use_of(struct run *run, const struct step *s, size_t i)
{
	if (i < s->n_nodes)
		return &run->use[names_find(&run->nodes, s->nodes[i])];
	name_chassis(&run->name, s);
	return &run->use[names_find(&run->nodes, strbuf_str(&run->name))];
}

static void set_busy(struct run *run, const struct step *s, bool busy)
{
	for (size_t i = 0; i < n_uses(s); i++)
		use_of(run, s, i)->busy = busy;
}

/* Whether @s may have its nodes; when not, they are kept for it in this pass. */
static bool may_have_nodes(struct run *run, const struct step *s)
{
	bool free_now = true;

	for (size_t i = 0; i < n_uses(s) && free_now; i++) {
		const struct node_use *u = use_of(run, s, i);

		free_now = !u->busy && u->awaited != run->pass;
	}
	for (size_t i = 0; i < n_uses(s) && !free_now; i++)
		use_of(run, s, i)->awaited = run->pass;
	return free_now;
}

static void number_nodes(struct run *run)
{
	for (size_t i = 0; i < run->steps->n; i++) {
		const struct step *s = &run->steps->items[i];

		for (size_t k = 0; k < s->n_nodes; k++)
			(void)names_add(&run->nodes, s->nodes[k], NULL);
		if (!s->chassis)
			continue;
		name_chassis(&run->name, s);
		(void)names_add(&run->nodes, strbuf_str(&run->name), NULL);
	}
	mem_grow(&run->use, &run->cap_use, run->nodes.n + 1, sizeof(*run->use));
}

/* Jobs */

static int job_put(void *ctx, const struct record *r, struct err *e)
{
	struct job *job = ctx;

	(void)e; /* the run's own: this may be in the middle of anybody's call */
	return put(job->run, r, false);
}

static int job_output(void *ctx, int fd, const char *data, size_t len)
{
	struct job *job = ctx;
	struct err e = {0};

	stepdir_add(&job->dir, fd, data, len);
	if (fd == 1)
		return harvest_out(&job->harvest, data, len, &e) != 0;
	harvest_err(&job->harvest, data, len);
	return 0;
}

static void job_ended(void *ctx, const struct spawn_result *res)
{
	struct job *job = ctx;
	struct run *run = job->run;
	struct strbuf reason = {0};
	struct err e = {0};
	const char *cause;

	(void)harvest_end(&job->harvest, res, &e);
	cause = harvest_cause(&job->harvest, res,
			      !strcmp(run->r->launcher->name, "local"), &reason);
	stepdir_close(&job->dir);
	if (run->stopped && !strcmp(cause, "aborted"))
		strbuf_addf(&reason, " by signal %d (%s)", run->stopped,
			    strsignal(run->stopped));
	if (job->dir.error) {
		cause = "io";
		strbuf_reset(&reason);
		strbuf_addf(&reason, "its output cannot be written: %s",
			    strerror(job->dir.error));
	}
	(void)put_ended(run, job->step, cause, strbuf_str(&reason), res,
			harvest_signal(&job->harvest, res));
	set_busy(run, job->step, false);
	run->running--;
	run->look = true;
	strbuf_release(&reason);
	harvest_release(&job->harvest);
	free(job);
}

/* The words for the kernel. */
static void kernel_words(struct words *w, struct arena *a, const struct step *s)
{
	words_split(w, a, "--format records");
	if (s->threads > 0) {
		words_add(w, a, "--threads");
		words_add(w, a, arena_printf(a, "%d", s->threads));
	}
	if (s->cpusets && *s->cpusets) {
		words_add(w, a, "--cpuset");
		words_add(w, a, s->cpusets);
	}
	if (s->limit > 0) {
		words_add(w, a, "--limit");
		words_add(w, a,
			  s->limit < 1 ? arena_printf(a, "%.3f", s->limit)
				       : arena_printf(a, "%.0f", ceil(s->limit)));
	}
	for (size_t i = 0; i < s->n_options; i++)
		words_add(w, a, s->options[i]);
}

int runner_command(const struct runner *r, const struct step *s, struct arena *a,
		   struct command *out, struct err *e)
{
	struct launcher_context c = r->context;
	struct words w = {0};

	*out = (struct command){0};
	if (s->n_command) {
		for (size_t i = 1; i < s->n_command; i++)
			words_add(&w, a, s->command[i]);
	} else {
		kernel_words(&w, a, s);
	}
	c.step_dir = stepdir_path(r->dir, s, a);
	return r->launcher->build(&c, s, w.items, w.n, a, out, e);
}

static int job_start(struct run *run, const struct step *s, const struct command *c)
{
	struct job *job = mem_calloc(1, sizeof(*job));
	const struct spawn_command sc = {.argv = (const char *const *)c->argv,
					 .env = (const char *const *)c->env,
					 .limit = s->limit,
					 .output = job_output,
					 .ended = job_ended,
					 .ctx = job};
	struct arena a = {0};
	int rc;

	job->run = run;
	job->step = s;
	rc = stepdir_open(&job->dir, stepdir_path(run->r->dir, s, &a), c, run->e);
	arena_release(&a);
	if (!rc) {
		rc = put_started(run, s, c) || put_remark(run, s);
		if (!rc)
			rc = spawn_start(run->spawn, &sc, run->e);
		if (rc)
			stepdir_close(&job->dir);
	}
	if (rc) {
		free(job);
		run->failed = true;
		return -1;
	}
	harvest_init(&job->harvest, s, &run->metrics, run->r->most_records, job_put, job);
	set_busy(run, s, true);
	run->running++;
	return 0;
}

static int start(struct run *run, size_t i)
{
	const struct runner_progress *p = run->r->progress;
	const struct step *s = &run->steps->items[i];
	struct arena a = {0};
	struct command c;
	struct err why = {0};
	int rc;

	run->started[i] = true;
	run->n_started++;
	if (s->refused)
		return put_ended(run, s, "skip", s->refused, NULL, 0);
	if (runner_command(run->r, s, &a, &c, &why)) {
		rc = put_ended(run, s, "launch", why.msg, NULL, 0);
	} else {
		rc = job_start(run, s, &c);
		if (!rc && p && p->step_started)
			p->step_started(p->ctx, s, run->n_started, run->steps->n);
	}
	arena_release(&a);
	return rc;
}

/* The next block begins where this one is done: a name's launches are measured alike. */
static void next_block(struct run *run)
{
	const struct step *items = run->steps->items;

	while (run->begin < run->end && run->started[run->begin])
		run->begin++;
	if (run->begin < run->end || run->running)
		return;
	while (run->end < run->steps->n &&
	       !strcmp(items[run->end].name, items[run->begin].name))
		run->end++;
}

static size_t at_once(const struct step *s)
{
	return s->at_once > 0 && s->at_once < MOST_AT_ONCE ? (size_t)s->at_once
							   : MOST_AT_ONCE;
}

/*
 * Starts what may start of the block. A step that waits for a node keeps all of its
 * nodes: no later one overtakes it there, those on other nodes do.
 */
static int start_ready(struct run *run)
{
	int rc = 0;

	run->look = false;
	run->pass++;
	next_block(run);
	for (size_t i = run->begin; i < run->end && !rc; i++) {
		const struct step *s = &run->steps->items[i];

		if (run->started[i])
			continue;
		if (run->running >= at_once(s))
			break;
		if (may_have_nodes(run, s))
			rc = start(run, i);
	}
	return rc;
}

static int loop(struct run *run)
{
	const struct runner_progress *p = run->r->progress;
	double ticked = clock_now();
	int rc = 0;

	while (!rc) {
		if (!run->stopped && run->r->stop && *run->r->stop) {
			run->stopped = *run->r->stop;
			spawn_stop(run->spawn);
		}
		if (!run->stopped && (run->look || !run->running))
			rc = start_ready(run);
		if (rc ||
		    (!run->running && (run->stopped || run->n_started == run->steps->n)))
			break;
		/* nothing runs when all that started ended as they were built */
		if (run->running && spawn_pump(run->spawn, heartbeat, run->e))
			run->failed = true;
		rc = run->failed ? -1 : 0;
		if (p && p->tick && clock_now() - ticked >= tick) {
			ticked = clock_now();
			p->tick(p->ctx);
		}
	}
	return rc;
}

int runner_run(struct runner *r, const struct steps *steps, struct err *e)
{
	struct run run = {.r = r, .steps = steps, .e = e};
	int rc = -1;

	r->killed = false;
	if (!steps->n)
		return 0;
	metrics_read(&run.metrics, r->state ? r->state->plan.kernels : NULL,
		     &run.declared);
	if (put_planned(&run))
		goto out;
	number_nodes(&run);
	run.started = mem_calloc(steps->n, sizeof(*run.started));
	if (spawn_open(&run.spawn, r->context.run_id, e))
		goto out;
	rc = loop(&run);
	spawn_close(run.spawn);
out:
	metrics_release(&run.metrics);
	arena_release(&run.declared);
	names_release(&run.nodes);
	strbuf_release(&run.name);
	free(run.use);
	free(run.started);
	return rc || run.failed ? -1 : 0;
}
