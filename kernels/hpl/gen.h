/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The random system: entry (i, j) depends on nothing but the seed, the order and its
 * place, so every process makes its own part, the same for every grid, and makes it again
 * for the check.
 */
#ifndef ASSAY_KERNELS_HPL_GEN_H
#define ASSAY_KERNELS_HPL_GEN_H

#include <stdint.h>

/*
 * Entries (@i, @j) to (@i, @j + @count - 1) of the system of order @n, uniform in
 * [-0.5, 0.5); column n is the right-hand side.
 */
void gen_row(uint64_t seed, int64_t n, int64_t i, int64_t j, int64_t count, double *out);

#endif
