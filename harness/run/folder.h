/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run folder (0700): journal.jsonl, config/ as used, steps/, nodes/, reports, and a
 * lock that names pid and host of the controller writing there.
 */
#ifndef ASSAY_RUN_FOLDER_H
#define ASSAY_RUN_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct folder {
	char path[PATH_MAX]; /* absolute: the working directory may go away */
	int lock_fd;
};

/* SHA-256 in hexadecimal and NUL. */
enum { FOLDER_HASH = 65 };

/*
 * Makes the folder @path, or assay-run-DATE-TIME-@plan in the working directory when
 * @path is NULL, and takes its lock. A folder that exists must be empty (ERR_USAGE).
 */
int folder_create(struct folder *f, const char *path, const char *plan, struct err *e);

/* Takes the lock of a folder that holds a run. ERR_USAGE when somebody else has it. */
int folder_open(struct folder *f, const char *path, struct err *e);

/* Gives the lock back. The folder stays. */
void folder_close(struct folder *f);

/* Who holds the lock of the folder, "pid 12 on host n1"; "" when nobody does. */
void folder_holder(const char *path, char *who, size_t size);

/*
 * Copies the file @src to config/@name, durably, with the SHA-256 of what was copied in
 * @hash. @name may have one folder in it. A source beyond 16 MiB is an error.
 */
int folder_keep(const struct folder *f, const char *src, const char *name,
		char hash[FOLDER_HASH], struct err *e);

/* Writes @len bytes to @name in the folder: aside, synced, renamed. */
int folder_write(const struct folder *f, const char *name, const void *data, size_t len,
		 struct err *e);

#endif
