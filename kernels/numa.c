/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NUMA: what the CPUs of each domain get out of the memory of each domain. One buffer at
 * a time, bound to its domain and looked up there; the CPUs of one domain after the other
 * read it, write it (triad) and chase pointers through it.
 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "kernels/chase.h"
#include "kernels/kit/kit.h"
#include "kernels/loops.h"

#define RATE     .unit = "B/s", .better = "higher", .reduce = "best", .unrated = true
#define RATIO(b) .unit = "ratio", .better = (b), .reduce = "median", .relative = true

static const struct kit_metric metrics[] = {
	{.name = "numa.read", RATE, .help = "8 streams a thread"},
	{.name = "numa.triad", RATE, .help = "a = b + s c, 24 bytes an element"},
	{.name = "numa.latency",
	 .unit = "s",
	 .better = "lower",
	 .reduce = "best",
	 .unrated = true,
	 .help = "a load that waits for the one before, one thread"},
	{.name = "numa.remote_read",
	 RATIO("higher"),
	 .help = "read from other domains over read from the own one, medians of all "
		 "domains with all their threads; path: in the same package (near), "
		 "between packages (far), from memory without CPUs (alone)"},
	{.name = "numa.remote_latency", RATIO("lower"), .help = "the same of latencies"},
	{.name = NULL},
};

static const char *const autos[] = {"auto", NULL};

static const struct kit_option options[] = {
	{.name = "size",
	 .type = KIT_SIZE,
	 .def = "auto",
	 .choices = autos,
	 .min = 1 << 20,
	 .max = (int64_t)1 << 50,
	 .help = "bytes in each domain; auto: 4 times the last-level caches of a domain"},
	{.name = "sweep",
	 .type = KIT_TEXT,
	 .def = "1,2,all",
	 .help = "threads of a domain that read and write at the same time, one number "
		 "after the other"},
	{.name = "latency",
	 .type = KIT_FLAG,
	 .def = "yes",
	 .help = "chase pointers, too"},
	{.name = "ntimes",
	 .type = KIT_INT,
	 .def = "3",
	 .min = 1,
	 .max = 100,
	 .help = "repetitions, of which the best counts; one more to warm up"},
	{.name = "seconds",
	 .type = KIT_TIME,
	 .def = "0.01",
	 .help = "of one repetition, at least"},
	{.name = NULL},
};

enum { MOST_COUNTS = 16 };

/* A part begins and ends at a multiple of this many elements: three loops' steps. */
static const size_t part_step = 3 * (size_t)LOOPS_STEP;

/* Elements that b and c of triad are off a 4 KiB boundary: see STREAM_PAD. */
enum { PAD = 640 };

/* What a pair of domains showed; 0: not measured. */
struct cell {
	double read, latency;
};

struct numa {
	const struct loops *loops;
	struct kit_domain *domains;
	int n, *of; /* of[i]: domain of thread i */
	int *first; /* threads by domain: those of d are order[first[d]..first[d + 1]] */
	int *order;
	int counts[MOST_COUNTS], n_counts; /* threads of the sweep; INT_MAX: all */
	struct cell *cells;                /* by CPU domain, then memory domain */
	uint64_t bytes;
	int ntimes, measured; /* memory domains */
	double seconds;
	double wrong;    /* largest relative error of a sum of what was read */
	int lost_chases; /* that did not end where those of other CPUs did */
};

static int parse_sweep(struct numa *x, const char *text, struct err *e)
{
	const char *at = text;

	for (;;) {
		char *end = NULL;
		long v = strncmp(at, "all", 3) != 0 ? strtol(at, &end, 10) : INT32_MAX;
		const char *behind = end ? end : at + 3;

		if (behind == at || v < 1 || v > INT32_MAX ||
		    x->n_counts == MOST_COUNTS || (*behind && *behind != ','))
			return err_set(e, ERR_USAGE,
				       "option '--sweep': '%.60s', expected numbers of "
				       "threads like 1,2,4,all",
				       text);
		x->counts[x->n_counts++] = (int)v;
		if (!*behind)
			return 0;
		at = behind + 1;
	}
}

/* Threads by the domain of their CPU. */
static void order_threads(const struct kit *k, struct numa *x)
{
	int at = 0;

	x->first = mem_calloc((size_t)x->n + 1, sizeof(*x->first));
	x->order = mem_calloc((size_t)k->threads, sizeof(*x->order));
	for (int d = 0; d < x->n; d++) {
		x->first[d] = at;
		for (int i = 0; i < k->threads; i++) {
			if (x->of[i] == d)
				x->order[at++] = i;
		}
	}
	x->first[x->n] = at;
}

