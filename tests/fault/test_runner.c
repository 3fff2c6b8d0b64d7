/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that go well and wrong in every way known: what the journal says of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "left.h"
#include "record/state.h"
#include "run/runner.h"
#include "run/stepdir.h"

/* A machine under load may be late by this much, s: what is not ended in time here would
 * last for ever. */
static const double late = 30;

/* A run folder with its journal, and what the tests set of a run. */
struct bench {
	char dir[64], script[96], run_id[64];
	struct journal *journal;
	struct state state; /* after the run */
	struct runner runner;
	struct site site;
	struct steps steps;
	struct state known; /* what the runner is told */
	struct err e;
	size_t fds;
};

static struct bench b;
static volatile sig_atomic_t stop;

static int setup(void **unused)
{
	static int serial;

	(void)unused;
	memset(&b, 0, sizeof(b));
	b.fds = left_fds();
	stop = 0;
	(void)snprintf(b.dir, sizeof(b.dir), "/tmp/assay-runner-XXXXXX");
	assert_non_null(mkdtemp(b.dir));
	(void)snprintf(b.script, sizeof(b.script), "%s/script", b.dir);
	(void)snprintf(b.run_id, sizeof(b.run_id), "runner-%ld-%d", (long)getpid(),
		       ++serial);
	(void)setenv("ASSAY_TEST_LAUNCHER", b.script, 1);
	assert_int_equal(journal_open(&b.journal, b.dir, false, &b.e), 0);
	b.site.remote_agent = "ssh -n";
	b.runner = (struct runner){.launcher = launcher_find("test"),
				   .journal = b.journal,
				   .dir = b.dir,
				   .state = &b.known,
				   .stop = &stop,
				   .context = {.site = &b.site,
					       .bindir = BIN_DIR,
					       .run_id = b.run_id,
					       .allow_root = true}};
	/* the controller asks the kernels first, as the plan record says */
	{
		const char *fake = NULL;

		assert_int_equal(runner_describe(BIN_DIR, b.run_id, "fake",
						 &b.known.arena, &fake, &b.e),
				 0);
		b.known.plan.kernels =
			arena_printf(&b.known.arena, "{\"fake\":%s}", fake);
	}
	return 0;
}

static int unlink_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* After each test: no process, no child, no descriptor is left. */
static int teardown(void **unused)
{
	size_t marked = left_marked(b.run_id), children = left_children(), fds;

	(void)unused;
	journal_close(b.journal);
	state_release(&b.state);
	state_release(&b.known);
	arena_release(&b.steps.arena);
	free(b.steps.items);
	(void)nftw(b.dir, unlink_one, 16, FTW_DEPTH | FTW_PHYS);
	fds = left_fds();
	if (fds == b.fds && !marked && !children)
		return 0;
	print_error("left: %zu descriptors of %zu, %zu processes, %zu children\n", fds,
		    b.fds, marked, children);
	return -1;
}

