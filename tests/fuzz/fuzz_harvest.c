/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a step prints: any bytes, cut anywhere, give the same records and one cause; and
 * "ok" means a complete result. The first byte is the size of the pieces, the second the
 * exit status; the rest is stdout.
 */
#include <string.h>

#include "fuzz.h"
#include "run/harvest.h"

static const char *nodes[] = {"n1", "n2"};
static const struct step step = {.id = 7,
				 .attempt = 2,
				 .key = "s/fake@n1,n2",
				 .name = "s/fake",
				 .kernel = "fake",
				 .nodes = nodes,
				 .n_nodes = 2,
				 .ranks = 4,
				 .per_node = 2};

struct seen {
	struct strbuf text;
	int64_t samples;
};

static int put(void *ctx, const struct record *r, struct err *e)
{
	struct seen *seen = ctx;

	(void)e;
	if (r->kind == RECORD_KIND_sample) {
		const struct record_sample *s = &r->u.sample;

		FUZZ_EXPECT(s->step == 7 && s->attempt == 2);
		FUZZ_EXPECT(!s->node || s->node == nodes[0] || s->node == nodes[1]);
		seen->samples++;
	}
	FUZZ_EXPECT(r->kind != RECORD_KIND_step && r->kind != RECORD_KIND_end);
	record_encode(r, &seen->text);
	return 0;
}

/* Cause, reason and records of @data in pieces of @piece bytes, as one text. */
static void harvest(const char *data, size_t size, size_t piece, int status,
		    struct strbuf *out)
{
	static const char kernels[] =
		"{\"fake\":{\"metrics\":[{\"name\":\"fake.rate\",\"unit\":\"B/s\"},"
		"{\"name\":\"fake.time\",\"unit\":\"s\"}]}}";
	const struct spawn_result r = {.end = SPAWN_EXITED, .exit = status};
	struct seen seen = {0};
	struct metrics metrics = {0};
	struct arena a = {0};
	struct harvest h;
	struct strbuf reason = {0};
	struct err e = {0};
	const char *cause;

	metrics_read(&metrics, kernels, &a);
	harvest_init(&h, &step, &metrics, 0, put, &seen);
	for (size_t i = 0; i < size; i += piece) {
		size_t n = size - i < piece ? size - i : piece;

		FUZZ_EXPECT(!harvest_out(&h, data + i, n, &e));
		harvest_err(&h, data + i, n);
	}
	FUZZ_EXPECT(!harvest_end(&h, &r, &e));
	cause = harvest_cause(&h, &r, false, &reason);
	if (!strcmp(cause, "ok")) {
		FUZZ_EXPECT(status == 0 || (status == 1 && h.failed));
		FUZZ_EXPECT(seen.samples > 0 && h.ended && h.ranks_seen == 4);
		FUZZ_EXPECT(!h.problem.len && h.end_count == h.marked);
	} else {
		FUZZ_EXPECT(reason.len > 0);
	}
	strbuf_addf(out, "%s %s\n%s", cause, strbuf_str(&reason), strbuf_str(&seen.text));
	strbuf_release(&reason);
	strbuf_release(&seen.text);
	harvest_release(&h);
	metrics_release(&metrics);
	arena_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf whole = {0}, pieces = {0};
	const char *text = (const char *)data + 2;

	if (size < 2)
		return 0;
	harvest(text, size - 2, size, data[1], &whole);
	harvest(text, size - 2, (size_t)data[0] + 1, data[1], &pieces);
	FUZZ_EXPECT(!strcmp(strbuf_str(&whole), strbuf_str(&pieces)));
	strbuf_release(&whole);
	strbuf_release(&pieces);
	return 0;
}
