/* SPDX-License-Identifier: Apache-2.0 */
/* What a test left behind: see left.h. */
#include "left.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static size_t slurp(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(buf, 1, size - 1, f) : 0;

	buf[n] = '\0';
	if (f)
		(void)fclose(f);
	return n;
}

static bool stat_of(pid_t pid, char *state, pid_t *parent)
{
	char path[64], buf[1024];
	const char *p;

	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	(void)slurp(path, buf, sizeof(buf));
	p = strrchr(buf, ')');
	if (!p || strlen(p) < 4)
		return false;
	*state = p[2];
	*parent = (pid_t)strtol(p + 3, NULL, 10);
	return true;
}

static bool marked(pid_t pid, const char *run)
{
	static char env[1 << 20];
	char path[64], entry[256];
	size_t n;

	(void)snprintf(path, sizeof(path), "/proc/%ld/environ", (long)pid);
	(void)snprintf(entry, sizeof(entry), "ASSAY_RUN=%s", run);
	n = slurp(path, env, sizeof(env));
	return memmem(env, n, entry, strlen(entry) + 1) != NULL;
}

static size_t count(bool (*want)(pid_t pid, const void *arg), const void *arg)
{
	DIR *d = opendir("/proc");
	const struct dirent *entry;
	size_t n = 0;

	while (d && (entry = readdir(d))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		n += pid > 0 && want(pid, arg);
	}
	if (d)
		(void)closedir(d);
	return n;
}

static bool want_marked(pid_t pid, const void *run)
{
	return left_alive(pid) && marked(pid, run);
}

size_t left_marked(const char *run)
{
	return count(want_marked, run);
}

static bool want_child(pid_t pid, const void *unused)
{
	pid_t parent;
	char state;

	(void)unused;
	return stat_of(pid, &state, &parent) && parent == getpid();
}

size_t left_children(void)
{
	return count(want_child, NULL);
}

size_t left_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	size_t n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		(void)closedir(d);
	return n - 3; /* ".", ".." and this very folder */
}

bool left_alive(pid_t pid)
{
	pid_t parent;
	char state;

	return stat_of(pid, &state, &parent) && state != 'Z' && state != 'X';
}

bool left_gone(pid_t pid, double seconds)
{
	const struct timespec nap = {.tv_nsec = 20000000};

	for (double t = 0; t < seconds && left_alive(pid); t += 0.02)
		(void)nanosleep(&nap, NULL);
	return !left_alive(pid);
}
