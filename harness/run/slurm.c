/* SPDX-License-Identifier: Apache-2.0 */
/* What Slurm tells of the allocation we are in: see slurm.h. */
#include "run/slurm.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/names.h"
#include "base/spawn.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "config/hostlist.h"

enum { MAX_OUT = 64 << 20, MAX_ERR = 4096, MAX_WORD = 64, MAX_LIST = 200 };

/* s; Slurm's own commands give up after 10 s without an answer (MessageTimeout) */
static const double ask_limit = 20;

/* ---- the environment ---- */

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* The number at @p, which moves behind it; -1 when there is none up to INT_MAX. */
static int number(const char **p)
{
	size_t digits = strspn(*p, "0123456789");
	long v = digits && digits < 11 ? strtol(*p, NULL, 10) : -1;

	*p += digits;
	return v > INT_MAX ? -1 : (int)v;
}

/* One of the comma-separated parts: "40", "8(x2)". */
static int part(const char **p, int *count, int *times, struct err *e)
{
	const char *begin = *p;

	*count = number(p);
	*times = 1;
	if (!strncmp(*p, "(x", 2)) {
		*p += 2;
		*times = number(p);
		if (*times > 0 && *(*p)++ != ')')
			*times = 0;
	}
	if (*count > 0 && *times > 0 && (!**p || **p == ','))
		return 0;
	return err_set(e, ERR_USAGE, "at '%.40s', expected counts like 40,8(x2)", begin);
}

int slurm_counts(const char *text, size_t n, struct arena *a, int **counts, struct err *e)
{
	int *out = arena_alloc(a, n, sizeof(*out)), count, times;
	const char *p = text;
	size_t got = 0;

	for (;;) {
		if (part(&p, &count, &times, e))
			return err_at(e, "'%.80s'", text);
		for (int k = 0; k < times && got <= n; k++, got++) {
			if (got < n)
				out[got] = count;
		}
		if (!*p)
			break;
		p++;
	}
	if (got != n)
		return err_set(e, ERR_USAGE, "'%.80s': counts for %s nodes than the %zu",
			       text, got < n ? "fewer" : "more", n);
	*counts = out;
	return 0;
}

static int load_counts(struct slurm *s, const char *name, int **counts, struct err *e)
{
	const char *text = variable(name);

	if (text && slurm_counts(text, s->n_nodes, &s->arena, counts, e))
		return err_at(e, "%s", name);
	return 0;
}

int slurm_load(struct slurm *s, struct err *e)
{
	const char *list = variable("SLURM_JOB_NODELIST");
	const char *script = variable("SLURM_SCRIPT_CONTEXT");

	memset(s, 0, sizeof(*s));
	if (!list ||
	    (script && (!strncmp(script, "prolog", 6) || !strncmp(script, "epilog", 6))))
		return 0;
	if (hostlist_expand(&s->arena, list, &s->nodes, &s->n_nodes, e))
		return err_at(e, "SLURM_JOB_NODELIST");
	(void)hostlist_unique(s->nodes, &s->n_nodes);
	s->job = arena_strdup(&s->arena, variable("SLURM_JOB_ID"));
	if (load_counts(s, "SLURM_JOB_CPUS_PER_NODE", &s->cpus, e))
		return -1;
	/* in a step this variable is about the step's nodes, not the job's */
	if (variable("SLURM_STEP_NODELIST"))
		return 0;
	return load_counts(s, "SLURM_TASKS_PER_NODE", &s->tasks, e);
}

void slurm_release(struct slurm *s)
{
	arena_release(&s->arena);
	memset(s, 0, sizeof(*s));
}

/* ---- times ---- */

int slurm_duration(const char *text, double *seconds, struct err *e)
{
	const char *p = text;
	int v[3] = {0}, n = 0, fewest = 2, days = 0;
	bool ok = true;

	if (!strcmp(text, "UNLIMITED") || !strcmp(text, "NOT_SET")) {
		*seconds = INFINITY;
		return 0;
	}
	v[n++] = number(&p);
	if (*p == '-') {
		fewest = 3;
		days = v[0];
		p++;
		v[0] = number(&p);
	}
	for (; *p == ':' && n < 3; n++) {
		p++;
		v[n] = number(&p);
		ok = ok && v[n] < 60;
	}
	for (int i = 0; i < n; i++)
		ok = ok && v[i] >= 0;
	if (!ok || *p || days < 0 || n < fewest)
		return err_set(e, ERR_USAGE,
			       "time '%.40s', expected [days-][hours:]minutes:seconds",
			       text);
	*seconds = 86400.0 * days;
	*seconds += n == 3 ? 3600.0 * v[0] + 60.0 * v[1] + v[2] : 60.0 * v[0] + v[1];
	return 0;
}

/* ---- Slurm's commands ---- */

/* What a command printed; why is NULL when that is the whole answer. */
struct answer {
	struct strbuf out, err, why;
};

