/* SPDX-License-Identifier: Apache-2.0 */
/* CPU models and their names: see cpus.h. */
#include "judge/cpus.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "config/conf.h"

/* Marks that stand where a blank would. */
static const char *const marks[] = {"(R)", "(TM)", "\xc2\xae", "\xe2\x84\xa2"};

/* Words that every CPU of a maker carries. */
static const char *const fillers[] = {"CPU", "Processor", "processor"};

/* Length of the mark or white space at the start of @s, 0 when it is part of a word. */
static size_t gap(const char *s)
{
	if (isspace((unsigned char)*s))
		return 1;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (!strncasecmp(s, marks[i], strlen(marks[i])))
			return strlen(marks[i]);
	}
	return 0;
}

/* "64-Core", "Quad-Core". */
static bool is_core_count(const char *word, size_t len)
{
	return len > 5 && !strncasecmp(word + len - 5, "-Core", 5);
}

static bool is_filler(const char *word, size_t len)
{
	for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++) {
		if (len == strlen(fillers[i]) && !strncmp(word, fillers[i], len))
			return true;
	}
	return is_core_count(word, len);
}

void cpus_normalise(const char *text, struct strbuf *out)
{
	size_t start = out->len;

	while (*text) {
		const char *word = text;
		size_t g = gap(text);

		if (g) {
			text += g;
			continue;
		}
		if (*text == '@')
			return;
		while (*text && !gap(text) && *text != '@')
			text++;
		if (is_filler(word, (size_t)(text - word)))
			continue;
		if (out->len > start)
			strbuf_addch(out, ' ');
		strbuf_add(out, word, (size_t)(text - word));
	}
}

/* As cpus_normalise, in lower case: what is compared. */
static void fold(const char *text, struct strbuf *out)
{
	size_t start = out->len;

	cpus_normalise(text, out);
	for (size_t i = start; i < out->len; i++)
		out->buf[i] = (char)tolower((unsigned char)out->buf[i]);
}

bool cpus_same(const char *a, const char *b)
{
	struct strbuf x = {0}, y = {0};
	bool same;

	fold(a, &x);
	fold(b, &y);
	same = x.len && !strcmp(strbuf_str(&x), strbuf_str(&y));
	strbuf_release(&x);
	strbuf_release(&y);
	return same;
}

const struct cpu_model *cpus_find(const struct cpus *c, const char *text)
{
	struct strbuf key = {0};
	size_t i;

	fold(text, &key);
	i = names_find(&c->index, strbuf_str(&key));
	strbuf_release(&key);
	return i == NAMES_NONE ? NULL : &c->models[i];
}

double cpu_bandwidth(const struct cpu_model *m)
{
	return m->bandwidth > 0 ? m->bandwidth : 8.0 * m->channels * m->memory;
}

double cpu_peak(const struct cpu_model *m)
{
	return m->cores * m->base * m->flops_per_cycle;
}

struct model_file {
	struct cpu_model model;
	const char **nps;
	size_t n_nps;
	int status, flops_per_cycle;
};

static const char *const statuses[] = {"certain", "uncertain", NULL};

enum { UNCERTAIN = 1 };

#define FIELD(key, kind, field, ...)                                                     \
	{                                                                                \
		.name = key, .type = kind, .offset = offsetof(struct model_file, field), \
		__VA_ARGS__                                                              \
	}

