/* SPDX-License-Identifier: Apache-2.0 */
/* Child processes: see spawn.h. */
#include "base/spawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/procs.h"

/* Seconds: how an end goes (d1.8 of the design), and how often we look in between. */
static const double term_others = 1, kill_after = 2, give_up = 10, look = 0.05;
/* Seconds something may hold the pipes of a child that has ended. */
static const double drain = 1;
/*
 * Seconds in which what a child started may end by itself after it: mpirun does not wait
 * for the srun that held its daemons in Slurm, which takes 15 to 50 ms more (measured).
 */
static const double grace = 1;

/* Reads of one descriptor before another's turn. */
enum { CHUNK = 65536, TURNS = 16 };

enum { OUT, ERR, EXEC, N_FDS }; /* EXEC: errno of a failed exec, closed by a good one */

struct child {
	struct spawn_command c; /* functions, ctx and limit */
	struct spawn_result r;
	pid_t pid;
	char mark[48]; /* ASSAY_CHILD */
	int fds[N_FDS];
	double started;
	bool exited, reaped;
	double exited_at;
	bool ending; /* TERM was sent */
	double ending_at;
	bool others_told;
	double look_at; /* next look at what is left */
	bool done;
};

struct spawn {
	const char *run;
	struct child **children;
	size_t n, cap;
	unsigned serial;
	struct pollfd *polls; /* N_FDS a child */
	size_t cap_polls;
	char *chunk;
	int was_subreaper;
	sigset_t was_mask, wait_mask; /* wait_mask lets SIGCHLD in */
	struct sigaction was_action;
};

static void on_child(int sig)
{
	(void)sig; /* it only has to interrupt ppoll() */
}

int spawn_open(struct spawn **out, const char *run, struct err *e)
{
	struct spawn *s = mem_calloc(1, sizeof(*s));
	struct sigaction action = {.sa_handler = on_child};
	sigset_t set;

	*out = NULL;
	s->run = run;
	if (prctl(PR_GET_CHILD_SUBREAPER, &s->was_subreaper) ||
	    prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		err_sys(e, errno, "cannot become the reaper of descendants");
		free(s);
		return -1;
	}
	s->chunk = mem_calloc(CHUNK, 1);
	/* SIGCHLD comes in while we wait and at no other time: no end is missed */
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGCHLD, &action, &s->was_action);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &set, &s->was_mask);
	s->wait_mask = s->was_mask;
	(void)sigdelset(&s->wait_mask, SIGCHLD);
	*out = s;
	return 0;
}

/* Environment */

static bool env_matches(const char *entry, const char *name, size_t len)
{
	if (len && name[len - 1] == '*')
		return !strncmp(entry, name, len - 1);
	return !strncmp(entry, name, len) && entry[len] == '=';
}

static void env_change(char **env, size_t *n, const char *change)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++) {
		if (!env_matches(env[i], change, strcspn(change, "=")))
			env[kept++] = env[i];
	}
	*n = kept;
	if (strchr(change, '='))
		env[(*n)++] = (char *)change;
}

/* Our environment with the marks and the changes; the array and the marks are in @a. */
static char **make_env(const struct spawn *s, const struct child *ch,
		       const char *const *changes, struct arena *a)
{
	size_t n = 0, n_changes = 0;
	char **env;

	while (environ && environ[n])
		n++;
	while (changes && changes[n_changes])
		n_changes++;
	env = arena_alloc(a, n + n_changes + 3, sizeof(*env));
	for (size_t i = 0; i < n; i++)
		env[i] = environ[i];
	for (size_t i = 0; i < n_changes; i++)
		env_change(env, &n, changes[i]);
	env_change(env, &n, arena_printf(a, "ASSAY_RUN=%s", s->run));
	env_change(env, &n, arena_printf(a, "ASSAY_CHILD=%s", ch->mark));
	env[n] = NULL;
	return env;
}

/* Pipes */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* Above stderr even when we were started without 0, 1 or 2. */
static int lift(int fd)
{
	int up = fd;

	if (fd >= 0 && fd <= STDERR_FILENO) {
		up = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		(void)close(fd);
	}
	return up;
}

