/* SPDX-License-Identifier: Apache-2.0 */
/* The class of like nodes: see facts.h. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "host/facts.h"

#define NAME_MAX_LEN 40

static const char *model(const json_t *facts)
{
	const char *s = json_string_value(
		json_object_get(json_object_get(facts, "cpu"), "model"));

	return s ? s : "";
}

/* In any locale. */
static bool plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Words of a model name that tell nothing: "64-Core Processor", "CPU", "+". */
static bool noise(const char *word, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += plain(word[i]);
	return !n || (len == 9 && !strncasecmp(word, "processor", 9)) ||
	       (len == 3 && !strncasecmp(word, "cpu", 3)) ||
	       (len > 5 && !strncasecmp(word + len - 5, "-core", 5));
}

static void add_word(const char *word, size_t len, size_t start, struct strbuf *out)
{
	if (out->len > start)
		strbuf_addch(out, '-');
	for (size_t i = 0; i < len; i++) {
		if (word[i] == '(') /* (R), (TM) */
			i += strcspn(word + i, ") ");
		else if (plain(word[i]))
			strbuf_addch(out, (char)tolower((unsigned char)word[i]));
		else if (out->len > start && (word[i] == '.' || word[i] == '-'))
			strbuf_addch(out, word[i]);
	}
}

/* "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz" -> "intel-xeon-gold-6230" */
static void short_model(const char *s, struct strbuf *out)
{
	size_t start = out->len;

	while (*s && *s != '@') {
		size_t len = strcspn(s, " @");

		if (!noise(s, len))
			add_word(s, len, start, out);
		s += len;
		s += strspn(s, " ");
	}
	strbuf_truncate(out, start + NAME_MAX_LEN);
	while (out->len > start && !plain(out->buf[out->len - 1]))
		strbuf_truncate(out, out->len - 1);
	if (out->len == start)
		strbuf_addstr(out, "unknown");
}

/* Rounded up to a 16th of the largest power of two that is not above it. */
static uint64_t rounded(uint64_t bytes)
{
	uint64_t power = 1, unit;

	while (power <= bytes / 2)
		power *= 2;
	unit = power / 16 ? power / 16 : 1;
	return bytes > UINT64_MAX - unit ? bytes : (bytes + unit - 1) / unit * unit;
}

static void parts(struct strbuf *out, char kind, const struct topology_part *p, size_t n,
		  bool size)
{
	for (size_t i = 0; i < n; i++) {
		strbuf_addf(out, "%c%" PRIu32 " %" PRIu64 " ", kind, p[i].id,
			    size ? p[i].size : (uint64_t)(p[i].size > 0));
		topology_cpus_text(p[i].cpus, out);
		strbuf_addch(out, '\n');
	}
}

/* All that a placement depends on, and what makes nodes comparable. */
static void describe(const json_t *facts, const struct topology *t, struct strbuf *out)
{
	json_int_t total = json_integer_value(
		json_object_get(json_object_get(facts, "memory"), "total"));

	strbuf_addf(out, "%s\n%" PRIu64 "\nL%d\n", model(facts),
		    rounded(total > 0 ? (uint64_t)total : 0), t->cache_level);
	parts(out, 'p', t->packages, t->n_packages, false);
	parts(out, 'c', t->caches, t->n_caches, true);
	parts(out, 'd', t->domains, t->n_domains, false);
	for (size_t i = 0; i < t->n_cores; i++) {
		topology_cpus_text(t->cores[i].cpus, out);
		strbuf_addch(out, '\n');
	}
}

/* FNV-1a, folded to 32 bits (Fowler, Noll, Vo). */
static uint32_t hash(const struct strbuf *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < s->len; i++)
		h = (h ^ (unsigned char)s->buf[i]) * UINT64_C(0x100000001b3);
	return (uint32_t)(h ^ h >> 32);
}

void facts_class(const json_t *facts, const struct topology *t, struct strbuf *out)
{
	struct strbuf text = {0};

	if (!t) {
		strbuf_addstr(out, "unknown");
		return;
	}
	describe(facts, t, &text);
	short_model(model(facts), out);
	if (t->n_packages)
		strbuf_addf(out, "x%zu", t->n_packages);
	strbuf_addf(out, "-%08" PRIx32, hash(&text));
	strbuf_release(&text);
}
