/* SPDX-License-Identifier: Apache-2.0 */
/* Making a store: levels, numbers, and slices: see store.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/hpcg/slice.h"
#include "kernels/hpcg/store.h"
#include "kernels/kit/kit.h"

/*
 * Slots a whole number of pages apart would meet in the same sets of the caches: they are
 * nine cache lines more apart.
 */
static size_t stride_of(int32_t rows)
{
	const size_t page = 4096 / sizeof(double), odd = 72;

	return ((size_t)rows + page - 1) / page * page + odd;
}

/* Elements of all slots of a part of @rows rows. */
static size_t part_size(const struct store *s, int32_t rows)
{
	return stride_of(rows) * (size_t)(s->lower + s->upper + 1);
}

/*
 * Level of each row into @level. Entries before the diagonal must have been done, those
 * after it not yet: the latter matters only where row j has no entry of i but i of j.
 */
static int32_t find_levels(const struct matrix *a, int32_t *level)
{
	int32_t levels = 1;

	memset(level, 0, (size_t)a->rows * sizeof(*level));
	for (int32_t i = 0; i < a->rows; i++) {
		const int32_t *c = a->column + a->start[i],
			      *end = a->column + a->start[i + 1];
		int32_t mine = level[i];

		for (const int32_t *k = c; k < end; k++) {
			if (*k < i && level[*k] >= mine)
				mine = level[*k] + 1;
		}
		level[i] = mine;
		levels = mine >= levels ? mine + 1 : levels;
		for (const int32_t *k = c; k < end; k++) {
			if (*k > i && *k < a->rows && level[*k] <= mine)
				level[*k] = mine + 1;
		}
	}
	return levels;
}

/* Most entries before and after the diagonal in any row. */
static void count_slots(struct store *s, const struct matrix *a)
{
	int lower = 0, upper = 0;

#pragma omp parallel for schedule(static) reduction(max : lower, upper)
	for (int32_t i = 0; i < a->rows; i++) {
		int before = 0, after = 0;

		for (int64_t k = a->start[i]; k < a->start[i + 1]; k++) {
			before += a->column[k] < i;
			after += a->column[k] > i && a->column[k] < a->rows;
		}
		lower = before > lower ? before : lower;
		upper = after > upper ? after : upper;
	}
	s->lower = lower;
	s->upper = upper;
}

/* First slice, of the @slices of a level, of part @t of @parts. */
static int32_t share(int32_t slices, int t, int parts)
{
	return (int32_t)((int64_t)slices * t / parts);
}

/*
 * Numbers the rows: s->stored, and the other way round (-1: fills up). @first becomes the
 * stored number of each part's first row in each level, part by part.
 */
static int32_t *number(struct store *s, const struct matrix *a, const int32_t *level,
		       int32_t *first)
{
	int32_t *count = mem_calloc((size_t)s->levels, sizeof(*count)), *natural;
	const int parts = s->parts;

	for (int32_t i = 0; i < a->rows; i++)
		count[level[i]]++;
	for (int t = 0; t < parts; t++) {
		s->part[t].row = s->rows;
		for (int32_t l = 0; l < s->levels; l++) {
			const int32_t slices = (count[l] + SLICE - 1) / SLICE;

			first[(size_t)t * (size_t)s->levels + (size_t)l] = s->rows;
			s->rows += SLICE * (share(slices, t + 1, parts) -
					    share(slices, t, parts));
		}
		s->part[t].rows = s->rows - s->part[t].row;
	}
	natural = mem_calloc((size_t)s->rows + 1, sizeof(*natural));
	memset(natural, 0xff, (size_t)s->rows * sizeof(*natural));
	for (int32_t l = 0; l < s->levels; l++)
		count[l] = (count[l] + SLICE - 1) / SLICE; /* slices */
	{
		int32_t *next = mem_calloc((size_t)s->levels, sizeof(*next));

		for (int32_t i = 0; i < a->rows; i++) {
			const int32_t l = level[i], at = next[l]++, slice = at / SLICE;
			const int t =
				(int)((((int64_t)slice + 1) * parts - 1) / count[l]);

			s->stored[i] = first[(size_t)t * (size_t)s->levels + (size_t)l] +
				       at - SLICE * share(count[l], t, parts);
			natural[s->stored[i]] = i;
		}
		free(next);
	}
	free(count);
	return natural;
}

