/* SPDX-License-Identifier: Apache-2.0 */
/* Hints for messages that do not say what to do: the table is hints.def. */
#ifndef ASSAY_RUN_HINTS_H
#define ASSAY_RUN_HINTS_H

#include <stddef.h>

/* What helps against what @text says; NULL when nothing in the table fits. */
const char *hints_find(const char *text, size_t len);

#endif
