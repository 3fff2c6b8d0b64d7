/* SPDX-License-Identifier: Apache-2.0 */
/* JSON written member by member: see jsonw.h. */
#include "reports/jsonw.h"

#include <math.h>
#include <string.h>

#include "record/json.h"
#include "reports/emit.h"

enum { PIECE = 64 * 1024 };

static int add_text(const char *data, size_t len, void *text)
{
	strbuf_add(text, data, len);
	return 0;
}

/* Appends @s quoted; most texts are plain ASCII and need no escapes. */
static void add_string(struct strbuf *to, const char *s)
{
	size_t n = 0;
	json_t *v;

	while ((unsigned char)s[n] >= 0x20 && (unsigned char)s[n] < 0x7f && s[n] != '"' &&
	       s[n] != '\\')
		n++;
	if (!s[n]) {
		strbuf_addch(to, '"');
		strbuf_add(to, s, n);
		strbuf_addch(to, '"');
		return;
	}
	v = json_clean_string(s);
	(void)json_dump_callback(v, add_text, to, JSON_ENCODE_ANY);
	json_decref(v);
}

/* What stands before a value. */
static void begin(struct jsonw *w, const char *name)
{
	/* a line for each object and list, for people and for diff */
	if (w->item)
		strbuf_addstr(&w->text, w->closed ? ",\n" : ",");
	w->item = true;
	w->closed = false;
	if (name) {
		strbuf_addch(&w->text, '"');
		strbuf_addstr(&w->text, name);
		strbuf_add(&w->text, "\":", 2);
	}
}

void jsonw_open(struct jsonw *w, const char *name, char bracket)
{
	begin(w, name);
	strbuf_addch(&w->text, bracket);
	w->item = w->closed = false;
}

void jsonw_close(struct jsonw *w, char bracket)
{
	if (bracket == '}' && w->nonfinite.len) {
		begin(w, "nonfinite");
		strbuf_addf(&w->text, "{%s}", w->nonfinite.buf);
		strbuf_reset(&w->nonfinite);
	}
	strbuf_addch(&w->text, bracket);
	w->item = w->closed = true;
	if (w->text.len > PIECE) {
		w->failed = w->failed || emit(&w->text, w->out, w->e) != 0;
		strbuf_reset(&w->text);
	}
}

void jsonw_text(struct jsonw *w, const char *name, const char *s)
{
	if (!s)
		return;
	begin(w, name);
	add_string(&w->text, s);
}

void jsonw_pair(struct jsonw *w, const char *name, const char *s)
{
	begin(w, NULL);
	add_string(&w->text, name);
	strbuf_addch(&w->text, ':');
	add_string(&w->text, s);
}

void jsonw_int(struct jsonw *w, const char *name, int64_t v)
{
	begin(w, name);
	strbuf_addf(&w->text, "%lld", (long long)v);
}

void jsonw_bool(struct jsonw *w, const char *name, bool v)
{
	begin(w, name);
	strbuf_addstr(&w->text, v ? "true" : "false");
}

/* Printing a double is what takes longest here, and neighbours share their limits. */
static void add_number(struct jsonw *w, double v)
{
	struct jsonw_number *n;
	uint64_t bits, known;

	memcpy(&bits, &v, sizeof(bits));
	n = &w->numbers[bits * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (JSONW_NUMBERS - 1)];
	/* by their bits: -0 is written otherwise than 0 */
	memcpy(&known, &n->v, sizeof(known));
	if (!n->len || known != bits) {
		n->v = v;
		n->len =
			(unsigned char)snprintf(n->digits, sizeof(n->digits), "%.17g", v);
	}
	strbuf_add(&w->text, n->digits, n->len);
}

void jsonw_num(struct jsonw *w, const char *name, struct record_num v)
{
	if (!v.set)
		return;
	if (isfinite(v.v)) {
		begin(w, name);
		add_number(w, v.v);
	} else {
		strbuf_addf(&w->nonfinite, "%s\"%s\":\"%s\"", w->nonfinite.len ? "," : "",
			    name,
			    isnan(v.v) ? "nan"
			    : v.v > 0  ? "inf"
				       : "-inf");
	}
}

static void compact(struct strbuf *out, const char *text)
{
	json_t *v = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);

	(void)json_dump_callback(v, add_text, out,
				 JSON_COMPACT | JSON_ENCODE_ANY |
					 JSON_REAL_PRECISION(17));
	json_decref(v);
}

void jsonw_json(struct jsonw *w, const char *name, const char *text)
{
	const char *json = text ? memo_get(&w->compact, text, compact) : "";

	if (!*json)
		return;
	begin(w, name);
	strbuf_addstr(&w->text, json);
}

int jsonw_end(struct jsonw *w)
{
	int rc;

	strbuf_addch(&w->text, '\n');
	rc = w->failed ? -1 : emit(&w->text, w->out, w->e);
	strbuf_release(&w->text);
	strbuf_release(&w->nonfinite);
	memo_release(&w->compact);
	return rc;
}
