/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CPUs, caches and memory domains of one machine, from hwloc: of the machine we run
 * on, of a recorded tree, of an XML text or of a synthetic description.
 *
 * All online CPUs are in it, also those this process may not use: the picture of a
 * machine does not depend on who looks. What may be used is a separate mask. CPUs are
 * operating system numbers throughout; ids of packages and domains need not be 0..n-1.
 */
#ifndef ASSAY_HOST_TOPOLOGY_H
#define ASSAY_HOST_TOPOLOGY_H

#include <hwloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "host/io.h"

#define TOPOLOGY_NO_ID UINT32_MAX
#define TOPOLOGY_NONE  SIZE_MAX

/* A package, a last-level cache or a NUMA domain. */
struct topology_part {
	uint32_t id;   /* the operating system's, or TOPOLOGY_NO_ID */
	uint64_t size; /* bytes of a cache or of a domain's memory; 0 none or unknown */
	/* online CPUs; empty for a domain of memory only (HBM, CXL) */
	hwloc_bitmap_t cpus;
};

struct topology_core {
	size_t package, cache, domain; /* indices below, or TOPOLOGY_NONE */
	hwloc_bitmap_t cpus;           /* SMT siblings */
};

struct topology {
	hwloc_topology_t hw; /* NULL when it was read from XML */
	bool here;           /* the machine we run on, so binding works */
	bool cores_known; /* false: no core information, every CPU is taken as a core */
	size_t n_cpus;    /* online */
	struct topology_part *packages; /* none when unknown */
	size_t n_packages;
	struct topology_part *caches; /* the last level there is, data or unified */
	size_t n_caches;
	int cache_level;               /* 3 mostly; 0 without caches */
	struct topology_part *domains; /* in hwloc's order */
	size_t n_domains;
	struct topology_core *cores; /* in hwloc's order: neighbours share caches */
	size_t n_cores;
};

/*
 * Loads the machine @io stands for: "/" is this one (where hwloc's own variables, e.g.
 * HWLOC_SYNTHETIC, may put another in its place; then `here` is false), else a recorded
 * tree. Reading a recorded tree sets HWLOC_FSROOT for its duration: not while other
 * threads run. topology_free() it; *out is NULL after an error.
 */
int topology_load(struct topology **out, const struct host_io *io, struct err *e);

/* From hwloc's XML, @len bytes. XML of a newer hwloc than ours is ERR_USAGE and says so.
 */
int topology_from_xml(struct topology **out, const char *xml, size_t len, struct err *e);

/*
 * From hwloc's synthetic description: "Package:2 L3Cache:8(size=32MB) Core:8 PU:1". The
 * error says what it is instead, not the text.
 */
int topology_from_synthetic(struct topology **out, const char *text, struct err *e);

void topology_free(struct topology *t);

/* Appends hwloc's XML (format 2); not for a topology that was read from XML itself. */
int topology_xml(const struct topology *t, struct strbuf *out, struct err *e);

/*
 * A list of CPUs, "0-3,8" as the kernel writes it; hwloc_bitmap_free() it. NULL and
 * ERR_USAGE for anything else, also an empty text and numbers beyond 8191.
 */
hwloc_bitmap_t topology_cpus_parse(const char *text, struct err *e);

/* Appends a set of CPUs as such a list, "" when empty. */
void topology_cpus_text(hwloc_const_bitmap_t cpus, struct strbuf *out);

/* Largest number of CPUs of one core; 0 when unknown. */
size_t topology_smt(const struct topology *t);

#endif
