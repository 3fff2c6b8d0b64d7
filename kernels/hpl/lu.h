/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LU factorisation with partial pivoting of a random dense system over a P x Q
 * block-cyclic grid of processes, and the solution: what HPL measures. The kernel
 * (hpl.c) uses the functions below marked "collective"; everything else is shared by the
 * files of this folder.
 *
 * Local storage is row-major, so that rows are swapped by copying lines. A step k takes
 * the panel (the block column k, factored by the ranks of one grid column and sent along
 * the grid rows, already packed) and updates the columns right of it, in tasks of some
 * 400 columns, which threads take from a counter for each step. A thread that finds no
 * task left goes on to the next step; flags say up to which step a block column and a
 * panel are done, so nothing waits for all. The first task of a step are the columns of
 * the next panel, which is factored at once (look-ahead 1).
 *
 * MPI is called by thread 0 alone (MPI_THREAD_FUNNELED). Between pieces of its own tasks
 * it looks after messages: lu_progress().
 */
#ifndef ASSAY_KERNELS_HPL_LU_H
#define ASSAY_KERNELS_HPL_LU_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "kernels/hpl/bcast.h"
#include "kernels/hpl/dist.h"
#include "kernels/hpl/size.h"
#include "kernels/hpl/update.h"

/* Where a thread's time goes. */
enum lu_phase {
	LU_PANEL,     /* factoring and packing panels */
	LU_BROADCAST, /* sending and receiving them */
	LU_SWAP,      /* rows: packing, sending, receiving */
	LU_UPDATE,
	LU_SELF, /* waiting for threads of the same rank */
	LU_WAIT, /* waiting for other ranks */
	LU_PHASES,
};

struct lu_want {
	struct size size;
	bool by_column; /* ranks fill the grid column by column */
	bool lookahead;
	enum bcast_kind bcast;
	const struct update *update;
	uint64_t seed;
	/* Called by rank 0 in each step with the share of the flops done; may be NULL. */
	void (*progress)(void *ctx, double done);
	void *ctx;
};

/* Clock of one thread; a cache line of its own. */
struct lu_clock {
	enum lu_phase phase;
	double since;
	double s[LU_PHASES];
	double flops; /* of its updates */
	char pad[64];
};

/* Columns that are updated together. */
struct lu_range {
	int unit, end; /* units [unit, end) */
	int64_t col;   /* first, local */
	int64_t width;
};

/* Rows that step k swaps, as this rank sees it; see swap.c. */
struct lu_swap {
	int64_t *source; /* P = 1: local row of each row of U */
	int64_t *place;  /* P > 1: where among the gathered rows each row of U is */
	int64_t *mine;   /* local rows this rank gives, n_mine */
	int64_t *from;   /* local rows of the top block that move, n_from: first those */
	int64_t *to; /* that stay here, n_local, to these rows; then those that leave */
	int64_t n_mine, n_from, n_local;
	int64_t *arrive; /* local rows for those that come, n_arrive */
	int64_t n_arrive;
	int *counts, *starts;   /* rows each rank of the column gives to U */
	int *leaves, *leave_at; /* rows that leave for each rank */
};

/* One of two buffers for panels. */
struct lu_panel {
	double *at;      /* pivots (int64_t), L11 packed, then the rows of L packed */
	int64_t *pivots; /* global rows, in @at */
	double *l11, *l;
	struct lu_swap swap;
};

/* Rows on their way between the ranks of a column for one task. */
struct lu_slot {
	double *u, *moved;
	atomic_int busy;
	MPI_Request requests[2];
};

struct lu {
	struct lu_want want;
	int64_t n, steps;
	int nb, P, Q, p, q, rank, threads;
	MPI_Comm all, row, col, rows_comm; /* rows_comm: the column again, for swaps */
	int64_t rows, cols, own_cols; /* local; own_cols without the right-hand side */
	int64_t ld;
	bool has_b;
	double *memory, *a;
	uint64_t bytes;
	struct size_parts parts;
	struct lu_panel panels[2];
	double *top; /* panel: its nb x nb top block, the same on all ranks of a column */
	double *base;       /* of it, columns that are factored now */
	double *strips;     /* of it, packed */
	double *x;          /* solution, local columns */
	double *blocks;     /* packed U, one a thread */
	double *message[2]; /* of the pivot search */
	MPI_Op pick;
	MPI_Datatype pick_type;
	int max_threads; /* over all ranks: tasks must be cut alike everywhere */

