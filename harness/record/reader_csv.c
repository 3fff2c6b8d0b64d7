/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements of any origin as CSV (RFC 4180): the first line names the columns, in any
 * order. node, metric, value and unit must be there; peer, at and repetition may. `at` is
 * a JSON object or words KEY=VALUE. Other columns are left aside. Lines that begin with #
 * are comments. The rows of a kernel on a node, or on a pair, are one result.
 */
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/node_name.h"
#include "base/strbuf.h"
#include "base/suggest.h"
#include "base/units.h"
#include "record/reading.h"

enum column { NODE, PEER, METRIC, AT, VALUE, UNIT, REPETITION, COLUMNS };

static const char *const column_names[COLUMNS] = {"node",  "peer", "metric",    "at",
						  "value", "unit", "repetition"};
static const bool must[COLUMNS] = {
	[NODE] = true, [METRIC] = true, [VALUE] = true, [UNIT] = true};

static const char columns_text[] = "node[,peer],metric[,at],value,unit[,repetition]";

enum { MOST_FIELDS = 64, MOST_AT = 8 };

struct csv {
	struct reading *r;
	struct names rows;           /* those that say which repetition they are */
	struct names results;        /* "KERNEL\nNODE\nPEER" -> place in r->items */
	size_t columns[MOST_FIELDS]; /* COLUMNS: not ours */
	size_t n;
};

/*
 * Cuts @line into fields, in place. Their number, or 0: a quote that does not end, more
 * fields than MOST_FIELDS.
 */
static size_t cut(char *line, char *fields[MOST_FIELDS])
{
	char *in = line, *out;
	size_t n = 0;

	for (;; in++) {
		bool quoted;

		if (n == MOST_FIELDS)
			return 0;
		in += strspn(in, " \t");
		quoted = *in == '"';
		in += quoted;
		fields[n++] = out = in;
		for (; quoted && (*in != '"' || in[1] == '"'); in++) {
			if (!*in)
				return 0;
			in += *in == '"';
			*out++ = *in;
		}
		in += quoted;
		if (quoted && in[strspn(in, " \t")] != ',' && in[strspn(in, " \t")])
			return 0;
		if (!quoted) {
			in += strcspn(in, ",");
			out = in;
			while (out > fields[n - 1] && strchr(" \t", out[-1]))
				out--;
		} else {
			in += strspn(in, " \t");
		}
		if (!*in) {
			*out = '\0';
			return n;
		}
		*out = '\0';
	}
}

/* The column that @name is, or COLUMNS. */
static size_t column_of(const char *name)
{
	size_t k = 0;

	while (k < COLUMNS && strcmp(name, column_names[k]) != 0)
		k++;
	return k;
}

/*
 * What is not ours is left aside, and said to be, so that a table may hold more; a slip
 * of the pen is an error where the column that was meant is not there.
 */
static bool leave_aside(struct csv *c, char **fields, const bool have[COLUMNS])
{
	struct strbuf text = {0};
	const char *near = NULL;

	for (size_t i = 0; i < c->n && !near; i++) {
		if (c->columns[i] < COLUMNS)
			continue;
		near = suggest(fields[i], column_names, COLUMNS);
		if (near && !have[column_of(near)])
			(void)reading_wrong(c->r, c->r->line,
					    "unknown column '%.64s', did you mean '%s'?",
					    fields[i], near);
		else
			near = NULL;
		strbuf_addf(&text, "%s'%.64s'", text.len ? ", " : "", fields[i]);
	}
	if (text.len && !near)
		reading_leave(c->r, "not read: column %s, expected %s", strbuf_str(&text),
			      columns_text);
	strbuf_release(&text);
	return !near;
}

