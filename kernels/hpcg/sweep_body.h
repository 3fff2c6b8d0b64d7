/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops for one instruction set; sweep.c includes this once for each. It defines
 * NAME(f) the function's name, TARGET its attribute, V8 a vector of 8 doubles and on it
 * ZERO, SET, LOAD, LOADU, STORE, ADD, SUB, MUL, DIV, MADD(a, b, c) = a b + c,
 * NMADD(a, b, c) = c - a b, SUM, SOME(v, x, from, to) = v with the elements from..to-1 of
 * x, and GATHER(x, offsets). No include guard: read several times on purpose.
 */

/*
 * acc less the first @slots slots at @v, of a slice at x with one offset a slot. What is
 * @ahead of the values will be needed soon.
 */
TARGET INLINE V8 NAME(one)(const double *v, size_t stride, const int32_t *offset,
			   int slots, const double *x, V8 acc, ptrdiff_t ahead)
{
	V8 other = ZERO();

#pragma GCC unroll 26
	for (int k = 0; k < slots; k++, v += stride) {
		PREFETCH(v + ahead);
		if (k % 2)
			other = NMADD(LOAD(v), LOADU(x + offset[k]), other);
		else
			acc = NMADD(LOAD(v), LOADU(x + offset[k]), acc);
	}
	return ADD(acc, other);
}

/* The same for a slice that gathers. */
TARGET NOINLINE V8 NAME(gathered)(const double *v, size_t stride, const int32_t *offset,
				  int slots, const double *x, V8 acc, ptrdiff_t ahead)
{
	for (int k = 0; k < slots; k++, v += stride) {
		PREFETCH(v + ahead);
		acc = NMADD(LOAD(v), GATHER(x, offset + (ptrdiff_t)k * SLICE), acc);
	}
	return acc;
}

/* The same for a slice of @run's pieces; each has @all offsets. */
TARGET NOINLINE V8 NAME(pieces)(const struct run *run, const double *v, size_t stride,
				const int32_t *offset, int all, int slots,
				const double *x, V8 acc, ptrdiff_t ahead)
{
	const int cut = (int)(run->cuts & 0xff);
	V8 other = ZERO();

	for (int k = 0; k < slots; k++, v += stride) {
		V8 these = SOME(LOADU(x + offset[k]), x + offset[all + k], cut, SLICE);

		PREFETCH(v + ahead);
		for (int i = 2; i < run->pieces; i++)
			these = SOME(these, x + offset[i * all + k],
				     (int)(run->cuts >> 8 * (i - 1) & 0xff), SLICE);
		if (k % 2)
			other = NMADD(LOAD(v), these, other);
		else
			acc = NMADD(LOAD(v), these, acc);
	}
	return ADD(acc, other);
}

TARGET INLINE V8 NAME(less)(const struct part *p, const struct run *run, const double *v,
			    int all, int slots, const double *x, V8 acc, ptrdiff_t ahead)
{
	const int32_t *offset = p->offset + run->offset;

	if (run->pieces == 1)
		return NAME(one)(v, p->stride, offset, slots, x, acc, ahead);
	if (run->pieces)
		return NAME(pieces)(run, v, p->stride, offset, all, slots, x, acc, ahead);
	return NAME(gathered)(v, p->stride, offset, slots, x, acc, ahead);
}

/*
 * x of a slice for right-hand side b: what @slots slots leave of it, over the diagonal.
 * What follows in the direction of the sweep, @way 1 or -1, is prefetched.
 */
TARGET INLINE V8 NAME(relax)(const struct part *p, const struct run *run, int32_t row,
			     int all, int slots, V8 b, double *x, int way)
{
	const double *v = store_value(p, row);
	const double *diagonal = v + (size_t)all * p->stride;
	const ptrdiff_t ahead = way * AHEAD;
	V8 new;

	PREFETCH(diagonal + ahead);
	new = DIV(NAME(less)(p, run, v, all, slots, x + row, b, ahead), LOAD(diagonal));
	STORE(x + row, new);
	return new;
}

TARGET INLINE void NAME(run_forward)(const struct part *p, const struct run *run, int all,
				     int slots, const double *r, double *x)
{
	for (int32_t row = run->row; row < run->row + run->slices * SLICE; row += SLICE)
		(void)NAME(relax)(p, run, row, all, slots, LOAD(r + row), x, 1);
}

TARGET INLINE V8 NAME(run_backward)(const struct part *p, const struct run *run, int all,
				    int slots, const double *r, double *x, V8 dot)
{
	for (int32_t row = run->row + (run->slices - 1) * SLICE; row >= run->row;
	     row -= SLICE) {
		const V8 b = LOAD(r + row);

		dot = MADD(b, NAME(relax)(p, run, row, all, slots, b, x, -1), dot);
	}
	return dot;
}

