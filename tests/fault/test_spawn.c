/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: what they get, how they end, that nothing is left of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/procs.h"
#include "base/spawn.h"
#include "base/strbuf.h"
#include "left.h"

/* A machine under load may be late by this much, s: what is not ended in time here would
 * last for a quarter of an hour. */
static const double late = 30;

struct child {
	struct strbuf out, err;
	struct spawn_result r;
	int ended;
	size_t most; /* bytes of output after which output() says no; 0 = any */
};

static char run_id[64];

static int output(void *ctx, int fd, const char *data, size_t len)
{
	struct child *ch = ctx;

	strbuf_add(fd == 1 ? &ch->out : &ch->err, data, len);
	return ch->most && ch->out.len > ch->most;
}

static void ended(void *ctx, const struct spawn_result *r)
{
	struct child *ch = ctx;

	ch->r = *r;
	ch->ended++;
}

static void child_release(struct child *ch)
{
	strbuf_release(&ch->out);
	strbuf_release(&ch->err);
}

static void pump_all(struct spawn *s)
{
	struct err e = {0};

	while (spawn_running(s))
		assert_int_equal(spawn_pump(s, 10, &e), 0);
}

static void start_sh(struct spawn *s, struct child *ch, const char *script, double limit)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	struct err e = {0};
	const struct spawn_command c = {.argv = argv,
					.limit = limit,
					.output = output,
					.ended = ended,
					.ctx = ch};

	assert_int_equal(spawn_start(s, &c, &e), 0);
}

/* Runs one command to its end in a loop of its own. */
static void run(struct child *ch, const struct spawn_command *c)
{
	struct spawn_command mine = *c;
	struct spawn *s;
	struct err e = {0};

	mine.output = output;
	mine.ended = ended;
	mine.ctx = ch;
	assert_int_equal(spawn_open(&s, run_id, &e), 0);
	assert_int_equal(spawn_start(s, &mine, &e), 0);
	pump_all(s);
	spawn_close(s);
	assert_int_equal(ch->ended, 1);
}

static void run_sh(struct child *ch, const char *script, double limit)
{
	const char *argv[] = {"sh", "-c", script, NULL};

	run(ch, &(const struct spawn_command){.argv = argv, .limit = limit});
}

/* Before each test: a run id of its own. After: nothing is left. */
static size_t fds_before;

static int setup(void **unused)
{
	static int serial;

	(void)unused;
	(void)snprintf(run_id, sizeof(run_id), "test-%ld-%d", (long)getpid(), ++serial);
	fds_before = left_fds();
	return 0;
}

static int nothing_left(void **unused)
{
	size_t fds = left_fds(), marked = left_marked(run_id), children = left_children();

	(void)unused;
	if (fds == fds_before && !marked && !children)
		return 0;
	print_error("left: %zu descriptors of %zu, %zu processes, %zu children\n", fds,
		    fds_before, marked, children);
	return -1;
}

static void output_and_status_of_a_child_arrive_apart(void **unused)
{
	struct child ch = {0};

	(void)unused;
	run_sh(&ch, "echo out; echo err >&2; printf tail; exit 3", 30);
	assert_string_equal(strbuf_str(&ch.out), "out\ntail");
	assert_string_equal(strbuf_str(&ch.err), "err\n");
	assert_int_equal(ch.r.end, SPAWN_EXITED);
	assert_int_equal(ch.r.exit, 3);
	assert_int_equal(ch.r.signal, 0);
	assert_false(ch.r.held);
	assert_int_equal(ch.r.left, 0);
	assert_true(ch.r.duration > 0 && ch.r.duration < 30);
	child_release(&ch);
}

static void a_signal_that_ends_a_child_is_told(void **unused)
{
	struct child ch = {0};

	(void)unused;
	run_sh(&ch, "kill -SEGV $$", 30);
	assert_int_equal(ch.r.end, SPAWN_EXITED);
	assert_int_equal(ch.r.exit, -1);
	assert_int_equal(ch.r.signal, SIGSEGV);
	child_release(&ch);
}