static int on_output(void *ctx, int fd, const char *data, size_t len)
{
	struct answer *ans = ctx;
	struct strbuf *to = fd == 1 ? &ans->out : &ans->err;
	size_t most = fd == 1 ? MAX_OUT : MAX_ERR;

	strbuf_add(to, data, len < most - to->len ? len : most - to->len);
	return fd == 1 && to->len == most;
}

static void on_end(void *ctx, const struct spawn_result *r)
{
	struct answer *ans = ctx;
	size_t line = strcspn(strbuf_str(&ans->err), "\n");

	if (r->end == SPAWN_FAILED)
		strbuf_addf(&ans->why, "%s", strerror(r->error));
	else if (r->end == SPAWN_TIMEOUT)
		strbuf_addf(&ans->why, "no answer within %g s", ask_limit);
	else if (r->end != SPAWN_EXITED)
		strbuf_addf(&ans->why, "more than %d MiB of output", MAX_OUT >> 20);
	else if (r->signal)
		strbuf_addf(&ans->why, "ended by signal %d", r->signal);
	else if (r->exit)
		strbuf_addf(&ans->why, "exit status %d", r->exit);
	if (!ans->why.len || !line)
		return;
	strbuf_addstr(&ans->why, ": ");
	utf8_printable(&ans->why, ans->err.buf, line);
}

static void answer_release(struct answer *ans)
{
	strbuf_release(&ans->out);
	strbuf_release(&ans->err);
	strbuf_release(&ans->why);
}

/* Runs one command to its end. -1 only when we ourselves cannot go on. */
static int ask(struct answer *ans, const char *run_id, const char *const *argv,
	       const char *variables, struct err *e)
{
	/* the user's own defaults for this command: another form, one partition only */
	const char *const env[] = {variables, NULL};
	const struct spawn_command c = {.argv = argv,
					.env = env,
					.limit = ask_limit,
					.output = on_output,
					.ended = on_end,
					.ctx = ans};
	struct spawn *s = NULL;
	int rc = spawn_open(&s, run_id, e);

	if (!rc)
		rc = spawn_start(s, &c, e);
	while (!rc && spawn_running(s))
		rc = spawn_pump(s, ask_limit, e);
	spawn_close(s);
	return rc;
}

/* ---- nodes ---- */

/* What sinfo says of a node. */
struct row {
	const char *state; /* NULL: it does not know the node */
	int cpus;          /* 0: not said */
};

/* "NODE,STATE,CPUS" a line, a line for each partition the node is in. */
static void read_rows(const char *text, const struct names *asked, struct arena *a,
		      struct row *rows)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		size_t name = strcspn(text, ",\n"), state, i;
		struct strbuf sb = {0};
		const char *p = text + name;

		strbuf_add(&sb, text, name);
		i = names_find(asked, strbuf_str(&sb));
		strbuf_reset(&sb);
		if (i != NAMES_NONE && !rows[i].state && *p == ',') {
			p++;
			state = strcspn(p, ",\n");
			utf8_printable(&sb, p, state < MAX_WORD ? state : MAX_WORD);
			rows[i].state = arena_strdup(a, strbuf_str(&sb));
			p += state;
			if (*p == ',' && p++)
				rows[i].cpus = number(&p);
		}
		strbuf_release(&sb);
	}
}

/* @state is @word, with or without the signs sinfo adds: "down*" does not respond. */
static bool is_state(const char *state, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(state, word, n) && (state[n] < 'a' || state[n] > 'z');
}

/* No job can be there: "draining" and "failing" still have one, perhaps this. */
static bool is_out(const char *state)
{
	return state && (is_state(state, "down") || is_state(state, "drained") ||
			 is_state(state, "fail"));
}

/* What is worth knowing of a node that is tested, @granted its CPUs in the job. */
static const char *peculiar(const struct row *row, int granted, struct arena *a)
{
	const char *state = row->state ? row->state : "unknown";

	if (granted > 0 && granted < row->cpus)
		return arena_printf(a,
				    "Slurm state '%s': the job has %d of its %d CPUs, "
				    "others may use the rest",
				    state, granted, row->cpus);
	if (!strcmp(state, "allocated") || !strcmp(state, "idle"))
		return NULL;
	return arena_printf(a, "Slurm state '%s'%s", state,
			    is_state(state, "mixed") ? ": other jobs may run on it" : "");
}

/* Sorts @names. */
static const char *folded(const char **names, size_t n, struct arena *a)
{
	struct strbuf sb = {0};
	const char *text;

	qsort(names, n, sizeof(*names), hostlist_compare);
	hostlist_fold(&sb, names, n);
	text = sb.len > MAX_LIST ? arena_printf(a, "%zu nodes (%s, ...)", n, names[0])
				 : arena_strdup(a, strbuf_str(&sb));
	strbuf_release(&sb);
	return text;
}

