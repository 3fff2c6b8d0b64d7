/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of series: from samples of several launches, ranks and nodes to single values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "judge/series.h"
#include "judge_fixture.h"

#define NT "{\"store\":\"nt\"}"

/* Series of a fixture's state, with what they are made from. */
struct made {
	struct metrics metrics;
	struct launches launches;
	struct series_list list;
	struct arena arena;
};

static void make(struct made *m, const struct fixture *f)
{
	memset(m, 0, sizeof(*m));
	metrics_read(&m->metrics, f->state.plan.kernels, &m->arena);
	launches_make(&m->launches, &f->state);
	series_make(&m->list, &f->state, &m->launches, &m->metrics, &m->arena);
}

static void made_release(struct made *m)
{
	metrics_release(&m->metrics);
	launches_release(&m->launches);
	free(m->list.items);
	arena_release(&m->arena);
}

static void start(struct fixture *f)
{
	fixture_init(f);
	fixture_plan(f, "[\"n2\",\"n1\"]", "[]", 5);
}

static void close_to(double a, double b)
{
	if (fabs(a - b) > 1e-9 * (1 + fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void best_or_median_of_the_repetitions_counts(void **state)
{
	static const double v[] = {10, 30, 20, 40, 35};
	struct fixture f;
	struct made m;

	(void)state;
	start(&f);
	fixture_step(&f, 1, "s/a", "n1", "ok", NULL);
	for (int i = 0; i < 5; i++) {
		fixture_sample(&f, 1, "n1", "stream.triad", NT, v[i], i + 1);
		fixture_sample(&f, 1, "n1", "net.latency", NULL, v[i], i + 1);
		fixture_sample(&f, 1, "n1", "un.declared", NULL, v[i], i + 1);
	}
	make(&m, &f);
	assert_int_equal(m.list.n, 3);
	assert_string_equal(m.list.items[0].metric, "net.latency");
	close_to(m.list.items[0].value, 30);
	close_to(m.list.items[0].sigma, 1.4826022185056018 * 10);
	assert_string_equal(m.list.items[1].metric, "stream.triad");
	close_to(m.list.items[1].value, 40);
	close_to(m.list.items[1].sigma, 5);
	assert_true(m.list.items[1].within && m.list.items[1].n == 1);
	assert_null(m.list.items[2].declared);
	made_release(&m);
	fixture_release(&f);
}

static void repeats_of_a_key_are_independent_values(void **state)
{
	static const double v[] = {100, 104, 90};
	struct fixture f;
	struct made m;

	(void)state;
	start(&f);
	for (int i = 0; i < 3; i++) {
		fixture_step(&f, i + 1, "s/a", "n1", "ok", i ? "repeat:s/a@n1:1" : NULL);
		fixture_sample(&f, i + 1, "n1", "stream.triad", NT, v[i], 1);
		fixture_sample(&f, i + 1, "n1", "stream.triad", NT, v[i] - 50, 2);
	}
	make(&m, &f);
	assert_int_equal(m.list.n, 1);
	assert_int_equal(m.list.items[0].n, 3);
	close_to(m.list.items[0].value, 100);
	close_to(m.list.items[0].sigma, 1.4826022185056018 * 4);
	assert_false(m.list.items[0].within);
	assert_int_equal(m.list.items[0].launches[2].step, 3);
	close_to(m.list.items[0].launches[2].value, 90);
	close_to(m.list.items[0].sorted[0], 90);
	assert_int_equal(m.launches.items[0].n_done, 3);
	assert_int_equal(m.launches.items[0].n_repeats, 2);
	made_release(&m);
	fixture_release(&f);
}

static void only_launches_that_ended_well_count(void **state)
{
	static const char *const causes[] = {"ok",      "launch",  "timeout",
					     "invalid", "no-data", "aborted",
					     "io",      "skip",    NULL};
	struct fixture f;
	struct made m;

	(void)state;
	start(&f);
	for (int i = 0; i < 9; i++) {
		fixture_step(&f, i + 1, "s/a", "n1", causes[i], NULL);
		fixture_sample(&f, i + 1, "n1", "stream.triad", NT, 1 + i, 1);
	}
	make(&m, &f);
	assert_int_equal(m.list.n, 1);
	assert_int_equal(m.list.items[0].n, 1);
	close_to(m.list.items[0].value, 1);
	/* aborted and io are done again, and one never ended */
	assert_int_equal(m.launches.items[0].n_done, 6);
	made_release(&m);
	fixture_release(&f);
}

static void a_crashed_attempt_counts_nowhere(void **state)
{
	struct fixture f;
	struct made m;

	(void)state;
	start(&f);
	fixture_step(&f, 1, "s/a", "n1", NULL, NULL);
	fixture_sample(&f, 1, "n1", "stream.triad", NT, 999, 1);
	fixture_line(&f, "{\"kind\":\"step\",\"step\":1,\"attempt\":2,\"event\":"
			 "\"planned\",\"key\":\"s/a@n1\",\"nodes\":[\"n1\"]}");
	fixture_line(&f, "{\"kind\":\"step\",\"step\":1,\"attempt\":2,\"event\":"
			 "\"ended\",\"key\":\"s/a@n1\",\"cause\":\"ok\"}");
	fixture_line(&f, "{\"kind\":\"sample\",\"step\":1,\"attempt\":2,\"metric\":"
			 "\"stream.triad\",\"value\":5,\"unit\":\"B/s\"}");
	make(&m, &f);
	assert_int_equal(m.list.n, 1);
	close_to(m.list.items[0].value, 5);
	assert_string_equal(m.list.items[0].node, "n1");
	made_release(&m);
	fixture_release(&f);
}

static void the_worst_rank_of_a_node_counts(void **state)
{
	struct fixture f;
	struct made m;

	(void)state;
	start(&f);
	fixture_step(&f, 1, "s/a", "n1", "ok", NULL);
	for (int rank = 0; rank < 3; rank++) {
		for (int i = 1; i <= 2; i++)
			fixture_line(
				&f,
				"{\"kind\":\"sample\",\"step\":1,\"attempt\":1,"
				"\"rank\":%d,\"metric\":\"stream.triad\",\"value\":%d,"
				"\"unit\":\"B/s\",\"repetition\":%d}",
				rank, rank == 1 ? 50 + i : 100 + i, i);
	}
	make(&m, &f);
	assert_int_equal(m.list.n, 1);
	close_to(m.list.items[0].value, 52);
	made_release(&m);
	fixture_release(&f);
}

static void series_come_in_the_order_of_the_plan(void **state)
{
	struct fixture f;
	struct made m;

	(void)state;
	start(&f);
	fixture_step(&f, 1, "s/b", "n1", "ok", NULL);
	fixture_step(&f, 2, "s/a", "n2", "ok", NULL);
	fixture_sample(&f, 2, "n2", "stream.triad", NT, 1, 1);
	fixture_sample(&f, 2, "n2", "stream.triad", "{\"store\":\"plain\"}", 1, 1);
	fixture_sample(&f, 2, "n2", "stream.copy", NT, 1, 1);
	fixture_sample(&f, 1, "n1", "stream.read", NULL, 1, 1);
	make(&m, &f);
	assert_int_equal(m.list.n, 4);
	assert_string_equal(m.list.items[0].key, "s/b@n1");
	assert_string_equal(m.list.items[1].metric, "stream.copy");
	assert_string_equal(m.list.items[2].at, NT);
	assert_string_equal(m.list.items[3].at, "{\"store\":\"plain\"}");
	made_release(&m);
	fixture_release(&f);
}

static void one_launch_on_many_nodes_gives_each_its_series(void **state)
{
	static const char *const kernels[] = {"stream", "hpl", "net"};
	static const char *const metrics[] = {"stream.triad", "hpl.gflops",
					      "net.barrier"};
	struct made m;

	(void)state;
	for (int set = 0; set < 3; set++) {
		struct fixture f;

		start(&f);
		fixture_line(&f,
			     "{\"kind\":\"step\",\"step\":1,\"attempt\":1,\"event\":"
			     "\"planned\",\"key\":\"s/x@n[1-2]\",\"kernel\":\"%s\","
			     "\"nodes\":[\"n1\",\"n2\"]}",
			     kernels[set]);
		fixture_line(&f, "{\"kind\":\"step\",\"step\":1,\"attempt\":1,\"event\":"
				 "\"ended\",\"key\":\"s/x@n[1-2]\",\"cause\":\"ok\"}");
		fixture_sample(&f, 1, "n1", metrics[set], NULL, 3, 1);
		fixture_sample(&f, 1, set ? "n1" : "n2", metrics[set], NULL,
			       set == 2 ? 5 : 4, 2); /* the median of 3 and 5 */
		make(&m, &f);
		assert_int_equal(m.list.n, set ? 1 : 2);
		if (set) {
			assert_null(m.list.items[0].node);
			close_to(m.list.items[0].value, 4);
		} else {
			/* n2 comes first in the plan */
			assert_string_equal(m.list.items[0].node, "n2");
			close_to(m.list.items[0].value, 4);
		}
		made_release(&m);
		fixture_release(&f);
	}
}

static void values_that_failed_their_check_or_are_no_numbers_are_left_out(void **state)
{
	struct fixture f;
	struct made m;

	(void)state;
	start(&f);
	fixture_step(&f, 1, "s/a", "n1", "ok", NULL);
	fixture_sample(&f, 1, "n1", "stream.triad", NT, 10, 1);
	fixture_line(&f, "{\"kind\":\"sample\",\"step\":1,\"attempt\":1,\"node\":\"n1\","
			 "\"metric\":\"stream.triad\",\"at\":" NT
			 ",\"nonfinite\":{\"value\":\"nan\"},\"unit\":\"B/s\"}");
	fixture_sample(&f, 1, "n1", "stream.copy", NT, 10, 1);
	fixture_step(&f, 2, "s/a", "n2", "ok", NULL);
	fixture_sample(&f, 2, "n2", "stream.triad", NT, 10, 1);
	fixture_line(&f, "{\"kind\":\"valid\",\"step\":2,\"attempt\":1,\"node\":\"n2\","
			 "\"check\":\"error\",\"ok\":false}");
	make(&m, &f);
	assert_int_equal(m.list.n, 1);
	assert_string_equal(m.list.items[0].metric, "stream.copy");
	made_release(&m);
	fixture_release(&f);
}

static void marks_of_a_launch_are_marks_of_its_series(void **state)
{
	struct fixture f;
	struct made m;

	(void)state;
	start(&f);
	fixture_step(&f, 1, "s/a", "n1", "ok", NULL);
	fixture_sample(&f, 1, "n1", "stream.triad", NT, 10, 1);
	fixture_line(&f, "{\"kind\":\"event\",\"step\":1,\"attempt\":1,\"what\":"
			 "\"remark\",\"text\":\"something\"}");
	fixture_line(&f, "{\"kind\":\"event\",\"step\":1,\"attempt\":1,\"what\":\"size\","
			 "\"text\":\"too small\"}");
	fixture_step(&f, 2, "s/a", "n2", "ok", NULL);
	fixture_sample(&f, 2, "n2", "stream.triad", NT, 10, 1);
	make(&m, &f);
	assert_int_equal(m.list.n, 2);
	assert_string_equal(m.list.items[0].mark, "size");
	assert_string_equal(m.list.items[0].mark_text, "too small");
	assert_null(m.list.items[1].mark);
	made_release(&m);
	fixture_release(&f);
}

static void the_series_beside_is_at_the_same_or_the_nearest_wider_place(void **state)
{
	static const struct {
		const char *at, *beside; /* "" for NULL, NULL for no series at all */
	} rows[] = {
		{NT, ""},
		{"{\"domain\":1}", "{\"domain\":1}"},
		{"{\"domain\":1,\"store\":\"nt\"}", "{\"domain\":1}"},
		{"{\"domain\":2,\"store\":\"nt\"}", ""},
		{"{\"core\":10,\"domain\":1}", "{\"core\":10,\"domain\":1}"},
		{"{\"core\":11,\"domain\":1}", "{\"domain\":1}"},
	};
	struct fixture f;
	struct made m;

	(void)state;
	start(&f);
	fixture_step(&f, 1, "s/a", "n1", "ok", NULL);
	fixture_step(&f, 2, "s/a", "n2", "ok", NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fixture_sample(&f, 1, "n1", "stream.triad", rows[i].at, 1, 1);
		fixture_sample(&f, 2, "n2", "stream.triad", rows[i].at, 1, 1);
	}
	fixture_sample(&f, 1, "n1", "stream.read", NULL, 1, 1);
	fixture_sample(&f, 1, "n1", "stream.read", "{\"domain\":1}", 1, 1);
	fixture_sample(&f, 1, "n1", "stream.read", "{\"core\":10,\"domain\":1}", 1, 1);
	make(&m, &f);
	assert_int_equal(m.list.n, 15);
	for (size_t i = 0; i < m.list.n; i++) {
		const struct series *s = &m.list.items[i];
		const struct series *beside = series_beside(s, "stream.read");
		const char *want = NULL;

		if (!strcmp(s->node, "n2")) {
			assert_null(beside);
			continue;
		}
		assert_ptr_equal(series_beside(s, s->metric), s);
		assert_null(series_beside(s, "stream.zzz"));
		assert_null(series_beside(s, "a"));
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
			if (s->at && !strcmp(rows[k].at, s->at))
				want = rows[k].beside;
		}
		assert_non_null(beside);
		assert_string_equal(beside->node, "n1");
		assert_string_equal(beside->metric, "stream.read");
		assert_string_equal(beside->at ? beside->at : "", want ? want : "");
	}
	made_release(&m);
	fixture_release(&f);
}

static void nothing_gives_no_series(void **state)
{
	struct fixture f;
	struct made m;

	(void)state;
	fixture_init(&f);
	make(&m, &f);
	assert_int_equal(m.list.n, 0);
	assert_int_equal(m.launches.n, 0);
	assert_null(launches_find(&m.launches, "s/a@n1"));
	made_release(&m);
	fixture_release(&f);
}

static void declarations_that_make_no_sense_are_none(void **state)
{
	static const char *const texts[] = {
		"",
		"[]",
		"3",
		"{\"a\":3}",
		"{\"a\":{\"metrics\":{}}}",
		"{\"a\":{\"metrics\":[3,{},{\"name\":7},{\"name\":\"\"}]}}",
	};
	struct arena a = {0};
	struct metrics m;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		metrics_read(&m, texts[i], &a);
		assert_int_equal(m.n, 0);
		assert_null(metrics_find(&m, "a.b"));
		metrics_release(&m);
	}
	metrics_read(&m, NULL, &a);
	assert_int_equal(m.n, 0);
	assert_false(metrics_of_set(&m, NULL));
	metrics_release(&m);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(best_or_median_of_the_repetitions_counts),
		cmocka_unit_test(repeats_of_a_key_are_independent_values),
		cmocka_unit_test(only_launches_that_ended_well_count),
		cmocka_unit_test(a_crashed_attempt_counts_nowhere),
		cmocka_unit_test(the_worst_rank_of_a_node_counts),
		cmocka_unit_test(series_come_in_the_order_of_the_plan),
		cmocka_unit_test(one_launch_on_many_nodes_gives_each_its_series),
		cmocka_unit_test(
			values_that_failed_their_check_or_are_no_numbers_are_left_out),
		cmocka_unit_test(marks_of_a_launch_are_marks_of_its_series),
		cmocka_unit_test(
			the_series_beside_is_at_the_same_or_the_nearest_wider_place),
		cmocka_unit_test(nothing_gives_no_series),
		cmocka_unit_test(declarations_that_make_no_sense_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
