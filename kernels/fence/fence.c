/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-fence: the first thing that all nodes of a job do together. A client of the
 * launcher's PMIx server that never calls MPI, so it works where MPI_Init hangs, and says
 * why it would: all ranks meet in a fence, exchange their addresses there, and each tries
 * the next one on every network.
 */
#include <errno.h>
#include <jansson.h>
#include <pmix.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "blame.h"
#include "kernels/kit/cpulist.h"
#include "kernels/kit/start.h"
#include "kernels/kit/watchdog.h"
#include "links.h"

static const struct kit_metric metrics[] = {
	{.name = "fence.time",
	 .unit = "s",
	 .better = "lower",
	 .reduce = "median",
	 .unrated = true,
	 .help = "one PMIx fence that collects data over all ranks, as rank 0 sees it"},
	{.name = NULL},
};

static const struct kit_option options[] = {
	{.name = "ntimes",
	 .type = KIT_INT,
	 .def = "5",
	 .min = 1,
	 .max = 1000,
	 .help = "repetitions"},
	{.name = "wait",
	 .type = KIT_TIME,
	 .def = "2",
	 .help = "seconds a rank waits for the answers of the next one on all networks"},
	{.name = NULL},
};

static const struct kernel fence = {
	.name = "fence",
	.help = "Whether all ranks of a job meet through the launcher's PMIx server, and "
		"whether they reach each other on every network: works without MPI.",
	.shape = KIT_SET,
	.metrics = metrics,
	.options = options,
};

/* One rank. */
struct job {
	struct kit_values values;
	pmix_proc_t me;
	uint32_t ranks;
	bool alone; /* there is no server */
	char host[256];
	json_t *card;
	/* rank 0 */
	json_t **cards, **tries; /* by rank, NULL where nothing came */
	bool records, failed, broken;
	int64_t printed;
};

/* Output: rank 0 alone. */

static void print(struct job *j, const struct record *r)
{
	struct strbuf line = {0};

	record_encode(r, &line);
	/* a line that is too long is a fault of ours: no end */
	if (sizeof(START_MARK) + line.len >= START_LINE ||
	    printf(START_MARK "%s\n", strbuf_str(&line)) < 0)
		j->broken = true;
	j->printed++;
	strbuf_release(&line);
}

static void event(void *ctx, const char *what, int rank, const char *text)
{
	struct record r = record_make(RECORD_KIND_event);
	struct job *j = ctx;
	const json_t *card = rank < 0 || !j->cards ? NULL : j->cards[rank];

	if (!j->records) {
		const char *host = json_string_value(json_object_get(card, "host"));

		(void)printf("%s%s%s: %s\n", what, host ? " " : "", host ? host : "",
			     text);
		return;
	}
	if (rank >= 0)
		r.u.event.rank = rank;
	r.u.event.what = what;
	r.u.event.text = text;
	print(j, &r);
}

static void sample(struct job *j, double value, int repetition)
{
	struct record r = record_make(RECORD_KIND_sample);

	if (!j->records) {
		(void)printf("fence %d: %.1f us\n", repetition, value * 1e6);
		return;
	}
	r.u.sample.rank = 0;
	r.u.sample.metric = metrics[0].name;
	r.u.sample.unit = metrics[0].unit;
	r.u.sample.value = record_num(value);
	r.u.sample.repetition = repetition;
	print(j, &r);
}

/* Every rank's own record, which came with its card, then whether all were there. */
static void print_ranks(struct job *j)
{
	struct record r = record_make(RECORD_KIND_valid);
	uint32_t missing = 0;

	for (uint32_t i = 0; i < j->ranks; i++) {
		const json_t *own = json_object_get(j->cards[i], "record");
		struct arena a = {0};
		struct record rank;
		struct err e = {0};
		const char *line = json_string_value(own);

		if (!line ||
		    record_decode(line, json_string_length(own), &a, &rank, &e) ||
		    rank.kind != RECORD_KIND_rank || rank.u.rank.rank != (int64_t)i)
			missing++;
		else if (j->records)
			print(j, &rank);
		else
			(void)printf("rank %u: %s\n", i, rank.u.rank.host);
		arena_release(&a);
	}
	j->failed = missing > 0;
	r.u.valid.rank = 0;
	r.u.valid.check = "gather";
	r.u.valid.value = record_num(missing);
	r.u.valid.limit = record_num(0);
	r.u.valid.ok = !missing;
	r.u.valid.text = missing ? "ranks whose card did not come with the fence" : NULL;
	if (j->records)
		print(j, &r);
	else
		(void)printf("%u of %u ranks\n", j->ranks - missing, j->ranks);
}

