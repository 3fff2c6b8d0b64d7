/* SPDX-License-Identifier: Apache-2.0 */
/* assay-net: what its tests say as the controller runs them, and as people do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/run.h"

#define NET MPIRUN "-np 2 assay-net "

static size_t count_samples(const struct run *r, const char *metric, const char *at)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct record_sample *s = &r->records[i].u.sample;

		if (r->records[i].kind != RECORD_KIND_sample ||
		    strcmp(s->metric, metric) != 0 || (at && strcmp(s->at, at) != 0))
			continue;
		assert_true(s->value.v > 0);
		n++;
	}
	return n;
}

static void between_two_ranks_each_size_has_its_records(void **unused)
{
	static const struct {
		const char *test, *metric;
	} cases[] = {{"latency", "net.latency"}, {"bw", "net.bw"}, {"bibw", "net.bibw"}};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char words[256], tail[64];
		struct run r;

		(void)snprintf(words, sizeof(words),
			       NET "%s -m 4:16 -i 20 --repeat 2 --format records",
			       cases[i].test);
		(void)snprintf(tail, sizeof(tail), "%s_tail", cases[i].metric);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 0);
		assert_int_equal(count_samples(&r, cases[i].metric, NULL), 3 * 2);
		assert_int_equal(count_samples(&r, cases[i].metric, "{\"size\":16}"), 2);
		assert_int_equal(count_samples(&r, tail, NULL), 3 * 2 * 3);
		assert_int_equal(
			count_samples(&r, tail, "{\"percentile\":99,\"size\":4}"), 2);
		assert_true(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
		assert_int_equal(run_record(&r, RECORD_KIND_rank, 1)->u.rank.threads, 1);
		run_release(&r);
	}
}

static void collectives_have_the_mean_and_the_extremes_of_the_ranks(void **unused)
{
	static const char *const tests[] = {"barrier", "bcast", "allreduce", "alltoall"};

	(void)unused;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		char words[256], metric[32], tail[64];
		const size_t sizes = i ? 3 : 1;
		struct run r;

		(void)snprintf(words, sizeof(words),
			       NET "%s %s -i 20 -x 2 --repeat 2 --format records",
			       tests[i], "-m 8:32"); /* which a barrier does not mind */
		(void)snprintf(metric, sizeof(metric), "net.%s", tests[i]);
		(void)snprintf(tail, sizeof(tail), "net.%s_tail", tests[i]);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 0);
		assert_int_equal(count_samples(&r, metric, NULL), 2 * sizes);
		assert_int_equal(count_samples(&r, tail, NULL), 2 * sizes * 5);
		if (i) {
			assert_int_equal(count_samples(&r, metric, "{\"size\":32}"), 2);
			assert_int_equal(
				count_samples(&r, tail,
					      "{\"rank\":\"slowest\",\"size\":8}"),
				2);
		} else {
			assert_int_equal(
				count_samples(&r, tail, "{\"rank\":\"slowest\"}"), 2);
		}
		assert_int_equal(run_count(&r, RECORD_KIND_valid), 1);
		assert_true(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
		run_release(&r);
	}
}

static void message_rate_is_of_all_pairs(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, NET "mbw_mr -m 8:16 -i 10 -x 1 -W 4 --repeat 2 --format records");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(count_samples(&r, "net.mbw", NULL), 4);
	assert_int_equal(count_samples(&r, "net.rate", NULL), 4);
	for (size_t i = 0; i + 1 < r.n; i++) {
		const struct record_sample *a = &r.records[i].u.sample;

		if (r.records[i].kind == RECORD_KIND_sample &&
		    !strcmp(a->metric, "net.rate")) {
			assert_string_equal(a->unit, "1/s");
			assert_null(a->peer);
		}
	}
	assert_true(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
	run_release(&r);
}

