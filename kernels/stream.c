/* SPDX-License-Identifier: Apache-2.0 */
/*
 * STREAM: sustained memory bandwidth by McCalpin's four loops and a pure read, over all
 * threads of a node or over each NUMA domain alone.
 *
 * Bytes of an element are those the program asks for (copy and scale 16, add and triad
 * 24, read 8): a plain store that first fetches its line moves more than is counted.
 *
 * The best repetition is what the memory can do, the sustained rate what a program gets
 * of it: a quota of CPU time, a neighbour or a clock that is throttled now and then slow
 * most of the loops and leave the best one alone.
 */
#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "kernels/kit/kit.h"
#include "kernels/loops.h"
#include "kernels/stream_size.h"

static const double scalar = 3.0;

#define RATE .unit = "B/s", .better = "higher", .reduce = "best"

static const struct kit_metric metrics[] = {
	{.name = "stream.copy", RATE, .help = "c = a, 16 bytes an element"},
	{.name = "stream.scale", RATE, .help = "b = s c, 16 bytes an element"},
	{.name = "stream.add", RATE, .help = "c = a + b, 24 bytes an element"},
	{.name = "stream.triad", RATE, .help = "a = b + s c, 24 bytes an element"},
	{.name = "stream.read",
	 RATE,
	 .help = "all arrays read, 8 streams a thread: the roof of what only reads"},
	{.name = "stream.sustained",
	 .unit = "B/s",
	 .better = "higher",
	 .reduce = "median",
	 .relative = true,
	 .help = "bytes of all loops over the time they took: what a quota or a "
		 "neighbour leaves; for comparison with like nodes"},
	{.name = NULL},
};

static const char *const autos[] = {"auto", NULL};
static const char *const stores[] = {"nt", "plain", "both", NULL};
static const char *const pers[] = {"node", "domain", NULL};
static const char *const simds[] = {"auto", "avx512", "avx2", "sse2", "c", NULL};

static const struct kit_option options[] = {
	{.name = "size",
	 .type = KIT_SIZE,
	 .def = "auto",
	 .choices = autos,
	 .min = 4096,
	 .max = (int64_t)1 << 50,
	 .help = "bytes of one array; auto: 4 times the last-level caches in use"},
	{.name = "ntimes",
	 .type = KIT_INT,
	 .def = "10",
	 .min = 2,
	 .max = 100, /* values grow 15-fold each time and must stay finite */
	 .help = "repetitions; the first does not count"},
	{.name = "store",
	 .type = KIT_CHOICE,
	 .def = "both",
	 .choices = stores,
	 .help = "stores past the caches (nt), through them (plain), or one after the "
		 "other"},
	{.name = "per",
	 .type = KIT_CHOICE,
	 .def = "node",
	 .choices = pers,
	 .help = "all threads at once, or each NUMA domain alone with its own memory"},
	{.name = "simd",
	 .type = KIT_CHOICE,
	 .def = "auto",
	 .choices = simds,
	 .help = "instructions; auto: the widest the CPU has"},
	/* for the tests of the validation: one element becomes another before it */
	{.name = "inject-error", .hidden = true, .type = KIT_FLAG, .def = "no"},
	{.name = NULL},
};

/* The part of the arrays one thread owns: it alone touches them, first and later. */
struct part {
	double *v[3]; /* a, b, c */
	size_t n;
	int group;                 /* it works in, index of groups */
	double sum;                /* of all elements as .read found it */
	double error[3], worst[3]; /* mean and largest relative error, by verify */
};

/* Threads that measure together: all of the node, or those of one NUMA domain. */
struct group {
	int domain;   /* -1: the node */
	double bytes; /* of one array, over the ranks of the node */
	uint64_t part, stride;
	double moved, seconds; /* of all loops that count */
};

enum { MAX_DOMAINS = 1024 };

struct stream {
	const struct loops *loops;
	struct part *parts; /* one a thread */
	struct group groups[MAX_DOMAINS];
	int n_groups;
	int rounds; /* groups of the node that has most: all ranks flush together */
	char *memory;
	uint64_t bytes;
	bool use[LOOPS_STORES];
	int ntimes;
	double shortest; /* s, of all loops */
};