/* ours[i] is the end we read, theirs[i] the child's; all close on exec. */
static int open_pipes(int *ours, int *theirs)
{
	for (int i = 0; i < N_FDS; i++)
		ours[i] = theirs[i] = -1;
	for (int i = 0; i < N_FDS; i++) {
		int p[2];

		if (pipe2(p, O_CLOEXEC))
			return -1;
		ours[i] = lift(p[0]);
		theirs[i] = lift(p[1]);
		if (ours[i] < 0 || theirs[i] < 0)
			return -1;
		(void)fcntl(ours[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

/* The child between fork and exec: system calls only. */

struct launch {
	char *const *argv, *const *env;
	const char *cwd;
	int theirs[N_FDS];
	int last_fd; /* the highest that is open; `null` may get the next one */
	pid_t parent;
};

static void default_signals(void)
{
	const struct sigaction def = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		(void)sigaction(i, &def, NULL); /* some cannot be changed */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

_Noreturn static void child_fails(const struct launch *l, int sys)
{
	ssize_t n = write(l->theirs[EXEC], &sys, sizeof(sys));

	_exit(n == sizeof(sys) ? 127 : 126);
}

_Noreturn static void child_main(const struct launch *l)
{
	int null;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != l->parent)
		_exit(127); /* it died before the line above */
	(void)setsid();
	default_signals();
	null = open("/dev/null", O_RDWR);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(l->theirs[OUT], STDOUT_FILENO) < 0 ||
	    dup2(l->theirs[ERR], STDERR_FILENO) < 0)
		child_fails(l, errno);
	for (int fd = STDERR_FILENO + 1; fd <= l->last_fd + 1; fd++) {
		if (fd != l->theirs[EXEC])
			(void)close(fd);
	}
	if (l->cwd && chdir(l->cwd))
		child_fails(l, errno);
	(void)execvpe(l->argv[0], l->argv, l->env);
	child_fails(l, errno);
}

/* Start */

/* By /proc; without it what close() can be asked for is the only bound. */
static int highest_fd(void)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *entry;
	int high = STDERR_FILENO;

	if (!d)
		return (int)sysconf(_SC_OPEN_MAX) - 1;
	while ((entry = readdir(d))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);

		high = fd > high ? fd : high;
	}
	(void)closedir(d);
	return high;
}

static int fork_child(const struct spawn *s, struct child *ch, int *theirs, struct err *e)
{
	struct arena a = {0};
	struct launch l = {.argv = (char *const *)ch->c.argv,
			   .env = make_env(s, ch, ch->c.env, &a),
			   .cwd = ch->c.cwd,
			   .last_fd = highest_fd(),
			   .parent = getpid()};
	int rc = 0;

	memcpy(l.theirs, theirs, sizeof(l.theirs));
	ch->started = clock_now();
	ch->pid = fork();
	if (!ch->pid)
		child_main(&l);
	if (ch->pid < 0)
		rc = err_sys(e, errno, "start '%s': no new process", ch->c.argv[0]);
	arena_release(&a);
	return rc;
}

int spawn_start(struct spawn *s, const struct spawn_command *c, struct err *e)
{
	struct child *ch = mem_calloc(1, sizeof(*ch));
	int theirs[N_FDS], rc = -1;

	ch->c = *c;
	ch->r.exit = -1;
	(void)snprintf(ch->mark, sizeof(ch->mark), "%ld.%u", (long)getpid(), ++s->serial);
	if (open_pipes(ch->fds, theirs))
		err_sys(e, errno, "start '%s': no pipe", c->argv[0]);
	else
		rc = fork_child(s, ch, theirs, e);
	for (int i = 0; i < N_FDS; i++) {
		close_fd(&theirs[i]);
		if (rc)
			close_fd(&ch->fds[i]);
	}
	/* borrowed for the start only */
	ch->c.argv = ch->c.env = NULL;
	ch->c.cwd = NULL;
	if (rc) {
		free(ch);
		return -1;
	}
	mem_grow(&s->children, &s->cap, s->n + 1, sizeof(struct child *));
	s->children[s->n++] = ch;
	return 0;
}

size_t spawn_running(const struct spawn *s)
{
	return s->n;
}

/* Output */

static bool has_output(const struct child *ch)
{
	return ch->fds[OUT] >= 0 || ch->fds[ERR] >= 0;
}

static void begin_end(struct child *ch, double now)
{
	ch->ending = true;
	ch->ending_at = ch->look_at = now;
	if (!ch->exited && kill(-ch->pid, SIGTERM))
		(void)kill(ch->pid, SIGTERM); /* it has no group yet */
}

static void cut_short(struct child *ch, enum spawn_end why)
{
	if (ch->exited || ch->ending)
		return;
	ch->r.end = why;
	begin_end(ch, clock_now());
}

static void got_output(struct child *ch, int which, const char *data, size_t len)
{
	if (which == EXEC) {
		if (len == sizeof(ch->r.error))
			memcpy(&ch->r.error, data, len);
	} else if (ch->c.output && ch->c.output(ch->c.ctx, which + 1, data, len)) {
		ch->c.output = NULL;
		cut_short(ch, SPAWN_STOPPED);
	}
}

static void read_fd(struct spawn *s, struct child *ch, int which)
{
	for (int turn = 0; turn < TURNS && ch->fds[which] >= 0; turn++) {
		ssize_t n = read(ch->fds[which], s->chunk, CHUNK);

		if (n > 0)
			got_output(ch, which, s->chunk, (size_t)n);
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			close_fd(&ch->fds[which]);
		else if (errno == EAGAIN)
			return;
	}
}

/* Ends */

static void has_exited(struct child *ch, bool by_signal, int status)
{
	ch->exited = true;
	ch->exited_at = clock_now();
	ch->look_at = 0;
	ch->r.duration = ch->exited_at - ch->started;
	ch->r.exit = by_signal ? -1 : status;
	ch->r.signal = by_signal ? status : 0;
}

static struct child *child_of(const struct spawn *s, pid_t pid)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->children[i]->pid == pid && !s->children[i]->exited)
			return s->children[i];
	}
	return NULL;
}