/* As messages beyond 2^31 bytes go, which not every machine has the memory for. */
static void messages_in_pieces_arrive_whole(void **unused)
{
	static const char *const tests[] = {"latency", "bibw",      "mbw_mr",
					    "bcast",   "allreduce", "alltoall"};

	(void)unused;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		char words[256];
		struct run r;

		(void)snprintf(words, sizeof(words),
			       NET "%s -m 1:16K --piece 1021 -i 3 -W 3 -c --repeat 1 "
				   "--format records",
			       tests[i]);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 0);
		assert_true(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
		run_release(&r);
	}
}

/* Beyond what an int counts, where there is the memory: 2 GiB and a byte in each rank. */
static void a_message_beyond_2_gib_arrives_whole(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 120,
	    NET "bcast -m 2147483649:2147483649 -i 1 -x 0 --repeat 1 --format records");
	if (r.end.exit == 3 && run_event(&r, "skip")) {
		print_message("%s\n", run_event(&r, "skip"));
		run_release(&r);
		skip();
	}
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(count_samples(&r, "net.bcast", "{\"size\":2147483649}"), 1);
	assert_true(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
	run_release(&r);
}

static void what_arrives_changed_is_told(void **unused)
{
	static const char *const each[] = {"", "-c"};

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		const struct record_valid *v;
		char words[256];
		struct run r;

		(void)snprintf(words, sizeof(words),
			       NET "bibw -m 4:16 -i 3 -x 0 --repeat 1 --spoil 8 %s "
				   "--format records",
			       each[i]);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 1);
		v = &run_record(&r, RECORD_KIND_valid, 0)->u.valid;
		assert_false(v->ok);
		assert_true(v->value.v == (i ? 3 : 1)); /* with -c in each turn */
		assert_int_equal(run_count(&r, RECORD_KIND_valid), 2);
		run_release(&r);
	}
}

static void people_see_which_size_was_wrong(void **unused)
{
	const char *line;
	struct run r;

	(void)unused;
	run(&r, 60, NET "bw -m 4:16 -i 3 --repeat 1 --spoil 8");
	assert_int_equal(r.end.exit, 1);
	assert_non_null(strstr(strbuf_str(&r.out), "# Size        Bandwidth (MB/s)"));
	line = strstr(strbuf_str(&r.out), "\n8   ");
	assert_non_null(line);
	assert_true(strstr(line, "Fail") < strstr(line, "\n16  "));
	assert_true(strtod(line + 2, NULL) > 0);
	line = strstr(strbuf_str(&r.out), "\n4   ");
	assert_true(strstr(line, "Pass") < strstr(line, "Fail"));
	run_release(&r);
}

/* By time: whatever the size, each takes about as long, and the window grows. */
static void measuring_by_time_ends_in_time(void **unused)
{
	static const char *const tests[] = {"latency", "bw", "bibw"};

	(void)unused;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		char words[256], metric[32];
		struct run r;

		(void)snprintf(words, sizeof(words),
			       NET "%s -m 1:8K -i 1000000 --seconds 0.02 --repeat 1 "
				   "--format records",
			       tests[i]);
		(void)snprintf(metric, sizeof(metric), "net.%s", tests[i]);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 0);
		assert_int_equal(count_samples(&r, metric, NULL), 14);
		assert_true(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
		run_release(&r);
	}
}

static void what_cannot_be_is_said_before_it_starts(void **unused)
{
	static const struct {
		const char *words, *text;
		int exit;
	} cases[] = {
		{NET "latency -m 8:4", "option '--message-size': the smallest size", 2},
		{NET "latency -m 12MBs", "option '--message-size'", 2},
		{NET "latencies", "did you mean 'latency'", 2},
		{NET "barrier --locality near", "'barrier' is not between two ranks", 2},
		{"assay-net latency", "needs 2 ranks", 3},
		{NET "bw -m 8 --device nosuch0", "no adapter or interface 'nosuch0'", 3},
		{NET "bw -m 512T:512T", "of memory for messages", 3},
		{NET "alltoall -m 512T:512T", "more than the", 3},
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text;
		struct run r;

		run(&r, 60, cases[i].words);
		assert_int_equal(r.end.exit, cases[i].exit);
		text = strstr(strbuf_str(&r.err), cases[i].text);
		assert_non_null(text);
		if (cases[i].exit == 2)
			assert_null(
				strstr(text + 1, cases[i].text)); /* one rank says it */
		run_release(&r);
	}
}

