/* SPDX-License-Identifier: Apache-2.0 */
/* Text of a report on its way into the file: a piece is made in a strbuf, then put. */
#ifndef ASSAY_REPORTS_EMIT_H
#define ASSAY_REPORTS_EMIT_H

#include <stdio.h>

#include "base/err.h"
#include "base/strbuf.h"

/* Writes the text and empties it. */
int emit(struct strbuf *text, FILE *out, struct err *e);

#endif
