/* SPDX-License-Identifier: Apache-2.0 */
/* Hostlists: see hostlist.h. */
#include "config/hostlist.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/node_name.h"

enum {
	MAX_GROUPS = 8,                 /* brackets in one name */
	MAX_PARTS = 2 * MAX_GROUPS + 1, /* with the text between them */
	MAX_DIGITS = 18,                /* of one number: fits 64 bits */
};

struct range {
	uint64_t low, high;
	int width;
};

struct part {
	const char *text; /* literal when there are no ranges */
	size_t len;
	struct range *ranges;
	size_t n_ranges, cap_ranges;
};

struct parser {
	const char *text, *p; /* p: where we are */
	struct arena *a;
	const char **names;
	size_t n, cap;
	struct part parts[MAX_PARTS]; /* of the item at hand */
	size_t n_parts;
	struct strbuf name;
	struct err *e;
};

static int complain(const struct parser *ps, const char *at, const char *what)
{
	err_set(ps->e, ERR_USAGE, "hostlist '%.60s%s': column %zu: %s", ps->text,
		strlen(ps->text) > 60 ? "..." : "", (size_t)(at - ps->text) + 1, what);
	return err_clean(ps->e);
}

static int number(struct parser *ps, uint64_t *value, int *width)
{
	const char *from = ps->p;

	*value = 0;
	while (isdigit((unsigned char)*ps->p) && ps->p - from <= MAX_DIGITS)
		*value = *value * 10 + (uint64_t)(*ps->p++ - '0');
	*width = (int)(ps->p - from);
	if (!*width)
		return complain(ps, ps->p, "expected a number");
	if (*width > MAX_DIGITS)
		return complain(ps, from, "number too long, at most 18 digits");
	return 0;
}

/* "N" or "N-M", then what follows it in the bracket. */
static int range(struct parser *ps, struct part *part)
{
	const char *from = ps->p;
	struct range r;
	int width;

	if (number(ps, &r.low, &r.width))
		return -1;
	r.high = r.low;
	if (*ps->p == '-') {
		ps->p++;
		if (number(ps, &r.high, &width))
			return -1;
	}
	if (r.high < r.low)
		return complain(ps, from, "the range ends before it begins");
	if (r.high - r.low >= HOSTLIST_MAX_NAMES)
		return complain(ps, from, "more than 1000000 names");
	mem_grow(&part->ranges, &part->cap_ranges, part->n_ranges + 1, sizeof(r));
	part->ranges[part->n_ranges++] = r;
	if (*ps->p != ',' && *ps->p != ']')
		return complain(ps, ps->p, "expected ',', '-' or ']' in a bracket");
	return 0;
}

static int bracket(struct parser *ps, struct part *part)
{
	do {
		ps->p++; /* '[' or ',' */
		if (range(ps, part))
			return -1;
	} while (*ps->p == ',');
	ps->p++;
	return 0;
}

/* One item up to ',' or the end, into ps->parts. */
static int item(struct parser *ps)
{
	while (node_name_char(*ps->p) || *ps->p == '[') {
		struct part *part = &ps->parts[ps->n_parts];

		if (ps->n_parts == MAX_PARTS)
			return complain(ps, ps->p, "too many brackets in one name");
		ps->n_parts++;
		if (*ps->p == '[') {
			if (bracket(ps, part))
				return -1;
			continue;
		}
		part->text = ps->p;
		while (node_name_char(*ps->p))
			ps->p++;
		part->len = (size_t)(ps->p - part->text);
	}
	return 0;
}

/* Number of names the item stands for, capped a little above the limit. */
static size_t item_count(const struct parser *ps)
{
	size_t count = 1;

	for (size_t i = 0; i < ps->n_parts; i++) {
		const struct part *part = &ps->parts[i];
		size_t sum = part->n_ranges ? 0 : 1;

		for (size_t j = 0; j < part->n_ranges && sum <= HOSTLIST_MAX_NAMES; j++)
			sum += part->ranges[j].high - part->ranges[j].low + 1;
		count *= sum; /* both at most 2 * the limit: no overflow */
		if (count > HOSTLIST_MAX_NAMES)
			return HOSTLIST_MAX_NAMES + 1;
	}
	return count;
}

