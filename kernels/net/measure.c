/* SPDX-License-Identifier: Apache-2.0 */
/* Between two ranks: see measure.h. */
#include "kernels/net/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernels/net/content.h"

enum { TAG_MESSAGE = 100, TAG_ANSWER = 101, TAG_CONTROL = 102 };

/* A message as MPI calls: all pieces but the last have @count bytes. */
struct pieces {
	int n, count, last;
};

/* What is being measured, at one end. */
struct test {
	struct measure_end *end;
	struct pieces m;
	enum measure_way way;
	bool keeps_time, sends, receives;
	uint64_t size;
	const MPI_Comm *meet;
};

void *measure_buffer(uint64_t bytes, struct err *e)
{
	void *p = NULL;

	/* not kit_alloc(): its huge pages would make other figures than OSU's buffers */
	if (posix_memalign(&p, (size_t)sysconf(_SC_PAGESIZE), bytes ? bytes : 1)) {
		err_set(e, ERR_SYSTEM, "no memory for messages of %llu bytes",
			(unsigned long long)bytes);
		return NULL;
	}
	memset(p, 0, bytes);
	return p;
}

int measure_open(struct measure_end *end, MPI_Comm comm, uint64_t room, struct err *e)
{
	*end = (struct measure_end){.comm = comm,
				    .peer = MPI_PROC_NULL,
				    .room = room,
				    .piece = MEASURE_PIECE};
	(void)MPI_Comm_rank(comm, &end->rank);
	end->out = measure_buffer(room, e);
	end->in = end->out ? measure_buffer(room, e) : NULL;
	return end->in ? 0 : -1;
}

void measure_close(struct measure_end *end)
{
	free(end->out);
	free(end->in);
	free(end->requests);
	free(end->times);
	*end = (struct measure_end){.comm = MPI_COMM_NULL};
}

void measure_with(struct measure_end *end, int peer)
{
	end->peer = peer;
	end->first = end->rank < peer;
}

static struct pieces cut(const struct measure_end *end, uint64_t size)
{
	const uint64_t n = size ? (size + end->piece - 1) / end->piece : 1;

	return (struct pieces){.n = (int)n,
			       .count = (int)end->piece,
			       .last = (int)(size - (n - 1) * end->piece)};
}

/*
 * The timed loops. A message of one piece, as nearly all are, takes the straight way.
 */

static inline void send_message(const struct measure_end *x, const struct pieces *m)
{
	for (int i = 0; i < m->n - 1; i++)
		(void)MPI_Send(x->out + (uint64_t)i * x->piece, m->count, MPI_CHAR,
			       x->peer, TAG_MESSAGE, x->comm);
	(void)MPI_Send(x->out + (uint64_t)(m->n - 1) * x->piece, m->last, MPI_CHAR,
		       x->peer, TAG_MESSAGE, x->comm);
}

static inline void receive_message(const struct measure_end *x, const struct pieces *m)
{
	for (int i = 0; i < m->n - 1; i++)
		(void)MPI_Recv(x->in + (uint64_t)i * x->piece, m->count, MPI_CHAR,
			       x->peer, TAG_MESSAGE, x->comm, MPI_STATUS_IGNORE);
	(void)MPI_Recv(x->in + (uint64_t)(m->n - 1) * x->piece, m->last, MPI_CHAR,
		       x->peer, TAG_MESSAGE, x->comm, MPI_STATUS_IGNORE);
}

/* A window of messages begun, with a request for each piece. */
static inline void send_window(const struct measure_end *x, const struct pieces *m,
			       int window, MPI_Request *requests)
{
	for (int j = 0; j < window; j++) {
		for (int i = 0; i < m->n; i++)
			(void)MPI_Isend(x->out + (uint64_t)i * x->piece,
					i < m->n - 1 ? m->count : m->last, MPI_CHAR,
					x->peer, TAG_MESSAGE, x->comm, requests++);
	}
}

static inline void receive_window(const struct measure_end *x, const struct pieces *m,
				  int window, MPI_Request *requests)
{
	for (int j = 0; j < window; j++) {
		for (int i = 0; i < m->n; i++)
			(void)MPI_Irecv(x->in + (uint64_t)i * x->piece,
					i < m->n - 1 ? m->count : m->last, MPI_CHAR,
					x->peer, TAG_MESSAGE, x->comm, requests++);
	}
}

static void ping_pong(const struct test *t, int n, double *times)
{
	const struct measure_end *x = t->end;
	double start;

	if (!t->keeps_time) {
		for (int i = 0; i < n; i++) {
			receive_message(x, &t->m);
			send_message(x, &t->m);
		}
		return;
	}
	for (int i = 0; i < n; i++) {
		start = MPI_Wtime();
		send_message(x, &t->m);
		receive_message(x, &t->m);
		times[i] = MPI_Wtime() - start;
	}
}

/* Twice, as OSU's mbw_mr does: it decides how far ahead of the receiver a sender gets. */
static inline void meet(const struct test *t)
{
	for (int i = 0; t->meet && i < 2; i++)
		(void)MPI_Barrier(*t->meet);
}