static void script(const char *text)
{
	FILE *f = fopen(b.script, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Adds a step on @nodes ("n1,n2"), two ranks on each node but one on a single node. */
static struct step *add_step(const char *name, const char *nodes)
{
	struct arena *a = &b.steps.arena;
	struct words w = {0};
	struct step *s;
	char *list = arena_strdup(a, nodes), *save = NULL;

	for (char *n = strtok_r(list, ",", &save); n; n = strtok_r(NULL, ",", &save))
		words_add(&w, a, n);
	mem_grow(&b.steps.items, &b.steps.cap, b.steps.n + 1, sizeof(*b.steps.items));
	s = &b.steps.items[b.steps.n++];
	*s = (struct step){.id = (int64_t)b.steps.n,
			   .attempt = 1,
			   .key = arena_printf(a, "%s@%s", name, nodes),
			   .name = arena_strdup(a, name),
			   .stage = "stage",
			   .kernel = "fake",
			   .place = "all-cores",
			   .nodes = w.items,
			   .n_nodes = w.n,
			   .per_node = w.n > 1 ? 2 : 1,
			   .limit = 60,
			   .at_once = 1};
	s->ranks = s->per_node * (int)s->n_nodes;
	return s;
}

static void run(void)
{
	assert_int_equal(runner_run(&b.runner, &b.steps, &b.e), 0);
	assert_int_equal(state_replay(&b.state, b.dir, &b.e), 0);
	assert_int_equal(b.state.damaged, 0);
}

static const struct state_step *ended(size_t id)
{
	const struct state_step *st = &b.state.steps[id - 1];

	assert_true(id <= b.state.n_steps);
	assert_int_equal(st->phase, STATE_ENDED);
	return st;
}

static void assert_text(const char *text, const char *part)
{
	const char *t = text ? text : "(none)";

	if (!strstr(t, part))
		fail_msg("'%s' is not in '%s'", part, t);
}

/* Every behaviour and the ended record it gives: one step on two nodes of two ranks. */
struct fate {
	const char *behaviour, *cause, *reason; /* NULL: none */
	int exit, signal;                       /* -1: not in the record */
};

static const struct fate fates[] = {
	{"ok", "ok", NULL, 0, -1},
	{"failed", "ok", NULL, 1, -1}, /* a FAIL is for the judge */
	{"half-line", "invalid", "line 20 of its output: not a JSON object", 0, -1},
	{"torn", "invalid", "not a JSON object", 0, -1},
	{"garbage", "invalid", "line 7 of its output: '@assay' in the middle", 0, -1},
	{"no-result", "no-data", "exit status 0 and not one record", 0, -1},
	{"no-sample", "no-data", "not one number", 0, -1},
	{"refuse no slots available", "launch", "launcher refused: no slots available", 0,
	 -1},
	{"exit 1 launcher refuses to run as root", "launch",
	 "launcher refused: launcher refuses to run as root", 1, -1},
	{"exit 2 assay-fake: unknown option '--x'", "no-data",
	 "exit status 2 and not one record: assay-fake: unknown option '--x'", 2, -1},
	{"exit 5", "launch", "exit status 5 and not one record", 5, -1},
	{"exit 205 a daemon is lost", "launch", "launcher refused: a daemon is lost", 205,
	 -1},
	{"exit 0", "no-data", "exit status 0 and not one record", 0, -1},
	{"signal 11", "launch", "ended by signal 11 (Segmentation fault) and not one", -1,
	 11},
	{"die 9", "no-data", "ended by signal 9 (Killed) before the result was complete",
	 -1, 9},
	{"die 6", "no-data", "ended by signal 6 (Aborted) before", -1, 6},
	{"rank-killed 9", "no-data", "on node n1 exited on signal 9", 137, 9},
	{"late 7", "invalid", "exit status 7 after a complete result", 7, -1},
	{"late 1", "invalid", "exit status 1 after a complete result", 1, -1},
	{"late 139", "invalid", "ended by signal 11", 139, 11},
	{"watchdog", "timeout", "ended by the kernel's own time limit", 124, -1},
	{"world 1", "invalid", "world of 1 ranks, 4 were started", 0, -1},
	{"world 5", "invalid", "world of 5 ranks, 4 were started", 0, -1},
	{"rank-missing", "invalid", "no record of rank 3 on 'n2'", 0, -1},
	{"rank-twice", "invalid", "rank 0 for the second time", 0, -1},
	{"miscount", "invalid", "18 records of 19: output is torn", 0, -1},
	{"no-end", "invalid", "no final count after 18 records", 0, -1},
	{"after-end", "invalid", "a 'valid' record after the end", 0, -1},
	{"flood 80", "ok", NULL, 0, -1},
	{"flood-records", "invalid", "more than 1 MiB of records", -1, SIGTERM},
	{"nan", "invalid", "metric 'fake.rate' is not a finite number", 0, -1},
	{"undeclared", "invalid", "metric 'fake.secret', which kernel 'fake' does not", 0,
	 -1},
	{"unit", "invalid", "metric 'fake.rate' in 'MB/s', declared in 'B/s'", 0, -1},
	{"oversized", "invalid", "a record of 4096 bytes or more", 0, -1},
	{"forged", "invalid", "a 'step' record", 0, -1},
	{"named", "invalid", "step, attempt or node in a 'valid' record", 0, -1},
	{"leave", "ok", "left 1 processes behind, which were ended", 0, -1},
	{"skip needs 12 GB, 8 GB usable", "skip", "needs 12 GB, 8 GB usable", 3, -1},
	{"invalid 2 threads on 1 CPU", "invalid", "2 threads on 1 CPU", 3, -1},
};

enum { N_FATES = sizeof(fates) / sizeof(fates[0]) };

static void assert_fate(size_t id, const struct fate *f)
{
	const struct record_step *r = &ended(id)->ended;

	if (strcmp(r->cause, f->cause) != 0)
		print_error("%s: %s, %s\n", f->behaviour, r->cause,
			    r->reason ? r->reason : "");
	assert_string_equal(r->cause, f->cause);
	if (f->reason)
		assert_text(r->reason, f->reason);
	else
		assert_null(r->reason);
	assert_int_equal(r->exit, f->exit < 0 ? RECORD_NO_INT : f->exit);
	assert_int_equal(r->signal, f->signal < 0 ? RECORD_NO_INT : f->signal);
	assert_true(r->duration.set && r->duration.v > 0 && r->duration.v < 60);
}

static void every_behaviour_has_its_cause(void **unused)
{
	FILE *f = fopen(b.script, "we");

	(void)unused;
	assert_non_null(f);
	for (size_t i = 0; i < N_FATES; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "stage/s%zu", i);
		(void)add_step(name, "n1,n2");
		(void)fprintf(f, "%s@* %s\n", name, fates[i].behaviour);
	}
	assert_int_equal(fclose(f), 0);
	b.runner.most_records = 1 << 20;
	run();
	assert_int_equal(b.state.n_steps, N_FATES);
	for (size_t i = 0; i < N_FATES; i++)
		assert_fate(i + 1, &fates[i]);
}

static void records_get_step_attempt_and_node(void **unused)
{
	const struct state_step *st;
	struct step *s = add_step("stage/a", "n1,n2");

	(void)unused;
	script("* ok fake.rate=12.5 reps=2\n");
	s->attempt = 3;
	s->request = "r17";
	run();
	st = ended(1);
	assert_string_equal(st->planned.key, "stage/a@n1,n2");
	assert_string_equal(st->planned.name, "stage/a");
	assert_string_equal(st->planned.kernel, "fake");
	assert_string_equal(st->planned.place, "all-cores");
	assert_string_equal(st->planned.request, "r17");
	assert_string_equal(st->planned.nodes, "[\"n1\",\"n2\"]");
	assert_int_equal(st->planned.ranks, 4);
	assert_true(st->planned.limit.v == 60);
	assert_string_equal(st->started.launcher, "test");
	assert_text(st->started.argv,
		    "assay-fake\",\"--format\",\"records\",\"--limit\"");
	assert_int_equal(st->attempt, 3);
	assert_int_equal(st->n_ranks, 4);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(st->ranks[i]->rank, i);
		assert_string_equal(st->ranks[i]->node, i < 2 ? "n1" : "n2");
	}
	assert_int_equal(st->n_samples, 8);
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(st->samples[i]->step, 1);
		assert_int_equal(st->samples[i]->attempt, 3);
		assert_string_equal(st->samples[i]->node, i / 2 % 2 ? "n2" : "n1");
		assert_int_equal(st->samples[i]->repetition, 1 + (int)i / 4);
	}
	assert_true(st->samples[0]->value.v == 12.5);
	assert_int_equal(st->n_valids, 1);
	assert_string_equal(st->valids[0]->node, "n1");
	assert_int_equal(st->n_counters, 2);
}

