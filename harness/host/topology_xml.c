/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hwloc's XML (format 2) to a struct topology. hwloc's own reader trusts what it reads
 * and crashes on XML that is damaged or hostile; this text comes from other machines.
 * What hwloc writes and we need is little: types, numbers, sizes and sets of CPUs.
 */
#include <errno.h>
#include <expat.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/topology_build.h"

/* More than any machine has. */
enum { MAX_OBJECTS = 65536, MAX_WORDS = 8192 / 32 };

struct reader {
	XML_Parser parser;
	struct topology_objects list;
	size_t domain; /* number + 1 of the object that is the innermost domain, else 0 */
	int depth, domain_depth;
	struct err *e;
	bool failed; /* e is set */
};

static const struct {
	const char *name;
	enum topology_kind kind;
	int level;
} types[] = {
	{"Package", TOPOLOGY_PACKAGE, 0}, {"NUMANode", TOPOLOGY_DOMAIN, 0},
	{"Core", TOPOLOGY_CORE, 0},       {"PU", TOPOLOGY_CPU, 0},
	{"L1Cache", TOPOLOGY_CACHE, 1},   {"L2Cache", TOPOLOGY_CACHE, 2},
	{"L3Cache", TOPOLOGY_CACHE, 3},   {"L4Cache", TOPOLOGY_CACHE, 4},
	{"L5Cache", TOPOLOGY_CACHE, 5},
};

static void fail(struct reader *r, const char *what)
{
	if (!r->failed)
		(void)err_set(r->e, ERR_USAGE, "hwloc XML is damaged: line %lu: %s",
			      (unsigned long)XML_GetCurrentLineNumber(r->parser), what);
	r->failed = true;
	(void)XML_StopParser(r->parser, XML_FALSE);
}

static const char *attribute(const char **atts, const char *name)
{
	for (size_t i = 0; atts[i]; i += 2) {
		if (!strcmp(atts[i], name))
			return atts[i + 1];
	}
	return NULL;
}

/* A decimal number up to @max; 0 for an attribute that is not there. */
static uint64_t number(struct reader *r, const char *text, uint64_t max)
{
	uint64_t v;
	char *end;

	if (!text)
		return 0;
	errno = 0;
	v = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || v > max)
		fail(r, "a number was expected");
	return v;
}

/*
 * A set as hwloc writes it: words of 32 bits in hexadecimal, the last one first CPUs,
 * "0x0000000f,0x00000001"; a word may be empty for 0. An infinite one ("0xf...f") is no
 * set of CPUs that are there. NULL when it is none.
 */
static hwloc_bitmap_t cpu_set(const char *text)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	unsigned int words = 1;

	for (const char *s = text; *s; s++)
		words += *s == ',';
	for (const char *s = text; words && words <= MAX_WORDS; s++) {
		size_t len = strcspn(s, ",");
		char *end = (char *)s;
		unsigned long bits = 0;

		if (*s == '0' && len <= sizeof("0x00000000") - 1)
			bits = strtoul(s, &end, 16);
		if (end != s + len)
			break;
		words--;
		for (unsigned int b = 0; b < 32; b++) {
			if (bits >> b & 1)
				(void)hwloc_bitmap_set(cpus, 32 * words + b);
		}
		s += len;
	}
	if (!words)
		return cpus;
	hwloc_bitmap_free(cpus);
	return NULL;
}

/* The version the file says it is in; only 2 has the names and the places known here. */
static void start_topology(struct reader *r, const char **atts)
{
	const char *version = attribute(atts, "version");
	long major = version ? strtol(version, NULL, 10) : 1;

	if (major == 2 || r->failed)
		return;
	r->failed = true;
	(void)err_set(r->e, ERR_USAGE,
		      "topology written by hwloc %ld, expected the XML of hwloc 2 (from "
		      "assay-probe, or hwloc 3's lstopo --export-xml-flags v2xml)",
		      major);
	(void)XML_StopParser(r->parser, XML_FALSE);
}

static void start_object(struct reader *r, const char **atts)
{
	const char *type = attribute(atts, "type"), *set = attribute(atts, "cpuset");
	const char *id = attribute(atts, "os_index");
	struct topology_object *o;
	hwloc_bitmap_t cpus;
	size_t i = 0;

	while (type && i < sizeof(types) / sizeof(types[0]) &&
	       strcmp(types[i].name, type) != 0)
		i++;
	if (!type || i == sizeof(types) / sizeof(types[0]))
		return;
	cpus = set && r->list.n < MAX_OBJECTS ? cpu_set(set) : NULL;
	if (!cpus) {
		fail(r, "a set of CPUs was expected");
		return;
	}
	o = topology_add(&r->list, types[i].kind, cpus);
	o->level = types[i].level;
	if (id)
		o->id = (uint32_t)number(r, id, TOPOLOGY_NO_ID);
	if (types[i].kind == TOPOLOGY_CACHE)
		o->size = number(r, attribute(atts, "cache_size"), UINT64_MAX);
	if (types[i].kind == TOPOLOGY_DOMAIN) {
		o->size = number(r, attribute(atts, "local_memory"), UINT64_MAX);
		r->domain = r->list.n;
		r->domain_depth = r->depth;
	}
	hwloc_bitmap_free(cpus);
}

static void XMLCALL start(void *ctx, const char *name, const char **atts)
{
	struct reader *r = ctx;

	if (r->failed)
		return;
	r->depth++;
	if (r->depth == 1 && strcmp(name, "topology") != 0) {
		fail(r, "'<topology ...>' was expected");
	} else if (r->depth == 1) {
		start_topology(r, atts);
	} else if (!strcmp(name, "object")) {
		start_object(r, atts);
	} else if (!strcmp(name, "info") && r->domain &&
		   r->depth == r->domain_depth + 1) {
		const char *info = attribute(atts, "name");

		if (info && !strcmp(info, TOPOLOGY_CPULESS))
			r->list.items[r->domain - 1].cpuless = true;
	}
}

static void XMLCALL end(void *ctx, const char *name)
{
	struct reader *r = ctx;

	(void)name;
	if (r->depth == r->domain_depth)
		r->domain = 0;
	r->depth--;
}

/* hwloc declares none, and those of others grow without end. */
static void XMLCALL entity(void *ctx, const char *name, int parameter, const char *value,
			   int len, const char *base, const char *system,
			   const char *public, const char *notation)
{
	(void)name;
	(void)parameter;
	(void)value;
	(void)len;
	(void)base;
	(void)system;
	(void)public;
	(void)notation;
	fail(ctx, "entities are not allowed");
}

int topology_from_xml(struct topology **out, const char *xml, size_t len, struct err *e)
{
	struct reader r = {.parser = XML_ParserCreate(NULL), .e = e};
	struct topology *t = mem_calloc(1, sizeof(*t));

	*out = NULL;
	if (!r.parser) {
		(void)err_set(e, ERR_SYSTEM, "no XML parser");
		r.failed = true;
	} else {
		XML_SetUserData(r.parser, &r);
		XML_SetElementHandler(r.parser, start, end);
		XML_SetEntityDeclHandler(r.parser, entity);
		if (len > INT_MAX ||
		    XML_Parse(r.parser, xml, (int)len, 1) != XML_STATUS_OK)
			fail(&r, XML_ErrorString(XML_GetErrorCode(r.parser)));
		XML_ParserFree(r.parser);
	}
	if (r.failed || topology_build(t, &r.list, e)) {
		topology_free(t);
		t = NULL;
	}
	topology_objects_release(&r.list);
	*out = t;
	return t ? 0 : -1;
}
