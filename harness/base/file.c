/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_read_fd(struct strbuf *out, int fd, const char *name, size_t max, struct err *e)
{
	size_t before = out->len;
	char chunk[16384];
	ssize_t n;

	for (;;) {
		n = read(fd, chunk, sizeof(chunk));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if ((size_t)n > max - (out->len - before)) {
			strbuf_truncate(out, before);
			return err_set(e, ERR_SYSTEM, "'%s' is larger than %zu bytes",
				       name, max);
		}
		strbuf_add(out, chunk, (size_t)n);
	}
	if (n < 0) {
		err_sys(e, errno, "cannot read '%s'", name);
		strbuf_truncate(out, before);
		return -1;
	}
	return 0;
}

int file_read(struct strbuf *out, const char *path, size_t max, struct err *e)
{
	/* O_NONBLOCK: opening a FIFO without a writer would wait for one */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int rc;

	if (fd < 0) {
		int sys = errno;

		err_sys(e, sys, "cannot read '%s'", path);
		if (sys == ENOENT || sys == ENOTDIR)
			e->kind = ERR_NOTFOUND;
		return -1;
	}
	if (fstat(fd, &st))
		rc = err_sys(e, errno, "cannot read '%s'", path);
	else if (!S_ISREG(st.st_mode))
		rc = err_set(e, ERR_SYSTEM, "cannot read '%s': %s", path,
			     S_ISDIR(st.st_mode) ? "it is a folder"
						 : "not a regular file");
	else
		rc = file_read_fd(out, fd, path, max, e);
	(void)close(fd);
	return rc;
}

/* A rename is on disk when its folder is. Not every file system can, so it may fail. */
static void sync_folder(const char *path)
{
	struct strbuf dir = {0};
	const char *slash = strrchr(path, '/');
	int fd;

	strbuf_add(&dir, path, slash ? (size_t)(slash - path) : 0);
	fd = open(dir.len ? dir.buf
		  : slash ? "/"
			  : ".",
		  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		(void)fsync(fd);
		(void)close(fd);
	}
	strbuf_release(&dir);
}

/* Creates "PATH.tmp-PID", or with a number after it when something is there already. */
static int create_aside(const char *path, mode_t mode, struct strbuf *aside)
{
	int fd = -1;

	for (int i = 0; fd < 0 && i < 100; i++) {
		strbuf_reset(aside);
		strbuf_addf(aside, "%s.tmp-%ld", path, (long)getpid());
		if (i)
			strbuf_addf(aside, ".%d", i);
		fd = open(aside->buf, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

/* Syncs and closes: errno, or 0. */
static int finish(FILE *out)
{
	int sys = fflush(out) || fsync(fileno(out)) ? errno : 0;

	if (fclose(out) && !sys)
		sys = errno;
	return sys;
}

int file_save_by(const char *path, mode_t mode, file_writer *write, const void *ctx,
		 struct err *e)
{
	struct strbuf aside = {0};
	int fd = create_aside(path, mode, &aside);
	FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
	int rc = 0, sys = out ? 0 : errno;

	if (out) {
		rc = write(out, ctx, e);
		sys = finish(out);
	} else if (fd >= 0) {
		(void)close(fd);
	}
	if (!rc && !sys && rename(aside.buf, path))
		sys = errno;
	if (!rc && !sys)
		sync_folder(path);
	else if (fd >= 0)
		(void)unlink(aside.buf);
	strbuf_release(&aside);
	if (rc)
		return err_at(e, "'%s'", path);
	return sys ? err_sys(e, sys, "cannot write '%s'", path) : 0;
}

struct bytes {
	const void *data;
	size_t len;
};

static int write_bytes(FILE *out, const void *ctx, struct err *e)
{
	const struct bytes *b = ctx;

	if (fwrite(b->data, 1, b->len, out) != b->len)
		return err_sys(e, errno, "cannot write");
	return 0;
}

int file_save(const char *path, const void *data, size_t len, struct err *e)
{
	const struct bytes b = {data, len};

	return file_save_by(path, 0600, write_bytes, &b, e);
}
