/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The update for one instruction set; update_own.c includes it once for each, with
 *
 *   NAME(f)  the function's name        TARGET   its attribute
 *   VEC      a vector                   WIDTH    doubles in it
 *   MR NV    a tile: rows (as many as WIDTH), vectors in a row
 *   LOAD STORE SET MUL ABS NMADD   NMADD(a, b, c) = c - a b
 *   keep_ISA()  larger elements and where they are
 *
 * A tile of C (MR x NV WIDTH) stays in registers while a micro-panel of L (in the L1
 * cache) passes a panel of U (in the L2 cache). Meanwhile the next tile of C and the next
 * micro-panel of L are fetched: without that the update ran at 0.95 of OpenBLAS's DGEMM,
 * with it at 1.05 (AVX-512, N 8000).
 */
#define NR (NV * WIDTH)

/*
 * S -= L U, @k columns of L, @nv vectors wide. Compilers keep an array in registers only
 * where they unroll every loop over it, and by themselves they do not in loops this long.
 */
TARGET static inline __attribute__((always_inline)) void
NAME(steps)(int64_t k, const double *l, const double *u, VEC s[MR][NV], int64_t nv)
{
	for (int64_t i = 0; i < k; i++) {
		VEC b[NV];

#pragma GCC unroll 8
		for (int64_t v = 0; v < nv; v++)
			b[v] = LOAD(u + i * NR + v * WIDTH);
#pragma GCC unroll 8
		for (int64_t r = 0; r < MR; r++) {
			const VEC a = SET(l[i * MR + r]);

#pragma GCC unroll 8
			for (int64_t v = 0; v < nv; v++)
				s[r][v] = NMADD(a, b[v], s[r][v]);
		}
	}
}

/*
 * C -= L U for one tile of @nv vectors a row; @next is the tile of C after it, @ahead
 * @lines lines to come. They are fetched a few at a time: all at once they held up what
 * this tile reads.
 */
TARGET static inline __attribute__((always_inline)) void
NAME(vectors)(int64_t nv, int64_t k, const double *l, const double *u, double *c,
	      int64_t ld, const double *next, const double *ahead, int64_t lines)
{
	const int64_t part = k / MR;
	VEC s[MR][NV];

#pragma GCC unroll 8
	for (int64_t r = 0; r < MR; r++) {
#pragma GCC unroll 8
		for (int64_t v = 0; v < nv; v++)
			s[r][v] = LOAD(c + r * ld + v * WIDTH);
	}
	for (int64_t r = 0; r < MR; r++) {
		for (int64_t v = 0; v < nv; v++)
			PREFETCH(next + r * ld + v * WIDTH);
		PREFETCH(next + r * ld + NR - 1);
		for (int64_t i = r; i < lines; i += MR)
			PREFETCH(ahead + 8 * i);
		NAME(steps)(part, l + r * part * MR, u + r * part * NR, s, nv);
	}
	NAME(steps)(k % MR, l + part * MR * MR, u + part * MR * NR, s, nv);
#pragma GCC unroll 8
	for (int64_t r = 0; r < MR; r++) {
#pragma GCC unroll 8
		for (int64_t v = 0; v < nv; v++)
			STORE(c + r * ld + v * WIDTH, s[r][v]);
	}
}

TARGET static inline void NAME(tile)(int64_t k, const double *l, const double *u,
				     double *c, int64_t ld, const double *next,
				     const double *ahead, int64_t lines)
{
	NAME(vectors)(NV, k, l, u, c, ld, next, ahead, lines);
}