static void a_program_that_cannot_run_is_told_exactly(void **unused)
{
	static const struct {
		const char *program, *cwd;
		int error;
	} cases[] = {
		{"/nowhere/program", NULL, ENOENT},
		{"no-such-program-in-the-path", NULL, ENOENT},
		{"/etc/passwd", NULL, EACCES},
		{"/etc", NULL, EACCES},
		{"true", "/nowhere", ENOENT},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *argv[] = {cases[i].program, NULL};
		struct child ch = {0};

		run(&ch,
		    &(const struct spawn_command){.argv = argv, .cwd = cases[i].cwd});
		assert_int_equal(ch.r.end, SPAWN_FAILED);
		assert_int_equal(ch.r.error, cases[i].error);
		assert_int_equal(ch.r.exit, -1);
	}
}

static void a_child_has_no_input_even_when_we_have_no_descriptors(void **unused)
{
	int keep[3];
	struct child ch = {0};

	(void)unused;
	for (int fd = 0; fd < 3; fd++)
		keep[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 10);
	for (int fd = 0; fd < 3; fd++)
		(void)close(fd);
	run_sh(&ch, "cat; readlink /proc/self/fd/0; echo err >&2", 30);
	for (int fd = 0; fd < 3; fd++) {
		(void)dup2(keep[fd], fd);
		(void)close(keep[fd]);
	}
	assert_string_equal(strbuf_str(&ch.out), "/dev/null\n");
	assert_string_equal(strbuf_str(&ch.err), "err\n");
	child_release(&ch);
}

static void a_child_gets_three_descriptors_and_a_session_of_its_own(void **unused)
{
	/* not close-on-exec, one of them high */
	int a = open("/dev/null", O_RDONLY), b = fcntl(a, F_DUPFD, 200);
	long pid;
	char *end;
	struct child ch = {0};

	(void)unused;
	/* its own session: field 6 of stat; a shell's name has no blank */
	run_sh(&ch, "ls -m /proc/$$/fd; echo $$; cut -d' ' -f6 /proc/$$/stat", 30);
	(void)close(a);
	(void)close(b);
	assert_memory_equal(strbuf_str(&ch.out), "0, 1, 2\n", 8);
	pid = strtol(strbuf_str(&ch.out) + 8, &end, 10);
	assert_true(pid > 0);
	assert_int_equal(strtol(end, NULL, 10), pid);
	child_release(&ch);
}

static void a_child_gets_default_signals(void **unused)
{
	struct child ch = {0};
	sigset_t set, was;

	(void)unused;
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGUSR1);
	(void)sigprocmask(SIG_BLOCK, &set, &was);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	run_sh(&ch, "exec grep -E 'Sig(Blk|Ign)' /proc/self/status", 30);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &was, NULL);
	assert_string_equal(strbuf_str(&ch.out),
			    "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
	child_release(&ch);
}

static void the_environment_is_changed_as_asked_and_marked(void **unused)
{
	const char *argv[] = {"env", NULL};
	const char *changes[] = {"T_SET=new", "T_GONE",    "T_PRE*",
				 "T_PRE_B=2", "ASSAY_RUN", NULL};
	struct child ch = {0};
	char mark[128];

	(void)unused;
	(void)setenv("T_SET", "old", 1);
	(void)setenv("T_GONE", "x", 1);
	(void)setenv("T_GONE_NOT", "x", 1);
	(void)setenv("T_PRE_A", "1", 1);
	(void)setenv("ASSAY_RUN", "somebody-else", 1);
	run(&ch, &(const struct spawn_command){.argv = argv, .env = changes, .cwd = "/"});
	(void)unsetenv("ASSAY_RUN");
	(void)snprintf(mark, sizeof(mark), "ASSAY_RUN=%s\n", run_id);
	assert_non_null(strstr(strbuf_str(&ch.out), mark));
	assert_non_null(strstr(strbuf_str(&ch.out), "ASSAY_CHILD="));
	assert_null(strstr(strbuf_str(&ch.out), "somebody-else"));
	assert_non_null(strstr(strbuf_str(&ch.out), "T_SET=new\n"));
	assert_null(strstr(strbuf_str(&ch.out), "T_SET=old\n"));
	assert_null(strstr(strbuf_str(&ch.out), "T_GONE="));
	assert_non_null(strstr(strbuf_str(&ch.out), "T_GONE_NOT=x\n"));
	assert_null(strstr(strbuf_str(&ch.out), "T_PRE_A"));
	assert_non_null(strstr(strbuf_str(&ch.out), "T_PRE_B=2\n"));
	child_release(&ch);
}

