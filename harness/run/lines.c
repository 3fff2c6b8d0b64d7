/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as lines: see lines.h. */
#include "run/lines.h"

#include <string.h>

static void keep(struct lines *l, const char *data, size_t len)
{
	size_t room = l->max - l->line.len;

	if (len)
		l->begun = true;
	if (len > room) {
		l->cut = true;
		len = room;
	}
	strbuf_add(&l->line, data, len);
}

static int hand_over(struct lines *l, lines_fn *fn, void *ctx, struct err *e)
{
	int rc;

	l->n++;
	rc = fn(ctx, strbuf_str(&l->line), l->line.len, l->cut, e);
	strbuf_reset(&l->line);
	l->cut = l->begun = false;
	return rc;
}

int lines_feed(struct lines *l, const char *data, size_t len, lines_fn *fn, void *ctx,
	       struct err *e)
{
	while (len) {
		const char *nl = memchr(data, '\n', len);
		size_t n = nl ? (size_t)(nl - data) : len;

		keep(l, data, n);
		if (!nl)
			break;
		if (hand_over(l, fn, ctx, e))
			return -1;
		data += n + 1;
		len -= n + 1;
	}
	return 0;
}

int lines_end(struct lines *l, lines_fn *fn, void *ctx, struct err *e)
{
	return l->begun ? hand_over(l, fn, ctx, e) : 0;
}

void lines_release(struct lines *l)
{
	strbuf_release(&l->line);
}