static void a_bad_record_is_not_in_the_journal_but_the_good_ones_are(void **unused)
{
	(void)unused;
	(void)add_step("stage/a", "n1");
	(void)add_step("stage/b", "n1");
	script("stage/a* undeclared\nstage/b* skip no memory\n");
	run();
	assert_int_equal(ended(1)->n_samples, 6);
	assert_int_equal(ended(2)->n_events, 1);
	assert_string_equal(ended(2)->events[0]->what, "skip");
	assert_string_equal(ended(2)->events[0]->node, "n1");
}

static char *slurp(const char *name)
{
	struct strbuf path = {0}, text = {0};
	struct err e = {0};

	strbuf_addf(&path, "%s/%s", b.dir, name);
	assert_int_equal(file_read(&text, strbuf_str(&path), 100 << 20, &e), 0);
	strbuf_release(&path);
	return strbuf_detach(&text);
}

static void a_step_has_a_folder_with_what_happened(void **unused)
{
	struct step *s = add_step("stage/odd name/../x", "n1");
	struct stat st;
	char *text;

	(void)unused;
	s->attempt = 2;
	script("* refuse out of paper\n");
	run();
	text = slurp("steps/001-stage-odd-name-..-x.2/stderr");
	assert_text(text, "out of paper\nmore about it\n");
	free(text);
	text = slurp("steps/001-stage-odd-name-..-x.2/stdout");
	assert_string_equal(text, "");
	free(text);
	text = slurp("steps/001-stage-odd-name-..-x.2/command");
	assert_text(text, "env 'ASSAY_TEST_KEY=stage/odd name/../x@n1'");
	assert_text(text, "assay-fake --format records");
	free(text);
	(void)snprintf(b.script, sizeof(b.script), "%s/steps", b.dir);
	assert_int_equal(stat(b.script, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

static void output_beyond_what_is_kept_is_cut(void **unused)
{
	char *text;
	size_t len;

	(void)unused;
	(void)add_step("stage/a", "n1");
	script("* flood 65\n");
	run();
	assert_string_equal(ended(1)->ended.cause, "ok");
	text = slurp("steps/001-stage-a/stdout");
	len = strlen(text);
	assert_true(len > STEPDIR_KEEP && len < STEPDIR_KEEP + 100);
	assert_text(text + STEPDIR_KEEP, "[cut here: ");
	free(text);
}

static void a_hang_is_ended_at_the_limit_and_the_rest_goes_on(void **unused)
{
	double start = clock_now();

	(void)unused;
	add_step("stage/a", "n1")->limit = 0.5;
	add_step("stage/b", "n1")->limit = 2; /* it ignores TERM by then */
	(void)add_step("stage/c", "n1");
	script("stage/a* hang\nstage/b* hang-term\n");
	run();
	assert_true(clock_now() - start < 2.5 + 2 * 3 + late);
	assert_string_equal(ended(1)->ended.cause, "timeout");
	assert_string_equal(ended(1)->ended.reason, "not done after 0.5 s");
	assert_int_equal(ended(1)->ended.signal, SIGTERM);
	assert_string_equal(ended(2)->ended.cause, "timeout");
	assert_int_equal(ended(2)->ended.signal, SIGKILL);
	assert_int_equal(ended(2)->n_ranks, 1);
	assert_true(ended(2)->ended.duration.v < 2 + 3 + late);
	assert_string_equal(ended(3)->ended.cause, "ok");
}

/* How many steps ran at the same time at most, and in which order they began and ended.
 */
struct seen {
	size_t running, most, n;
	char order[512];
};

static void seen_started(void *ctx, const struct step *s, size_t k, size_t n)
{
	struct seen *seen = ctx;
	size_t len = strlen(seen->order);

	assert_int_equal(k, ++seen->n);
	assert_int_equal(n, b.steps.n);
	if (++seen->running > seen->most)
		seen->most = seen->running;
	(void)snprintf(seen->order + len, sizeof(seen->order) - len, "+%lld ",
		       (long long)s->id);
}

static void seen_ended(void *ctx, const struct step *s, const struct record_step *ended)
{
	struct seen *seen = ctx;
	size_t len = strlen(seen->order);

	assert_string_equal(ended->event, "ended");
	seen->running--;
	(void)snprintf(seen->order + len, sizeof(seen->order) - len, "-%lld ",
		       (long long)s->id);
}

/* "+1 " before "-4 ", say: whatever else comes in between. */
static void assert_order(const struct seen *seen, const char *const *marks)
{
	const char *last = seen->order;

	for (size_t i = 0; marks[i]; i++) {
		const char *at = strstr(seen->order, marks[i]);

		if (!at || at < last)
			fail_msg("'%s' is not in its place in '%s'", marks[i],
				 seen->order);
		last = at;
	}
}

static void watch(struct seen *seen, struct runner_progress *p)
{
	*p = (struct runner_progress){
		.step_started = seen_started, .step_ended = seen_ended, .ctx = seen};
	b.runner.progress = p;
}

static void steps_with_one_name_run_at_once_on_their_own_nodes(void **unused)
{
	struct runner_progress p;
	struct seen seen = {0};

	(void)unused;
	watch(&seen, &p);
	for (int i = 1; i <= 6; i++) {
		char node[8];
		struct step *s;

		(void)snprintf(node, sizeof(node), "n%d", i);
		s = add_step("stage/a", node);
		s->at_once = 3;
		s->limit = 1;
	}
	(void)add_step("stage/b", "n7"); /* another name: not before all of those */
	script("stage/a* hang\n");
	run();
	assert_int_equal(seen.most, 3);
	assert_non_null(strstr(seen.order, "+7 -7 "));
	assert_int_equal(strlen(strstr(seen.order, "+7")), 6); /* the last of all */
}

static void a_node_has_one_step_at_a_time_in_order(void **unused)
{
	static const char *const order[] = {"+1 ", "-1 ", "+2 ", "-2 ",
					    "+3 ", "-3 ", NULL};
	struct runner_progress p;
	struct seen seen = {0};

	(void)unused;
	watch(&seen, &p);
	add_step("stage/a", "n1")->limit = 1; /* hangs */
	(void)add_step("stage/a", "n1,n2");   /* waits for 1, and keeps n2 */
	(void)add_step("stage/a", "n2");      /* must not overtake 2 */
	(void)add_step("stage/a", "n3");      /* need not wait */
	for (size_t i = 0; i < b.steps.n; i++)
		b.steps.items[i].at_once = 0;
	script("stage/a@n1 hang\n");
	run();
	assert_true(!strncmp(seen.order, "+1 +4 ", 6));
	assert_order(&seen, order);
	assert_int_equal(seen.n, 4);
}

static void a_chassis_has_one_step_at_a_time(void **unused)
{
	static const char *const chassis[] = {"1", "1", "2", "1", NULL};
	static const char *const order[] = {"+1 ", "-1 ", "+2 ", "-2 ",
					    "+4 ", "-4 ", NULL};
	struct runner_progress p;
	struct seen seen = {0};

	(void)unused;
	watch(&seen, &p);
	for (int i = 0; i < 5; i++) {
		char node[8];
		struct step *s;

		(void)snprintf(node, sizeof(node), "n%d", i + 1);
		s = add_step("stage/a", node);
		s->chassis = chassis[i];
		s->at_once = 0;
		s->limit = 1;
	}
	script("stage/a@n1 hang\nstage/a@n2 hang\n");
	run();
	/* 3 and 5 are of other chassis; 2 waits for 1, 4 for 2 */
	assert_true(!strncmp(seen.order, "+1 +3 +5 ", 9));
	assert_order(&seen, order);
}

static void all_are_planned_before_the_first_starts(void **unused)
{
	char *text;

	(void)unused;
	(void)add_step("stage/a", "n1");
	(void)add_step("stage/b", "n1");
	/* known from an earlier start of the controller: not planned again */
	(void)add_step("stage/c", "n1");
	mem_grow(&b.known.steps, &b.known.cap_steps, 3, sizeof(*b.known.steps));
	b.known.n_steps = 3;
	b.known.steps[2].id = 3;
	b.known.steps[2].attempt = 1;
	script("");
	assert_int_equal(runner_run(&b.runner, &b.steps, &b.e), 0);
	text = slurp("journal.jsonl");
	assert_true(strstr(text, "\"key\":\"stage/b@n1\"") < strstr(text, "started"));
	assert_null(strstr(text, "\"event\":\"planned\",\"key\":\"stage/c"));
	assert_non_null(strstr(text, "\"event\":\"ended\",\"key\":\"stage/c"));
	free(text);
}

static void stop_on_start(void *ctx, const struct step *s, size_t k, size_t n)
{
	(void)ctx;
	(void)k;
	(void)n;
	if (s->id == 2)
		stop = SIGTERM;
}

static void a_stop_aborts_what_runs_and_starts_nothing_more(void **unused)
{
	struct runner_progress p = {.step_started = stop_on_start};
	double start = clock_now();

	(void)unused;
	b.runner.progress = &p;
	(void)add_step("stage/a", "n1");
	(void)add_step("stage/b", "n1");
	(void)add_step("stage/c", "n1");
	script("stage/b* hang\n");
	run();
	assert_true(clock_now() - start < 1 + late);
	assert_string_equal(ended(1)->ended.cause, "ok");
	assert_string_equal(ended(2)->ended.cause, "aborted");
	assert_string_equal(ended(2)->ended.reason, "stopped by signal 15 (Terminated)");
	assert_int_equal(b.state.steps[2].phase, STATE_PLANNED);
}

static void what_the_launcher_cannot_do_ends_as_launch(void **unused)
{
	(void)unused;
	b.runner.launcher = launcher_find("local");
	b.runner.context.host = "n1";
	(void)add_step("stage/a", "n1,n2"); /* four ranks */
	(void)add_step("stage/b", "n1");
	add_step("stage/c", "n1")->kernel = "nowhere";
	script("");
	run();
	assert_string_equal(ended(1)->ended.cause, "launch");
	assert_text(ended(1)->ended.reason, "starts one process, not 4 ranks");
	assert_string_equal(ended(2)->ended.cause, "ok");
	assert_string_equal(ended(3)->ended.cause, "launch");
	assert_string_equal(ended(3)->ended.reason,
			    "cannot be started: No such file or directory");
}

static void what_the_planner_says_of_a_step_is_in_the_journal(void **unused)
{
	(void)unused;
	add_step("stage/a", "n1")->refused = "no NUMA domain has 4 cores";
	add_step("stage/b", "n1")->remark = "one core left out for the system";
	script("");
	run();
	assert_string_equal(ended(1)->ended.cause, "skip");
	assert_string_equal(ended(1)->ended.reason, "no NUMA domain has 4 cores");
	assert_null(ended(1)->started.event);
	assert_string_equal(ended(2)->ended.cause, "ok");
	assert_int_equal(ended(2)->n_events, 1);
	assert_string_equal(ended(2)->events[0]->what, "remark");
	assert_string_equal(ended(2)->events[0]->text,
			    "one core left out for the system");
}

static void without_a_launcher_the_kernel_itself_is_named(void **unused)
{
	(void)unused;
	b.runner.launcher = launcher_find("local");
	b.runner.context.host = "n1";
	(void)add_step("stage/a", "n1");
	script("* exit 1 no MPI here\n");
	run();
	assert_string_equal(ended(1)->ended.reason,
			    "exit status 1 and not one record: no MPI here");
}

/* Field case B01: a stub first in PATH, as REFUSE says. */
static void write_stub(const char *name, const char *text)
{
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/bin", b.dir);
	(void)mkdir(path, 0700);
	(void)snprintf(path, sizeof(path), "%s/bin/%s", b.dir, name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0700), 0);
}

static char *with_stub_path(void)
{
	char *old = mem_strdup(getenv("PATH"));
	struct strbuf path = {0};

	strbuf_addf(&path, "%s/bin:%s", b.dir, old);
	(void)setenv("PATH", strbuf_str(&path), 1);
	strbuf_release(&path);
	return old;
}

static void restore_path(char *old)
{
	(void)setenv("PATH", old, 1);
	free(old);
}

static void b01_a_launcher_that_refuses_is_no_fault_of_a_node(void **unused)
{
	static const struct {
		const char *how, *line;
		int exit;
	} cases[] = {
		{"slots",
		 "not enough slots available for this job; hint: fewer slots than ranks: "
		 "see the host file or the allocation",
		 0},
		{"root",
		 "mpirun has detected an attempt to run as root.; hint: use another "
		 "user, "
		 "or --allow-root",
		 1},
		{"pmi",
		 "it was direct launched, but has no PMI support; hint: MPI and launcher "
		 "do not share a PMI: take --launcher mpirun",
		 1},
		/* what the kernel says counts more than warnings before it */
		{"kernel", "assay-x: no network", 1},
	};
	char *path;

	(void)unused;
	write_stub("mpirun", "#!/bin/sh\n"
			     "echo ------------------- >&2\n"
			     "case $REFUSE in\n"
			     "slots) echo 'not enough slots available for this job' >&2\n"
			     "\texit 0;;\n"
			     "kernel) echo '[n1:1] a warning' >&2\n"
			     "\techo 'assay-x: no network' >&2; exit 1;;\n"
			     "root) echo 'mpirun has detected an attempt to run as root.'"
			     " >&2; exit 1;;\n"
			     "pmi) echo 'it was direct launched, but has no PMI support'"
			     " >&2; exit 1;;\n"
			     "esac\n");
	b.runner.launcher = launcher_find("mpirun");
	b.runner.context.host = "n1";
	(void)add_step("stage/a", "n1");
	path = with_stub_path();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char want[256];

		(void)setenv("REFUSE", cases[i].how, 1);
		b.steps.items[0].id = (int64_t)i + 1;
		assert_int_equal(runner_run(&b.runner, &b.steps, &b.e), 0);
		state_release(&b.state);
		assert_int_equal(state_replay(&b.state, b.dir, &b.e), 0);
		(void)snprintf(want, sizeof(want), "launcher refused: %s", cases[i].line);
		assert_string_equal(ended(i + 1)->ended.cause, "launch");
		assert_string_equal(ended(i + 1)->ended.reason, want);
		assert_int_equal(ended(i + 1)->ended.exit, cases[i].exit);
	}
	(void)unsetenv("REFUSE");
	restore_path(path);
}

/* mpirun where there is one: the kernel knows nothing of MPI, so one rank. */
static void mpirun_itself_starts_a_kernel(void **unused)
{
	const struct state_step *st;
	struct err why = {0};

	(void)unused;
	b.runner.launcher = launcher_find("mpirun");
	if (b.runner.launcher->usable(&b.runner.context, &why)) {
		print_message("skipped: %s\n", why.msg);
		skip();
	}
	(void)add_step("stage/a", "localhost");
	script("by-hand ok\n");
	run();
	st = ended(1);
	assert_string_equal(st->ended.cause, "ok");
	assert_int_equal(st->ended.exit, 0);
	assert_int_equal(st->n_samples, 6);
}

static void mpirun_tells_how_its_ranks_ended(void **unused)
{
	static const struct {
		const char *script, *cause, *reason;
		int exit, signal;
	} cases[] = {
		{"* skip no memory\n", "skip", "no memory", 3, -1},
		{"* die 9\n", "no-data", "ended by signal 9 (Killed)", 137, 9},
		{"* hang-term\n", "timeout", "not done after 2 s", -1, -1},
	};
	struct err why = {0};

	(void)unused;
	b.runner.launcher = launcher_find("mpirun");
	if (b.runner.launcher->usable(&b.runner.context, &why)) {
		print_message("skipped: %s\n", why.msg);
		skip();
	}
	add_step("stage/a", "localhost")->limit = 60;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct record_step *r;

		script(cases[i].script);
		b.steps.items[0].id = (int64_t)i + 1;
		b.steps.items[0].limit = strcmp(cases[i].cause, "timeout") ? 60 : 2;
		assert_int_equal(runner_run(&b.runner, &b.steps, &b.e), 0);
		state_release(&b.state);
		assert_int_equal(state_replay(&b.state, b.dir, &b.e), 0);
		r = &ended(i + 1)->ended;
		assert_string_equal(r->cause, cases[i].cause);
		assert_text(r->reason, cases[i].reason);
		if (cases[i].exit >= 0)
			assert_int_equal(r->exit, cases[i].exit);
		if (cases[i].signal >= 0)
			assert_int_equal(r->signal, cases[i].signal);
		assert_int_equal(left_marked(b.run_id), 0);
	}
}

