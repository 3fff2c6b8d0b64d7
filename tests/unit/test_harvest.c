/* SPDX-License-Identifier: Apache-2.0 */
/* What a step of somebody else's program came to: its results, and why it has none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/harvest.h"

static const char kernels[] =
	"{\"hpl\":{\"metrics\":[{\"name\":\"hpl.rate\",\"unit\":\"FLOP/s\"},"
	"{\"name\":\"hpl.time\",\"unit\":\"s\"}]}}";
static const char *nodes[] = {"n1", "n2"};
static const char *words[] = {"xhpl"};

struct ended {
	struct strbuf records; /* as JSON lines */
	struct strbuf reason;
	const char *cause;
	int signal;
};

static int put(void *ctx, const struct record *r, struct err *e)
{
	struct ended *x = ctx;

	(void)e;
	record_encode(r, &x->records);
	strbuf_addch(&x->records, '\n');
	return 0;
}

static void end_as(struct ended *x, size_t n_nodes, const char *out, const char *err,
		   const struct spawn_result *r)
{
	const struct step step = {.id = 7,
				  .attempt = 1,
				  .kernel = "hpl",
				  .reader = "hpl",
				  .nodes = nodes,
				  .n_nodes = n_nodes,
				  .ranks = (int)n_nodes,
				  .per_node = 1,
				  .command = words,
				  .n_command = 1};
	struct metrics metrics = {0};
	struct arena a = {0};
	struct harvest h;
	struct err e = {0};

	memset(x, 0, sizeof(*x));
	metrics_read(&metrics, kernels, &a);
	harvest_init(&h, &step, &metrics, 0, put, x);
	assert_int_equal(harvest_out(&h, out, strlen(out), &e), 0);
	harvest_err(&h, err, strlen(err));
	assert_int_equal(harvest_end(&h, r, &e), 0);
	x->cause = harvest_cause(&h, r, false, &x->reason);
	x->signal = harvest_signal(&h, r);
	harvest_release(&h);
	metrics_release(&metrics);
	arena_release(&a);
}

static void end(struct ended *x, size_t n_nodes, const char *out, const char *err,
		int exit_status)
{
	const struct spawn_result r = {.end = SPAWN_EXITED, .exit = exit_status};

	end_as(x, n_nodes, out, err, &r);
}

static void release(struct ended *x)
{
	strbuf_release(&x->records);
	strbuf_release(&x->reason);
}

static bool has(const struct ended *x, const char *text)
{
	return strstr(strbuf_str(&x->records), text) != NULL;
}

/* no time at all: any rate goes with it */
#define ROW(n)      "WR11C2R4 " n " 64 1 1 0.00 6.6e+01\n"
#define RESIDUAL(r) "||Ax-b||_oo/(eps*N)= " r " ...... "
#define GOOD        RESIDUAL("0.004") "PASSED\n"
#define WRONG       RESIDUAL("77.5") "FAILED\n"

