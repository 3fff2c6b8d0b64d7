/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kills a program after its n-th change of the disk: each write, rename, sync, cut, new
 * file or folder it makes is one point. By ptrace, so that nothing in the program knows;
 * its children are not traced.
 *
 *     killpoint count -- COMMAND...     runs it, prints the number of points
 *     killpoint N -- COMMAND...         SIGKILL right after point N
 *
 * Exit status: that of the command, 137 when it was killed, 125 for own trouble.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

enum { TROUBLE = 125, KILLED = 137 };

static bool is_point(const struct ptrace_syscall_info *entry)
{
	switch (entry->entry.nr) {
	case SYS_write:
	case SYS_pwrite64:
	case SYS_writev:
	case SYS_fsync:
	case SYS_fdatasync:
	case SYS_ftruncate:
	case SYS_renameat:
	case SYS_renameat2:
	case SYS_mkdirat:
	case SYS_unlinkat:
#ifdef SYS_rename
	case SYS_rename:
	case SYS_mkdir:
	case SYS_unlink:
#endif
		return true;
	case SYS_openat:
		return entry->entry.args[2] & O_CREAT;
	default:
		return false;
	}
}

static int start(char **argv, pid_t *pid)
{
	int status;

	*pid = fork();
	if (*pid < 0)
		return -1;
	if (*pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) || raise(SIGSTOP))
			_exit(TROUBLE);
		execvp(argv[0], argv);
		_exit(TROUBLE);
	}
	if (waitpid(*pid, &status, 0) != *pid || !WIFSTOPPED(status))
		return -1;
	if (ptrace(PTRACE_SETOPTIONS, *pid, NULL,
		   (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)))
		return -1;
	return ptrace(PTRACE_SYSCALL, *pid, NULL, NULL) ? -1 : 0;
}

/* One stop at a system call: counts at its exit. True when @kill_at was reached. */
static bool at_syscall(pid_t pid, bool *inside, long *points, long kill_at)
{
	struct ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info) <= 0)
		return false;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		*inside = is_point(&info);
		return false;
	}
	if (info.op != PTRACE_SYSCALL_INFO_EXIT || !*inside)
		return false;
	*inside = false;
	return ++*points == kill_at;
}

static int trace(pid_t pid, long kill_at, long *points)
{
	bool inside = false;
	int status;

	while (waitpid(pid, &status, 0) == pid) {
		int sig = 0;

		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			return 128 + WTERMSIG(status);
		if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			if (at_syscall(pid, &inside, points, kill_at)) {
				(void)kill(pid, SIGKILL);
				(void)waitpid(pid, &status, 0);
				return KILLED;
			}
		} else if (WSTOPSIG(status) != SIGTRAP) {
			sig = WSTOPSIG(status);
		}
		if (ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(long)sig) &&
		    errno != ESRCH)
			return TROUBLE;
	}
	return TROUBLE;
}

int main(int argc, char **argv)
{
	long kill_at, points = 0;
	pid_t pid;
	int rc;

	if (argc < 4 || strcmp(argv[2], "--") != 0) {
		(void)fprintf(stderr, "usage: killpoint count|N -- COMMAND...\n");
		return TROUBLE;
	}
	kill_at = strcmp(argv[1], "count") ? strtol(argv[1], NULL, 10) : 0;
	if (start(argv + 3, &pid)) {
		perror("killpoint");
		return TROUBLE;
	}
	rc = trace(pid, kill_at, &points);
	if (!kill_at)
		(void)printf("%ld\n", points);
	return rc;
}