/*
 * Ranks are where the order of the nodes says, also when this machine is among them and
 * not first. Nodes are this machine under other names, which only root may give it.
 */
static void mpirun_puts_ranks_in_the_order_of_the_nodes(void **unused)
{
	char path[128], host[64] = "", nodes[128];
	const struct state_step *st;
	const char *describes = NULL;
	struct step *s;

	(void)unused;
	if (system("unshare -u true 2>/dev/null") ||
	    system("mpirun -V >/dev/null 2>&1")) {
		print_message("skipped: needs mpirun and the right to rename itself\n");
		skip();
	}
	write_stub("agent", "#!/bin/sh\nh=$1; shift\n"
			    "exec unshare -u sh -c \"hostname $h; $*\"\n");
	(void)snprintf(path, sizeof(path), "%s/bin/agent", b.dir);
	b.site.remote_agent = path;
	b.runner.launcher = launcher_find("mpirun");
	(void)gethostname(host, sizeof(host) - 1);
	(void)snprintf(nodes, sizeof(nodes), "assay9,%s,assay1.a,assay1.b", host);
	s = add_step("stage/a", nodes);
	s->kernel = "example";
	s->cpusets = "0:0"; /* they share one machine */
	s->threads = 1;
	assert_int_equal(runner_describe(BIN_DIR, b.run_id, "example", &b.known.arena,
					 &describes, &b.e),
			 0);
	b.known.plan.kernels =
		arena_printf(&b.known.arena, "{\"example\":%s}", describes);
	run();
	st = ended(1);
	assert_int_equal(st->n_ranks, 8);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(st->ranks[i]->rank, i);
		assert_string_equal(st->ranks[i]->host, st->nodes[i / 2]);
		assert_string_equal(st->ranks[i]->node, st->nodes[i / 2]);
	}
}