/* Two of four players in three rounds, of which they meet in one: the others are not
 * there. */
static void pairs_meet_once(void **unused)
{
	static const char *const modes[] = {"--schedule all", "--pairs-at-once 1",
					    "--schedule sample --seed 7"};

	(void)unused;
	for (size_t m = 0; m < 3; m++) {
		size_t rounds = 0, there = 0;
		char words[256];
		struct run r;

		(void)snprintf(words, sizeof(words),
			       NET "pairs -m 8:64k --seconds 0.04 --slots 4 "
				   "--absent 0,2 %s --format records",
			       modes[m]);
		run(&r, 60, words);
		assert_int_equal(r.end.exit, 0);
		assert_int_equal(count_samples(&r, "net.pair_latency", NULL), 1);
		assert_int_equal(count_samples(&r, "net.pair_bw", NULL), 2);
		assert_int_equal(count_samples(&r, "net.pair_bibw", NULL), 1);
		assert_int_equal(count_samples(&r, "net.pair_hang", NULL), 0);
		for (size_t i = 0; i < r.n; i++) {
			const struct record_sample *s = &r.records[i].u.sample;

			if (r.records[i].kind == RECORD_KIND_event)
				rounds += !strcmp(r.records[i].u.event.what, "round");
			if (r.records[i].kind != RECORD_KIND_sample)
				continue;
			assert_int_equal(s->rank + strtol(s->peer, NULL, 10), 1);
			there += !strcmp(s->metric, "net.pair_bw") && s->rank == 0;
		}
		assert_int_equal(rounds, 3);
		assert_int_equal(there, 1);
		run_release(&r);
	}
}

static void pairs_go_on_behind_rounds_that_were_made(void **unused)
{
	struct run r;

	(void)unused;
	/* of four players 0 and 1 meet in the second of three rounds, where p + q = 1 */
	run(&r, 60,
	    NET "pairs -m 8:64k --seconds 0.04 --slots 4 --absent 2,3 --first-round 3 "
		"--format records");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(count_samples(&r, "net.pair_bw", NULL) +
				 count_samples(&r, "net.pair_latency", NULL),
			 0);
	run_release(&r);
	run(&r, 60, NET "pairs --slots 3 --absent 7 --format records");
	assert_int_equal(r.end.exit, 2);
	run_release(&r);
	run(&r, 60, NET "pairs --slots 4 --absent 1 --format records");
	assert_int_equal(r.end.exit, 2);
	run_release(&r);
}

static void what_pairs_receive_is_checked(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, NET "pairs -m 8:64k --seconds 0.04 --spoil 64k --format records");
	assert_int_equal(r.end.exit, 1);
	assert_false(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_two_ranks_each_size_has_its_records),
		cmocka_unit_test(collectives_have_the_mean_and_the_extremes_of_the_ranks),
		cmocka_unit_test(message_rate_is_of_all_pairs),
		cmocka_unit_test(messages_in_pieces_arrive_whole),
		cmocka_unit_test(a_message_beyond_2_gib_arrives_whole),
		cmocka_unit_test(what_arrives_changed_is_told),
		cmocka_unit_test(people_see_which_size_was_wrong),
		cmocka_unit_test(measuring_by_time_ends_in_time),
		cmocka_unit_test(what_cannot_be_is_said_before_it_starts),
		cmocka_unit_test(pairs_meet_once),
		cmocka_unit_test(pairs_go_on_behind_rounds_that_were_made),
		cmocka_unit_test(what_pairs_receive_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
