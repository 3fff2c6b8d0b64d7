/* SPDX-License-Identifier: Apache-2.0 */
/* Files of one machine, real or recorded: see io.h. */
#include "host/io.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"

static bool is_real(const struct host_io *io)
{
	return !strcmp(io->root, "/");
}

/* Takes the first component off *@rest; its length, 0 when none is left. */
static size_t component(const char **rest, const char **name)
{
	size_t len;

	*rest += strspn(*rest, "/");
	len = strcspn(*rest, "/");
	*name = *rest;
	*rest += len;
	return len;
}

/*
 * @path with all links followed, relative to @root, without leaving it: ".." stops at the
 * root and an absolute link starts there. The last component stays a link unless
 * @follow. (openat2() could do this; debuggers and older kernels do not know it.)
 */
static int resolve(int root, const char *path, bool follow, struct strbuf *out)
{
	struct strbuf rest = {0}, next = {0};
	char target[PATH_MAX];
	const char *left, *name;
	size_t len;
	int links = 0, sys = 0;

	strbuf_addstr(&rest, path);
	left = strbuf_str(&rest);
	while (!sys && (len = component(&left, &name))) {
		size_t before = out->len;
		ssize_t n = -1;

		if (len == 1 && name[0] == '.')
			continue;
		if (len == 2 && !memcmp(name, "..", 2)) {
			char *slash = out->len ? strrchr(out->buf, '/') : NULL;

			strbuf_truncate(out, slash ? (size_t)(slash - out->buf) : 0);
			continue;
		}
		if (out->len)
			strbuf_addch(out, '/');
		strbuf_add(out, name, len);
		if (follow || left[strspn(left, "/")])
			n = readlinkat(root, out->buf, target, sizeof(target) - 1);
		if (n < 0)
			continue; /* no link; if it is not there open() will say so */
		if (++links > 40)
			sys = ELOOP;
		strbuf_truncate(out, *target == '/' ? 0 : before);
		strbuf_reset(&next);
		strbuf_add(&next, target, (size_t)n);
		strbuf_addf(&next, "/%s", left);
		strbuf_reset(&rest);
		strbuf_add(&rest, strbuf_str(&next), next.len);
		left = strbuf_str(&rest);
	}
	strbuf_release(&rest);
	strbuf_release(&next);
	return sys;
}

