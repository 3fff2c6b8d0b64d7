/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bare_dgemm N SECONDS: a loop of cblas_dgemm() by all threads the library takes, as
 * anybody would write it; prints FLOP/s. What assay-dgemm adds to that is measured by
 * p8-dgemm.py.
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

int main(int argc, char **argv)
{
	const int n = argc == 3 ? (int)strtol(argv[1], NULL, 10) : 0;
	const double seconds = argc == 3 ? strtod(argv[2], NULL) : 0;
	const size_t size = (size_t)n * (size_t)n;
	double *a = malloc(size * sizeof(*a)), *b = malloc(size * sizeof(*b));
	double *c = malloc(size * sizeof(*c)), start, s;
	long calls = 0;

	if (n < 1 || !(seconds > 0) || !a || !b || !c) {
		(void)fprintf(stderr, "usage: bare_dgemm N SECONDS\n");
		return 2;
	}
	for (size_t i = 0; i < size; i++) {
		a[i] = (double)(i % 1013) / 1013 - 0.5;
		b[i] = (double)(i % 2017) / 2017 - 0.5;
		c[i] = 0;
	}
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n, b, n,
		    1.0, c, n);
	start = clock_now();
	do {
		cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n,
			    b, n, 1.0, c, n);
		calls++;
		s = clock_now() - start;
	} while (s < seconds);
	(void)printf("%.6g\n",
		     2.0 * (double)n * (double)n * (double)n * (double)calls / s);
	free(a);
	free(b);
	free(c);
	return 0;
}
