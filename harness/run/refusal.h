/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a launcher says when it could not even start the program: no such command, no such
 * directory. Open MPI 4.1's exit status of that (131 to 135) looks like a signal's.
 */
#ifndef ASSAY_RUN_REFUSAL_H
#define ASSAY_RUN_REFUSAL_H

#include <stddef.h>

#include "base/strbuf.h"

struct refusal {
	const char *what; /* "command not found"; NULL: nothing of that kind was said */
	struct strbuf name, node, error; /* as far as they were said */
};

/* A line of stderr, without its end. What is said first counts. */
void refusal_line(struct refusal *r, const char *line, size_t len);
/* Appends "command not found: 'xhpl' on n1", as far as it is known. */
void refusal_text(const struct refusal *r, struct strbuf *out);
void refusal_release(struct refusal *r);

#endif
