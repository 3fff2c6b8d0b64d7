/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What messages carry: bytes that differ from place to place and from one seed to the
 * next, so that a message that is missing, late, shifted or torn is seen.
 */
#ifndef ASSAY_KERNELS_NET_CONTENT_H
#define ASSAY_KERNELS_NET_CONTENT_H

#include <stdint.h>

/* Writes the @size bytes that belong to @seed. */
void content_fill(unsigned char *p, uint64_t size, uint64_t seed);

/* How many of @size bytes are not those that belong to @seed. */
uint64_t content_wrong(const unsigned char *p, uint64_t size, uint64_t seed);

#endif
