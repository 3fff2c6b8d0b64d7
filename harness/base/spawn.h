/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Child processes, many at a time: the only fork and exec of the harness.
 *
 * A child gets a session and process group of its own (so no terminal to read a password
 * from), /dev/null as stdin, pipes as stdout and stderr, no other descriptor, default
 * signals, PR_SET_PDEATHSIG = KILL, and the marks ASSAY_RUN and ASSAY_CHILD (procs.h).
 * The controller becomes a child subreaper: what a child leaves behind comes to us and is
 * reaped here.
 *
 * A child is done when it has ended, its output is at end of file (or a second has passed
 * because something still holds a pipe) and nothing it started is left on this machine;
 * what does not end by itself within half a second after it is ended.
 * Ending one, and whatever it left behind: TERM to its group, then to every process with
 * its mark, KILL after 2 s. Only children of ours, their groups and marked processes are
 * ever signalled.
 *
 * One struct spawn at a time in a process, used by one thread: it reaps every child there
 * is, and PR_SET_PDEATHSIG follows the thread that started the child.
 */
#ifndef ASSAY_BASE_SPAWN_H
#define ASSAY_BASE_SPAWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct spawn;

enum spawn_end {
	SPAWN_EXITED,  /* by itself, whatever its status */
	SPAWN_FAILED,  /* never ran: `error` says why */
	SPAWN_TIMEOUT, /* its limit ended it */
	SPAWN_STOPPED, /* spawn_stop(), spawn_close() or its output() ended it */
};

struct spawn_result {
	enum spawn_end end;
	int exit;        /* exit status, -1 when there is none */
	int signal;      /* signal that ended the child itself, 0 none */
	int error;       /* errno of the exec or chdir that failed, 0 none */
	bool held;       /* something held its pipes a second after it had ended */
	size_t left;     /* processes it left behind, which had to be ended too */
	size_t stuck;    /* those of them, and itself, that not even KILL ended */
	double duration; /* s from the start to its end */
};

struct spawn_command {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
	const char *const *env;  /* changes, in order, NULL-terminated, may be NULL:
				    "NAME=value" sets, "NAME" removes, "NAME*" removes
				    all that begin with NAME */
	const char *cwd;         /* NULL: ours */
	double limit;            /* s until it is ended; 0 = none */
	/* @fd is 1 or 2. Not 0: end the child now, what it still prints is not wanted */
	int (*output)(void *ctx, int fd, const char *data, size_t len);
	/* once, last; may start another child */
	void (*ended)(void *ctx, const struct spawn_result *r);
	void *ctx;
};

/* @run is the value of ASSAY_RUN and must outlive the struct. */
int spawn_open(struct spawn **s, const char *run, struct err *e);

/*
 * Starts a child; nothing of @c is used after the call but the functions and ctx. -1 is
 * our own failure (no descriptor, no process). A program that cannot be run is told by
 * ended(), from the next spawn_pump() on.
 */
int spawn_start(struct spawn *s, const struct spawn_command *c, struct err *e);

/* Children that are not done. */
size_t spawn_running(const struct spawn *s);

/*
 * Waits until something happens, at most @timeout s or until a signal handler of ours
 * ran; calls output() and ended(). -1 when it cannot wait.
 */
int spawn_pump(struct spawn *s, double timeout, struct err *e);

/* Begins to end all children; spawn_pump() on until none is running. */
void spawn_stop(struct spawn *s);

/* Ends all children still there, waiting for it, calls ended(), and frees. NULL is fine.
 */
void spawn_close(struct spawn *s);

#endif