static void a_hanging_child_is_ended_at_its_limit(void **unused)
{
	static const char *const scripts[] = {
		"echo begun; sleep 1000",
		"trap '' TERM; echo begun; while :; do sleep 1000; done",
		"trap '' TERM; echo begun; setsid sh -c 'trap \"\" TERM; sleep 1000' & "
		"wait",
		/* a member of the group that has lost our mark */
		"echo begun; env -i sh -c 'trap \"\" TERM; sleep 1000; sleep 1000'",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		struct child ch = {0};
		double start = clock_now(), took;

		run_sh(&ch, scripts[i], 1);
		took = clock_now() - start;
		assert_int_equal(ch.r.end, SPAWN_TIMEOUT);
		assert_int_equal(ch.r.exit, -1);
		assert_true(ch.r.signal == SIGTERM || ch.r.signal == SIGKILL);
		assert_string_equal(strbuf_str(&ch.out), "begun\n");
		assert_int_equal(ch.r.stuck, 0);
		assert_true(took >= 1);
		assert_true(took < 1 + 3 + late);
		child_release(&ch);
	}
}

static void output_after_term_is_still_heard(void **unused)
{
	struct child ch = {0};

	(void)unused;
	run_sh(&ch, "trap 'echo bye; exit 7' TERM; while :; do sleep 0.05; done", 1);
	assert_int_equal(ch.r.end, SPAWN_TIMEOUT);
	assert_int_equal(ch.r.exit, 7);
	assert_string_equal(strbuf_str(&ch.out), "bye\n");
	child_release(&ch);
}

static void what_a_child_leaves_behind_is_ended_with_it(void **unused)
{
	struct child ch = {0};
	double start = clock_now();

	/* both daemonise; the second holds our pipe and ignores TERM */
	(void)unused;
	run_sh(&ch,
	       "(setsid sleep 1000 >/dev/null 2>&1 </dev/null &) ;"
	       "(setsid sh -c 'trap \"\" TERM; sleep 1000; sleep 1000' &) ; echo done",
	       60);
	assert_int_equal(ch.r.end, SPAWN_EXITED);
	assert_int_equal(ch.r.exit, 0);
	assert_true(ch.r.held);
	assert_true(ch.r.left >= 2);
	assert_int_equal(ch.r.stuck, 0);
	assert_true(ch.r.duration < 1 + late);
	assert_true(clock_now() - start < 1 + 2 + 1 + late);
	assert_string_equal(strbuf_str(&ch.out), "done\n");
	child_release(&ch);
}

static void what_ends_soon_after_a_child_was_not_left_behind(void **unused)
{
	struct child ch = {0};

	(void)unused;
	run_sh(&ch, "(setsid sleep 0.1 >/dev/null 2>&1 </dev/null &) ; exit 3", 60);
	assert_int_equal(ch.r.end, SPAWN_EXITED);
	assert_int_equal(ch.r.exit, 3);
	assert_int_equal(ch.r.left, 0);
	child_release(&ch);
}

static void ending_one_child_leaves_the_others(void **unused)
{
	struct child hangs = {0}, works = {0};
	struct spawn *s;
	struct err e = {0};

	(void)unused;
	assert_int_equal(spawn_open(&s, run_id, &e), 0);
	start_sh(s, &works, "(setsid sleep 3 >/dev/null 2>&1; true); echo whole", 120);
	start_sh(s, &hangs, "setsid sleep 1000", 0.3);
	pump_all(s);
	spawn_close(s);
	assert_int_equal(hangs.r.end, SPAWN_TIMEOUT);
	assert_int_equal(works.r.end, SPAWN_EXITED);
	assert_int_equal(works.r.exit, 0);
	assert_int_equal(works.r.left, 0);
	assert_string_equal(strbuf_str(&works.out), "whole\n");
	child_release(&hangs);
	child_release(&works);
}

