/* SPDX-License-Identifier: Apache-2.0 */
/* BIOS settings into and out of records: see settings.h. */
#include "record/settings.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/utf8.h"
#include "record/json.h"

static const char *const states[] = {
	[SETTING_RW] = "rw",
	[SETTING_READ_ONLY] = "read-only",
	[SETTING_LOCKED] = "locked",
};

const char *setting_state_name(enum setting_state state)
{
	return states[state];
}

/* Firmware's names are words; whatever else comes is no attribute. */
static bool is_name(const char *name)
{
	size_t n = 0;

	for (; name[n]; n++) {
		if (!isalnum((unsigned char)name[n]) && !strchr("_.-#/()[] :", name[n]))
			return false;
	}
	return n > 0 && n <= SETTINGS_NAME;
}

/* One pass: this is asked for every attribute of thousands of nodes. */
bool settings_is_secret(const char *name)
{
	static const char *const words[] = {"password", "passphrase", "secret"};

	if (!strcasecmp(name, "PasswordStatus"))
		return false;
	for (const char *p = name; *p; p++) {
		if ((*p | 0x20) != 'p' && (*p | 0x20) != 's')
			continue;
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			if (!strncasecmp(p, words[i], strlen(words[i])))
				return true;
		}
	}
	return false;
}

static int keep(struct setting_value *v, struct arena *a, bool secret, const char *name,
		struct err *e)
{
	struct strbuf clean = {0};
	size_t len = v->text ? strlen(v->text) : 0;

	if (!v->text)
		return 0;
	if (len > SETTINGS_VALUE)
		return err_set(e, ERR_USAGE, "the value of '%s' has more than %d bytes",
			       name, SETTINGS_VALUE);
	if (secret && len) {
		v->text = "****";
		v->literal = false;
		return 0;
	}
	utf8_clean(&clean, v->text, len);
	v->text = arena_strndup(a, strbuf_str(&clean), clean.len);
	strbuf_release(&clean);
	return 0;
}

int settings_add(struct settings *s, struct arena *a, const struct setting *item,
		 struct err *e)
{
	struct setting new = *item;
	bool secret;

	if (!is_name(item->name))
		return err_set(e, ERR_USAGE, "'%.40s' is no name of an attribute",
			       item->name);
	if (s->n == SETTINGS_MOST)
		return err_set(e, ERR_USAGE, "more than %d attributes", SETTINGS_MOST);
	secret = settings_is_secret(item->name);
	new.name = arena_strdup(a, item->name);
	if (keep(&new.current, a, secret, item->name, e) ||
	    keep(&new.pending, a, secret, item->name, e))
		return -1;
	new.shown = secret ? NULL : arena_strdup(a, item->shown);
	new.remark = arena_strdup(a, item->remark);
	mem_grow(&s->items, &s->cap, s->n + 1, sizeof(*s->items));
	s->items[s->n++] = new;
	return 0;
}

struct setting *settings_find(const struct settings *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!strcmp(s->items[i].name, name))
			return &s->items[i];
	}
	return NULL;
}

static bool is_same_value(const struct setting_value *a, const struct setting_value *b)
{
	return a->text && b->text ? !strcmp(a->text, b->text) : a->text == b->text;
}

static int twice_error(const struct setting *a, const struct setting *b, struct err *e)
{
	const struct setting *both[] = {a, b};
	struct strbuf text = {0};

	for (size_t i = 0; i < 2; i++) {
		const struct setting *s = both[i];

		strbuf_addf(&text, "%s'%s'", i ? ", then " : "",
			    s->current.text ? s->current.text : "null");
		if (s->has_pending)
			strbuf_addf(&text, " (pending '%s')",
				    s->pending.text ? s->pending.text : "null");
		if (s->where)
			strbuf_addf(&text, " at %s", s->where);
	}
	err_set(e, ERR_USAGE, "%s is there twice: %s", a->name, strbuf_str(&text));
	strbuf_release(&text);
	return -1;
}