static const char *const store_names[] = {[LOOPS_PLAIN] = "plain", [LOOPS_NT] = "nt"};

/* McCalpin's loops in his order: array d from arrays x and y (a = 0, b = 1, c = 2). */
static const struct op {
	const char *metric, *title;
	int d, x, y, bytes;
} ops[LOOPS_OPS] = {
	[LOOPS_COPY] = {"stream.copy", "Copy", 2, 0, 0, 16},
	[LOOPS_SCALE] = {"stream.scale", "Scale", 1, 2, 2, 16},
	[LOOPS_ADD] = {"stream.add", "Add", 2, 0, 1, 24},
	[LOOPS_TRIAD] = {"stream.triad", "Triad", 0, 1, 2, 24},
};

/* Node. The groups there are, the same on every rank of it. */
static int find_groups(struct kit *k, struct stream *x, struct err *e)
{
	unsigned char here[MAX_DOMAINS] = {0}, all[MAX_DOMAINS];
	int rc = 0;

	if (kit_is(k, "per", "node")) {
		x->groups[0].domain = -1;
		x->n_groups = 1;
		return 0;
	}
	for (int i = 0; i < k->threads && !rc; i++) {
		const struct kit_cpu *c = &k->cpus[i];

		if (c->domain < 0 || c->domain >= MAX_DOMAINS)
			rc = kit_skip(k, e, "the NUMA domain of CPU %d is not known",
				      c->cpu);
		else
			here[c->domain] = c->domain_mem ? 2 : 1;
	}
	(void)MPI_Allreduce(here, all, MAX_DOMAINS, MPI_UNSIGNED_CHAR, MPI_MAX, k->node);
	for (int d = 0; d < MAX_DOMAINS; d++) {
		if (all[d] == 2)
			x->groups[x->n_groups++].domain = d;
		else if (all[d] && !k->local_rank)
			kit_event(k, "remark",
				  "NUMA domain %d has CPUs but no memory: not measured",
				  d);
	}
	if (!rc && !x->n_groups)
		rc = kit_skip(k, e, "no NUMA domain of the CPUs in use has memory");
	return rc;
}

/* The group of thread @i, -1 for none. */
static int group_of(const struct kit *k, const struct stream *x, int i)
{
	for (int g = 0; g < x->n_groups; g++) {
		if (x->groups[g].domain < 0 || x->groups[g].domain == k->cpus[i].domain)
			return g;
	}
	return -1;
}

/* Node. Bytes of all last-level caches that group @g's threads reach; 0 = unknown. */
static uint64_t group_llc(const struct kit *k, const struct stream *x, int g)
{
	enum { INSTANCES = 8192 };
	static const uint64_t unknown = UINT64_MAX;
	uint64_t here[INSTANCES] = {0}, all[INSTANCES], sum = 0;

	for (int i = 0; i < k->threads; i++) {
		const struct kit_cpu *c = &k->cpus[i];

		if (x->parts[i].group != g)
			continue;
		if (c->llc < 0 || c->llc >= INSTANCES || !c->llc_bytes)
			here[0] = unknown;
		else if (here[c->llc] != unknown)
			here[c->llc] = c->llc_bytes;
	}
	/* an instance that several ranks share counts once */
	(void)MPI_Allreduce(here, all, INSTANCES, MPI_UINT64_T, MPI_MAX, k->node);
	for (int i = 0; i < INSTANCES; i++) {
		if (all[i] == unknown)
			return 0;
		sum += all[i];
	}
	return sum;
}

/* Node. Sizes the arrays of group @g; gives this rank's threads in it. */
static int size_group(struct kit *k, struct stream *x, int g)
{
	struct group *group = &x->groups[g];
	struct stream_want want = {.asked = kit_size(k, "size")};
	struct stream_size s;
	char array[UNITS_TEXT], least[UNITS_TEXT], cache[UNITS_TEXT];
	int mine = 0;

	for (int i = 0; i < k->threads; i++)
		mine += x->parts[i].group == g;
	(void)MPI_Allreduce(&mine, &want.threads, 1, MPI_INT, MPI_SUM, k->node);
	want.llc = group_llc(k, x, g);
	s = stream_size(&want);
	group->bytes = (double)s.array;
	group->part = s.part;
	group->stride = s.stride;
	(void)units_format(array, sizeof(array), (double)s.array, "B");
	(void)units_format(least, sizeof(least), (double)s.least, "B");
	(void)units_format(cache, sizeof(cache), (double)s.least / 4, "B");
	if (s.guessed && !k->local_rank)
		kit_event(k, "remark",
			  "size of the last-level cache unknown, taken as %s", cache);
	if (s.small && !k->local_rank)
		kit_event(k, "size",
			  "array of %s is below 4 x last-level cache = %s: not for "
			  "baselines",
			  array, least);
	return mine;
}

