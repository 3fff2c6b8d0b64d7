/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a node as a few lines for people. */
#ifndef ASSAY_KERNELS_PROBE_INVENTORY_H
#define ASSAY_KERNELS_PROBE_INVENTORY_H

#include <jansson.h>

#include "base/strbuf.h"

/* Appends one line per group of facts; only what is known is there. */
void inventory(const json_t *facts, const char *class_name, struct strbuf *out);

#endif
