/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The folder of one step, DIR/steps/NNN-name/: the command line, what the launcher was
 * given to read, and what came out on stdout and stderr.
 */
#ifndef ASSAY_RUN_STEPDIR_H
#define ASSAY_RUN_STEPDIR_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "run/launcher.h"

/* Bytes of each of stdout and stderr that are kept; a last line says what was cut. */
#define STEPDIR_KEEP ((size_t)64 << 20)

struct stepdir {
	int fds[2];     /* stdout, stderr */
	size_t size[2]; /* bytes that came */
	int error;      /* errno of the first write that failed, 0 none */
};

/* Path of the folder of @s below @dir; a later attempt has one of its own. In @a. */
const char *stepdir_path(const char *dir, const struct step *s, struct arena *a);

/* Makes the folder @path with its files, among them those of @c. */
int stepdir_open(struct stepdir *d, const char *path, const struct command *c,
		 struct err *e);
/* Keeps output; @fd is 1 or 2. What cannot be written is told in d->error. */
void stepdir_add(struct stepdir *d, int fd, const char *data, size_t len);
void stepdir_close(struct stepdir *d);

#endif