static void print_end(struct job *j)
{
	struct record r = record_make(RECORD_KIND_end);

	r.u.end.count = j->printed;
	r.u.end.ranks = j->ranks;
	if (j->records && !j->broken)
		print(j, &r);
	j->broken |= fflush(stdout) != 0 || ferror(stdout) != 0;
}

/* PMIx */

static int pmix_failed(const char *what, pmix_status_t rc, struct err *e)
{
	return err_set(e, ERR_SYSTEM, "%s: %s", what, PMIx_Error_string(rc));
}

/* Without a server this is a job of one, as MPI would have it. */
static int join(struct job *j, struct err *e)
{
	pmix_proc_t all;
	pmix_value_t *size = NULL;
	pmix_status_t rc = PMIx_Init(&j->me, NULL, 0);

	j->ranks = 1;
	j->alone = rc == PMIX_ERR_UNREACH && !getenv("PMIX_NAMESPACE");
	if (j->alone) {
		j->me.rank = 0;
		return 0;
	}
	if (rc != PMIX_SUCCESS)
		return pmix_failed("PMIx_Init", rc, e);
	PMIX_LOAD_PROCID(&all, j->me.nspace, PMIX_RANK_WILDCARD);
	rc = PMIx_Get(&all, PMIX_JOB_SIZE, NULL, 0, &size);
	if (rc != PMIX_SUCCESS)
		return pmix_failed("the size of the job", rc, e);
	if (size->type == PMIX_UINT32)
		j->ranks = size->data.uint32;
	PMIX_VALUE_RELEASE(size);
	if (j->me.rank >= j->ranks)
		return err_set(e, ERR_SYSTEM, "PMIx: rank %u of %u", j->me.rank,
			       j->ranks);
	return 0;
}

static int put(struct job *j, const char *key, const json_t *o, struct err *e)
{
	pmix_value_t value;
	pmix_status_t rc;

	if (j->alone)
		return 0;
	PMIX_VALUE_CONSTRUCT(&value);
	value.type = PMIX_STRING;
	value.data.string = json_dumps(o, JSON_COMPACT);
	rc = PMIx_Put(PMIX_GLOBAL, key, &value);
	if (rc == PMIX_SUCCESS)
		rc = PMIx_Commit();
	PMIX_VALUE_DESTRUCT(&value);
	return rc == PMIX_SUCCESS ? 0 : pmix_failed("PMIx_Put", rc, e);
}

/* All ranks; what was put before is then here. */
static int meet(struct job *j, struct err *e)
{
	bool collect = true;
	pmix_proc_t all;
	pmix_info_t info;
	pmix_status_t rc;

	if (j->alone)
		return 0;
	PMIX_LOAD_PROCID(&all, j->me.nspace, PMIX_RANK_WILDCARD);
	PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
	rc = PMIx_Fence(&all, 1, &info, 1);
	PMIX_INFO_DESTRUCT(&info);
	return rc == PMIX_SUCCESS ? 0 : pmix_failed("PMIx_Fence", rc, e);
}

/*
 * What rank @rank put before the last fence, NULL when it is not here. Never asks the
 * other node's server for it: that hangs with some of them.
 */
static json_t *get(struct job *j, const char *key, uint32_t rank)
{
	bool optional = true;
	pmix_value_t *value = NULL;
	json_t *o = NULL;
	pmix_info_t info;
	pmix_proc_t of;

	PMIX_LOAD_PROCID(&of, j->me.nspace, rank);
	PMIX_INFO_LOAD(&info, PMIX_OPTIONAL, &optional, PMIX_BOOL);
	if (PMIx_Get(&of, key, &info, 1, &value) == PMIX_SUCCESS) {
		if (value->type == PMIX_STRING && value->data.string)
			o = json_loads(value->data.string, 0, NULL);
		PMIX_VALUE_RELEASE(value);
	}
	PMIX_INFO_DESTRUCT(&info);
	return o;
}

/* The job */

static const char card_key[] = "assay.card", tries_key[] = "assay.tries";

