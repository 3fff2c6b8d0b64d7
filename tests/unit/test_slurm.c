/* SPDX-License-Identifier: Apache-2.0 */
/* Slurm's lists, counts and times, and what a played sinfo and squeue say (B08). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/slurm.h"

static const char *const variables[] = {
	"SLURM_JOB_ID",         "SLURM_JOB_NODELIST",  "SLURM_JOB_CPUS_PER_NODE",
	"SLURM_TASKS_PER_NODE", "SLURM_STEP_NODELIST", "SLURM_SCRIPT_CONTEXT",
	"SINFO_FORMAT",
};

/* A folder with commands of ours, alone in PATH but for the system's. */
static char bin[] = "/tmp/assay-slurm-XXXXXX";

static void set(const char *name, const char *value)
{
	assert_int_equal(setenv(name, value, 1), 0);
}

/* The allocation of field case B08, as a job of its own. */
static int fresh(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		(void)unsetenv(variables[i]);
	set("SLURM_JOB_ID", "12");
	set("SLURM_JOB_NODELIST", "b04-[09-10],c01,d[1-2]");
	set("SLURM_JOB_CPUS_PER_NODE", "40,8(x2),16,40");
	set("SLURM_TASKS_PER_NODE", "4(x2),1,2(x2)");
	return 0;
}

/* Our commands come first, then the shell. */
static int make_path(void)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s:/usr/bin:/bin", bin);
	return setenv("PATH", path, 1);
}

static int make_bin(void **unused)
{
	(void)unused;
	return mkdtemp(bin) ? make_path() : -1;
}

static void without(const char *command)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", bin, command);
	(void)unlink(path);
}

static int remove_bin(void **unused)
{
	(void)unused;
	without("sinfo");
	without("squeue");
	return rmdir(bin);
}

/* A shell script in the command's place. */
static void play(const char *command, const char *script)
{
	char path[128];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", bin, command);
	f = fopen(path, "w");
	assert_non_null(f);
	(void)fprintf(f, "#!/bin/sh\n%s\n", script);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static void assert_counts(const char *text, size_t n, const int *want)
{
	struct arena a = {0};
	struct err e = {0};
	int *got = NULL;

	if (slurm_counts(text, n, &a, &got, &e))
		fail_msg("%s", e.msg);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(got[i], want[i]);
	arena_release(&a);
}

static void refuse_counts(const char *text, size_t n)
{
	struct arena a = {0};
	struct err e = {0};
	int *got = NULL;

	if (!slurm_counts(text, n, &a, &got, &e))
		fail_msg("'%s' was taken for %zu nodes", text, n);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.msg, text[0] ? text : "''"));
	arena_release(&a);
}

static void counts_of_every_node(void **unused)
{
	(void)unused;
	assert_counts("40,8(x2)", 3, (int[]){40, 8, 8});
	assert_counts("40,8(x2),16,40", 5, (int[]){40, 8, 8, 16, 40});
	assert_counts("4(x2),1,2(x2)", 5, (int[]){4, 4, 1, 2, 2});
	assert_counts("2", 1, (int[]){2});
	assert_counts("1(x1)", 1, (int[]){1});
}

static void counts_for_another_number_of_nodes_are_refused(void **unused)
{
	(void)unused;
	refuse_counts("40,8(x2)", 4);
	refuse_counts("40,8(x2)", 2);
	refuse_counts("1(x2147483647)", 3);
	refuse_counts("1(x2147483647),1(x2147483647)", 3);
}