/* Reach */

struct answers {
	struct {
		char node[32], out[256], why[256];
		enum reach_end end;
		int exit, signal;
	} items[80];
	size_t n;
};

static int take_answer(void *ctx, const struct reach_result *res, struct err *e)
{
	struct answers *all = ctx;

	(void)e;
	assert_true(all->n < 80);
	(void)snprintf(all->items[all->n].node, 32, "%s", res->node);
	(void)snprintf(all->items[all->n].out, 256, "%.*s", (int)res->out_len, res->out);
	(void)snprintf(all->items[all->n].why, 256, "%s", res->why ? res->why : "");
	all->items[all->n].end = res->end;
	all->items[all->n].exit = res->exit;
	all->items[all->n].signal = res->signal;
	all->n++;
	return 0;
}

static size_t answer_of(const struct answers *all, const char *node)
{
	for (size_t i = 0; i < all->n; i++) {
		if (!strcmp(all->items[i].node, node))
			return i;
	}
	fail_msg("no answer of '%s'", node);
	return 0;
}

static void reach_nodes(struct answers *all, const char *const *nodes, size_t n,
			double limit)
{
	static const char *const words[] = {"sh", "-c", "echo $ASSAY_RUN \"$0\"", "it's"};

	memset(all, 0, sizeof(*all));
	assert_int_equal(runner_reach(&b.runner, nodes, n, words, 4, limit, take_answer,
				      all, &b.e),
			 0);
	assert_int_equal(all->n, n);
}

