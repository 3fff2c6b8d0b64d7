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

static double *matrix(size_t size, size_t period)
{
	double *m = malloc((size + 1) * sizeof(*m));

	if (!m)
		exit(4);
	for (size_t i = 0; i < size; i++)
		m[i] = (double)(i % period) / (double)period - 0.5;
	return m;
}

static void multiply(int n, const double *a, const double *b, double *c)
{
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n, b, n,
		    1.0, c, n);
}

int main(int argc, char **argv)
{
	const int n = argc == 3 ? (int)strtol(argv[1], NULL, 10) : 0;
	const double seconds = argc == 3 ? strtod(argv[2], NULL) : 0;
	const size_t size = (size_t)n * (size_t)n;
	double *a, *b, *c, start, calls = 0, s = 0;

	if (n < 1 || n > 100000 || !(seconds > 0)) {
		(void)fprintf(stderr, "usage: bare_dgemm N SECONDS\n");
		return 2;
	}
	a = matrix(size, 1013);
	b = matrix(size, 2017);
	c = matrix(size, 1);
	multiply(n, a, b, c); /* not counted */
	start = clock_now();
	while (s < seconds) {
		multiply(n, a, b, c);
		calls++;
		s = clock_now() - start;
	}
	(void)printf("%.6g\n", 2.0 * (double)n * (double)n * (double)n * calls / s);
	free(a);
	free(b);
	free(c);
	return 0;
}
