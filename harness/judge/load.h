/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of configuration that baselines and theory share. */
#ifndef ASSAY_JUDGE_LOAD_H
#define ASSAY_JUDGE_LOAD_H

#include "config/conf.h"
#include "judge/limits.h"

/*
 * `at: {store: nt, domain: any}` as records hold it: compact, keys sorted, whole numbers
 * as numbers. NULL for NULL.
 */
int load_at(struct arena *a, const struct yaml_node *map, const char **at, struct err *e);

/*
 * `warn` and `fail` of a reference @value in @unit, as shares of it: "-7 %" and "+7 %"
 * are deviations, "320 GB/s" is the limit itself, {low: -7 %, high: +10 %} has both
 * sides. Either may be NULL, not both.
 */
int load_limits(const struct yaml_node *warn, const struct yaml_node *fail, double value,
		const char *unit, struct limits *shares, struct err *e);

#endif