/* One remark for all nodes with the same text; NULL is none. */
static void add_folded(struct slurm_view *v, const char *const *nodes,
		       const char *const *texts, size_t n, struct arena *a)
{
	const char **same = arena_alloc(a, n, sizeof(*same));
	struct names distinct = {0};

	for (size_t i = 0; i < n; i++) {
		if (texts[i])
			(void)names_add(&distinct, texts[i], NULL);
	}
	for (size_t k = 0; k < distinct.n; k++) {
		size_t m = 0;

		for (size_t i = 0; i < n; i++) {
			if (texts[i] && !strcmp(texts[i], distinct.items[k]))
				same[m++] = nodes[i];
		}
		words_add(
			&v->remarks, a,
			arena_printf(a, "%s: %s", folded(same, m, a), distinct.items[k]));
	}
	names_release(&distinct);
}

static int outsiders(const struct slurm *s, const char **names, size_t n, struct arena *a,
		     struct err *e)
{
	return err_set(e, ERR_USAGE,
		       "%s %s not in the allocation of Slurm job %s, which has %s: "
		       "allocate what is to be tested, or choose by --nodes",
		       folded(names, n, a), n == 1 ? "is" : "are", s->job ? s->job : "?",
		       folded(arena_dup(a, s->nodes, s->n_nodes, sizeof(*s->nodes)),
			      s->n_nodes, a));
}

/* Sorts the nodes into those not tested, those with a remark, and those not ours. */
static int review(const struct slurm *s, const char *const *nodes, const struct row *rows,
		  bool known, size_t n, struct arena *a, struct slurm_view *v,
		  struct err *e)
{
	const char **texts = arena_alloc(a, n, sizeof(*texts));
	const char **strange = arena_alloc(a, n, sizeof(*strange));
	struct names ours = {0};
	size_t n_strange = 0;

	for (size_t i = 0; i < s->n_nodes; i++)
		(void)names_add(&ours, s->nodes[i], NULL);
	for (size_t i = 0; i < n; i++) {
		size_t k = names_find(&ours, nodes[i]);

		if (is_out(rows[i].state))
			v->not_tested[i] =
				arena_printf(a, "not tested (%s)", rows[i].state);
		else if (k != NAMES_NONE && known)
			texts[i] = peculiar(&rows[i], s->cpus ? s->cpus[k] : 0, a);
		else if (k == NAMES_NONE && strcmp(nodes[i], "localhost") != 0)
			strange[n_strange++] = nodes[i];
	}
	names_release(&ours);
	if (n_strange)
		return outsiders(s, strange, n_strange, a, e);
	add_folded(v, nodes, texts, n, a);
	return 0;
}

int slurm_nodes(const struct slurm *s, const char *run_id, const char *const *nodes,
		size_t n, struct arena *a, struct slurm_view *v, struct err *e)
{
	static const char *const argv[] = {"sinfo", "-a",       "-h", "-N",
					   "-o",    "%N,%T,%c", NULL};
	struct row *rows = arena_alloc(a, n, sizeof(*rows));
	struct names asked = {0};
	struct answer ans = {0};
	int rc = -1;

	*v = (struct slurm_view){.time_left = INFINITY};
	v->not_tested = arena_alloc(a, n, sizeof(*v->not_tested));
	if (!s->n_nodes)
		return 0;
	for (size_t i = 0; i < n; i++)
		(void)names_add(&asked, nodes[i], NULL);
	if (ask(&ans, run_id, argv, "SINFO_*", e))
		goto out;
	if (ans.why.len)
		words_add(&v->remarks, a,
			  arena_printf(a,
				       "Slurm's states of the nodes are not known: "
				       "sinfo: %s",
				       strbuf_str(&ans.why)));
	else
		read_rows(strbuf_str(&ans.out), &asked, a, rows);
	rc = review(s, nodes, rows, !ans.why.len, n, a, v, e);
out:
	names_release(&asked);
	answer_release(&ans);
	return rc;
}

/* The least of all lines: the tasks of a job array that wait have more. */
static int least(const struct strbuf *out, double *seconds, struct err *e)
{
	char *line, *rest = NULL;
	double left;
	bool any = false;

	*seconds = INFINITY;
	for (line = out->len ? strtok_r(out->buf, " \t\n", &rest) : NULL; line;
	     line = strtok_r(NULL, " \t\n", &rest)) {
		any = true;
		if (slurm_duration(line, &left, e))
			return -1;
		*seconds = fmin(*seconds, left);
	}
	return any ? 0 : err_set(e, ERR_USAGE, "no answer");
}

int slurm_time(const struct slurm *s, const char *run_id, struct arena *a,
	       struct slurm_view *v, struct err *e)
{
	const char *const argv[] = {"squeue", "-h", "-j", s->job, "-o", "%L", NULL};
	struct answer ans = {0};
	struct err why = {0};
	double left = INFINITY;
	int rc;

	if (!s->n_nodes || !s->job)
		return 0;
	rc = ask(&ans, run_id, argv, "SQUEUE_*", e);
	if (!rc && !ans.why.len && least(&ans.out, &left, &why))
		strbuf_addstr(&ans.why, why.msg);
	if (!rc && !ans.why.len)
		v->time_left = left;
	if (!rc && ans.why.len)
		words_add(&v->remarks, a,
			  arena_printf(a,
				       "how long Slurm lets the job run is not known: "
				       "squeue: %s",
				       strbuf_str(&ans.why)));
	answer_release(&ans);
	return rc;
}
