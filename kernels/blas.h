/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BLAS a kernel works with: which one it is, and how many threads really work. Any
 * library with the C interface can take the place of the system's libblas, by Debian's
 * alternatives, LD_LIBRARY_PATH or LD_PRELOAD, without a new build: everything beyond
 * cblas_* is asked for by name and may be absent.
 */
#ifndef ASSAY_KERNELS_BLAS_H
#define ASSAY_KERNELS_BLAS_H

#include <cblas.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct blas {
	char name[32];       /* "OpenBLAS", "BLIS", "MKL", else the name of its file */
	char version[32];    /* "0.3.21"; "" unknown */
	char core[32];       /* what it chose for this CPU: "SkylakeX"; "" unknown */
	char file[PATH_MAX]; /* the library cblas_dgemm() is in; "" unknown */
	bool openmp; /* its threads are OpenMP's, so those that the kit has bound */
	/* NULL where the library has no such function */
	void (*set_threads)(int n);
	int (*get_threads)(void);
};

void blas_find(struct blas *b);

/*
 * Threads of each call from now on. A library that cannot be told is told by its
 * variables of the environment, which it reads before its first call. The size of OpenMP
 * teams stays as it is; inside of one, libraries that use OpenMP work with one thread.
 * Gives what the library says it will take, 0 when it says nothing: only blas_watch
 * knows the truth.
 */
int blas_set_threads(const struct blas *b, int n);

/* "OpenBLAS 0.3.21 (SkylakeX, OpenMP)" into @text; always returns it. */
char *blas_text(const struct blas *b, char *text, size_t size);

/* Threads of this process that work between two calls, by the time they ran. */
enum { BLAS_WATCHED = 4096 };
struct blas_watch {
	struct {
		int id;
		double seconds;
	} threads[BLAS_WATCHED];
	size_t n;
};

void blas_watch_start(struct blas_watch *w);
/*
 * The number of threads that have run for at least a twentieth of the time of the one
 * that ran most (idle ones of OpenMP wait actively for a moment); 0 when the system does
 * not say. *@loose: how many of them may run on more than one CPU.
 */
int blas_watch_end(const struct blas_watch *w, int *loose);

#endif