static int allocate(struct store *s, struct err *e)
{
	double *at;
	size_t size = 0;

	for (int t = 0; t < s->parts; t++)
		size += part_size(s, s->part[t].rows);
	s->bytes = size * sizeof(double);
	at = s->memory = kit_alloc(s->bytes, e);
	if (!at)
		return -1;
	for (int t = 0; t < s->parts; t++) {
		s->part[t].stride = stride_of(s->part[t].rows);
		s->part[t].value = at;
		at += part_size(s, s->part[t].rows);
	}
	return 0;
}

/* Stores one thread's part. @first: of each level's rows in it. */
static void fill(struct store *s, const struct matrix *a, struct part *p,
		 const int32_t *natural, const int32_t *first)
{
	struct slicer z = slicer_init(s, a, p, natural);

	p->slice = mem_calloc((size_t)p->rows / SLICE + 1, sizeof(*p->slice));
	p->level = mem_calloc((size_t)s->levels + 1, sizeof(*p->level));
	for (int32_t l = 0; l < s->levels; l++) {
		const int32_t end = l + 1 < s->levels ? first[l + 1] : p->row + p->rows;

		p->level[l] = (first[l] - p->row) / SLICE;
		for (int32_t row = first[l]; row < end; row += SLICE)
			slicer_add(&z, row);
	}
	p->level[s->levels] = p->rows / SLICE;
	slicer_release(&z);
}

/* What is known when all parts are filled. */
static void sum_up(struct store *s, const int32_t *level, const int32_t *natural)
{
	double lower = 0, upper = 0;

	s->first_fringe = s->levels;
	for (int t = 0; t < s->parts; t++) {
		const struct part *p = &s->part[t];
		const struct fringe *f = &p->fringe;
		const double index = (double)p->rows / SLICE * sizeof(*p->slice) +
				     (double)p->n_offset * sizeof(*p->offset);
		const double row = (double)p->rows * sizeof(double);

		lower += (s->lower + 1) * row + index / 2;
		upper += s->upper * row + index / 2 + f->start[f->rows] * 12.0 +
			 f->rows * 8.0;
		s->ghost_entries += (size_t)f->start[f->rows];
		for (int32_t i = 0; i < f->rows; i++) {
			const int32_t l = level[natural[f->row[i]]];

			s->first_fringe = l < s->first_fringe ? l : s->first_fringe;
		}
	}
	s->read_lower = lower;
	s->read = lower + upper;
}

uint64_t store_bytes(const struct grid *g)
{
	/* entries and diagonal, numbers both ways, and 15 % for filling up */
	return (uint64_t)grid_rows(g) * (27 * sizeof(double) + 12) / 100 * 115;
}

int store_make(struct store *s, const struct matrix *a, int threads, struct err *e)
{
	int32_t *level = mem_calloc((size_t)a->rows, sizeof(*level)), *first, *natural;
	int rc;

	*s = (struct store){.parts = threads};
	s->part = mem_calloc((size_t)threads, sizeof(*s->part));
	s->stored = mem_calloc((size_t)a->rows, sizeof(*s->stored));
	s->levels = find_levels(a, level);
	first = mem_calloc((size_t)threads * (size_t)s->levels, sizeof(*first));
	natural = number(s, a, level, first);
	count_slots(s, a);
	rc = allocate(s, e);
	if (!rc) {
#pragma omp parallel for schedule(static, 1)
		for (int t = 0; t < threads; t++)
			fill(s, a, &s->part[t], natural,
			     first + (size_t)t * (size_t)s->levels);
		sum_up(s, level, natural);
	}
	free(natural);
	free(first);
	free(level);
	return rc;
}

void store_release(struct store *s)
{
	for (int t = 0; s->part && t < s->parts; t++) {
		struct part *p = &s->part[t];

		free(p->slice);
		free(p->level);
		free(p->offset);
		free(p->fringe.row);
		free(p->fringe.start);
		free(p->fringe.ghost);
		free(p->fringe.value);
		free(p->fringe.saved);
	}
	kit_free(s->memory, s->bytes);
	free(s->stored);
	free(s->part);
	*s = (struct store){0};
}
