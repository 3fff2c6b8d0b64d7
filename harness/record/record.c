/* SPDX-License-Identifier: Apache-2.0 */
/* Records to JSON lines and back, driven by record.def. */
#include "record/record.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "record/fields.h"
#include "record/json.h"
#include "record/plain.h"

#define RECORD(kind, help) static const struct field fields_##kind[] = {
#define FIELD(kind, type, name, need, help) \
	{#name, T_##type, need, offsetof(struct record, u.kind.name)},
#define END_RECORD(kind) \
	}                \
	;                \
	_Static_assert(sizeof(fields_##kind) / sizeof(struct field) < 64, "plain.c");
#include "record/record.def"
#undef RECORD
#undef FIELD
#undef END_RECORD

const struct record_fields record_fields[RECORD_KINDS] = {
#define RECORD(kind, help) \
	{#kind, fields_##kind, sizeof(fields_##kind) / sizeof(fields_##kind[0])},
#define FIELD(kind, type, name, need, help)
#define END_RECORD(kind)
#include "record/record.def"
#undef RECORD
#undef FIELD
#undef END_RECORD
};

static const char *const *str_at(const struct record *r, const struct field *f)
{
	return (const char *const *)(const void *)((const char *)r + f->offset);
}

struct record record_make(enum record_kind kind)
{
	struct record r;

	memset(&r, 0, sizeof(r));
	r.kind = kind;
	for (size_t i = 0; i < record_fields[kind].n; i++) {
		const struct field *f = &record_fields[kind].items[i];
		void *p = (char *)&r + f->offset;

		if (f->type == T_INT)
			*(int64_t *)p = RECORD_NO_INT;
		else if (f->type == T_NUM)
			((struct record_num *)p)->v = NAN;
	}
	return r;
}

struct record_num record_num(double v)
{
	return (struct record_num){.v = v, .set = true};
}

const char *record_kind_name(enum record_kind kind)
{
	return record_fields[kind].name;
}

const char *json_member_text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

json_t *json_clean_string(const char *s)
{
	json_t *v = json_string(s);
	struct strbuf sb = {0};

	if (v)
		return v;
	utf8_clean(&sb, s, strlen(s));
	v = json_string(strbuf_str(&sb));
	strbuf_release(&sb);
	return v;
}

static const char *nonfinite_name(double v)
{
	return isnan(v) ? "nan" : v > 0 ? "inf" : "-inf";
}

static void encode_num(json_t *o, const struct field *f, struct record_num v)
{
	json_t *names;

	if (!v.set)
		return;
	if (isfinite(v.v)) {
		json_object_set_new(o, f->name, json_real(v.v));
		return;
	}
	names = json_object_get(o, "nonfinite");
	if (!names) {
		names = json_object();
		json_object_set_new(o, "nonfinite", names);
	}
	json_object_set_new(names, f->name, json_string(nonfinite_name(v.v)));
}

static void encode_field(json_t *o, const struct record *r, const struct field *f)
{
	const void *p = (const char *)r + f->offset;
	const char *s;

	switch (f->type) {
	case T_STR:
		s = *str_at(r, f);
		if (s)
			json_object_set_new(o, f->name, json_clean_string(s));
		break;
	case T_JSON:
		s = *str_at(r, f);
		if (s)
			json_object_set_new(o, f->name,
					    json_loads(s, JSON_DECODE_ANY, NULL));
		break;
	case T_INT:
		if (*(const int64_t *)p != RECORD_NO_INT)
			json_object_set_new(o, f->name,
					    json_integer(*(const int64_t *)p));
		break;
	case T_NUM:
		encode_num(o, f, *(const struct record_num *)p);
		break;
	case T_BOOL:
		if (*(const bool *)p || f->need == MUST)
			json_object_set_new(o, f->name, json_boolean(*(const bool *)p));
		break;
	}
}

static int append(const char *data, size_t len, void *out)
{
	strbuf_add(out, data, len);
	return 0;
}

void record_encode(const struct record *r, struct strbuf *out)
{
	json_t *o = json_object();

	json_object_set_new(o, "kind", json_string(record_fields[r->kind].name));
	if (r->t != 0)
		json_object_set_new(o, "t", json_real(r->t));
	for (size_t i = 0; i < record_fields[r->kind].n; i++)
		encode_field(o, r, &record_fields[r->kind].items[i]);
	(void)json_dump_callback(o, append, out, JSON_COMPACT | JSON_REAL_PRECISION(17));
	json_decref(o);
}

static bool too_deep(const json_t *v, int depth)
{
	const char *key;
	json_t *child;
	size_t i;

	if (depth > RECORD_DEPTH)
		return true;
	if (json_is_object(v)) {
		json_object_foreach((json_t *)v, key, child)
		{
			if (too_deep(child, depth + 1))
				return true;
		}
	}
	json_array_foreach(v, i, child)
	{
		if (too_deep(child, depth + 1))
			return true;
	}
	return false;
}

static const char *json_text(struct arena *a, const json_t *v)
{
	struct strbuf sb = {0};
	const char *s;

	(void)json_dump_callback(v, append, &sb,
				 JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY |
					 JSON_REAL_PRECISION(17));
	s = arena_strndup(a, strbuf_str(&sb), sb.len);
	strbuf_release(&sb);
	return s;
}

static int nonfinite_value(const char *name, double *v)
{
	if (!strcmp(name, "nan"))
		*v = NAN;
	else if (!strcmp(name, "inf"))
		*v = INFINITY;
	else if (!strcmp(name, "-inf"))
		*v = -INFINITY;
	else
		return -1;
	return 0;
}

/* Takes field @f from @o into @r; *used counts the keys that were consumed. */
static int decode_field(const json_t *o, const json_t *nonfinite, const struct field *f,
			struct arena *a, struct record *r, size_t *used, struct err *e)
{
	const json_t *v = json_object_get(o, f->name);
	void *p = (char *)r + f->offset;
	static const char *const wanted[] = {[T_STR] = "a string",
					     [T_JSON] = "JSON",
					     [T_INT] = "an integer",
					     [T_NUM] = "a number",
					     [T_BOOL] = "true or false"};

	if (!v && f->type == T_NUM && nonfinite) {
		const char *name = json_string_value(json_object_get(nonfinite, f->name));

		if (name && !nonfinite_value(name, &((struct record_num *)p)->v)) {
			((struct record_num *)p)->set = true;
			return 0;
		}
	}
	if (!v && f->need == MUST)
		return err_set(e, ERR_SYSTEM, "no field '%s'", f->name);
	if (!v)
		return 0;
	(*used)++;
	if (f->type == T_STR && json_is_string(v) &&
	    strlen(json_string_value(v)) == json_string_length(v)) {
		*(const char **)p =
			arena_strndup(a, json_string_value(v), json_string_length(v));
	} else if (f->type == T_JSON) {
		*(const char **)p = json_text(a, v);
	} else if (f->type == T_INT && json_is_integer(v)) {
		*(int64_t *)p = json_integer_value(v);
	} else if (f->type == T_NUM && json_is_number(v)) {
		*(struct record_num *)p = record_num(json_number_value(v));
	} else if (f->type == T_BOOL && json_is_boolean(v)) {
		*(bool *)p = json_is_true(v);
	} else {
		return err_set(e, ERR_SYSTEM, "field '%s' is not %s", f->name,
			       wanted[f->type]);
	}
	return 0;
}

static int unknown_key(json_t *o, enum record_kind kind, struct err *e)
{
	const char *key;
	json_t *v;

	json_object_foreach(o, key, v)
	{
		bool known = !strcmp(key, "kind") || !strcmp(key, "t") ||
			     !strcmp(key, "nonfinite");

		for (size_t i = 0; i < record_fields[kind].n && !known; i++)
			known = !strcmp(key, record_fields[kind].items[i].name);
		if (!known)
			return err_set(e, ERR_SYSTEM,
				       "unknown field '%.64s' in a '%s' record", key,
				       record_fields[kind].name);
	}
	return err_set(e, ERR_SYSTEM, "'nonfinite' names a field that is there");
}

static int decode_object(json_t *o, struct arena *a, struct record *r, struct err *e)
{
	const char *name = json_string_value(json_object_get(o, "kind"));
	const json_t *t = json_object_get(o, "t");
	const json_t *nonfinite = json_object_get(o, "nonfinite");
	size_t kind = 0, used = 1;

	if (!name)
		return err_set(e, ERR_SYSTEM, "no field 'kind'");
	while (kind < RECORD_KINDS && strcmp(record_fields[kind].name, name) != 0)
		kind++;
	if (kind == RECORD_KINDS)
		return err_set(e, ERR_SYSTEM, "unknown kind '%.64s'", name);
	*r = record_make(kind);
	if (t) {
		if (!json_is_number(t))
			return err_set(e, ERR_SYSTEM, "field 't' is not a number");
		r->t = json_number_value(t);
		used++;
	}
	used += nonfinite != NULL;
	for (size_t i = 0; i < record_fields[kind].n; i++) {
		if (decode_field(o, nonfinite, &record_fields[kind].items[i], a, r, &used,
				 e))
			return -1;
	}
	if (used != json_object_size(o))
		return unknown_key(o, kind, e);
	return 0;
}

int record_decode(const char *line, size_t len, struct arena *a, struct record *r,
		  struct err *e)
{
	json_error_t je;
	json_t *o = json_loadb(line, len, JSON_REJECT_DUPLICATES, &je);
	int rc = -1;

	if (!o)
		return err_set(e, ERR_SYSTEM, "not a JSON object: %s", je.text);
	if (!json_is_object(o))
		err_set(e, ERR_SYSTEM, "not a JSON object");
	else if (too_deep(o, 0))
		err_set(e, ERR_SYSTEM, "nested deeper than %d levels", RECORD_DEPTH);
	else
		rc = decode_object(o, a, r, e);
	json_decref(o);
	return rc;
}

int record_read(const char *line, size_t len, struct names *texts, struct record *r,
		struct err *e)
{
	if (record_read_plain(line, len, texts, r))
		return 0;
	return record_decode(line, len, &texts->arena, r, e);
}

const char *record_list(struct arena *a, const char *const *items, size_t n)
{
	json_t *list = json_array();
	const char *s;

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_clean_string(items[i]));
	s = json_text(a, list);
	json_decref(list);
	return s;
}

const char **record_unlist(struct arena *a, const char *json, size_t *n)
{
	json_t *list = json ? json_loads(json, 0, NULL) : NULL;
	size_t size = json_array_size(list);
	const char **items = arena_alloc(a, size + 1, sizeof(*items));

	*n = size;
	for (size_t i = 0; i < size; i++) {
		const char *s = json_string_value(json_array_get(list, i));

		if (!s) {
			*n = 0;
			break;
		}
		items[i] = arena_strdup(a, s);
	}
	json_decref(list);
	return *n ? items : NULL;
}

/* json_object_getn() is not in every distribution's jansson. */
static json_t *member_n(const json_t *o, const char *key, size_t len)
{
	struct strbuf sb = {0};
	json_t *v;

	strbuf_add(&sb, key, len);
	v = json_object_get(o, strbuf_str(&sb));
	strbuf_release(&sb);
	return v;
}

static json_t *member(json_t *o, const char *path)
{
	while (o) {
		const char *dot = strchr(path, '.');
		size_t len = dot ? (size_t)(dot - path) : strlen(path);

		o = member_n(o, path, len);
		if (!dot)
			return o;
		path = dot + 1;
	}
	return NULL;
}

const char *record_json_text(struct arena *a, const char *json, const char *path)
{
	json_t *o = json ? json_loads(json, 0, NULL) : NULL;
	json_t *v = member(o, path);
	const char *s = "";

	if (json_is_string(v))
		s = arena_strdup(a, json_string_value(v));
	else if (v && !json_is_null(v))
		s = json_text(a, v);
	json_decref(o);
	return s;
}

double record_json_num(const char *json, const char *path)
{
	json_t *o = json ? json_loads(json, 0, NULL) : NULL;
	const json_t *v = member(o, path);
	double x = json_is_number(v) ? json_number_value(v) : NAN;

	json_decref(o);
	return x;
}