static void one_way(const struct test *t, int n, int window, double *times)
{
	const struct measure_end *x = t->end;
	const int requests = window * t->m.n;
	char answer = 0;
	double start;

	if (!t->keeps_time) {
		for (int i = 0; i < n; i++) {
			meet(t);
			receive_window(x, &t->m, window, x->requests);
			(void)MPI_Waitall(requests, x->requests, MPI_STATUSES_IGNORE);
			(void)MPI_Send(&answer, 1, MPI_CHAR, x->peer, TAG_ANSWER,
				       x->comm);
		}
		return;
	}
	for (int i = 0; i < n; i++) {
		meet(t);
		start = MPI_Wtime();
		send_window(x, &t->m, window, x->requests);
		(void)MPI_Waitall(requests, x->requests, MPI_STATUSES_IGNORE);
		(void)MPI_Recv(&answer, 1, MPI_CHAR, x->peer, TAG_ANSWER, x->comm,
			       MPI_STATUS_IGNORE);
		times[i] = MPI_Wtime() - start;
	}
}

static void both_ways(const struct test *t, int n, int window, double *times)
{
	const struct measure_end *x = t->end;
	const int requests = window * t->m.n;
	MPI_Request *out = x->requests + requests, *in = x->requests;
	double start;

	for (int i = 0; i < n; i++) {
		start = MPI_Wtime();
		receive_window(x, &t->m, window, in);
		send_window(x, &t->m, window, out);
		/* who keeps the time waits for what it sent first, the other last */
		(void)MPI_Waitall(requests, t->keeps_time ? out : in,
				  MPI_STATUSES_IGNORE);
		(void)MPI_Waitall(requests, t->keeps_time ? in : out,
				  MPI_STATUSES_IGNORE);
		times[i] = MPI_Wtime() - start;
	}
}

static void turns(const struct test *t, struct measure_turns b, double *times)
{
	if (t->sends)
		t->end->sent += t->size * (uint64_t)b.window * (uint64_t)b.turns;
	if (t->way == MEASURE_PING_PONG)
		ping_pong(t, b.turns, times);
	else if (t->way == MEASURE_BOTH)
		both_ways(t, b.turns, b.window, times);
	else
		one_way(t, b.turns, b.window, times);
}

/* Contents */

/* Contents of the two differ, and from any that these two ranks had before. */
static uint64_t seed_of(const struct measure_end *x, int sender)
{
	return x->seed * 1048583 + (uint64_t)sender;
}

/* Both ends meet here, as at a barrier, with contents of a new seed. */
static void new_contents(struct measure_end *x, uint64_t size)
{
	uint64_t theirs = 0;

	(void)MPI_Sendrecv(&x->seed, 1, MPI_UINT64_T, x->peer, TAG_CONTROL, &theirs, 1,
			   MPI_UINT64_T, x->peer, TAG_CONTROL, x->comm,
			   MPI_STATUS_IGNORE);
	x->seed = (x->seed > theirs ? x->seed : theirs) + 1;
	content_fill(x->out, size, seed_of(x, x->rank));
	memset(x->in, 0, size);
	(void)MPI_Sendrecv(NULL, 0, MPI_CHAR, x->peer, TAG_CONTROL, NULL, 0, MPI_CHAR,
			   x->peer, TAG_CONTROL, x->comm, MPI_STATUS_IGNORE);
}

static uint64_t check(const struct test *t)
{
	const struct measure_end *x = t->end;

	if (x->spoil && x->spoil == t->size)
		x->in[0] ^= 1;
	return t->receives ? content_wrong(x->in, t->size, seed_of(x, x->peer)) : 0;
}

/* How many turns */

static void reserve(struct measure_end *x, const struct pieces *m, int window, int n)
{
	mem_grow(&x->requests, &x->cap_requests, 2 * (size_t)window * (size_t)m->n,
		 sizeof(*x->requests));
	mem_grow(&x->times, &x->cap_times, (size_t)n, sizeof(*x->times));
}

/* Each turn by itself, with its own contents. */
static uint64_t run_each(const struct test *t, const struct measure_how *how)
{
	const struct measure_turns one = {1, how->window};
	struct measure_end *x = t->end;
	uint64_t wrong = 0;

	for (int i = -how->warmup; i < how->turns; i++) {
		new_contents(x, t->size);
		turns(t, one, &x->times[i < 0 ? 0 : i]);
		wrong += check(t);
	}
	return wrong;
}

static double sum(const double *v, int n)
{
	double s = 0;

	for (int i = 0; i < n; i++)
		s += v[i];
	return s;
}

/*
 * What to do in the @left seconds when a turn of window b->window takes @turn of them and
 * @done turns were made: at most half of what fits, since @turn is only a guess of what
 * comes, and at most twice as many as last time. On a link that loses packets nearly all
 * turns are as fast as elsewhere and a few take a thousand times as long (TCP waits 200
 * ms before it sends again): then the first few show, instead of all that seemed to fit.
 * False: nothing more.
 */
