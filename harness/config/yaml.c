/* SPDX-License-Identifier: Apache-2.0 */
/* Configuration files as trees, by the event parser of libyaml: see yaml.h. */
#include "config/yaml.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "base/utf8.h"

enum { MAX_ANCHORS = 1000 };

/* A complete subtree, with what it costs wherever an alias puts it again. */
struct tree {
	const struct yaml_node *node;
	size_t weight; /* nodes in it, aliases in full */
	int height;    /* levels of it */
};

struct anchor {
	const char *name;
	struct tree tree;
};

struct reader {
	yaml_parser_t parser;
	struct arena *a;
	const char *path, *text;
	size_t len;
	struct anchor *anchors;
	size_t n_anchors, cap_anchors;
	size_t nodes; /* so far, aliases in full */
	struct err *e;
};

static int fail(struct reader *r, size_t line, size_t column, const char *what)
{
	err_set(r->e, ERR_USAGE, "%s:%zu:%zu: %s", r->path, line, column, what);
	return err_clean(r->e);
}

static int fail_at(struct reader *r, const yaml_mark_t *mark, const char *what)
{
	return fail(r, mark->line + 1, mark->column + 1, what);
}

/* Line and column of a byte, from 1, columns in characters. */
static void position(const char *text, size_t at, size_t *line, size_t *column)
{
	*line = *column = 1;
	for (size_t i = 0; i < at;) {
		size_t n = utf8_char(text + i, at - i);

		if (text[i] == '\n') {
			(*line)++;
			*column = 0;
		}
		(*column)++;
		i += n ? n : 1;
	}
}

/* A tab is where libyaml stopped: it says so in words nobody connects with tabs. */
static bool tab_at(const struct reader *r, const yaml_mark_t *mark)
{
	const char *p = r->text, *end = r->text + r->len;

	for (size_t i = 0; i < mark->line && p; i++) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : NULL;
	}
	for (size_t i = 0; i < mark->column && p && p < end; i++) {
		size_t n = utf8_char(p, (size_t)(end - p));

		p += n ? n : 1;
	}
	return p && p < end && *p == '\t';
}

static int parser_error(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	size_t line, column;

	if (p->error == YAML_MEMORY_ERROR)
		return err_set(r->e, ERR_SYSTEM, "%s: out of memory", r->path);
	if (p->error == YAML_READER_ERROR) {
		position(r->text, p->problem_offset, &line, &column);
		return fail(r, line, column, p->problem);
	}
	if (tab_at(r, &p->problem_mark))
		return fail_at(r, &p->problem_mark, "a tab, expected blanks");
	return fail_at(r, &p->problem_mark, p->problem ? p->problem : "not YAML");
}

static int next(struct reader *r, yaml_event_t *event)
{
	return yaml_parser_parse(&r->parser, event) ? 0 : parser_error(r);
}

static struct yaml_node *new_node(struct reader *r, const yaml_event_t *event,
				  enum yaml_kind kind)
{
	struct yaml_node *node = arena_alloc(r->a, 1, sizeof(*node));

	node->kind = kind;
	node->path = r->path;
	node->line = (int)event->start_mark.line + 1;
	node->column = (int)event->start_mark.column + 1;
	return node;
}

/* Counts @weight more nodes, against files that grow without end through aliases. */
static int spend(struct reader *r, const yaml_event_t *event, size_t weight, int depth)
{
	if (weight > YAML_MAX_NODES - r->nodes)
		return fail_at(r, &event->start_mark,
			       "more than 100000 values in the file");
	if (depth > YAML_MAX_DEPTH)
		return fail_at(r, &event->start_mark, "nested deeper than 32 levels");
	r->nodes += weight;
	return 0;
}

static int remember(struct reader *r, const yaml_event_t *event, const yaml_char_t *name,
		    const struct tree *tree)
{
	if (!name)
		return 0;
	if (r->n_anchors == MAX_ANCHORS)
		return fail_at(r, &event->start_mark, "more than 1000 anchors");
	mem_grow(&r->anchors, &r->cap_anchors, r->n_anchors + 1, sizeof(*r->anchors));
	r->anchors[r->n_anchors++] = (struct anchor){
		.name = arena_strdup(r->a, (const char *)name), .tree = *tree};
	return 0;
}

static int alias(struct reader *r, const yaml_event_t *event, int depth, struct tree *out)
{
	const char *name = (const char *)event->data.alias.anchor;

	/* the last of a name counts, as YAML has it */
	for (size_t i = r->n_anchors; i-- > 0;) {
		const struct tree *t = &r->anchors[i].tree;

		if (strcmp(r->anchors[i].name, name) != 0)
			continue;
		*out = *t;
		return spend(r, event, t->weight, depth + t->height - 1);
	}
	return fail_at(r, &event->start_mark, "alias without an anchor before it");
}

static bool has_control(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			return true;
		if (c == 0xc2 && (unsigned char)s[i + 1] < 0xa0) /* C1; text is valid */
			return true;
	}
	return false;
}

