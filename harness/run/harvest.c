/* SPDX-License-Identifier: Apache-2.0 */
/* From a step's output to records and a cause: see harvest.h. */
#include "run/harvest.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "record/reading.h"
#include "run/hints.h"

static const char mark[] = "@assay ";

enum { MAX_COMPLAINT = 400, MOST_TEXT = 64 << 20 };

void harvest_init(struct harvest *h, const struct step *s, const struct metrics *m,
		  size_t most,
		  int (*put)(void *ctx, const struct record *r, struct err *e), void *ctx)
{
	memset(h, 0, sizeof(*h));
	h->step = s;
	h->metrics = m;
	h->most = most ? most : HARVEST_MOST;
	h->put = put;
	h->ctx = ctx;
	h->out.max = HARVEST_LINE;
	h->err.max = MAX_COMPLAINT;
	h->rank_seen = mem_calloc((size_t)s->ranks + 1, sizeof(bool));
}

/* Notes the first thing that is wrong. */
static void __attribute__((format(printf, 2, 3)))
problem(struct harvest *h, const char *fmt, ...)
{
	va_list ap;

	if (h->problem.len)
		return;
	strbuf_addf(&h->problem, "line %zu of its output: ", h->out.n);
	va_start(ap, fmt);
	strbuf_vaddf(&h->problem, fmt, ap);
	va_end(ap);
}

/* The fields of a kernel's record that say whose it is. */
struct whose {
	int64_t *step, *attempt, rank;
	const char **node;
};

static bool whose(struct record *r, struct whose *w)
{
#define WHOSE(k)                                                \
	case RECORD_KIND_##k:                                   \
		*w = (struct whose){.step = &r->u.k.step,       \
				    .attempt = &r->u.k.attempt, \
				    .rank = r->u.k.rank,        \
				    .node = &r->u.k.node};      \
		return true

	switch (r->kind) {
		WHOSE(rank);
		WHOSE(sample);
		WHOSE(valid);
		WHOSE(counter);
		WHOSE(event);
	default:
		return false;
	}
#undef WHOSE
}

const char *harvest_node(const struct step *s, int64_t rank)
{
	size_t i = s->per_node > 0 ? (size_t)rank / (size_t)s->per_node : 0;

	return i < s->n_nodes ? s->nodes[i] : NULL;
}

/* Adds what only we know. False: the record is not what a kernel may print. */
static bool attribute(struct harvest *h, struct record *r)
{
	const struct step *s = h->step;
	struct whose w;

	if (!whose(r, &w)) {
		problem(h, "a '%s' record", record_kind_name(r->kind));
		return false;
	}
	if (*w.step != RECORD_NO_INT || *w.attempt != RECORD_NO_INT || *w.node) {
		problem(h, "step, attempt or node in a '%s' record",
			record_kind_name(r->kind));
		return false;
	}
	if (w.rank != RECORD_NO_INT && (w.rank < 0 || w.rank >= s->ranks)) {
		problem(h, "rank %lld of %d", (long long)w.rank, s->ranks);
		return false;
	}
	*w.step = s->id;
	*w.attempt = s->attempt;
	if (w.rank != RECORD_NO_INT)
		*w.node = harvest_node(s, w.rank);
	else if (s->n_nodes == 1)
		*w.node = s->nodes[0];
	return true;
}

static bool check_rank(struct harvest *h, const struct record_rank *r)
{
	if (h->rank_seen[r->rank]) {
		problem(h, "rank %lld for the second time", (long long)r->rank);
		return false;
	}
	h->rank_seen[r->rank] = true;
	h->ranks_seen++;
	return true;
}

/* The other node of a pair, by its rank: a kernel does not know our names. */
static bool name_peer(struct harvest *h, struct record_sample *r)
{
	char *end;
	long rank;

	if (!r->peer)
		return true;
	rank = strtol(r->peer, &end, 10);
	if (!*r->peer || *end || rank < 0 || rank >= h->step->ranks) {
		problem(h, "peer '%.64s', expected a rank", r->peer);
		return false;
	}
	r->peer = harvest_node(h->step, rank);
	return true;
}

static bool check_sample(struct harvest *h, struct record_sample *r)
{
	const struct metric *m = metrics_find(h->metrics, r->metric);

	if (!m || strcmp(m->kernel, h->step->kernel) != 0) {
		problem(h, "metric '%.64s', which kernel '%s' does not declare",
			r->metric, h->step->kernel);
		return false;
	}
	if (strcmp(m->unit, r->unit) != 0) {
		problem(h, "metric '%s' in '%.16s', declared in '%s'", r->metric, r->unit,
			m->unit);
		return false;
	}
	if (r->at && *r->at != '{') {
		problem(h, "metric '%s': 'at' is not an object", r->metric);
		return false;
	}
	if (!name_peer(h, r))
		return false;
	if (!isfinite(r->value.v))
		problem(h, "metric '%s' is not a finite number", r->metric);
	h->samples++;
	return true;
}

