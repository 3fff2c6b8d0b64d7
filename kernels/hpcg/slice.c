/* SPDX-License-Identifier: Apache-2.0 */
/* From rows of a matrix to slices: see slice.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/hpcg/slice.h"

struct slicer slicer_init(const struct store *s, const struct matrix *a, struct part *p,
			  const int32_t *natural)
{
	struct slicer z = {.s = s,
			   .a = a,
			   .p = p,
			   .natural = natural,
			   .slots = s->lower + s->upper,
			   .last = -1};
	const size_t slots = (size_t)z.slots + 1;

	z.memory = mem_calloc((PIECES + 2 * SLICE) * slots, sizeof(*z.memory));
	z.values = mem_calloc(SLICE * slots, sizeof(*z.values));
	for (size_t i = 0; i < PIECES; i++)
		z.piece[i].offset = z.memory + i * slots;
	for (size_t i = 0; i < SLICE; i++) {
		z.offset[i] = z.memory + (PIECES + 2 * i) * slots;
		z.slot[i] = z.memory + (PIECES + 2 * i + 1) * slots;
		z.value[i] = z.values + i * slots;
	}
	mem_grow(&p->fringe.start, &z.cap_fringe[1], 1, sizeof(*p->fringe.start));
	return z;
}

void slicer_release(struct slicer *z)
{
	free(z->memory);
	free(z->values);
}

/* A ghost's entry of row @row. */
static void add_ghost(struct slicer *z, int32_t row, int32_t ghost, double value)
{
	struct fringe *f = &z->p->fringe;
	const size_t n = (size_t)f->rows;

	if (!n || f->row[n - 1] != row) {
		mem_grow(&f->row, &z->cap_fringe[0], n + 1, sizeof(*f->row));
		mem_grow(&f->start, &z->cap_fringe[1], n + 2, sizeof(*f->start));
		mem_grow(&f->saved, &z->cap_fringe[2], n + 1, sizeof(*f->saved));
		f->row[n] = row;
		f->start[n + 1] = f->start[n];
		f->rows++;
	}
	{
		const size_t at = (size_t)f->start[f->rows]++;

		mem_grow(&f->ghost, &z->cap_fringe[3], at + 1, sizeof(*f->ghost));
		mem_grow(&f->value, &z->cap_fringe[4], at + 1, sizeof(*f->value));
		f->ghost[at] = ghost;
		f->value[at] = value;
	}
}

/* Row @row has an entry of column @column. */
static void note_reach(struct part *p, int32_t row, int32_t column)
{
	const int32_t far = column < row ? row - column : column - row;

	if (column >= p->row && column < p->row + p->rows && far > p->reach)
		p->reach = far;
}

/* Reads row @i of the slice, its diagonal and ghosts go where they belong. */
static void read_row(struct slicer *z, int i, int32_t row)
{
	const struct matrix *a = z->a;
	const int32_t natural = z->natural[row];
	double *diagonal = store_diagonal(z->s, z->p, row);

	z->lower[i] = z->upper[i] = 0;
	*diagonal = 1;
	if (natural < 0)
		return;
	for (int64_t k = a->start[natural]; k < a->start[natural + 1]; k++) {
		const int32_t column = a->column[k];

		if (column == natural) {
			*diagonal = a->value[k];
		} else if (column >= a->rows) {
			add_ghost(z, row, column - a->rows, a->value[k]);
		} else {
			const int at = column < natural ? z->lower[i]++
							: z->s->lower + z->upper[i]++;

			z->offset[i][at] = z->s->stored[column] - row;
			note_reach(z->p, row, z->s->stored[column]);
			z->value[i][at] = a->value[k];
		}
	}
}

/* The slot of @offset among the @n used of @most; a new one if there is room, else -1. */
static int find_slot(int32_t *offsets, int *n, int most, int likely, int32_t offset)
{
	if (likely < *n && offsets[likely] == offset)
		return likely;
	for (int k = 0; k < *n; k++) {
		if (offsets[k] == offset)
			return k;
	}
	if (*n == most)
		return -1;
	offsets[*n] = offset;
	return (*n)++;
}

/* Slots for @n entries of a row, in @offsets of which @used are taken; false: no room. */
static bool take_entries(int32_t *offsets, int *used, int most, const int32_t *entry,
			 int32_t *slot, int n)
{
	for (int k = 0; k < n; k++) {
		slot[k] = find_slot(offsets, used, most, k, entry[k]);
		if (slot[k] < 0)
			return false;
	}
	return true;
}

/* Takes row @i into piece @p; false when there is no room, then @p is as before. */
static bool take_row(struct slicer *z, struct piece *p, int i, int lower, int upper)
{
	const struct piece before = *p;
	const int at = z->s->lower;

	if (take_entries(p->offset, &p->lower, lower, z->offset[i], z->slot[i],
			 z->lower[i]) &&
	    take_entries(p->offset + at, &p->upper, upper, z->offset[i] + at,
			 z->slot[i] + at, z->upper[i]))
		return true;
	p->lower = before.lower;
	p->upper = before.upper;
	return false;
}