static const struct conf_key model_keys[] = {
	FIELD("model", CONF_TEXT, model.model, .flags = CONF_MUST),
	FIELD("generation", CONF_TEXT, model.generation, .flags = CONF_MUST),
	FIELD("sockets", CONF_INT, model.sockets, .flags = CONF_MUST, .min = 1, .max = 8),
	FIELD("cores", CONF_INT, model.cores, .flags = CONF_MUST, .min = 1, .max = 1024),
	FIELD("ccds", CONF_INT, model.ccds, .min = 1, .max = 64),
	FIELD("l3", CONF_QUANTITY, model.l3, .unit = "B", .flags = CONF_MUST),
	FIELD("l3_count", CONF_INT, model.l3_count, .min = 1, .max = 256),
	FIELD("base", CONF_QUANTITY, model.base, .unit = "Hz", .flags = CONF_MUST,
	      .min = 1e8, .max = 1e10),
	FIELD("boost", CONF_QUANTITY, model.boost, .unit = "Hz", .min = 1e8, .max = 1e10),
	FIELD("channels", CONF_INT, model.channels, .flags = CONF_MUST, .min = 1,
	      .max = 64),
	FIELD("memory", CONF_QUANTITY, model.memory, .unit = "T/s", .flags = CONF_MUST,
	      .min = 1e8, .max = 1e11),
	FIELD("bandwidth", CONF_QUANTITY, model.bandwidth, .unit = "B/s", .min = 1e9,
	      .max = 1e14),
	FIELD("flops_per_cycle", CONF_INT, flops_per_cycle, .flags = CONF_MUST, .min = 1,
	      .max = 1024),
	FIELD("nps", CONF_TEXTS, nps, .n_offset = offsetof(struct model_file, n_nps)),
	FIELD("status", CONF_CHOICE, status, .flags = CONF_MUST, .choices = statuses),
	FIELD("note", CONF_TEXT, model.note, .flags = 0),
	FIELD("from", CONF_TEXT, model.from, .flags = CONF_MUST),
};

struct cpus_file {
	const struct yaml_node *cpus;
};

static const struct conf_key file_keys[] = {
	{.name = "cpus",
	 .type = CONF_NODE,
	 .offset = offsetof(struct cpus_file, cpus),
	 .flags = CONF_MUST},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* NPS values are single digits. */
static int read_nps(struct cpus *c, const struct yaml_node *map, struct model_file *f,
		    struct err *e)
{
	int *nps = arena_alloc(&c->arena, f->n_nps + 1, sizeof(*nps));

	for (size_t i = 0; i < f->n_nps; i++) {
		if (!strchr("0124", f->nps[i][0]) || f->nps[i][1])
			return yaml_error(yaml_get(map, "nps"), e,
					  "'nps': '%.64s', expected 0, 1, 2 or 4",
					  f->nps[i]);
		nps[i] = f->nps[i][0] - '0';
	}
	f->model.nps = nps;
	f->model.n_nps = f->n_nps;
	return 0;
}

static int add_model(struct cpus *c, const struct yaml_node *map, struct err *e)
{
	struct model_file f = {0};
	struct strbuf key = {0};
	bool fresh;

	if (conf_decode(&c->arena, map, model_keys, COUNT(model_keys), &f, NULL, e) ||
	    read_nps(c, map, &f, e))
		return -1;
	f.model.flops_per_cycle = f.flops_per_cycle;
	f.model.uncertain = f.status == UNCERTAIN;
	f.model.where = yaml_where(&c->arena, map);
	fold(f.model.model, &key);
	(void)names_add(&c->index, strbuf_str(&key), &fresh);
	strbuf_release(&key);
	if (!fresh)
		return yaml_error(map, e, "another entry is for '%.64s', too",
				  f.model.model);
	mem_grow(&c->models, &c->cap, c->n + 1, sizeof(*c->models));
	c->models[c->n++] = f.model;
	return 0;
}

int cpus_load(struct cpus *c, const char *path, struct err *e)
{
	const struct yaml_node *root;
	struct cpus_file f = {0};

	memset(c, 0, sizeof(*c));
	if (yaml_load(&c->arena, path, &root, e) ||
	    conf_decode(&c->arena, root, file_keys, COUNT(file_keys), &f, NULL, e))
		return -1;
	if (f.cpus->kind != YAML_LIST)
		return yaml_error(f.cpus, e, "'cpus': %s, expected a list of maps",
				  yaml_kind_name(f.cpus));
	for (size_t i = 0; i < f.cpus->n; i++) {
		if (add_model(c, f.cpus->items[i], e))
			return -1;
	}
	return 0;
}

void cpus_release(struct cpus *c)
{
	free(c->models);
	names_release(&c->index);
	arena_release(&c->arena);
	memset(c, 0, sizeof(*c));
}
