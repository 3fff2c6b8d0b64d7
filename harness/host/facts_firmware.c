/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the running system shows of the settings in its firmware: distances of NUMA
 * domains and who shares an L3, idle states, IOMMUs, prefetchers. A part of facts.c.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/facts_gather.h"

/* Place of the package that holds all of @cpus, from 0; -1 when there is none. */
static int package_of(const struct topology *t, hwloc_const_bitmap_t cpus)
{
	for (size_t i = 0; i < t->n_packages; i++) {
		if (!hwloc_bitmap_iszero(cpus) &&
		    hwloc_bitmap_isincluded(cpus, t->packages[i].cpus))
			return (int)i;
	}
	return -1;
}

static void put_package(const struct gather *g, json_t *o, hwloc_const_bitmap_t cpus)
{
	int package = package_of(g->t, cpus);

	if (package >= 0)
		gather_count(o, "package", (uint64_t)package);
}

/* The row of the SLIT: one number for each domain that is online. */
static void distances(struct gather *g, json_t *domain, uint32_t id)
{
	struct strbuf line = {0}, why = {0};
	char path[96], *end;
	json_t *list;

	(void)snprintf(path, sizeof(path),
		       "/sys/devices/system/node/node%" PRIu32 "/distance", id);
	if (gather_line(g, path, &line, &why) > 0) {
		list = json_array();
		for (const char *s = strbuf_str(&line); *s; s = end) {
			unsigned long v = strtoul(s, &end, 10);

			if (end == s || v > 255)
				break;
			(void)json_array_append_new(list, json_integer((json_int_t)v));
		}
		(void)json_object_set_new(domain, "distances", list);
	}
	strbuf_release(&line);
	strbuf_release(&why);
}

static const struct topology_part *domain_of(const struct topology *t, json_int_t id)
{
	for (size_t i = 0; i < t->n_domains; i++) {
		if (t->domains[i].id == (uint32_t)id)
			return &t->domains[i];
	}
	return NULL;
}

static void numa(struct gather *g)
{
	json_t *item;
	size_t i;

	json_array_foreach(json_object_get(g->facts, "numa"), i, item)
	{
		json_int_t id = json_integer_value(json_object_get(item, "id"));
		const struct topology_part *d = domain_of(g->t, id);

		if (!d)
			continue;
		put_package(g, item, d->cpus);
		distances(g, item, d->id);
	}
}

static void l3(struct gather *g)
{
	json_t *list;

	if (g->t->cache_level != 3 || !g->t->n_caches)
		return;
	list = json_array();
	for (size_t i = 0; i < g->t->n_caches; i++) {
		const struct topology_part *c = &g->t->caches[i];
		struct strbuf cpus = {0};
		json_t *o = json_object();

		topology_cpus_text(c->cpus, &cpus);
		(void)json_object_set_new(o, "cpus", json_string(strbuf_str(&cpus)));
		put_package(g, o, c->cpus);
		(void)json_array_append_new(list, o);
		strbuf_release(&cpus);
	}
	(void)json_object_set_new(gather_group(g, "cache"), "l3", list);
}

/* The word @key= of the kernel's command line, or @key alone, is there. */
static bool on_command_line(const char *line, const char *key)
{
	size_t n = strlen(key);

	for (const char *at = line; (at = strstr(at, key)); at += n) {
		if ((at == line || at[-1] == ' ') && strchr(" =\n", at[n]))
			return true;
	}
	return false;
}