/* What ssh does with host and words, and what it does when it fails; G01, B04, B05. */
static const char agent[] =
	"#!/bin/sh\n"
	"cat >/dev/null\n" /* eats the list of hosts if it can */
	"h=$1; shift\n"
	"case $h in\n"
	"h0) exec sh -c \"$*\";;\n"
	"h1) exit 1;;\n"
	"h139) exit 139;;\n"
	"h254) exit 254;;\n"
	"h255) echo 'ssh: connect to host h255: No route to host' >&2\n"
	"\texit 255;;\n"
	"hkill) kill -9 $$;;\n"
	"hhang) trap '' TERM; while :; do sleep 1000; done;;\n"
	"hslow) sleep 0.5; exec sh -c \"$*\";;\n"
	"esac\n";

static void g01_a_nodes_status_is_not_its_transports(void **unused)
{
	static const char *const nodes[] = {"h0",   "h1",    "h139",  "h254",
					    "h255", "hkill", "hhang", "hslow"};
	static const struct {
		const char *node;
		enum reach_end end;
		int exit, signal;
		const char *why;
	} want[] = {
		{"h0", REACH_RAN, 0, 0, ""},
		{"hslow", REACH_RAN, 0, 0, ""},
		{"h1", REACH_RAN, 1, 0, "exit status 1"},
		{"h139", REACH_RAN, 139, 0, "exit status 139"},
		{"h254", REACH_RAN, 254, 0, "exit status 254"},
		{"h255", REACH_TRANSPORT, 255, 0,
		 "exit status 255: ssh: connect to host h255: No route to host; hint: it "
		 "is off, or a firewall rejects us"},
		{"hkill", REACH_TRANSPORT, -1, 9, "ended by signal 9 (Killed)"},
		{"hhang", REACH_TIMEOUT, -1, 9, "no answer after 6 s"},
	};
	struct answers all;
	double start = clock_now();
	char path[128];
	char want_out[128];

	(void)unused;
	write_stub("agent", agent);
	(void)snprintf(path, sizeof(path), "%s/bin/agent", b.dir);
	b.site.remote_agent = path;
	b.runner.launcher = launcher_find("mpirun");
	reach_nodes(&all, nodes, 8, 6);
	assert_true(clock_now() - start < 6 + 3 + late);
	for (size_t i = 0; i < 8; i++) {
		size_t k = answer_of(&all, want[i].node);

		assert_int_equal(all.items[k].end, want[i].end);
		assert_int_equal(all.items[k].exit, want[i].exit);
		assert_int_equal(all.items[k].signal, want[i].signal);
		assert_string_equal(all.items[k].why, want[i].why);
	}
	(void)snprintf(want_out, sizeof(want_out), "%s it's\n", b.run_id);
	assert_string_equal(all.items[answer_of(&all, "h0")].out, want_out);
	assert_string_equal(all.items[answer_of(&all, "hslow")].out, want_out);
}

