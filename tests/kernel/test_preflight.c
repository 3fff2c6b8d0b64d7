/* SPDX-License-Identifier: Apache-2.0 */
/* assay-fence and assay-transport: what they say as the controller runs them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/kernel/run.h"

/* No process of the kernel may have MPI in it: it must work where MPI does not. */
static void fence_has_no_mpi_in_it(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "env LD_TRACE_LOADED_OBJECTS=1 assay-fence");
	assert_non_null(strstr(strbuf_str(&r.out), "libpmix.so"));
	assert_null(strstr(strbuf_str(&r.out), "libmpi"));
	run_release(&r);
}

static void fence_gathers_a_record_of_every_rank(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60,
	    MPIRUN "-np 4 assay-fence --format records --cpuset 0 --threads 1 --limit 30 "
		   "--ntimes 3");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(run_count(&r, RECORD_KIND_rank), 4);
	for (int64_t i = 0; i < 4; i++) {
		const struct record *rank = run_record(&r, RECORD_KIND_rank, (size_t)i);

		assert_int_equal(rank->u.rank.rank, i);
		assert_true(*rank->u.rank.mask != '\0');
	}
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 3);
	for (size_t i = 0; i < 3; i++) {
		const struct record *s = run_record(&r, RECORD_KIND_sample, i);

		assert_string_equal(s->u.sample.metric, "fence.time");
		assert_true(s->u.sample.value.v > 0 && s->u.sample.value.v < 10);
	}
	assert_true(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
	assert_int_equal(r.records[r.n - 1].u.end.ranks, 4);
	assert_null(run_event(&r, "link")); /* one machine reaches itself */
	run_release(&r);
}

static void fence_without_a_server_is_a_job_of_one(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "assay-fence --format records");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(run_count(&r, RECORD_KIND_rank), 1);
	assert_int_equal(r.records[r.n - 1].u.end.ranks, 1);
	run_release(&r);
	run(&r, 60, "assay-fence");
	assert_int_equal(r.end.exit, 0);
	assert_non_null(strstr(strbuf_str(&r.out), "1 of 1 ranks"));
	run_release(&r);
}

static void fence_refuses_what_it_does_not_know(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "assay-fence --ntime 3");
	assert_int_equal(r.end.exit, 2);
	assert_non_null(strstr(strbuf_str(&r.err), "did you mean '--ntimes'"));
	run_release(&r);
}

/* A rank that does not come: the others' own limit ends them. */
static void fence_ends_itself_when_a_rank_stays_away(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60,
	    MPIRUN "-np 1 assay-fence --format records --limit 1 : -np 1 sleep 50");
	assert_int_equal(r.end.exit, 124);
	assert_non_null(strstr(strbuf_str(&r.err), "in the first fence"));
	run_release(&r);
}

static void transport_measures_each_pair_of_the_ring(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60,
	    MPIRUN "-np 2 assay-transport --format records --threads 1 --ntimes 2 "
		   "--size 64K --limit 30");
	assert_int_equal(r.end.exit, 0);
	assert_int_equal(run_count(&r, RECORD_KIND_sample), 4);
	for (size_t i = 0; i < 4; i++) {
		const struct record *s = run_record(&r, RECORD_KIND_sample, i);

		assert_int_equal(s->u.sample.rank, 0);
		assert_string_equal(s->u.sample.peer, "1");
		assert_string_equal(s->u.sample.unit, i % 2 ? "B/s" : "s");
		assert_true(s->u.sample.value.v > 0);
	}
	assert_int_equal(run_count(&r, RECORD_KIND_valid), 2);
	assert_true(run_record(&r, RECORD_KIND_valid, 0)->u.valid.ok);
	assert_null(run_event(&r, "transport")); /* nothing left the machine */
	run_release(&r);
}

static void transport_alone_is_skipped(void **unused)
{
	struct run r;

	(void)unused;
	run(&r, 60, "assay-transport --format records");
	assert_int_equal(r.end.exit, 3);
	assert_string_equal(run_event(&r, "skip"), "needs two ranks");
	run_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fence_has_no_mpi_in_it),
		cmocka_unit_test(fence_gathers_a_record_of_every_rank),
		cmocka_unit_test(fence_without_a_server_is_a_job_of_one),
		cmocka_unit_test(fence_refuses_what_it_does_not_know),
		cmocka_unit_test(fence_ends_itself_when_a_rank_stays_away),
		cmocka_unit_test(transport_measures_each_pair_of_the_ring),
		cmocka_unit_test(transport_alone_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