static void idle(struct gather *g, unsigned int cpu, const char *command_line)
{
	struct strbuf line = {0}, why = {0};
	json_t *states = json_array();
	char path[96];

	for (int i = 0; i < 16; i++) {
		(void)snprintf(path, sizeof(path),
			       "/sys/devices/system/cpu/cpu%u/cpuidle/state%d/name", cpu,
			       i);
		if (gather_line(g, path, &line, &why) <= 0)
			break;
		(void)json_array_append_new(states,
					    gather_text(strbuf_str(&line), line.len));
	}
	if (json_array_size(states)) {
		json_t *o = gather_group(g, "idle");

		(void)json_object_set(o, "states", states);
		if (gather_line(g, "/sys/devices/system/cpu/cpuidle/current_driver",
				&line, &why) > 0)
			(void)json_object_set_new(
				o, "driver", gather_text(strbuf_str(&line), line.len));
		if (on_command_line(command_line, "processor.max_cstate") ||
		    on_command_line(command_line, "idle"))
			(void)json_object_set_new(o, "limited", json_true());
	}
	json_decref(states);
	strbuf_release(&line);
	strbuf_release(&why);
}

static void iommu(struct gather *g, const char *command_line)
{
	struct arena a = {0};
	struct err e = {0};
	const char **names;
	size_t n = 0;
	json_t *o;

	if (!host_io_list(g->io, "/sys/class/iommu", &a, &names, &n, &e)) {
		o = gather_group(g, "iommu");
		gather_count(o, "units", n);
		if (on_command_line(command_line, "iommu") ||
		    on_command_line(command_line, "amd_iommu") ||
		    on_command_line(command_line, "intel_iommu"))
			(void)json_object_set_new(o, "told", json_true());
	}
	arena_release(&a);
}

/*
 * Prefetchers of AMD's family 19h: a documented register switches them, and firmware
 * writes others, so one is on when both say so. Bit set: off, but for `inverse`.
 */
static const struct prefetcher {
	const char *fact;
	unsigned int bit; /* of C0000108 */
	uint32_t firmware;
	unsigned int firmware_bit;
	bool inverse;
} prefetchers[] = {
	{"l1_stream", 0, 0xC0011022, 16, false}, {"l1_stride", 1, 0xC0011022, 17, false},
	{"l1_region", 2, 0xC0011022, 18, false}, {"l2_stream", 3, 0xC001102B, 0, true},
	{"l2_up_down", 5, 0xC001102B, 2, true},
};

enum { PREFETCH_CONTROL = 0xC0000108, ZEN3_FAMILY = 25 };

static void prefetch(struct gather *g, unsigned int cpu)
{
	const json_t *info = json_object_get(g->facts, "cpu");
	const char *vendor = json_string_value(json_object_get(info, "vendor"));
	uint64_t control, firmware;
	struct err e = {0};

	if (!vendor || strcmp(vendor, "AuthenticAMD") != 0 ||
	    json_integer_value(json_object_get(info, "family")) != ZEN3_FAMILY)
		return;
	if (host_io_msr(g->io, cpu, PREFETCH_CONTROL, &control, &e)) {
		if (e.kind != ERR_NOTFOUND)
			gather_unreadable(g, NULL, "prefetchers", e.msg);
		return;
	}
	for (size_t i = 0; i < sizeof(prefetchers) / sizeof(prefetchers[0]); i++) {
		const struct prefetcher *p = &prefetchers[i];
		bool on = !(control >> p->bit & 1);

		if (host_io_msr(g->io, cpu, p->firmware, &firmware, &e)) {
			if (on)
				continue; /* half an answer: not known */
		} else {
			on &= !(firmware >> p->firmware_bit & 1) != p->inverse;
		}
		(void)json_object_set_new(gather_group(g, "prefetchers"), p->fact,
					  json_boolean(on));
	}
}

void facts_firmware(struct gather *g, unsigned int cpu)
{
	struct strbuf command_line = {0};

	if (!gather_file(g, "/proc/cmdline", "os", "cmdline", &command_line))
		strbuf_reset(&command_line);
	if (g->t) {
		numa(g);
		l3(g);
	}
	idle(g, cpu, strbuf_str(&command_line));
	iommu(g, strbuf_str(&command_line));
	prefetch(g, cpu);
	strbuf_release(&command_line);
}
