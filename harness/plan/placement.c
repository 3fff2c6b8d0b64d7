/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks and threads on the cores of a node: see placement.h. */
#include "plan/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

enum per { PER_NODE, PER_L3, PER_DOMAIN };

struct word {
	enum per per;
	size_t n;   /* threads on each part; SIZE_MAX all cores */
	bool ranks; /* each part is a rank of its own */
};

/* Cores that may be used, in hwloc's order, grouped by the part they belong to. */
struct group {
	size_t *cpus; /* one CPU a core, into struct cores */
	size_t n;
};

struct groups {
	size_t *cpus;
	struct group *items;
	size_t n, n_cpus;
	size_t outside; /* cores that are on no such part */
};

static int parse(const char *text, struct word *w, struct err *e)
{
	static const struct {
		const char *suffix;
		enum per per;
	} counted[] = {{"-per-l3", PER_L3},
		       {"-per-domain", PER_DOMAIN},
		       {"-per-node", PER_NODE}};
	char *end;
	long n;

	*w = (struct word){PER_NODE, SIZE_MAX, false};
	if (!strcmp(text, "all-cores"))
		return 0;
	if (!strcmp(text, "one-per-domain")) {
		w->per = PER_DOMAIN;
		w->ranks = true;
		return 0;
	}
	n = *text >= '1' && *text <= '9' ? strtol(text, &end, 10) : 0;
	for (size_t i = 0; n > 0 && n <= 8192 && i < 3; i++) {
		if (!strcmp(end, counted[i].suffix)) {
			w->per = counted[i].per;
			w->n = (size_t)n;
			return 0;
		}
	}
	return err_set(
		e, ERR_USAGE,
		"unknown place '%.60s', expected all-cores, N-per-l3, N-per-domain, "
		"N-per-node, one-per-domain or anywhere",
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

/* Which part of its kind a core is on; one part for all is number 0. */
static size_t part_of(const struct topology *t, const struct topology_core *c,
		      enum per per)
{
	switch (per) {
	case PER_DOMAIN:
		return c->domain;
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

/* The CPU that stands for each core, -1 for cores that may not be used. */
static int *first_cpus(const struct topology *t, hwloc_const_bitmap_t mask,
		       struct arena *a)
{
	int *first = arena_alloc(a, t->n_cores + 1, sizeof(*first));
	hwloc_bitmap_t usable = hwloc_bitmap_alloc();

	for (size_t i = 0; i < t->n_cores; i++) {
		(void)hwloc_bitmap_and(usable, t->cores[i].cpus, mask);
		first[i] = hwloc_bitmap_first(usable);
	}
	hwloc_bitmap_free(usable);
	return first;
}

static void group_cores(const struct topology *t, hwloc_const_bitmap_t mask, enum per per,
			struct arena *a, struct groups *g)
{
	size_t parts = t->n_caches + t->n_packages + t->n_domains + 1;
	const int *first = first_cpus(t, mask, a);

	memset(g, 0, sizeof(*g));
	g->cpus = arena_alloc(a, t->n_cores + 1, sizeof(*g->cpus));
	g->items = arena_alloc(a, parts, sizeof(*g->items));
	for (size_t part = 0; part < parts; part++) {
		struct group *now = &g->items[g->n];

		now->cpus = g->cpus + g->n_cpus;
		for (size_t i = 0; i < t->n_cores; i++) {
			size_t at = part_of(t, &t->cores[i], per);

			if (first[i] < 0)
				continue;
			g->outside += part == 0 && at == TOPOLOGY_NONE;
			if (at == part)
				now->cpus[now->n++] = (size_t)first[i];
		}
		g->n_cpus += now->n;
		g->n += now->n > 0;
	}
}

/* @n of the group's cores, evenly spread; hwloc's order makes that caches and domains. */
static size_t pick(const struct group *g, size_t n, size_t *cpus)
{
	n = n < g->n ? n : g->n;
	for (size_t i = 0; i < n; i++)
		cpus[i] = g->cpus[i * g->n / n];
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

	for (size_t i = 0; i < g->n; i++)
		n = g->items[i].n < n ? g->items[i].n : n;
	for (size_t i = 0; i < g->n; i++) {
		size_t got = pick(&g->items[i], n, cpus);

		if (i)
			strbuf_addch(cpusets, ':');
		list(cpus, got, cpusets);
	}
	out->per_node = (int)g->n;
	out->threads = (int)n;
}

/* What the node could not give. */
static void remarks(const struct topology *t, const struct word *w,
		    const struct groups *g, struct arena *a, const char **remark)
{
	static const char *const names[] = {"the node", "an L3", "a NUMA domain"};
	size_t least = SIZE_MAX, most = 0;

	for (size_t i = 0; i < g->n; i++) {
		least = g->items[i].n < least ? g->items[i].n : least;
		most = g->items[i].n > most ? g->items[i].n : most;
	}
	if (w->per == PER_L3 && !t->n_caches)
		say(a, remark,
		    t->n_packages ? "no L3 known, packages taken for it"
				  : "no L3 known, the node taken as one");
	else if (w->per == PER_L3 && t->cache_level != 3)
		say(a, remark,
		    arena_printf(a, "no L3 known, L%d caches taken for it",
				 t->cache_level));
	if (w->n != SIZE_MAX && least < w->n)
		say(a, remark,
		    arena_printf(a, "%s has %zu usable cores of the %zu asked for",
				 names[w->per], least, w->n));
	if (w->ranks && least != most)
		say(a, remark,
		    arena_printf(a, "NUMA domains have %zu to %zu usable cores, %zu used",
				 least, most, least));
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