/* Adds ps->name, which is complete. */
static int add_name(struct parser *ps, const char *at)
{
	if (ps->name.len > NODE_NAME_MAX)
		return complain(ps, at, "name longer than 253 characters");
	if (!node_name_first(strbuf_str(&ps->name)[0]))
		return complain(ps, at, "a name begins with a letter, a digit or '_'");
	ps->names[ps->n++] = arena_strndup(ps->a, strbuf_str(&ps->name), ps->name.len);
	return 0;
}

/* Appends the parts from @i on to ps->name in every way there is. */
static int emit(struct parser *ps, size_t i, const char *at)
{
	const struct part *part = &ps->parts[i];
	size_t len = ps->name.len;

	if (i == ps->n_parts)
		return add_name(ps, at);
	if (!part->n_ranges) {
		strbuf_add(&ps->name, part->text, part->len);
		return emit(ps, i + 1, at);
	}
	for (size_t j = 0; j < part->n_ranges; j++) {
		const struct range *r = &part->ranges[j];

		for (uint64_t v = r->low; v <= r->high; v++) {
			strbuf_truncate(&ps->name, len);
			strbuf_addf(&ps->name, "%0*" PRIu64, r->width, v);
			if (emit(ps, i + 1, at))
				return -1;
		}
	}
	return 0;
}

static int expand_item(struct parser *ps)
{
	const char *at = ps->p;
	size_t count;

	if (item(ps))
		return -1;
	if (!ps->n_parts)
		return complain(ps, ps->p,
				*ps->p && *ps->p != ',' ? "not a character of a node name"
							: "expected a node name");
	count = item_count(ps);
	if (count > HOSTLIST_MAX_NAMES - ps->n)
		return complain(ps, at, "more than 1000000 names");
	mem_grow(&ps->names, &ps->cap, ps->n + count, sizeof(*ps->names));
	strbuf_reset(&ps->name);
	return emit(ps, 0, at);
}

