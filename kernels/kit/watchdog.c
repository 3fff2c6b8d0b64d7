/* SPDX-License-Identifier: Apache-2.0 */
/* The watchdog: see watchdog.h. */
#include "kernels/kit/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

/*
 * State of the process, as its timer is: a signal handler is given nothing else. The
 * line is prepared beforehand; the handler only joins and writes it.
 */
static char line[256];
static size_t line_len;
static const char *volatile phase = "start";

static void expired(int sig)
{
	const char *p = phase;
	size_t n = line_len;

	(void)sig;
	while (*p && n < sizeof(line) - 1)
		line[n++] = *p++;
	line[n++] = '\n';
	(void)!write(STDERR_FILENO, line, n); /* nothing is left to do if it fails */
	_exit(WATCHDOG_EXIT);
}

void watchdog_phase(const char *p)
{
	phase = p;
}

int watchdog_arm(const char *kernel, double limit, struct err *e)
{
	/* 30 years are for ever, and fit a timer */
	const double at = (limit < 1e9 ? limit : 1e9) + WATCHDOG_GRACE;
	struct sigaction sa = {.sa_handler = expired};
	struct itimerval timer = {.it_interval = {.tv_sec = 1}};
	sigset_t set;
	int n;

	if (limit <= 0)
		return 0;
	n = snprintf(line, sizeof(line) - 32,
		     "assay-%s: pid %ld ended by its watchdog %d s after its limit of %g "
		     "s, in ",
		     kernel, (long)getpid(), WATCHDOG_GRACE, limit);
	line_len = n < 0 ? 0 : (size_t)n;
	timer.it_value.tv_sec = (time_t)at;
	timer.it_value.tv_usec = (suseconds_t)((at - (double)(time_t)at) * 1e6);
	/* a parent may have left it blocked, and then it would be for ever */
	if (sigemptyset(&set) || sigaddset(&set, SIGALRM) ||
	    sigprocmask(SIG_UNBLOCK, &set, NULL) || sigfillset(&sa.sa_mask) ||
	    sigaction(SIGALRM, &sa, NULL) || setitimer(ITIMER_REAL, &timer, NULL))
		return err_sys(e, errno, "watchdog cannot be armed");
	return 0;
}