	/* units: block columns, and the right-hand side */
	int units;
	int64_t *unit_at;        /* units + 1 local columns */
	atomic_llong *done_to;   /* steps that a unit has been updated by */
	atomic_int *next, *done; /* tasks of each step: taken, finished */
	int *tasks;
	atomic_llong factored, ready, claimed; /* panels: made here, usable here */
	atomic_llong bcasting;                 /* the panel whose broadcast is not over */

	/* thread 0 alone */
	struct bcast bcast;
	bool bcast_on;
	struct lu_slot *slots;
	int64_t swap_step;         /* of the exchange that is next to be started */
	int swap_task;             /* and its task */
	int64_t swaps, swaps_done; /* started, finished */
	atomic_llong arrived;      /* = swaps_done, for all threads */
	int64_t *first_swap;       /* number of the first exchange of a step */
	struct lu_clock *clocks;
};

/* Collective over @comm; -1 with @e on ranks that have no memory. Always lu_close(). */
int lu_open(struct lu *x, MPI_Comm comm, const struct lu_want *want, struct err *e);
void lu_close(struct lu *x);

/* Makes this rank's part of the system. */
void lu_generate(struct lu *x);
/* Collective: L U of the matrix, L^-1 of the right-hand side. */
void lu_factor(struct lu *x);
/* Collective: the solution into x->x, each column's blocks on all of its ranks. */
void lu_solve(struct lu *x);

/* What HPL checks. */
struct lu_check {
	double residual;   /* scaled; NaN when anything is not finite */
	double r, a, x, b; /* infinity norms */
};

/* Collective: makes the system again and puts the solution in. */
struct lu_check lu_check(struct lu *x);

/* Flops of the whole, as HPL counts them. */
double lu_flops(int64_t n);

/* Local element. */
static inline double *lu_at(const struct lu *x, int64_t row, int64_t col)
{
	return x->a + row * x->ld + col;
}

static inline int64_t lu_width(const struct lu *x, int64_t k)
{
	const int64_t left = x->n - k * x->nb;

	return left < x->nb ? left : x->nb;
}

/* First local row, column of global @g or after. */
static inline int64_t lu_row(const struct lu *x, int64_t g)
{
	return dist_count(g, x->nb, x->p, x->P);
}

static inline int64_t lu_col(const struct lu *x, int64_t g)
{
	return dist_count(g, x->nb, x->q, x->Q);
}

/* First row and column right of and below panel @k. */
static inline int64_t lu_after(const struct lu *x, int64_t k)
{
	return k * x->nb + lu_width(x, k);
}

static inline bool lu_owns(const struct lu *x, int64_t k)
{
	return k < x->steps && k % x->Q == x->q;
}

/* clock.c: the thread's time so far goes to its phase; gives the old phase. */
enum lu_phase lu_phase(struct lu *x, int thread, enum lu_phase phase);

/* One turn of a loop that waits: messages for thread 0, sooner or later a yield. */
void lu_idle(struct lu *x, int thread, enum lu_phase waits, unsigned *turns);
/* Thread 0: moves messages on, factors a panel that is due. */
void lu_progress(struct lu *x);

/* panel.c: its MPI objects. */
void panel_open(struct lu *x);
void panel_close(struct lu *x);
/* Factors panel @k into its buffer and the matrix, packed. */
void panel_factor(struct lu *x, int thread, int64_t k);

/* swap.c: which rows panel @k swaps, from its pivots. */
void swap_plan(struct lu *x, int64_t k);
/* Without other ranks: U of columns @r packed into @u, moved rows in their places. */
void swap_local(struct lu *x, int64_t k, const struct lu_range *r, double *u);
/* Thread 0, with others: starts the exchange of columns @r in @slot; is it over? */
void swap_start(struct lu *x, int64_t k, const struct lu_range *r, struct lu_slot *slot);
bool swap_over(struct lu_slot *slot);
/* What came into its places. */
void swap_finish(struct lu *x, int64_t k, const struct lu_range *r,
		 const struct lu_slot *slot, double *u);
void swap_open(struct lu_swap *s, int nb, int ranks);
void swap_close(struct lu_swap *s);

/* Columns of task @i of step @k; tasks are the same on all ranks of a column. */
int lu_tasks(const struct lu *x, int64_t k);
struct lu_range lu_task(const struct lu *x, int64_t k, int i);

#endif
