/* SPDX-License-Identifier: Apache-2.0 */
/* Error values: see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"

static void format(struct err *e, const char *fmt, va_list ap)
{
	char text[sizeof(e->msg)]; /* an argument may be e->msg itself */

	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	memcpy(e->msg, text, sizeof(text));
}

int(err_set)(struct err *e, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format(e, fmt, ap);
	va_end(ap);
	e->kind = kind;
	return -1;
}

int(err_sys)(struct err *e, int sys, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	format(e, fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	(void)snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", strerror(sys));
	e->kind = ERR_SYSTEM;
	return -1;
}

int(err_at)(struct err *e, const char *fmt, ...)
{
	char old[sizeof(e->msg)];
	va_list ap;
	size_t n;

	memcpy(old, e->msg, sizeof(old));
	va_start(ap, fmt);
	format(e, fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	(void)snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", old);
	return -1;
}

int(err_clean)(struct err *e)
{
	struct strbuf text = {0};

	utf8_printable(&text, e->msg, strlen(e->msg));
	(void)snprintf(e->msg, sizeof(e->msg), "%s", strbuf_str(&text));
	strbuf_release(&text);
	return -1;
}

int err_exit_status(const struct err *e)
{
	switch (e->kind) {
	case ERR_NONE:
		return 0;
	case ERR_USAGE:
		return 2;
	case ERR_SYSTEM:
	case ERR_NOTFOUND:
		break;
	}
	return 4;
}
