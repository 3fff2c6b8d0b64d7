/* SPDX-License-Identifier: Apache-2.0 */
/* Counting operations and bytes: see rating.h. */
#include "kernels/hpcg/rating.h"

static double product_bytes(const struct store *s)
{
	return s->read + 16.0 * s->rows;
}

static double cycle_bytes(const struct solver *v)
{
	double bytes = 0;

	for (int i = 0; i < LEVELS; i++) {
		const struct store *s = &v->level[i].s;
		const double first = s->read_lower + 16.0 * s->rows,
			     sweep = s->read + 24.0 * s->rows;

		bytes += first + sweep;
		if (i < LEVELS - 1)
			bytes += 2 * sweep + product_bytes(s) +
				 48.0 * v->level[i + 1].s.rows;
	}
	return bytes;
}

struct work rating_work(const struct solver *v, int sets, int iterations)
{
	const double all = (double)sets * iterations;
	const double rows = (double)grid_all_rows(&v->level[0].grid);
	struct work w = {
		.ddot = (3 * all + sets) * 2 * rows,
		.waxpby = (3 * all + sets) * 2 * rows,
		.spmv = (all + sets) * 2 * (double)grid_all_entries(&v->level[0].grid),
		.spmv_bytes = (all + sets) * product_bytes(&v->level[0].s),
		.mg_bytes = all * cycle_bytes(v),
	};

	for (int i = 0; i < LEVELS; i++)
		w.mg += all * (i < LEVELS - 1 ? 10 : 4) *
			(double)grid_all_entries(&v->level[i].grid);
	return w;
}

double rating(const struct work *w, int sets, int iterations, int reference, double time,
	      double setup, double storing)
{
	const double flops = w->ddot + w->waxpby + w->spmv + w->mg;

	return flops * reference / iterations / (time + sets * (setup + storing) / 10);
}

double rating_bytes_per_row(const struct solver *v)
{
	const struct store *s = &v->level[0].s;

	/* direction 24; solution and residual 48 */
	return (product_bytes(s) + cycle_bytes(v) + 72.0 * s->rows) /
	       (double)grid_rows(&v->level[0].grid);
}