static void an_agent_that_is_not_there_is_transport(void **unused)
{
	static const char *const nodes[] = {"h0"};
	struct answers all;

	(void)unused;
	b.site.remote_agent = "/nowhere/agent -x";
	b.runner.launcher = launcher_find("mpirun");
	reach_nodes(&all, nodes, 1, 10);
	assert_int_equal(all.items[0].end, REACH_TRANSPORT);
	assert_string_equal(all.items[0].why,
			    "cannot be started: No such file or directory");
}

static void the_test_launcher_reaches_nodes_by_its_script(void **unused)
{
	static const char *nodes[70];
	static char names[70][8];
	struct answers all;
	char out[128];

	(void)unused;
	for (int i = 0; i < 70; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "n%d", i);
		nodes[i] = names[i];
	}
	script("reach@n3 exit 255 no route to host\nreach@n4 hang\n");
	reach_nodes(&all, nodes + 4, 1, 1);
	assert_int_equal(all.items[answer_of(&all, "n4")].end, REACH_TIMEOUT);
	script("reach@n3 exit 255 no route to host\n");
	reach_nodes(&all, nodes, 70, 100);
	(void)snprintf(out, sizeof(out), "%s it's\n", b.run_id);
	assert_string_equal(all.items[answer_of(&all, "n69")].out, out);
	assert_int_equal(all.items[answer_of(&all, "n3")].end, REACH_TRANSPORT);
	assert_string_equal(all.items[answer_of(&all, "n3")].why,
			    "exit status 255: no route to host; hint: it is off, or a "
			    "firewall rejects us");
}

static int stop_at_once(void *ctx, const struct reach_result *res, struct err *e)
{
	(void)ctx;
	(void)e;
	assert_string_equal(res->node, "n0");
	stop = SIGINT;
	return 0;
}

