/* SPDX-License-Identifier: Apache-2.0 */
/* Where on a metric's scale a value belongs, as people read it. */
#ifndef ASSAY_REPORTS_AT_H
#define ASSAY_REPORTS_AT_H

#include "base/strbuf.h"

/*
 * Appends {"store":"nt","size":8} as "size=8 store=nt". Nothing for NULL or {}; text that
 * is not a JSON object is appended as it is.
 */
void at_text(struct strbuf *out, const char *at);

#endif
