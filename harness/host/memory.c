/* SPDX-License-Identifier: Apache-2.0 */
/* Usable memory: see memory.h. */
#include "host/memory.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/units.h"

#define PROC_MAX ((size_t)1 << 20)

static void limit(struct host_memory *m, uint64_t bytes, const char *what,
		  const char *where)
{
	if (bytes >= m->usable)
		return;
	m->usable = bytes;
	if (where)
		(void)snprintf(m->from, sizeof(m->from), "%s of '%s'", what, where);
	else
		(void)snprintf(m->from, sizeof(m->from), "%s", what);
}

/* The decimal number at the start of @s; false when there is none. */
static bool number(const char *s, uint64_t *v)
{
	s += strspn(s, " \t");
	errno = 0;
	*v = isdigit((unsigned char)*s) ? strtoull(s, NULL, 10) : 0;
	return isdigit((unsigned char)*s) && !errno;
}

/* What follows "KEY:" in meminfo, up to the end of the line; NULL when absent. */
static const char *field(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *s = text; s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (!strncmp(s, key, len) && s[len] == ':')
			return s + len + 1;
	}
	return NULL;
}

/* "KEY: n kB" in bytes; false when absent or absurd. */
static bool kilobytes(const char *text, const char *key, uint64_t *bytes)
{
	const char *s = field(text, key);
	struct strbuf value = {0};
	struct err e = {0};
	int64_t v = 0;
	bool ok;

	if (s)
		host_io_clean(&value, s, strcspn(s, "\n"), 64);
	ok = s && !units_meminfo(strbuf_str(&value), &v, &e);
	strbuf_release(&value);
	if (ok)
		*bytes = (uint64_t)v;
	return ok;
}

/* "KEY: n" pages of @size bytes; 0 when absent or absurd. */
static uint64_t pages(const char *text, const char *key, uint64_t size)
{
	const char *s = field(text, key);
	uint64_t n;

	return s && number(s, &n) && n <= UINT64_MAX / size ? n * size : 0;
}

static int meminfo(const struct host_io *io, struct host_memory *m, struct err *e)
{
	struct strbuf text = {0};
	uint64_t size, swap;
	const char *s;
	int rc = -1;

	if (host_io_read(io, "/proc/meminfo", PROC_MAX, &text, e))
		goto out;
	s = strbuf_str(&text);
	(void)kilobytes(s, "MemTotal", &m->total);
	if (kilobytes(s, "MemAvailable", &m->available)) {
		limit(m, m->available, "MemAvailable", NULL);
	} else if (kilobytes(s, "MemFree", &m->available)) {
		limit(m, m->available, "MemFree", NULL);
	} else {
		err_set(e, ERR_SYSTEM,
			"'/proc/meminfo' has no usable 'MemAvailable' or 'MemFree'");
		goto out;
	}
	if (kilobytes(s, "SwapTotal", &size) && kilobytes(s, "SwapFree", &swap) &&
	    size > swap)
		m->swap_used = size - swap;
	if (kilobytes(s, "Hugepagesize", &size) && size) {
		m->hugepage_size = size;
		m->hugepages = pages(s, "HugePages_Total", size);
		m->hugepages_free = pages(s, "HugePages_Free", size);
	}
	if (m->total >= m->hugepages)
		limit(m, m->total ? m->total - m->hugepages : UINT64_MAX,
		      "MemTotal without huge pages", NULL);
	rc = 0;
out:
	strbuf_release(&text);
	return rc;
}

/* A limit file; "max" and a missing file (the root group has none) are no limit. */
static void limit_file(const struct host_io *io, const char *dir, const char *name,
		       const char *group, struct host_memory *m)
{
	char path[PATH_MAX];
	struct strbuf line = {0};
	struct err e = {0};
	uint64_t v;
	int n = snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (n < 0 || (size_t)n >= sizeof(path)) {
		(void)snprintf(m->unreadable, sizeof(m->unreadable),
			       "path of %s too long", name);
		return;
	}
	if (!host_io_line(io, path, &line, &e)) {
		if (number(strbuf_str(&line), &v))
			limit(m, v, name, group);
		else if (strcmp(strbuf_str(&line), "max") != 0)
			(void)snprintf(m->unreadable, sizeof(m->unreadable),
				       "'%.150s' holds '%.40s'", path, strbuf_str(&line));
	} else if (e.kind != ERR_NOTFOUND) {
		(void)snprintf(m->unreadable, sizeof(m->unreadable), "%.250s", e.msg);
	}
	strbuf_release(&line);
}

/* The limits of @group and of every group above it, in the hierarchy mounted at @mount.
 */
