/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who else uses this machine: all processes are looked at twice, and what they did in
 * between is compared. Nothing is signalled or changed.
 */
#ifndef ASSAY_HOST_BUSY_H
#define ASSAY_HOST_BUSY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "host/io.h"

/* A process that takes this share of a CPU is named, the busiest of them first. */
#define BUSY_SHARE 0.5
enum { BUSY_NAMED = 8 };

struct busy_process {
	pid_t pid, parent;
	char state;
	bool assay;     /* its name begins like our programs' */
	uint64_t start; /* ticks since boot: tells a pid that is used again */
	uint64_t ticks; /* of CPU time, all threads together */
};

/* One look. A zeroed struct is empty; busy_release() it. */
struct busy_look {
	double t;                   /* s, on the clock of the caller */
	uint64_t busy;              /* ticks of all CPUs that were not idle, since boot */
	struct busy_process *items; /* in order of pid */
	size_t n, cap;
};

void busy_look(const struct host_io *io, double t, struct busy_look *out);
void busy_release(struct busy_look *l);

struct busy_options {
	pid_t self;      /* who looks: neither it nor its ancestors are named */
	const char *run; /* processes with this ASSAY_RUN are our own; may be NULL */
	bool mask_users;
};

/*
 * What went on between two looks, as the facts have it under "clean" (facts.h). Who owns
 * a process is looked up now: one that is gone is not named. json_decref() it.
 */
json_t *busy_compare(const struct host_io *io, const struct busy_look *first,
		     const struct busy_look *second, const struct busy_options *o);

#endif
