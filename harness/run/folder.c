/* SPDX-License-Identifier: Apache-2.0 */
/* The run folder: see folder.h. */
#include "run/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"

enum { MAX_CONFIG = 16 * 1024 * 1024 };

static int take_lock(struct folder *f, struct err *e)
{
	char path[PATH_MAX + 8], host[256] = "", text[320], who[320];
	int n;

	(void)snprintf(path, sizeof(path), "%s/lock", f->path);
	f->lock_fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (f->lock_fd < 0)
		return err_sys(e, errno, "open '%s'", path);
	if (flock(f->lock_fd, LOCK_EX | LOCK_NB)) {
		int sys = errno;

		(void)close(f->lock_fd);
		f->lock_fd = -1;
		if (sys != EWOULDBLOCK)
			return err_sys(e, sys, "lock '%s'", path);
		folder_holder(f->path, who, sizeof(who));
		return err_set(e, ERR_USAGE, "run folder '%s' is in use by %s", f->path,
			       who);
	}
	(void)gethostname(host, sizeof(host) - 1);
	n = snprintf(text, sizeof(text), "pid %ld on host %s\n", (long)getpid(), host);
	if (ftruncate(f->lock_fd, 0) || pwrite(f->lock_fd, text, (size_t)n, 0) != n)
		return err_sys(e, errno, "write '%s'", path);
	return 0;
}

static bool is_empty(const char *path)
{
	DIR *d = opendir(path);
	const struct dirent *de;
	int n = 0;

	if (!d)
		return false;
	while ((de = readdir(d)))
		n += strcmp(de->d_name, ".") && strcmp(de->d_name, "..");
	(void)closedir(d);
	return !n;
}

static void default_name(char *buf, size_t size, const char *plan)
{
	time_t now = time(NULL);
	struct tm tm;
	char stamp[32] = "";

	if (localtime_r(&now, &tm))
		(void)strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm);
	(void)snprintf(buf, size, "assay-run-%s-%s", stamp, plan);
}

/* With names of its own a second run in the same second gets a suffix. */
static int make_folder(const char *path, const char *plan, char *made, struct err *e)
{
	char base[NAME_MAX];
	int why;

	if (path && !*path)
		return err_set(e, ERR_USAGE, "no name of an output folder: it is empty");
	if (path) {
		(void)snprintf(made, PATH_MAX, "%s", path);
		if (!mkdir(made, 0700))
			return 0;
		why = errno;
		if (why == EEXIST && is_empty(made))
			return 0;
		if (why == EEXIST)
			return err_set(
				e, ERR_USAGE,
				"output '%s' exists and is not an empty folder: give "
				"another, or continue a run with --resume",
				path);
		if (why == ENOENT || why == ENOTDIR)
			return err_set(e, ERR_USAGE,
				       "output '%s': the folder it is to be in does not "
				       "exist",
				       path);
		return err_sys(e, why, "make folder '%s'", path);
	}
	default_name(base, sizeof(base), plan);
	for (int i = 1; i < 100; i++) {
		(void)snprintf(made, PATH_MAX, i > 1 ? "%s.%d" : "%s", base, i);
		if (!mkdir(made, 0700))
			return 0;
		if (errno != EEXIST)
			break;
	}
	return err_sys(e, errno, "make folder '%s' here", made);
}

static int make_absolute(struct folder *f, const char *path, struct err *e)
{
	char full[PATH_MAX];

	if (!realpath(path, full))
		return err_sys(e, errno, "find '%s'", path);
	memcpy(f->path, full, sizeof(full));
	return 0;
}

int folder_create(struct folder *f, const char *path, const char *plan, struct err *e)
{
	static const char *const parts[] = {"config", "config/baselines", "config/bios",
					    "steps", "nodes"};
	char made[PATH_MAX], sub[PATH_MAX + 32];

	memset(f, 0, sizeof(*f));
	f->lock_fd = -1;
	if (make_folder(path, plan, made, e) || make_absolute(f, made, e))
		return -1;
	if (chmod(f->path, 0700))
		return err_sys(e, errno, "chmod '%s'", f->path);
	if (take_lock(f, e))
		return -1;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		(void)snprintf(sub, sizeof(sub), "%s/%s", f->path, parts[i]);
		if (mkdir(sub, 0700))
			return err_sys(e, errno, "make folder '%s'", sub);
	}
	return 0;
}

int folder_open(struct folder *f, const char *path, struct err *e)
{
	char journal[PATH_MAX + 16];

	memset(f, 0, sizeof(*f));
	f->lock_fd = -1;
	if (make_absolute(f, path, e)) {
		e->kind = ERR_USAGE;
		return -1;
	}
	(void)snprintf(journal, sizeof(journal), "%s/journal.jsonl", f->path);
	if (access(journal, F_OK))
		return err_set(e, ERR_USAGE,
			       "'%s' is no run folder: no journal.jsonl in it", path);
	return take_lock(f, e);
}

void folder_close(struct folder *f)
{
	if (f->path[0] && f->lock_fd >= 0)
		(void)close(f->lock_fd);
	f->lock_fd = -1;
}

void folder_holder(const char *path, char *who, size_t size)
{
	char lock[PATH_MAX + 8];
	ssize_t n = 0;
	int fd;

	who[0] = '\0';
	(void)snprintf(lock, sizeof(lock), "%s/lock", path);
	fd = open(lock, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK) {
		n = read(fd, who, size - 1);
		who[n > 0 ? n : 0] = '\0';
		who[strcspn(who, "\n")] = '\0';
		if (!*who)
			(void)snprintf(who, size, "another process");
	}
	(void)close(fd);
}

int folder_keep(const struct folder *f, const char *src, const char *name,
		char hash[FOLDER_HASH], struct err *e)
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned int n = 0;
	struct strbuf sb = {0};
	char to[NAME_MAX];
	int rc = -1;

	if (file_read(&sb, src, MAX_CONFIG, e))
		goto out;
	if (!EVP_Digest(strbuf_str(&sb), sb.len, sum, &n, EVP_sha256(), NULL) ||
	    n != 32) {
		err_set(e, ERR_SYSTEM, "no SHA-256 in the system's libcrypto");
		goto out;
	}
	for (unsigned int i = 0; i < n; i++)
		(void)snprintf(hash + 2 * (size_t)i, 3, "%02x", sum[i]);
	(void)snprintf(to, sizeof(to), "config/%s", name);
	rc = folder_write(f, to, strbuf_str(&sb), sb.len, e);
out:
	strbuf_release(&sb);
	return rc;
}

int folder_write(const struct folder *f, const char *name, const void *data, size_t len,
		 struct err *e)
{
	char path[2 * PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/%s", f->path, name);
	return file_save(path, data, len, e);
}
