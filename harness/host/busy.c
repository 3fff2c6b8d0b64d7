/* SPDX-License-Identifier: Apache-2.0 */
/* Processes between two looks: see busy.h. The files are those of proc(5). */
#include "host/busy.h"

#include <ctype.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/names.h"

/* What one file of /proc may hold; the kernel's own limit for an environment is less. */
enum { MAX_FILE = 8 << 20 };

/* Ticks a second of every time in /proc. */
static double ticks_per_second(void)
{
	long n = sysconf(_SC_CLK_TCK);

	return n > 0 ? (double)n : 100;
}

/*
 * PID (COMMAND) STATE PARENT ...: a command may hold blanks and brackets, so what follows
 * begins behind the last bracket.
 */
static bool parse_stat(const char *s, struct busy_process *p)
{
	const char *at = strrchr(s, ')');
	unsigned long long user, system, start;
	int parent;

	if (!at || sscanf(at + 1,
			  " %c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu "
			  "%*d %*d %*d %*d %*d %*d %llu",
			  &p->state, &parent, &user, &system, &start) != 5)
		return false;
	at = strchr(s, '(');
	p->assay = at && !strncmp(at + 1, "assay-", 6);
	p->parent = parent;
	p->ticks = user + system;
	p->start = start;
	return true;
}

/* "cpu user nice system idle iowait irq softirq ...": the first line of /proc/stat. */
static uint64_t busy_ticks(const struct host_io *io)
{
	unsigned long long user, nice, system, irq, soft;
	struct strbuf s = {0};
	struct err e = {0};
	uint64_t ticks = 0;

	if (!host_io_line(io, "/proc/stat", &s, &e) &&
	    sscanf(strbuf_str(&s), "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice,
		   &system, &irq, &soft) == 5)
		ticks = user + nice + system + irq + soft;
	strbuf_release(&s);
	return ticks;
}

static pid_t pid_of(const char *name)
{
	char *end;
	long pid = strtol(name, &end, 10);

	return isdigit((unsigned char)*name) && !*end && pid > 0 && pid < 1 << 30
		       ? (pid_t)pid
		       : 0;
}

void busy_look(const struct host_io *io, double t, struct busy_look *out)
{
	struct strbuf s = {0};
	struct arena a = {0};
	const char **names;
	struct err e = {0};
	size_t n;

	memset(out, 0, sizeof(*out));
	out->t = t;
	out->busy = busy_ticks(io);
	if (host_io_list(io, "/proc", &a, &names, &n, &e))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct busy_process p = {.pid = pid_of(names[i])};
		char path[32];

		if (!p.pid)
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)p.pid);
		if (host_io_read(io, path, MAX_FILE, &s, &e) ||
		    !parse_stat(strbuf_str(&s), &p))
			continue; /* it ended meanwhile */
		mem_grow(&out->items, &out->cap, out->n + 1, sizeof(*out->items));
		out->items[out->n++] = p;
	}
	strbuf_release(&s);
	arena_release(&a);
}

void busy_release(struct busy_look *l)
{
	free(l->items);
	memset(l, 0, sizeof(*l));
}

