/* SPDX-License-Identifier: Apache-2.0 */
/* Records of all ranks on their way to rank 0 and to stdout. */
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernels/kit/internal.h"

static const char prefix[] = START_MARK;

/* A kernel's own table and calls disagree: nothing it measures can be trusted. */
static void bug(const struct kit *k, const char *what, const char *name)
{
	(void)fprintf(stderr, "assay-%s: bug: %s '%s'\n", k->kernel->name, what, name);
	abort();
}

static bool fits(const struct strbuf *line)
{
	return sizeof(prefix) - 1 + line->len + 1 < START_LINE;
}

void kit_emit(struct kit *k, const struct record *r)
{
	struct strbuf line = {0};

	record_encode(r, &line);
	if (!fits(&line)) {
		struct record bad = record_make(RECORD_KIND_event);
		char text[64];

		(void)snprintf(text, sizeof(text), "a '%s' record of %zu bytes",
			       record_kind_name(r->kind), line.len);
		bad.u.event.rank = k->rank;
		bad.u.event.what = "invalid";
		bad.u.event.text = text;
		k->priv->marks |= KIT_NOT_RUN;
		strbuf_reset(&line);
		record_encode(&bad, &line);
	}
	strbuf_add(&k->priv->queue, line.buf, line.len);
	strbuf_addch(&k->priv->queue, '\n');
	strbuf_release(&line);
}

static const struct kit_metric *metric_of(const struct kit *k, const char *name)
{
	for (const struct kit_metric *m = k->kernel->metrics; m->name; m++) {
		if (!strcmp(m->name, name))
			return m;
	}
	bug(k, "metric not declared", name);
	return NULL;
}

static void check_json(const struct kit *k, const char *text)
{
	json_t *j = json_loads(text, 0, NULL);

	if (!json_is_object(j))
		bug(k, "not a JSON object", text);
	json_decref(j);
}

static void put_sample(struct kit *k, const char *peer, const char *metric, double value,
		       int repetition, const char *at)
{
	struct record r = record_make(RECORD_KIND_sample);

	if (at)
		check_json(k, at);
	r.u.sample.rank = k->rank;
	r.u.sample.peer = peer;
	r.u.sample.metric = metric;
	r.u.sample.at = at;
	r.u.sample.value = record_num(value);
	r.u.sample.unit = metric_of(k, metric)->unit;
	if (repetition)
		r.u.sample.repetition = repetition;
	kit_emit(k, &r);
}

void kit_sample(struct kit *k, const char *metric, double value, int repetition,
		const char *at)
{
	put_sample(k, NULL, metric, value, repetition, at);
}

void kit_pair_sample(struct kit *k, int peer, const char *metric, double value,
		     int repetition, const char *at)
{
	char text[16];

	(void)snprintf(text, sizeof(text), "%d", peer);
	put_sample(k, text, metric, value, repetition, at);
}

static void format(char *text, size_t size, const char *fmt, va_list ap)
{
	if (vsnprintf(text, size, fmt, ap) < 0)
		text[0] = '\0';
}

static void put_valid(struct kit *k, const char *at, const char *check, double value,
		      double limit, bool ok, const char *text)
{
	struct record r = record_make(RECORD_KIND_valid);

	if (at)
		check_json(k, at);
	r.u.valid.rank = k->rank;
	r.u.valid.at = at;
	r.u.valid.check = check;
	r.u.valid.value = record_num(value);
	r.u.valid.limit = record_num(limit);
	r.u.valid.ok = ok;
	r.u.valid.text = text;
	if (!ok)
		k->priv->marks |= KIT_FAILED;
	kit_emit(k, &r);
}

void kit_valid(struct kit *k, const char *check, double value, double limit, bool ok,
	       const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (fmt) {
		va_start(ap, fmt);
		format(text, sizeof(text), fmt, ap);
		va_end(ap);
	}
	put_valid(k, NULL, check, value, limit, ok, fmt ? text : NULL);
}

void kit_valid_at(struct kit *k, const char *at, const char *check, double value,
		  double limit, bool ok, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (fmt) {
		va_start(ap, fmt);
		format(text, sizeof(text), fmt, ap);
		va_end(ap);
	}
	put_valid(k, at, check, value, limit, ok, fmt ? text : NULL);
}

void kit_event(struct kit *k, const char *what, const char *fmt, ...)
{
	struct record r = record_make(RECORD_KIND_event);
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	format(text, sizeof(text), fmt, ap);
	va_end(ap);
	r.u.event.rank = k->rank;
	r.u.event.what = what;
	r.u.event.text = text;
	kit_emit(k, &r);
}

/* Replaces what of @r makes the line too long by a remark. */
static void shorten_rank(struct kit *k, struct record *r, struct strbuf *mask,
			 struct strbuf *cpuset)
{
	struct strbuf line = {0};

	record_encode(r, &line);
	if (!fits(&line)) {
		kit_event(k, "remark", "environment of rank %d left out: too long",
			  k->rank);
		r->u.rank.env = NULL;
		strbuf_reset(&line);
		record_encode(r, &line);
	}
	if (!fits(&line)) {
		kit_event(k, "remark", "CPU lists of rank %d cut: too long", k->rank);
		strbuf_truncate(mask, 1500);
		strbuf_truncate(cpuset, 1500);
		r->u.rank.mask = strbuf_str(mask);
		r->u.rank.cpuset = strbuf_str(cpuset);
	}
	strbuf_release(&line);
}