static bool next_batch(struct measure_turns *b, const struct measure_how *how, int done,
		       double turn, double left)
{
	const double fit = left / (turn > 1e-9 ? turn : 1e-9);
	int most = how->turns - done;

	if (b->window < how->window && fit >= 16) {
		b->turns = 1;
		b->window = 4 * b->window < how->window ? 4 * b->window : how->window;
		return true;
	}
	if (fit < 1 || done >= how->turns)
		return false;
	if (most > 2 * b->turns)
		most = 2 * b->turns;
	b->turns = fit / 2 < most ? (int)(fit / 2) : most;
	b->turns += !b->turns;
	return true;
}

/* By time: the end that keeps it decides batch after batch; gives the last window. */
static struct measure_turns run_for(const struct test *t, const struct measure_how *how)
{
	const struct measure_end *x = t->end;
	struct measure_turns b = {1, 1};
	double begin = 0, batch;
	int done = 0, window = 1;

	turns(t, b, x->times); /* makes the connection */
	begin = MPI_Wtime();
	while (b.turns) {
		if (b.window != window)
			done = 0; /* figures are of one window */
		window = b.window;
		turns(t, b, x->times + (t->keeps_time ? done : 0));
		if (t->keeps_time) {
			batch = sum(x->times + done, b.turns);
			done += b.turns;
			if (!next_batch(&b, how, done, batch / b.turns,
					how->seconds - (MPI_Wtime() - begin)))
				b.turns = 0;
			(void)MPI_Send(&b, 2, MPI_INT, x->peer, TAG_CONTROL, x->comm);
		} else {
			(void)MPI_Recv(&b, 2, MPI_INT, x->peer, TAG_CONTROL, x->comm,
				       MPI_STATUS_IGNORE);
		}
	}
	return (struct measure_turns){done, window};
}

/* Figures */

static int rising(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double measure_percentile(const double *rising_values, int n, int percent)
{
	const long i = lround((double)n * percent / 100.0);

	return rising_values[i > 0 ? i - 1 : 0];
}

/* One turn's figure from its time; with @t the sum of several, theirs together. */
static double figure(const struct test *t, int window, double n, double time)
{
	const double bytes = n * window * (double)t->size;

	if (t->way == MEASURE_PING_PONG)
		return time / n / 2;
	return (t->way == MEASURE_BOTH ? 2 : 1) * bytes / time;
}

static void summarise(const struct test *t, struct measure_turns made,
		      struct measure_figure *f)
{
	double *v = t->end->times;

	f->turns = made.turns;
	f->window = made.window;
	f->value = figure(t, made.window, made.turns, sum(v, made.turns));
	for (int i = 0; i < made.turns; i++)
		v[i] = figure(t, made.window, 1, v[i]);
	qsort(v, (size_t)made.turns, sizeof(*v), rising);
	f->p50 = measure_percentile(v, made.turns, 50);
	f->p90 = measure_percentile(v, made.turns, 90);
	f->p99 = measure_percentile(v, made.turns, 99);
}

/* Who kept the time tells the other. */
static void share(const struct test *t, struct measure_figure *f)
{
	const struct measure_end *x = t->end;

	if (t->keeps_time)
		(void)MPI_Send(f, sizeof(*f), MPI_BYTE, x->peer, TAG_CONTROL, x->comm);
	else
		(void)MPI_Recv(f, sizeof(*f), MPI_BYTE, x->peer, TAG_CONTROL, x->comm,
			       MPI_STATUS_IGNORE);
}

static struct test test_of(struct measure_end *end, enum measure_way way, uint64_t size,
			   const struct measure_how *how)
{
	const bool there = way == MEASURE_THERE || way == MEASURE_BACK;
	struct test t = {.end = end,
			 .m = cut(end, size),
			 .way = way,
			 .size = size,
			 .meet = how->meet};

	t.keeps_time = end->first != (way == MEASURE_BACK);
	t.sends = !there || t.keeps_time;
	t.receives = !there || !t.keeps_time;
	return t;
}

struct measure_turns measure_times(struct measure_end *end, enum measure_way way,
				   uint64_t size, const struct measure_how *how,
				   uint64_t *wrong)
{
	const struct test t = test_of(end, way, size, how);
	struct measure_how one = *how;
	struct measure_turns made;

	if (way == MEASURE_PING_PONG)
		one.window = 1;
	made = (struct measure_turns){one.turns, one.window};
	reserve(end, &t.m, one.window, one.warmup + one.turns + 1);
	if (one.each && !(one.seconds > 0)) {
		*wrong = run_each(&t, &one);
		return made;
	}
	new_contents(end, size);
	if (one.seconds > 0) {
		made = run_for(&t, &one);
	} else {
		turns(&t, (struct measure_turns){one.warmup, one.window}, end->times);
		turns(&t, made, end->times);
	}
	*wrong = check(&t);
	return made;
}

void measure_run(struct measure_end *end, enum measure_way way, uint64_t size,
		 const struct measure_how *how, struct measure_figure *f)
{
	const struct test t = test_of(end, way, size, how);
	struct measure_turns made;
	uint64_t wrong;

	made = measure_times(end, way, size, how, &wrong);
	*f = (struct measure_figure){.turns = 0};
	if (t.keeps_time)
		summarise(&t, made, f);
	share(&t, f);
	f->wrong = wrong;
}
