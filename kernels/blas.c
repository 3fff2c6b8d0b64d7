/* SPDX-License-Identifier: Apache-2.0 */
/* The BLAS of this machine: see blas.h. */
#include "kernels/blas.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <omp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The real path of the library that the function at @p is in; "" when it is in none. */
static void file_of(void *p, char *path)
{
	Dl_info info;

	if (!p || !dladdr(p, &info) || !info.dli_fname || !realpath(info.dli_fname, path))
		path[0] = '\0';
}

static size_t folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

/*
 * A function of the library that works for us, if it has it: one from the folder of its
 * cblas_dgemm(). Another BLAS may be in the program as well, put in front by LD_PRELOAD
 * or dragged in by some other library. POSIX wants object pointers to hold functions.
 */
static bool symbol(const struct blas *b, void *function, const char *name)
{
	void *p = dlsym(RTLD_DEFAULT, name);
	char path[PATH_MAX];
	size_t len = folder_of(b->file);

	file_of(p, path);
	if (folder_of(path) != len || strncmp(path, b->file, len) != 0)
		p = NULL;
	memcpy(function, &p, sizeof(p));
	return p != NULL;
}

/* The first @len bytes of @text at most, cut to what fits. */
static void copy(char *to, size_t size, const char *text, size_t len)
{
	const size_t n = strnlen(text, len < size ? len : size - 1);

	memcpy(to, text, n);
	to[n] = '\0';
}

/* The word after @word in "OpenBLAS 0.3.21 DYNAMIC_ARCH USE_OPENMP SkylakeX". */
static void word_after(const char *text, const char *word, char *to, size_t size)
{
	const char *at = strstr(text, word);

	if (!at)
		return;
	at += strlen(word);
	at += strspn(at, " ");
	copy(to, size, at, strcspn(at, " "));
}

static bool find_openblas(struct blas *b)
{
	enum { OPENMP = 2 }; /* as openblas_get_parallel() says it */
	char *(*config)(void);
	char *(*core)(void);
	int (*parallel)(void);

	if (!symbol(b, &config, "openblas_get_config"))
		return false;
	copy(b->name, sizeof(b->name), "OpenBLAS", SIZE_MAX);
	word_after(config(), "OpenBLAS", b->version, sizeof(b->version));
	if (symbol(b, &core, "openblas_get_corename"))
		copy(b->core, sizeof(b->core), core(), SIZE_MAX);
	b->openmp = symbol(b, &parallel, "openblas_get_parallel") && parallel() == OPENMP;
	(void)symbol(b, &b->set_threads, "openblas_set_num_threads");
	(void)symbol(b, &b->get_threads, "openblas_get_num_threads");
	return true;
}

/* BLIS has numbers of its own type, gint_t: 64 bits on all systems we run on. */
static bool find_blis(struct blas *b)
{
	const char *(*version)(void);
	const char *(*arch_name)(int);
	int (*arch)(void);
	long (*openmp)(void);

	if (!symbol(b, &version, "bli_info_get_version_str"))
		return false;
	copy(b->name, sizeof(b->name), "BLIS", SIZE_MAX);
	copy(b->version, sizeof(b->version), version(), SIZE_MAX);
	if (symbol(b, &arch, "bli_arch_query_id") &&
	    symbol(b, &arch_name, "bli_arch_string"))
		copy(b->core, sizeof(b->core), arch_name(arch()), SIZE_MAX);
	b->openmp = symbol(b, &openmp, "bli_info_get_enable_openmp") && openmp() != 0;
	return true;
}

static bool find_mkl(struct blas *b)
{
	void (*version)(char *text, int size);
	char text[256] = "";

	if (!symbol(b, &version, "MKL_Get_Version_String"))
		return false;
	copy(b->name, sizeof(b->name), "MKL", SIZE_MAX);
	version(text, (int)sizeof(text) - 1);
	word_after(text, "Version", b->version, sizeof(b->version));
	(void)symbol(b, &b->set_threads, "MKL_Set_Num_Threads");
	(void)symbol(b, &b->get_threads, "MKL_Get_Max_Threads");
	return true;
}

