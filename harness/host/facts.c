/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of one node: see facts.h. */
#include "host/facts.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "host/facts_cpu.h"
#include "host/facts_gather.h"
#include "host/memory.h"

/* How the first line of a file becomes a fact. */
enum form {
	TEXT,
	CHOICE, /* the word in brackets of "always [madvise] never" */
	NUMBER, /* an integer */
	KILOHERTZ,
	MEGAHERTZ,
	SWITCH,    /* 0 or 1 */
	SWITCHOFF, /* 1 means off */
	FIRST,     /* the first word as a number */
};

/*
 * Facts that are one line of one file. Where a fact has two lines here, the first file
 * that is there counts. "%u" is the first CPU that is online: CPU 0 need not be.
 */
static const struct row {
	const char *group, *fact, *path;
	enum form form;
} rows[] = {
	{"cpu", "smt_control", "/sys/devices/system/cpu/smt/control", TEXT},
	{"cpu", "base_hz", "/sys/devices/system/cpu/cpu%u/cpufreq/base_frequency",
	 KILOHERTZ},
	{"cpu", "base_hz", "/sys/devices/system/cpu/cpu%u/acpi_cppc/nominal_freq",
	 MEGAHERTZ},
	{"cpu", "max_hz", "/sys/devices/system/cpu/cpu%u/cpufreq/cpuinfo_max_freq",
	 KILOHERTZ},
	{"cpu", "driver", "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_driver", TEXT},
	{"cpu", "boost", "/sys/devices/system/cpu/cpufreq/boost", SWITCH},
	{"cpu", "boost", "/sys/devices/system/cpu/intel_pstate/no_turbo", SWITCHOFF},
	{"os", "kernel", "/proc/sys/kernel/osrelease", TEXT},
	{"os", "hostname", "/proc/sys/kernel/hostname", TEXT},
	{"os", "clocksource",
	 "/sys/devices/system/clocksource/clocksource0/current_clocksource", TEXT},
	{"os", "thp", "/sys/kernel/mm/transparent_hugepage/enabled", CHOICE},
	{"os", "numa_balancing", "/proc/sys/kernel/numa_balancing", NUMBER},
	{"dmi", "vendor", "/sys/class/dmi/id/sys_vendor", TEXT},
	{"dmi", "product", "/sys/class/dmi/id/product_name", TEXT},
	{"dmi", "board", "/sys/class/dmi/id/board_name", TEXT},
	{"dmi", "bios_version", "/sys/class/dmi/id/bios_version", TEXT},
	{"dmi", "bios_date", "/sys/class/dmi/id/bios_date", TEXT},
	{"dmi", "serial", "/sys/class/dmi/id/product_serial", TEXT},
	{NULL, "load", "/proc/loadavg", FIRST},
};

json_t *gather_group(struct gather *g, const char *name)
{
	json_t *o = name ? json_object_get(g->facts, name) : g->facts;

	if (!o) {
		o = json_object();
		(void)json_object_set_new(g->facts, name, o);
	}
	return o;
}

json_t *gather_text(const char *s, size_t len)
{
	struct strbuf clean = {0};
	json_t *v;

	host_io_clean(&clean, s, len, HOST_IO_LINE);
	v = json_string(strbuf_str(&clean));
	strbuf_release(&clean);
	return v;
}

void gather_unreadable(struct gather *g, const char *group, const char *fact,
		       const char *why)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "%s%s%s", group ? group : "", group ? "." : "",
		       fact);
	(void)json_object_set_new(g->unreadable, path, gather_text(why, strlen(why)));
}

/* @scale 0: an integer, which a double has to hold exactly. */
static json_t *number(const char *s, double scale)
{
	char *end;
	double v = strtod(s, &end);

	if (!isdigit((unsigned char)*s) || (*end && *end != ' ') || !isfinite(v))
		return NULL;
	if (scale > 0)
		return json_real(v * scale);
	return v < 0x1p53 ? json_integer((json_int_t)v) : NULL;
}