static bool head(struct csv *c, char **fields, size_t n)
{
	bool have[COLUMNS] = {false};
	const char *other = n == 1 ? strpbrk(fields[0], ";\t") : NULL;

	if (other)
		return reading_wrong(
			c->r, c->r->line,
			"columns are separated by %s, expected ',' (and '.' in numbers)",
			*other == ';' ? "';'" : "tabs");
	for (c->n = 0; c->n < n; c->n++) {
		const size_t k = column_of(fields[c->n]);

		if (k < COLUMNS && have[k])
			return reading_wrong(c->r, c->r->line,
					     "column '%s' is there twice",
					     column_names[k]);
		if (k < COLUMNS)
			have[k] = true;
		c->columns[c->n] = k;
	}
	if (!leave_aside(c, fields, have))
		return false;
	for (size_t k = 0; k < COLUMNS; k++) {
		if (must[k] && !have[k])
			return reading_wrong(c->r, c->r->line,
					     "no column '%s', expected %s",
					     column_names[k], columns_text);
	}
	return true;
}

/* "size=8 store=nt" as an object; NULL: not that. */
static json_t *pairs_object(const char *text)
{
	json_t *o = json_object();
	char copy[256], *save = NULL;

	if (strlen(text) >= sizeof(copy))
		goto bad;
	(void)snprintf(copy, sizeof(copy), "%s", text);
	for (char *w = strtok_r(copy, " ;", &save); w; w = strtok_r(NULL, " ;", &save)) {
		char *value = strchr(w, '=');
		int64_t count;

		if (!value || value == w || !value[1])
			goto bad;
		*value++ = '\0';
		count = strcmp(value, "0") != 0 ? reading_count(value) : 0;
		if (json_object_set_new(o, w,
					count || !strcmp(value, "0")
						? json_integer(count)
						: json_string(value)))
			goto bad; /* not UTF-8 */
	}
	return o;
bad:
	json_decref(o);
	return NULL;
}

/* Canonical JSON of a flat object, "" where there is nothing; NULL: @text is none. */
static const char *at_text(struct csv *c, const char *text)
{
	json_t *o = *text == '{' ? json_loads(text, JSON_REJECT_DUPLICATES, NULL)
				 : pairs_object(text);
	const char *result = NULL, *key;
	json_t *value;
	char *dumped;
	bool flat = o && json_object_size(o) <= MOST_AT;

	json_object_foreach(o, key, value)
	{
		flat &= !json_is_object(value) && !json_is_array(value);
	}
	if (flat && !json_object_size(o)) {
		result = "";
	} else if (flat) {
		dumped = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
		result = dumped ? arena_strdup(&c->r->arena, dumped) : NULL;
		free(dumped);
	}
	json_decref(o);
	return result;
}

static bool is_metric(const char *s)
{
	const char *dot = strchr(s, '.');

	if (!dot || dot == s || !dot[1] || strlen(s) > 64)
		return false;
	for (const char *c = s; *c; c++) {
		if (c != dot && !isalnum((unsigned char)*c) && *c != '_')
			return false;
	}
	return true;
}

/* The result the rows of @metric on @node (and @peer) belong to. */
static void choose(struct csv *c, const char *metric, const char *node, const char *peer)
{
	struct arena *a = &c->r->arena;
	const char *kernel = arena_strndup(a, metric, strcspn(metric, "."));
	bool fresh;
	size_t k = names_add(&c->results,
			     arena_printf(a, "%s\n%s\n%s", kernel, node, peer), &fresh);

	if (fresh) {
		struct reading_result *x;

		reading_begin(c->r, kernel);
		x = &c->r->items[c->r->n - 1];
		x->kernel = kernel;
		x->node = arena_strdup(a, node);
		x->peer = *peer ? arena_strdup(a, peer) : NULL;
	}
	c->r->current = k;
}

static bool is_known(struct csv *c, const char *const w[COLUMNS], const char *at,
		     int64_t repetition)
{
	bool fresh;

	(void)names_add(&c->rows,
			arena_printf(&c->r->arena, "%s\n%s\n%s\n%s\n%lld", w[NODE],
				     w[PEER], w[METRIC], at, (long long)repetition),
			&fresh);
	return !fresh;
}