/* Checks the memory against @bytes, maps it and gives each thread its part. */
static int allocate(struct kit *k, struct stream *x, struct err *e)
{
	char need[UNITS_TEXT], have[UNITS_TEXT];
	uint64_t usable, at = 0;

	if (kit_usable_memory(k, &usable, e))
		return -1;
	if (x->bytes > usable)
		return kit_skip(k, e, "needs %s, %s usable",
				units_format(need, sizeof(need), (double)x->bytes, "B"),
				units_format(have, sizeof(have), (double)usable, "B"));
	x->memory = kit_alloc(x->bytes, e);
	if (!x->memory)
		return -1;
	for (int v = 0; v < 3; v++) {
		for (int i = 0; i < k->threads; i++) {
			const int g = x->parts[i].group;

			if (g < 0)
				continue;
			x->parts[i].v[v] = (double *)(void *)(x->memory + at) +
					   v * STREAM_PAD / (int)sizeof(double);
			x->parts[i].n = x->groups[g].part / sizeof(double);
			at += x->groups[g].stride;
		}
	}
	return 0;
}

/* a = 2 and not 1: McCalpin doubles it once to time the clock. */
static void touch(struct part *p)
{
	static const double start[3] = {2.0, 2.0, 0.0};

	for (int v = 0; v < 3; v++) {
		for (size_t i = 0; i < p->n; i++)
			p->v[v][i] = start[v];
	}
}

/*
 * Looks whether the pages are where first touch by their thread should have put them; an
 * inherited memory policy (numactl) or a full domain puts them elsewhere.
 */
static int check_placement(struct kit *k, const struct stream *x, struct err *e)
{
	int looked = 0, local = 0, elsewhere = -1;

	for (int i = 0; i < k->threads; i++) {
		const struct part *p = &x->parts[i];

		for (int v = 0; v < 3 && p->n; v++) {
			for (size_t q = 0; q <= 4; q++) {
				const int d = kit_domain_of(p->v[v] + (p->n - 1) * q / 4);

				looked += d >= 0 && k->cpus[i].domain >= 0;
				if (d == k->cpus[i].domain)
					local += d >= 0;
				else if (d >= 0)
					elsewhere = i;
			}
		}
	}
	if (looked)
		kit_event(k, "placement",
			  "%d of %d pages looked at are local to their thread", local,
			  looked);
	else
		kit_event(k, "remark",
			  "placement of pages not known: no answer from the system");
	if (local < looked && elsewhere >= 0 && kit_is(k, "per", "domain"))
		return kit_invalid(
			k, e,
			"memory of the thread on CPU %d is not in its NUMA domain %d",
			k->cpus[elsewhere].cpu, k->cpus[elsewhere].domain);
	return 0;
}

static int choose(struct kit *k, struct stream *x, struct err *e)
{
	const char *simd = kit_option(k, "simd");

	x->loops = loops_best();
	for (size_t i = 0; loops_at(i); i++) {
		if (!strcmp(loops_at(i)->name, simd))
			x->loops = loops_at(i);
	}
	if (!x->loops->usable() ||
	    (strcmp(simd, "auto") != 0 && strcmp(simd, x->loops->name) != 0))
		return kit_skip(k, e, "this CPU has no %s", simd);
	x->use[LOOPS_PLAIN] = !kit_is(k, "store", "nt");
	x->use[LOOPS_NT] =
		!kit_is(k, "store", "plain") && x->loops->op[LOOPS_COPY][LOOPS_NT];
	if (!x->use[LOOPS_PLAIN] && !x->use[LOOPS_NT])
		return kit_skip(k, e, "no non-temporal stores with --simd %s",
				x->loops->name);
	if (!x->use[LOOPS_NT] && kit_is(k, "store", "both") && !k->local_rank)
		kit_event(k, "remark",
			  "no non-temporal stores with --simd %s: plain ones only",
			  x->loops->name);
	x->ntimes = (int)kit_int(k, "ntimes");
	return 0;
}