static json_t *choice(const char *s)
{
	const char *open = strchr(s, '['), *close = open ? strchr(open, ']') : NULL;

	return close ? gather_text(open + 1, (size_t)(close - open - 1)) : NULL;
}

/* NULL when the line is not of that form. */
static json_t *value(const char *s, enum form form)
{
	switch (form) {
	case TEXT:
		return gather_text(s, strlen(s));
	case CHOICE:
		return choice(s);
	case NUMBER:
		return number(s, 0);
	case KILOHERTZ:
		return number(s, 1e3);
	case MEGAHERTZ:
		return number(s, 1e6);
	case FIRST:
		return number(s, 1);
	case SWITCH:
	case SWITCHOFF:
		if (strcmp(s, "0") != 0 && strcmp(s, "1") != 0)
			return NULL;
		return json_boolean((*s == '1') == (form == SWITCH));
	}
	return NULL;
}

/* An empty line is a fact nobody filled in: absent. */
static void line(struct gather *g, const struct row *row, unsigned int cpu)
{
	struct strbuf s = {0};
	struct err e = {0};
	char path[128];
	json_t *v = NULL;

	if (row->group &&
	    json_object_get(json_object_get(g->facts, row->group), row->fact))
		return;
	if (strstr(row->path, "%u"))
		(void)snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u%s", cpu,
			       strstr(row->path, "%u") + 2);
	else
		(void)snprintf(path, sizeof(path), "%s", row->path);
	if (host_io_line(g->io, path, &s, &e)) {
		if (e.kind != ERR_NOTFOUND)
			gather_unreadable(g, row->group, row->fact, e.msg);
	} else if (s.len) {
		v = value(strbuf_str(&s), row->form);
		if (!v) {
			(void)err_set(&e, ERR_SYSTEM, "'%s' holds '%.60s'", path,
				      strbuf_str(&s));
			gather_unreadable(g, row->group, row->fact, e.msg);
		} else {
			(void)json_object_set_new(gather_group(g, row->group), row->fact,
						  v);
		}
	}
	strbuf_release(&s);
}

void gather_count(json_t *o, const char *key, uint64_t n)
{
	(void)json_object_set_new(o, key, json_integer((json_int_t)n));
}

bool gather_file(struct gather *g, const char *path, const char *group, const char *fact,
		 struct strbuf *out)
{
	struct err e = {0};

	if (!host_io_read(g->io, path, 16U << 20, out, &e))
		return true;
	if (e.kind != ERR_NOTFOUND)
		gather_unreadable(g, group, fact, e.msg);
	return false;
}

int gather_line(struct gather *g, const char *path, struct strbuf *out,
		struct strbuf *why)
{
	struct err e = {0};

	if (!host_io_line(g->io, path, out, &e))
		return out->len > 0;
	if (e.kind == ERR_NOTFOUND)
		return 0;
	if (!why->len)
		strbuf_addstr(why, e.msg);
	return -1;
}

int gather_number(struct gather *g, const char *path, json_t *o, const char *key,
		  struct strbuf *why)
{
	struct strbuf s = {0};
	int rc = gather_line(g, path, &s, why);
	json_t *v = rc > 0 ? number(strbuf_str(&s), 0) : NULL;

	if (v) {
		(void)json_object_set_new(o, key, v);
	} else if (rc > 0) {
		if (!why->len)
			strbuf_addf(why, "'%s' holds '%.60s'", path, strbuf_str(&s));
		rc = -1;
	}
	strbuf_release(&s);
	return rc;
}

/* The list of CPUs in @s up to the end of the line; NULL when it is none or empty. */
static hwloc_bitmap_t cpu_list(const char *s)
{
	struct strbuf list = {0};
	struct err e = {0};
	hwloc_bitmap_t set;

	host_io_clean(&list, s, strcspn(s, "\n"), 1U << 20);
	set = topology_cpus_parse(strbuf_str(&list), &e);
	strbuf_release(&list);
	return set;
}

