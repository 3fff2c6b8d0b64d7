/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record readers: any bytes are read or refused with a reason, what was read is
 * written and read again as the same line, and what the short way reads the long one
 * reads, to the same values.
 */
#include "fuzz.h"
#include "record/plain.h"
#include "tests/same_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct strbuf first = {0}, second = {0};
	struct names texts = {0};
	struct record r, again, plain;
	struct err e = {0};
	bool is_plain = record_read_plain((const char *)data, size, &texts, &plain);

	if (record_decode((const char *)data, size, &arena, &r, &e)) {
		FUZZ_EXPECT(e.kind != ERR_NONE && e.msg[0]);
		FUZZ_EXPECT(!is_plain);
		goto out;
	}
	record_encode(&r, &first);
	FUZZ_EXPECT(!is_plain || same_record(&plain, &r));
	FUZZ_EXPECT(!memchr(first.buf, '\n', first.len));
	FUZZ_EXPECT(!record_decode(first.buf, first.len, &arena, &again, &e));
	record_encode(&again, &second);
	FUZZ_EXPECT(!strcmp(strbuf_str(&first), strbuf_str(&second)));
out:
	strbuf_release(&first);
	strbuf_release(&second);
	names_release(&texts);
	arena_release(&arena);
	return 0;
}
