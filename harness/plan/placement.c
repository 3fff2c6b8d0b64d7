/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks and threads on the cores of a node: see placement.h. */
#include "plan/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

enum per { PER_NODE, PER_L3, PER_DOMAIN, PER_CORE, PER_SOCKET };

struct word {
	enum per per;
	size_t n;   /* threads on each part, or one of the next two */
	bool ranks; /* each part is a rank of its own */
};

#define ALL_CORES   (SIZE_MAX - 1)
#define ALL_THREADS SIZE_MAX

/* Cores that may be used, in hwloc's order, grouped by the part they belong to. */
struct group {
	/* one CPU of each core, then the second ones of those that have two, and so on */
	size_t *cpus;
	size_t n, n_cpus; /* cores, CPUs */
};

struct groups {
	size_t *cpus;
	struct group *items;
	size_t n, n_cpus;
	size_t outside; /* cores that are on no such part */
};

/* A number from 1 to 8192 at @text; 0 for anything else, *@end behind it. */
static size_t count_at(const char *text, const char **end)
{
	char *behind = NULL;
	long n = *text >= '1' && *text <= '9' ? strtol(text, &behind, 10) : 0;

	*end = behind;
	return n > 0 && n <= 8192 ? (size_t)n : 0;
}

/* "N-per-PART": threads of one rank. */
static bool parse_threads(const char *text, struct word *w)
{
	static const struct {
		const char *suffix;
		enum per per;
	} parts[] = {{"-per-l3", PER_L3},
		     {"-per-domain", PER_DOMAIN},
		     {"-per-socket", PER_SOCKET},
		     {"-per-node", PER_NODE}};
	const char *end;
	size_t n = count_at(text, &end);

	for (size_t i = 0; n && i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcmp(end, parts[i].suffix) != 0)
			continue;
		*w = (struct word){parts[i].per, n, false};
		return true;
	}
	return false;
}

/* "one-per-PART" or "one-per-PART-xN": ranks. */
static bool parse_ranks(const char *text, struct word *w)
{
	static const struct {
		const char *prefix;
		enum per per;
	} parts[] = {{"one-per-l3", PER_L3},
		     {"one-per-domain", PER_DOMAIN},
		     {"one-per-socket", PER_SOCKET},
		     {"one-per-node", PER_NODE},
		     {"one-per-core", PER_CORE}};
	const char *end;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		size_t len = strlen(parts[i].prefix);

		if (strncmp(text, parts[i].prefix, len) != 0)
			continue;
		*w = (struct word){parts[i].per, ALL_CORES, true};
		if (!text[len])
			return true;
		if (strncmp(text + len, "-x", 2) != 0)
			return false;
		w->n = count_at(text + len + 2, &end);
		return w->n && !*end;
	}
	return false;
}

static int parse(const char *text, struct word *w, struct err *e)
{
	*w = (struct word){PER_NODE, ALL_CORES, false};
	if (!strcmp(text, "all-cores"))
		return 0;
	w->n = ALL_THREADS;
	if (!strcmp(text, "all-threads"))
		return 0;
	if (parse_threads(text, w) || parse_ranks(text, w))
		return 0;
	return err_set(e, ERR_USAGE,
		       "unknown place '%.60s', expected all-cores, all-threads, "
		       "N-per-l3|domain|socket|node, one-per-l3|domain|socket|node|core "
		       "(or one-per-l3-xN: N threads each) or anywhere",
		       text);
}

bool placement_anywhere(const char *word)
{
	return !strcmp(word, "anywhere");
}

int placement_check(const char *word, struct err *e)
{
	struct word w;

	return placement_anywhere(word) ? 0 : parse(word, &w, e);
}

static void say(struct arena *a, const char **remark, const char *text)
{
	*remark = *remark ? arena_printf(a, "%s; %s", *remark, text) : text;
}

/* Which part of its kind core @i is on; one part for all is number 0. */
static size_t part_of(const struct topology *t, size_t i, enum per per)
{
	const struct topology_core *c = &t->cores[i];

	switch (per) {
	case PER_CORE:
		return i;
	case PER_DOMAIN:
		return c->domain;
	case PER_SOCKET:
		return t->n_packages ? c->package : 0;
	case PER_L3:
		if (t->n_caches)
			return c->cache;
		if (t->n_packages)
			return c->package;
		break;
	case PER_NODE:
		break;
	}
	return 0;
}