static void note(struct strbuf *once, const char *text)
{
	if (!once->len)
		utf8_printable(once, text, strnlen(text, MAX_COMPLAINT));
}

static bool check(struct harvest *h, struct record *r)
{
	switch (r->kind) {
	case RECORD_KIND_rank:
		return r->u.rank.rank != RECORD_NO_INT && check_rank(h, &r->u.rank);
	case RECORD_KIND_sample:
		return check_sample(h, &r->u.sample);
	case RECORD_KIND_valid:
		h->failed = h->failed || !r->u.valid.ok;
		return true;
	case RECORD_KIND_event:
		if (!strcmp(r->u.event.what, "skip"))
			note(&h->skip, r->u.event.text);
		else if (!strcmp(r->u.event.what, "invalid"))
			note(&h->invalid, r->u.event.text);
		return true;
	default:
		return true;
	}
}

static int take_record(struct harvest *h, const char *json, size_t len, struct arena *a,
		       struct err *e)
{
	struct err why = {0};
	struct record r;

	if (record_decode(json, len, a, &r, &why)) {
		problem(h, "%s", why.msg);
		h->marked++;
		return 0;
	}
	if (h->ended) {
		problem(h, "a '%s' record after the end", record_kind_name(r.kind));
		return 0;
	}
	if (r.kind == RECORD_KIND_end) {
		if (r.u.end.count == RECORD_NO_INT || r.u.end.ranks == RECORD_NO_INT) {
			problem(h, "an end without count and ranks");
			return 0;
		}
		h->ended = true;
		h->end_count = r.u.end.count;
		h->end_ranks = r.u.end.ranks;
		return 0;
	}
	h->marked++;
	return attribute(h, &r) && check(h, &r) ? h->put(h->ctx, &r, e) : 0;
}

static int out_line(void *ctx, const char *line, size_t len, bool cut, struct err *e)
{
	const size_t n = sizeof(mark) - 1;
	struct harvest *h = ctx;
	struct arena a = {0};
	int rc;

	if (len < n || memcmp(line, mark, n) != 0) {
		if (memmem(line, len, mark, n - 1))
			problem(h, "'@assay' in the middle: lines are torn");
		return 0;
	}
	h->bytes += len;
	if (cut || len + 1 >= HARVEST_LINE) {
		problem(h, "a record of %d bytes or more", HARVEST_LINE);
		h->marked++;
		return 0;
	}
	rc = take_record(h, line + n, len - n, &a, e);
	arena_release(&a);
	return rc;
}

/* The text is read when it is there: some programs say at the end what counted. */
static int keep_text(struct harvest *h, const char *data, size_t len)
{
	if (h->text.len + len > MOST_TEXT)
		return 0; /* the rest of such a text is no result */
	strbuf_add(&h->text, data, len);
	return 0;
}

int harvest_out(struct harvest *h, const char *data, size_t len, struct err *e)
{
	if (h->step->n_command)
		return keep_text(h, data, len);
	if (lines_feed(&h->out, data, len, out_line, h, e))
		return -1;
	if (h->bytes <= h->most)
		return 0;
	problem(h, "more than %zu MiB of records", h->most >> 20);
	return 1;
}

/* Open MPI frames what it has to say with lines of dashes. */
static bool says_something(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (!strchr("-=*# \t\r", line[i]) && line[i])
			return true;
	}
	return false;
}

/* What the kernel itself says of its end is worth more than MPI's warnings before it. */
static bool complains_better(const struct harvest *h, const char *line, size_t len)
{
	static const char kernel[] = "assay-";
	const size_t n = sizeof(kernel) - 1;

	return !h->complaint.len || (len > n && !memcmp(line, kernel, n) &&
				     strncmp(strbuf_str(&h->complaint), kernel, n) != 0);
}

static int err_line(void *ctx, const char *line, size_t len, bool cut, struct err *e)
{
	struct harvest *h = ctx;

	(void)cut;
	(void)e;
	refusal_line(&h->refusal, line, len);
	if (!says_something(line, len))
		return 0;
	if (complains_better(h, line, len)) {
		strbuf_reset(&h->complaint);
		utf8_printable(&h->complaint, line, len);
	}
	if (!h->hint)
		h->hint = hints_find(line, len);
	if (!h->killed.len && memmem(line, len, "exited on signal", 16))
		utf8_printable(&h->killed, line, len);
	return 0;
}

void harvest_err(struct harvest *h, const char *data, size_t len)
{
	struct err none = {0};

	(void)lines_feed(&h->err, data, len, err_line, h, &none);
}

/* Several results in one text differ by their problem, which each is marked with. */
static const char *at_of(struct arena *a, const struct reading *r, size_t i,
			 const char *at)
{
	if (r->n < 2 || at || !*r->items[i].title || r->items[i].node)
		return at;
	return arena_printf(a, "{\"problem\":\"%s\"}", r->items[i].title);
}

static bool has_node(const struct step *s, const char *node)
{
	for (size_t i = 0; i < s->n_nodes; i++) {
		if (!strcmp(s->nodes[i], node))
			return true;
	}
	return false;
}

