/* SPDX-License-Identifier: Apache-2.0 */
/* The factorisation: threads, tasks, and messages between them; see lu.h. */
#include <omp.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/hpl/lu.h"

/* Rows that thread 0 updates before it looks after messages: a multiple of all tiles. */
enum { SLAB = 480 };

static bool updated(const struct lu *x, const struct lu_range *r, int64_t k)
{
	for (int u = r->unit; u < r->end; u++) {
		if (atomic_load(&x->done_to[u]) < k)
			return false;
	}
	return true;
}

/* All tasks of step @k are finished here, so nothing reads its panel any more. */
static bool finished(const struct lu *x, int64_t k)
{
	return k < 0 || atomic_load(&x->done[k]) == x->tasks[k];
}

/* Panel @k can be factored: its columns are up to date, its buffer is free. */
static bool due(const struct lu *x, int64_t k)
{
	if (!lu_owns(x, k) || atomic_load(&x->claimed) > k || !finished(x, k - 2) ||
	    atomic_load(&x->bcasting) < k - 1)
		return false;
	if (!x->want.lookahead)
		return finished(x, k - 1);
	return atomic_load(&x->done_to[lu_col(x, k * x->nb) / x->nb]) >= k;
}

/* Factors the next panel if it is due and nobody else does. */
static void try_panel(struct lu *x, int thread)
{
	const int64_t k = atomic_load(&x->ready);
	long long claimed = atomic_load(&x->claimed);
	enum lu_phase old;

	/* among several ranks it needs MPI */
	if ((thread && x->P > 1) || !due(x, k) || claimed > k ||
	    !atomic_compare_exchange_strong(&x->claimed, &claimed, k + 1))
		return;
	old = lu_phase(x, thread, LU_PANEL);
	panel_factor(x, thread, k);
	swap_plan(x, k);
	atomic_store(&x->factored, k + 1);
	atomic_store(&x->ready, k + 1);
	(void)lu_phase(x, thread, old);
}

/* Doubles of panel @k that are sent: pivots, L11, rows of L. */
static int64_t panel_count(const struct lu *x, int64_t k)
{
	const int64_t rows = x->rows - lu_row(x, lu_after(x, k));

	return x->parts.head + update_padded(x->want.update, rows) * lu_width(x, k);
}

/* Moves the current broadcast on; true when it is over. */
static bool broadcast(struct lu *x)
{
	const int64_t k = atomic_load(&x->bcasting);
	const bool own = lu_owns(x, k);

	if (k == x->steps)
		return false;
	if (!x->bcast_on) {
		if (own ? atomic_load(&x->factored) <= k : !finished(x, k - 2))
			return false;
		bcast_start(&x->bcast, x->row, (int)(k % x->Q), x->want.bcast,
			    x->panels[k % 2].at, panel_count(x, k));
		x->bcast_on = true;
	}
	if (!bcast_poll(&x->bcast))
		return false;
	x->bcast_on = false;
	if (!own) {
		swap_plan(x, k);
		atomic_store(&x->ready, k + 1);
	}
	atomic_store(&x->bcasting, k + 1);
	return true;
}

static struct lu_slot *slot_of(struct lu *x, int64_t swap)
{
	return &x->slots[swap % x->parts.slots];
}

/* Starts the next exchange of rows if it can be; true when it did. */
static bool exchange(struct lu *x)
{
	struct lu_slot *slot = slot_of(x, x->swaps);
	struct lu_range r;
	enum lu_phase old;

	while (x->swap_step < x->steps && x->swap_task == x->tasks[x->swap_step]) {
		x->swap_step++;
		x->swap_task = 0;
	}
	if (x->swap_step == x->steps || atomic_load(&x->ready) <= x->swap_step ||
	    atomic_load(&slot->busy))
		return false;
	r = lu_task(x, x->swap_step, x->swap_task);
	if (!updated(x, &r, x->swap_step))
		return false;
	old = lu_phase(x, 0, LU_SWAP);
	atomic_store(&slot->busy, 1);
	swap_start(x, x->swap_step, &r, slot);
	x->swap_task++;
	x->swaps++;
	(void)lu_phase(x, 0, old);
	return true;
}

static void exchanges(struct lu *x)
{
	while (x->swaps_done < x->swaps && swap_over(slot_of(x, x->swaps_done)))
		atomic_store(&x->arrived, ++x->swaps_done);
	while (exchange(x))
		;
}

void lu_progress(struct lu *x)
{
	if (x->Q > 1) {
		while (broadcast(x))
			;
	}
	if (x->P > 1) {
		exchanges(x);
		try_panel(x, 0);
	}
}

/* Messages in the middle of other work. */
static void look(struct lu *x, int thread)
{
	enum lu_phase old;

	if (thread || x->P * x->Q == 1)
		return;
	old = lu_phase(x, 0, LU_BROADCAST);
	lu_progress(x);
	(void)lu_phase(x, 0, old);
}