static int setup(struct kit *k, struct err *e)
{
	struct stream *x = k->state;
	int rc;

	x->parts = mem_calloc((size_t)k->threads, sizeof(*x->parts));
	rc = choose(k, x, e);
	if (find_groups(k, x, e))
		rc = -1;
	(void)MPI_Allreduce(&x->n_groups, &x->rounds, 1, MPI_INT, MPI_MAX,
			    MPI_COMM_WORLD);
	/* what follows talks to the other ranks: all come along or none */
	if (kit_agree(k, rc, e))
		return -1;
	x->shortest = INFINITY;
	for (int i = 0; i < k->threads; i++)
		x->parts[i].group = group_of(k, x, i);
	for (int g = 0; g < x->n_groups; g++) {
		const int mine = size_group(k, x, g);

		x->bytes += 3 * (uint64_t)mine * x->groups[g].stride;
	}
	if (allocate(k, x, e))
		return -1;
#pragma omp parallel
	touch(&x->parts[omp_get_thread_num()]);
	return check_placement(k, x, e);
}

/* One thread's share of loop @op, or of the read when it is NULL. */
static void work(const struct loops *l, struct part *p, const struct op *op, int store)
{
	if (op)
		l->op[op - ops][store](p->v[op->d], p->v[op->x], p->v[op->y], scalar,
				       p->n);
	else
		p->sum = l->read(p->v[0], p->n) + l->read(p->v[1], p->n) +
			 l->read(p->v[2], p->n);
}

/* Node. Runs it on all threads of group @g; s of the slowest rank. */
static double measure(struct kit *k, struct stream *x, int g, const struct op *op,
		      int store)
{
	double start, s;

	if (k->local_ranks > 1)
		(void)MPI_Barrier(k->node);
	start = clock_now();
#pragma omp parallel
	{
		struct part *p = &x->parts[omp_get_thread_num()];

		if (p->group == g)
			work(x->loops, p, op, store);
	}
	s = clock_now() - start;
	if (k->local_ranks > 1)
		s = kit_stat(k->node, s).max;
	x->shortest = s < x->shortest ? s : x->shortest;
	return s;
}

/* The key of a sample; "" for none. @store NULL for read. */
static void key(const struct group *g, const char *store, char *at, size_t size)
{
	at[0] = '\0';
	if (g->domain >= 0 && store)
		(void)snprintf(at, size, "{\"domain\":%d,\"store\":\"%s\"}", g->domain,
			       store);
	else if (g->domain >= 0)
		(void)snprintf(at, size, "{\"domain\":%d}", g->domain);
	else if (store)
		(void)snprintf(at, size, "{\"store\":\"%s\"}", store);
}

/* One sample a node, from its first rank; @bytes an element. */
static void sample(struct kit *k, struct group *g, const char *metric, int bytes,
		   const char *store, double s, int repetition)
{
	const double moved = g->bytes / sizeof(double) * bytes;
	char at[64];

	if (!repetition || k->local_rank)
		return;
	g->moved += moved;
	g->seconds += s;
	key(g, store, at, sizeof(at));
	kit_sample(k, metric, moved / s, repetition, at[0] ? at : NULL);
}

static void sustained(struct kit *k, const struct group *g)
{
	char at[64];

	if (k->local_rank)
		return;
	key(g, NULL, at, sizeof(at));
	kit_sample(k, "stream.sustained", g->moved / g->seconds, 0, at[0] ? at : NULL);
}

/* All loops once over group @g. */
static void repeat(struct kit *k, struct stream *x, int g, int repetition)
{
	for (int store = 0; store < LOOPS_STORES; store++) {
		for (int i = 0; i < LOOPS_OPS && x->use[store]; i++)
			sample(k, &x->groups[g], ops[i].metric, ops[i].bytes,
			       store_names[store], measure(k, x, g, &ops[i], store),
			       repetition);
	}
	sample(k, &x->groups[g], "stream.read", 24, NULL,
	       measure(k, x, g, NULL, LOOPS_PLAIN), repetition);
}

