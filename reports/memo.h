/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was made of a text, kept for the next time it comes: a large run has the same few
 * places a hundred thousand times. A zeroed struct is empty.
 */
#ifndef ASSAY_REPORTS_MEMO_H
#define ASSAY_REPORTS_MEMO_H

#include "base/names.h"
#include "base/strbuf.h"

struct memo {
	struct names texts;
	const char **made; /* numbered as texts is */
	size_t cap;
};

/* What @make appends for @text; valid until the next call. */
const char *memo_get(struct memo *m, const char *text,
		     void (*make)(struct strbuf *out, const char *text));
void memo_release(struct memo *m);

#endif