/* A recorded tree must never answer from the machine it lies on. */
static int open_in(const struct host_io *io, const char *path, int flags)
{
	struct strbuf inside = {0};
	int root, fd = -1, sys;

	if (is_real(io))
		return open(path, flags | O_CLOEXEC);
	root = open(io->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	sys = resolve(root, path, !(flags & O_NOFOLLOW), &inside);
	if (!sys) {
		fd = openat(root, inside.len ? inside.buf : ".",
			    flags | O_NOFOLLOW | O_CLOEXEC);
		sys = errno;
	}
	(void)close(root);
	strbuf_release(&inside);
	errno = sys;
	return fd;
}

static int failed(const struct host_io *io, const char *what, const char *path, int sys,
		  struct err *e)
{
	err_sys(e, sys, "%s '%s%s'", what, is_real(io) ? "" : io->root, path);
	if (sys == ENOENT || sys == ENOTDIR)
		e->kind = ERR_NOTFOUND;
	return -1;
}

/* The bytes as they are, added to @raw; more than @max of them are an error. */
static int read_raw(const struct host_io *io, const char *path, size_t max,
		    struct strbuf *raw, struct err *e)
{
	int fd = open_in(io, path, O_RDONLY | O_NONBLOCK | O_NOCTTY), rc;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		rc = failed(io, "read", path, errno, e);
	else if (!S_ISREG(st.st_mode))
		rc = failed(io, "read", path, S_ISDIR(st.st_mode) ? EISDIR : ENOTSUP, e);
	else
		rc = file_read_fd(raw, fd, path, max, e);
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

int host_io_read(const struct host_io *io, const char *path, size_t max,
		 struct strbuf *out, struct err *e)
{
	struct strbuf raw = {0};
	int rc = read_raw(io, path, max, &raw, e);

	strbuf_reset(out);
	if (!rc && utf8_valid(strbuf_str(&raw), raw.len)) {
		strbuf_release(out);
		*out = raw;
		return 0;
	}
	if (!rc)
		utf8_clean(out, strbuf_str(&raw), raw.len);
	strbuf_release(&raw);
	return rc;
}

int host_io_bytes(const struct host_io *io, const char *path, size_t max,
		  struct strbuf *out, struct err *e)
{
	strbuf_reset(out);
	return read_raw(io, path, max, out, e);
}

void host_io_clean(struct strbuf *out, const char *s, size_t len, size_t max)
{
	size_t start = out->len;

	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	for (size_t i = 0; i < len;) {
		size_t n = utf8_char(s + i, len - i), before = out->len;

		if (isspace((unsigned char)s[i])) {
			while (isspace((unsigned char)s[i]))
				i++;
			if (out->len > start)
				strbuf_addch(out, ' ');
		} else {
			n = n ? n : 1;
			utf8_printable(out, s + i, n);
			i += n;
		}
		if (out->len - start > max) {
			strbuf_truncate(out, before);
			break;
		}
	}
}

int host_io_line(const struct host_io *io, const char *path, struct strbuf *out,
		 struct err *e)
{
	struct strbuf raw = {0};
	int rc = read_raw(io, path, 65536, &raw, e);
	const char *s = strbuf_str(&raw), *end;

	strbuf_reset(out);
	if (!rc) {
		end = memchr(s, '\n', raw.len);
		host_io_clean(out, s, end ? (size_t)(end - s) : raw.len, HOST_IO_LINE);
	}
	strbuf_release(&raw);
	return rc;
}

int host_io_number(const struct host_io *io, const char *path, uint64_t *out,
		   struct err *e)
{
	struct strbuf line = {0};
	char *end;
	int rc = -1;

	if (host_io_line(io, path, &line, e))
		goto out;
	errno = 0;
	*out = strtoull(strbuf_str(&line), &end, 10);
	if (!isdigit((unsigned char)*strbuf_str(&line)) || *end || errno)
		err_set(e, ERR_SYSTEM, "'%s' holds '%.40s', expected a number", path,
			strbuf_str(&line));
	else
		rc = 0;
out:
	strbuf_release(&line);
	return rc;
}

static int by_number(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static int recorded_msr(const struct host_io *io, const char *path, uint64_t *out,
			struct err *e)
{
	struct strbuf line = {0};
	int rc = host_io_line(io, path, &line, e);
	char *end;

	if (!rc) {
		errno = 0;
		*out = strtoull(strbuf_str(&line), &end, 16);
		if (!line.len || *end || errno)
			rc = err_set(e, ERR_SYSTEM, "'%s' holds '%.60s'", path,
				     strbuf_str(&line));
	}
	strbuf_release(&line);
	return rc;
}

int host_io_msr(const struct host_io *io, unsigned int cpu, uint32_t reg, uint64_t *out,
		struct err *e)
{
	char path[64];
	int fd, rc = 0;

	if (!is_real(io)) {
		(void)snprintf(path, sizeof(path), "/dev/cpu/%u/msr-%08" PRIx32, cpu,
			       reg);
		return recorded_msr(io, path, out, e);
	}
	(void)snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return failed(io, "read", path, errno, e);
	if (pread(fd, out, sizeof(*out), reg) != (ssize_t)sizeof(*out))
		rc = failed(io, "read", path, errno, e);
	(void)close(fd);
	return rc;
}

int host_io_list(const struct host_io *io, const char *path, struct arena *a,
		 const char ***names, size_t *n, struct err *e)
{
	int fd = open_in(io, path, O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const char **list = NULL;
	size_t count = 0, cap = 0;
	struct dirent *d;
	int rc = 0;

	*names = NULL;
	*n = 0;
	if (!dir) {
		int sys = errno;

		if (fd >= 0)
			(void)close(fd);
		return failed(io, "list", path, sys, e);
	}
	while ((errno = 0, d = readdir(dir))) {
		if (!strcmp(d->d_name, ".") || !strcmp(d->d_name, ".."))
			continue;
		mem_grow(&list, &cap, count + 1, sizeof(*list));
		list[count++] = arena_strdup(a, d->d_name);
	}
	if (errno)
		rc = failed(io, "list", path, errno, e);
	(void)closedir(dir);
	if (!rc && count) {
		qsort(list, count, sizeof(*list), by_number);
		*names = arena_dup(a, list, count, sizeof(*list));
		*n = count;
	}
	free(list);
	return rc;
}

int host_io_link(const struct host_io *io, const char *path, struct strbuf *out,
		 struct err *e)
{
	int fd = open_in(io, path, O_PATH | O_NOFOLLOW);
	char text[PATH_MAX];
	ssize_t n;
	int sys;

	strbuf_reset(out);
	if (fd < 0)
		return failed(io, "read link", path, errno, e);
	n = readlinkat(fd, "", text, sizeof(text));
	sys = errno; /* ENOENT: it is there and no link */
	(void)close(fd);
	if (n < 0)
		return failed(io, "read link", path, sys == ENOENT ? EINVAL : sys, e);
	utf8_clean(out, text, (size_t)n);
	return 0;
}

int host_io_free(const struct host_io *io, const char *path, uint64_t *bytes,
		 struct err *e)
{
	int fd = open_in(io, path, O_PATH);
	struct statvfs st;
	int rc = 0;

	if (fd < 0 || fstatvfs(fd, &st))
		rc = failed(io, "look at", path, errno, e);
	else
		*bytes = (uint64_t)st.f_bavail * st.f_frsize;
	if (fd >= 0)
		(void)close(fd);
	return rc;
}

bool host_io_exists(const struct host_io *io, const char *path)
{
	int fd = open_in(io, path, O_PATH);

	if (fd < 0)
		return false;
	(void)close(fd);
	return true;
}
