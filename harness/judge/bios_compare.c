/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of one node compared: see bios.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "judge/bios.h"

enum { MOST_SLIPS = 2 }; /* letters of a name that were meant otherwise */

/*
 * 0: equal but for blanks, 1: but for case, too, 2: different. Firmware pads texts, and
 * has several blanks in a row in names of CPUs.
 */
static int compare(const char *a, const char *b)
{
	int worst = 0;

	a += strspn(a, " \t");
	b += strspn(b, " \t");
	while (*a || *b) {
		bool blank_a = isblank((unsigned char)*a),
		     blank_b = isblank((unsigned char)*b);

		if ((blank_a || !*a) && (blank_b || !*b)) {
			a += strspn(a, " \t");
			b += strspn(b, " \t");
			if (!*a != !*b)
				return 2;
			continue;
		}
		if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
			return 2;
		if (*a != *b)
			worst = 1;
		a++;
		b++;
	}
	return worst;
}

static bool is_integer(const char *s, long long *v)
{
	char *end;

	errno = 0;
	*v = strtoll(s, &end, 10);
	return end != s && !*end && !errno && !isspace((unsigned char)*s);
}

/* 1.10 and 1.1 are two versions; only where BIOS has a number they are the same. */
static bool is_same_number(const struct setting_value *value, const char *wanted)
{
	long long a, b;
	char *end;

	if (is_integer(value->text, &a) && is_integer(wanted, &b))
		return a == b;
	if (!value->literal || !*wanted)
		return false;
	return strtod(wanted, &end) == strtod(value->text, NULL) && !*end &&
	       strspn(wanted, "0123456789.+-eE") == strlen(wanted);
}

int bios_same(const struct setting_value *value, const char *shown, const char *wanted,
	      const char **remark)
{
	int differ = value->text ? compare(value->text, wanted) : 2;

	*remark = NULL;
	if (!differ)
		return 0;
	if (differ == 1)
		*remark = "in other letters than wanted";
	else if (value->text && is_same_number(value, wanted))
		*remark = "the wanted number in other digits";
	else if (shown && !compare(shown, wanted))
		*remark = "which its registry shows as wanted";
	return *remark ? 0 : -1;
}

static const struct setting *find(const struct profile_attribute *want,
				  const struct settings *own)
{
	const struct setting *s = settings_find(own, want->name);

	for (size_t i = 0; i < want->n_also && !s; i++)
		s = settings_find(own, want->also[i]);
	return s;
}

/* One of the wanted values. */
static bool is_wanted(const struct profile_attribute *want, const struct setting *s,
		      const char **remark)
{
	for (size_t i = 0; i < want->n_want; i++) {
		if (!bios_same(&s->current, s->shown, want->want[i], remark))
			return true;
	}
	return false;
}

bool bios_matches(const struct profile *p, const struct settings *own)
{
	const char *remark;

	for (size_t i = 0; i < p->n; i++) {
		const struct profile_attribute *want = &p->attributes[i];
		const struct setting *s = find(want, own);

		if (s ? !is_wanted(want, s, &remark) : !want->optional)
			return false;
	}
	return p->n > 0;
}

/* What the system shows of @s, NULL where it shows nothing or the same. */
static const char *contradiction(const struct setting *s, const struct settings *os)
{
	const struct setting *seen = settings_find(os, s->name);
	const char *remark;

	if (!seen || !seen->current.text ||
	    !bios_same(&s->current, s->shown, seen->current.text, &remark))
		return NULL;
	return seen->current.text;
}

static void add_contradiction(struct bios_view *v, struct bios_node *n,
			      const struct setting *s, const char *shown,
			      const struct profile_attribute *by)
{
	struct bios_finding *f = bios_add(v, n, BIOS_CONTRADICTED, s);

	f->shown = arena_strdup(&v->arena, shown);
	f->by = by;
	f->wanted = by ? by->want[0] : NULL;
}

static const struct profile_attribute *wanted_of(const struct bios_view *v,
						 const char *name)
{
	for (size_t i = 0; v->profile && i < v->profile->n; i++) {
		const struct profile_attribute *a = &v->profile->attributes[i];

		if (!strcmp(a->name, name))
			return a;
		for (size_t k = 0; k < a->n_also; k++) {
			if (!strcmp(a->also[k], name))
				return a;
		}
	}
	return NULL;
}

/*
 * The name it was probably meant to be, of those a board has. Asked of the first board
 * without it: a fleet's boards have the same ones.
 */
static const char *meant(struct bios_view *v, const char *name,
			 const struct settings *own)
{
	struct suggest near = suggest_start(name);
	bool fresh;
	size_t at = names_add(&v->absent, name, &fresh);

	if (!fresh)
		return v->meant[at];
	mem_grow(&v->meant, &v->cap_meant, at + 1, sizeof(*v->meant));
	for (size_t i = 0; i < own->n; i++) {
		if (!wanted_of(v, own->items[i].name))
			suggest_offer(&near, own->items[i].name);
	}
	/* more than a slip would be another attribute: boards have many like names */
	v->meant[at] = near.best && near.distance <= MOST_SLIPS
			       ? arena_strdup(&v->arena, near.best)
			       : NULL;
	return v->meant[at];
}

static void compare_wanted(struct bios_view *v, struct bios_node *n,
			   const struct profile_attribute *want,
			   const struct settings *own, const struct settings *os)
{
	const struct setting *s = find(want, own);
	const char *remark = NULL, *shown;
	struct bios_finding *f;

	if (!n->record && (!s || !s->current.text))
		return; /* the system does not show everything */
	if (!s) {
		struct setting none = {.name = want->name};

		if (want->optional)
			return;
		n->n_wanted++;
		f = bios_add(v, n, BIOS_ABSENT, &none);
		f->absent = true;
		f->meant = meant(v, want->name, own);
	} else {
		bool good = is_wanted(want, s, &remark);

		n->n_wanted++;
		n->n_match += good;
		shown = contradiction(s, os);
		if (shown) {
			add_contradiction(v, n, s, shown, want);
			return;
		}
		f = bios_add(v, n, good ? BIOS_MATCH : BIOS_MISMATCH, s);
		f->remark = remark;
	}
	f->by = want;
	f->wanted = want->want[0];
}

static void compare_rest(struct bios_view *v, struct bios_node *n,
			 const struct settings *own, const struct settings *os)
{
	for (size_t i = 0; i < os->n; i++) {
		const struct setting *s = settings_find(own, os->items[i].name);
		const char *shown = s ? contradiction(s, os) : NULL;

		if (shown && !wanted_of(v, s->name))
			add_contradiction(v, n, s, shown, NULL);
	}
	for (size_t i = 0; i < own->n; i++) {
		const struct setting *s = &own->items[i];

		if (s->has_pending) {
			struct bios_finding *f = bios_add(v, n, BIOS_PENDING, s);

			f->by = wanted_of(v, s->name);
			f->wanted = f->by ? f->by->want[0] : NULL;
		}
	}
}

void bios_compare(struct bios_view *v, struct bios_node *n, const struct settings *own,
		  const struct settings *os)
{
	for (size_t i = 0; v->profile && i < v->profile->n; i++)
		compare_wanted(v, n, &v->profile->attributes[i], own, os);
	compare_rest(v, n, own, os);
}
