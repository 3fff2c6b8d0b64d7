/* SPDX-License-Identifier: Apache-2.0 */
/* Generating HPCG's matrix: see problem.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/hpcg/problem.h"
#include "kernels/kit/kit.h"

enum { DIRECTIONS = 27, ITSELF = 13 };

/* Ghosts in each of the 27 directions: number of the first, -1 where no rank is. */
struct sides {
	int32_t first[DIRECTIONS];
};

static void direction(int i, int d[3])
{
	d[0] = i % 3 - 1;
	d[1] = i / 3 % 3 - 1;
	d[2] = i / 9 - 1;
}

uint64_t problem_bytes(const struct grid *g)
{
	const uint64_t rows = (uint64_t)grid_rows(g);

	return rows * (DIRECTIONS * (sizeof(double) + sizeof(int32_t)) + sizeof(int64_t));
}

/* Points of the box that touch the neighbour in direction @d. */
static int32_t touching(const struct grid *g, const int d[3])
{
	int32_t n = 1;

	for (int i = 0; i < 3; i++)
		n *= d[i] ? 1 : g->n[i];
	return n;
}

/* Rows that the neighbour in direction @d needs, in their order. */
static void list_sent(const struct grid *g, const int d[3], int32_t *sent)
{
	int low[3], high[3];

	for (int i = 0; i < 3; i++) {
		low[i] = d[i] > 0 ? g->n[i] - 1 : 0;
		high[i] = d[i] < 0 ? 0 : g->n[i] - 1;
	}
	for (int z = low[2]; z <= high[2]; z++) {
		for (int y = low[1]; y <= high[1]; y++) {
			for (int x = low[0]; x <= high[0]; x++)
				*sent++ = (z * g->n[1] + y) * g->n[0] + x;
		}
	}
}

static void find_neighbours(struct matrix *a, const struct grid *g, struct sides *s)
{
	int d[3];

	for (int i = 0; i < DIRECTIONS; i++) {
		struct neighbour *n = &a->neighbours[a->n_neighbours];

		direction(i, d);
		s->first[i] = -1;
		n->rank = grid_rank(
			g, (int[3]){g->at[0] + d[0], g->at[1] + d[1], g->at[2] + d[2]});
		if (i == ITSELF || n->rank < 0)
			continue;
		s->first[i] = n->first = a->ghosts;
		n->n = touching(g, d);
		a->ghosts += n->n;
		a->n_neighbours++;
	}
	a->sent = mem_calloc((size_t)a->ghosts + 1, sizeof(*a->sent));
	for (int i = 0; i < DIRECTIONS; i++) {
		direction(i, d);
		if (s->first[i] >= 0)
			list_sent(g, d, a->sent + s->first[i]);
	}
}

/* Points of direction @i that exist at coordinate @c: 2 at an end of all, else 3. */
static int reach(const struct grid *g, int i, int c)
{
	return 3 - (!c && !g->at[i]) - (c == g->n[i] - 1 && g->at[i] == g->ranks[i] - 1);
}

static void count(struct matrix *a, const struct grid *g)
{
	int32_t row = 0;

	for (int z = 0; z < g->n[2]; z++) {
		for (int y = 0; y < g->n[1]; y++) {
			const int64_t others = (int64_t)reach(g, 2, z) * reach(g, 1, y);

			for (int x = 0; x < g->n[0]; x++, row++)
				a->start[row + 1] =
					a->start[row] + others * reach(g, 0, x);
		}
	}
	a->entries = a->start[row];
}

/* The column of the point at @c, which may lie in a neighbour's box; -1: in nobody's. */
static int32_t column_of(const struct matrix *a, const struct grid *g,
			 const struct sides *s, const int c[3])
{
	int i = ITSELF, at[3], size[3];

	for (int d = 0, step = 1; d < 3; d++, step *= 3) {
		const int side = c[d] < 0 ? -1 : c[d] >= g->n[d];

		i += side * step;
		/* place among those that touch: one layer where it is beyond the box */
		at[d] = side ? 0 : c[d];
		size[d] = side ? 1 : g->n[d];
	}
	if (i != ITSELF && s->first[i] < 0)
		return -1;
	return (at[2] * size[1] + at[1]) * size[0] + at[0] +
	       (i == ITSELF ? 0 : a->rows + s->first[i]);
}