/* Bytes of the last-level caches that the CPUs of domain @d reach. */
static uint64_t caches_of(const struct kit *k, const struct numa *x, int d)
{
	static const uint64_t unknown = (uint64_t)32 << 20;
	uint64_t sum = 0;

	for (int i = x->first[d]; i < x->first[d + 1]; i++) {
		const struct kit_cpu *c = &k->cpus[x->order[i]];
		bool counted = false;

		for (int j = x->first[d]; j < i && !counted; j++)
			counted = k->cpus[x->order[j]].llc == c->llc;
		if (!counted)
			sum += c->llc_bytes ? c->llc_bytes : unknown;
	}
	return sum;
}

static void choose_size(struct kit *k, struct numa *x)
{
	static const uint64_t a_thread = (uint64_t)256 << 10;
	uint64_t caches = (uint64_t)16 << 20, least = a_thread;
	char have[UNITS_TEXT], want[UNITS_TEXT];

	for (int d = 0; d < x->n; d++) {
		const uint64_t c = caches_of(k, x, d);
		const uint64_t t = a_thread * (uint64_t)x->domains[d].threads;

		caches = c > caches ? c : caches;
		least = t > least ? t : least;
	}
	x->bytes = kit_size(k, "size") ? kit_size(k, "size") : 4 * caches;
	x->bytes = x->bytes > least ? x->bytes : least;
	if (x->bytes < 4 * caches)
		kit_event(k, "size",
			  "buffers of %s are below 4 x last-level cache = %s: not for "
			  "baselines",
			  units_format(have, sizeof(have), (double)x->bytes, "B"),
			  units_format(want, sizeof(want), 4 * (double)caches, "B"));
}

static int setup(struct kit *k, struct err *e)
{
	struct numa *x = k->state;
	char need[UNITS_TEXT], have[UNITS_TEXT];
	uint64_t usable;

	if (parse_sweep(x, kit_option(k, "sweep"), e))
		return -1;
	if (k->local_ranks > 1)
		return kit_skip(k, e, "one rank a node is needed, there are %d",
				k->local_ranks);
	x->loops = loops_best();
	x->ntimes = (int)kit_int(k, "ntimes");
	x->seconds = kit_time(k, "seconds");
	x->n = kit_domains(k, &x->domains, &x->of, e);
	if (x->n < 0)
		return -1;
	if (!x->n)
		return kit_skip(k, e, "no NUMA domains are known");
	order_threads(k, x);
	choose_size(k, x);
	x->cells = mem_calloc((size_t)x->n * (size_t)x->n, sizeof(*x->cells));
	if (kit_usable_memory(k, &usable, e))
		return -1;
	if (x->bytes > usable)
		return kit_skip(k, e, "needs %s, %s usable",
				units_format_memory(need, sizeof(need), (double)x->bytes),
				units_format_memory(have, sizeof(have), (double)usable));
	return 0;
}

/* The part of the buffer that belongs to the @i-th of @n threads. */
struct part {
	double *v;
	size_t n; /* elements */
};

static struct part part_of(const struct numa *x, double *buffer, int i, int n)
{
	const size_t all = x->bytes / sizeof(double) / (size_t)n;
	const size_t mine = all / part_step * part_step;

	return (struct part){buffer + (size_t)i * mine, mine};
}

/* Threads of domain @d that take part when @count may; the @i-th of them. */
static int taking_part(const struct numa *x, int d, int count)
{
	const int have = x->first[d + 1] - x->first[d];

	return count < have ? count : have;
}

static int member(const struct numa *x, int d, int i, int n)
{
	const int have = x->first[d + 1] - x->first[d];

	return x->order[x->first[d] + (int)((int64_t)i * have / n)];
}

/* Elements of each vector of triad in a part. */
static size_t triad_length(const struct part *p)
{
	return (p->n / 3 - 2 * (size_t)PAD) / LOOPS_STEP * LOOPS_STEP;
}

/* One thread's pass over its part: reads it, or a = b + s c in thirds of it. */
static double pass(const struct loops *l, const struct part *p, bool write)
{
	const size_t third = p->n / 3;
	const int store = l->op[LOOPS_TRIAD][LOOPS_NT] ? LOOPS_NT : LOOPS_PLAIN;

	if (!write)
		return l->read(p->v, p->n);
	l->op[LOOPS_TRIAD][store](p->v, p->v + third + PAD, p->v + 2 * (third + PAD), 3.0,
				  triad_length(p));
	return 0;
}