static int scalar(struct reader *r, const yaml_event_t *event, struct tree *out)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	struct yaml_node *node = new_node(r, event, YAML_TEXT);

	if (event->data.scalar.tag)
		return fail_at(r, &event->start_mark, "tags ('!') are not supported");
	if (has_control(value, len))
		return fail_at(r, &event->start_mark, "control character in text");
	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	node->text = arena_strndup(r->a, value, len);
	*out = (struct tree){.node = node, .weight = 1, .height = 1};
	return remember(r, event, event->data.scalar.anchor, out);
}

static int any(struct reader *r, const yaml_event_t *event, int depth, struct tree *out);

/* Adds the weight and height of a child. */
static void grow(struct tree *parent, const struct tree *child)
{
	parent->weight += child->weight;
	if (child->height >= parent->height)
		parent->height = child->height + 1;
}

/* A value and, when @end is not what came, that it is one. 1: the end; 0: a value. */
static int child(struct reader *r, yaml_event_type_t end, int depth, struct tree *out)
{
	yaml_event_t event;
	int rc;

	if (next(r, &event))
		return -1;
	rc = event.type == end ? 1 : any(r, &event, depth, out);
	yaml_event_delete(&event);
	return rc;
}

static int list(struct reader *r, const yaml_event_t *event, int depth, struct tree *out)
{
	struct yaml_node *node = new_node(r, event, YAML_LIST);
	const struct yaml_node **items = NULL;
	struct tree t;
	size_t cap = 0;
	int rc;

	while (!(rc = child(r, YAML_SEQUENCE_END_EVENT, depth + 1, &t))) {
		mem_grow(&items, &cap, node->n + 1, sizeof(*items));
		items[node->n++] = t.node;
		grow(out, &t);
	}
	node->items = arena_dup(r->a, items, node->n, sizeof(*items));
	free(items);
	out->node = node;
	return rc < 0 ? -1 : 0;
}

/* By text, equal texts by place in the file. */
static int by_key(const void *a, const void *b)
{
	const struct yaml_node *x = (*(const struct yaml_pair *const *)a)->key;
	const struct yaml_node *y = (*(const struct yaml_pair *const *)b)->key;
	int order = strcmp(x->text, y->text);

	if (order)
		return order;
	return x->line != y->line ? x->line - y->line : x->column - y->column;
}

static int check_duplicates(struct reader *r, const struct yaml_pair *pairs, size_t n)
{
	const struct yaml_pair **sorted = mem_calloc(n + 1, sizeof(*sorted));
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		sorted[i] = &pairs[i];
	qsort(sorted, n, sizeof(*sorted), by_key);
	for (size_t i = 1; i < n && !rc; i++) {
		const struct yaml_node *first = sorted[i - 1]->key, *key = sorted[i]->key;

		if (!strcmp(first->text, key->text))
			rc = yaml_error(key, r->e,
					"duplicate key '%.64s', first in line %d",
					key->text, first->line);
	}
	free(sorted);
	return rc;
}

static int map_key(struct reader *r, const struct yaml_node *key)
{
	if (key->kind != YAML_TEXT)
		return yaml_error(key, r->e, "%s as a key, expected text",
				  yaml_kind_name(key));
	if (!*key->text)
		return yaml_error(key, r->e, "a key without text");
	return 0;
}

static int map(struct reader *r, const yaml_event_t *event, int depth, struct tree *out)
{
	struct yaml_node *node = new_node(r, event, YAML_MAP);
	struct yaml_pair *pairs = NULL;
	struct tree key, value;
	size_t cap = 0;
	int rc;

	out->node = node;
	while (!(rc = child(r, YAML_MAPPING_END_EVENT, depth + 1, &key))) {
		rc = map_key(r, key.node);
		if (!rc)
			rc = child(r, YAML_NO_EVENT, depth + 1, &value);
		if (rc)
			break;
		mem_grow(&pairs, &cap, node->n + 1, sizeof(*pairs));
		pairs[node->n++] = (struct yaml_pair){key.node, value.node};
		grow(out, &key);
		grow(out, &value);
	}
	node->pairs = arena_dup(r->a, pairs, node->n, sizeof(*pairs));
	free(pairs);
	return rc < 0 ? -1 : check_duplicates(r, node->pairs, node->n);
}

/* The value that begins with @event. */
static int any(struct reader *r, const yaml_event_t *event, int depth, struct tree *out)
{
	bool is_list = event->type == YAML_SEQUENCE_START_EVENT;

	*out = (struct tree){.weight = 1, .height = 1};
	if (event->type == YAML_ALIAS_EVENT)
		return alias(r, event, depth, out);
	if (spend(r, event, 1, depth))
		return -1;
	if (event->type == YAML_SCALAR_EVENT)
		return scalar(r, event, out);
	if (is_list ? event->data.sequence_start.tag : event->data.mapping_start.tag)
		return fail_at(r, &event->start_mark, "tags ('!') are not supported");
	if (is_list ? list(r, event, depth, out) : map(r, event, depth, out))
		return -1;
	return remember(r, event,
			is_list ? event->data.sequence_start.anchor
				: event->data.mapping_start.anchor,
			out);
}