/* A row at the surface of the box. Ghosts come where the order of the grid has them. */
static void fill_outer(struct matrix *a, const struct grid *g, const struct sides *s,
		       int32_t row, const int c[3])
{
	int64_t k = a->start[row];
	int d[3];

	for (int i = 0; i < DIRECTIONS; i++) {
		int32_t column;

		direction(i, d);
		column = column_of(a, g, s,
				   (int[3]){c[0] + d[0], c[1] + d[1], c[2] + d[2]});
		if (column < 0)
			continue;
		a->column[k] = column;
		a->value[k++] = i == ITSELF ? 26.0 : -1.0;
	}
}

static void fill_inner(struct matrix *a, const struct grid *g, int32_t row)
{
	int64_t k = a->start[row];
	int d[3];

	for (int i = 0; i < DIRECTIONS; i++, k++) {
		direction(i, d);
		a->column[k] = row + (d[2] * g->n[1] + d[1]) * g->n[0] + d[0];
		a->value[k] = i == ITSELF ? 26.0 : -1.0;
	}
}

static void fill(struct matrix *a, const struct grid *g, const struct sides *s, int z)
{
	int32_t row = z * g->n[1] * g->n[0];

	for (int y = 0; y < g->n[1]; y++) {
		const bool inner = z && z < g->n[2] - 1 && y && y < g->n[1] - 1;

		for (int x = 0; x < g->n[0]; x++, row++) {
			if (inner && x && x < g->n[0] - 1)
				fill_inner(a, g, row);
			else
				fill_outer(a, g, s, row, (int[3]){x, y, z});
		}
	}
}

int problem_make(struct matrix *a, const struct grid *g, struct err *e)
{
	struct sides s;

	*a = (struct matrix){.rows = (int32_t)grid_rows(g)};
	find_neighbours(a, g, &s);
	a->start_bytes = ((uint64_t)a->rows + 1) * sizeof(*a->start);
	a->start = kit_alloc(a->start_bytes, e);
	if (!a->start)
		return -1;
	count(a, g);
	a->column_bytes = (uint64_t)a->entries * sizeof(*a->column);
	a->value_bytes = (uint64_t)a->entries * sizeof(*a->value);
	a->column = kit_alloc(a->column_bytes, e);
	a->value = a->column ? kit_alloc(a->value_bytes, e) : NULL;
	if (!a->value)
		return -1;
#pragma omp parallel for schedule(static)
	for (int z = 0; z < g->n[2]; z++)
		fill(a, g, &s, z);
	return 0;
}

void problem_release(struct matrix *a)
{
	kit_free(a->start, a->start_bytes);
	kit_free(a->column, a->column_bytes);
	kit_free(a->value, a->value_bytes);
	free(a->sent);
	*a = (struct matrix){0};
}

double problem_rhs(const struct matrix *a, int32_t row)
{
	return 26.0 - (double)(a->start[row + 1] - a->start[row] - 1);
}

int32_t problem_fine_row(const struct grid *coarse, int32_t row)
{
	const int *n = coarse->n;
	const int32_t x = row % n[0], y = row / n[0] % n[1], z = row / n[0] / n[1];

	return (2 * z * 2 * n[1] + 2 * y) * 2 * n[0] + 2 * x;
}

int64_t problem_global_row(const struct grid *g, int32_t row)
{
	const int *n = g->n;
	const int64_t x = row % n[0] + (int64_t)g->at[0] * n[0],
		      y = row / n[0] % n[1] + (int64_t)g->at[1] * n[1],
		      z = row / n[0] / n[1] + (int64_t)g->at[2] * n[2];

	return (z * n[1] * g->ranks[1] + y) * n[0] * g->ranks[0] + x;
}
