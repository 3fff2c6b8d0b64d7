/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing string that is always NUL-terminated. A zeroed struct is an empty string;
 * strbuf_release() frees it and leaves it empty again.
 */
#ifndef ASSAY_BASE_STRBUF_H
#define ASSAY_BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

struct strbuf {
	char *buf; /* NULL while nothing was ever added; use strbuf_str() */
	size_t len;
	size_t cap;
};

/* The text, "" when empty; valid until the next change. */
const char *strbuf_str(const struct strbuf *sb);
void strbuf_release(struct strbuf *sb);
void strbuf_reset(struct strbuf *sb);
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
void strbuf_addstr(struct strbuf *sb, const char *s);
void strbuf_addch(struct strbuf *sb, char c);
void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap);
/* Cuts to @len bytes; a larger @len changes nothing. */
void strbuf_truncate(struct strbuf *sb, size_t len);
/* Hands the malloc'ed text over to the caller and leaves an empty buffer. */
char *strbuf_detach(struct strbuf *sb);

#endif
