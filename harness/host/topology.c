/* SPDX-License-Identifier: Apache-2.0 */
/* Machines through hwloc: see topology.h. */
#include "host/topology.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/topology_build.h"

#define CPU_MAX 8191 /* more than any Linux has */

/* hwloc's objects of one type. */
static void collect(hwloc_topology_t hw, hwloc_obj_type_t type, enum topology_kind kind,
		    int level, struct topology_objects *list)
{
	int depth = hwloc_get_type_depth(hw, type);
	unsigned int n = hwloc_get_nbobjs_by_depth(hw, depth);

	for (unsigned int i = 0; i < n; i++) {
		hwloc_obj_t from = hwloc_get_obj_by_depth(hw, depth, i);
		struct topology_object *o = topology_add(list, kind, from->cpuset);

		o->level = level;
		o->id = from->os_index; /* unknown is the same number in both */
		if (kind == TOPOLOGY_CACHE)
			o->size = from->attr->cache.size;
		if (kind == TOPOLOGY_DOMAIN) {
			o->size = from->attr->numanode.local_memory;
			o->cpuless = hwloc_obj_get_info_by_name(from, TOPOLOGY_CPULESS);
		}
	}
}

static int load_parts(struct topology *t, struct err *e)
{
	static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE,
						  HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L4CACHE,
						  HWLOC_OBJ_L5CACHE};
	struct topology_objects list = {0};
	int rc;

	t->here = hwloc_topology_is_thissystem(t->hw) != 0;
	collect(t->hw, HWLOC_OBJ_PACKAGE, TOPOLOGY_PACKAGE, 0, &list);
	for (int i = 0; i < 5; i++)
		collect(t->hw, caches[i], TOPOLOGY_CACHE, i + 1, &list);
	collect(t->hw, HWLOC_OBJ_NUMANODE, TOPOLOGY_DOMAIN, 0, &list);
	collect(t->hw, HWLOC_OBJ_CORE, TOPOLOGY_CORE, 0, &list);
	collect(t->hw, HWLOC_OBJ_PU, TOPOLOGY_CPU, 0, &list);
	rc = topology_build(t, &list, e);
	topology_objects_release(&list);
	return rc;
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

static int finish(struct topology **out, struct err *e)
{
	if (!load_parts(*out, e))
		return 0;
	topology_free(*out);
	*out = NULL;
	return -1;
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

/* Only the kernel's own list tells that a domain has no CPUs: see TOPOLOGY_CPULESS. */
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
			(void)hwloc_obj_add_info(o, TOPOLOGY_CPULESS, "1");
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
	return finish(out, e);
}

/*
 * Whether @text asks for more CPUs than Linux knows, which hwloc would build for minutes:
 * the product of the counts of its levels, "Core:8" or "8", attributes left out.
 */
static bool is_too_large(const char *text)
{
	unsigned long long all = 1, count;
	char *end;

	for (const char *c = text; *c;) {
		c += strspn(c, " \n");
		if (*c == '[' || *c == '(') {
			c += strcspn(c, *c == '[' ? "]" : ")");
			c += *c != '\0';
			continue;
		}
		c += strcspn(c, ":0123456789[( \n");
		c += *c == ':';
		count = strtoull(c, &end, 10);
		if (end == c)
			continue;
		if (count > (CPU_MAX + 1) / all)
			return true;
		all *= count ? count : 1;
		c = end;
	}
	return false;
}

int topology_from_synthetic(struct topology **out, const char *text, struct err *e)
{
	struct topology *t;

	*out = NULL;
	if (is_too_large(text))
		return err_set(e, ERR_USAGE,
			       "as a synthetic topology has more than %d CPUs",
			       CPU_MAX + 1);
	if (start(out, e))
		return -1;
	t = *out;
	if (hwloc_topology_set_synthetic(t->hw, text) || hwloc_topology_load(t->hw)) {
		err_set(e, ERR_USAGE,
			"no synthetic topology, expected e.g. "
			"'Package:2 L3Cache:8(size=32MB) Core:8 PU:1'");
		topology_free(t);
		*out = NULL;
		return -1;
	}
	return finish(out, e);
}

int topology_xml(const struct topology *t, struct strbuf *out, struct err *e)
{
	char *xml;
	int len;

	if (!t->hw)
		return err_set(e, ERR_SYSTEM,
			       "the topology came from XML, not from hwloc");
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
