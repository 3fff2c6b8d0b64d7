/* SPDX-License-Identifier: Apache-2.0 */
/* Plain lines to records: see plain.h. */
#include "record/plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/fields.h"

/* What is left of a line. */
struct scan {
	const char *at, *end;
};

struct span {
	const char *text;
	size_t len;
};

static bool next_is(struct scan *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

static bool word(struct scan *s, const char *w)
{
	size_t n = strlen(w);

	if ((size_t)(s->end - s->at) < n || memcmp(s->at, w, n) != 0)
		return false;
	s->at += n;
	return true;
}

/* A quoted text that stands for itself: printable ASCII without escapes. */
static bool string(struct scan *s, struct span *out)
{
	if (!next_is(s, '"'))
		return false;
	out->text = s->at;
	while (s->at < s->end && *s->at >= ' ' && *s->at <= '~' && *s->at != '"' &&
	       *s->at != '\\')
		s->at++;
	out->len = (size_t)(s->at - out->text);
	return next_is(s, '"');
}

static bool digits(struct scan *s)
{
	const char *from = s->at;

	while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
		s->at++;
	return s->at > from;
}

/*
 * A number as RFC 8259, section 6 has it; whole: without point and exponent, and of so
 * few digits that an int64_t holds it. What follows it must be on the line, so that
 * strtod() stops there.
 */
static bool number(struct scan *s, struct span *out, bool *whole)
{
	const char *first;

	out->text = s->at;
	(void)next_is(s, '-');
	first = s->at;
	if (!next_is(s, '0') && !digits(s))
		return false;
	*whole = s->at - first <= 18;
	if (next_is(s, '.')) {
		*whole = false;
		if (!digits(s))
			return false;
	} else if (!*whole) {
		return false;
	}
	if (next_is(s, 'e') || next_is(s, 'E')) {
		*whole = false;
		(void)(next_is(s, '+') || next_is(s, '-'));
		if (!digits(s))
			return false;
	}
	out->len = (size_t)(s->at - out->text);
	return s->at < s->end;
}

/* @text is how a number in a JSON field is written: see json_text() in record.c. */
static bool written_so(const struct span *text, bool whole)
{
	char buf[40];
	double v;

	if (whole)
		return text->len != 2 || memcmp(text->text, "-0", 2) != 0;
	v = strtod(text->text, NULL);
	(void)snprintf(buf, sizeof(buf), "%.17g%s", v, v == floor(v) ? ".0" : "");
	/* exponents are written in more than one way */
	return !strchr(buf, 'e') && strlen(buf) == text->len &&
	       !memcmp(buf, text->text, text->len);
}

/* @b comes after @a in a JSON field. */
static bool ascending(const struct span *a, const struct span *b)
{
	int c = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);

	return c < 0 || (!c && a->len < b->len);
}

static bool value(struct scan *s, int depth);

static bool members(struct scan *s, int depth)
{
	struct span key, before;
	bool first = true;

	if (next_is(s, '}'))
		return true;
	do {
		if (!string(s, &key) || (!first && !ascending(&before, &key)) ||
		    !next_is(s, ':') || !value(s, depth))
			return false;
		before = key;
		first = false;
	} while (next_is(s, ','));
	return next_is(s, '}');
}

static bool items(struct scan *s, int depth)
{
	if (next_is(s, ']'))
		return true;
	do {
		if (!value(s, depth))
			return false;
	} while (next_is(s, ','));
	return next_is(s, ']');
}

/* JSON that is compact, its keys sorted, its numbers as we write them. */
static bool value(struct scan *s, int depth)
{
	struct span text;
	bool whole;

	if (depth > RECORD_DEPTH || s->at == s->end)
		return false;
	switch (*s->at) {
	case '"':
		return string(s, &text);
	case '{':
		s->at++;
		return members(s, depth + 1);
	case '[':
		s->at++;
		return items(s, depth + 1);
	case 't':
		return word(s, "true");
	case 'f':
		return word(s, "false");
	case 'n':
		return word(s, "null");
	default:
		return number(s, &text, &whole) && written_so(&text, whole);
	}
}