/* Rows of U for task @i, packed, in this thread's block. */
static double *fetch(struct lu *x, int thread, int64_t k, int i, const struct lu_range *r)
{
	double *u = x->blocks + thread * x->parts.block;
	const int64_t swap = x->first_swap[k] + i;
	unsigned turns = 0;

	if (x->P == 1) {
		while (!updated(x, r, k))
			lu_idle(x, thread, LU_SELF, &turns);
		(void)lu_phase(x, thread, LU_SWAP);
		swap_local(x, k, r, u);
	} else {
		while (atomic_load(&x->arrived) <= swap)
			lu_idle(x, thread, LU_WAIT, &turns);
		(void)lu_phase(x, thread, LU_SWAP);
		swap_finish(x, k, r, slot_of(x, swap), u);
		atomic_store(&slot_of(x, swap)->busy, 0);
	}
	update_pad(x->want.update, lu_width(x, k), r->width, u);
	return u;
}

/* Task @i of step @k: U, and what is below it. */
static void task(struct lu *x, int thread, int64_t k, int i)
{
	const struct update *up = x->want.update;
	const struct lu_panel *p = &x->panels[k % 2];
	const struct lu_range r = lu_task(x, k, i);
	const int64_t width = lu_width(x, k), top = lu_row(x, k * x->nb);
	const int64_t below = lu_row(x, lu_after(x, k));
	double *const u = fetch(x, thread, k, i, &r);

	(void)lu_phase(x, thread, LU_UPDATE);
	up->solve(width, p->l11, u, r.width);
	for (int64_t j = top; j < below; j++)
		update_get(up, width, r.width, u, j - top, lu_at(x, j, r.col));
	for (int64_t j = below; j < x->rows; j += SLAB) {
		const int64_t rows = x->rows - j < SLAB ? x->rows - j : SLAB;

		up->multiply(rows, r.width, width, p->l + (j - below) * width, u,
			     lu_at(x, j, r.col), x->ld);
		look(x, thread);
	}
	x->clocks[thread].flops +=
		(double)width * (double)r.width * (double)(width + 2 * (x->rows - below));
	for (int j = r.unit; j < r.end; j++)
		atomic_store(&x->done_to[j], k + 1);
	atomic_fetch_add(&x->done[k], 1);
}

static void wait_panel(struct lu *x, int thread, int64_t k)
{
	const enum lu_phase waits = lu_owns(x, k) && x->P == 1 ? LU_SELF : LU_WAIT;
	unsigned turns = 0;

	try_panel(x, thread);
	while (atomic_load(&x->ready) <= k) {
		lu_idle(x, thread, waits, &turns);
		try_panel(x, thread);
	}
}

static void work(struct lu *x, int thread)
{
	unsigned turns = 0;

	x->clocks[thread].since = clock_now();
	x->clocks[thread].phase = LU_SELF;
	for (int64_t k = 0; k < x->steps; k++) {
		int i;

		if (!thread && !x->rank && x->want.progress)
			x->want.progress(x->want.ctx,
					 1 - lu_flops(x->n - k * x->nb) / lu_flops(x->n));
		wait_panel(x, thread, k);
		while ((i = atomic_fetch_add(&x->next[k], 1)) < x->tasks[k]) {
			task(x, thread, k, i);
			try_panel(x, thread);
		}
	}
	/* what this rank still has to send, and what its other threads wait for */
	while (!thread && (atomic_load(&x->bcasting) < x->steps ||
			   (x->P > 1 && x->swaps_done < x->first_swap[x->steps])))
		lu_idle(x, thread, LU_WAIT, &turns);
	(void)lu_phase(x, thread, LU_SELF);
}

/* Nothing is done yet, also when it was factored before. */
static void begin(struct lu *x)
{
	for (int64_t k = 0; k < x->steps; k++) {
		atomic_store(&x->next[k], 0);
		atomic_store(&x->done[k], 0);
	}
	for (int u = 0; u < x->units; u++)
		atomic_store(&x->done_to[u], 0);
	atomic_store(&x->factored, 0);
	atomic_store(&x->ready, 0);
	atomic_store(&x->claimed, 0);
	atomic_store(&x->arrived, 0);
	/* a panel that has nobody to go to is over at once */
	atomic_store(&x->bcasting, x->Q == 1 ? x->steps : 0);
	x->swaps = x->swaps_done = x->swap_step = 0;
	x->swap_task = 0;
	memset(x->clocks, 0, (size_t)x->threads * sizeof(*x->clocks));
}

void lu_factor(struct lu *x)
{
	begin(x);
#pragma omp parallel num_threads(x->threads)
	work(x, omp_get_thread_num());
}