static int by_pid(const void *a, const void *b)
{
	const struct busy_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* NULL when there is none; @start 0 is any. */
static const struct busy_process *find(const struct busy_look *l, pid_t pid,
				       uint64_t start)
{
	const struct busy_process key = {.pid = pid}, *p = NULL;

	if (l->n)
		p = bsearch(&key, l->items, l->n, sizeof(key), by_pid);
	return p && (!start || p->start == start) ? p : NULL;
}

/* CPU time between the looks; a process that is new had none before. */
static uint64_t used(const struct busy_look *first, const struct busy_process *p)
{
	const struct busy_process *before = find(first, p->pid, p->start);

	if (!before)
		return p->ticks;
	return p->ticks > before->ticks ? p->ticks - before->ticks : 0;
}

static bool is_ancestor(const struct busy_look *l, pid_t pid, pid_t of)
{
	const struct busy_process *p = find(l, of, 0);

	/* a chain of parents is short; a table read while it changes may hold a ring */
	for (int i = 0; p && i < 64; i++) {
		if (p->pid == pid)
			return true;
		p = find(l, p->parent, 0);
	}
	return false;
}

/* One file of a process. */
static bool read_of(const struct host_io *io, pid_t pid, const char *name,
		    struct strbuf *out)
{
	char path[64];
	struct err e = {0};

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return !host_io_bytes(io, path, MAX_FILE, out, &e);
}

/*
 * Replaces *@run by its ASSAY_RUN, "?" where it has none or we may not see it, "" in the
 * middle of execve(), when a process has no environment.
 */
static void run_of(const struct host_io *io, pid_t pid, struct strbuf *run)
{
	static const char name[] = "ASSAY_RUN=";
	struct strbuf env = {0};
	const char *p, *end;

	strbuf_reset(run);
	if (!read_of(io, pid, "environ", &env) || env.len)
		strbuf_addstr(run, "?");
	p = strbuf_str(&env);
	for (end = p + env.len; p < end; p += strlen(p) + 1) {
		if (strncmp(p, name, sizeof(name) - 1) != 0)
			continue;
		strbuf_reset(run);
		host_io_clean(run, p + sizeof(name) - 1, strlen(p + sizeof(name) - 1),
			      64);
		break;
	}
	strbuf_release(&env);
}

/* It has ASSAY_RUN of our run; of others' processes only root can tell. */
static bool is_ours(const struct host_io *io, pid_t pid, const char *run)
{
	struct strbuf its = {0};
	bool ours = false;

	if (run && *run) {
		run_of(io, pid, &its);
		ours = !strcmp(strbuf_str(&its), run);
	}
	strbuf_release(&its);
	return ours;
}

/* Other runs that have a program here, each once. */
static json_t *other_runs(const struct host_io *io, const struct busy_look *l,
			  const struct busy_options *o)
{
	json_t *list = json_array();
	struct strbuf run = {0};
	struct names seen = {0};

	for (size_t i = 0; i < l->n; i++) {
		const struct busy_process *p = &l->items[i];
		bool fresh;

		if (!p->assay || is_ancestor(l, p->pid, o->self))
			continue;
		run_of(io, p->pid, &run);
		if (!run.len || (o->run && !strcmp(run.buf, o->run)))
			continue;
		(void)names_add(&seen, run.buf, &fresh);
		if (fresh)
			(void)json_array_append_new(list, json_string(run.buf));
	}
	names_release(&seen);
	strbuf_release(&run);
	return list;
}

/* NAME of "NAME:x:UID:..." in the recorded machine's own table. */
static bool passwd_name(const struct host_io *io, unsigned int uid, struct strbuf *out)
{
	struct strbuf table = {0};
	struct err e = {0};
	const char *s;
	bool found = false;

	if (host_io_read(io, "/etc/passwd", MAX_FILE, &table, &e))
		table.len = 0;
	for (s = strbuf_str(&table); *s && !found;
	     s += strcspn(s, "\n"), s += *s == '\n') {
		size_t len = strcspn(s, ":\n");
		unsigned int id;

		found = s[len] == ':' && sscanf(s + len, ":%*[^:\n]:%u:", &id) == 1 &&
			id == uid;
		if (found)
			host_io_clean(out, s, len, 64);
	}
	strbuf_release(&table);
	return found;
}

static json_t *user_of(const struct host_io *io, pid_t pid)
{
	struct strbuf s = {0}, name = {0};
	const struct passwd *pw;
	const char *at = NULL;
	unsigned int uid;
	json_t *v = NULL;

	if (read_of(io, pid, "status", &s))
		at = strstr(strbuf_str(&s), "\nUid:");
	if (!at || sscanf(at + 5, "%*u %u", &uid) != 1) { /* the effective one */
		strbuf_release(&s);
		return NULL;
	}
	pw = strcmp(io->root, "/") ? NULL : getpwuid(uid);
	if (pw)
		host_io_clean(&name, pw->pw_name, strlen(pw->pw_name), 64);
	else if (!passwd_name(io, uid, &name))
		strbuf_addf(&name, "uid %u", uid);
	v = json_string(strbuf_str(&name));
	strbuf_release(&name);
	strbuf_release(&s);
	return v;
}

static json_t *describe(const struct host_io *io, const struct busy_process *p,
			double cpus, bool mask_users)
{
	json_t *o = json_object(), *user = mask_users ? NULL : user_of(io, p->pid);
	struct strbuf s = {0}, command = {0};

	(void)json_object_set_new(o, "pid", json_integer(p->pid));
	if (user)
		(void)json_object_set_new(o, "user", user);
	if (read_of(io, p->pid, "comm", &s))
		host_io_clean(&command, strbuf_str(&s), s.len, 64);
	if (command.len)
		(void)json_object_set_new(o, "command", json_string(command.buf));
	(void)json_object_set_new(o, "cpus", json_real(cpus));
	(void)json_object_set_new(o, "seconds",
				  json_real((double)p->ticks / ticks_per_second()));
	strbuf_release(&s);
	strbuf_release(&command);
	return o;
}

struct hog {
	const struct busy_process *p;
	double cpus;
};

static int by_cpus(const void *a, const void *b)
{
	const struct hog *x = a, *y = b;

	if (x->cpus != y->cpus)
		return x->cpus < y->cpus ? 1 : -1;
	return by_pid(x->p, y->p);
}

/* Those that took BUSY_SHARE of a CPU and are not ours, the busiest first. */
static json_t *hogs(const struct host_io *io, const struct busy_look *first,
		    const struct busy_look *second, double ticks,
		    const struct busy_options *o)
{
	struct hog *list = mem_calloc(second->n + 1, sizeof(*list));
	json_t *out = json_array();
	size_t n = 0;

	for (size_t i = 0; i < second->n; i++) {
		const struct busy_process *p = &second->items[i];
		double cpus = (double)used(first, p) / ticks;

		if (cpus >= BUSY_SHARE && !is_ancestor(second, p->pid, o->self) &&
		    !is_ours(io, p->pid, o->run))
			list[n++] = (struct hog){p, cpus};
	}
	qsort(list, n, sizeof(*list), by_cpus);
	for (size_t i = 0; i < n && i < BUSY_NAMED; i++)
		(void)json_array_append_new(
			out, describe(io, list[i].p, list[i].cpus, o->mask_users));
	free(list);
	return out;
}

/* Ended but not collected by their parents; and blocked in the kernel at both looks. */
static void put_states(const struct busy_look *first, const struct busy_look *second,
		       json_t *out)
{
	const pid_t kernel = 2; /* parent of the kernel's own threads */
	json_int_t zombies = 0, waiting = 0;

	for (size_t i = 0; i < second->n; i++) {
		const struct busy_process *p = &second->items[i], *before;

		zombies += p->state == 'Z';
		if (p->state != 'D' || p->parent == kernel)
			continue;
		before = find(first, p->pid, p->start);
		waiting += before && before->state == 'D' && before->ticks == p->ticks;
	}
	(void)json_object_set_new(out, "zombies", json_integer(zombies));
	(void)json_object_set_new(out, "waiting", json_integer(waiting));
}

json_t *busy_compare(const struct host_io *io, const struct busy_look *first,
		     const struct busy_look *second, const struct busy_options *o)
{
	double elapsed = second->t - first->t, ticks = elapsed * ticks_per_second(), busy;
	const struct busy_process *self = find(second, o->self, 0);
	json_t *out = json_object();

	json_t *runs = other_runs(io, second, o);

	put_states(first, second, out);
	if (json_array_size(runs))
		(void)json_object_set_new(out, "runs", runs);
	else
		json_decref(runs);
	if (!(elapsed > 0))
		return out;
	(void)json_object_set_new(out, "sample", json_real(elapsed));
	if (second->busy > first->busy) {
		busy = (double)(second->busy - first->busy);
		busy -= self ? (double)used(first, self) : 0;
		(void)json_object_set_new(out, "busy",
					  json_real(busy > 0 ? busy / ticks : 0));
	}
	(void)json_object_set_new(out, "processes", hogs(io, first, second, ticks, o));
	return out;
}
