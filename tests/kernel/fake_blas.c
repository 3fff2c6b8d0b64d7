/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A BLAS to put in the place of the system's by LD_PRELOAD: right and slow, and with
 * FAKE_BLAS_THREADS=N it works with N threads of its own, whatever it is told.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { MOST = 64 };

struct part {
	const double *a, *b;
	double *c;
	int m, k, ld, first, end; /* columns */
};

void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha,
		 const double *a, int lda, const double *b, int ldb, double beta,
		 double *c, int ldc);

static void work(const struct part *p)
{
	const size_t ld = (size_t)p->ld;

	for (int j = p->first; j < p->end; j++) {
		for (int l = 0; l < p->k; l++) {
			const double x = p->b[(size_t)j * ld + (size_t)l];

			for (int i = 0; i < p->m; i++)
				p->c[(size_t)j * ld + (size_t)i] +=
					p->a[(size_t)l * ld + (size_t)i] * x;
		}
	}
}

/* Threads that wait for the next product, as those of libraries do. */
static struct pool {
	struct part parts[MOST];
	pthread_barrier_t begin, end;
	int threads;
} pool;
static pthread_mutex_t one_product = PTHREAD_MUTEX_INITIALIZER;

static void *member(void *arg)
{
	for (;;) {
		(void)pthread_barrier_wait(&pool.begin);
		work(arg);
		(void)pthread_barrier_wait(&pool.end);
	}
	return NULL;
}

static void start_pool(int threads)
{
	pthread_t id;

	pool.threads = threads;
	(void)pthread_barrier_init(&pool.begin, NULL, (unsigned)threads);
	(void)pthread_barrier_init(&pool.end, NULL, (unsigned)threads);
	for (int i = 1; i < threads; i++) {
		if (pthread_create(&id, NULL, member, &pool.parts[i]))
			abort();
	}
}

/* The pool works on @whole, column by column. */
static void share_out(const struct part *whole, int threads)
{
	(void)pthread_mutex_lock(&one_product);
	if (!pool.threads)
		start_pool(threads);
	for (int i = 0; i < threads; i++) {
		pool.parts[i] = *whole;
		pool.parts[i].first = whole->end * i / threads;
		pool.parts[i].end = whole->end * (i + 1) / threads;
	}
	(void)pthread_barrier_wait(&pool.begin);
	work(&pool.parts[0]);
	(void)pthread_barrier_wait(&pool.end);
	(void)pthread_mutex_unlock(&one_product);
}

/*
 * As assay-dgemm calls it: by columns, not transposed, C = A B + C, one ld for all. The
 * signature is the library's.
 */
/* NOLINTBEGIN(readability-function-size,readability-non-const-parameter) */
void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha,
		 const double *a, int lda, const double *b, int ldb, double beta,
		 double *c, int ldc)
{
	const char *env = getenv("FAKE_BLAS_THREADS");
	const struct part whole = {
		.a = a, .b = b, .c = c, .m = m, .k = k, .ld = ldc, .end = n};
	const int threads = env ? (int)strtol(env, NULL, 10) : 1;

	(void)order;
	(void)ta;
	(void)tb;
	(void)lda;
	(void)ldb;
	if (alpha != 1 || beta != 1 || threads < 1 || threads > MOST)
		abort();
	if (threads == 1)
		work(&whole);
	else
		share_out(&whole, threads);
}
/* NOLINTEND(readability-function-size,readability-non-const-parameter) */
