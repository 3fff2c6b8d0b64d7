/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of a step: see stepdir.h. */
#include "run/stepdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strbuf.h"

/* Names come from plans and site files: nothing but these goes into a path. */
static void add_safe(struct strbuf *sb, const char *name)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789._-";
	enum { LONGEST = 80 };

	for (size_t i = 0; i < LONGEST && name[i]; i++)
		strbuf_add(sb, strchr(safe, name[i]) ? &name[i] : "-", 1);
}

const char *stepdir_path(const char *dir, const struct step *s, struct arena *a)
{
	struct strbuf sb = {0};
	const char *path;

	strbuf_addf(&sb, "%s/steps/%03lld-", dir, (long long)s->id);
	add_safe(&sb, s->name);
	if (s->attempt > 1)
		strbuf_addf(&sb, ".%lld", (long long)s->attempt);
	path = arena_strdup(a, strbuf_str(&sb));
	strbuf_release(&sb);
	return path;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : ENOSPC;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

static int create(const char *dir, const char *name, struct err *e)
{
	struct strbuf path = {0};
	int fd;

	strbuf_addf(&path, "%s/%s", dir, name);
	fd = open(strbuf_str(&path),
		  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		err_sys(e, errno, "create '%s'", strbuf_str(&path));
	strbuf_release(&path);
	return fd;
}

static int write_file(const char *dir, const char *name, const char *text, struct err *e)
{
	int fd = create(dir, name, e), sys;

	if (fd < 0)
		return -1;
	sys = write_all(fd, text, strlen(text));
	if (close(fd) && !sys)
		sys = errno;
	return sys ? err_sys(e, sys, "write '%s/%s'", dir, name) : 0;
}

/* What to type to do the same: the changes of the environment, then the words. */
static int write_command(const char *path, const struct command *c, struct err *e)
{
	struct arena a = {0};
	struct words w = {0};
	const char *text;
	int rc;

	if (c->env && c->env[0])
		words_add(&w, &a, "env");
	for (size_t i = 0; c->env && c->env[i]; i++) {
		/* env has no word for "all that begin with": those are left as they are
		 */
		if (strchr(c->env[i], '=') || strchr(c->env[i], '*'))
			continue;
		words_add(&w, &a, "-u");
		words_add(&w, &a, c->env[i]);
	}
	for (size_t i = 0; c->env && c->env[i]; i++) {
		if (strchr(c->env[i], '='))
			words_add(&w, &a, c->env[i]);
	}
	for (size_t i = 0; c->argv[i]; i++)
		words_add(&w, &a, c->argv[i]);
	text = arena_printf(&a, "%s\n", words_quote(&a, w.items, w.n));
	rc = write_file(path, "command", text, e);
	arena_release(&a);
	return rc;
}

static int make_folder(const char *path, struct err *e)
{
	struct strbuf parent = {0};
	int rc = 0;

	strbuf_add(&parent, path, (size_t)(strrchr(path, '/') - path));
	if (mkdir(strbuf_str(&parent), 0700) && errno != EEXIST)
		rc = err_sys(e, errno, "make folder '%s'", strbuf_str(&parent));
	/* it is there when a crash came between its making and the started record */
	if (!rc && mkdir(path, 0700) && errno != EEXIST)
		rc = err_sys(e, errno, "make folder '%s'", path);
	strbuf_release(&parent);
	return rc;
}

int stepdir_open(struct stepdir *d, const char *path, const struct command *c,
		 struct err *e)
{
	*d = (struct stepdir){.fds = {-1, -1}};
	if (make_folder(path, e) || write_command(path, c, e))
		return -1;
	for (size_t i = 0; i < c->n_files; i++) {
		if (write_file(path, c->files[i].name, c->files[i].content, e))
			return -1;
	}
	d->fds[0] = create(path, "stdout", e);
	if (d->fds[0] >= 0)
		d->fds[1] = create(path, "stderr", e);
	if (d->fds[1] >= 0)
		return 0;
	stepdir_close(d);
	return -1;
}

void stepdir_add(struct stepdir *d, int fd, const char *data, size_t len)
{
	size_t *size = &d->size[fd - 1];
	size_t room = *size < STEPDIR_KEEP ? STEPDIR_KEEP - *size : 0;

	*size += len;
	if (len > room)
		len = room;
	if (!d->error && len)
		d->error = write_all(d->fds[fd - 1], data, len);
}

void stepdir_close(struct stepdir *d)
{
	for (int i = 0; i < 2; i++) {
		char text[80];

		if (d->fds[i] < 0)
			continue;
		if (d->size[i] > STEPDIR_KEEP && !d->error) {
			int n = snprintf(text, sizeof(text),
					 "\n[cut here: %zu bytes came]\n", d->size[i]);

			d->error = write_all(d->fds[i], text, (size_t)n);
		}
		if (close(d->fds[i]) && !d->error)
			d->error = errno;
		d->fds[i] = -1;
	}
}
