/* SPDX-License-Identifier: Apache-2.0 */
/* Records to JSON and back, the journal on disk, and its replay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "record/journal.h"
#include "record/state.h"

static int decode(const char *line, struct arena *a, struct record *r, struct err *e)
{
	return record_decode(line, strlen(line), a, r, e);
}

static void a_sample_survives_the_round_trip(void **unused)
{
	static const double values[] = {0.1, -0.0, DBL_MIN, DBL_MAX, 29.1e9, 1.0 / 3};
	struct arena a = {0};
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct record in = record_make(RECORD_KIND_sample), out;
		struct strbuf sb = {0};

		in.u.sample.metric = "stream.triad";
		in.u.sample.at = "{\"store\":\"nt\"}";
		in.u.sample.value = record_num(values[i]);
		in.u.sample.unit = "B/s";
		in.u.sample.repetition = INT64_MAX;
		record_encode(&in, &sb);
		assert_int_equal(record_decode(sb.buf, sb.len, &a, &out, &e), 0);
		assert_true(out.u.sample.value.set);
		assert_memory_equal(&out.u.sample.value.v, &values[i], sizeof(double));
		assert_string_equal(out.u.sample.metric, "stream.triad");
		assert_string_equal(out.u.sample.at, "{\"store\":\"nt\"}");
		assert_int_equal(out.u.sample.repetition, INT64_MAX);
		assert_int_equal(out.u.sample.rank, RECORD_NO_INT);
		assert_null(out.u.sample.node);
		strbuf_release(&sb);
	}
	arena_release(&a);
}

static void a_value_that_is_not_finite_is_named_and_comes_back(void **unused)
{
	static const double values[] = {NAN, INFINITY, -INFINITY};
	struct arena a = {0};
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < 3; i++) {
		struct record in = record_make(RECORD_KIND_sample), out;
		struct strbuf sb = {0};

		in.u.sample.metric = "m";
		in.u.sample.unit = "s";
		in.u.sample.value = record_num(values[i]);
		record_encode(&in, &sb);
		assert_null(strstr(sb.buf, "\"value\":"
					   "n"));
		assert_non_null(strstr(sb.buf, "\"nonfinite\":{\"value\":"));
		assert_int_equal(record_decode(sb.buf, sb.len, &a, &out, &e), 0);
		assert_true(out.u.sample.value.set);
		assert_true(isnan(values[i]) ? isnan(out.u.sample.value.v)
					     : out.u.sample.value.v == values[i]);
		strbuf_release(&sb);
	}
	arena_release(&a);
}

static void text_that_is_not_utf8_is_replaced_not_lost(void **unused)
{
	struct record in = record_make(RECORD_KIND_event), out;
	struct arena a = {0};
	struct strbuf sb = {0};
	struct err e = {0};

	(void)unused;
	in.u.event.what = "remark";
	in.u.event.text = "bad \xff\xc0\x80 \x1b[31m\n end";
	record_encode(&in, &sb);
	assert_null(strchr(sb.buf, '\n'));
	assert_int_equal(record_decode(sb.buf, sb.len, &a, &out, &e), 0);
	assert_string_equal(out.u.event.text,
			    "bad \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \x1b[31m\n end");
	strbuf_release(&sb);
	arena_release(&a);
}

static void bad_lines_are_refused_with_the_reason(void **unused)
{
	static const struct {
		const char *line, *why;
	} cases[] = {
		{"", "not a JSON object"},
		{"[1]", "not a JSON object"},
		{"{\"kind\":\"sampel\"}", "unknown kind 'sampel'"},
		{"{\"t\":1}", "no field 'kind'"},
		{"{\"kind\":\"event\",\"what\":\"x\"}", "no field 'text'"},
		{"{\"kind\":\"event\",\"what\":\"x\",\"text\":1}",
		 "'text' is not a string"},
		{"{\"kind\":\"event\",\"what\":\"x\",\"text\":\"a\\u0000b\"}", ""},
		{"{\"kind\":\"event\",\"what\":\"x\",\"text\":\"y\",\"more\":1}",
		 "unknown field 'more'"},
		{"{\"kind\":\"event\",\"kind\":\"event\",\"what\":\"x\",\"text\":\"y\"}",
		 "duplicate"},
		{"{\"kind\":\"end\",\"count\":1.5}", "'count' is not an integer"},
		{"{\"kind\":\"end\",\"count\":99999999999999999999}", "too big"},
		{"{\"kind\":\"sample\",\"metric\":\"m\",\"unit\":\"s\",\"value\":1,"
		 "\"nonfinite\":{\"value\":\"nan\"}}",
		 ""},
		{"{\"kind\":\"sample\",\"metric\":\"m\",\"unit\":\"s\","
		 "\"nonfinite\":{\"value\":\"huge\"}}",
		 "no field 'value'"},
	};
	struct arena a = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct record r;
		struct err e = {0};
		int rc = decode(cases[i].line, &a, &r, &e);

		if (rc == 0)
			/* a finite value beside its own "nonfinite": the value counts */
			assert_int_equal(i, 11);
		else if (!strstr(e.msg, cases[i].why))
			fail_msg("'%s' gave '%s'", cases[i].line, e.msg);
	}
	arena_release(&a);
}