static void counts_that_are_none_are_refused(void **unused)
{
	static const char *const texts[] = {
		"",           "40,",    ",40",
		"40,,8",      "0",      "-1",
		"40 ",        " 40",    "8(x0)",
		"8(x)",       "8(x2",   "8(2)",
		"8(x2)4",     "8x2",    "99999999999",
		"2147483648", "8(x-1)", "4 0",
		"0x10",       "8(x2))", "8(x99999999999)",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		refuse_counts(texts[i], 2);
}

static void times_as_squeue_prints_them(void **unused)
{
	static const struct {
		const char *text;
		double seconds;
	} times[] = {
		{"0:00", 0},
		{"5:00", 300},
		{"59:59", 3599},
		{"1:00:00", 3600},
		{"23:59:59", 86399},
		{"1-00:00:00", 86400},
		{"2-03:04:05", 183845},
		{"365-00:00:00", 31536000},
		{"00:07", 7},
		{"UNLIMITED", INFINITY},
		{"NOT_SET", INFINITY},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct err e = {0};
		double got = -1;

		if (slurm_duration(times[i].text, &got, &e))
			fail_msg("%s", e.msg);
		assert_true(got == times[i].seconds);
	}
}

static void times_that_are_none_are_refused(void **unused)
{
	static const char *const texts[] = {
		"",
		"INVALID",
		"5",
		"5:60",
		"1:60:00",
		"1-5:00",
		"-5:00",
		"1-",
		"1-1",
		"5:00 ",
		" 5:00",
		"5:",
		":5",
		"1:2:3:4",
		"1--2:03:04",
		"x",
		"unlimited",
		"5:00x",
		"99999999999:00",
		"1-2:03:-4",
		"0:-1",
		"N/A",
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct err e = {0};
		double got;

		if (!slurm_duration(texts[i], &got, &e))
			fail_msg("'%s' was taken", texts[i]);
		assert_int_equal(e.kind, ERR_USAGE);
	}
}

static void load(struct slurm *s)
{
	struct err e = {0};

	if (slurm_load(s, &e))
		fail_msg("%s", e.msg);
}

static void the_allocation_is_read_from_the_environment(void **unused)
{
	static const char *const nodes[] = {"b04-09", "b04-10", "c01", "d1", "d2"};
	static const int cpus[] = {40, 8, 8, 16, 40}, tasks[] = {4, 4, 1, 2, 2};
	struct slurm s;

	(void)unused;
	load(&s);
	assert_string_equal(s.job, "12");
	assert_int_equal(s.n_nodes, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_string_equal(s.nodes[i], nodes[i]);
		assert_int_equal(s.cpus[i], cpus[i]);
		assert_int_equal(s.tasks[i], tasks[i]);
	}
	slurm_release(&s);
}

static void nodes_named_twice_count_once(void **unused)
{
	struct slurm s;

	(void)unused;
	set("SLURM_JOB_NODELIST", "n[1-2],n1");
	set("SLURM_JOB_CPUS_PER_NODE", "2(x2)");
	(void)unsetenv("SLURM_TASKS_PER_NODE");
	load(&s);
	assert_int_equal(s.n_nodes, 2);
	assert_null(s.tasks);
	slurm_release(&s);
}

static void counts_that_do_not_fit_the_nodes_are_misuse(void **unused)
{
	struct slurm s;
	struct err e = {0};

	(void)unused;
	set("SLURM_JOB_CPUS_PER_NODE", "40,8(x2)");
	assert_int_equal(slurm_load(&s, &e), -1);
	assert_int_equal(err_exit_status(&e), 2);
	assert_non_null(strstr(e.msg, "SLURM_JOB_CPUS_PER_NODE: '40,8(x2)'"));
	assert_non_null(strstr(e.msg, "fewer nodes than the 5"));
	slurm_release(&s);
	set("SLURM_JOB_CPUS_PER_NODE", "40(x5)");
	set("SLURM_TASKS_PER_NODE", "4(x6)");
	assert_int_equal(slurm_load(&s, &e), -1);
	assert_non_null(strstr(e.msg, "SLURM_TASKS_PER_NODE: '4(x6)'"));
	assert_non_null(strstr(e.msg, "more nodes than the 5"));
	slurm_release(&s);
}

static void tasks_of_a_step_are_not_those_of_the_job(void **unused)
{
	struct slurm s;

	(void)unused;
	set("SLURM_STEP_NODELIST", "c01");
	set("SLURM_TASKS_PER_NODE", "1");
	load(&s);
	assert_int_equal(s.n_nodes, 5);
	assert_null(s.tasks);
	slurm_release(&s);
}

static void a_bad_list_of_nodes_is_misuse(void **unused)
{
	struct slurm s;
	struct err e = {0};

	(void)unused;
	set("SLURM_JOB_NODELIST", "n[1-");
	assert_int_equal(slurm_load(&s, &e), -1);
	assert_int_equal(err_exit_status(&e), 2);
	assert_non_null(strstr(e.msg, "SLURM_JOB_NODELIST"));
	slurm_release(&s);
}

static void without_a_list_or_in_a_prolog_there_is_no_allocation(void **unused)
{
	static const char *const scripts[] = {"prolog_slurmd", "epilog_slurmd",
					      "prolog_task", "epilog_slurmctld"};
	struct slurm s;

	(void)unused;
	for (size_t i = 0; i < sizeof(scripts) / sizeof(*scripts); i++) {
		set("SLURM_SCRIPT_CONTEXT", scripts[i]);
		load(&s);
		assert_int_equal(s.n_nodes, 0);
		assert_null(s.job);
	}
	(void)unsetenv("SLURM_SCRIPT_CONTEXT");
	set("SLURM_JOB_NODELIST", "");
	load(&s);
	assert_int_equal(s.n_nodes, 0);
	assert_null(s.job);
}

/* What the played commands said of the nodes asked for. */
struct asked {
	struct slurm s;
	struct arena a;
	struct slurm_view v;
	struct err e;
};

static int ask(struct asked *q, const char *const *nodes, size_t n)
{
	int rc;

	memset(q, 0, sizeof(*q));
	load(&q->s);
	if (!nodes) {
		nodes = q->s.nodes;
		n = q->s.n_nodes;
	}
	rc = slurm_nodes(&q->s, "test-run", nodes, n, &q->a, &q->v, &q->e);
	return rc ? rc : slurm_time(&q->s, "test-run", &q->a, &q->v, &q->e);
}

static void done(struct asked *q)
{
	slurm_release(&q->s);
	arena_release(&q->a);
}

static void assert_remark(const struct asked *q, const char *want)
{
	for (size_t i = 0; i < q->v.remarks.n; i++) {
		if (!strcmp(q->v.remarks.items[i], want))
			return;
	}
	for (size_t i = 0; i < q->v.remarks.n; i++)
		print_message("remark: %s\n", q->v.remarks.items[i]);
	fail_msg("no remark '%s'", want);
}

/* Field case B08's answer of sinfo. */
#define B08                                                                           \
	"cat <<END\nb04-09,mixed\nb04-10,idle\nc01,down*\nd1,drained*\nd2,draining\n" \
	"d3,fail*\nd4,planned\nd4,planned\nEND"

static void a_node_out_of_service_is_not_tested_and_others_have_a_remark(void **unused)
{
	struct asked q;

	(void)unused;
	play("sinfo", B08);
	play("squeue", "echo 1-02:00:00");
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_null(q.v.not_tested[0]);
	assert_null(q.v.not_tested[1]);
	assert_string_equal(q.v.not_tested[2], "not tested (down*)");
	assert_string_equal(q.v.not_tested[3], "not tested (drained*)");
	assert_null(q.v.not_tested[4]);
	assert_int_equal(q.v.remarks.n, 2);
	assert_remark(&q, "b04-09: Slurm state 'mixed': other jobs may run on it");
	assert_remark(&q, "d2: Slurm state 'draining'");
	assert_true(q.v.time_left == 93600);
	done(&q);
}

static void a_node_out_of_service_need_not_be_allocated(void **unused)
{
	static const char *const nodes[] = {"b04-10", "d3"};
	struct asked q;

	(void)unused;
	play("sinfo", B08);
	assert_int_equal(ask(&q, nodes, 2), 0);
	assert_string_equal(q.v.not_tested[1], "not tested (fail*)");
	assert_int_equal(q.v.remarks.n, 0);
	done(&q);
}

static void other_nodes_that_are_not_allocated_are_misuse(void **unused)
{
	static const char *const nodes[] = {"d4", "b04-10", "d5", "c01"};
	struct asked q;

	(void)unused;
	play("sinfo", B08);
	assert_int_equal(ask(&q, nodes, 4), -1);
	assert_int_equal(err_exit_status(&q.e), 2);
	assert_string_equal(q.e.msg,
			    "d[4-5] are not in the allocation of Slurm job 12, which has "
			    "b04-[09-10],c01,d[1-2]: allocate what is to be tested, or "
			    "choose by --nodes");
	done(&q);
	assert_int_equal(ask(&q, nodes, 1), -1);
	assert_non_null(strstr(q.e.msg, "d4 is not in the allocation"));
	done(&q);
}

static void a_state_we_do_not_know_is_kept_as_text(void **unused)
{
	struct asked q;

	(void)unused;
	set("SLURM_JOB_NODELIST", "d[1-7]");
	(void)unsetenv("SLURM_JOB_CPUS_PER_NODE");
	(void)unsetenv("SLURM_TASKS_PER_NODE");
	play("sinfo", "printf 'd4,planned\\nd4,planned\\nd1,idle*\\nd2,failing\\n"
		      "d3,\\033[2Jx\\nd5,downward\\nd6,down\\n'");
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_int_equal(q.v.remarks.n, 6);
	assert_remark(&q, "d4: Slurm state 'planned'");
	assert_remark(&q, "d1: Slurm state 'idle*'");
	assert_remark(&q, "d2: Slurm state 'failing'");
	assert_remark(&q, "d3: Slurm state '\\x1b[2Jx'");
	assert_remark(&q, "d5: Slurm state 'downward'");
	assert_remark(&q, "d7: Slurm state 'unknown'");
	assert_string_equal(q.v.not_tested[5], "not tested (down)");
	done(&q);
}

static void part_of_a_node_is_a_remark_for_all_nodes_alike(void **unused)
{
	struct asked q;

	(void)unused;
	set("SLURM_JOB_NODELIST", "n[01-03],x");
	set("SLURM_JOB_CPUS_PER_NODE", "8(x3),40");
	set("SLURM_TASKS_PER_NODE", "1(x4)");
	play("sinfo", "printf '%s,40\\n' n02,mixed n01,mixed n03,allocated x,allocated");
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_int_equal(q.v.remarks.n, 2);
	assert_remark(&q, "n[01-02]: Slurm state 'mixed': the job has 8 of its 40 CPUs, "
			  "others may use the rest");
	assert_remark(&q, "n03: Slurm state 'allocated': the job has 8 of its 40 CPUs, "
			  "others may use the rest");
	done(&q);
}

static void many_nodes_make_a_short_remark(void **unused)
{
	struct asked q;

	(void)unused;
	set("SLURM_JOB_NODELIST", "a[1-200]b[0-1]c");
	set("SLURM_JOB_CPUS_PER_NODE", "1(x400)");
	set("SLURM_TASKS_PER_NODE", "1(x400)");
	play("sinfo", "i=0; while [ $i -lt 200 ]; do i=$((i+1)); "
		      "echo a${i}b0c,mixed; echo a${i}b1c,draining; done");
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_int_equal(q.v.remarks.n, 2);
	assert_remark(&q, "200 nodes (a1b0c, ...): Slurm state 'mixed': other jobs may "
			  "run on it");
	done(&q);
}

static void commands_that_fail_cost_a_remark(void **unused)
{
	static const char *const stranger[] = {"d4"};
	struct asked q;

	(void)unused;
	play("sinfo", "echo 'slurm_load_node: Unable to contact' >&2; exit 1");
	play("squeue", "kill -9 $$");
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_int_equal(q.v.remarks.n, 2);
	assert_remark(&q, "Slurm's states of the nodes are not known: sinfo: exit status "
			  "1: slurm_load_node: Unable to contact");
	assert_remark(&q,
		      "how long Slurm lets the job run is not known: squeue: ended by "
		      "signal 9");
	for (size_t i = 0; i < 5; i++)
		assert_null(q.v.not_tested[i]);
	assert_true(isinf(q.v.time_left));
	done(&q);
	assert_int_equal(ask(&q, stranger, 1), -1);
	done(&q);
	without("sinfo");
	without("squeue");
	set("PATH", bin);
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_remark(&q,
		      "Slurm's states of the nodes are not known: sinfo: No such file "
		      "or directory");
	assert_int_equal(q.v.remarks.n, 2);
	done(&q);
	assert_int_equal(make_path(), 0);
}

static void a_time_that_is_none_costs_a_remark(void **unused)
{
	static const struct {
		const char *script, *want;
	} answers[] = {
		{"echo INVALID",
		 "time 'INVALID', expected [days-][hours:]minutes:seconds"},
		{"echo 5:00; echo soon",
		 "time 'soon', expected [days-][hours:]minutes:seconds"},
		{":", "no answer"},
		{"echo", "no answer"},
	};
	struct asked q;
	char want[256];

	(void)unused;
	play("sinfo", B08);
	for (size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++) {
		play("squeue", answers[i].script);
		assert_int_equal(ask(&q, NULL, 0), 0);
		assert_true(isinf(q.v.time_left));
		(void)snprintf(want, sizeof(want),
			       "how long Slurm lets the job run is not known: squeue: %s",
			       answers[i].want);
		assert_remark(&q, want);
		done(&q);
	}
}

static void the_time_left_is_the_least_of_all_lines(void **unused)
{
	struct asked q;

	(void)unused;
	play("sinfo", B08);
	play("squeue", "printf 'UNLIMITED\\n10:00\\n4:30\\n1:00:00\\n'");
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_true(q.v.time_left == 270);
	done(&q);
	play("squeue", "echo UNLIMITED");
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_true(isinf(q.v.time_left));
	assert_int_equal(q.v.remarks.n, 2);
	done(&q);
}

static void the_commands_are_asked_what_we_read(void **unused)
{
	struct asked q;

	(void)unused;
	set("SINFO_FORMAT", "%P");
	play("sinfo", "[ \"$*\" = '-a -h -N -o %N,%T,%c' ] && [ -z \"$SINFO_FORMAT\" ] "
		      "|| exit 9; echo b04-09,idle");
	play("squeue", "[ \"$*\" = '-h -j 12 -o %L' ] || exit 9; echo 7:00");
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_int_equal(q.v.remarks.n, 1);
	assert_remark(&q, "b04-10,c01,d[1-2]: Slurm state 'unknown'");
	assert_true(q.v.time_left == 420);
	done(&q);
	/* without a number of the job there is nobody to ask for its time */
	(void)unsetenv("SLURM_JOB_ID");
	play("squeue", "exit 9");
	assert_int_equal(ask(&q, NULL, 0), 0);
	assert_int_equal(q.v.remarks.n, 1);
	done(&q);
}

static void outside_of_an_allocation_nothing_is_asked(void **unused)
{
	static const char *const nodes[] = {"n1", "c01"};
	struct asked q;

	(void)unused;
	(void)unsetenv("SLURM_JOB_NODELIST");
	play("sinfo", B08);
	play("squeue", "echo 5:00");
	assert_int_equal(ask(&q, nodes, 2), 0);
	assert_null(q.v.not_tested[0]);
	assert_null(q.v.not_tested[1]);
	assert_int_equal(q.v.remarks.n, 0);
	assert_true(isinf(q.v.time_left));
	done(&q);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, fresh)
	const struct CMUnitTest tests[] = {
		TEST(counts_of_every_node),
		TEST(counts_for_another_number_of_nodes_are_refused),
		TEST(counts_that_are_none_are_refused),
		TEST(times_as_squeue_prints_them),
		TEST(times_that_are_none_are_refused),
		TEST(the_allocation_is_read_from_the_environment),
		TEST(nodes_named_twice_count_once),
		TEST(counts_that_do_not_fit_the_nodes_are_misuse),
		TEST(tasks_of_a_step_are_not_those_of_the_job),
		TEST(a_bad_list_of_nodes_is_misuse),
		TEST(without_a_list_or_in_a_prolog_there_is_no_allocation),
		TEST(a_node_out_of_service_is_not_tested_and_others_have_a_remark),
		TEST(a_node_out_of_service_need_not_be_allocated),
		TEST(other_nodes_that_are_not_allocated_are_misuse),
		TEST(a_state_we_do_not_know_is_kept_as_text),
		TEST(part_of_a_node_is_a_remark_for_all_nodes_alike),
		TEST(many_nodes_make_a_short_remark),
		TEST(commands_that_fail_cost_a_remark),
		TEST(a_time_that_is_none_costs_a_remark),
		TEST(the_time_left_is_the_least_of_all_lines),
		TEST(the_commands_are_asked_what_we_read),
		TEST(outside_of_an_allocation_nothing_is_asked),
	};

	return cmocka_run_group_tests(tests, make_bin, remove_bin);
}
