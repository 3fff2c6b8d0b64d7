/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row swaps of a step. The pivots, taken one after the other, are one permutation: row i
 * of U comes from somewhere, and rows of the top block that lost their place go where a
 * row of U came from. So each line is copied once: into packed U, or to its new place.
 *
 * Among ranks: everyone gives its rows of U to all of its column (gather), the owner of
 * the top block gives each rank as many rows back as it gave (scatter). Both go on while
 * the ranks compute.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/hpl/lu.h"

/* Rows that pivots touch: what is in each now. Open addressing, no more than half full.
 */
struct map {
	int64_t *row, *has;
	int64_t size; /* a power of two */
};

static int64_t *map_has(struct map *m, int64_t row)
{
	uint64_t i = (uint64_t)row * UINT64_C(0x9e3779b97f4a7c15) >> 32;

	for (;; i++) {
		int64_t *at = &m->row[i & (uint64_t)(m->size - 1)];

		if (*at < 0) {
			*at = row;
			m->has[at - m->row] = row;
		}
		if (*at == row)
			return &m->has[at - m->row];
	}
}

static void map_open(struct map *m, int64_t rows)
{
	m->size = 16;
	while (m->size < 4 * rows)
		m->size *= 2;
	m->row = mem_calloc((size_t)m->size, sizeof(*m->row));
	m->has = mem_calloc((size_t)m->size, sizeof(*m->has));
	memset(m->row, -1, (size_t)m->size * sizeof(*m->row));
}

void swap_open(struct lu_swap *s, int nb, int ranks)
{
	int64_t **const lists[] = {&s->source, &s->place, &s->mine,
				   &s->from,   &s->to,    &s->arrive};
	int **const counts[] = {&s->counts, &s->starts, &s->leaves, &s->leave_at};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		*lists[i] = mem_calloc((size_t)nb, sizeof(int64_t));
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		*counts[i] = mem_calloc((size_t)ranks, sizeof(int));
}

void swap_close(struct lu_swap *s)
{
	free(s->source);
	free(s->place);
	free(s->mine);
	free(s->from);
	free(s->to);
	free(s->arrive);
	free(s->counts);
	free(s->starts);
	free(s->leaves);
	free(s->leave_at);
	*s = (struct lu_swap){0};
}

/* Counts of the ranks' parts into where they begin. */
static void begin(const int *counts, int *starts, int ranks)
{
	for (int i = 0, at = 0; i < ranks; at += counts[i++])
		starts[i] = at;
}

/* Where the rows of U are: here, or among the gathered ones. */
static void plan_u(const struct lu *x, struct lu_swap *s, struct map *m, int64_t j0,
		   int64_t width)
{
	int *at = mem_calloc((size_t)x->P, sizeof(*at));

	memset(s->counts, 0, (size_t)x->P * sizeof(*s->counts));
	for (int64_t i = 0; i < width; i++)
		s->counts[dist_owner(*map_has(m, j0 + i), x->nb, x->P)]++;
	begin(s->counts, s->starts, x->P);
	s->n_mine = 0;
	for (int64_t i = 0; i < width; i++) {
		const int64_t row = *map_has(m, j0 + i);
		const int owner = dist_owner(row, x->nb, x->P);

		s->source[i] = dist_local(row, x->nb, x->P);
		s->place[i] = s->starts[owner] + at[owner]++;
		if (owner == x->p)
			s->mine[s->n_mine++] = s->source[i];
	}
	free(at);
}

/* Rows of the top block whose new place @row is with rank @owner, in pivot order. */
static void plan_moves(const struct lu *x, struct lu_swap *s, struct map *m,
		       const int64_t *pivots, int64_t j0, int64_t width, int owner)
{
	const int top = dist_owner(j0, x->nb, x->P);

	for (int64_t i = 0; i < width; i++) {
		const int64_t to = pivots[i];
		int64_t *from = map_has(m, to);

		if (to < j0 + width || *from < 0 || dist_owner(to, x->nb, x->P) != owner)
			continue;
		if (x->p == top) {
			s->from[s->n_from] = dist_local(*from, x->nb, x->P);
			s->to[s->n_from++] = dist_local(to, x->nb, x->P);
			if (owner != top)
				s->leaves[owner]++;
		} else if (x->p == owner) {
			s->arrive[s->n_arrive++] = dist_local(to, x->nb, x->P);
		}
		*from = -1; /* several pivots may name one row */
	}
}

