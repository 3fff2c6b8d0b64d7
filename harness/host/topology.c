/* SPDX-License-Identifier: Apache-2.0 */
/* Machines through hwloc: see topology.h. */
#include "host/topology.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Of a NUMA node in our XML: the kernel lists no CPU for it (see mark_cpuless). */
#define CPULESS "AssayCpuless"

#define CPU_MAX 8191 /* more than any Linux has */

static struct topology_part part_of(hwloc_obj_t o, uint64_t size)
{
	struct topology_part p = {
		.id = o->os_index == HWLOC_UNKNOWN_INDEX ? TOPOLOGY_NO_ID : o->os_index,
		.size = size,
		.cpus = hwloc_bitmap_dup(o->cpuset),
	};

	return p;
}

/* The objects at @depth as an array. */
static struct topology_part *parts_at(hwloc_topology_t hw, int depth, size_t *n)
{
	struct topology_part *parts;

	*n = hwloc_get_nbobjs_by_depth(hw, depth);
	parts = mem_calloc(*n, sizeof(*parts));
	for (size_t i = 0; i < *n; i++) {
		hwloc_obj_t o = hwloc_get_obj_by_depth(hw, depth, (unsigned int)i);
		uint64_t size = 0;

		if (o->type == HWLOC_OBJ_NUMANODE)
			size = o->attr->numanode.local_memory;
		else if (hwloc_obj_type_is_cache(o->type))
			size = o->attr->cache.size;
		parts[i] = part_of(o, size);
	}
	return parts;
}

static void load_caches(struct topology *t)
{
	static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE,
						 HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
						 HWLOC_OBJ_L1CACHE};

	for (int i = 0; i < 5; i++) {
		int depth = hwloc_get_type_depth(t->hw, types[i]);

		if (depth < 0)
			continue;
		t->cache_level = 5 - i;
		t->caches = parts_at(t->hw, depth, &t->n_caches);
		return;
	}
}

/*
 * hwloc gives a domain without CPUs those of its nearest neighbours. Here a CPU belongs
 * to one domain: the smallest that has it, the first of equals (hwloc puts the domain
 * that really has the CPUs first).
 */
static bool borrowed(const struct topology *t, size_t i)
{
	int weight = hwloc_bitmap_weight(t->domains[i].cpus);
	hwloc_obj_t o = hwloc_get_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, (unsigned int)i);

	if (hwloc_obj_get_info_by_name(o, CPULESS))
		return true;
	for (size_t j = 0; j < t->n_domains; j++) {
		int other = hwloc_bitmap_weight(t->domains[j].cpus);

		if (j != i && (other < weight || (other == weight && j < i)) &&
		    hwloc_bitmap_intersects(t->domains[i].cpus, t->domains[j].cpus))
			return true;
	}
	return false;
}

static void load_domains(struct topology *t)
{
	bool *empty;

	t->domains = parts_at(t->hw, HWLOC_TYPE_DEPTH_NUMANODE, &t->n_domains);
	empty = mem_calloc(t->n_domains, sizeof(*empty));
	for (size_t i = 0; i < t->n_domains; i++)
		empty[i] = borrowed(t, i);
	for (size_t i = 0; i < t->n_domains; i++) {
		if (empty[i])
			hwloc_bitmap_zero(t->domains[i].cpus);
	}
	free(empty);
}

static size_t holder(const struct topology_part *parts, size_t n,
		     hwloc_const_bitmap_t cpus)
{
	for (size_t i = 0; i < n; i++) {
		if (hwloc_bitmap_intersects(parts[i].cpus, cpus))
			return i;
	}
	return TOPOLOGY_NONE;
}

static void load_cores(struct topology *t)
{
	int depth = hwloc_get_type_depth(t->hw, HWLOC_OBJ_CORE);

	t->cores_known = depth >= 0;
	if (depth < 0)
		depth = hwloc_get_type_depth(t->hw, HWLOC_OBJ_PU);
	t->n_cores = hwloc_get_nbobjs_by_depth(t->hw, depth);
	t->cores = mem_calloc(t->n_cores, sizeof(*t->cores));
	for (size_t i = 0; i < t->n_cores; i++) {
		hwloc_obj_t o = hwloc_get_obj_by_depth(t->hw, depth, (unsigned int)i);
		struct topology_core *c = &t->cores[i];

		c->cpus = hwloc_bitmap_dup(o->cpuset);
		c->package = holder(t->packages, t->n_packages, c->cpus);
		c->cache = holder(t->caches, t->n_caches, c->cpus);
		c->domain = holder(t->domains, t->n_domains, c->cpus);
	}
}