/* Result @i is none: the first of those decides; of several it is said which it is. */
static void note_fault(struct harvest *h, const struct reading *r, size_t i,
		       struct arena *a)
{
	const struct reading_result *x = &r->items[i];
	const bool named = r->n > 1 && *x->title && strcmp(x->title, "missing") != 0;

	if (h->missing++ || h->problem.len)
		return;
	h->text_cause = x->cause;
	note(&h->problem,
	     arena_printf(a, "%s%s%s%s",
			  x->line ? arena_printf(a, "line %ld of its output: ", x->line)
				  : "",
			  named ? x->title : "", named ? ": " : "", x->reason));
}

static int put_reading(struct harvest *h, const struct reading *r, struct arena *a,
		       struct err *e)
{
	const struct step *s = h->step;
	const char *node = s->n_nodes == 1 ? s->nodes[0] : NULL;

	for (size_t i = 0; i < r->n; i++) {
		const char *whose = r->items[i].node ? r->items[i].node : node;

		if (!strcmp(r->items[i].cause, "ok"))
			h->good++;
		else
			note_fault(h, r, i, a);
		if (r->items[i].node && !has_node(s, whose)) {
			note(&h->problem,
			     arena_printf(a,
					  "a value of %s, which is no node of the step",
					  whose));
			continue;
		}
		for (size_t k = 0; k < r->items[i].n; k++) {
			struct record rec = r->items[i].records[k];

			if (!reading_own(&rec, s->id, s->attempt, whose))
				continue;
			if (rec.kind == RECORD_KIND_sample) {
				rec.u.sample.at = at_of(a, r, i, rec.u.sample.at);
				if (!check_sample(h, &rec.u.sample))
					continue;
			}
			if (rec.kind == RECORD_KIND_valid) {
				rec.u.valid.at = at_of(a, r, i, NULL);
				h->failed |= !rec.u.valid.ok;
			}
			if (h->put(h->ctx, &rec, e))
				return -1;
		}
	}
	return 0;
}

/*
 * Some of several results are good, and then it ended badly, or did not bring the rest:
 * those count, and what is missing is said beside them. A launch over several nodes that
 * ended badly is a failed one all the same, as the search for the culprit wants it; and
 * of a text that contradicts itself nothing is believed.
 */
static int put_rest(struct harvest *h, const struct spawn_result *res, struct err *e)
{
	const struct step *s = h->step;
	const bool bad_end = (res->exit || res->signal) && !h->failed;
	struct record r = record_make(RECORD_KIND_event);
	struct strbuf text = {0};
	int rc;

	if (!h->good || !h->samples || res->end != SPAWN_EXITED ||
	    (!bad_end && !h->problem.len) || (bad_end && s->n_nodes > 1) ||
	    (h->text_cause && !strcmp(h->text_cause, "invalid")))
		return 0;
	if (bad_end) {
		harvest_how(h, res, &text);
		strbuf_addf(&text, " after %zu result%s", h->good,
			    h->good == 1 ? "" : "s");
		harvest_words(h, false, &text);
	}
	if (h->problem.len)
		strbuf_addf(&text, "%s%s", text.len ? "; " : "", strbuf_str(&h->problem));
	if (h->missing > 1)
		strbuf_addf(&text, "; %zu more like that", h->missing - 1);
	h->part = true;
	r.u.event.step = s->id;
	r.u.event.attempt = s->attempt;
	r.u.event.node = s->n_nodes == 1 ? s->nodes[0] : NULL;
	r.u.event.what = "no-data";
	r.u.event.text = strbuf_str(&text);
	rc = h->put(h->ctx, &r, e);
	strbuf_release(&text);
	return rc;
}

static int read_foreign(struct harvest *h, const struct spawn_result *res, struct err *e)
{
	const struct reader *reader = reader_find(h->step->reader);
	struct reading r;
	struct arena a = {0};
	int rc;

	reading_make(&r, reader, strbuf_str(&h->text));
	h->explained = r.wrong != NULL;
	rc = put_reading(h, &r, &a, e);
	if (!rc)
		rc = put_rest(h, res, e);
	reading_release(&r);
	arena_release(&a);
	return rc;
}

int harvest_end(struct harvest *h, const struct spawn_result *res, struct err *e)
{
	(void)lines_end(&h->err, err_line, h, e);
	if (h->step->n_command)
		return read_foreign(h, res, e);
	return lines_end(&h->out, out_line, h, e);
}

void harvest_release(struct harvest *h)
{
	lines_release(&h->out);
	lines_release(&h->err);
	strbuf_release(&h->problem);
	strbuf_release(&h->skip);
	strbuf_release(&h->invalid);
	strbuf_release(&h->complaint);
	strbuf_release(&h->killed);
	strbuf_release(&h->text);
	refusal_release(&h->refusal);
	free(h->rank_seen);
	memset(h, 0, sizeof(*h));
}