/* A core of a group, and the CPU of it that is next. */
struct core_at {
	const struct topology_core *core;
	int cpu; /* -1: it has no more */
};

/* The first CPU of @c after @cpu that may be used, -1 when there is none. */
static int next_cpu(const struct topology_core *c, hwloc_const_bitmap_t mask, int cpu)
{
	do {
		cpu = hwloc_bitmap_next(c->cpus, cpu);
	} while (cpu >= 0 && !hwloc_bitmap_isset(mask, (unsigned int)cpu));
	return cpu;
}

/* The CPUs of @n cores into @g: one of each as long as there are any. */
static void fill_group(struct group *g, struct core_at *cores, size_t n,
		       hwloc_const_bitmap_t mask)
{
	g->n = n;
	for (bool any = n > 0; any;) {
		any = false;
		for (size_t i = 0; i < n; i++) {
			if (cores[i].cpu < 0)
				continue;
			g->cpus[g->n_cpus++] = (size_t)cores[i].cpu;
			cores[i].cpu = next_cpu(cores[i].core, mask, cores[i].cpu);
			any = true;
		}
	}
}

static void group_cores(const struct topology *t, hwloc_const_bitmap_t mask, enum per per,
			struct arena *a, struct groups *g)
{
	size_t parts = t->n_caches + t->n_packages + t->n_domains + 1;
	struct core_at *cores = arena_alloc(a, t->n_cores + 1, sizeof(*cores));

	parts = parts > t->n_cores ? parts : t->n_cores;
	memset(g, 0, sizeof(*g));
	g->cpus = arena_alloc(a, t->n_cpus + 1, sizeof(*g->cpus));
	g->items = arena_alloc(a, parts, sizeof(*g->items));
	for (size_t part = 0; part < parts; part++) {
		struct group *now = &g->items[g->n];
		size_t i = per == PER_CORE ? part : 0, n = 0;
		size_t end = per == PER_CORE ? part + 1 : t->n_cores;

		now->cpus = g->cpus + g->n_cpus;
		for (; i < end && i < t->n_cores; i++) {
			size_t at = part_of(t, i, per);
			int first = at == part || at == TOPOLOGY_NONE
					    ? next_cpu(&t->cores[i], mask, -1)
					    : -1;

			if (first < 0)
				continue;
			g->outside += part == 0 && at == TOPOLOGY_NONE;
			if (at == part)
				cores[n++] = (struct core_at){&t->cores[i], first};
		}
		fill_group(now, cores, n, mask);
		g->n_cpus += now->n_cpus;
		g->n += n > 0;
	}
}

/* Threads on one group. */
static size_t threads_on(const struct group *g, size_t wanted)
{
	if (wanted == ALL_CORES)
		return g->n;
	return wanted < g->n_cpus ? wanted : g->n_cpus;
}

/* @n of @all, evenly spread; hwloc's order makes that caches and domains. */
static void spread(const size_t *all, size_t n_all, size_t n, size_t *cpus)
{
	for (size_t i = 0; i < n; i++)
		cpus[i] = all[i * n_all / n];
}

/* @n of the group's CPUs, and no second one of a core while another has none. */
static size_t pick(const struct group *g, size_t n, size_t *cpus)
{
	n = threads_on(g, n);
	if (n <= g->n) {
		spread(g->cpus, g->n, n, cpus);
		return n;
	}
	spread(g->cpus, g->n, g->n, cpus);
	spread(g->cpus + g->n, g->n_cpus - g->n, n - g->n, cpus + g->n);
	return n;
}

/* Appends CPUs in their order, rising runs as ranges. */
static void list(const size_t *cpus, size_t n, struct strbuf *out)
{
	for (size_t i = 0; i < n;) {
		size_t k = i;

		while (k + 1 < n && cpus[k + 1] == cpus[k] + 1)
			k++;
		strbuf_addf(out, "%s%zu", i ? "," : "", cpus[i]);
		if (k > i)
			strbuf_addf(out, "-%zu", cpus[k]);
		i = k + 1;
	}
}

/* One rank on the cores chosen from all groups. */
static void one_rank(const struct groups *g, size_t n, struct arena *a,
		     struct strbuf *cpusets, struct placed *out)
{
	size_t *cpus = arena_alloc(a, g->n_cpus, sizeof(*cpus)), total = 0;

	for (size_t i = 0; i < g->n; i++)
		total += pick(&g->items[i], n, cpus + total);
	list(cpus, total, cpusets);
	out->per_node = 1;
	out->threads = (int)total;
}