static void limit_path(const struct host_io *io, const char *mount, const char *group,
		       bool v2, struct host_memory *m)
{
	char dir[PATH_MAX];
	size_t top = strlen(mount);
	int n = snprintf(dir, sizeof(dir), "%s%s", mount, group);

	if (n < 0 || (size_t)n >= sizeof(dir)) {
		(void)snprintf(m->unreadable, sizeof(m->unreadable),
			       "path of the control group too long");
		return;
	}
	for (;;) {
		const char *name = dir[top] ? dir + top : "/";
		char *slash;

		if (v2) {
			limit_file(io, dir, "memory.max", name, m);
			limit_file(io, dir, "memory.high", name, m);
		} else {
			limit_file(io, dir, "memory.limit_in_bytes", name, m);
		}
		slash = strrchr(dir + top, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
}

/* Is @word one of the items of the comma list @list? */
static bool listed(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (const char *s = list; s; s = strchr(s, ',')) {
		s += *s == ',';
		if (!strncmp(s, word, len) && (!s[len] || s[len] == ','))
			return true;
	}
	return false;
}

/* Undoes \040 and the like in place, as mountinfo writes blanks. */
static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' &&
		    s[2] <= '7' && s[3] >= '0' && s[3] <= '7') {
			*out++ =
				(char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + s[3] - '0');
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

/* One line of mountinfo (proc(5)) cut into what is needed; false for other mounts. */
static bool memory_mount(char *line, bool v2, char **root, char **mount)
{
	char *save, *word, *super;
	char *dash = strstr(line, " - ");

	if (!dash)
		return false;
	*dash = '\0';
	word = strtok_r(dash + 3, " ", &save);
	(void)strtok_r(NULL, " ", &save);
	super = strtok_r(NULL, " ", &save);
	if (!word || strcmp(word, v2 ? "cgroup2" : "cgroup") != 0)
		return false;
	if (!v2 && (!super || !listed(super, "memory")))
		return false;
	word = strtok_r(line, " ", &save);
	for (int i = 0; word && i < 3; i++)
		word = strtok_r(NULL, " ", &save);
	*root = word;
	*mount = word ? strtok_r(NULL, " ", &save) : NULL;
	if (!*mount)
		return false;
	unescape(*root);
	unescape(*mount);
	return true;
}

/*
 * @group as seen below a mount whose root is @root (another group than "/" in a
 * container that keeps the host's names), NULL when it is not below it.
 */
static const char *below(const char *group, const char *root)
{
	size_t len = strcmp(root, "/") != 0 ? strlen(root) : 0;

	if (strncmp(group, root, len) != 0 || (group[len] && group[len] != '/'))
		return NULL;
	group += len;
	if (!strcmp(group, "/") || !strncmp(group, "/..", 3))
		return "";
	return group;
}

static void limit_mounts(const struct host_io *io, const char *mountinfo,
			 const char *group, bool v2, struct host_memory *m)
{
	struct arena a = {0};
	char *text = arena_strdup(&a, mountinfo), *save, *first = NULL;

	for (char *line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *root, *mount;
		const char *rel;

		if (!memory_mount(line, v2, &root, &mount))
			continue;
		rel = below(group, root);
		if (rel) {
			limit_path(io, mount, rel, v2, m);
			first = NULL;
			break;
		}
		first = first ? first : mount;
	}
	/* not below any mount (an outer namespace's name): the mount is all there is */
	if (first)
		limit_path(io, first, "", v2, m);
	arena_release(&a);
}

/* Lines "id:controllers:path" of /proc/self/cgroup; v2 has id 0 and no controllers. */
static void limit_groups(const struct host_io *io, struct host_memory *m)
{
	struct strbuf groups = {0}, mounts = {0};
	struct err e = {0};
	char *save, *line;

	if (host_io_read(io, "/proc/self/cgroup", PROC_MAX, &groups, &e) ||
	    host_io_read(io, "/proc/self/mountinfo", 8 * PROC_MAX, &mounts, &e)) {
		if (e.kind != ERR_NOTFOUND)
			(void)snprintf(m->unreadable, sizeof(m->unreadable), "%.250s",
				       e.msg);
		goto out;
	}
	line = groups.len ? strtok_r(groups.buf, "\n", &save) : NULL;
	for (; line; line = strtok_r(NULL, "\n", &save)) {
		char *list = strchr(line, ':');
		char *path = list ? strchr(list + 1, ':') : NULL;
		bool v2;

		if (!path)
			continue;
		*list++ = '\0';
		*path++ = '\0';
		v2 = !strcmp(line, "0") && !*list;
		if (v2 || listed(list, "memory"))
			limit_mounts(io, strbuf_str(&mounts), path, v2, m);
	}
out:
	strbuf_release(&groups);
	strbuf_release(&mounts);
}

/* The soft limits that stop malloc(): since Linux 4.7 "data" counts private maps too. */
static void limit_process(const struct host_io *io, struct host_memory *m)
{
	static const char *const rows[][2] = {
		{"Max address space", "address space limit (ulimit -v)"},
		{"Max data size", "data size limit (ulimit -d)"},
	};
	struct strbuf text = {0};
	struct err e = {0};
	uint64_t v;

	if (host_io_read(io, "/proc/self/limits", PROC_MAX, &text, &e)) {
		if (e.kind != ERR_NOTFOUND)
			(void)snprintf(m->unreadable, sizeof(m->unreadable), "%.250s",
				       e.msg);
	}
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *row = strstr(strbuf_str(&text), rows[i][0]);

		if (row && number(row + strlen(rows[i][0]), &v))
			limit(m, v, rows[i][1], NULL);
	}
	strbuf_release(&text);
}

int host_usable_memory(const struct host_io *io, struct host_memory *m, struct err *e)
{
	memset(m, 0, sizeof(*m));
	m->usable = UINT64_MAX;
	if (meminfo(io, m, e)) {
		m->usable = 0;
		return -1;
	}
	limit_groups(io, m);
	limit_process(io, m);
	return 0;
}

int64_t host_oom_kills(const struct host_io *io)
{
	static const char key[] = "oom_kill ";
	struct strbuf text = {0};
	struct err e = {0};
	int64_t kills = -1;
	uint64_t v;

	if (host_io_read(io, "/proc/vmstat", PROC_MAX, &text, &e))
		strbuf_reset(&text);
	for (const char *s = strbuf_str(&text); s; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (!strncmp(s, key, sizeof(key) - 1) &&
		    number(s + sizeof(key) - 1, &v) && v <= INT64_MAX)
			kills = (int64_t)v;
	}
	strbuf_release(&text);
	return kills;
}
