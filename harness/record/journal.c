/* SPDX-License-Identifier: Apache-2.0 */
/* The journal file: see journal.h. */
#include "record/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

struct journal {
	struct record_sink sink; /* first: journal_sink() and sink_put() cast */
	int fd;
	off_t size;
	struct strbuf line;
	char path[PATH_MAX];
};

static int sink_put(struct record_sink *sink, const struct record *r, struct err *e)
{
	return journal_put((struct journal *)sink, r, e);
}

/* Length of the file up to and with the last newline. */
static int whole_lines(int fd, off_t *size, struct err *e)
{
	char buf[4096];
	off_t end = lseek(fd, 0, SEEK_END);

	while (end > 0) {
		off_t from = end > (off_t)sizeof(buf) ? end - (off_t)sizeof(buf) : 0;
		ssize_t n = pread(fd, buf, (size_t)(end - from), from);
		const char *nl;

		if (n != end - from)
			return err_sys(e, errno, "read the end of the journal");
		nl = memrchr(buf, '\n', (size_t)n);
		if (nl) {
			end = from + (nl - buf) + 1;
			break;
		}
		end = from;
	}
	*size = end;
	return end < 0 ? err_sys(e, errno, "seek in the journal") : 0;
}

int journal_open(struct journal **out, const char *dir, bool resume, struct err *e)
{
	struct journal *j = mem_calloc(1, sizeof(*j));
	int flags = O_RDWR | O_CLOEXEC | (resume ? 0 : O_CREAT | O_EXCL);

	*out = NULL;
	j->sink.put = sink_put;
	(void)snprintf(j->path, sizeof(j->path), "%s/journal.jsonl", dir);
	j->fd = open(j->path, flags, 0600);
	if (j->fd < 0) {
		err_sys(e, errno, "open '%s'", j->path);
		free(j);
		return -1;
	}
	if (whole_lines(j->fd, &j->size, e))
		goto fail;
	if (ftruncate(j->fd, j->size) || lseek(j->fd, j->size, SEEK_SET) < 0) {
		err_sys(e, errno, "cut the torn end of '%s'", j->path);
		goto fail;
	}
	*out = j;
	return 0;
fail:
	journal_close(j);
	return -1;
}

struct record_sink *journal_sink(struct journal *j)
{
	return &j->sink;
}

int journal_put(struct journal *j, const struct record *r, struct err *e)
{
	struct record stamped = *r;
	size_t done = 0;

	stamped.t = clock_wall();
	strbuf_reset(&j->line);
	record_encode(&stamped, &j->line);
	strbuf_addch(&j->line, '\n');
	while (done < j->line.len) {
		ssize_t n = write(j->fd, j->line.buf + done, j->line.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int sys = n < 0 ? errno : ENOSPC;

			/* half a record must not meet the next one */
			if (ftruncate(j->fd, j->size))
				sys = errno;
			(void)lseek(j->fd, j->size, SEEK_SET);
			return err_sys(e, sys, "write '%s'", j->path);
		}
		done += (size_t)n;
	}
	j->size += (off_t)done;
	return 0;
}

int journal_sync(struct journal *j, struct err *e)
{
	if (fdatasync(j->fd))
		return err_sys(e, errno, "sync '%s'", j->path);
	return 0;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	(void)close(j->fd);
	strbuf_release(&j->line);
	free(j);
}

int journal_read(const char *dir, struct names *texts,
		 int (*fn)(void *ctx, const struct record *r, struct err *e), void *ctx,
		 size_t *damaged, struct err *e)
{
	char path[PATH_MAX];
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int rc = 0;
	FILE *f;

	*damaged = 0;
	(void)snprintf(path, sizeof(path), "%s/journal.jsonl", dir);
	f = fopen(path, "re");
	if (!f) {
		int sys = errno;

		err_sys(e, sys, "open '%s'", path);
		if (sys == ENOENT || sys == ENOTDIR)
			e->kind = ERR_NOTFOUND;
		return -1;
	}
	while (!rc && (len = getline(&line, &cap, f)) > 0) {
		struct record r;
		struct err why = {0};

		if (line[len - 1] != '\n')
			break;
		if (record_read(line, (size_t)len - 1, texts, &r, &why))
			(*damaged)++;
		else
			rc = fn(ctx, &r, e);
	}
	if (!rc && ferror(f))
		rc = err_sys(e, EIO, "read '%s'", path);
	free(line);
	(void)fclose(f);
	return rc;
}