/*
 * @n threads of domain @d, @passes each over the buffer; s. What they read adds up to
 * what the buffer holds.
 */
static double passes(struct kit *k, struct numa *x, double *buffer, int d, int n,
		     bool write, int times)
{
	int *index = mem_calloc((size_t)k->threads, sizeof(*index)); /* 1.. of those */
	double start, s, sum = 0, elements = 0;

	for (int i = 0; i < n; i++)
		index[member(x, d, i, n)] = i + 1;
	start = clock_now();
#pragma omp parallel reduction(+ : sum, elements)
	{
		const int i = index[omp_get_thread_num()] - 1;

		if (i >= 0) {
			const struct part p = part_of(x, buffer, i, n);

			for (int t = 0; t < times; t++)
				sum += pass(x->loops, &p, write);
			elements += (double)p.n * times;
		}
	}
	s = clock_now() - start;
	if (!write) {
		const double off = fabs(sum / elements - 1);

		x->wrong = off <= x->wrong ? x->wrong : off;
	}
	free(index);
	return s;
}

/* The best of all repetitions; B/s. */
static double bandwidth(struct kit *k, struct numa *x, double *buffer, int d, int n,
			bool write)
{
	const struct part p = part_of(x, buffer, 0, n);
	const double bytes =
		(write ? 3 * (double)triad_length(&p) : (double)p.n) * sizeof(double) * n;
	double s = passes(k, x, buffer, d, n, write, 1), best = INFINITY;
	const int times = s < x->seconds ? (int)fmin(x->seconds / s + 1, 1e6) : 1;

	for (int i = 0; i < x->ntimes; i++) {
		s = passes(k, x, buffer, d, n, write, times) / times;
		best = s < best ? s : best;
	}
	return bytes / best;
}

static void fill(double *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		v[i] = 1;
}

/* All threads together, whoever they are: the pages are bound. */
static void fill_all(struct kit *k, const struct numa *x, double *buffer)
{
#pragma omp parallel num_threads(k->threads)
	{
		const size_t n = x->bytes / sizeof(double);
		const size_t i = (size_t)omp_get_thread_num();
		const size_t threads = (size_t)omp_get_num_threads();
		const size_t from = n * i / threads;

		fill(buffer + from, n * (i + 1) / threads - from);
	}
}

/* Where 65 pages of the buffer are; the first domain that is not @id, else @id. */
static int found_in(const struct numa *x, char *buffer, int id)
{
	for (uint64_t i = 0; i <= 64; i++) {
		const int d = kit_domain_of(buffer + (x->bytes - 8) / 64 * i);

		if (d != id)
			return d;
	}
	return id;
}

static void put(struct kit *k, const struct numa *x, const char *metric, double value,
		int d, int m, int threads)
{
	char at[96];

	if (threads)
		(void)snprintf(at, sizeof(at),
			       "{\"domain\":%d,\"mem_domain\":%d,\"threads\":%d}",
			       x->domains[d].id, x->domains[m].id, threads);
	else
		(void)snprintf(at, sizeof(at), "{\"domain\":%d,\"mem_domain\":%d}",
			       x->domains[d].id, x->domains[m].id);
	kit_sample(k, metric, value, 0, at);
}

/* Bandwidths of the CPUs of domain @d on the memory of domain @m. */
static void sweep(struct kit *k, struct numa *x, double *buffer, int d, int m, bool write)
{
	struct cell *c = &x->cells[d * x->n + m];

	for (int i = 0; i < x->n_counts; i++) {
		const int n = taking_part(x, d, x->counts[i]);
		bool done = false;
		double rate;

		for (int j = 0; j < i && !done; j++)
			done = taking_part(x, d, x->counts[j]) == n;
		if (done)
			continue;
		rate = bandwidth(k, x, buffer, d, n, write);
		put(k, x, write ? "numa.triad" : "numa.read", rate, d, m, n);
		if (!write && n == x->domains[d].threads)
			c->read = rate;
	}
}

/* Runs on the first thread of domain @d; s of one step. @*end: where it ends. */
static double latency(struct kit *k, struct numa *x, void *buffer, int d, void **end)
{
	enum { STEPS = 1 << 17 };
	const int thread = x->order[x->first[d]];
	double best = INFINITY;
	void *at = NULL;

#pragma omp parallel num_threads(k->threads)
	{
		if (omp_get_thread_num() == thread) {
			at = chase(buffer, STEPS);
			for (int i = 0; i < x->ntimes; i++) {
				const double start = clock_now();
				double s;

				at = chase(at, STEPS);
				s = (clock_now() - start) / STEPS;
				best = s < best ? s : best;
			}
		}
	}
	*end = at;
	return best;
}