static int run(struct kit *k, struct err *e)
{
	struct stream *x = k->state;

	(void)e;
	for (int g = 0; g < x->rounds; g++) {
		for (int repetition = 0; repetition < x->ntimes; repetition++) {
			if (g < x->n_groups)
				repeat(k, x, g, repetition);
			if (g < x->n_groups && repetition == x->ntimes - 1)
				sustained(k, &x->groups[g]);
			kit_flush(k);
		}
	}
	if (x->shortest < 20 * kit_tick())
		kit_event(k, "remark",
			  "a loop took %.3g s, the clock's step is %.3g s: "
			  "larger arrays needed",
			  x->shortest, kit_tick());
	return 0;
}

/* What every element of a, b, c must be after all loops. */
static void expected(const struct stream *x, double want[3])
{
	want[0] = 2.0;
	want[1] = 2.0;
	want[2] = 0.0;
	for (int i = 0; i < x->ntimes * (x->use[LOOPS_PLAIN] + x->use[LOOPS_NT]); i++) {
		want[2] = want[0];
		want[1] = scalar * want[2];
		want[2] = want[0] + want[1];
		want[0] = want[1] + scalar * want[2];
	}
}

/* Relative errors of one thread's part: their mean and the largest, NaN included. */
static void check_part(struct part *p, const double want[3])
{
	for (int v = 0; v < 3; v++) {
		double sum = 0, worst = 0;

		for (size_t i = 0; i < p->n; i++) {
			const double error = fabs(p->v[v][i] - want[v]) / want[v];

			sum += error;
			if (!(error <= worst))
				worst = error;
		}
		p->error[v] = sum / (double)p->n;
		p->worst[v] = worst;
	}
}

/* As STREAM does, plus the worst element: a mean hides one bad word among millions. */
static int verify(struct kit *k, struct err *e)
{
	static const double limit = 1e-13;
	struct stream *x = k->state;
	double want[3], sum, mean = 0, worst = 0, read = 0, read_limit = 1e-9;

	(void)e;
	expected(x, want);
	sum = want[0] + want[1] + want[2];
	if (kit_flag(k, "inject-error"))
		x->parts[k->threads - 1].v[2][x->parts[k->threads - 1].n / 2] *= 2;
#pragma omp parallel
	check_part(&x->parts[omp_get_thread_num()], want);
	for (int i = 0; i < k->threads; i++) {
		const struct part *p = &x->parts[i];
		const double n = (double)p->n, off = fabs(p->sum / (n * sum) - 1);

		for (int v = 0; v < 3 && p->n; v++) {
			/* not fmax(), which loses a NaN */
			mean = p->error[v] <= mean ? mean : p->error[v];
			worst = p->worst[v] <= worst ? worst : p->worst[v];
		}
		if (p->n)
			read = off <= read ? read : off;
		/* n / 64 equal numbers added up one by one lose up to that many half bits
		 */
		read_limit = fmax(read_limit, n / 64 * DBL_EPSILON);
	}
	kit_valid(k, "mean error", mean, limit, mean < limit,
		  mean < limit ? NULL : "arrays differ from what the loops must give");
	kit_valid(k, "worst element", worst, limit, worst < limit,
		  worst < limit ? NULL
				: "an element differs from what the loops must give");
	kit_valid(k, "read sum", read, read_limit, read < read_limit,
		  read < read_limit ? NULL
				    : "what was read does not add up to the arrays");
	return 0;
}

static void teardown(struct kit *k)
{
	struct stream *x = k->state;

	kit_free(x->memory, x->bytes);
	free(x->parts);
}

