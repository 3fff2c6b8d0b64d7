/* SPDX-License-Identifier: Apache-2.0 */
/* /proc/cpuinfo: see facts_cpu.h. */
#include "host/facts_cpu.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "host/topology.h"

/* Lines of /proc/cpuinfo that become facts; POWER has its model under "cpu". */
static const struct {
	const char *line, *alias, *fact;
	bool integer;
} fields[] = {
	{"model name", "cpu", "model", false}, /* first: put_models() */
	{"vendor_id", "", "vendor", false},    {"cpu family", "", "family", true},
	{"model", "", "model_number", true},   {"stepping", "", "stepping", true},
	{"microcode", "", "microcode", false},
};

#define N_FIELDS (sizeof(fields) / sizeof(fields[0]))

/* Instruction sets a kernel may choose by, and what tells a virtual machine. */
static const char *const flag_names[] = {
	"sse2",     "avx",      "avx2",         "fma",         "avx512f",
	"avx512vl", "amx_tile", "constant_tsc", "nonstop_tsc", "hypervisor",
	"asimd",    "sve",      "sve2",
};

#define N_FLAGS (sizeof(flag_names) / sizeof(flag_names[0]))

struct cpuinfo {
	struct facts_distinct seen[N_FIELDS];
	hwloc_bitmap_t of_model[FACTS_DISTINCT]; /* its CPUs */
	long cpu;                                /* of the present block, -1 none */
	uint32_t flags;                          /* that all CPUs have */
	bool any_flags;
};

int facts_distinct_add(struct facts_distinct *d, const char *text, size_t len)
{
	struct strbuf clean = {0};
	int i = 0;

	host_io_clean(&clean, text, len, HOST_IO_LINE);
	while (i < d->n && strcmp(d->item[i], strbuf_str(&clean)) != 0)
		i++;
	if (!clean.len) {
		i = -1;
	} else if (i == FACTS_DISTINCT) {
		d->more = true;
		i = -1;
	} else if (i == d->n) {
		memcpy(d->item[d->n++], clean.buf, clean.len + 1);
	}
	strbuf_release(&clean);
	return i;
}

void facts_distinct_put(const struct facts_distinct *d, json_t *object, const char *key,
			bool integer)
{
	struct strbuf text = {0};
	char *end;
	long long v;

	if (!d->n)
		return;
	errno = 0;
	v = strtoll(d->item[0], &end, 10);
	if (integer && d->n == 1 && !*end && !errno) {
		(void)json_object_set_new(object, key, json_integer(v));
		return;
	}
	for (int i = 0; i < d->n; i++)
		strbuf_addf(&text, "%s%s", i ? " + " : "", d->item[i]);
	if (d->more)
		strbuf_addstr(&text, " + ...");
	(void)json_object_set_new(object, key, json_string(strbuf_str(&text)));
	strbuf_release(&text);
}

static bool is(const char *word, const char *text, size_t len)
{
	return strlen(word) == len && !memcmp(word, text, len);
}

static uint32_t flag_bits(const char *text, size_t len)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < len;) {
		size_t n = 0;

		while (i + n < len && !isspace((unsigned char)text[i + n]))
			n++;
		for (size_t f = 0; n && f < N_FLAGS; f++) {
			if (is(flag_names[f], text + i, n))
				bits |= UINT32_C(1) << f;
		}
		i += n + 1;
	}
	return bits;
}

static void one_line(struct cpuinfo *info, const char *key, size_t key_len,
		     const char *value, size_t len)
{
	if (is("processor", key, key_len)) {
		char *end;

		info->cpu = strtol(value, &end, 10);
		if (end == value || info->cpu < 0 || info->cpu > UINT16_MAX)
			info->cpu = -1;
		return;
	}
	if (is("flags", key, key_len) || is("Features", key, key_len)) {
		uint32_t bits = flag_bits(value, len);

		info->flags = info->any_flags ? info->flags & bits : bits;
		info->any_flags = true;
		return;
	}
	for (size_t f = 0; f < N_FIELDS; f++) {
		int i;

		if (!is(fields[f].line, key, key_len) &&
		    !is(fields[f].alias, key, key_len))
			continue;
		i = facts_distinct_add(&info->seen[f], value, len);
		if (i >= 0 && info->cpu >= 0 && f == 0)
			(void)hwloc_bitmap_set(info->of_model[i],
					       (unsigned int)info->cpu);
	}
}

static void parse(struct cpuinfo *info, const char *text)
{
	for (const char *s = text; *s;) {
		size_t len = strcspn(s, "\n"), key;
		const char *colon = memchr(s, ':', len);

		if (colon) {
			key = (size_t)(colon - s);
			while (key && isspace((unsigned char)s[key - 1]))
				key--;
			one_line(info, s, key, colon + 1, len - (size_t)(colon + 1 - s));
		}
		s += len + (s[len] == '\n');
	}
}

static void put_models(const struct cpuinfo *info, json_t *cpu)
{
	const struct facts_distinct *seen = &info->seen[0];
	json_t *models;

	if (seen->n < 2)
		return;
	models = json_array();
	for (int i = 0; i < seen->n; i++) {
		struct strbuf cpus = {0};

		topology_cpus_text(info->of_model[i], &cpus);
		(void)json_array_append_new(models, json_pack("{s:s, s:s}", "model",
							      seen->item[i], "cpus",
							      strbuf_str(&cpus)));
		strbuf_release(&cpus);
	}
	(void)json_object_set_new(cpu, "models", models);
}

void facts_cpuinfo(json_t *cpu, const char *text)
{
	struct cpuinfo info = {.cpu = -1};

	for (int i = 0; i < FACTS_DISTINCT; i++)
		info.of_model[i] = hwloc_bitmap_alloc();
	parse(&info, text);
	for (size_t f = 0; f < N_FIELDS; f++)
		facts_distinct_put(&info.seen[f], cpu, fields[f].fact, fields[f].integer);
	put_models(&info, cpu);
	if (info.any_flags) {
		json_t *flags = json_array();

		for (size_t f = 0; f < N_FLAGS; f++) {
			if (info.flags & UINT32_C(1) << f)
				(void)json_array_append_new(flags,
							    json_string(flag_names[f]));
		}
		(void)json_object_set_new(cpu, "flags", flags);
	}
	for (int i = 0; i < FACTS_DISTINCT; i++)
		hwloc_bitmap_free(info.of_model[i]);
}

bool facts_has_flag(const json_t *cpu, const char *flag)
{
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(cpu, "flags"), i, item)
	{
		if (!strcmp(json_string_value(item), flag))
			return true;
	}
	return false;
}
