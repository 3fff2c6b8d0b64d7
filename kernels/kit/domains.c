/* SPDX-License-Identifier: Apache-2.0 */
/* NUMA domains, and memory that is in a certain one: see kit.h. */
#include "kernels/kit/domains.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"

static int by_id(const void *a, const void *b)
{
	const struct kit_domain *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Index of the package that most of a domain's CPUs are in, -1 for none. */
static int package_of(const struct topology *t, hwloc_const_bitmap_t cpus)
{
	for (size_t i = 0; i < t->n_packages; i++) {
		if (hwloc_bitmap_intersects(t->packages[i].cpus, cpus))
			return (int)i;
	}
	return -1;
}

/* The domain of one CPU, TOPOLOGY_NO_ID when it has none. */
static uint32_t id_of(const struct topology *t, int cpu)
{
	for (size_t i = 0; i < t->n_domains; i++) {
		if (hwloc_bitmap_isset(t->domains[i].cpus, (unsigned int)cpu))
			return t->domains[i].id;
	}
	return TOPOLOGY_NO_ID;
}

int domains_make(const struct topology *t, const struct kit_cpu *cpus, int n_cpus,
		 struct kit_domain **domains, int **of)
{
	struct kit_domain *d = mem_calloc(t->n_domains + 1, sizeof(*d));
	int n = 0;

	for (size_t i = 0; i < t->n_domains; i++) {
		const struct topology_part *part = &t->domains[i];

		if (part->id != TOPOLOGY_NO_ID)
			d[n++] =
				(struct kit_domain){.id = (int)part->id,
						    .memory = part->size,
						    .package = package_of(t, part->cpus)};
	}
	qsort(d, (size_t)n, sizeof(*d), by_id);
	*domains = d;
	*of = mem_calloc((size_t)n_cpus + 1, sizeof(**of));
	for (int i = 0; i < n_cpus; i++) {
		const uint32_t id = id_of(t, cpus[i].cpu);

		(*of)[i] = -1;
		for (int k = 0; k < n; k++) {
			if ((uint32_t)d[k].id != id)
				continue;
			(*of)[i] = k;
			d[k].threads++;
		}
	}
	return n;
}

int kit_domains(const struct kit *k, struct kit_domain **domains, int **of, struct err *e)
{
	const struct host_io io = {.root = "/"};
	struct topology *t;
	int n;

	*domains = NULL;
	*of = NULL;
	if (topology_load(&t, &io, e))
		return -1;
	n = domains_make(t, k->cpus, k->threads, domains, of);
	topology_free(t);
	return n;
}

/* kB of a line "Node 0 MemFree:  1234 kB" of a domain's meminfo, in bytes. */
static uint64_t field(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) * 1024 : 0;
}

/* Bytes of domain @id that are free, or hold files only; UINT64_MAX when nobody says. */
static uint64_t free_in(int id)
{
	const struct host_io io = {.root = "/"};
	struct strbuf text = {0};
	struct err e = {0};
	uint64_t bytes = UINT64_MAX;
	char path[96];

	(void)snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", id);
	if (!host_io_read(&io, path, 65536, &text, &e))
		bytes = field(strbuf_str(&text), "MemFree:") +
			field(strbuf_str(&text), "Active(file):") +
			field(strbuf_str(&text), "Inactive(file):");
	strbuf_release(&text);
	return bytes;
}

/* The kernel's own call: MPOL_BIND to one domain for the pages that will come. */
static int bind_area(void *p, uint64_t bytes, int id)
{
	enum { MPOL_BIND = 2, MOST = 1024, BITS = 8 * sizeof(unsigned long) };
	unsigned long mask[MOST / BITS + 1] = {0};

	if (id < 0 || id >= MOST) {
		errno = EINVAL;
		return -1;
	}
	mask[id / BITS] |= 1UL << (id % BITS);
	return (int)syscall(SYS_mbind, p, bytes, MPOL_BIND, mask, MOST + 1UL, 0U);
}

void *kit_alloc_in(uint64_t bytes, int id, struct err *e)
{
	const uint64_t available = free_in(id);
	char have[UNITS_TEXT];
	void *p;

	/* a domain that is full ends the process, not the call */
	if (available < bytes + bytes / 8) {
		err_set(e, ERR_SYSTEM, "only %s are free there",
			units_format_memory(have, sizeof(have), (double)available));
		return NULL;
	}
	p = kit_alloc(bytes, e);
	if (!p || !bind_area(p, bytes, id))
		return p;
	if (errno == EPERM)
		err_set(e, ERR_SYSTEM, "binding memory to it is not permitted");
	else
		err_sys(e, errno, "binding memory to it");
	kit_free(p, bytes);
	return NULL;
}
