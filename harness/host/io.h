/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One machine as a tree of files: "/" is the machine we run on, any other folder is a
 * recorded one (its /proc and /sys as files). Everything harness/host learns comes
 * through here, so a recorded tree is a complete test of it.
 *
 * In a recorded tree every path and symbolic link, absolute ones too, stays inside the
 * tree. All text is taken as hostile: limited in size, made valid UTF-8.
 */
#ifndef ASSAY_HOST_IO_H
#define ASSAY_HOST_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

/* Longest text host_io_line() gives, in bytes. */
#define HOST_IO_LINE 256

struct host_io {
	const char *root; /* "/" or the folder of a recorded tree; borrowed */
};

/*
 * Replaces *@out by the whole file, bad bytes and NUL as U+FFFD. A missing file is
 * ERR_NOTFOUND; one longer than @max bytes, not a regular file or not readable is
 * ERR_SYSTEM. Never blocks on a FIFO.
 */
int host_io_read(const struct host_io *io, const char *path, size_t max,
		 struct strbuf *out, struct err *e);

/* Replaces *@out by the bytes of a file as they are. Errors as host_io_read(). */
int host_io_bytes(const struct host_io *io, const char *path, size_t max,
		  struct strbuf *out, struct err *e);

/*
 * Replaces *@out by the first line without blanks at its ends, control characters made
 * visible, cut to HOST_IO_LINE bytes. Errors as host_io_read().
 */
int host_io_line(const struct host_io *io, const char *path, struct strbuf *out,
		 struct err *e);

/* The first line as a decimal number; anything else there is ERR_SYSTEM. */
int host_io_number(const struct host_io *io, const char *path, uint64_t *out,
		   struct err *e);

/*
 * A model-specific register of a CPU, from /dev/cpu/CPU/msr, in a recorded tree from the
 * hexadecimal text in /dev/cpu/CPU/msr-REGISTER. ERR_NOTFOUND where nothing shows them.
 */
int host_io_msr(const struct host_io *io, unsigned int cpu, uint32_t reg, uint64_t *out,
		struct err *e);

/* Names in a folder without "." and "..", in the order of their numbers; in @a. */
int host_io_list(const struct host_io *io, const char *path, struct arena *a,
		 const char ***names, size_t *n, struct err *e);

/* Replaces *@out by the text of a symbolic link. */
int host_io_link(const struct host_io *io, const char *path, struct strbuf *out,
		 struct err *e);

/* Bytes that are free for others than root where @path is. Errors as host_io_read(). */
int host_io_free(const struct host_io *io, const char *path, uint64_t *bytes,
		 struct err *e);

/* There is something at @path. */
bool host_io_exists(const struct host_io *io, const char *path);

/*
 * Appends @s fit for a record: blanks at the ends dropped, runs of blanks folded to one,
 * control characters visible, cut to @max bytes at a character.
 */
void host_io_clean(struct strbuf *out, const char *s, size_t len, size_t max);

#endif