TARGET INLINE V8 NAME(run_product)(const struct part *p, const struct run *run, int all,
				   int slots, const double *x, double *y, V8 dot)
{
	for (int32_t row = run->row; row < run->row + run->slices * SLICE; row += SLICE) {
		const double *v = store_value(p, row);
		const double *diagonal = v + (size_t)all * p->stride;
		const V8 mine = LOAD(x + row);
		V8 sum = NMADD(mine, LOAD(diagonal), ZERO());

		PREFETCH(diagonal + AHEAD);
		sum = SUB(ZERO(), NAME(less)(p, run, v, all, slots, x + row, sum, AHEAD));
		STORE(y + row, sum);
		dot = MADD(mine, sum, dot);
	}
	return dot;
}

/* What HPCG's matrix has, for the compiler to see: 13 entries before and after. */
#define NUMBERS(f)                                \
	if (s->lower == 13 && s->upper == 13) {   \
		f(26, 13);                        \
	} else {                                  \
		f(s->lower + s->upper, s->lower); \
	}

TARGET static double NAME(product)(const struct store *s, const struct part *p,
				   const double *x, double *y)
{
	const struct run *end = p->runs + p->n_runs;
	V8 dot = ZERO();

#define PRODUCT(all, low)                                       \
	for (const struct run *run = p->runs; run < end; run++) \
	dot = NAME(run_product)(p, run, all, all, x, y, dot)
	NUMBERS(PRODUCT)
	return SUM(dot);
}

TARGET static void NAME(first)(const struct store *s, const struct part *p, int32_t level,
			       const double *r, double *x)
{
	const struct run *end = p->runs + p->level[level + 1];

#define FIRST(all, low)                                                           \
	for (const struct run *run = p->runs + p->level[level]; run < end; run++) \
	NAME(run_forward)(p, run, all, low, r, x)
	NUMBERS(FIRST)
}

TARGET static void NAME(forward)(const struct store *s, const struct part *p,
				 int32_t level, const double *r, double *x)
{
	const struct run *end = p->runs + p->level[level + 1];

#define FORWARD(all, low)                                                         \
	for (const struct run *run = p->runs + p->level[level]; run < end; run++) \
	NAME(run_forward)(p, run, all, all, r, x)
	NUMBERS(FORWARD)
}

TARGET static double NAME(backward)(const struct store *s, const struct part *p,
				    int32_t level, const double *r, double *x)
{
	const struct run *first = p->runs + p->level[level];
	V8 dot = ZERO();

#define BACKWARD(all, low)                                                          \
	for (const struct run *run = p->runs + p->level[level + 1]; run-- > first;) \
	dot = NAME(run_backward)(p, run, all, all, r, x, dot)
	NUMBERS(BACKWARD)
	return SUM(dot);
}

TARGET static void NAME(direct)(const struct part *p, const double *x, double b,
				double *y)
{
	const V8 vb = SET(b);

	for (int32_t i = p->row; i < p->row + p->rows; i += SLICE)
		STORE(y + i, MADD(vb, LOAD(y + i), LOAD(x + i)));
}

TARGET static double NAME(step)(const struct part *p, double a, const double *d,
				const double *q, double *x, double *r)
{
	const V8 va = SET(a);
	V8 dot = ZERO();

	for (int32_t i = p->row; i < p->row + p->rows; i += SLICE) {
		const V8 vr = NMADD(va, LOAD(q + i), LOAD(r + i));

		STORE(x + i, MADD(va, LOAD(d + i), LOAD(x + i)));
		STORE(r + i, vr);
		dot = MADD(vr, vr, dot);
	}
	return SUM(dot);
}

TARGET static double NAME(residual)(const struct part *p, const double *b,
				    const double *q, double *r)
{
	V8 dot = ZERO();

	for (int32_t i = p->row; i < p->row + p->rows; i += SLICE) {
		const V8 vr = SUB(LOAD(b + i), LOAD(q + i));

		STORE(r + i, vr);
		dot = MADD(vr, vr, dot);
	}
	return SUM(dot);
}

TARGET static double NAME(dot)(const struct part *p, const double *x, const double *y)
{
	V8 dot = ZERO();

	for (int32_t i = p->row; i < p->row + p->rows; i += SLICE)
		dot = MADD(LOAD(x + i), LOAD(y + i), dot);
	return SUM(dot);
}

#undef NUMBERS
#undef PRODUCT
#undef FIRST
#undef FORWARD
#undef BACKWARD