/* Words and statuses of Open MPI 4.1.4; those look like signals 3 to 7. */
static void a_launcher_that_does_not_start_it_is_no_signal(void **unused)
{
	static const struct {
		int status;
		const char *err, *reason;
	} t[] = {
		{134,
		 "------------------------------------------------------------------\n"
		 "mpirun was unable to find the specified executable file, and "
		 "therefore\n"
		 "did not launch the job.  This error was first reported for process\n"
		 "rank 0; it may have occurred for other processes as well.\n\n"
		 "NOTE: A common cause for this error is misspelling a mpirun command\n"
		 "      line parameter option (remember that mpirun interprets the "
		 "first\n"
		 "      unrecognized command line token as the executable).\n\n"
		 "Node:       n1\nExecutable: /opt/hpl/xhlp\n"
		 "------------------------------------------------------------------\n",
		 "command not found: '/opt/hpl/xhlp' on n1"},
		{135,
		 "mpirun was unable to launch the specified application as it could not\n"
		 "change to the specified working directory:\n\n"
		 "Working directory: /opt/hlp\nNode: n1\n\n"
		 "while attempting to start process rank 0.\n",
		 "no such directory: '/opt/hlp' on n1"},
		{132,
		 "mpirun was unable to launch the specified application as it could not "
		 "access\nor execute an executable:\n\nExecutable: /opt/hpl/x\nNode: "
		 "n1\n",
		 "command not found or not executable: '/opt/hpl/x' on n1"},
		{131,
		 "Open MPI tried to fork a new process via the \"execve\" system call "
		 "but\n"
		 "failed.  Your job will now\nabort.\n\n"
		 "  Local host:        n1\n  Working dir:       /tmp\n"
		 "  Application name:  /opt/hpl/x\n  Error:             Exec format "
		 "error\n"
		 "-----\nmpirun was unable to start the specified application as it "
		 "encountered an\nerror:\n\nError code: -125\nNode: n1\n",
		 "command cannot be executed: '/opt/hpl/x' on n1: Exec format error"},
		{125, "env: cannot change directory to '/opt/hlp': No such file\n",
		 "no such directory: '/opt/hlp'"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ended x;

		end(&x, 1, "", t[i].err, t[i].status);
		assert_string_equal(strbuf_str(&x.reason), t[i].reason);
		assert_string_equal(x.cause, "launch");
		assert_int_equal(x.signal, 0);
		release(&x);
	}
}

static void a_rank_that_a_signal_ended_is_one(void **unused)
{
	struct ended x;

	(void)unused;
	end(&x, 1, "",
	    "mpirun noticed that process rank 0 with PID 5 on node n1 exited on signal 4 "
	    "(Illegal instruction).\n",
	    132);
	assert_int_equal(x.signal, 4);
	assert_non_null(strstr(strbuf_str(&x.reason), "ended by signal 4 ("));
	release(&x);
}

static void a_command_that_is_not_here_is_named(void **unused)
{
	const struct spawn_result r = {.end = SPAWN_FAILED, .exit = -1, .error = 2};
	struct ended x;

	(void)unused;
	end_as(&x, 1, "", "", &r);
	assert_string_equal(strbuf_str(&x.reason), "command not found: 'xhpl'");
	assert_string_equal(x.cause, "launch");
	release(&x);
}

static void what_a_program_says_of_its_failure_is_the_reason(void **unused)
{
	static const struct {
		const char *out, *err;
		int status;
		const char *reason;
	} t[] = {
		{"HPL ERROR from process # 0, on line 419 of function HPL_pdinfo:\n"
		 ">>> Need at least 4 processes for these tests <<<\n\nEnd\n",
		 "", 1,
		 "exit status 1; line 2 of its output: HPL gave up: 'Need at least 4 "
		 "processes for these tests'; start as many ranks as P x Q of HPL.dat, "
		 "or "
		 "make that less"},
		{"FATAL ERROR in grid.c:\n>>> 4 processes wanted <<<\n\nEnd\n", "", 1,
		 "exit status 1; it printed: FATAL ERROR in grid.c: 4 processes wanted"},
		{"Welcome\nCannot open HPL.dat\nBye\n", "bash: warning\n", 3,
		 "exit status 3: bash: warning; it printed: Cannot open HPL.dat"},
		{"one\ntwo\n-----\n", "", 3, "exit status 3; it printed: two"},
		{"Cannot open HPL.dat\n", "", 0,
		 "no result in what HPL (xhpl) printed; it printed: Cannot open "
		 "HPL.dat"},
		{"one\n", "", 0, "no result in what HPL (xhpl) printed"},
		{"", "no licence\n", 4, "exit status 4: no licence"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ended x;

		end(&x, 1, t[i].out, t[i].err, t[i].status);
		assert_string_equal(strbuf_str(&x.reason), t[i].reason);
		assert_string_not_equal(x.cause, "ok");
		release(&x);
	}
}

static void a_wrong_problem_is_named_and_the_others_count(void **unused)
{
	struct ended x;

	(void)unused;
	end(&x, 1, ROW("100") GOOD ROW("200") WRONG ROW("300") GOOD, "", 0);
	assert_string_equal(x.cause, "ok");
	assert_true(has(&x, "\"kind\":\"valid\",\"step\":7,\"attempt\":1,\"node\":\"n1\","
			    "\"at\":{\"problem\":\"n200-nb64-1x1\"},"
			    "\"check\":\"residual\",\"value\":77.5"));
	assert_true(has(&x, "\"metric\":\"hpl.rate\",\"at\":{\"problem\":"
			    "\"n300-nb64-1x1\"}"));
	assert_false(has(&x, "no-data"));
	release(&x);
}

/* Then its numbers are torn or made up, and who knows which. */
static void of_a_text_that_contradicts_itself_nothing_is_believed(void **unused)
{
	struct ended x;

	(void)unused;
	end(&x, 1, ROW("100") GOOD "WR11C2R4 200 64 1 1 1.00 6.6e+01\n" GOOD, "", 0);
	assert_string_equal(x.cause, "invalid");
	assert_non_null(strstr(strbuf_str(&x.reason),
			       "line 3 of its output: n200-nb64-1x1: "
			       "6.6e+01 Gflops, but N 200 in 1.00"));
	assert_false(has(&x, "no-data"));
	release(&x);
}

static void what_is_missing_of_several_is_said_and_the_rest_counts(void **unused)
{
	static const struct {
		const char *out;
		int status;
		const char *said;
	} t[] = {
		{ROW("100") GOOD ROW("200"), 0,
		 "n200-nb64-1x1: no residual line: the output ends before the check"},
		{ROW("100") GOOD ROW("200"), 139,
		 "ended by signal 11 (Segmentation fault) after 1 result; "
		 "line 3 of its output: "},
		{ROW("100") GOOD ROW("200") ROW("300"), 0, "; 1 more like that"},
		{ROW("100") GOOD ROW("200") GOOD "out of memory error\n", 3,
		 "exit status 3 after 2 results; it printed: out of memory error"},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ended x;

		end(&x, 1, t[i].out, "", t[i].status);
		assert_string_equal(x.cause, "ok");
		assert_true(has(&x, "\"metric\":\"hpl.rate\""));
		assert_true(has(&x, "\"what\":\"no-data\""));
		if (!has(&x, t[i].said))
			fail_msg("'%s' is not in %s", t[i].said, strbuf_str(&x.records));
		release(&x);
	}
}

/* Over several nodes one of them may be to blame, which is then searched for. */
static void a_set_that_ended_badly_failed(void **unused)
{
	struct ended x;

	(void)unused;
	end(&x, 2, ROW("100") GOOD, "", 139);
	assert_string_equal(x.cause, "no-data");
	assert_false(has(&x, "\"what\":\"no-data\""));
	release(&x);
	end(&x, 2, ROW("100") GOOD ROW("200"), "", 0);
	assert_string_equal(x.cause, "ok");
	release(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launcher_that_does_not_start_it_is_no_signal),
		cmocka_unit_test(a_rank_that_a_signal_ended_is_one),
		cmocka_unit_test(a_command_that_is_not_here_is_named),
		cmocka_unit_test(what_a_program_says_of_its_failure_is_the_reason),
		cmocka_unit_test(a_wrong_problem_is_named_and_the_others_count),
		cmocka_unit_test(what_is_missing_of_several_is_said_and_the_rest_counts),
		cmocka_unit_test(of_a_text_that_contradicts_itself_nothing_is_believed),
		cmocka_unit_test(a_set_that_ended_badly_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