void kit_emit_rank(struct kit *k)
{
	struct record r = record_make(RECORD_KIND_rank);
	struct strbuf mask = {0}, cpuset = {0}, later = {0};
	int *cpus = mem_calloc((size_t)k->threads + 1, sizeof(*cpus));
	char host[256] = "";

	for (int i = 0; k->cpus && i < k->threads; i++)
		cpus[i] = k->cpus[i].cpu;
	cpulist_format(cpus, k->cpus ? k->threads : 0, &cpuset);
	cpumask_format(&k->priv->mask, &mask);
	(void)gethostname(host, sizeof(host) - 1);
	r.u.rank.rank = k->rank;
	r.u.rank.host = host;
	r.u.rank.pid = getpid();
	r.u.rank.mask = strbuf_str(&mask);
	r.u.rank.cpuset = strbuf_str(&cpuset);
	r.u.rank.threads = k->threads;
	r.u.rank.env = k->priv->env;
	/* rank records come first: what was queued before goes behind */
	strbuf_add(&later, strbuf_str(&k->priv->queue), k->priv->queue.len);
	strbuf_reset(&k->priv->queue);
	shorten_rank(k, &r, &mask, &cpuset);
	strbuf_add(&later, strbuf_str(&k->priv->queue), k->priv->queue.len);
	strbuf_reset(&k->priv->queue);
	kit_emit(k, &r);
	strbuf_add(&k->priv->queue, strbuf_str(&later), later.len);
	strbuf_release(&later);
	strbuf_release(&mask);
	strbuf_release(&cpuset);
	free(cpus);
}

/* Without --format records: keeps the record, and says at once what went wrong. */
static void keep(struct kit *k, const char *line, size_t len)
{
	struct kit_private *p = k->priv;
	struct record *r;
	struct err e = {0};

	mem_grow(&p->list, &p->cap_list, p->n_list + 1, sizeof(*p->list));
	r = &p->list[p->n_list];
	if (record_decode(line, len, &p->arena, r, &e))
		bug(k, "record", e.msg);
	p->n_list++;
	if (r->kind == RECORD_KIND_event && strcmp(r->u.event.what, "placement") != 0 &&
	    strcmp(r->u.event.what, "library") != 0 &&
	    strcmp(r->u.event.what, "counters") != 0)
		(void)fprintf(stderr, "assay-%s: rank %lld: %s: %s\n", k->kernel->name,
			      (long long)r->u.event.rank, r->u.event.what,
			      r->u.event.text);
}

static void print(struct kit *k, const char *lines, size_t len)
{
	struct kit_private *p = k->priv;

	while (len) {
		const char *end = memchr(lines, '\n', len);
		const size_t n = (size_t)(end - lines);

		if (p->records) {
			p->broken |= fwrite(prefix, 1, sizeof(prefix) - 1, stdout) == 0;
			p->broken |= fwrite(lines, 1, n + 1, stdout) == 0;
			p->printed++;
		} else {
			keep(k, lines, n);
		}
		lines += n + 1;
		len -= n + 1;
	}
}

void kit_flush(struct kit *k)
{
	struct kit_private *p = k->priv;
	const bool root = !k->rank;
	int len = (int)p->queue.len;
	int *lens = root ? mem_calloc((size_t)k->ranks, sizeof(*lens)) : NULL;
	char *lines = NULL;
	size_t cap = 0;

	(void)MPI_Gather(&len, 1, MPI_INT, lens, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (!root && len)
		(void)MPI_Send(p->queue.buf, len, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
	if (root)
		print(k, strbuf_str(&p->queue), p->queue.len);
	/* one after the other: the largest rank bounds the memory, not the sum of them */
	for (int i = 1; root && i < k->ranks; i++) {
		if (!lens[i])
			continue;
		mem_grow(&lines, &cap, (size_t)lens[i], 1);
		(void)MPI_Recv(lines, lens[i], MPI_CHAR, i, 0, MPI_COMM_WORLD,
			       MPI_STATUS_IGNORE);
		print(k, lines, (size_t)lens[i]);
	}
	if (root && !p->records && k->kernel->so_far)
		k->kernel->so_far(k, p->list, p->n_list, stdout);
	if (root)
		p->broken |= fflush(stdout) != 0;
	strbuf_reset(&p->queue);
	free(lines);
	free(lens);
}

void kit_flush_own(struct kit *k)
{
	struct kit_private *p = k->priv;

	if (k->rank)
		return;
	print(k, strbuf_str(&p->queue), p->queue.len);
	p->broken |= fflush(stdout) != 0;
	strbuf_reset(&p->queue);
}

int kit_emit_end(struct kit *k)
{
	struct kit_private *p = k->priv;
	struct record r = record_make(RECORD_KIND_end);
	struct strbuf line = {0};

	if (p->records) {
		r.u.end.count = p->printed;
		r.u.end.ranks = k->ranks;
		record_encode(&r, &line);
		strbuf_addch(&line, '\n');
		print(k, line.buf, line.len);
		strbuf_release(&line);
	} else if (k->kernel->text) {
		k->kernel->text(k, p->list, p->n_list, stdout);
	} else {
		kit_table(k, p->list, p->n_list, stdout);
	}
	p->broken |= fflush(stdout) != 0 || ferror(stdout) != 0;
	return p->broken ? -1 : 0;
}
