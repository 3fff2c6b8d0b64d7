/* SPDX-License-Identifier: Apache-2.0 */
/* Who else uses a machine: recorded ones that change between two looks, and this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/busy.h"
#include "tree.h"

/* A process as /proc has it; @ticks of user time, started at @start. */
static void process(const struct tree *t, int pid, const char *command, char state,
		    int parent, int ticks, int start)
{
	char path[64], text[300];

	(void)snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	(void)snprintf(text, sizeof(text),
		       "%d (%s) %c %d 1 1 0 -1 4194304 1 0 0 0 %d 0 0 0 20 0 1 0 %d 1 1",
		       pid, command, state, parent, ticks, start);
	tree_put(t, path, text);
	(void)snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	(void)snprintf(text, sizeof(text), "%s\n", command);
	tree_put(t, path, text);
}

static void owner(const struct tree *t, int pid, int uid, const char *run)
{
	char path[64], text[100];

	(void)snprintf(path, sizeof(path), "/proc/%d/status", pid);
	(void)snprintf(text, sizeof(text), "Name:\tx\nUid:\t0\t%d\t0\t0\n", uid);
	tree_put(t, path, text);
	if (run) {
		(void)snprintf(path, sizeof(path), "/proc/%d/environ", pid);
		(void)snprintf(text, sizeof(text), "ASSAY_RUN=%s", run);
		tree_put(t, path, text);
	}
}

static void total(const struct tree *t, int busy)
{
	char text[100];

	(void)snprintf(text, sizeof(text), "cpu  %d 1 2 100 3 4 5 0 0 0\ncpu0 1 1\n",
		       busy);
	tree_put(t, "/proc/stat", text);
}

