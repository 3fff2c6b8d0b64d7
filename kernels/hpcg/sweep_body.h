/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops for one instruction set; sweep.c includes this once for each. It defines
 * NAME(f) the function's name, TARGET its attribute, V8 a vector of 8 doubles and on it
 * ZERO, SET, LOAD, LOADU, STORE, ADD, SUB, MUL, DIV, MADD(a, b, c) = a b + c,
 * NMADD(a, b, c) = c - a b, SUM, GATHER(x, offsets), a mask M8 = MASK(n) of the elements
 * from n on and FROM(v, x, mask) = v with these elements of x. No include guard: read
 * several times on purpose.
 */

/* acc less the first @slots slots, of @all, at @v of a slice at x that gathers. */
TARGET NOINLINE V8 NAME(gathered)(const double *v, size_t stride, const int32_t *offset,
				  int slots, const double *x, V8 acc)
{
	for (int k = 0; k < slots; k++, v += stride)
		acc = NMADD(LOAD(v), GATHER(x, offset + (ptrdiff_t)k * SLICE), acc);
	return acc;
}

/* The same for a slice of more than two pieces. */
TARGET NOINLINE V8 NAME(pieces)(const struct slice *s, const double *v, size_t stride,
				const int32_t *offset, int all, int slots,
				const double *x, V8 acc)
{
	for (int k = 0; k < slots; k++, v += stride) {
		V8 these = LOADU(x + offset[k]);

		for (int i = 1; i < s->pieces; i++)
			these = FROM(these, x + offset[(ptrdiff_t)i * all + k],
				     MASK(s->cut[i - 1]));
		acc = NMADD(LOAD(v), these, acc);
	}
	return acc;
}

/*
 * The same for a slice of one or two pieces. What is @ahead of the values will be needed
 * soon.
 */
TARGET INLINE V8 NAME(two)(const struct slice *s, const double *v, size_t stride,
			   const int32_t *offset, int all, int slots, const double *x,
			   V8 acc, ptrdiff_t ahead)
{
	const int32_t *second = offset + (ptrdiff_t)(s->pieces - 1) * all;
	const M8 mask = MASK(s->cut[0]);
	V8 other = ZERO();

#pragma GCC unroll 26
	for (int k = 0; k < slots; k++, v += stride) {
		const V8 these = FROM(LOADU(x + offset[k]), x + second[k], mask);

		PREFETCH(v + ahead);
		if (k % 2)
			other = NMADD(LOAD(v), these, other);
		else
			acc = NMADD(LOAD(v), these, acc);
	}
	return ADD(acc, other);
}

TARGET INLINE V8 NAME(less)(const struct part *p, const struct slice *s, const double *v,
			    int all, int slots, const double *x, V8 acc, ptrdiff_t ahead)
{
	const int32_t *offset = p->offset + (size_t)s->offset * (size_t)all;

	if (__builtin_expect(s->pieces == 1 || s->pieces == 2, 1))
		return NAME(two)(s, v, p->stride, offset, all, slots, x, acc, ahead);
	if (s->pieces)
		return NAME(pieces)(s, v, p->stride, offset, all, slots, x, acc);
	return NAME(gathered)(v, p->stride, offset, slots, x, acc);
}

/*
 * x of slice @i for the right-hand side at @r: what @slots slots leave of it, over the
 * diagonal. What follows in the direction of the sweep, @way 1 or -1, is prefetched.
 */
TARGET INLINE V8 NAME(relax)(const struct part *p, int32_t i, int all, int slots,
			     const double *r, double *x, int way)
{
	const double *v = p->value + (ptrdiff_t)i * SLICE;
	const double *diagonal = v + (size_t)all * p->stride;
	const ptrdiff_t ahead = way * AHEAD;
	V8 new;

	PREFETCH(diagonal + ahead);
	PREFETCH(r + 2 * ahead);
	PREFETCH_L2(x + (ptrdiff_t)way * p->reach + 2 * ahead);
	new = DIV(NAME(less)(p, &p->slice[i], v, all, slots, x, LOAD(r), ahead),
		  LOAD(diagonal));
	STORE(x, new);
	return new;
}

