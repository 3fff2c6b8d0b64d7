/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of kernels: how much there may be, and large pieces of it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/units.h"
#include "host/memory.h"
#include "kernels/kit/kit.h"

static const uint64_t huge_page = (uint64_t)2 << 20;
static const uint64_t kept_at_least = (uint64_t)64 << 20;

/* Bytes this process may still map under its own limit on address space. */
static uint64_t address_space_left(void)
{
	const long page = sysconf(_SC_PAGESIZE);
	unsigned long pages = 0;
	char line[128];
	struct rlimit limit;
	uint64_t used;
	FILE *f;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	f = fopen("/proc/self/statm", "re");
	if (f) {
		if (fgets(line, sizeof(line), f))
			pages = strtoul(line, NULL, 10);
		(void)fclose(f);
	}
	used = (uint64_t)pages * (uint64_t)page;
	return used < limit.rlim_cur ? limit.rlim_cur - used : 0;
}

int kit_usable_memory(const struct kit *k, uint64_t *bytes, struct err *e)
{
	const struct host_io io = {.root = "/"};
	const uint64_t own = address_space_left();
	struct host_memory m;
	uint64_t kept;

	if (host_usable_memory(&io, &m, e))
		return -1;
	*bytes = m.usable / (uint64_t)k->local_ranks;
	if (own < *bytes)
		*bytes = own;
	kept = *bytes / 50 > kept_at_least ? *bytes / 50 : kept_at_least;
	*bytes = *bytes > kept ? *bytes - kept : 0;
	return 0;
}

static uint64_t rounded(uint64_t bytes)
{
	return (bytes + huge_page - 1) / huge_page * huge_page;
}

void *kit_alloc(uint64_t bytes, struct err *e)
{
	const uint64_t size = rounded(bytes ? bytes : 1);
	char text[UNITS_TEXT];
	uint64_t before;
	char *p;

	(void)units_format(text, sizeof(text), (double)bytes, "B");
	if (size < bytes) {
		err_set(e, ERR_SYSTEM, "%s of memory: more than there can be", text);
		return NULL;
	}
	/* one huge page more, to cut it at a boundary */
	p = mmap(NULL, size + huge_page, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		err_sys(e, errno, "%s of memory", text);
		return NULL;
	}
	before = (huge_page - (uintptr_t)p % huge_page) % huge_page;
	if (before)
		(void)munmap(p, before);
	p += before;
	if (huge_page - before)
		(void)munmap(p + size, huge_page - before);
	/* a kernel without huge pages says no; then it is small pages */
	(void)madvise(p, size, MADV_HUGEPAGE);
	return p;
}

void kit_free(void *p, uint64_t bytes)
{
	if (p)
		(void)munmap(p, rounded(bytes ? bytes : 1));
}

int kit_domain_of(void *p)
{
	void *page = (char *)p - (uintptr_t)p % 4096;
	int domain = -1;

	/* glibc has no wrapper; with no wanted domains it moves nothing and only tells */
	if (syscall(SYS_move_pages, 0, 1UL, &page, NULL, &domain, 0))
		return -1;
	return domain < 0 ? -1 : domain;
}
