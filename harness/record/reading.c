/* SPDX-License-Identifier: Apache-2.0 */
/* Other programs' text as records: see reading.h. */
#include "record/reading.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "base/utf8.h"

static const struct reader *const readers[] = {
#define READER(name) &reader_##name,
#include "record/readers.def"
#undef READER
};

enum { N_READERS = sizeof(readers) / sizeof(readers[0]) };

const struct reader *reader_at(size_t i)
{
	return i < N_READERS ? readers[i] : NULL;
}

const struct reader *reader_find(const char *name)
{
	for (size_t i = 0; i < N_READERS; i++) {
		if (!strcmp(readers[i]->name, name))
			return readers[i];
	}
	return NULL;
}

const struct reader *reader_for(const char *text)
{
	for (size_t i = 0; i < N_READERS; i++) {
		if (readers[i]->knows(text))
			return readers[i];
	}
	return NULL;
}

void reading_make(struct reading *r, const struct reader *reader, const char *text)
{
	memset(r, 0, sizeof(*r));
	reader->read(text, r);
	if (r->n && !r->wrong)
		return;
	reading_begin(r, "");
	reading_at(r, r->wrong_line);
	if (r->wrong)
		reading_lacks(r, "%s", r->wrong);
	else
		reading_lacks(r, "no result in what %s printed", reader->help);
}

void reading_release(struct reading *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].records);
		free(r->items[i].lines);
	}
	free(r->items);
	arena_release(&r->arena);
	memset(r, 0, sizeof(*r));
}

bool reading_own(struct record *r, int64_t step, int64_t attempt, const char *node)
{
	switch (r->kind) {
	case RECORD_KIND_sample:
		r->u.sample.step = step;
		r->u.sample.attempt = attempt;
		r->u.sample.node = node;
		return true;
	case RECORD_KIND_valid:
		r->u.valid.step = step;
		r->u.valid.attempt = attempt;
		r->u.valid.node = node;
		return true;
	case RECORD_KIND_counter:
		r->u.counter.step = step;
		r->u.counter.attempt = attempt;
		r->u.counter.node = node;
		return true;
	case RECORD_KIND_event:
		r->u.event.step = step;
		r->u.event.attempt = attempt;
		r->u.event.node = node;
		return true;
	default:
		return false;
	}
}

void reading_begin(struct reading *r, const char *title)
{
	mem_grow(&r->items, &r->cap, r->n + 1, sizeof(*r->items));
	r->current = r->n;
	r->items[r->n++] = (struct reading_result){
		.title = arena_strdup(&r->arena, title), .cause = "ok"};
}

static struct record *add(struct reading *r, enum record_kind kind)
{
	struct reading_result *last = &r->items[r->current];

	mem_grow(&last->records, &last->cap, last->n + 1, sizeof(*last->records));
	mem_grow(&last->lines, &last->cap_lines, last->n + 1, sizeof(*last->lines));
	last->lines[last->n] = r->line;
	last->records[last->n] = record_make(kind);
	return &last->records[last->n++];
}

void reading_sample(struct reading *r, const char *metric, double value, const char *unit,
		    const char *at)
{
	struct record *rec = add(r, RECORD_KIND_sample);

	rec->u.sample.metric = metric;
	rec->u.sample.peer = r->items[r->current].peer;
	rec->u.sample.value = record_num(value);
	rec->u.sample.unit = unit;
	rec->u.sample.at = arena_strdup(&r->arena, at);
}

void reading_valid(struct reading *r, const char *check, double value, double limit,
		   bool ok, const char *text)
{
	struct record *rec = add(r, RECORD_KIND_valid);

	rec->u.valid.check = check;
	/* of a check that is good NaN says that it has no number */
	if (!isnan(value) || !ok)
		rec->u.valid.value = record_num(value);
	if (!isnan(limit))
		rec->u.valid.limit = record_num(limit);
	rec->u.valid.ok = ok;
	rec->u.valid.text = arena_strdup(&r->arena, text);
}

void reading_event(struct reading *r, const char *what, const char *text)
{
	struct record *rec = add(r, RECORD_KIND_event);

	rec->u.event.what = what;
	rec->u.event.text = arena_strdup(&r->arena, text);
}

void reading_counter(struct reading *r, const char *name, const char *when, double value)
{
	struct record *rec = add(r, RECORD_KIND_counter);

	rec->u.counter.name = arena_strdup(&r->arena, name);
	rec->u.counter.when = when;
	rec->u.counter.value = record_num(value);
	rec->u.counter.unit = "ratio";
}

void reading_repetition(struct reading *r, int64_t repetition)
{
	struct reading_result *last = &r->items[r->current];

	last->records[last->n - 1].u.sample.repetition = repetition;
}

/* Quotes of the text are made fit for a terminal and for JSON. */
static const char *clean_text(struct reading *r, const char *fmt, va_list ap)
{
	struct strbuf text = {0}, clean = {0};
	const char *kept;

	strbuf_vaddf(&text, fmt, ap);
	utf8_printable(&clean, strbuf_str(&text), text.len);
	kept = arena_strdup(&r->arena, strbuf_str(&clean));
	strbuf_release(&text);
	strbuf_release(&clean);
	return kept;
}

bool reading_wrong(struct reading *r, long line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->wrong = clean_text(r, fmt, ap);
	va_end(ap);
	r->wrong_line = line;
	return false;
}

void reading_leave(struct reading *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	r->left_aside = clean_text(r, fmt, ap);
	va_end(ap);
	r->left_line = r->line;
}

void reading_at(struct reading *r, long line)
{
	r->items[r->n - 1].line = line;
}

static void fail(struct reading *r, const char *cause, const char *fmt, va_list ap)
{
	struct reading_result *last = &r->items[r->n - 1];

	last->cause = cause;
	last->reason = clean_text(r, fmt, ap);
}

void reading_lacks(struct reading *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(r, "no-data", fmt, ap);
	va_end(ap);
}

void reading_doubt(struct reading *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(r, "invalid", fmt, ap);
	va_end(ap);
}

bool reading_line(const char **text, char line[READING_LINE])
{
	const char *from = *text;
	size_t len = strcspn(from, "\n"), n = len;

	if (!*from)
		return false;
	*text = from + len + (from[len] == '\n');
	while (n && from[n - 1] == '\r')
		n--;
	if (n >= READING_LINE)
		n = READING_LINE - 1;
	memcpy(line, from, n);
	line[n] = '\0';
	return true;
}

size_t reading_words(char *line, char **words, size_t max)
{
	size_t n = 0;
	char *save = NULL;

	for (char *w = strtok_r(line, " \t", &save); w && n < max;
	     w = strtok_r(NULL, " \t", &save))
		words[n++] = w;
	return n;
}

int64_t reading_count(const char *word)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(word, &end, 10);
	return errno || *end || end == word || v < 1 ? 0 : (int64_t)v;
}

bool reading_number(const char *word, double *value)
{
	char *end;

	*value = strtod(word, &end);
	return end != word && !*end;
}
