/* SPDX-License-Identifier: Apache-2.0 */
/* Marked processes, found through /proc: see procs.h. */
#include "base/procs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/strbuf.h"

/* Nobody's environment is larger: the kernel's own limit for one execve() is less. */
enum { MAX_ENVIRON = 8 << 20 };

/* Seconds; see d1.8 of the design: TERM, 2 s, KILL. */
static const double grace = 2, patience = 10, pause_s = 0.05;

static bool read_at(int dir, const char *name, struct strbuf *out)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct err ignored = {0};
	bool ok;

	strbuf_reset(out);
	if (fd < 0)
		return false;
	ok = !file_read_fd(out, fd, name, MAX_ENVIRON, &ignored);
	(void)close(fd);
	return ok;
}

static bool has_entry(const struct strbuf *env, const char *name, const char *value)
{
	size_t n = strlen(name);
	const char *p = strbuf_str(env), *end = p + env->len;

	for (; p < end; p += strlen(p) + 1) {
		if (!strncmp(p, name, n) && p[n] == '=' && !strcmp(p + n + 1, value))
			return true;
	}
	return false;
}

/* Of proc(5)'s stat: the fields we need, counted as there. */
struct process {
	pid_t group; /* 5 */
	bool kernel; /* 9, the flag PF_KTHREAD */
	bool bare;   /* 50 and 51: its environment is there, and of no bytes */
};

enum { FLAGS = 9, KERNEL_THREAD = 0x00200000, ENV_START = 50, ENV_END = 51 };

/* False when it is gone or a zombie. */
static bool alive(int dir, struct strbuf *buf, struct process *out)
{
	unsigned long env = 0;
	char *p;

	*out = (struct process){0};
	if (!read_at(dir, "stat", buf))
		return false;
	/* "PID (NAME) STATE PARENT GROUP ...", and the name may hold anything */
	p = strrchr(strbuf_str(buf), ')');
	if (!p || p[1] != ' ' || !p[2] || p[2] == 'Z' || p[2] == 'X')
		return false;
	p += 3;
	for (int field = 4; field <= ENV_END && *p; field++) {
		unsigned long v = strtoul(p, &p, 10);

		if (field == 5)
			out->group = (pid_t)v;
		else if (field == FLAGS)
			out->kernel = v & KERNEL_THREAD;
		else if (field == ENV_START)
			env = v;
		else if (field == ENV_END)
			out->bare = env && v == env;
	}
	return true;
}

/*
 * Inside execve() a process has no environment for a moment (some 0.1 ms, more on a busy
 * machine): the old one is gone, the new one not yet there; and one that was opened
 * before it is empty after. Who is looked at just then is looked at again, else a process
 * of ours is taken for a stranger. Nothing was read of one without environment when there
 * is one by now: it may be inside the next execve() already.
 */
static bool read_environ(const struct process *seen, int dir, struct strbuf *buf)
{
	static const struct timespec nap = {.tv_nsec = 1000000};
	struct process now = {.kernel = seen->kernel};

	for (int tries = 0; tries < 100; tries++) {
		if (!read_at(dir, "environ", buf))
			return false;
		if (buf->len || now.kernel || now.bare)
			return true;
		if (tries)
			(void)nanosleep(&nap, NULL);
		if (!alive(dir, buf, &now))
			return false;
	}
	return false;
}

static bool matches(const struct procs *p, int dir, struct strbuf *buf)
{
	struct process is;

	if (!alive(dir, buf, &is))
		return false;
	if (p->group > 0 && is.group == p->group)
		return true;
	return read_environ(&is, dir, buf) && has_entry(buf, "ASSAY_RUN", p->run) &&
	       (!p->child || has_entry(buf, "ASSAY_CHILD", p->child)) &&
	       (!p->spare || !has_entry(buf, "ASSAY_CHILD", p->spare));
}

/*
 * @dir is /proc/PID, which stays with the process it was opened for: reading it fails
 * once that process is reaped. The system call takes it since Linux 5.1; where there is
 * none (or a container forbids it) kill() follows a last look, and a pid is not used
 * again within that microsecond.
 */
static void send_signal(int dir, pid_t pid, int sig, struct strbuf *buf)
{
	struct process is;

#ifdef SYS_pidfd_send_signal
	if (!syscall(SYS_pidfd_send_signal, dir, sig, NULL, 0) || errno == ESRCH)
		return;
#endif
	if (alive(dir, buf, &is))
		(void)kill(pid, sig);
}

/* The number a name in /proc stands for, 0 when it is no process. */
static pid_t pid_of(const char *name)
{
	pid_t pid = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		pid = pid * 10 + (*name - '0');
	return *name ? 0 : pid;
}

size_t procs_signal(const struct procs *p, int sig)
{
	DIR *proc = opendir("/proc");
	struct strbuf buf = {0};
	const struct dirent *d;
	size_t n = 0;

	while (proc && (d = readdir(proc))) {
		pid_t pid = pid_of(d->d_name);
		int dir;

		if (pid <= 0 || pid == getpid())
			continue;
		dir = openat(dirfd(proc), d->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			continue;
		if (matches(p, dir, &buf)) {
			n++;
			if (sig)
				send_signal(dir, pid, sig, &buf);
		}
		(void)close(dir);
	}
	if (proc)
		(void)closedir(proc);
	strbuf_release(&buf);
	return n;
}

int procs_end_run(const char *run, size_t *found, struct err *e)
{
	const struct procs p = {.run = run, .spare = getenv("ASSAY_CHILD")};
	const struct timespec nap = {.tv_nsec = (long)(pause_s * 1e9)};
	double start = clock_now();
	size_t left = *found = procs_signal(&p, SIGTERM);

	while (left) {
		double t = clock_now() - start;

		if (t > grace + patience)
			return err_set(e, ERR_SYSTEM,
				       "%zu processes of run '%.64s' cannot be ended",
				       left, run);
		(void)nanosleep(&nap, NULL);
		left = procs_signal(&p, t > grace ? SIGKILL : 0);
	}
	return 0;
}
