/* SPDX-License-Identifier: Apache-2.0 */
/* Clock and temperature while a kernel runs: see gauges.h. */
#include "kernels/kit/gauges.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

struct gauges {
	const struct host_io *io;
	const int *cpus;
	size_t n_cpus;
	struct cpumask where;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool end;
	struct counters_gauges looks[GAUGES_KEPT];
	int n, every, skipped; /* one look of @every is kept */
	double period;         /* s */
};

/* Looks that are twice as far apart make room for as many again. */
static void thin_out(struct gauges *g)
{
	for (int i = 0; i < g->n / 2; i++)
		g->looks[i] = g->looks[2 * i + 1];
	g->n /= 2;
	g->every *= 2;
}

static void keep(struct gauges *g, struct counters_gauges look)
{
	if (++g->skipped < g->every)
		return;
	g->skipped = 0;
	if (g->n == GAUGES_KEPT)
		thin_out(g);
	g->looks[g->n++] = look;
}

static void add_seconds(struct timespec *t, double s)
{
	const long second = 1000000000;

	t->tv_sec += (time_t)s;
	t->tv_nsec += (long)((s - floor(s)) * (double)second);
	t->tv_sec += t->tv_nsec / second;
	t->tv_nsec %= second;
}

static void *watch(void *ctx)
{
	struct gauges *g = ctx;
	struct timespec next;

	(void)sched_setaffinity(0, sizeof(g->where), (cpu_set_t *)(void *)g->where.bits);
	(void)clock_gettime(CLOCK_MONOTONIC, &next);
	(void)pthread_mutex_lock(&g->lock);
	while (!g->end) {
		add_seconds(&next, g->period);
		while (!g->end && !pthread_cond_timedwait(&g->wake, &g->lock, &next))
			;
		if (!g->end)
			keep(g, counters_gauges(g->io, g->cpus, g->n_cpus));
	}
	(void)pthread_mutex_unlock(&g->lock);
	return NULL;
}

/* CPUs of @allowed that are not worked on; all of @allowed when there are none. */
static struct cpumask idle(const struct cpumask *allowed, const int *cpus, int n)
{
	struct cpumask used = {0}, free_ones = {0};

	for (int i = 0; i < n; i++)
		cpumask_add(&used, cpus[i]);
	for (int cpu = 0; cpu < CPULIST_MAX; cpu++) {
		if (cpumask_has(allowed, cpu) && !cpumask_has(&used, cpu))
			cpumask_add(&free_ones, cpu);
	}
	return cpumask_count(&free_ones) ? free_ones : *allowed;
}

struct gauges *gauges_start(const struct host_io *io, const int *cpus, int n,
			    const struct cpumask *allowed, double period)
{
	const struct counters_gauges now = counters_gauges(io, cpus, (size_t)n);
	pthread_condattr_t attr;
	struct gauges *g;

	if (isnan(now.frequency) && isnan(now.temperature))
		return NULL;
	g = mem_calloc(1, sizeof(*g));
	g->io = io;
	g->cpus = cpus;
	g->n_cpus = (size_t)n;
	g->where = idle(allowed, cpus, n);
	g->every = 1;
	g->period = period;
	(void)pthread_condattr_init(&attr);
	(void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&g->wake, &attr);
	(void)pthread_condattr_destroy(&attr);
	(void)pthread_mutex_init(&g->lock, NULL);
	if (!pthread_create(&g->thread, NULL, watch, g))
		return g;
	(void)pthread_cond_destroy(&g->wake);
	(void)pthread_mutex_destroy(&g->lock);
	free(g);
	return NULL;
}

const struct counters_gauges *gauges_stop(struct gauges *g, int *n)
{
	(void)pthread_mutex_lock(&g->lock);
	g->end = true;
	(void)pthread_cond_signal(&g->wake);
	(void)pthread_mutex_unlock(&g->lock);
	(void)pthread_join(g->thread, NULL);
	(void)pthread_cond_destroy(&g->wake);
	(void)pthread_mutex_destroy(&g->lock);
	*n = g->n;
	return g->looks;
}

void gauges_free(struct gauges *g)
{
	free(g);
}
