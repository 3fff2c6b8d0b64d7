/* SPDX-License-Identifier: Apache-2.0 */
/* Growing strings: see strbuf.h. */
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *strbuf_str(const struct strbuf *sb)
{
	return sb->buf ? sb->buf : "";
}

void strbuf_release(struct strbuf *sb)
{
	free(sb->buf);
	memset(sb, 0, sizeof(*sb));
}

void strbuf_reset(struct strbuf *sb)
{
	strbuf_truncate(sb, 0);
}

static void room(struct strbuf *sb, size_t extra)
{
	size_t cap = sb->cap;

	mem_grow(&sb->buf, &cap, sb->len + extra + 1, 1);
	sb->cap = cap;
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	room(sb, len);
	if (len)
		memcpy(sb->buf + sb->len, data, len);
	sb->len += len;
	sb->buf[sb->len] = '\0';
}

void strbuf_addstr(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_addch(struct strbuf *sb, char c)
{
	strbuf_add(sb, &c, 1);
}

void strbuf_vaddf(struct strbuf *sb, const char *fmt, va_list ap)
{
	va_list again;
	size_t free_bytes;
	int n;

	va_copy(again, ap);
	room(sb, 0);
	free_bytes = sb->cap - sb->len;
	n = vsnprintf(sb->buf + sb->len, free_bytes, fmt, ap);
	if (n > 0 && (size_t)n >= free_bytes) {
		room(sb, (size_t)n);
		(void)vsnprintf(sb->buf + sb->len, (size_t)n + 1, fmt, again);
	}
	if (n > 0)
		sb->len += (size_t)n;
	sb->buf[sb->len] = '\0';
	va_end(again);
}

void strbuf_addf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(sb, fmt, ap);
	va_end(ap);
}

void strbuf_truncate(struct strbuf *sb, size_t len)
{
	if (len > sb->len || !sb->buf)
		return;
	sb->len = len;
	sb->buf[len] = '\0';
}

char *strbuf_detach(struct strbuf *sb)
{
	char *s;

	room(sb, 0);
	s = sb->buf;
	s[sb->len] = '\0';
	memset(sb, 0, sizeof(*sb));
	return s;
}