static void parts_release(struct parser *ps)
{
	for (size_t i = 0; i < ps->n_parts; i++) {
		free(ps->parts[i].ranges);
		ps->parts[i] = (struct part){0};
	}
	ps->n_parts = 0;
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static int expand_all(struct parser *ps)
{
	for (;;) {
		ps->p = skip_blanks(ps->p);
		if (expand_item(ps))
			return -1;
		parts_release(ps);
		ps->p = skip_blanks(ps->p);
		if (!*ps->p)
			return 0;
		if (*ps->p != ',')
			return complain(ps, ps->p,
					node_name_char(*ps->p) || *ps->p == '['
						? "expected ',' between names"
						: "not a character of a node name");
		ps->p++;
	}
}

int hostlist_expand(struct arena *a, const char *text, const char ***names, size_t *n,
		    struct err *e)
{
	struct parser ps = {.text = text, .p = text, .a = a, .e = e};
	int rc = expand_all(&ps);

	if (!rc) {
		*names = arena_dup(a, ps.names, ps.n, sizeof(**names));
		*n = ps.n;
	}
	parts_release(&ps);
	strbuf_release(&ps.name);
	free(ps.names);
	return rc;
}

/* A name cut at the number it is folded on; no digits: it is not folded. */
struct cut {
	const char *name, *suffix;
	size_t prefix, digits; /* bytes */
	uint64_t value;
};

static struct cut cut(const char *name)
{
	struct cut c = {.name = name, .prefix = strlen(name), .suffix = ""};
	size_t end = strcspn(name, ".");

	while (end && !isdigit((unsigned char)name[end - 1]))
		end--;
	if (!end) {
		end = c.prefix;
		while (end && !isdigit((unsigned char)name[end - 1]))
			end--;
	}
	while (end > c.digits && isdigit((unsigned char)name[end - c.digits - 1]))
		c.digits++;
	if (!c.digits || c.digits > MAX_DIGITS) {
		c.digits = 0;
		return c;
	}
	c.prefix = end - c.digits;
	c.suffix = name + end;
	c.value = strtoull(name + c.prefix, NULL, 10);
	return c;
}

static bool same_bracket(const struct cut *a, const struct cut *b)
{
	return a->digits && b->digits && a->prefix == b->prefix &&
	       !memcmp(a->name, b->name, a->prefix) && !strcmp(a->suffix, b->suffix);
}

/* @next is the number after @last when @first's width pads both. */
static bool follows(const struct cut *first, const struct cut *last,
		    const struct cut *next)
{
	char text[32];
	int n;

	if (!same_bracket(last, next))
		return false;
	n = snprintf(text, sizeof(text), "%0*" PRIu64, (int)first->digits,
		     last->value + 1);
	return (size_t)n == next->digits &&
	       !memcmp(text, next->name + next->prefix, next->digits);
}

static void add_digits(struct strbuf *out, const struct cut *c)
{
	strbuf_add(out, c->name + c->prefix, c->digits);
}

/* Appends one item made of the names from @i on; returns the index after them. */
static size_t fold_item(struct strbuf *out, const char *const *names, size_t n, size_t i)
{
	struct cut first = cut(names[i]);
	struct strbuf inside = {0};
	bool many = false;

	for (;;) {
		struct cut from = cut(names[i]), last = from, next;

		add_digits(&inside, &from);
		for (i++; i < n; i++, last = next) {
			next = cut(names[i]);
			if (!follows(&from, &last, &next))
				break;
		}
		if (last.name != from.name) {
			strbuf_addch(&inside, '-');
			add_digits(&inside, &last);
			many = true;
		}
		if (i == n)
			break;
		next = cut(names[i]);
		if (!same_bracket(&first, &next))
			break;
		strbuf_addch(&inside, ',');
		many = true;
	}
	strbuf_add(out, first.name, first.prefix);
	strbuf_addf(out, many ? "[%s]" : "%s", strbuf_str(&inside));
	strbuf_addstr(out, first.suffix);
	strbuf_release(&inside);
	return i;
}

void hostlist_fold(struct strbuf *out, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n;) {
		if (i)
			strbuf_addch(out, ',');
		i = fold_item(out, names, n, i);
	}
}

size_t hostlist_unique(const char **names, size_t *n)
{
	struct names seen = {0};
	size_t kept = 0, before = *n;
	bool fresh;

	for (size_t i = 0; i < before; i++) {
		(void)names_add(&seen, names[i], &fresh);
		if (fresh)
			names[kept++] = names[i];
	}
	names_release(&seen);
	*n = kept;
	return before - kept;
}

/* Length of the run of digits at @s, and of the zeros it begins with. */
static size_t digits(const char *s, size_t *zeros)
{
	size_t n = 0;

	while (isdigit((unsigned char)s[n]))
		n++;
	*zeros = strspn(s, "0");
	if (*zeros > n)
		*zeros = n;
	return n;
}

int hostlist_compare(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	const char *s = x, *t = y;

	while (*s && *t) {
		size_t zs, zt, ns = digits(s, &zs), nt = digits(t, &zt);
		int order;

		if (ns && nt) {
			if (ns - zs != nt - zt)
				return ns - zs < nt - zt ? -1 : 1;
			order = memcmp(s + zs, t + zt, ns - zs);
			s += ns;
			t += nt;
		} else {
			order = (unsigned char)*s++ - (unsigned char)*t++;
		}
		if (order)
			return order;
	}
	if (*s || *t)
		return *s ? 1 : -1;
	return strcmp(x, y);
}
