/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files: see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
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