/* Not json gather_text(): these lists may be long and must not be cut. */
static void put_cpus(struct gather *g, const char *fact, hwloc_const_bitmap_t set)
{
	struct strbuf list = {0};

	topology_cpus_text(set, &list);
	(void)json_object_set_new(gather_group(g, "cpu"), fact,
				  json_string(strbuf_str(&list)));
	strbuf_release(&list);
}

/* Offline is present and not online; the kernel's own list also has CPUs never there. */
static void online(struct gather *g)
{
	hwloc_bitmap_t up = NULL, present = NULL;
	struct strbuf s = {0};

	if (gather_file(g, "/sys/devices/system/cpu/online", "cpu", "online", &s))
		up = cpu_list(strbuf_str(&s));
	if (gather_file(g, "/sys/devices/system/cpu/present", "cpu", "offline", &s))
		present = cpu_list(strbuf_str(&s));
	if (up)
		put_cpus(g, "online", up);
	if (up && !g->t)
		gather_count(gather_group(g, "cpu"), "threads",
			     (uint64_t)hwloc_bitmap_weight(up));
	if (up && present) {
		(void)hwloc_bitmap_andnot(present, present, up);
		put_cpus(g, "offline", present);
	}
	if (present)
		hwloc_bitmap_free(present);
	if (up)
		hwloc_bitmap_free(up);
	strbuf_release(&s);
}

/* The affinity of the process that asks, from the kernel's own words about it. */
static void mask(struct gather *g)
{
	static const char key[] = "Cpus_allowed_list:";
	struct strbuf s = {0};
	const char *at;
	hwloc_bitmap_t set = NULL;

	if (gather_file(g, "/proc/self/status", "cpu", "mask", &s) &&
	    (at = strstr(strbuf_str(&s), key)))
		set = cpu_list(at + sizeof(key) - 1);
	if (set) {
		put_cpus(g, "mask", set);
		hwloc_bitmap_free(set);
	}
	strbuf_release(&s);
}

