/* SPDX-License-Identifier: Apache-2.0 */
/* Binding: each thread to one CPU, only inside the mask the process was started with. */
#include <errno.h>
#include <omp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/kit/internal.h"
#include "kernels/kit/place.h"

/* The calling thread's mask; @mask is empty when the system does not say. */
static void current_mask(struct cpumask *mask)
{
	memset(mask, 0, sizeof(*mask));
	if (sched_getaffinity(0, sizeof(*mask), (cpu_set_t *)(void *)mask->bits))
		memset(mask, 0, sizeof(*mask));
}

void kit_inherited(struct cpumask *mask)
{
	int *cpus = mem_calloc(CPULIST_MAX, sizeof(*cpus));
	const int places = omp_get_num_places();

	current_mask(mask);
	/*
	 * With OMP_PROC_BIND or OMP_PLACES the OpenMP runtime has bound this thread to
	 * the first place before main(). The places together are what was inherited.
	 */
	for (int i = 0; i < places; i++) {
		const int n = omp_get_place_num_procs(i);

		if (n <= 0 || n > CPULIST_MAX)
			continue;
		omp_get_place_proc_ids(i, cpus);
		for (int j = 0; j < n; j++) {
			if (cpus[j] >= 0 && cpus[j] < CPULIST_MAX)
				cpumask_add(mask, cpus[j]);
		}
	}
	free(cpus);
}

/* Threads asked for: one where the kernel has no more, --threads, else OMP_NUM_THREADS,
 * else 0. */
static int wanted_threads(const struct kit *k)
{
	const char *env = getenv("OMP_NUM_THREADS");
	const int n = k->kernel->alone ? 1 : (int)kit_int(k, "threads");

	if (n || !env || !*env)
		return n;
	return omp_get_max_threads();
}

static int too_many(struct kit *k, int threads, int cpus, struct err *e)
{
	return kit_invalid(k, e, "%d threads on %d CPU%s", threads, cpus,
			   cpus == 1 ? "" : "s");
}

/* The same of a whole node, where every rank knows it: one says it. */
static int node_too_many(struct kit *k, int threads, int cpus, struct err *e)
{
	if (k->local_rank)
		return err_set(e, ERR_SYSTEM, "%s", "");
	if (k->local_ranks == 1)
		return too_many(k, threads, cpus, e);
	return kit_invalid(k, e, "%d threads on %d CPU%s: %d ranks on one node", threads,
			   cpus, cpus == 1 ? "" : "s", k->local_ranks);
}

/* This rank's part of --cpuset into @cpus. */
static int from_cpuset(struct kit *k, const char *text, int **cpus, int *n, struct err *e)
{
	const struct cpumask *mask = &k->priv->mask;
	struct strbuf inherited = {0};
	int wanted, rc = 0;

	for (int i = 0; i < k->local_rank; i++) {
		text = strchr(text, ':');
		if (!text)
			return err_set(
				e, ERR_USAGE,
				"option '--cpuset': no CPUs for local rank %d of %d",
				k->local_rank, k->local_ranks);
		text++;
	}
	if (cpulist_parse(text, strcspn(text, ":"), cpus, n, e))
		return -1;
	cpumask_format(mask, &inherited);
	for (int i = 0; i < *n && !rc; i++) {
		if (!cpumask_has(mask, (*cpus)[i]))
			rc = kit_invalid(k, e,
					 "CPU %d of --cpuset is not among the CPUs this "
					 "process may use, %.512s",
					 (*cpus)[i], strbuf_str(&inherited));
	}
	strbuf_release(&inherited);
	wanted = wanted_threads(k);
	k->threads = wanted ? wanted : *n;
	if (!rc && k->threads > *n)
		rc = too_many(k, k->threads, *n, e);
	*n = k->threads; /* the first of them, in the order of the list */
	return rc;
}

/* Node. All ranks of the node were started with the same mask. */
static bool same_masks(const struct kit *k)
{
	struct cpumask all, any;
	const struct cpumask *mask = &k->priv->mask;
	const int words = CPULIST_MAX / 64;

	(void)MPI_Allreduce(mask->bits, all.bits, words, MPI_UINT64_T, MPI_BAND, k->node);
	(void)MPI_Allreduce(mask->bits, any.bits, words, MPI_UINT64_T, MPI_BOR, k->node);
	return !memcmp(&all, &any, sizeof(all));
}

/* Node. CPUs without --cpuset: shared out when the ranks of the node share one mask. */
static int by_itself(struct kit *k, const struct place *p, int **cpus, int *n,
		     struct err *e)
{
	const struct cpumask *mask = &k->priv->mask;
	const bool share = same_masks(k);
	const int ranks = share ? k->local_ranks : 1, all = cpumask_count(mask);
	const int cores = place_cores(p, mask);
	int wanted = wanted_threads(k), before = 0, total;
	int *spread;