/* A rank on each group; ranks have equally many threads, so the smallest decides. */
static void rank_per_group(const struct groups *g, size_t n, struct arena *a,
			   struct strbuf *cpusets, struct placed *out)
{
	size_t *cpus = arena_alloc(a, g->n_cpus, sizeof(*cpus));

	for (size_t i = 0; i < g->n; i++) {
		size_t most = threads_on(&g->items[i], n);

		n = i && most > n ? n : most;
	}
	for (size_t i = 0; i < g->n; i++) {
		size_t got = pick(&g->items[i], n, cpus);

		if (i)
			strbuf_addch(cpusets, ':');
		list(cpus, got, cpusets);
	}
	out->per_node = (int)g->n;
	out->threads = (int)n;
}

/* What the node could not give of the threads asked for. */
static void few_cores(const struct word *w, const struct groups *g, struct arena *a,
		      const char **remark)
{
	static const char *const names[] = {"the node", "an L3", "a NUMA domain",
					    "a core", "a socket"};
	static const char *const parts[] = {[PER_NODE] = "nodes",
					    [PER_L3] = "L3 caches",
					    [PER_DOMAIN] = "NUMA domains",
					    [PER_CORE] = "cores",
					    [PER_SOCKET] = "sockets"};
	size_t cores = SIZE_MAX, most = 0, cpus = SIZE_MAX;

	for (size_t i = 0; i < g->n; i++) {
		cores = g->items[i].n < cores ? g->items[i].n : cores;
		most = g->items[i].n > most ? g->items[i].n : most;
		cpus = g->items[i].n_cpus < cpus ? g->items[i].n_cpus : cpus;
	}
	if (w->ranks && w->n == ALL_CORES && cores != most)
		say(a, remark,
		    arena_printf(a, "%s: %zu to %zu usable cores on each, %zu used",
				 parts[w->per], cores, most, cores));
	if (w->n >= ALL_CORES || cores >= w->n)
		return;
	if (cpus >= w->n)
		say(a, remark,
		    arena_printf(a,
				 "%s has %zu usable cores for %zu threads: SMT siblings "
				 "are used as well",
				 names[w->per], cores, w->n));
	else
		say(a, remark,
		    arena_printf(a, "%s has %zu usable %s of the %zu asked for",
				 names[w->per], cpus, cpus > cores ? "CPUs" : "cores",
				 w->n));
}

/* What the node could not give. */
static void remarks(const struct topology *t, const struct word *w,
		    const struct groups *g, struct arena *a, const char **remark)
{
	if (w->per == PER_L3 && !t->n_caches)
		say(a, remark,
		    t->n_packages ? "no L3 known, packages taken for it"
				  : "no L3 known, the node taken as one");
	else if (w->per == PER_L3 && t->cache_level != 3)
		say(a, remark,
		    arena_printf(a, "no L3 known, L%d caches taken for it",
				 t->cache_level));
	few_cores(w, g, a, remark);
	if (g->outside)
		say(a, remark,
		    arena_printf(a, "%zu cores are on no such part and stay idle",
				 g->outside));
}

int placement_make(const struct topology *t, hwloc_const_bitmap_t mask, const char *word,
		   struct arena *a, struct placed *out, const char **remark,
		   struct err *e)
{
	struct strbuf cpusets = {0};
	struct groups g;
	struct word w;

	memset(out, 0, sizeof(*out));
	*remark = NULL;
	if (placement_anywhere(word)) {
		*out = (struct placed){.per_node = 1, .threads = 1, .cpusets = ""};
		return 0;
	}
	if (parse(word, &w, e))
		return -1;
	group_cores(t, mask, w.per, a, &g);
	if (!g.n && g.outside) {
		say(a, remark,
		    "cores are on no NUMA domain or cache, the node taken as one");
		w = (struct word){PER_NODE, w.n, false};
		group_cores(t, mask, w.per, a, &g);
	}
	if (!g.n)
		return err_set(e, ERR_USAGE,
			       "none of the CPUs that may be used is in the topology");
	remarks(t, &w, &g, a, remark);
	if (w.ranks)
		rank_per_group(&g, w.n, a, &cpusets, out);
	else
		one_rank(&g, w.n, a, &cpusets, out);
	out->cpusets = arena_strdup(a, strbuf_str(&cpusets));
	strbuf_release(&cpusets);
	return 0;
}