/* One CPU with another governor is a slow core: all of them are asked. */
static void governor(struct gather *g)
{
	hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(g->t->hw);
	struct facts_distinct seen = {0};
	struct strbuf s = {0};
	unsigned int cpu;

	hwloc_bitmap_foreach_begin(cpu, all) struct err e = {0};
	char path[96];

	(void)snprintf(path, sizeof(path),
		       "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpu);
	if (!host_io_line(g->io, path, &s, &e))
		(void)facts_distinct_add(&seen, strbuf_str(&s), s.len);
	else if (e.kind != ERR_NOTFOUND)
		gather_unreadable(g, "cpu", "governor", e.msg);
	hwloc_bitmap_foreach_end();
	facts_distinct_put(&seen, gather_group(g, "cpu"), "governor", false);
	strbuf_release(&s);
}

static void counts(struct gather *g)
{
	json_t *cpu = gather_group(g, "cpu");
	size_t smt = topology_smt(g->t), with_cpus = 0;

	if (g->t->n_packages)
		gather_count(cpu, "sockets", g->t->n_packages);
	if (g->t->cores_known) {
		gather_count(cpu, "cores", g->t->n_cores);
		(void)json_object_set_new(cpu, "smt", json_boolean(smt > 1));
	}
	gather_count(cpu, "threads", g->t->n_cpus);
	for (size_t i = 0; i < g->t->n_domains; i++)
		with_cpus += !hwloc_bitmap_iszero(g->t->domains[i].cpus);
	gather_count(cpu, "numa_domains", with_cpus);
}

static void caches(struct gather *g)
{
	const struct topology *t = g->t;
	int depth = hwloc_get_type_depth(t->hw, HWLOC_OBJ_L3CACHE);
	uint64_t total = 0, least = UINT64_MAX;
	json_t *cache;

	if (!t->n_caches)
		return;
	cache = gather_group(g, "cache");
	for (size_t i = 0; i < t->n_caches; i++)
		total += t->caches[i].size;
	gather_count(cache, "llc_level", (uint64_t)t->cache_level);
	gather_count(cache, "llc_instances", t->n_caches);
	if (total)
		gather_count(cache, "llc_total", total);
	if (depth < 0)
		return;
	for (unsigned int i = 0; i < hwloc_get_nbobjs_by_depth(t->hw, depth); i++) {
		hwloc_obj_t o = hwloc_get_obj_by_depth(t->hw, depth, i);

		least = o->attr->cache.size < least ? o->attr->cache.size : least;
	}
	gather_count(cache, "l3_instances", hwloc_get_nbobjs_by_depth(t->hw, depth));
	if (least)
		gather_count(cache, "l3_size", least);
}

static int by_id(const void *a, const void *b)
{
	const struct topology_part *x = *(const struct topology_part *const *)a;
	const struct topology_part *y = *(const struct topology_part *const *)b;

	return (x->id > y->id) - (x->id < y->id);
}

/*
 * A domain of no memory has a meminfo that says so; without that file nothing is known
 * (on a machine without domains hwloc makes one of all memory).
 */
static json_t *domain(const struct gather *g, const struct topology_part *d)
{
	json_t *o = json_object();
	struct strbuf list = {0};
	char path[96];

	topology_cpus_text(d->cpus, &list);
	gather_count(o, "id", d->id);
	(void)json_object_set_new(o, "cpus", json_string(strbuf_str(&list)));
	(void)snprintf(path, sizeof(path),
		       "/sys/devices/system/node/node%" PRIu32 "/meminfo", d->id);
	if (d->size || host_io_exists(g->io, path))
		gather_count(o, "memory", d->size);
	strbuf_release(&list);
	return o;
}

static void domains(struct gather *g)
{
	size_t n = g->t->n_domains;
	const struct topology_part **sorted = mem_calloc(n, sizeof(const void *));
	json_t *numa = json_array();

	for (size_t i = 0; i < n; i++)
		sorted[i] = &g->t->domains[i];
	qsort(sorted, n, sizeof(const void *), by_id);
	for (size_t i = 0; i < n; i++)
		(void)json_array_append_new(numa, domain(g, sorted[i]));
	free(sorted);
	(void)json_object_set_new(g->facts, "numa", numa);
}

static void memory(struct gather *g)
{
	int64_t kills = host_oom_kills(g->io);
	struct host_memory m;
	struct err e = {0};
	json_t *o;

	if (host_usable_memory(g->io, &m, &e)) {
		gather_unreadable(g, "memory", "usable", e.msg);
		return;
	}
	o = gather_group(g, "memory");
	if (m.total)
		gather_count(o, "total", m.total);
	gather_count(o, "available", m.available);
	gather_count(o, "usable", m.usable);
	(void)json_object_set_new(o, "usable_from", gather_text(m.from, strlen(m.from)));
	gather_count(o, "hugepages_reserved", m.hugepages);
	gather_count(o, "hugepages_free", m.hugepages_free);
	if (m.hugepages)
		gather_count(o, "hugepage_size", m.hugepage_size);
	if (m.swap_used)
		gather_count(o, "swap_used", m.swap_used);
	if (kills >= 0)
		gather_count(o, "oom_kills", (uint64_t)kills);
	if (m.unreadable[0])
		gather_unreadable(g, "memory", "usable", m.unreadable);
}

/* Sessions of MPI and batch systems are kept there: a full one fails every launch. */
static void tmp_free(struct gather *g)
{
	uint64_t bytes;
	struct err e = {0};

	if (!host_io_free(g->io, "/tmp", &bytes, &e))
		gather_count(gather_group(g, "tmp"), "free", bytes);
	else if (e.kind != ERR_NOTFOUND)
		gather_unreadable(g, "tmp", "free", e.msg);
}

/* PRETTY_NAME of os-release(5), without its quotes. */
static void distro(struct gather *g)
{
	static const char key[] = "PRETTY_NAME=";
	struct strbuf s = {0};

	if (gather_file(g, "/etc/os-release", "os", "distro", &s)) {
		const char *at = strbuf_str(&s);

		while (*at && strncmp(at, key, sizeof(key) - 1) != 0) {
			at += strcspn(at, "\n");
			at += *at == '\n';
		}
		if (*at) {
			size_t len = strcspn(at += sizeof(key) - 1, "\n");

			if (len > 1 && (*at == '"' || *at == '\'') &&
			    at[len - 1] == *at) {
				at++;
				len -= 2;
			}
			(void)json_object_set_new(gather_group(g, "os"), "distro",
						  gather_text(at, len));
		}
	}
	strbuf_release(&s);
}

/* What virtual machines call themselves in DMI's vendor or product. */
static const char *hypervisor(const json_t *dmi)
{
	static const char *const names[][2] = {
		{"VMware", "vmware"},         {"QEMU", "kvm"},          {"KVM", "kvm"},
		{"OpenStack", "kvm"},         {"Amazon EC2", "kvm"},    {"Google", "kvm"},
		{"VirtualBox", "virtualbox"}, {"Microsoft", "hyper-v"}, {"Xen", "xen"},
		{"Parallels", "parallels"},   {"BHYVE", "bhyve"},
	};
	static const char *const facts[] = {"vendor", "product"};

	for (size_t f = 0; f < 2; f++) {
		const char *s = json_string_value(json_object_get(dmi, facts[f]));

		for (size_t i = 0; s && i < sizeof(names) / sizeof(names[0]); i++) {
			if (strstr(s, names[i][0]))
				return names[i][1];
		}
	}
	return "unknown";
}

/* The flag says that there is one; only x86 has it, elsewhere nothing is said. */
static void virtual(struct gather *g)
{
	const json_t *cpu = json_object_get(g->facts, "cpu");
	struct strbuf s = {0};
	struct err e = {0};
	const char *name = NULL;

	if (!host_io_line(g->io, "/sys/hypervisor/type", &s, &e) && s.len)
		name = strbuf_str(&s);
	else if (facts_has_flag(cpu, "hypervisor"))
		name = hypervisor(json_object_get(g->facts, "dmi"));
	else if (facts_has_flag(cpu, "sse2"))
		name = "none";
	if (name)
		(void)json_object_set_new(g->facts, "virtual",
					  gather_text(name, strlen(name)));
	strbuf_release(&s);
}

json_t *facts_gather(const struct host_io *io, const struct topology *t,
		     const char *why_not)
{
	struct gather g = {io, t, json_object(), json_object()};
	struct strbuf cpuinfo = {0};
	unsigned int cpu = 0;

	if (t)
		cpu = (unsigned int)hwloc_bitmap_first(
			hwloc_topology_get_topology_cpuset(t->hw));
	if (gather_file(&g, "/proc/cpuinfo", "cpu", "model", &cpuinfo))
		facts_cpuinfo(gather_group(&g, "cpu"), strbuf_str(&cpuinfo));
	strbuf_release(&cpuinfo);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		line(&g, &rows[i], cpu);
	online(&g);
	mask(&g);
	if (t) {
		counts(&g);
		governor(&g);
		caches(&g);
		domains(&g);
		if (t->here != !strcmp(io->root, "/"))
			(void)json_object_set_new(g.facts, "elsewhere", json_true());
	} else {
		gather_unreadable(&g, NULL, "topology", why_not);
	}
	memory(&g);
	tmp_free(&g);
	distro(&g);
	virtual(&g);
	facts_smbios(&g);
	facts_pci(&g);
	facts_hca(&g);
	facts_net(&g);
	facts_firmware(&g, cpu);
	if (json_object_size(g.unreadable))
		(void)json_object_set_new(g.facts, "unreadable", g.unreadable);
	else
		json_decref(g.unreadable);
	return g.facts;
}