	if (!wanted)
		wanted = cores > ranks ? cores / ranks : 1;
	total = wanted;
	if (share) {
		(void)MPI_Exscan(&wanted, &before, 1, MPI_INT, MPI_SUM, k->node);
		(void)MPI_Allreduce(&wanted, &total, 1, MPI_INT, MPI_SUM, k->node);
		if (!k->local_rank)
			before = 0; /* MPI leaves it undefined there */
	}
	k->threads = wanted;
	if (total > all)
		return share ? node_too_many(k, total, all, e)
			     : too_many(k, total, all, e);
	spread = mem_calloc((size_t)total, sizeof(*spread));
	place_spread(p, mask, total, spread);
	*n = wanted;
	*cpus = mem_calloc((size_t)wanted, sizeof(**cpus));
	memcpy(*cpus, spread + before, (size_t)wanted * sizeof(**cpus));
	free(spread);
	return 0;
}

/* Node. No CPU is chosen by two threads, of whichever ranks. */
static int check_node(struct kit *k, const int *cpus, int n, struct err *e)
{
	int *counts = mem_calloc((size_t)k->local_ranks, sizeof(*counts));
	int *starts = mem_calloc((size_t)k->local_ranks, sizeof(*starts));
	struct cpumask used = {0};
	int total = 0, *all;

	(void)MPI_Allgather(&n, 1, MPI_INT, counts, 1, MPI_INT, k->node);
	for (int i = 0; i < k->local_ranks; i++) {
		starts[i] = total;
		total += counts[i];
	}
	all = mem_calloc((size_t)total, sizeof(*all));
	(void)MPI_Allgatherv(cpus, n, MPI_INT, all, counts, starts, MPI_INT, k->node);
	for (int i = 0; i < total; i++)
		cpumask_add(&used, all[i]);
	free(all);
	free(counts);
	free(starts);
	if (cpumask_count(&used) < total)
		return node_too_many(k, total, cpumask_count(&used), e);
	return 0;
}

/* Binds the calling thread to @cpu, or only looks; true when it is bound there alone. */
static bool bound(int cpu, bool bind)
{
	struct cpumask want = {0}, have;

	cpumask_add(&want, cpu);
	if (bind && sched_setaffinity(0, sizeof(want), (cpu_set_t *)(void *)want.bits))
		return false;
	current_mask(&have);
	return !memcmp(&want, &have, sizeof(want));
}

/* Every thread of the team, bound to its CPU or only looked at. */
static int bind_team(struct kit *k, bool bind, struct err *e)
{
	int team = 0, wrong = -1;

#pragma omp parallel num_threads(k->threads)
	{
		const int i = omp_get_thread_num();

#pragma omp single
		team = omp_get_num_threads();
		if (i < k->threads && !bound(k->cpus[i].cpu, bind)) {
#pragma omp critical
			wrong = i;
		}
	}
	if (team != k->threads)
		return kit_invalid(k, e, "OpenMP gives %d of %d threads", team,
				   k->threads);
	if (wrong >= 0)
		return kit_invalid(k, e,
				   bind ? "thread %d cannot be bound to CPU %d"
					: "thread %d did not stay on CPU %d",
				   wrong, k->cpus[wrong].cpu);
	return 0;
}

int kit_bind_check(struct kit *k, struct err *e)
{
	return bind_team(k, false, e);
}

int kit_bind(struct kit *k, struct err *e)
{
	const char *cpuset = kit_option(k, "cpuset");
	struct place *place = place_load();
	int *cpus = NULL, n = 0, rc;

	omp_set_dynamic(0);
	if (cpuset[0])
		rc = from_cpuset(k, cpuset, &cpus, &n, e);
	else
		rc = by_itself(k, place, &cpus, &n, e);
	if (check_node(k, cpus, rc ? 0 : n, e) || rc)
		rc = -1;
	if (!rc) {
		k->priv->cpus = mem_calloc((size_t)n, sizeof(*k->priv->cpus));
		for (int i = 0; i < n; i++)
			k->priv->cpus[i] = place_cpu(place, cpus[i]);
		k->cpus = k->priv->cpus;
		omp_set_num_threads(n);
		rc = bind_team(k, true, e);
	}
	free(cpus);
	place_release(place);
	return rc;
}

int kit_move(struct kit *k, const char *cpus, struct err *e)
{
	struct place *place;
	int *list, n, found = -1;

	if (cpulist_parse(cpus, strlen(cpus), &list, &n, e)) {
		free(list);
		return -1;
	}
	for (int i = 0; i < n && found < 0; i++) {
		if (cpumask_has(&k->priv->mask, list[i]))
			found = list[i];
	}
	free(list);
	if (found < 0)
		return kit_invalid(k, e, "this process may use none of the CPUs %.512s",
				   cpus);
	place = place_load();
	k->priv->cpus[0] = place_cpu(place, found);
	place_release(place);
	return bind_team(k, true, e);
}
