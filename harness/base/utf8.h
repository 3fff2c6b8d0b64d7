/* SPDX-License-Identifier: Apache-2.0 */
/* Text from outside (kernel output, BIOS strings, host names) is not UTF-8 until checked.
 */
#ifndef ASSAY_BASE_UTF8_H
#define ASSAY_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/*
 * Length in bytes of the well-formed character at the start of @s (1..4), or 0: overlong
 * forms, surrogates and values beyond U+10FFFF are not well-formed (RFC 3629).
 */
size_t utf8_char(const char *s, size_t len);

/* All of it is well-formed and without NUL. */
bool utf8_valid(const char *s, size_t len);

/* Appends @s with each byte that is not part of a well-formed character, and NUL, as
 * U+FFFD. */
void utf8_clean(struct strbuf *out, const char *s, size_t len);

/*
 * Appends @s fit for a terminal line: as utf8_clean, and control characters (C0, DEL, C1)
 * as a visible \xNN.
 */
void utf8_printable(struct strbuf *out, const char *s, size_t len);

#endif
