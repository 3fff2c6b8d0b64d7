/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole files: into memory with a limit, never waiting for a pipe or a device; and out,
 * so that a reader sees the old file or the new one and never half of one.
 */
#ifndef ASSAY_BASE_FILE_H
#define ASSAY_BASE_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/strbuf.h"

/*
 * Appends the content of @path. Only regular files: a FIFO nobody writes to would hang
 * us. ERR_NOTFOUND when there is no such file, ERR_SYSTEM for everything else, among it a
 * file of more than @max bytes. On an error @out is as it was.
 */
int file_read(struct strbuf *out, const char *path, size_t max, struct err *e);

/* Appends what the descriptor @fd, called @name in errors, gives until its end. */
int file_read_fd(struct strbuf *out, int fd, const char *name, size_t max, struct err *e);

/*
 * Replaces @path by @len bytes, readable by the owner alone: written aside in the same
 * folder, synced, renamed. After an error what was there is there still. ERR_SYSTEM.
 */
int file_save(const char *path, const void *data, size_t len, struct err *e);

/*
 * The same with @mode (less the umask) and a function that writes the content, for what
 * is too large to be kept in memory first. Its errors are passed on.
 */
typedef int file_writer(FILE *out, const void *ctx, struct err *e);
int file_save_by(const char *path, mode_t mode, file_writer *write, const void *ctx,
		 struct err *e);

#endif