/* Whether rows from @row on may use the offsets of @p, even in slots without entries. */
static bool within(const struct slicer *z, const struct piece *p, int32_t row)
{
	for (int k = 0; k < z->slots; k++) {
		const int64_t column = (int64_t)row + p->offset[k];

		if (column < -GUARD || column + SLICE > (int64_t)z->s->rows + GUARD)
			return false;
	}
	return true;
}

/*
 * Cuts the slice into pieces: how many, 0 if there would be too many. The first may be
 * the @old one in z->piece[0], as it is; *first becomes 1 if it is, else 0.
 */
static int split(struct slicer *z, struct slice *out, bool old, int *first)
{
	const struct piece before = z->piece[0];
	int n = 0;

	memset(out->cut, SLICE, sizeof(out->cut));
	*first = old && take_row(z, &z->piece[0], 0, before.lower, before.upper);
	n = *first;
	for (int i = n; i < SLICE; i++) {
		const bool fixed = n == 1 && *first;

		if (n &&
		    take_row(z, &z->piece[n - 1], i, fixed ? before.lower : z->s->lower,
			     fixed ? before.upper : z->s->upper))
			continue;
		if (n == PIECES)
			return 0;
		if (n)
			out->cut[n - 1] = (uint8_t)i;
		memset(z->piece[n].offset, 0, (size_t)z->slots * sizeof(int32_t));
		z->piece[n].lower = z->piece[n].upper = 0;
		(void)take_row(z, &z->piece[n++], i, z->s->lower, z->s->upper);
	}
	return n;
}

/* The same, with the last piece of the slice before if that makes no third one. */
static int cut(struct slicer *z, int32_t row, struct slice *out, int *first)
{
	bool old = z->last >= 0;
	int n;

	if (old) {
		const struct piece before = z->piece[z->last];

		z->piece[z->last] = z->piece[0];
		z->piece[0] = before;
		old = within(z, &before, row);
	}
	n = split(z, out, old, first);
	if (*first && (!n || n > 2))
		n = split(z, out, false, first);
	z->last = n - 1;
	return n;
}

/* Room for @n times all slots; @out says where, from the @first before on. */
static int32_t *new_offsets(struct slicer *z, struct slice *out, int first, size_t n)
{
	struct part *p = z->p;
	const size_t at = p->n_offset, slots = (size_t)z->slots;

	mem_grow(&p->offset, &p->cap_offset, at + n * slots + SLICE, sizeof(*p->offset));
	out->offset = slots ? (uint32_t)(at / slots) - (uint32_t)first : 0;
	p->n_offset += n * slots;
	return p->offset + at;
}

/* A slice whose every column has its own offset, from the slice's first row. */
static void gather(struct slicer *z, struct slice *out)
{
	int32_t *offset = new_offsets(z, out, 0, SLICE);

	/* slots that a row does not use: with the value 0 */
	memset(offset, 0, (size_t)z->slots * SLICE * sizeof(*offset));
	for (int i = 0; i < SLICE; i++) {
		for (int k = 0; k < z->lower[i]; k++) {
			z->slot[i][k] = k;
			offset[k * SLICE + i] = z->offset[i][k] + i;
		}
		for (int k = 0; k < z->upper[i]; k++) {
			const int at = z->s->lower + k;

			z->slot[i][at] = k;
			offset[at * SLICE + i] = z->offset[i][at] + i;
		}
	}
}

static void store_values(struct slicer *z, int32_t row)
{
	const size_t stride = z->p->stride;

	/* an entry given twice is added up */
	for (int i = 0; i < SLICE; i++) {
		double *lower = store_value(z->p, row + i);
		double *upper = lower + (size_t)z->s->lower * stride;

		for (int k = 0; k < z->lower[i]; k++)
			lower[(size_t)z->slot[i][k] * stride] += z->value[i][k];
		for (int k = 0; k < z->upper[i]; k++)
			upper[(size_t)z->slot[i][z->s->lower + k] * stride] +=
				z->value[i][z->s->lower + k];
	}
}

void slicer_add(struct slicer *z, int32_t row)
{
	struct part *p = z->p;
	struct slice *out = &p->slice[(row - p->row) / SLICE];
	int first, n;

	for (int i = 0; i < SLICE; i++)
		read_row(z, i, row + i);
	n = cut(z, row, out, &first);
	out->pieces = (uint8_t)n;
	if (n) {
		int32_t *offset = new_offsets(z, out, first, (size_t)(n - first));

		for (int i = first; i < n; i++, offset += z->slots)
			memcpy(offset, z->piece[i].offset,
			       (size_t)z->slots * sizeof(*offset));
	} else {
		gather(z, out);
	}
	p->slices[out->pieces]++;
	store_values(z, row);
}