/* One line of the table: the times behind the samples of @metric at @at. */
static void text_row(const struct record *records, size_t n, const char *title,
		     const char *metric, const char *at, double bytes, FILE *out)
{
	double least = INFINITY, most = 0, sum = 0;
	int count = 0;

	for (size_t i = 0; i < n; i++) {
		const struct record_sample *s = &records[i].u.sample;
		double t;

		if (records[i].kind != RECORD_KIND_sample || s->rank ||
		    strcmp(s->metric, metric) != 0 || strcmp(s->at ? s->at : "", at) != 0)
			continue;
		t = bytes / s->value.v;
		least = t < least ? t : least;
		most = t > most ? t : most;
		sum += t;
		count++;
	}
	if (count)
		(void)fprintf(out, "%-10s %14.1f  %12.6f %12.6f %12.6f\n", title,
			      bytes / least / 1e6, sum / count, least, most);
}

static void text_group(const struct stream *x, const struct record *r, size_t n,
		       const struct group *g, FILE *out)
{
	const double elements = g->bytes / sizeof(double);
	char at[64], size[UNITS_TEXT];

	(void)fprintf(out, "\nArrays of %s (%.0f elements)",
		      units_format(size, sizeof(size), g->bytes, "B"), elements);
	if (g->domain >= 0)
		(void)fprintf(out, ", NUMA domain %d alone", g->domain);
	(void)fprintf(out, "\n%-10s %14s  %12s %12s %12s\n", "Function", "Best Rate MB/s",
		      "Avg time", "Min time", "Max time");
	for (int s = LOOPS_STORES - 1; s >= 0; s--) {
		if (!x->use[s])
			continue;
		(void)fprintf(out, "%s stores:\n",
			      s == LOOPS_NT ? "non-temporal" : "plain");
		key(g, store_names[s], at, sizeof(at));
		for (int i = 0; i < LOOPS_OPS; i++)
			text_row(r, n, ops[i].title, ops[i].metric, at,
				 elements * ops[i].bytes, out);
	}
	key(g, NULL, at, sizeof(at));
	(void)fprintf(out, "no stores:\n");
	text_row(r, n, "Read", "stream.read", at, elements * 24, out);
	if (g->seconds > 0)
		(void)fprintf(out, "all, sustained: %.1f MB/s\n",
			      g->moved / g->seconds / 1e6);
}

/* The table STREAM's users know; other nodes than rank 0's follow in a plain one. */
static void text(struct kit *k, const struct record *r, size_t n, FILE *out)
{
	const struct stream *x = k->state;
	bool others = false, right = true;
	size_t checks = 0;

	for (size_t i = 0; i < n; i++) {
		if (r[i].kind == RECORD_KIND_valid) {
			right = right && r[i].u.valid.ok;
			checks++;
		}
		others =
			others || (r[i].kind == RECORD_KIND_sample && r[i].u.sample.rank);
	}
	if (!checks)
		return; /* it did not run; why is on stderr */
	(void)fprintf(out,
		      "assay-stream: %s, %d rank%s, %d thread%s a rank, first of %d "
		      "repetitions not counted\n",
		      x->loops->name, k->ranks, k->ranks == 1 ? "" : "s", k->threads,
		      k->threads == 1 ? "" : "s", x->ntimes);
	for (int g = 0; g < x->n_groups; g++)
		text_group(x, r, n, &x->groups[g], out);
	(void)fputc('\n', out);
	if (others)
		kit_table(k, r, n, out);
	for (size_t i = 0; i < n; i++) {
		const struct record_valid *v = &r[i].u.valid;

		if (r[i].kind == RECORD_KIND_valid && (!v->ok || !v->rank))
			(void)fprintf(out, "rank %lld: %s %.2e, limit %.0e%s%s\n",
				      (long long)v->rank, v->check, v->value.v,
				      v->limit.v, v->text ? ": " : "",
				      v->text ? v->text : "");
	}
	(void)fprintf(out,
		      right ? "Results are right: every array holds what the loops give\n"
			    : "Results are WRONG: do not use these rates\n");
}

const struct kernel kernel = {
	.name = "stream",
	.help = "Sustained memory bandwidth by the four loops of STREAM and a pure read, "
		"with "
		"non-temporal and plain stores, over the node or each NUMA domain alone.",
	.shape = KIT_NODE,
	.metrics = metrics,
	.options = options,
	.state_size = sizeof(struct stream),
	.setup = setup,
	.run = run,
	.verify = verify,
	.teardown = teardown,
	.text = text,
};