static void add_record(struct job *j)
{
	struct record r = record_make(RECORD_KIND_rank);
	struct strbuf mask = {0}, line = {0};
	struct cpumask cpus = {0};
	char *env = start_env();

	if (!sched_getaffinity(0, sizeof(cpus), (cpu_set_t *)(void *)cpus.bits))
		cpumask_format(&cpus, &mask);
	r.u.rank.rank = j->me.rank;
	r.u.rank.host = j->host;
	r.u.rank.pid = getpid();
	r.u.rank.mask = strbuf_str(&mask);
	r.u.rank.cpuset = ""; /* it computes nothing, so it binds nothing */
	r.u.rank.threads = 1;
	r.u.rank.env = env;
	record_encode(&r, &line);
	if (sizeof(START_MARK) + line.len >= START_LINE) {
		strbuf_reset(&line);
		r.u.rank.env = NULL;
		record_encode(&r, &line);
	}
	(void)json_object_set_new(j->card, "record", json_string(strbuf_str(&line)));
	strbuf_release(&line);
	strbuf_release(&mask);
	free(env);
}

/* Told apart from other jobs' by the job's name. */
static uint32_t token(const struct job *j, uint32_t rank)
{
	uint32_t h = 2166136261U; /* FNV-1a */

	for (const char *p = j->me.nspace; *p; p++)
		h = (h ^ (unsigned char)*p) * 16777619U;
	return h + rank;
}

/* Exchanges cards, tries the next rank, exchanges what came of it. */
static int exchange(struct job *j, struct err *e)
{
	const struct kit_value *wait = options_get(&j->values, "wait");
	const uint32_t next = (j->me.rank + 1) % j->ranks;
	struct links *links = NULL;
	json_t *peer, *tries;
	int rc;

	watchdog_phase("the first fence");
	if (links_open(&links, token(j, j->me.rank), e))
		return -1;
	j->card = links_card(links, j->host);
	add_record(j);
	rc = put(j, card_key, j->card, e) || meet(j, e) ? -1 : 0;
	if (!rc && j->ranks > 1) {
		watchdog_phase("trying its neighbour");
		peer = get(j, card_key, next);
		tries = links_try(j->card, peer, wait->seconds);
		watchdog_phase("the second fence");
		rc = put(j, tries_key, tries, e) || meet(j, e) ? -1 : 0;
		json_decref(tries);
		json_decref(peer);
	}
	links_close(links); /* not before all have met: nobody needs it now */
	return rc;
}

static void collect(struct job *j)
{
	j->cards = mem_calloc(j->ranks, sizeof(*j->cards));
	j->tries = mem_calloc(j->ranks, sizeof(*j->tries));
	for (uint32_t i = 0; i < j->ranks; i++) {
		j->cards[i] = i ? get(j, card_key, i) : json_incref(j->card);
		j->tries[i] = j->ranks > 1 ? get(j, tries_key, i) : NULL;
	}
}

static int fences(struct job *j, struct err *e)
{
	const int64_t n = options_get(&j->values, "ntimes")->number;

	watchdog_phase("a timed fence");
	for (int i = 1; i <= n; i++) {
		const double begin = clock_now();

		if (meet(j, e))
			return -1;
		if (!j->me.rank)
			sample(j, clock_now() - begin, i);
	}
	return 0;
}

static int run(struct job *j, struct err *e)
{
	watchdog_phase("PMIx_Init");
	if (join(j, e) || exchange(j, e))
		return -1;
	if (!j->me.rank) {
		collect(j);
		print_ranks(j);
		blame((const json_t *const *)j->cards, (const json_t *const *)j->tries,
		      j->ranks, event, j);
		/* so that it is told even when a later fence hangs */
		j->broken |= fflush(stdout) != 0;
	}
	return fences(j, e);
}

static void release(struct job *j)
{
	for (uint32_t i = 0; j->cards && i < j->ranks; i++) {
		json_decref(j->cards[i]);
		json_decref(j->tries[i]);
	}
	free(j->cards);
	free(j->tries);
	json_decref(j->card);
	options_release(&j->values);
}

int main(int argc, char **argv)
{
	struct job j = {0};
	struct err e = {0};
	int status;

	if (!start(&fence, &j.values, argc, argv, &status)) {
		release(&j);
		return status;
	}
	j.records = !strcmp(options_get(&j.values, "format")->text, "records");
	(void)gethostname(j.host, sizeof(j.host) - 1);
	if (run(&j, &e)) {
		(void)fprintf(stderr, "assay-fence: %s: %s\n", j.host, e.msg);
		status = 3;
	} else if (!j.me.rank) {
		print_end(&j);
		status = j.broken ? 3 : j.failed;
	}
	watchdog_phase("PMIx_Finalize");
	if (!j.alone)
		(void)PMIx_Finalize(NULL, 0);
	release(&j);
	return status;
}