static void load_parts(struct topology *t)
{
	int depth = hwloc_get_type_depth(t->hw, HWLOC_OBJ_PACKAGE);

	t->here = hwloc_topology_is_thissystem(t->hw) != 0;
	t->n_cpus = (size_t)hwloc_get_nbobjs_by_type(t->hw, HWLOC_OBJ_PU);
	if (depth >= 0)
		t->packages = parts_at(t->hw, depth, &t->n_packages);
	load_caches(t);
	load_domains(t);
	load_cores(t);
}

static void free_parts(struct topology_part *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		hwloc_bitmap_free(parts[i].cpus);
	free(parts);
}

void topology_free(struct topology *t)
{
	if (!t)
		return;
	free_parts(t->packages, t->n_packages);
	free_parts(t->caches, t->n_caches);
	free_parts(t->domains, t->n_domains);
	for (size_t i = 0; i < t->n_cores; i++)
		hwloc_bitmap_free(t->cores[i].cpus);
	free(t->cores);
	if (t->hw)
		hwloc_topology_destroy(t->hw);
	free(t);
}

/*
 * CPUs we may not use are part of the machine. Nobody is moved about to look at CPUs one
 * by one: sysfs has it all, and the caller may be measuring.
 */
static int start(struct topology **out, struct err *e)
{
	struct topology *t = mem_calloc(1, sizeof(*t));

	*out = NULL;
	/* hwloc explains odd machines on stderr; what it could not find is absent here */
	(void)setenv("HWLOC_HIDE_ERRORS", "2", 0);
	if (hwloc_topology_init(&t->hw)) {
		t->hw = NULL;
		topology_free(t);
		return err_set(e, ERR_SYSTEM, "hwloc cannot be initialised");
	}
	if (hwloc_topology_set_flags(t->hw,
				     HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED |
					     HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING)) {
		topology_free(t);
		return err_set(e, ERR_SYSTEM, "hwloc refuses its flags");
	}
	*out = t;
	return 0;
}

/* One variable of the environment with another value for a while. */
struct variable {
	const char *name;
	char *old;
};

static int variable_set(struct variable *v, const char *name, const char *value)
{
	v->name = name;
	v->old = mem_strdup(getenv(name));
	return value ? setenv(name, value, 1) : unsetenv(name);
}

static void variable_restore(struct variable *v)
{
	if (v->old)
		(void)setenv(v->name, v->old, 1);
	else
		(void)unsetenv(v->name);
	free(v->old);
}

/* hwloc has no other way to read a recorded tree than its variables. */
static int load_recorded(hwloc_topology_t hw, const char *root)
{
	struct variable vars[4];
	int rc = variable_set(&vars[0], "HWLOC_FSROOT", root);

	rc |= variable_set(&vars[1], "HWLOC_COMPONENTS", "linux,stop");
	rc |= variable_set(&vars[2], "HWLOC_XMLFILE", NULL);
	rc |= variable_set(&vars[3], "HWLOC_SYNTHETIC", NULL);
	if (!rc)
		rc = hwloc_topology_load(hw);
	for (size_t i = 0; i < 4; i++)
		variable_restore(&vars[i]);
	return rc;
}

/*
 * Only the kernel's own list tells that a domain has no CPUs: hwloc lends it those of
 * its neighbours, and its XML does not say so. The mark goes into the XML.
 */
static void mark_cpuless(struct topology *t, const struct host_io *io)
{
	struct strbuf list = {0};

	for (unsigned int i = 0;; i++) {
		hwloc_obj_t o = hwloc_get_obj_by_type(t->hw, HWLOC_OBJ_NUMANODE, i);
		struct err e = {0};
		char path[96];

		if (!o)
			break;
		(void)snprintf(path, sizeof(path),
			       "/sys/devices/system/node/node%u/cpulist", o->os_index);
		if (!host_io_line(io, path, &list, &e) && !list.len)
			(void)hwloc_obj_add_info(o, CPULESS, "1");
	}
	strbuf_release(&list);
}

int topology_load(struct topology **out, const struct host_io *io, struct err *e)
{
	bool real = !strcmp(io->root, "/");
	struct topology *t;

	if (start(out, e))
		return -1;
	t = *out;
	if (real ? hwloc_topology_load(t->hw) : load_recorded(t->hw, io->root)) {
		err_set(e, ERR_SYSTEM, "hwloc cannot read the topology below '%s'",
			io->root);
		topology_free(t);
		*out = NULL;
		return -1;
	}
	if (!real || hwloc_topology_is_thissystem(t->hw))
		mark_cpuless(t, io);
	load_parts(t);
	return 0;
}

