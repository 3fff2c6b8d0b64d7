/* SPDX-License-Identifier: Apache-2.0 */
/* bed-enter: runs a command inside a testbed node from outside, past all its networks. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what, const char *name)
{
	(void)fprintf(stderr, "bed-enter: %s '%s': %s\n", what, name, strerror(errno));
	exit(125);
}

/* Field 22 of /proc/PID/stat, in clock ticks after boot; -1 when the process is gone. */
static long long start_time(const char *pid)
{
	char path[64], line[1024], *p;
	long long t = -1;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	p = fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
	(void)fclose(f);
	/* after the name, which may hold anything: field 3 */
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p)
		t = strtoll(p, NULL, 10);
	return t;
}

/* A pid can be reused, a pidfd cannot: so the start time is looked at after opening. */
static int open_process(const char *pid, const char *started)
{
	int fd = (int)syscall(SYS_pidfd_open, strtol(pid, NULL, 10), 0);

	if (fd < 0)
		fail("no process", pid);
	if (start_time(pid) != strtoll(started, NULL, 10)) {
		errno = ESRCH;
		fail("no process", pid);
	}
	return fd;
}

static void join_cgroup(const char *group)
{
	char path[4096];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, "0", 1) != 1)
		fail("cannot join", path);
	(void)close(fd);
}

/* Signals that somebody sent to us are meant for the command; a terminal's reach it. */
static int wait_for(pid_t child, const sigset_t *signals)
{
	siginfo_t info;
	int status;

	for (;;) {
		int n = sigwaitinfo(signals, &info);

		if (n == SIGCHLD && waitpid(child, &status, WNOHANG) == child)
			return status;
		if (n > 0 && n != SIGCHLD && info.si_code <= 0)
			(void)kill(child, n);
	}
}

static void enter(int process)
{
	char *cwd = getcwd(NULL, 0);

	if (setns(process, CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET |
				   CLONE_NEWPID))
		fail("cannot enter", "the node's namespaces");
	if ((!cwd || chdir(cwd)) && chdir("/"))
		fail("cannot change to", "/");
	free(cwd);
	/* folders of the outside that the node need not have */
	if (unsetenv("TMPDIR") || unsetenv("XDG_RUNTIME_DIR"))
		fail("cannot change", "environment");
}

int main(int argc, char **argv)
{
	static const int passed[] = {SIGCHLD, SIGHUP,  SIGINT, SIGQUIT,
				     SIGTERM, SIGUSR1, SIGUSR2};
	sigset_t signals, before;
	int status;
	pid_t child;

	if (argc < 5) {
		(void)fprintf(stderr, "usage: bed-enter PID START CGROUP COMMAND...\n"
				      "is called by 'bed exec' and 'bed head'\n");
		return 125;
	}
	(void)sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(passed) / sizeof(*passed); i++)
		(void)sigaddset(&signals, passed[i]);
	(void)sigprocmask(SIG_BLOCK, &signals, &before);
	join_cgroup(argv[3]);
	enter(open_process(argv[1], argv[2]));
	child = fork();
	if (child < 0)
		fail("cannot start", argv[4]);
	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)sigprocmask(SIG_SETMASK, &before, NULL);
		(void)execvp(argv[4], argv + 4);
		(void)fprintf(stderr, "bed-enter: '%s': %s\n", argv[4], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	status = wait_for(child, &signals);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* die as the command did */
	(void)signal(WTERMSIG(status), SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
	(void)raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}