/* What a process on a dead file server is like: not even KILL ends it. */
static void a_process_that_cannot_be_ended_does_not_keep_us(void **unused)
{
	static const char group[] = "/sys/fs/cgroup/freezer";
	char script[400];
	struct child ch = {0};
	double start = clock_now();

	(void)unused;
	(void)snprintf(script, sizeof(script), "%s/%s", group, run_id);
	if (access("/sys/fs/cgroup/freezer/tasks", W_OK) || mkdir(script, 0700)) {
		print_message("skipped: needs a freezer of control groups version 1\n");
		skip();
	}
	(void)snprintf(
		script, sizeof(script),
		"cd %s/%s; echo $$ >tasks; echo frozen; echo FROZEN >freezer.state",
		group, run_id);
	run_sh(&ch, script, 1);
	assert_int_equal(ch.r.end, SPAWN_TIMEOUT);
	assert_int_equal(ch.r.stuck, 1);
	assert_string_equal(strbuf_str(&ch.out), "frozen\n");
	assert_true(clock_now() - start < 1 + 10 + late);
	/* it ends now, and its group is empty */
	(void)snprintf(
		script, sizeof(script),
		"cd %s/%s && echo THAWED >freezer.state && cd .. && "
		"for i in $(seq 600); do rmdir %s 2>/dev/null && exit; sleep 0.05; "
		"done; exit 1",
		group, run_id, run_id);
	assert_int_equal(system(script), 0);
	(void)waitpid(-1, NULL, 0);
	child_release(&ch);
}

