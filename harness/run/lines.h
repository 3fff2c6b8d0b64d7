/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of bytes as lines of bounded length. A zeroed struct with `max` set starts. */
#ifndef ASSAY_RUN_LINES_H
#define ASSAY_RUN_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/strbuf.h"

struct lines {
	size_t max; /* bytes kept of one line */
	struct strbuf line;
	bool cut;   /* the line is longer */
	size_t n;   /* lines seen, with the one that is handed over */
	bool begun; /* a line without newline is waiting */
};

/* @line has no newline but may hold NUL; @cut: it had more bytes. -1 stops. */
typedef int lines_fn(void *ctx, const char *line, size_t len, bool cut, struct err *e);

int lines_feed(struct lines *l, const char *data, size_t len, lines_fn *fn, void *ctx,
	       struct err *e);
/* Hands over a last line that has no newline. */
int lines_end(struct lines *l, lines_fn *fn, void *ctx, struct err *e);
void lines_release(struct lines *l);

#endif