/* What went on in the 100 ms between two looks, as text; free() it. */
static char *compare(const struct tree *t, const struct busy_look *first,
		     const struct busy_options *o)
{
	struct busy_look second;
	json_t *clean;
	char *text;

	busy_look(&t->io, first->t + 0.1, &second);
	clean = busy_compare(&t->io, first, &second, o);
	text = json_dumps(clean, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(clean);
	busy_release(&second);
	return text;
}

static void expect(char *text, const char *want)
{
	if (strcmp(text, want) != 0)
		fail_msg("%s, expected %s", text, want);
	free(text);
}

static void a_leftover_process_is_named_with_its_owner(void **unused)
{
	static const struct busy_options o = {.self = 300, .run = "r1"};
	struct busy_look first = {0};
	struct tree t;

	(void)unused;
	tree_make(&t); /* E03 */
	tree_put(&t, "/etc/passwd",
		 "root:x:0:0::/root:/bin/sh\nother:x:10x:\nbad\n"
		 "otheruser:x:1001:100::/home/o:/bin/sh\n");
	total(&t, 1000);
	process(&t, 1, "init", 'S', 0, 10, 5);
	process(&t, 21234, "leftover", 'R', 1, 35228300, 50);
	owner(&t, 21234, 1001, NULL);
	busy_look(&t.io, 7, &first);
	assert_int_equal(first.n, 2);
	total(&t, 1012);
	process(&t, 21234, "leftover", 'R', 1, 35228310, 50);
	expect(compare(&t, &first, &o),
	       "{\"zombies\":0,\"waiting\":0,\"sample\":0.1,\"busy\":1.2,\"processes\":[{"
	       "\"pid\":21234,\"user\":\"otheruser\",\"command\":\"leftover\","
	       "\"cpus\":1.0,\"seconds\":352283.0}]}");
	busy_release(&first);
	tree_remove(&t);
}

static void users_can_be_masked(void **unused)
{
	static const struct busy_options o = {.self = 300, .mask_users = true};
	struct busy_look first = {0};
	struct tree t;

	(void)unused;
	tree_make(&t);
	process(&t, 9, "a", 'R', 1, 0, 50);
	owner(&t, 9, 1001, NULL);
	busy_look(&t.io, 0, &first);
	process(&t, 9, "a", 'R', 1, 10, 50);
	expect(compare(&t, &first, &o),
	       "{\"zombies\":0,\"waiting\":0,\"sample\":0.1,\"processes\":[{\"pid\":9,"
	       "\"command\":\"a\",\"cpus\":1.0,\"seconds\":0.1}]}");
	busy_release(&first);
	tree_remove(&t);
}

/* The probe, the shell above it, a kernel of this run; another run's is a stranger. */
static void our_own_processes_are_not_named(void **unused)
{
	static const struct busy_options o = {.self = 300, .run = "r1"};
	static const int pids[] = {200, 300, 400, 500};
	struct busy_look first = {0};
	struct tree t;

	(void)unused;
	tree_make(&t);
	for (int round = 0; round < 2; round++) {
		process(&t, 200, "sshd", 'S', 1, round * 10, 50);
		process(&t, 300, "assay-probe", 'R', 200, round * 10, 60);
		process(&t, 400, "assay-hpl", 'R', 1, round * 10, 60);
		process(&t, 500, "assay-hpl", 'R', 1, round * 10, 60);
		total(&t, 100 + round * 40);
		if (!round)
			busy_look(&t.io, 0, &first);
	}
	for (size_t i = 0; i < sizeof(pids) / sizeof(pids[0]); i++)
		owner(&t, pids[i], 77, pids[i] == 400 ? "r1" : "r10");
	expect(compare(&t, &first, &o),
	       "{\"zombies\":0,\"waiting\":0,\"runs\":[\"r10\"],\"sample\":0.1,\"busy\":"
	       "3.0,\"processes\":[{"
	       "\"pid\":500,\"user\":\"uid 77\",\"command\":\"assay-hpl\",\"cpus\":1.0,"
	       "\"seconds\":0.1}]}");
	busy_release(&first);
	tree_remove(&t);
}

static void the_busiest_come_first_and_are_few(void **unused)
{
	static const struct busy_options o = {.self = 1};
	struct busy_look first = {0};
	struct tree t;
	json_t *clean, *all;
	char *text;

	(void)unused;
	tree_make(&t);
	for (int pid = 10; pid < 30; pid++)
		process(&t, pid, "p", 'R', 1, 0, 50);
	busy_look(&t.io, 0, &first);
	for (int pid = 10; pid < 30; pid++)
		process(&t, pid, "p", 'R', 1, pid, 50);
	process(&t, 12, "p", 'R', 1, 4, 50); /* below the share */
	text = compare(&t, &first, &o);
	all = json_loads(text, 0, NULL);
	clean = json_object_get(all, "processes");
	assert_int_equal(json_array_size(clean), BUSY_NAMED);
	for (size_t i = 0; i < BUSY_NAMED; i++)
		assert_int_equal(json_integer_value(json_object_get(
					 json_array_get(clean, i), "pid")),
				 29 - (int)i);
	json_decref(all);
	free(text);
	busy_release(&first);
	tree_remove(&t);
}

/* A pid that is used again, a command that looks like the rest of the line, garbage. */
static void lines_are_read_as_the_kernel_writes_them(void **unused)
{
	static const struct busy_options o = {.self = 1};
	struct busy_look first = {0};
	struct tree t;

	(void)unused;
	tree_make(&t);
	process(&t, 10, "old", 'R', 1, 1000, 50);
	process(&t, 11, "a) R 1 1 (b", 'R', 1, 0, 50);
	process(&t, 12, "gone", 'R', 1, 0, 50);
	process(&t, 13, "zombie", 'Z', 1, 0, 50);
	process(&t, 14, "nfs", 'D', 1, 0, 50);
	process(&t, 15, "disk", 'D', 1, 0, 50);
	process(&t, 16, "kthread", 'D', 2, 0, 50);
	tree_put(&t, "/proc/17/stat", "17 (x R");
	tree_put(&t, "/proc/18/stat", "18 (x) R nonsense");
	tree_put(&t, "/proc/99999999999999/stat", "1 (x) R 1");
	tree_put(&t, "/proc/self/stat", "1 (x) R 1");
	busy_look(&t.io, 0, &first);
	assert_int_equal(first.n, 7);
	process(&t, 10, "new", 'R', 1, 6, 70);
	process(&t, 11, "a) R 1 1 (b", 'R', 1, 10, 50);
	process(&t, 15, "disk", 'D', 1, 1, 50);
	expect(compare(&t, &first, &o),
	       "{\"zombies\":1,\"waiting\":1,\"sample\":0.1,\"processes\":[{\"pid\":11,"
	       "\"command\":\"a) R 1 1 (b\",\"cpus\":1.0,\"seconds\":0.1},"
	       "{\"pid\":10,\"command\":\"new\",\"cpus\":0.6,\"seconds\":0.06}]}");
	/* no time between the looks: nothing can be said of shares */
	first.t -= 0.1;
	busy_release(&first);
	busy_look(&t.io, -0.1, &first);
	first.t = 0.1;
	{
		struct busy_look second;
		json_t *clean;

		busy_look(&t.io, 0.1, &second);
		clean = busy_compare(&t.io, &first, &second, &o);
		assert_null(json_object_get(clean, "processes"));
		assert_null(json_object_get(clean, "busy"));
		json_decref(clean);
		busy_release(&second);
	}
	busy_release(&first);
	tree_remove(&t);
}

static void other_runs_are_named_once_and_our_own_not(void **unused)
{
	static const struct busy_options o = {.self = 300, .run = "mine"};
	struct busy_look first = {0};
	struct tree t;

	(void)unused;
	tree_make(&t);
	process(&t, 1, "init", 'S', 0, 10, 5);
	process(&t, 20, "assay-stream", 'S', 1, 0, 50);
	owner(&t, 20, 1001, "mine");
	process(&t, 21, "assay-hpl", 'S', 1, 0, 50);
	owner(&t, 21, 1001, "theirs");
	process(&t, 22, "assay-hpl", 'S', 1, 0, 50);
	owner(&t, 22, 1001, "theirs");
	process(&t, 23, "assay-net", 'S', 1, 0, 50); /* its environment may not be seen */
	process(&t, 24, "assayer", 'S', 1, 0, 50);   /* no program of ours */
	process(&t, 25, "assay-numa", 'S', 1, 0, 50); /* in the middle of execve() */
	tree_put(&t, "/proc/25/environ", "");
	process(&t, 300, "assay-probe", 'R', 1, 0, 50);
	busy_look(&t.io, 7, &first);
	expect(compare(&t, &first, &o),
	       "{\"zombies\":0,\"waiting\":0,\"runs\":[\"theirs\",\"?\"],\"sample\":0.1,"
	       "\"processes\":[]}");
	busy_release(&first);
	tree_remove(&t);
}

/* On this machine: a child that only spins is found, and is not when it is ours. */
static bool finds(pid_t child, const char *run)
{
	static const struct host_io here = {"/"};
	const struct busy_options o = {.self = getppid(), .run = run};
	struct busy_look first = {0}, second;
	json_t *clean, *p;
	bool found = false;
	size_t i;

	busy_look(&here, clock_now(), &first);
	(void)usleep(300000);
	busy_look(&here, clock_now(), &second);
	clean = busy_compare(&here, &first, &second, &o);
	json_array_foreach(json_object_get(clean, "processes"), i, p) found |=
		json_integer_value(json_object_get(p, "pid")) == child;
	json_decref(clean);
	busy_release(&first);
	busy_release(&second);
	return found;
}

static void a_process_that_spins_is_found_here(void **unused)
{
	pid_t child = fork();
	bool found = false;

	(void)unused;
	assert_true(child >= 0);
	if (!child) {
		const struct sched_param one = {.sched_priority = 1};

		/* others may be busy, too: then half a CPU is more than its share */
		(void)setpriority(PRIO_PROCESS, 0, -20);
		(void)sched_setscheduler(0, SCHED_RR, &one);
		(void)alarm(60);
		for (volatile unsigned int i = 0;; i++)
			;
	}
	for (int i = 0; i < 40 && !found; i++)
		found = finds(child, NULL);
	(void)kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(found);
	assert_false(finds(child, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_leftover_process_is_named_with_its_owner),
		cmocka_unit_test(users_can_be_masked),
		cmocka_unit_test(our_own_processes_are_not_named),
		cmocka_unit_test(the_busiest_come_first_and_are_few),
		cmocka_unit_test(lines_are_read_as_the_kernel_writes_them),
		cmocka_unit_test(other_runs_are_named_once_and_our_own_not),
		cmocka_unit_test(a_process_that_spins_is_found_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
