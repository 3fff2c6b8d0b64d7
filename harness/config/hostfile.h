/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostfiles of the common launchers, one node a line: "name [slots=N] [max_slots=N]" of
 * Open MPI, "name:N" of MPICH's machinefiles, a bare name, which schedulers repeat once a
 * slot, and a hostlist in place of a name. '#' begins a comment; CR LF is tolerated.
 */
#ifndef ASSAY_CONFIG_HOSTFILE_H
#define ASSAY_CONFIG_HOSTFILE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct hostfile_node {
	const char *name;
	int slots;     /* 0: not said */
	int max_slots; /* 0: not said */
	int listed;    /* how many times the name is in the file */
	int line;      /* of the first time */
};

/* A zeroed struct is empty. */
struct hostfile {
	struct arena arena;
	struct hostfile_node *nodes; /* each name once, in order of first sight */
	size_t n, cap;
	const char *remark; /* NULL, or one sentence on names listed more than once */
};

/*
 * Reads @path, "-" for standard input. Slots said for a name that is listed again are
 * added up, as launchers do. ERR_USAGE with file:line:col, also for a missing file and
 * one without any name. hostfile_release() after, also after an error.
 */
int hostfile_read(struct hostfile *h, const char *path, struct err *e);

/* The same from @len bytes at @text; @path only names them in errors. */
int hostfile_parse(struct hostfile *h, const char *text, size_t len, const char *path,
		   struct err *e);
void hostfile_release(struct hostfile *h);

#endif
