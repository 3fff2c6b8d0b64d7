/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops for one instruction set; loops.c includes this once for each. It defines
 * NAME(f) the function's name, TARGET its attribute, VEC a vector of WIDTH doubles, and
 * on it LOAD, STORE, NT (with FENCE after the last), SET, ADD, MUL, MADD(s, y, x) = s y +
 * x. No include guard: read several times on purpose.
 */

TARGET static void NAME(copy_plain)(double *d, const double *x, const double *y, double s,
				    size_t n)
{
	(void)y;
	(void)s;
	for (size_t i = 0; i < n; i += 4 * WIDTH) {
		STORE(d + i, LOAD(x + i));
		STORE(d + i + WIDTH, LOAD(x + i + WIDTH));
		STORE(d + i + 2 * WIDTH, LOAD(x + i + 2 * WIDTH));
		STORE(d + i + 3 * WIDTH, LOAD(x + i + 3 * WIDTH));
	}
}

TARGET static void NAME(scale_plain)(double *d, const double *x, const double *y,
				     double s, size_t n)
{
	const VEC vs = SET(s);

	(void)y;
	for (size_t i = 0; i < n; i += 4 * WIDTH) {
		STORE(d + i, MUL(vs, LOAD(x + i)));
		STORE(d + i + WIDTH, MUL(vs, LOAD(x + i + WIDTH)));
		STORE(d + i + 2 * WIDTH, MUL(vs, LOAD(x + i + 2 * WIDTH)));
		STORE(d + i + 3 * WIDTH, MUL(vs, LOAD(x + i + 3 * WIDTH)));
	}
}

TARGET static void NAME(add_plain)(double *d, const double *x, const double *y, double s,
				   size_t n)
{
	(void)s;
	for (size_t i = 0; i < n; i += 4 * WIDTH) {
		STORE(d + i, ADD(LOAD(x + i), LOAD(y + i)));
		STORE(d + i + WIDTH, ADD(LOAD(x + i + WIDTH), LOAD(y + i + WIDTH)));
		STORE(d + i + 2 * WIDTH,
		      ADD(LOAD(x + i + 2 * WIDTH), LOAD(y + i + 2 * WIDTH)));
		STORE(d + i + 3 * WIDTH,
		      ADD(LOAD(x + i + 3 * WIDTH), LOAD(y + i + 3 * WIDTH)));
	}
}

TARGET static void NAME(triad_plain)(double *d, const double *x, const double *y,
				     double s, size_t n)
{
	const VEC vs = SET(s);

	for (size_t i = 0; i < n; i += 4 * WIDTH) {
		STORE(d + i, MADD(vs, LOAD(y + i), LOAD(x + i)));
		STORE(d + i + WIDTH, MADD(vs, LOAD(y + i + WIDTH), LOAD(x + i + WIDTH)));
		STORE(d + i + 2 * WIDTH,
		      MADD(vs, LOAD(y + i + 2 * WIDTH), LOAD(x + i + 2 * WIDTH)));
		STORE(d + i + 3 * WIDTH,
		      MADD(vs, LOAD(y + i + 3 * WIDTH), LOAD(x + i + 3 * WIDTH)));
	}
}

TARGET static void NAME(copy_nt)(double *d, const double *x, const double *y, double s,
				 size_t n)
{
	(void)y;
	(void)s;
	for (size_t i = 0; i < n; i += 4 * WIDTH) {
		NT(d + i, LOAD(x + i));
		NT(d + i + WIDTH, LOAD(x + i + WIDTH));
		NT(d + i + 2 * WIDTH, LOAD(x + i + 2 * WIDTH));
		NT(d + i + 3 * WIDTH, LOAD(x + i + 3 * WIDTH));
	}
	FENCE();
}