static void deep_nesting_is_refused(void **unused)
{
	struct strbuf sb = {0};
	struct arena a = {0};
	struct record r;
	struct err e = {0};

	(void)unused;
	strbuf_addstr(&sb, "{\"kind\":\"node\",\"node\":\"n\",\"facts\":");
	for (int i = 0; i < 500; i++)
		strbuf_addch(&sb, '[');
	for (int i = 0; i < 500; i++)
		strbuf_addch(&sb, ']');
	strbuf_addch(&sb, '}');
	assert_int_equal(record_decode(sb.buf, sb.len, &a, &r, &e), -1);
	strbuf_release(&sb);
	arena_release(&a);
}

static void lists_and_members_are_read_back(void **unused)
{
	const char *const words[] = {"a b", "", "\"q\""};
	struct arena a = {0};
	const char **back;
	size_t n;

	(void)unused;
	back = record_unlist(&a, record_list(&a, words, 3), &n);
	assert_int_equal(n, 3);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(back[i], words[i]);
	assert_null(record_unlist(&a, "[1]", &n));
	assert_int_equal(n, 0);
	assert_null(record_unlist(&a, NULL, &n));
	assert_string_equal(
		record_json_text(&a, "{\"cpu\":{\"model\":\"X\"}}", "cpu.model"), "X");
	assert_string_equal(record_json_text(&a, "{\"cpu\":null}", "cpu"), "");
	assert_true(isnan(record_json_num("{\"a\":\"1\"}", "a")));
	assert_true(record_json_num("{\"a\":{\"b\":2}}", "a.b") == 2);
	arena_release(&a);
}

/* ---- journal ---- */

static char dir[] = "/tmp/assay-test-record-XXXXXX";

static int make_dir(void **unused)
{
	(void)unused;
	memset(dir + sizeof(dir) - 7, 'X', 6);
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **unused)
{
	char path[64];

	(void)unused;
	(void)snprintf(path, sizeof(path), "%s/journal.jsonl", dir);
	(void)unlink(path);
	return rmdir(dir);
}

static void put_step(struct journal *j, int64_t step, int64_t attempt, const char *event)
{
	struct record r = record_make(RECORD_KIND_step);
	struct err e = {0};

	r.u.step.step = step;
	r.u.step.attempt = attempt;
	r.u.step.event = event;
	r.u.step.key = "s/k@n1";
	r.u.step.nodes = "[\"n1\"]";
	r.u.step.cause = strcmp(event, "ended") ? NULL : "ok";
	assert_int_equal(journal_put(j, &r, &e), 0);
}

static void put_sample(struct journal *j, int64_t step, int64_t attempt, double v)
{
	struct record r = record_make(RECORD_KIND_sample);
	struct err e = {0};

	r.u.sample.step = step;
	r.u.sample.attempt = attempt;
	r.u.sample.metric = "m";
	r.u.sample.unit = "s";
	r.u.sample.value = record_num(v);
	assert_int_equal(journal_put(j, &r, &e), 0);
}

static void samples_of_a_superseded_attempt_count_nowhere(void **unused)
{
	struct journal *j;
	struct err e = {0};
	struct state s;

	(void)unused;
	assert_int_equal(journal_open(&j, dir, false, &e), 0);
	put_step(j, 1, 1, "planned");
	put_step(j, 1, 1, "started");
	put_sample(j, 1, 1, 1);
	put_step(j, 1, 2, "planned");
	put_step(j, 1, 2, "started");
	put_sample(j, 1, 1, 2); /* a straggler of the first attempt */
	put_sample(j, 1, 2, 3);
	put_sample(j, 7, 1, 4); /* of no step at all */
	put_step(j, 1, 2, "ended");
	journal_close(j);
	assert_int_equal(state_replay(&s, dir, &e), 0);
	assert_int_equal(s.n_steps, 1);
	assert_int_equal(s.steps[0].attempt, 2);
	assert_int_equal(s.steps[0].phase, STATE_ENDED);
	assert_int_equal(s.steps[0].n_samples, 1);
	assert_true(s.steps[0].samples[0]->value.v == 3);
	assert_string_equal(s.steps[0].nodes[0], "n1");
	state_release(&s);
	state_release(&s);
}

static void pauses_between_starts_are_no_duration(void **unused)
{
	static const struct {
		enum record_kind kind;
		double t;
	} records[] = {
		{RECORD_KIND_run, 1000}, {RECORD_KIND_event, 1010},
		{RECORD_KIND_run, 5000}, {RECORD_KIND_event, 5003},
		{RECORD_KIND_run, 9000}, {RECORD_KIND_event, 9005},
	};
	struct state s = {0};
	struct err e = {0};

	(void)unused;
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++) {
		struct record r = record_make(records[i].kind);

		r.t = records[i].t;
		if (r.kind == RECORD_KIND_event)
			r.u.event.what = r.u.event.text = "remark";
		assert_int_equal(state_add(&s, &r, &e), 0);
	}
	assert_int_equal(s.n_runs, 3);
	assert_true(state_duration(&s) == 18);
	state_release(&s);
}

