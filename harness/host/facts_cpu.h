/* SPDX-License-Identifier: Apache-2.0 */
/* What /proc/cpuinfo says over all its processors; a part of facts.c. */
#ifndef ASSAY_HOST_FACTS_CPU_H
#define ASSAY_HOST_FACTS_CPU_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "host/io.h"

#define FACTS_DISTINCT 4

/* The different texts seen, cleaned; those beyond FACTS_DISTINCT are only noted. */
struct facts_distinct {
	char item[FACTS_DISTINCT][HOST_IO_LINE + 1];
	int n;
	bool more;
};

/* Number of the text among them, -1 when it is empty or there is no room. */
int facts_distinct_add(struct facts_distinct *d, const char *text, size_t len);

/* Sets @key to "A" or "A + B", if anything was seen; a single number as integer. */
void facts_distinct_put(const struct facts_distinct *d, json_t *object, const char *key,
			bool integer);

/* Adds model, vendor, ..., models and flags to @cpu from the text of /proc/cpuinfo. */
void facts_cpuinfo(json_t *cpu, const char *text);

/* @flag is one of the "flags" of @cpu. */
bool facts_has_flag(const json_t *cpu, const char *flag);

#endif