/* Debian's BLIS hides its own functions: then its file's folder tells. */
static void find_by_file(struct blas *b)
{
	const char *slash = strrchr(b->file, '/');

	if (strstr(b->file, "blis"))
		copy(b->name, sizeof(b->name), "BLIS", SIZE_MAX);
	else
		copy(b->name, sizeof(b->name), slash ? slash + 1 : "unknown BLAS",
		     SIZE_MAX);
}

void blas_find(struct blas *b)
{
	memset(b, 0, sizeof(*b));
	file_of(dlsym(RTLD_DEFAULT, "cblas_dgemm"), b->file);
	if (!find_openblas(b) && !find_blis(b) && !find_mkl(b))
		find_by_file(b);
}

int blas_set_threads(const struct blas *b, int n)
{
	const int team = omp_get_max_threads();
	char text[16];

	if (b->set_threads) {
		b->set_threads(n);
		omp_set_num_threads(team); /* OpenBLAS would change it for us as well */
	} else {
		(void)snprintf(text, sizeof(text), "%d", n);
		(void)setenv("BLIS_NUM_THREADS", text, 1);
		(void)setenv("MKL_NUM_THREADS", text, 1);
	}
	return b->get_threads ? b->get_threads() : 0;
}

char *blas_text(const struct blas *b, char *text, size_t size)
{
	const char *parts[] = {b->core, b->openmp ? "OpenMP" : ""};
	const char *sep = " (";
	size_t len;

	(void)snprintf(text, size, "%s%s%s", b->name, *b->version ? " " : "", b->version);
	for (size_t i = 0; i < 2; i++) {
		if (!*parts[i])
			continue;
		len = strlen(text);
		(void)snprintf(text + len, size - len, "%s%s", sep, parts[i]);
		sep = ", ";
	}
	len = strlen(text);
	if (sep[0] == ',' && len + 1 < size)
		(void)snprintf(text + len, size - len, ")");
	return text;
}

/* Seconds a thread has run: the first number of its schedstat, in ns. */
static double seconds_of(int id)
{
	char path[64], line[128] = "";
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", id);
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	(void)fclose(f);
	return (double)strtoull(line, NULL, 10) / 1e9;
}

void blas_watch_start(struct blas_watch *w)
{
	DIR *dir = opendir("/proc/self/task");
	const struct dirent *d;

	w->n = 0;
	while (dir && w->n < BLAS_WATCHED && (d = readdir(dir))) {
		const int id = (int)strtol(d->d_name, NULL, 10);

		if (id <= 0)
			continue;
		w->threads[w->n].id = id;
		w->threads[w->n++].seconds = seconds_of(id);
	}
	if (dir)
		(void)closedir(dir);
}

/* What thread @id had run before; 0 for one that is new. */
static double before(const struct blas_watch *w, int id)
{
	for (size_t i = 0; i < w->n; i++) {
		if (w->threads[i].id == id)
			return w->threads[i].seconds;
	}
	return 0;
}

/* The thread may run on one CPU alone; true as well when nobody knows. */
static bool is_bound(int id)
{
	cpu_set_t mask[8]; /* 8192 CPUs */

	memset(mask, 0, sizeof(mask));
	return sched_getaffinity(id, sizeof(mask), mask) ||
	       CPU_COUNT_S(sizeof(mask), mask) == 1;
}

int blas_watch_end(const struct blas_watch *w, int *loose)
{
	static const double worth = 0.05;
	struct blas_watch *now = malloc(sizeof(*now));
	double most = 0;
	int n = 0;

	*loose = 0;
	if (!now)
		return 0;
	blas_watch_start(now);
	for (size_t i = 0; i < now->n; i++) {
		now->threads[i].seconds -= before(w, now->threads[i].id);
		most = now->threads[i].seconds > most ? now->threads[i].seconds : most;
	}
	for (size_t i = 0; i < now->n && most > 0; i++) {
		if (now->threads[i].seconds < worth * most)
			continue;
		n++;
		*loose += !is_bound(now->threads[i].id);
	}
	free(now);
	return n;
}