/* A tile of which only @rows x @cols are there. */
TARGET static void NAME(edge)(int64_t rows, int64_t cols, int64_t k, const double *l,
			      const double *u, double *c, int64_t ld)
{
	double t[MR * NR] __attribute__((aligned(64))) = {0};

	if (cols <= WIDTH)
		NAME(vectors)(1, k, l, u, t, NR, t, l, 0);
	else if (cols <= 2 * WIDTH)
		NAME(vectors)(2, k, l, u, t, NR, t, l, 0);
	else
		NAME(tile)(k, l, u, t, NR, t, l, 0);
	for (int64_t r = 0; r < rows; r++) {
		for (int64_t j = 0; j < cols; j++)
			c[r * ld + j] += t[r * NR + j];
	}
}

TARGET static void NAME(multiply)(int64_t rows, int64_t w, int64_t k, const double *l,
				  const double *u, double *c, int64_t ld)
{
	const int64_t kp = (k + MR - 1) / MR * MR, panels = (w + NR - 1) / NR;
	const int64_t share = (MR * k / 8 + panels) / (panels ? panels : 1);

	for (int64_t r = 0; r < rows; r += MR) {
		const double *lr = l + r * k, *ahead = lr + MR * k;
		const bool whole = r + MR <= rows, last = r + 2 * MR > rows;

		for (int64_t j = 0; j < panels; j++) {
			double *t = c + r * ld + j * NR;
			const double *next = j + 1 < panels ? t + NR : t;

			if (j + 1 == panels && !last)
				next = c + (r + MR) * ld;
			if (whole && (j + 1) * NR <= w)
				NAME(tile)
			(k, lr, u + j * kp * NR, t, ld, next,
			 last ? lr : ahead + j * share * 8, last ? 0 : share);
			else NAME(edge)(rows - r < MR ? rows - r : MR,
					w - j * NR < NR ? w - j * NR : NR, k, lr,
					u + j * kp * NR, t, ld);
		}
	}
}

/* Forward substitution within a tile of U: its own MR x MR triangle @l of L. */
TARGET static inline void NAME(triangle)(const double *l, double *u)
{
	VEC s[MR][NV];

	for (int64_t r = 0; r < MR; r++) {
		for (int64_t v = 0; v < NV; v++)
			s[r][v] = LOAD(u + r * NR + v * WIDTH);
		for (int64_t i = 0; i < r; i++) {
			const VEC a = SET(l[i * MR + r]);

			for (int64_t v = 0; v < NV; v++)
				s[r][v] = NMADD(a, s[i][v], s[r][v]);
		}
		for (int64_t v = 0; v < NV; v++)
			STORE(u + r * NR + v * WIDTH, s[r][v]);
	}
}

TARGET static void NAME(solve)(int64_t k, const double *l11, double *u, int64_t w)
{
	const int64_t kp = (k + MR - 1) / MR * MR;

	for (int64_t j = 0; j < w; j += NR, u += kp * NR) {
		for (int64_t i = 0; i < k; i += MR) {
			const double *l = l11 + i * k;
			double *t = u + i * NR;

			NAME(tile)(i, l, u, t, NR, t, l, 0);
			if (i + MR <= k) {
				NAME(triangle)(l + i * MR, t);
			} else { /* cut: its missing columns are not there */
				double cut[MR * MR] = {0};

				memcpy(cut, l + i * MR,
				       (size_t)((k - i) * MR) * sizeof(double));
				NAME(triangle)(cut, t);
			}
		}
	}
}

/*
 * NR columns of one micro-panel of a panel; @t has NR columns. In two loops, since
 * compilers keep an array in registers only when they unroll all of it.
 */
TARGET static inline void NAME(strip)(int64_t k, const double *l, const double *t,
				      double *c)
{
	VEC s[NV][WIDTH];

	for (int64_t v = 0; v < NV; v++) {
		for (int64_t j = 0; j < WIDTH; j++)
			s[v][j] = LOAD(c + (v * WIDTH + j) * MR);
	}
	for (int64_t i = 0; i < k; i++) {
		const VEC a = LOAD(l + i * MR);

		for (int64_t v = 0; v < NV; v++) {
			for (int64_t j = 0; j < WIDTH; j++)
				s[v][j] =
					NMADD(a, SET(t[i * NR + v * WIDTH + j]), s[v][j]);
		}
	}
	for (int64_t v = 0; v < NV; v++) {
		for (int64_t j = 0; j < WIDTH; j++)
			STORE(c + (v * WIDTH + j) * MR, s[v][j]);
	}
}