static void latencies(struct kit *k, struct numa *x, void *buffer, int m)
{
	void *first = NULL;

	(void)chase_make(buffer, x->bytes, (uint64_t)m);
	for (int d = 0; d < x->n; d++) {
		void *end;
		double s;

		if (!x->domains[d].threads)
			continue;
		s = latency(k, x, buffer, d, &end);
		put(k, x, "numa.latency", s, d, m, 0);
		x->cells[d * x->n + m].latency = s;
		first = first ? first : end;
		x->lost_chases += end != first;
	}
}

/* One column of the matrix; @e: why the domain's memory cannot be measured. */
static int column(struct kit *k, struct numa *x, int m, struct err *e)
{
	const int id = x->domains[m].id;
	double *buffer;
	int there;

	if (!x->domains[m].memory)
		return err_set(e, ERR_SYSTEM, "it has none");
	buffer = kit_alloc_in(x->bytes, id, e);
	if (!buffer)
		return -1;
	fill_all(k, x, buffer);
	there = found_in(x, (char *)buffer, id);
	if (there != id) {
		kit_free(buffer, x->bytes);
		return err_set(e, ERR_SYSTEM,
			       there < 0 ? "nobody tells where pages are"
					 : "pages bound to it are in domain %d",
			       there);
	}
	for (int d = 0; d < x->n; d++) {
		if (x->domains[d].threads)
			sweep(k, x, buffer, d, m, false);
	}
	for (int d = 0; d < x->n; d++) {
		if (x->domains[d].threads)
			sweep(k, x, buffer, d, m, true);
	}
	if (kit_flag(k, "latency"))
		latencies(k, x, buffer, m);
	kit_free(buffer, x->bytes);
	x->measured++;
	return 0;
}

static int rising(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), rising);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

enum path { OWN, NEAR, FAR, ALONE, PATHS };

static enum path path_of(const struct numa *x, int d, int m)
{
	if (d == m)
		return OWN;
	if (!x->domains[m].threads && x->domains[m].package < 0)
		return ALONE;
	return x->domains[d].package == x->domains[m].package ? NEAR : FAR;
}

/* Ratios of the medians of each path to that of own memory. */
static void ratios(struct kit *k, const struct numa *x, bool of_latency)
{
	static const char *const names[PATHS] = {
		[NEAR] = "near", [FAR] = "far", [ALONE] = "alone"};
	double *v = mem_calloc((size_t)x->n * (size_t)x->n, sizeof(*v)), own = 0;
	char at[32];

	for (int path = OWN; path < PATHS; path++) {
		int n = 0;

		for (int i = 0; i < x->n * x->n; i++) {
			const struct cell *c = &x->cells[i];
			const double value = of_latency ? c->latency : c->read;

			if (value > 0 &&
			    path_of(x, i / x->n, i % x->n) == (enum path)path)
				v[n++] = value;
		}
		if (!n)
			continue;
		if (path == OWN) {
			own = median(v, n);
			continue;
		}
		(void)snprintf(at, sizeof(at), "{\"path\":\"%s\"}", names[path]);
		if (own > 0)
			kit_sample(k,
				   of_latency ? "numa.remote_latency"
					      : "numa.remote_read",
				   median(v, n) / own, 0, at);
	}
	free(v);
}

static int run(struct kit *k, struct err *e)
{
	struct numa *x = k->state;
	char first[sizeof(e->msg)] = "";

	for (int m = 0; m < x->n; m++) {
		struct err why = {0};

		if (!column(k, x, m, &why))
			continue;
		kit_event(k, "remark", "memory of NUMA domain %d not measured: %s",
			  x->domains[m].id, why.msg);
		if (!first[0] && x->domains[m].memory)
			(void)snprintf(first, sizeof(first), "%s", why.msg);
	}
	/* numbers of memory that is anywhere are no NUMA numbers */
	if (!x->measured)
		return kit_skip(k, e, "no NUMA domain's memory can be measured: %s",
				first[0] ? first : "none has any");
	ratios(k, x, false);
	ratios(k, x, true);
	return 0;
}