static const char *keep(struct names *texts, const struct span *s)
{
	size_t i = names_add_n(texts, s->text, s->len, NULL);

	return texts->items[i];
}

static int64_t whole_number(const struct span *text)
{
	bool minus = text->text[0] == '-';
	int64_t v = 0;

	for (size_t i = minus; i < text->len; i++)
		v = 10 * v + (text->text[i] - '0');
	return minus ? -v : v;
}

static bool read_num(struct scan *s, double *v)
{
	struct span text;
	bool whole;

	if (!number(s, &text, &whole))
		return false;
	*v = whole ? (double)whole_number(&text) : strtod(text.text, NULL);
	return isfinite(*v);
}

static bool read_field(struct scan *s, const struct field *f, struct names *texts,
		       struct record *r)
{
	void *p = (char *)r + f->offset;
	struct span text = {.text = s->at};
	struct record_num num = {.set = true};
	bool whole;

	switch (f->type) {
	case T_STR:
		if (!string(s, &text))
			return false;
		*(const char **)p = keep(texts, &text);
		return true;
	case T_JSON:
		if (!value(s, 1))
			return false;
		text.len = (size_t)(s->at - text.text);
		*(const char **)p = keep(texts, &text);
		return true;
	case T_INT:
		if (!number(s, &text, &whole) || !whole)
			return false;
		*(int64_t *)p = whole_number(&text);
		return true;
	case T_NUM:
		if (!read_num(s, &num.v))
			return false;
		*(struct record_num *)p = num;
		return true;
	case T_BOOL:
		*(bool *)p = word(s, "true");
		return *(bool *)p || word(s, "false");
	}
	return false;
}

static bool named(const struct span *key, const char *name)
{
	return !strncmp(name, key->text, key->len) && !name[key->len];
}

/* Number of the field, looked for from @from on, where it mostly is. */
static size_t find_field(const struct record_fields *kind, const struct span *key,
			 size_t from)
{
	for (size_t i = from; i < kind->n; i++) {
		if (named(key, kind->items[i].name))
			return i;
	}
	for (size_t i = 0; i < from; i++) {
		if (named(key, kind->items[i].name))
			return i;
	}
	return kind->n;
}

static bool read_kind(struct scan *s, enum record_kind *kind)
{
	struct span name;

	if (!word(s, "{\"kind\":") || !string(s, &name))
		return false;
	for (int k = 0; k < RECORD_KINDS; k++) {
		if (named(&name, record_fields[k].name)) {
			*kind = (enum record_kind)k;
			return true;
		}
	}
	return false;
}

bool record_read_plain(const char *line, size_t len, struct names *texts,
		       struct record *r)
{
	struct scan s = {line, line + len};
	const struct record_fields *kind;
	enum record_kind k;
	uint64_t seen = 0; /* bit i: field i, bit kind->n: "t" */
	size_t next = 0;
	struct span key;

	if (!read_kind(&s, &k))
		return false;
	kind = &record_fields[k];
	*r = record_make(k);
	while (next_is(&s, ',')) {
		size_t i;

		if (!string(&s, &key) || !next_is(&s, ':'))
			return false;
		i = find_field(kind, &key, next);
		if (i == kind->n ? !named(&key, "t") || !read_num(&s, &r->t)
				 : !read_field(&s, &kind->items[i], texts, r))
			return false;
		if (seen >> i & 1)
			return false;
		seen |= UINT64_C(1) << i;
		next = i < kind->n ? i + 1 : next;
	}
	for (size_t i = 0; i < kind->n; i++) {
		if (kind->items[i].need == MUST && !(seen >> i & 1))
			return false;
	}
	return next_is(&s, '}') && s.at == s.end;
}