void swap_plan(struct lu *x, int64_t k)
{
	struct lu_panel *p = &x->panels[k % 2];
	struct lu_swap *s = &p->swap;
	const int64_t j0 = k * x->nb, width = lu_width(x, k);
	const int top = dist_owner(j0, x->nb, x->P);
	struct map m;

	map_open(&m, 2 * width);
	for (int64_t i = 0; i < width; i++) {
		int64_t *a = map_has(&m, j0 + i), *b = map_has(&m, p->pivots[i]);
		const int64_t t = *a;

		*a = *b;
		*b = t;
	}
	plan_u(x, s, &m, j0, width);
	s->n_from = s->n_local = s->n_arrive = 0;
	memset(s->leaves, 0, (size_t)x->P * sizeof(*s->leaves));
	plan_moves(x, s, &m, p->pivots, j0, width, top);
	s->n_local = s->n_from;
	for (int i = 0; i < x->P; i++) {
		if (i != top)
			plan_moves(x, s, &m, p->pivots, j0, width, i);
	}
	begin(s->leaves, s->leave_at, x->P);
	free(m.row);
	free(m.has);
}

static size_t bytes(const struct lu_range *r)
{
	return (size_t)r->width * sizeof(double);
}

/* Rows of the top block that stay with this rank go to their new places. */
static void move_here(const struct lu *x, const struct lu_swap *s,
		      const struct lu_range *r)
{
	for (int64_t i = 0; i < s->n_local; i++)
		memcpy(lu_at(x, s->to[i], r->col), lu_at(x, s->from[i], r->col),
		       bytes(r));
}

void swap_local(struct lu *x, int64_t k, const struct lu_range *r, double *u)
{
	const struct lu_swap *s = &x->panels[k % 2].swap;
	const int64_t width = lu_width(x, k);

	for (int64_t i = 0; i < width; i++)
		update_put(x->want.update, width, r->width, u, i,
			   lu_at(x, s->source[i], r->col));
	move_here(x, s, r);
}

void swap_start(struct lu *x, int64_t k, const struct lu_range *r, struct lu_slot *slot)
{
	const struct lu_swap *s = &x->panels[k % 2].swap;
	const int top = dist_owner(k * x->nb, x->nb, x->P);
	MPI_Datatype row;
	double *mine = slot->u + s->starts[x->p] * r->width;

	for (int64_t i = 0; i < s->n_mine; i++)
		memcpy(mine + i * r->width, lu_at(x, s->mine[i], r->col), bytes(r));
	for (int64_t i = s->n_local; i < s->n_from; i++)
		memcpy(slot->moved + (i - s->n_local) * r->width,
		       lu_at(x, s->from[i], r->col), bytes(r));
	(void)MPI_Type_contiguous((int)r->width, MPI_DOUBLE, &row);
	(void)MPI_Type_commit(&row);
	(void)MPI_Iallgatherv(MPI_IN_PLACE, 0, row, slot->u, s->counts, s->starts, row,
			      x->rows_comm, &slot->requests[0]);
	if (x->p == top)
		(void)MPI_Iscatterv(slot->moved, s->leaves, s->leave_at, row,
				    MPI_IN_PLACE, 0, row, top, x->rows_comm,
				    &slot->requests[1]);
	else
		(void)MPI_Iscatterv(NULL, NULL, NULL, row, slot->moved, (int)s->n_arrive,
				    row, top, x->rows_comm, &slot->requests[1]);
	(void)MPI_Type_free(&row); /* MPI keeps it as long as it is in use */
}

bool swap_over(struct lu_slot *slot)
{
	int over = 0;

	(void)MPI_Testall(2, slot->requests, &over, MPI_STATUSES_IGNORE);
	return over;
}

void swap_finish(struct lu *x, int64_t k, const struct lu_range *r,
		 const struct lu_slot *slot, double *u)
{
	const struct lu_swap *s = &x->panels[k % 2].swap;
	const int64_t width = lu_width(x, k);

	for (int64_t i = 0; i < width; i++)
		update_put(x->want.update, width, r->width, u, i,
			   slot->u + s->place[i] * r->width);
	move_here(x, s, r);
	for (int64_t i = 0; i < s->n_arrive; i++)
		memcpy(lu_at(x, s->arrive[i], r->col), slot->moved + i * r->width,
		       bytes(r));
}