/* A process of somebody else: no mark, or the mark of another run. */
static pid_t stranger(const char *mark)
{
	pid_t pid = fork();

	if (!pid) {
		(void)setsid();
		if (mark)
			(void)setenv("ASSAY_RUN", mark, 1);
		(void)execlp("sleep", "sleep", "1000", (char *)NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

static void nothing_without_our_mark_is_signalled(void **unused)
{
	char longer[80];
	struct child ch = {0};
	pid_t pids[3];

	(void)unused;
	(void)snprintf(longer, sizeof(longer), "%s0", run_id);
	pids[0] = stranger(NULL);
	pids[1] = stranger("another-run");
	pids[2] = stranger(longer); /* ours is only the beginning of it */
	run_sh(&ch, "trap '' TERM; sleep 1000; sleep 1000", 0.2);
	assert_int_equal(ch.r.end, SPAWN_TIMEOUT);
	for (int i = 0; i < 3; i++) {
		assert_true(left_alive(pids[i]));
		(void)kill(pids[i], SIGKILL);
		(void)waitpid(pids[i], NULL, 0);
	}
	child_release(&ch);
}

static void sixty_four_children_run_at_the_same_time(void **unused)
{
	static struct child ch[64];
	double start = clock_now(), took;
	struct spawn *s;
	struct err e = {0};

	(void)unused;
	memset(ch, 0, sizeof(ch));
	assert_int_equal(spawn_open(&s, run_id, &e), 0);
	for (int i = 0; i < 64; i++) {
		char script[64];

		(void)snprintf(script, sizeof(script), "sleep 2; echo %d; exit %d", i, i);
		start_sh(s, &ch[i], script, 100);
	}
	assert_int_equal(spawn_running(s), 64);
	pump_all(s);
	took = clock_now() - start;
	spawn_close(s);
	assert_true(took < 100); /* one after the other: 128 s */
	for (int i = 0; i < 64; i++) {
		assert_int_equal(ch[i].ended, 1);
		assert_int_equal(ch[i].r.exit, i);
		assert_int_equal(strtol(strbuf_str(&ch[i].out), NULL, 10), i);
		child_release(&ch[i]);
	}
}

static void stop_reaches_every_child_within_a_second(void **unused)
{
	struct child ch[3] = {0};
	struct spawn *s;
	struct err e = {0};
	double start;

	(void)unused;
	assert_int_equal(spawn_open(&s, run_id, &e), 0);
	for (int i = 0; i < 3; i++)
		start_sh(s, &ch[i], "echo ready; sleep 1000", 0);
	while (!ch[0].out.len || !ch[1].out.len || !ch[2].out.len)
		assert_int_equal(spawn_pump(s, 1, &e), 0);
	start = clock_now();
	spawn_stop(s);
	pump_all(s);
	assert_true(clock_now() - start < 1 + late);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(ch[i].r.end, SPAWN_STOPPED);
		child_release(&ch[i]);
	}
	spawn_close(s);
}

static void closing_ends_what_still_runs(void **unused)
{
	struct child ch = {0};
	struct spawn *s;
	struct err e = {0};

	(void)unused;
	assert_int_equal(spawn_open(&s, run_id, &e), 0);
	start_sh(s, &ch, "trap '' TERM; sleep 1000; sleep 1000", 0);
	spawn_close(s);
	assert_int_equal(ch.ended, 1);
	assert_int_equal(ch.r.end, SPAWN_STOPPED);
	child_release(&ch);
	spawn_close(NULL);
}

static void a_flood_is_ended_when_nobody_wants_more(void **unused)
{
	struct child flood = {.most = 1 << 20}, quiet = {0};
	struct spawn *s;
	struct err e = {0};

	(void)unused;
	assert_int_equal(spawn_open(&s, run_id, &e), 0);
	start_sh(s, &flood, "exec yes", 60);
	start_sh(s, &quiet, "echo heard", 60);
	pump_all(s);
	spawn_close(s);
	assert_int_equal(flood.r.end, SPAWN_STOPPED);
	assert_true(flood.out.len < 2 << 20);
	assert_string_equal(strbuf_str(&quiet.out), "heard\n");
	child_release(&flood);
	child_release(&quiet);
}

static void orphans_come_to_us_and_are_reaped(void **unused)
{
	char script[400];
	struct child ch = {0};

	/* fifty processes whose parent is gone before they end; one waits until it is
	 * ours. cat ends when all have closed what it reads. */
	(void)unused;
	(void)snprintf(script, sizeof(script),
		       "(for i in $(seq 50); do (sleep 0.2 &) ; done;"
		       "(sh -c 'for i in $(seq 1000); do p=$(cut -d\" \" -f4 "
		       "/proc/$$/stat); [ $p != %ld ] || break; sleep 0.01; done; "
		       "echo $p' &)) | cat",
		       (long)getpid());
	run_sh(&ch, script, 120);
	assert_int_equal(ch.r.exit, 0);
	assert_int_equal(strtol(strbuf_str(&ch.out), NULL, 10), getpid());
	assert_int_equal(ch.r.left, 0);
	child_release(&ch);
}

static struct {
	struct spawn *s;
	int n;
} chain;

static void next_in_chain(void *ctx, const struct spawn_result *r)
{
	const char *argv[] = {"true", NULL};
	const struct spawn_command c = {.argv = argv, .ended = next_in_chain};
	struct err e = {0};

	(void)ctx;
	assert_int_equal(r->exit, 0);
	if (++chain.n < 3)
		assert_int_equal(spawn_start(chain.s, &c, &e), 0);
}

static void a_second_child_may_start_when_one_ended(void **unused)
{
	const char *argv[] = {"true", NULL};
	const struct spawn_command c = {.argv = argv, .ended = next_in_chain};
	struct err e = {0};

	(void)unused;
	assert_int_equal(spawn_open(&chain.s, run_id, &e), 0);
	assert_int_equal(spawn_start(chain.s, &c, &e), 0);
	pump_all(chain.s);
	spawn_close(chain.s);
	assert_int_equal(chain.n, 3);
}

/* Starts spawn_parent with two children; their pids as they print them. */
static pid_t start_parent(pid_t *children)
{
	static const char script[] = "trap '' TERM; echo $$; sleep 1000; sleep 1000";
	char line[64];
	pid_t pid;
	FILE *f;
	int p[2];

	assert_int_equal(pipe2(p, O_CLOEXEC), 0);
	pid = fork();
	if (!pid) {
		(void)dup2(p[1], 1);
		(void)execl(SPAWN_PARENT, SPAWN_PARENT, run_id, script, script,
			    (char *)NULL);
		_exit(127);
	}
	(void)close(p[1]);
	f = fdopen(p[0], "r");
	assert_non_null(f);
	for (int i = 0; i < 2; i++) {
		assert_non_null(fgets(line, sizeof(line), f));
		children[i] = (pid_t)strtol(line, NULL, 10);
		assert_true(left_alive(children[i]));
	}
	(void)fclose(f);
	return pid;
}

static void children_do_not_outlive_a_parent_that_is_killed(void **unused)
{
	pid_t children[2], pid = start_parent(children);
	size_t found;
	struct err e = {0};

	(void)unused;
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	assert_true(left_gone(children[0], late));
	assert_true(left_gone(children[1], late));
	/* their own children, if any, are what a resumed run looks for */
	assert_int_equal(procs_end_run(run_id, &found, &e), 0);
}

static void an_earlier_runs_processes_are_found_and_ended(void **unused)
{
	char longer[80];
	pid_t ours = stranger(run_id), other;
	double start = clock_now();
	struct err e = {0};
	size_t found = 99;
	int status;

	(void)unused;
	(void)snprintf(longer, sizeof(longer), "%s0", run_id);
	other = stranger(longer);
	/* marked once their exec is done */
	while (!left_marked(run_id) || !left_marked(longer))
		(void)nanosleep(&(const struct timespec){.tv_nsec = 10000000}, NULL);
	assert_int_equal(procs_end_run(run_id, &found, &e), 0);
	assert_int_equal(found, 1);
	assert_true(clock_now() - start < 3 + late);
	assert_int_equal(waitpid(ours, &status, 0), ours);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	assert_true(left_alive(other));
	(void)kill(other, SIGKILL);
	(void)waitpid(other, NULL, 0);
	assert_int_equal(procs_end_run(run_id, &found, &e), 0);
	assert_int_equal(found, 0);
}

/* A process that does nothing but become a new program is never taken for a stranger. */
static void a_process_inside_exec_is_one_of_ours(void **unused)
{
	static const char again[] =
		"test $1 -eq 0 && exit; exec sh -c \"$0\" \"$0\" $(($1 - 1))";
	const struct procs p = {.run = run_id};
	pid_t pid = fork();
	size_t missed = 0;
	double start;

	(void)unused;
	assert_true(pid >= 0);
	if (!pid) {
		(void)setenv("ASSAY_RUN", run_id, 1);
		(void)execlp("sh", "sh", "-c", again, again, "100000", (char *)NULL);
		_exit(127);
	}
	while (!left_marked(run_id))
		(void)nanosleep(&(const struct timespec){.tv_nsec = 1000000}, NULL);
	for (start = clock_now(); clock_now() - start < 0.5;)
		missed += procs_signal(&p, 0) != 1;
	assert_true(left_alive(pid));
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
	assert_int_equal(missed, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, nothing_left)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(output_and_status_of_a_child_arrive_apart),
		TEST(a_signal_that_ends_a_child_is_told),
		TEST(a_program_that_cannot_run_is_told_exactly),
		TEST(a_child_has_no_input_even_when_we_have_no_descriptors),
		TEST(a_child_gets_three_descriptors_and_a_session_of_its_own),
		TEST(a_child_gets_default_signals),
		TEST(the_environment_is_changed_as_asked_and_marked),
		TEST(a_hanging_child_is_ended_at_its_limit),
		TEST(output_after_term_is_still_heard),
		TEST(what_a_child_leaves_behind_is_ended_with_it),
		TEST(what_ends_soon_after_a_child_was_not_left_behind),
		TEST(ending_one_child_leaves_the_others),
		TEST(a_process_that_cannot_be_ended_does_not_keep_us),
		TEST(nothing_without_our_mark_is_signalled),
		TEST(sixty_four_children_run_at_the_same_time),
		TEST(stop_reaches_every_child_within_a_second),
		TEST(closing_ends_what_still_runs),
		TEST(a_flood_is_ended_when_nobody_wants_more),
		TEST(orphans_come_to_us_and_are_reaped),
		TEST(a_second_child_may_start_when_one_ended),
		TEST(children_do_not_outlive_a_parent_that_is_killed),
		TEST(an_earlier_runs_processes_are_found_and_ended),
		TEST(a_process_inside_exec_is_one_of_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
