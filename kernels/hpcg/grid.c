/* SPDX-License-Identifier: Apache-2.0 */
/* Process grid and boxes: see grid.h. */
#include "kernels/hpcg/grid.h"

/* Half the surface of the whole grid, in points. */
static double surface(const int p[3], const int n[3])
{
	const double x = (double)p[0] * n[0], y = (double)p[1] * n[1],
		     z = (double)p[2] * n[2];

	return y * z + x * z + x * y;
}

struct grid grid_make(int ranks, int rank, const int n[3])
{
	struct grid g = {.ranks = {ranks > 1 ? ranks : 1, 1, 1}, .n = {n[0], n[1], n[2]}};

	for (int x = ranks; x >= 1; x--) {
		if (ranks % x)
			continue;
		for (int y = ranks / x; y >= 1; y--) {
			const int p[3] = {x, y, ranks / x / y};

			if (ranks / x % y || surface(p, n) >= surface(g.ranks, n))
				continue;
			for (int d = 0; d < 3; d++)
				g.ranks[d] = p[d];
		}
	}
	for (int d = 0, left = rank; d < 3; d++) {
		if (g.ranks[d] > 1) {
			g.at[d] = left % g.ranks[d];
			left /= g.ranks[d];
		}
	}
	return g;
}

struct grid grid_coarse(const struct grid *g)
{
	struct grid c = *g;

	for (int d = 0; d < 3; d++)
		c.n[d] /= 2;
	return c;
}

int grid_rank(const struct grid *g, const int at[3])
{
	for (int d = 0; d < 3; d++) {
		if (at[d] < 0 || at[d] >= g->ranks[d])
			return -1;
	}
	return (at[2] * g->ranks[1] + at[1]) * g->ranks[0] + at[0];
}

int64_t grid_rows(const struct grid *g)
{
	return (int64_t)g->n[0] * g->n[1] * g->n[2];
}

int64_t grid_all_rows(const struct grid *g)
{
	return grid_rows(g) * g->ranks[0] * g->ranks[1] * g->ranks[2];
}

int64_t grid_all_entries(const struct grid *g)
{
	int64_t entries = 1;

	/* in each direction three for each point, but two at both ends */
	for (int d = 0; d < 3; d++)
		entries *= 3 * (int64_t)g->n[d] * g->ranks[d] - 2;
	return entries;
}

double grid_flatness(const int sides[3])
{
	int least = sides[0], most = sides[0];

	for (int d = 1; d < 3; d++) {
		least = sides[d] < least ? sides[d] : least;
		most = sides[d] > most ? sides[d] : most;
	}
	return (double)least / most;
}