/* Takes one event of the frame around the document, which has nothing to tell. */
static int frame(struct reader *r, yaml_event_type_t *type, yaml_mark_t *mark)
{
	yaml_event_t event;

	if (next(r, &event))
		return -1;
	*type = event.type;
	*mark = event.start_mark;
	yaml_event_delete(&event);
	return 0;
}

static int document(struct reader *r, const struct yaml_node **root)
{
	yaml_event_type_t type;
	yaml_mark_t mark;
	struct tree tree;

	/* the start of the stream and that of the document */
	if (frame(r, &type, &mark) || /* NOLINT(misc-redundant-expression) */
	    frame(r, &type, &mark))
		return -1;
	if (type == YAML_STREAM_END_EVENT)
		return fail(r, 1, 1, "empty file");
	if (child(r, YAML_NO_EVENT, 1, &tree) || frame(r, &type, &mark) ||
	    frame(r, &type, &mark))
		return -1;
	if (type != YAML_STREAM_END_EVENT)
		return fail_at(r, &mark, "a second document, expected one");
	*root = tree.node;
	return 0;
}

static int check_bytes(struct reader *r)
{
	size_t line, column;

	if (r->len > YAML_MAX_FILE)
		return fail(r, 1, 1, "larger than 16 MiB");
	for (size_t i = 0; i < r->len;) {
		size_t n = utf8_char(r->text + i, r->len - i);

		if (!n || !r->text[i]) {
			position(r->text, i, &line, &column);
			return fail(r, line, column,
				    n ? "a NUL byte, this is no text"
				      : "this byte is not UTF-8");
		}
		i += n;
	}
	return 0;
}

int yaml_parse(struct arena *a, const char *text, size_t len, const char *path,
	       const struct yaml_node **root, struct err *e)
{
	struct reader r = {.a = a, .path = arena_strdup(a, path), .e = e};
	int rc;

	if (len >= 3 &&
	    !memcmp(text, "\xef\xbb\xbf", 3)) { /* a mark some editors write */
		text += 3;
		len -= 3;
	}
	r.text = text;
	r.len = len;
	if (check_bytes(&r))
		return -1;
	if (!yaml_parser_initialize(&r.parser))
		return err_set(e, ERR_SYSTEM, "%s: out of memory", path);
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
	rc = document(&r, root);
	yaml_parser_delete(&r.parser);
	free(r.anchors);
	return rc;
}

int yaml_load(struct arena *a, const char *path, const struct yaml_node **root,
	      struct err *e)
{
	struct strbuf text = {0};
	int rc = file_read(&text, path, YAML_MAX_FILE, e);

	if (rc) {
		e->kind = ERR_USAGE;
		(void)err_clean(e);
	} else {
		rc = yaml_parse(a, strbuf_str(&text), text.len, path, root, e);
	}
	strbuf_release(&text);
	return rc;
}

const struct yaml_pair *yaml_find(const struct yaml_node *map, const char *key)
{
	for (size_t i = 0; map->kind == YAML_MAP && i < map->n; i++) {
		if (!strcmp(map->pairs[i].key->text, key))
			return &map->pairs[i];
	}
	return NULL;
}

const struct yaml_node *yaml_get(const struct yaml_node *map, const char *key)
{
	const struct yaml_pair *p = yaml_find(map, key);

	return p ? p->value : NULL;
}

bool yaml_no_value(const struct yaml_node *node)
{
	static const char *const words[] = {"", "~", "null", "Null", "NULL"};

	for (size_t i = 0; node->kind == YAML_TEXT && node->plain && i < 5; i++) {
		if (!strcmp(node->text, words[i]))
			return true;
	}
	return false;
}

const char *yaml_kind_name(const struct yaml_node *node)
{
	return node->kind == YAML_TEXT   ? "text"
	       : node->kind == YAML_LIST ? "a list"
					 : "a map";
}

int(yaml_at)(const struct yaml_node *node, struct err *e)
{
	if (node->line)
		err_at(e, "%s:%d:%d", node->path, node->line, node->column);
	else
		err_at(e, "%s", node->path);
	return err_clean(e);
}

int(yaml_error)(const struct yaml_node *node, struct err *e, const char *fmt, ...)
{
	char what[sizeof(e->msg)];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(what, sizeof(what), fmt, ap) < 0)
		what[0] = '\0';
	va_end(ap);
	err_set(e, ERR_USAGE, "%s", what);
	return yaml_at(node, e);
}

const char *yaml_where(struct arena *a, const struct yaml_node *node)
{
	if (!node->line)
		return arena_strdup(a, node->path);
	return arena_printf(a, "%s:%d:%d", node->path, node->line, node->column);
}