TARGET INLINE void NAME(slices_forward)(const struct part *p, int32_t level, int all,
					int slots, const double *r, double *x)
{
	r += p->row;
	x += p->row;
	for (int32_t i = p->level[level]; i < p->level[level + 1]; i++)
		(void)NAME(relax)(p, i, all, slots, r + (ptrdiff_t)i * SLICE,
				  x + (ptrdiff_t)i * SLICE, 1);
}

TARGET INLINE double NAME(slices_backward)(const struct part *p, int32_t level, int all,
					   const double *r, double *x)
{
	V8 dot = ZERO();

	r += p->row;
	x += p->row;
	for (int32_t i = p->level[level + 1]; i-- > p->level[level];) {
		const ptrdiff_t at = (ptrdiff_t)i * SLICE;

		dot = MADD(LOAD(r + at), NAME(relax)(p, i, all, all, r + at, x + at, -1),
			   dot);
	}
	return SUM(dot);
}

TARGET INLINE double NAME(slices_product)(const struct part *p, int all, const double *x,
					  double *y)
{
	V8 dot = ZERO();

	for (int32_t i = 0; i < p->rows / SLICE; i++) {
		const ptrdiff_t row = p->row + (ptrdiff_t)i * SLICE;
		const double *v = p->value + (ptrdiff_t)i * SLICE;
		const double *diagonal = v + (size_t)all * p->stride;
		const V8 mine = LOAD(x + row);
		V8 sum = NMADD(mine, LOAD(diagonal), ZERO());

		PREFETCH(diagonal + AHEAD);
		PREFETCH(y + row + 2 * AHEAD);
		PREFETCH_L2(x + row + p->reach + 2 * AHEAD);
		sum = SUB(ZERO(),
			  NAME(less)(p, &p->slice[i], v, all, all, x + row, sum, AHEAD));
		STORE(y + row, sum);
		dot = MADD(mine, sum, dot);
	}
	return SUM(dot);
}

/* What HPCG's matrix has, for the compiler to see: 13 entries before and after. */
static inline bool NAME(usual)(const struct store *s)
{
	return s->lower == 13 && s->upper == 13;
}

TARGET static double NAME(product)(const struct store *s, const struct part *p,
				   const double *x, double *y)
{
	if (NAME(usual)(s))
		return NAME(slices_product)(p, 26, x, y);
	return NAME(slices_product)(p, s->lower + s->upper, x, y);
}

TARGET static void NAME(first)(const struct store *s, const struct part *p, int32_t level,
			       const double *r, double *x)
{
	if (NAME(usual)(s))
		NAME(slices_forward)(p, level, 26, 13, r, x);
	else
		NAME(slices_forward)(p, level, s->lower + s->upper, s->lower, r, x);
}

TARGET static void NAME(forward)(const struct store *s, const struct part *p,
				 int32_t level, const double *r, double *x)
{
	const int all = s->lower + s->upper;

	if (NAME(usual)(s))
		NAME(slices_forward)(p, level, 26, 26, r, x);
	else
		NAME(slices_forward)(p, level, all, all, r, x);
}

TARGET static double NAME(backward)(const struct store *s, const struct part *p,
				    int32_t level, const double *r, double *x)
{
	if (NAME(usual)(s))
		return NAME(slices_backward)(p, level, 26, r, x);
	return NAME(slices_backward)(p, level, s->lower + s->upper, r, x);
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

/* for the next instruction set */
#undef NAME
#undef TARGET
#undef V8
#undef ZERO
#undef SET
#undef LOAD
#undef LOADU
#undef STORE
#undef ADD
#undef SUB
#undef DIV
#undef MADD
#undef NMADD
#undef SUM
#undef M8
#undef MASK
#undef FROM
#undef GATHER