int settings_unique(struct settings *s, size_t *twice, struct err *e)
{
	struct names seen = {0};
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct setting *new = &s->items[i], *old;
		bool fresh;
		size_t at = names_add(&seen, new->name, &fresh);

		if (fresh) {
			s->items[n++] = *new;
			continue;
		}
		old = &s->items[at];
		if (!is_same_value(&old->current, &new->current) ||
		    old->has_pending != new->has_pending ||
		    !is_same_value(&old->pending, &new->pending))
			rc = twice_error(old, new, e);
	}
	if (!rc) {
		if (twice)
			*twice = s->n - n;
		s->n = n;
	}
	names_release(&seen);
	return rc;
}

void settings_release(struct settings *s)
{
	free(s->items);
	memset(s, 0, sizeof(*s));
}

json_t *setting_value_json(const struct setting_value *v)
{
	json_t *literal;

	if (!v->text)
		return json_null();
	if (v->literal) {
		literal = json_loads(v->text, JSON_DECODE_ANY, NULL);
		if (literal)
			return literal;
	}
	return json_clean_string(v->text);
}

int setting_value_read(struct setting_value *out, const json_t *v, struct arena *a)
{
	char number[64];

	*out = (struct setting_value){0};
	if (json_is_string(v)) {
		out->text = json_string_value(v);
		return 0;
	}
	out->literal = true;
	if (json_is_integer(v)) {
		(void)snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
			       json_integer_value(v));
		out->text = arena_strdup(a, number);
	} else if (json_is_real(v)) {
		(void)snprintf(number, sizeof(number), "%.17g", json_real_value(v));
		out->text = arena_strdup(a, number);
	} else if (json_is_boolean(v)) {
		out->text = json_is_true(v) ? "true" : "false";
	} else {
		out->literal = false;
		return json_is_null(v) ? 0 : -1;
	}
	return 0;
}

static json_t *item_json(const struct setting *s)
{
	json_t *o;

	if (s->state == SETTING_RW && !s->has_pending && !s->shown && !s->remark)
		return setting_value_json(&s->current);
	o = json_object();
	(void)json_object_set_new(o, "current", setting_value_json(&s->current));
	if (s->has_pending)
		(void)json_object_set_new(o, "pending", setting_value_json(&s->pending));
	(void)json_object_set_new(o, "state", json_string(states[s->state]));
	if (s->shown)
		(void)json_object_set_new(o, "shown", json_clean_string(s->shown));
	if (s->remark)
		(void)json_object_set_new(o, "remark", json_clean_string(s->remark));
	return o;
}

const char *settings_json(const struct settings *s, struct arena *a)
{
	json_t *o = json_object();
	const char *copy;
	char *text;

	for (size_t i = 0; i < s->n; i++)
		(void)json_object_set_new(o, s->items[i].name, item_json(&s->items[i]));
	text = json_dumps(o, JSON_COMPACT);
	copy = arena_strdup(a, text);
	free(text);
	json_decref(o);
	return copy;
}

static bool read_object(struct setting *s, const json_t *o, struct arena *a)
{
	const char *state = json_member_text(o, "state");
	const json_t *pending = json_object_get(o, "pending");
	size_t i = 0;

	while (i < sizeof(states) / sizeof(states[0]) && strcmp(states[i], state) != 0)
		i++;
	if (i == sizeof(states) / sizeof(states[0]) ||
	    setting_value_read(&s->current, json_object_get(o, "current"), a))
		return false;
	s->state = (enum setting_state)i;
	s->has_pending = pending != NULL;
	s->shown = json_string_value(json_object_get(o, "shown"));
	s->remark = json_string_value(json_object_get(o, "remark"));
	return !pending || !setting_value_read(&s->pending, pending, a);
}