static int verify(struct kit *k, struct err *e)
{
	const struct numa *x = k->state;

	(void)e;
	kit_valid(k, "read sum", x->wrong, 1e-9, x->wrong < 1e-9,
		  x->wrong < 1e-9 ? NULL : "what was read is not what is there");
	kit_valid(k, "chase", x->lost_chases, 0, !x->lost_chases,
		  x->lost_chases ? "%d chases through one buffer ended elsewhere" : NULL,
		  x->lost_chases);
	return 0;
}

static void teardown(struct kit *k)
{
	struct numa *x = k->state;

	free(x->domains);
	free(x->of);
	free(x->first);
	free(x->order);
	free(x->cells);
}

/* Numbers of domains, each once, in the order they come. */
struct ids {
	int *items, n;
};

static void add_id(struct ids *ids, int id)
{
	for (int i = 0; i < ids->n; i++) {
		if (ids->items[i] == id)
			return;
	}
	ids->items[ids->n++] = id;
}

static bool is_cell(const struct record *r, const char *metric)
{
	return r->kind == RECORD_KIND_sample && !r->u.sample.rank &&
	       !strcmp(r->u.sample.metric, metric);
}

static int id_at(const struct record *r, const char *key)
{
	return (int)record_json_num(r->u.sample.at, key);
}

/* The value with most threads of the CPUs of @d on the memory of @m; NaN: none. */
static double value_at(const struct record *r, size_t n, const char *metric, int d, int m)
{
	double value = NAN, most = -1;

	for (size_t i = 0; i < n; i++) {
		double threads;

		if (!is_cell(&r[i], metric) || id_at(&r[i], "domain") != d ||
		    id_at(&r[i], "mem_domain") != m)
			continue;
		threads = record_json_num(r[i].u.sample.at, "threads");
		if (isnan(threads) || threads > most) {
			most = threads;
			value = r[i].u.sample.value.v;
		}
	}
	return value;
}

/* One matrix: a row for the CPUs of a domain, a column for the memory of one. */
static void matrix(const struct record *r, size_t n, const char *metric,
		   const char *title, double scale, FILE *out)
{
	struct ids rows = {mem_calloc(n + 1, sizeof(int)), 0};
	struct ids columns = {mem_calloc(n + 1, sizeof(int)), 0};

	for (size_t i = 0; i < n; i++) {
		if (!is_cell(&r[i], metric))
			continue;
		add_id(&rows, id_at(&r[i], "domain"));
		add_id(&columns, id_at(&r[i], "mem_domain"));
	}
	if (rows.n)
		(void)fprintf(out, "%s\nCPUs of \\ memory of", title);
	for (int m = 0; m < columns.n; m++)
		(void)fprintf(out, " %7d", columns.items[m]);
	for (int d = 0; d < rows.n; d++) {
		(void)fprintf(out, "\n%19d", rows.items[d]);
		for (int m = 0; m < columns.n; m++) {
			const double v =
				value_at(r, n, metric, rows.items[d], columns.items[m]);

			if (isnan(v))
				(void)fprintf(out, " %7s", "-");
			else
				(void)fprintf(out, " %7.1f", v * scale);
		}
	}
	if (rows.n)
		(void)fprintf(out, "\n\n");
	free(rows.items);
	free(columns.items);
}

/* Matrices, then all that is not in them. */
static void text(struct kit *k, const struct record *r, size_t n, FILE *out)
{
	static const char *const cells[] = {"numa.read", "numa.triad", "numa.latency"};
	static const char *const titles[] = {"Read by all threads of a domain, GB/s",
					     "Triad by all threads of a domain, GB/s",
					     "Latency, ns"};
	struct record *rest = mem_calloc(n + 1, sizeof(*rest));
	size_t n_rest = 0;

	for (size_t i = 0; i < 3; i++)
		matrix(r, n, cells[i], titles[i], i < 2 ? 1e-9 : 1e9, out);
	for (size_t i = 0; i < n; i++) {
		if (!is_cell(&r[i], cells[0]) && !is_cell(&r[i], cells[1]) &&
		    !is_cell(&r[i], cells[2]))
			rest[n_rest++] = r[i];
	}
	kit_table(k, rest, n_rest, out);
	free(rest);
}

const struct kernel kernel = {
	.name = "numa",
	.help = "Bandwidth and latency of the memory of every NUMA domain as the CPUs of "
		"every domain see it.",
	.shape = KIT_NODE,
	.metrics = metrics,
	.options = options,
	.state_size = sizeof(struct numa),
	.setup = setup,
	.run = run,
	.verify = verify,
	.teardown = teardown,
	.text = text,
};
