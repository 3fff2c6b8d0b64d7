/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of other programs' text: any bytes give results that are records, or none. */
#include <string.h>

#include "fuzz.h"
#include "record/reading.h"

/* What goes into a journal must come out of it again. */
static void check_record(struct record *r)
{
	struct strbuf line = {0};
	struct arena a = {0};
	struct err e = {0};
	struct record again;

	FUZZ_EXPECT(reading_own(r, 1, 1, "n1"));
	record_encode(r, &line);
	FUZZ_EXPECT(!record_decode(strbuf_str(&line), line.len, &a, &again, &e));
	FUZZ_EXPECT(again.kind == r->kind);
	strbuf_release(&line);
	arena_release(&a);
}

static void check_result(const struct reading_result *x)
{
	size_t samples = 0;

	for (size_t i = 0; i < x->n; i++) {
		check_record(&x->records[i]);
		samples += x->records[i].kind == RECORD_KIND_sample;
	}
	if (!strcmp(x->cause, "ok"))
		FUZZ_EXPECT(samples || x->n);
	else
		FUZZ_EXPECT(x->reason && *x->reason);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strbuf text = {0};

	strbuf_add(&text, (const char *)data, size);
	for (size_t i = 0; reader_at(i); i++) {
		struct reading r;

		(void)reader_at(i)->knows(strbuf_str(&text));
		reading_make(&r, reader_at(i), strbuf_str(&text));
		FUZZ_EXPECT(r.n >= 1);
		for (size_t k = 0; k < r.n; k++)
			check_result(&r.items[k]);
		reading_release(&r);
	}
	strbuf_release(&text);
	return 0;
}