/*
 * A child of ours that ended stays a zombie until it is done: so long its number, which
 * is its group's too, is nobody else's. Orphans are reaped whenever there is no such
 * zombie.
 */
static void reap(struct spawn *s)
{
	bool zombies = false;
	int status;
	pid_t pid;

	for (size_t i = 0; i < s->n; i++) {
		struct child *ch = s->children[i];
		siginfo_t si = {0};

		if (!ch->exited &&
		    !waitid(P_PID, (id_t)ch->pid, &si, WEXITED | WNOHANG | WNOWAIT) &&
		    si.si_pid == ch->pid)
			has_exited(ch, si.si_code != CLD_EXITED, si.si_status);
		zombies = zombies || (ch->exited && !ch->reaped);
	}
	while (!zombies && (pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct child *ch = child_of(s, pid);

		if (!ch)
			continue;
		has_exited(ch, WIFSIGNALED(status),
			   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		ch->reaped = true;
	}
}

static size_t signal_left(const struct spawn *s, const struct child *ch, int sig)
{
	const struct procs p = {
		.run = s->run, .child = ch->mark, .group = ch->reaped ? 0 : ch->pid};

	if (sig == SIGKILL && !ch->reaped)
		(void)kill(-ch->pid, sig); /* all at once: it may be forking */
	return procs_signal(&p, sig);
}

/* One look at a child that is being ended, or has ended with its output. */
static void end_on(const struct spawn *s, struct child *ch, double now)
{
	double t = now - ch->ending_at;
	size_t left = 0;
	int sig = 0;

	if (ch->ending && t >= kill_after) {
		sig = SIGKILL;
	} else if (ch->ending && !ch->others_told && (ch->exited || t >= term_others)) {
		sig = SIGTERM;
		ch->others_told = true;
	}
	if (ch->exited || sig)
		left = signal_left(s, ch, sig);
	if (ch->exited && !has_output(ch) && !left) {
		ch->done = true;
	} else if (ch->ending && t >= give_up) {
		ch->r.stuck = left ? left : 1; /* the child itself is among them */
		ch->done = true;
	} else if (ch->exited && !ch->ending && now >= ch->exited_at + grace) {
		begin_end(ch, now);
	} else {
		ch->look_at = now + look;
	}
	if (ch->exited && ch->ending && left > ch->r.left)
		ch->r.left = left;
}

static void advance(const struct spawn *s, struct child *ch, double now)
{
	if (ch->c.limit > 0 && now >= ch->started + ch->c.limit)
		cut_short(ch, SPAWN_TIMEOUT);
	if (ch->exited && has_output(ch) && now >= ch->exited_at + drain) {
		ch->r.held = true;
		close_fd(&ch->fds[OUT]);
		close_fd(&ch->fds[ERR]);
	}
	if ((ch->ending || (ch->exited && !has_output(ch))) && now >= ch->look_at)
		end_on(s, ch, now);
}

/* When advance() has something to do for it. */
static double next_time(const struct child *ch)
{
	double t = INFINITY;

	if (ch->c.limit > 0 && !ch->exited && !ch->ending)
		t = ch->started + ch->c.limit;
	if (ch->exited && has_output(ch))
		t = fmin(t, ch->exited_at + drain);
	if (ch->ending || (ch->exited && !has_output(ch)))
		t = fmin(t, ch->look_at);
	return t;
}

static void child_free(struct child *ch)
{
	for (int i = 0; i < N_FDS; i++)
		close_fd(&ch->fds[i]);
	if (ch->exited && !ch->reaped)
		(void)waitpid(ch->pid, NULL, 0);
	free(ch);
}

static void deliver(struct spawn *s)
{
	for (size_t i = 0; i < s->n;) {
		struct child *ch = s->children[i];
		struct spawn_command c = ch->c;
		struct spawn_result r = ch->r;

		if (!ch->done) {
			i++;
			continue;
		}
		s->n--;
		memmove(&s->children[i], &s->children[i + 1],
			(s->n - i) * sizeof(struct child *));
		child_free(ch);
		if (r.error) {
			r.end = SPAWN_FAILED;
			r.exit = -1;
		}
		if (c.ended)
			c.ended(c.ctx, &r);
	}
}

/* The loop */

static int wait_events(struct spawn *s, double timeout, struct err *e)
{
	double now = clock_now(), until = now + fmin(timeout, 1e6);
	struct timespec ts;

	mem_grow(&s->polls, &s->cap_polls, s->n * N_FDS, sizeof(*s->polls));
	for (size_t i = 0; i < s->n; i++) {
		until = fmin(until, next_time(s->children[i]));
		for (int k = 0; k < N_FDS; k++)
			s->polls[i * N_FDS + (size_t)k] = (struct pollfd){
				.fd = s->children[i]->fds[k], .events = POLLIN};
	}
	timeout = fmax(until - now, 0);
	ts.tv_sec = (time_t)timeout;
	ts.tv_nsec = (long)((timeout - floor(timeout)) * 1e9);
	if (ppoll(s->polls, s->n * N_FDS, &ts, &s->wait_mask) < 0 && errno != EINTR)
		return err_sys(e, errno, "wait for child processes");
	return 0;
}

int spawn_pump(struct spawn *s, double timeout, struct err *e)
{
	double now;

	if (wait_events(s, timeout, e))
		return -1;
	/* ends first: what a child wrote is in its pipe when it has ended */
	reap(s);
	for (size_t i = 0; i < s->n; i++) {
		for (int k = 0; k < N_FDS; k++)
			read_fd(s, s->children[i], k);
	}
	now = clock_now();
	for (size_t i = 0; i < s->n; i++)
		advance(s, s->children[i], now);
	deliver(s);
	return 0;
}

void spawn_stop(struct spawn *s)
{
	for (size_t i = 0; i < s->n; i++)
		cut_short(s->children[i], SPAWN_STOPPED);
}

void spawn_close(struct spawn *s)
{
	struct err ignored = {0};

	if (!s)
		return;
	do {
		spawn_stop(s);
	} while (s->n && !spawn_pump(s, look, &ignored));
	reap(s);
	for (size_t i = 0; i < s->n; i++)
		child_free(s->children[i]);
	(void)sigaction(SIGCHLD, &s->was_action, NULL);
	(void)sigprocmask(SIG_SETMASK, &s->was_mask, NULL);
	(void)prctl(PR_SET_CHILD_SUBREAPER, s->was_subreaper);
	free(s->children);
	free(s->polls);
	free(s->chunk);
	free(s);
}
