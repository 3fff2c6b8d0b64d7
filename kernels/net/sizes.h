/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of messages: MIN, twice MIN, and so on up to MAX, as OSU's -m gives them. */
#ifndef ASSAY_KERNELS_NET_SIZES_H
#define ASSAY_KERNELS_NET_SIZES_H

#include <stdint.h>

#include "base/err.h"

/* Bytes: more than any memory, and few enough that sums of them are safe. */
#define SIZES_MOST ((uint64_t)1 << 50)

/* Bytes. */
struct sizes {
	uint64_t min, max;
};

/*
 * "[MIN:]MAX", each as units_size() takes it; a part left out stays as it is in @s,
 * but a MIN left out is never above MAX. ERR_USAGE when it is neither, MIN is above MAX,
 * or MAX above SIZES_MOST.
 */
int sizes_parse(struct sizes *s, const char *text, struct err *e);

/* The size after @size, 0 when that was the last; 0 bytes are followed by 1. */
uint64_t sizes_next(const struct sizes *s, uint64_t size);

#endif