static int no_more(void *ctx, const struct reach_result *res, struct err *e)
{
	(void)ctx;
	return err_set(e, ERR_SYSTEM, "enough of '%s'", res->node);
}

static void reaching_stops_when_told_or_when_an_answer_cannot_be_used(void **unused)
{
	static const char *const nodes[] = {"n0", "n1", "n2"};
	static const char *const words[] = {"true"};
	double start = clock_now();

	(void)unused;
	script("reach@n1 hang\nreach@n2 hang\n");
	assert_int_equal(
		runner_reach(&b.runner, nodes, 3, words, 1, 60, stop_at_once, NULL, &b.e),
		0);
	stop = 0;
	assert_int_equal(
		runner_reach(&b.runner, nodes, 3, words, 1, 60, no_more, NULL, &b.e), -1);
	assert_string_equal(b.e.msg, "enough of 'n0'");
	assert_true(clock_now() - start < late); /* the limit is 60 s */
}

/* Kernels */

static void kernels_describe_themselves(void **unused)
{
	struct arena a = {0};
	const char *json = NULL;
	size_t n, found = 0;
	const char **names = runner_kernels(BIN_DIR, &a, &n);

	(void)unused;
	for (size_t i = 0; i < n; i++) {
		found += !strcmp(names[i], "fake");
		assert_string_not_equal(names[i], "probe");
	}
	assert_int_equal(found, 1);
	assert_int_equal(runner_describe(BIN_DIR, b.run_id, "fake", &a, &json, &b.e), 0);
	assert_string_equal(record_json_text(&a, json, "kernel"), "fake");
	assert_int_equal(runner_describe(BIN_DIR, b.run_id, "fke", &a, &json, &b.e), -1);
	assert_string_equal(b.e.msg, "unknown kernel 'fke', did you mean 'fake'?");
	assert_int_equal(b.e.kind, ERR_USAGE);
	assert_int_equal(runner_describe(BIN_DIR, b.run_id, "../sh", &a, &json, &b.e),
			 -1);
	assert_string_equal(b.e.msg, "unknown kernel '../sh', see assay list kernels");
	arena_release(&a);
}

static void a_kernel_that_cannot_describe_itself_is_an_error(void **unused)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
		{"assay-mute", "#!/bin/sh\n",
		 "kernel 'mute': what --describe prints is "
		 "no description"},
		{"assay-liar",
		 "#!/bin/sh\necho '{\"kernel\":\"other\",\"metrics\":[{\"name\":\"a\","
		 "\"unit\":\"s\"}]}'\n",
		 "kernel 'liar': what --describe prints is no description"},
		{"assay-poor",
		 "#!/bin/sh\necho "
		 "'{\"kernel\":\"poor\",\"metrics\":[{\"name\":\"a\"}]}'\n",
		 "kernel 'poor': what --describe prints is no description"},
		{"assay-lame",
		 "#!/bin/sh\necho 'libmpi.so.40: not found' >&2; exit 127\n",
		 "kernel 'lame': --describe: exit status 127: libmpi.so.40: not found"},
	};
	struct arena a = {0};
	const char *json;
	char bin[96];

	(void)unused;
	(void)snprintf(bin, sizeof(bin), "%s/bin", b.dir);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		write_stub(cases[i].name, cases[i].text);
		assert_int_equal(runner_describe(bin, b.run_id,
						 cases[i].name + strlen("assay-"), &a,
						 &json, &b.e),
				 -1);
		assert_string_equal(b.e.msg, cases[i].want);
	}
	arena_release(&a);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_behaviour_has_its_cause),
		TEST(records_get_step_attempt_and_node),
		TEST(a_bad_record_is_not_in_the_journal_but_the_good_ones_are),
		TEST(a_step_has_a_folder_with_what_happened),
		TEST(output_beyond_what_is_kept_is_cut),
		TEST(a_hang_is_ended_at_the_limit_and_the_rest_goes_on),
		TEST(steps_with_one_name_run_at_once_on_their_own_nodes),
		TEST(a_node_has_one_step_at_a_time_in_order),
		TEST(a_chassis_has_one_step_at_a_time),
		TEST(all_are_planned_before_the_first_starts),
		TEST(a_stop_aborts_what_runs_and_starts_nothing_more),
		TEST(what_the_launcher_cannot_do_ends_as_launch),
		TEST(what_the_planner_says_of_a_step_is_in_the_journal),
		TEST(without_a_launcher_the_kernel_itself_is_named),
		TEST(b01_a_launcher_that_refuses_is_no_fault_of_a_node),
		TEST(mpirun_itself_starts_a_kernel),
		TEST(mpirun_tells_how_its_ranks_ended),
		TEST(mpirun_puts_ranks_in_the_order_of_the_nodes),
		TEST(g01_a_nodes_status_is_not_its_transports),
		TEST(an_agent_that_is_not_there_is_transport),
		TEST(the_test_launcher_reaches_nodes_by_its_script),
		TEST(reaching_stops_when_told_or_when_an_answer_cannot_be_used),
		TEST(kernels_describe_themselves),
		TEST(a_kernel_that_cannot_describe_itself_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
