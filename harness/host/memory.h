/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory a kernel may use on this machine: the smallest of what the kernel calls
 * available, every memory limit on the way from this process's control group up to the
 * root of the hierarchy, and the process's own limits.
 */
#ifndef ASSAY_HOST_MEMORY_H
#define ASSAY_HOST_MEMORY_H

#include <stdint.h>

#include "base/err.h"
#include "host/io.h"

/* Bytes. */
struct host_memory {
	uint64_t total;     /* MemTotal; 0 unknown */
	uint64_t available; /* MemAvailable, or MemFree on a kernel older than 3.14 */
	uint64_t hugepages; /* set aside as huge pages of the default size, used or not */
	uint64_t hugepages_free; /* of those, not used by anything */
	uint64_t hugepage_size;  /* of one; 0 unknown */
	uint64_t swap_used;
	uint64_t usable;
	char from[128]; /* what decided: "MemAvailable", "memory.max of '/job'", ... */
	char unreadable[256]; /* a limit that is there but could not be read, else "" */
};

/*
 * Fills @m from /proc/meminfo, /proc/self/{cgroup,mountinfo,limits} and the memory
 * controller of cgroup v1 (memory.limit_in_bytes) and v2 (memory.max, and memory.high,
 * beyond which a process is throttled until it gives memory back). Huge pages set aside
 * are no part of MemAvailable and not usable.
 *
 * Limits count in full: memory that others in the same group hold now is not taken off,
 * nor is what this process has mapped. Several ranks on a node share `usable`.
 *
 * -1 only when /proc/meminfo cannot be read or names no memory.
 */
int host_usable_memory(const struct host_io *io, struct host_memory *m, struct err *e);

/*
 * How many processes the kernel ended since boot because memory ran out, that of the
 * machine or of any control group: "oom_kill" of /proc/vmstat, one count for all
 * containers of a machine. -1 where the kernel does not count (before Linux 4.13).
 */
int64_t host_oom_kills(const struct host_io *io);

#endif