TARGET static void NAME(scale_nt)(double *d, const double *x, const double *y, double s,
				  size_t n)
{
	const VEC vs = SET(s);

	(void)y;
	for (size_t i = 0; i < n; i += 4 * WIDTH) {
		NT(d + i, MUL(vs, LOAD(x + i)));
		NT(d + i + WIDTH, MUL(vs, LOAD(x + i + WIDTH)));
		NT(d + i + 2 * WIDTH, MUL(vs, LOAD(x + i + 2 * WIDTH)));
		NT(d + i + 3 * WIDTH, MUL(vs, LOAD(x + i + 3 * WIDTH)));
	}
	FENCE();
}

TARGET static void NAME(add_nt)(double *d, const double *x, const double *y, double s,
				size_t n)
{
	(void)s;
	for (size_t i = 0; i < n; i += 4 * WIDTH) {
		NT(d + i, ADD(LOAD(x + i), LOAD(y + i)));
		NT(d + i + WIDTH, ADD(LOAD(x + i + WIDTH), LOAD(y + i + WIDTH)));
		NT(d + i + 2 * WIDTH,
		   ADD(LOAD(x + i + 2 * WIDTH), LOAD(y + i + 2 * WIDTH)));
		NT(d + i + 3 * WIDTH,
		   ADD(LOAD(x + i + 3 * WIDTH), LOAD(y + i + 3 * WIDTH)));
	}
	FENCE();
}

TARGET static void NAME(triad_nt)(double *d, const double *x, const double *y, double s,
				  size_t n)
{
	const VEC vs = SET(s);

	for (size_t i = 0; i < n; i += 4 * WIDTH) {
		NT(d + i, MADD(vs, LOAD(y + i), LOAD(x + i)));
		NT(d + i + WIDTH, MADD(vs, LOAD(y + i + WIDTH), LOAD(x + i + WIDTH)));
		NT(d + i + 2 * WIDTH,
		   MADD(vs, LOAD(y + i + 2 * WIDTH), LOAD(x + i + 2 * WIDTH)));
		NT(d + i + 3 * WIDTH,
		   MADD(vs, LOAD(y + i + 3 * WIDTH), LOAD(x + i + 3 * WIDTH)));
	}
	FENCE();
}

TARGET static double NAME(read)(const double *x, size_t n)
{
	const size_t part = stream_part(n);
	const double *x1 = x + part, *x2 = x1 + part, *x3 = x2 + part, *x4 = x3 + part;
	const double *x5 = x4 + part, *x6 = x5 + part, *x7 = x6 + part;
	VEC s0 = SET(0.0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
	double out[WIDTH] __attribute__((aligned(64))), total = 0;

	for (size_t i = 0; i < part; i += 8) {
		PREFETCH(x + i + AHEAD);
		s0 = LINE(s0, x + i);
		PREFETCH(x1 + i + AHEAD);
		s1 = LINE(s1, x1 + i);
		PREFETCH(x2 + i + AHEAD);
		s2 = LINE(s2, x2 + i);
		PREFETCH(x3 + i + AHEAD);
		s3 = LINE(s3, x3 + i);
		PREFETCH(x4 + i + AHEAD);
		s4 = LINE(s4, x4 + i);
		PREFETCH(x5 + i + AHEAD);
		s5 = LINE(s5, x5 + i);
		PREFETCH(x6 + i + AHEAD);
		s6 = LINE(s6, x6 + i);
		PREFETCH(x7 + i + AHEAD);
		s7 = LINE(s7, x7 + i);
	}
	for (size_t i = LOOPS_STREAMS * part; i < n; i += 8)
		s0 = LINE(s0, x + i);
	s0 = ADD(ADD(ADD(s0, s1), ADD(s2, s3)), ADD(ADD(s4, s5), ADD(s6, s7)));
	STORE(out, s0);
	for (size_t i = 0; i < WIDTH; i++)
		total += out[i];
	return total;
}

/* for the next instruction set */
#undef NAME
#undef TARGET
#undef VEC
#undef WIDTH
#undef LOAD
#undef STORE
#undef NT
#undef SET
#undef ADD
#undef MUL
#undef MADD
#undef LINE