static void append_raw(const char *text, size_t len)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/journal.jsonl", dir);
	fd = open(path, O_WRONLY | O_APPEND);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	(void)close(fd);
}

static void a_torn_last_line_is_dropped_and_the_rest_kept(void **unused)
{
	struct journal *j;
	struct err e = {0};
	struct state s;

	(void)unused;
	assert_int_equal(journal_open(&j, dir, false, &e), 0);
	put_step(j, 1, 1, "planned");
	journal_close(j);
	append_raw("{\"kind\":\"step\",\"st", 18);
	assert_int_equal(state_replay(&s, dir, &e), 0);
	assert_int_equal(s.n_steps, 1);
	assert_int_equal(s.damaged, 0);
	state_release(&s);
	assert_int_equal(journal_open(&j, dir, true, &e), 0);
	put_step(j, 1, 1, "started");
	journal_close(j);
	assert_int_equal(state_replay(&s, dir, &e), 0);
	assert_int_equal(s.damaged, 0);
	assert_int_equal(s.steps[0].phase, STATE_STARTED);
	state_release(&s);
}

static void a_damaged_line_in_the_middle_is_counted(void **unused)
{
	struct journal *j;
	struct err e = {0};
	struct state s;

	(void)unused;
	assert_int_equal(journal_open(&j, dir, false, &e), 0);
	put_step(j, 1, 1, "planned");
	append_raw("\0\0\0garbage\n", 11);
	journal_close(j);
	assert_int_equal(journal_open(&j, dir, true, &e), 0);
	put_step(j, 1, 1, "started");
	put_step(j, INT64_MAX, 1, "planned");
	put_step(j, 5, 3, "ended");
	journal_close(j);
	assert_int_equal(state_replay(&s, dir, &e), 0);
	assert_int_equal(s.damaged, 3);
	assert_int_equal(s.steps[0].phase, STATE_STARTED);
	state_release(&s);
}

static void a_journal_is_never_overwritten(void **unused)
{
	struct journal *j;
	struct err e = {0};

	(void)unused;
	assert_int_equal(journal_open(&j, dir, true, &e), -1);
	assert_int_equal(err_exit_status(&e), 4);
	assert_int_equal(journal_open(&j, dir, false, &e), 0);
	journal_close(j);
	assert_int_equal(journal_open(&j, dir, false, &e), -1);
}

static void a_full_disk_leaves_whole_lines(void **unused)
{
	struct rlimit old, small = {.rlim_cur = 600, .rlim_max = RLIM_INFINITY};
	struct journal *j;
	struct record r = record_make(RECORD_KIND_event);
	struct err e = {0};
	struct state s;
	size_t good = 0;

	(void)unused;
	r.u.event.what = "remark";
	r.u.event.text = "fills the disk with a line that does not end on a block";
	assert_int_equal(journal_open(&j, dir, false, &e), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	while (good < 100 && !journal_put(j, &r, &e))
		good++;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_in_range(good, 1, 10);
	assert_int_equal(err_exit_status(&e), 4);
	/* and it goes on where it was when there is room again */
	assert_int_equal(journal_put(j, &r, &e), 0);
	journal_close(j);
	assert_int_equal(state_replay(&s, dir, &e), 0);
	assert_int_equal(s.n_events, good + 1);
	assert_int_equal(s.damaged, 0);
	state_release(&s);
}

static void no_journal_is_told_apart_from_a_bad_one(void **unused)
{
	struct state s;
	struct err e = {0};

	(void)unused;
	assert_int_equal(state_replay(&s, "/nonexistent", &e), -1);
	assert_int_equal(e.kind, ERR_NOTFOUND);
	state_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_survives_the_round_trip),
		cmocka_unit_test(a_value_that_is_not_finite_is_named_and_comes_back),
		cmocka_unit_test(text_that_is_not_utf8_is_replaced_not_lost),
		cmocka_unit_test(bad_lines_are_refused_with_the_reason),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(lists_and_members_are_read_back),
		cmocka_unit_test(pauses_between_starts_are_no_duration),
		cmocka_unit_test_setup_teardown(
			samples_of_a_superseded_attempt_count_nowhere, make_dir,
			remove_dir),
		cmocka_unit_test_setup_teardown(
			a_torn_last_line_is_dropped_and_the_rest_kept, make_dir,
			remove_dir),
		cmocka_unit_test_setup_teardown(a_damaged_line_in_the_middle_is_counted,
						make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(a_journal_is_never_overwritten, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_full_disk_leaves_whole_lines, make_dir,
						remove_dir),
		cmocka_unit_test(no_journal_is_told_apart_from_a_bad_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