/* Major version of hwloc's XML: 1 for files without one, -1 for other text. */
static int xml_version(const char *xml, size_t len)
{
	const char *tag = memmem(xml, len, "<topology", 9);
	const char *end = tag ? memchr(tag, '>', (size_t)(xml + len - tag)) : NULL;
	const char *v;

	if (!end || memmem(xml, len, "<!ENTITY", 8))
		return -1;
	v = memmem(tag, (size_t)(end - tag), "version=\"", 9);
	return v ? (int)strtol(v + 9, NULL, 10) : 1;
}

int topology_from_xml(struct topology **out, const char *xml, size_t len, struct err *e)
{
	int version = xml_version(xml, len), ours = HWLOC_API_VERSION >> 16;
	struct topology *t;
	char *text;
	int rc;

	*out = NULL;
	if (version < 1 || len >= INT_MAX)
		return err_set(e, ERR_USAGE, "no hwloc XML, expected '<topology ...>'");
	if (version > ours)
		return err_set(e, ERR_USAGE,
			       "topology written by hwloc %d, expected hwloc %d XML "
			       "(there: lstopo --export-xml-flags v%d, or assay-probe)",
			       version, ours, ours);
	if (start(out, e))
		return -1;
	t = *out;
	text = mem_calloc(len + 1, 1); /* hwloc wants the NUL counted */
	memcpy(text, xml, len);
	rc = hwloc_topology_set_xmlbuffer(t->hw, text, (int)len + 1);
	if (!rc)
		rc = hwloc_topology_load(t->hw);
	free(text);
	if (rc) {
		topology_free(t);
		*out = NULL;
		return err_set(e, ERR_USAGE, "hwloc XML is damaged");
	}
	load_parts(t);
	return 0;
}

int topology_from_synthetic(struct topology **out, const char *text, struct err *e)
{
	struct topology *t;

	if (start(out, e))
		return -1;
	t = *out;
	if (hwloc_topology_set_synthetic(t->hw, text) || hwloc_topology_load(t->hw)) {
		err_set(e, ERR_USAGE,
			"no synthetic topology '%s', expected e.g. "
			"'Package:2 L3Cache:8(size=32MB) Core:8 PU:1'",
			text);
		topology_free(t);
		*out = NULL;
		return -1;
	}
	load_parts(t);
	return 0;
}

int topology_xml(const struct topology *t, struct strbuf *out, struct err *e)
{
	char *xml;
	int len;

	if (hwloc_topology_export_xmlbuffer(t->hw, &xml, &len, 0))
		return err_sys(e, errno, "hwloc cannot write its XML");
	strbuf_addstr(out, xml);
	hwloc_free_xmlbuffer(t->hw, xml);
	return 0;
}

/* A CPU number at *@s, which moves behind it; -1 when there is none. */
static long cpu_number(const char **s)
{
	long v = 0;

	if (!isdigit((unsigned char)**s))
		return -1;
	for (; isdigit((unsigned char)**s); (*s)++) {
		v = v * 10 + (**s - '0');
		if (v > CPU_MAX)
			return -1;
	}
	return v;
}

hwloc_bitmap_t topology_cpus_parse(const char *text, struct err *e)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	const char *s = text;

	for (;;) {
		long first = cpu_number(&s), last = first;

		if (*s == '-' && first >= 0) {
			s++;
			last = cpu_number(&s);
		}
		if (first < 0 || last < first || (*s && *s != ','))
			break;
		(void)hwloc_bitmap_set_range(cpus, (unsigned int)first, (int)last);
		if (!*s)
			return cpus;
		s++;
	}
	hwloc_bitmap_free(cpus);
	err_set(e, ERR_USAGE, "no list of CPUs '%s', expected e.g. '0-3,8'", text);
	return NULL;
}

void topology_cpus_text(hwloc_const_bitmap_t cpus, struct strbuf *out)
{
	char *text;

	if (hwloc_bitmap_list_asprintf(&text, cpus) < 0)
		return;
	strbuf_addstr(out, text);
	free(text);
}

size_t topology_smt(const struct topology *t)
{
	size_t most = 0;

	for (size_t i = 0; t->cores_known && i < t->n_cores; i++) {
		size_t n = (size_t)hwloc_bitmap_weight(t->cores[i].cpus);

		most = n > most ? n : most;
	}
	return most;
}