/* Fewer columns. */
TARGET static inline __attribute__((always_inline)) void
NAME(part)(int64_t k, const double *l, const double *t, double *c, int64_t cols)
{
	VEC s[WIDTH];

	for (int64_t j = 0; j < cols; j++)
		s[j] = LOAD(c + j * MR);
	for (int64_t i = 0; i < k; i++) {
		const VEC a = LOAD(l + i * MR);

		for (int64_t j = 0; j < cols; j++)
			s[j] = NMADD(a, SET(t[i * NR + j]), s[j]);
	}
	for (int64_t j = 0; j < cols; j++)
		STORE(c + j * MR, s[j]);
}

/* Strips of NR columns, then of WIDTH, then single ones. */
TARGET static void NAME(strips)(int64_t k, int64_t n, const double *l, const double *t,
				double *c)
{
	for (; n >= NR; n -= NR, t += k * NR, c += NR * MR)
		NAME(strip)(k, l, t, c);
	for (; n >= WIDTH; n -= WIDTH, t += WIDTH, c += WIDTH * MR)
		NAME(part)(k, l, t, c, WIDTH);
	for (; n > 0; n--, t++, c += MR)
		NAME(part)(k, l, t, c, 1);
}

TARGET static void NAME(eliminate)(int64_t tiles, int64_t width, double *w, int64_t j,
				   int64_t k, int64_t n, const double *t, int64_t ld,
				   double *strips)
{
	for (int64_t i = 0; i < k; i++) {
		for (int64_t s = 0; s < n; s += NR)
			memcpy(strips + s * k + i * NR, t + i * ld + s,
			       (size_t)(n - s < NR ? n - s : NR) * sizeof(double));
	}
	for (int64_t i = 0; i < tiles; i++, w += MR * width) {
		const double *next = w + (MR * width + j * MR);

		for (int64_t e = 0; e < (k + n) * MR && i + 1 < tiles; e += 8)
			PREFETCH(next + e);
		NAME(strips)(k, n, w + j * MR, strips, w + (j + k) * MR);
	}
}

TARGET static inline VEC NAME(step)(double *w, int64_t j, const double *u, VEC scale)
{
	VEC c = LOAD(w + j * MR);

	if (j > 0)
		STORE(w + (j - 1) * MR, MUL(LOAD(w + (j - 1) * MR), scale));
	for (int64_t l = 0; l < j; l++)
		c = NMADD(LOAD(w + l * MR), SET(u[l]), c);
	STORE(w + j * MR, c);
	return ABS(c);
}

TARGET static int64_t NAME(column)(int64_t tiles, int64_t width, double *w, int64_t from,
				   int64_t j, const double *u, double scale)
{
	const VEC by = SET(scale);
	double most[MR], row[MR], first[MR];
	int64_t found = from, at = from / MR;
	VEC best, where;
	double size = -1;

	w += at * MR * width;
	STORE(first, NAME(step)(w, j, u, by));
	for (int64_t i = 0; i < MR; i++) {
		most[i] = i < from % MR ? -1 : first[i];
		row[i] = (double)at;
	}
	best = LOAD(most);
	where = LOAD(row);
	while (++at < tiles) {
		w += MR * width;
		NAME(keep)(&best, &where, NAME(step)(w, j, u, by), SET((double)at));
	}
	STORE(most, best);
	STORE(row, where);
	for (int64_t i = 0; i < MR; i++) {
		const int64_t r = (int64_t)row[i] * MR + i;

		if (most[i] > size || (most[i] == size && r < found)) {
			size = most[i];
			found = r;
		}
	}
	return found;
}
#undef NR
