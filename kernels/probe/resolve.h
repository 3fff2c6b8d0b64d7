/* SPDX-License-Identifier: Apache-2.0 */
/* Names to addresses, many at a time, for a parent that will not wait for ever. */
#ifndef ASSAY_KERNELS_PROBE_RESOLVE_H
#define ASSAY_KERNELS_PROBE_RESOLVE_H

#include "base/err.h"

enum { RESOLVE_MAX = 64 };

/*
 * Looks up all names at the same time and prints a line for each as soon as its answer is
 * there: the name, a tab, and its addresses with blanks between them, or "!" and why
 * there is none. A lookup can hang: then its line does not come, and the parent ends us.
 */
int resolve(char *const *names, int n, struct err *e);

#endif