static int read_tree(struct settings *s, const json_t *o, struct arena *a, struct err *e)
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)o, name, v)
	{
		struct setting item = {.name = name};
		bool ok = json_is_object(v) ? read_object(&item, v, a)
					    : !setting_value_read(&item.current, v, a);

		if (!ok)
			return err_set(e, ERR_SYSTEM, "attribute '%.64s' is none", name);
		if (settings_add(s, a, &item, e))
			return -1;
	}
	return 0;
}

/* The text of a string without escapes at @*at, which moves behind it. */
static const char *plain_text(const char **at, struct arena *a)
{
	const char *begin = *at + 1, *end;

	if (**at != '"')
		return NULL;
	end = begin + strcspn(begin, "\"\\");
	if (*end != '"')
		return NULL;
	*at = end + 1;
	return arena_strndup(a, begin, (size_t)(end - begin));
}

/*
 * The members that are nearly all there are, "NAME":"VALUE", without a tree of JSON: the
 * records of thousands of nodes are read in a third of the time. What is not like that is
 * left to @rest, a text of its own; false when the whole is.
 */
static bool read_plain(struct settings *s, const char *json, struct arena *a,
		       struct strbuf *rest)
{
	const char *at = json;

	if (*at++ != '{')
		return false;
	while (*at && *at != '}') {
		const char *begin = at, *name = plain_text(&at, a), *value = NULL;

		if (!name || !is_name(name) || *at++ != ':')
			return false;
		if (*at == '"') {
			value = plain_text(&at, a);
			if (!value || s->n == SETTINGS_MOST)
				return false;
			mem_grow(&s->items, &s->cap, s->n + 1, sizeof(*s->items));
			s->items[s->n++] =
				(struct setting){.name = name, .current.text = value};
		} else {
			size_t len =
				*at == '{' ? strcspn(at, "}") + 1 : strcspn(at, ",}");

			if (memchr(at, '\\', len) || memchr(at + 1, '{', len - 1))
				return false;
			at += len;
			strbuf_addstr(rest, rest->len ? "," : "{");
			strbuf_add(rest, begin, (size_t)(at - begin));
		}
		if (*at == ',')
			at++;
	}
	return *at == '}' && !at[1];
}

int settings_read(struct settings *s, const char *json, struct arena *a, struct err *e)
{
	struct strbuf rest = {0};
	size_t before = s->n;
	json_t *o = NULL;
	int rc = 0;

	if (!read_plain(s, json, a, &rest)) {
		s->n = before;
		o = json_loads(json, 0, NULL);
		if (!json_is_object(o))
			rc = err_set(e, ERR_SYSTEM, "no attributes");
	} else if (rest.len) {
		strbuf_addch(&rest, '}');
		o = json_loads(rest.buf, 0, NULL);
		if (!o)
			rc = err_set(e, ERR_SYSTEM, "no attributes");
	}
	if (!rc && o)
		rc = read_tree(s, o, a, e);
	json_decref(o);
	strbuf_release(&rest);
	return rc;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo); with it names and values cannot run together. */
static uint64_t add_text(uint64_t h, const char *s)
{
	do {
		h ^= (unsigned char)*s;
		h *= UINT64_C(0x100000001b3);
	} while (*s++);
	return h;
}

void settings_fingerprint(const struct settings *s,
			  bool (*counts)(const void *ctx, const char *name),
			  const void *ctx, char out[SETTINGS_FINGERPRINT])
{
	uint64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct setting *item = &s->items[i];
		uint64_t h = UINT64_C(0xcbf29ce484222325);

		if (counts && !counts(ctx, item->name))
			continue;
		h = add_text(h, item->name);
		h = add_text(h, item->current.text ? item->current.text : "\x01null");
		/* a sum does not know any order; mixed first, or like pairs cancel out */
		h ^= h >> 31;
		h *= UINT64_C(0x9e3779b97f4a7c15);
		sum += h ^ h >> 29;
	}
	(void)snprintf(out, SETTINGS_FINGERPRINT, "%016" PRIx64, sum);
}
