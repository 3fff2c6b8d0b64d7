/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record reader: any bytes are read or refused with a reason, and what was read is
 * written and read again as the same line.
 */
#include <string.h>

#include "fuzz.h"
#include "record/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct strbuf first = {0}, second = {0};
	struct record r, again;
	struct err e = {0};

	if (record_decode((const char *)data, size, &arena, &r, &e)) {
		FUZZ_EXPECT(e.kind != ERR_NONE && e.msg[0]);
		goto out;
	}
	record_encode(&r, &first);
	FUZZ_EXPECT(!memchr(first.buf, '\n', first.len));
	FUZZ_EXPECT(!record_decode(first.buf, first.len, &arena, &again, &e));
	record_encode(&again, &second);
	FUZZ_EXPECT(!strcmp(strbuf_str(&first), strbuf_str(&second)));
out:
	strbuf_release(&first);
	strbuf_release(&second);
	arena_release(&arena);
	return 0;
}