static bool row(struct csv *c, char **fields, size_t n)
{
	const char *w[COLUMNS] = {"", "", "", "", "", "", ""}, *at, *unit;
	struct reading *r = c->r;
	int64_t repetition = 0;
	char text[128];
	struct err e = {0};
	double v, plain;

	if (n != c->n)
		return reading_wrong(r, r->line,
				     "%zu fields, expected %zu as in the head", n, c->n);
	for (size_t i = 0; i < n; i++) {
		if (c->columns[i] < COLUMNS)
			w[c->columns[i]] = fields[i];
	}
	if (!node_name_valid(w[NODE]) || (*w[PEER] && !node_name_valid(w[PEER])))
		return reading_wrong(r, r->line, "'%.64s' is no name of a node",
				     node_name_valid(w[NODE]) ? w[PEER] : w[NODE]);
	if (!is_metric(w[METRIC]))
		return reading_wrong(
			r, r->line,
			"'%.64s' is no metric, expected KERNEL.METRIC such as "
			"stream.triad",
			w[METRIC]);
	/* a number without unit is a ratio */
	(void)snprintf(text, sizeof(text), "%.60s %.60s", w[VALUE], w[UNIT]);
	if (!strcmp(w[UNIT], "ratio") && reading_number(w[VALUE], &plain)) {
		v = plain;
		unit = "ratio";
	} else if (!reading_number(w[VALUE], &plain) ||
		   units_parse_any(text, &v, &unit, &e)) {
		return reading_wrong(r, r->line, "value '%.32s', unit '%.32s': %s",
				     w[VALUE], w[UNIT],
				     *e.msg ? e.msg : "expected a number and its unit");
	}
	at = *w[AT] ? at_text(c, w[AT]) : "";
	if (!at)
		return reading_wrong(
			r, r->line,
			"at '%.64s', expected KEY=VALUE or a flat JSON object", w[AT]);
	if (*w[REPETITION] && !(repetition = reading_count(w[REPETITION])))
		return reading_wrong(r, r->line,
				     "repetition '%.32s', expected a number from 1",
				     w[REPETITION]);
	if (repetition && is_known(c, w, at, repetition))
		return reading_wrong(r, r->line, "repetition %lld of it is there already",
				     (long long)repetition);
	choose(c, w[METRIC], w[NODE], w[PEER]);
	reading_sample(r, arena_strdup(&r->arena, w[METRIC]), v, unit, *at ? at : NULL);
	reading_repetition(r, repetition);
	return true;
}

static bool is_head(const char *line)
{
	return strcasestr(line, "node") && strcasestr(line, "metric") &&
	       strcasestr(line, "value") && strpbrk(line, ",;\t");
}

/* The first line that is no comment. */
static bool knows(const char *text)
{
	char line[READING_LINE];

	while (reading_line(&text, line)) {
		const char *s = line + (!strncmp(line, "\xef\xbb\xbf", 3) ? 3 : 0);

		if (*s && *s != '#')
			return is_head(s);
	}
	return false;
}

static void read_text(const char *text, struct reading *r)
{
	struct csv c = {.r = r};
	char line[READING_LINE], *fields[MOST_FIELDS];

	if (!strncmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	while (reading_line(&text, line)) {
		size_t n;

		r->line++;
		if (!line[strspn(line, " \t")] || *line == '#')
			continue;
		n = strlen(line) < READING_LINE - 1 ? cut(line, fields) : 0;
		if (!n)
			(void)reading_wrong(
				r, r->line,
				"not CSV: a quote that does not end, more than "
				"%d fields or a very long line",
				MOST_FIELDS);
		else if (!c.n ? head(&c, fields, n) : row(&c, fields, n))
			continue;
		break;
	}
	if (!r->wrong && !r->n)
		(void)reading_wrong(r, r->line, "no row of values below the head");
	names_release(&c.results);
	names_release(&c.rows);
}

const struct reader reader_csv = {
	.name = "csv",
	.kernel = NULL,
	.help = "a table of measurements",
	.knows = knows,
	.read = read_text,
};
