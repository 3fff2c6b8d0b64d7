/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assay-fake: a kernel, and a launcher, and a node, that measure nothing and fail in
 * every way known. It plays by the script that ASSAY_TEST_LAUNCHER names, lines of
 *
 *     GLOB[+NODE] BEHAVIOUR [WORD...]
 *
 * of which the first whose GLOB fits the step's key (or reach@NODE), and that is about a
 * NODE the step runs on, counts; none: "ok".
 * Started as `assay-fake --reach NODE WORD...` it is the way to a node and "ok" runs the
 * words here. The behaviours are in the table at the end.
 */
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay_build.h"
#include "base/strbuf.h"
#include "record/record.h"

enum { MAX_WORDS = 64, MAX_NODES = 4096 };

struct play {
	char *words[MAX_WORDS]; /* of the behaviour, after its name */
	size_t n_words;
	char *nodes[MAX_NODES];
	int n_nodes, ranks, per_node;
	long count; /* record lines printed */
};

static void print_record(struct play *p, const struct record *r)
{
	struct strbuf sb = {0};

	record_encode(r, &sb);
	(void)printf("@assay %s\n", strbuf_str(&sb));
	strbuf_release(&sb);
	p->count++;
}

/* "NAME=value" among the behaviour's words, or @def. */
static const char *option(const struct play *p, const char *name, const char *def)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < p->n_words; i++) {
		if (!strncmp(p->words[i], name, n) && p->words[i][n] == '=')
			return p->words[i] + n + 1;
	}
	return def;
}

/* The words from @from on as one text. */
static const char *text(const struct play *p, size_t from, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = from; i < p->n_words && len + 1 < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					i > from ? " " : "", p->words[i]);
	return buf;
}

static int number(const struct play *p, size_t i)
{
	return i < p->n_words ? (int)strtol(p->words[i], NULL, 10) : 0;
}

static void rank_record(struct play *p, int rank)
{
	struct record r = record_make(RECORD_KIND_rank);

	r.u.rank.rank = rank;
	r.u.rank.host = p->nodes[rank / p->per_node];
	r.u.rank.pid = getpid();
	r.u.rank.mask = r.u.rank.cpuset = "0";
	r.u.rank.threads = 1;
	print_record(p, &r);
}

static void all_ranks(struct play *p)
{
	for (int i = 0; i < p->ranks; i++)
		rank_record(p, i);
}

static void sample(struct play *p, int rank, const char *metric, double value,
		   const char *unit, int repetition)
{
	struct record r = record_make(RECORD_KIND_sample);

	r.u.sample.rank = rank;
	r.u.sample.metric = metric;
	r.u.sample.value = record_num(value);
	r.u.sample.unit = unit;
	r.u.sample.repetition = repetition;
	print_record(p, &r);
}

/* Both metrics, for each node by its first rank, as often as "reps" says. */
static void all_samples(struct play *p)
{
	double rate = strtod(option(p, "fake.rate", "100e9"), NULL);
	double grow = strtod(option(p, "grow", "0"), NULL); /* of each further node */
	double time = strtod(option(p, "fake.time", "1e-6"), NULL);
	long reps = strtol(option(p, "reps", "3"), NULL, 10);

	rate *= 1 + grow * (p->n_nodes - 1);
	for (int k = 1; k <= reps; k++) {
		for (int rank = 0; rank < p->ranks; rank += p->per_node) {
			sample(p, rank, "fake.rate", rate, "B/s", k);
			sample(p, rank, "fake.time", time, "s", k);
		}
	}
}

/* With "slow=NODE": what ranks do that wait for those of NODE, or for nobody. */
static void rank_samples(struct play *p)
{
	const char *slow = option(p, "slow", NULL);

	for (int rank = 0; slow && rank < p->ranks; rank++) {
		bool is = !strcmp(p->nodes[rank / p->per_node], slow);
		bool any = false;

		for (int i = 0; i < p->n_nodes; i++)
			any = any || !strcmp(p->nodes[i], slow);
		sample(p, rank, "fake.rank_rate", is ? 25e9 : 100e9 + rank * 1e9, "B/s",
		       1);
		sample(p, rank, "fake.rank_wait", any && !is ? 0.7 : 0.03, "ratio", 1);
	}
}

static void check(struct play *p, bool ok)
{
	struct record r = record_make(RECORD_KIND_valid);

	r.u.valid.rank = 0;
	r.u.valid.check = "residual";
	r.u.valid.value = record_num(ok ? 0.5 : 1000);
	r.u.valid.limit = record_num(16);
	r.u.valid.ok = ok;
	r.u.valid.text = ok ? NULL : "residual 1000 of 16 allowed";
	print_record(p, &r);
}

static void counter(struct play *p, const char *when, double value)
{
	struct record r = record_make(RECORD_KIND_counter);

	r.u.counter.rank = 0;
	r.u.counter.name = "fake.errors";
	r.u.counter.when = when;
	r.u.counter.value = record_num(value);
	r.u.counter.unit = "1";
	print_record(p, &r);
}

static void event(struct play *p, const char *what, const char *why)
{
	struct record r = record_make(RECORD_KIND_event);

	r.u.event.rank = 0;
	r.u.event.what = what;
	r.u.event.text = why;
	print_record(p, &r);
}

static void end(struct play *p, long count, int ranks)
{
	struct record r = record_make(RECORD_KIND_end);

	r.u.end.count = count;
	r.u.end.ranks = ranks;
	print_record(p, &r);
	(void)fflush(stdout);
}

static void body(struct play *p)
{
	(void)printf("fake kernel on %d nodes\n", p->n_nodes);
	all_ranks(p);
	counter(p, "before", 0);
	all_samples(p);
	rank_samples(p);
	counter(p, "after", 0);
}

static void whole(struct play *p)
{
	body(p);
	check(p, true);
	end(p, p->count, p->ranks);
}

/* Behaviours: each gives the exit status. */

static int play_ok(struct play *p)
{
	whole(p);
	return 0;
}

static int play_failed(struct play *p)
{
	body(p);
	check(p, false);
	end(p, p->count, p->ranks);
	return 1;
}

static int play_hang(struct play *p)
{
	(void)p;
	(void)fflush(stdout);
	while (pause() < 0)
		;
	return 0;
}

static int play_hang_term(struct play *p)
{
	(void)signal(SIGTERM, SIG_IGN);
	all_ranks(p);
	return play_hang(p);
}

static int play_half_line(struct play *p)
{
	body(p);
	(void)printf("@assay {\"kind\":\"sample\",\"metric\":\"fake.ra");
	return 0;
}

/* Two processes at once on one pipe. */
static int play_torn(struct play *p)
{
	body(p);
	(void)printf(
		"@assay {\"kind\":\"valid\",\"check\":\"res@assay {\"kind\":\"valid\","
		"\"check\":\"residual\",\"ok\":true}\nidual\",\"ok\":true}\n");
	end(p, p->count + 2, p->ranks);
	return 0;
}

static int play_garbage(struct play *p)
{
	static const char bytes[] = "\xff\xfe\0\x1b[31m\n\n@assay\n@assay \n@assay []\n";

	all_ranks(p);
	(void)fwrite(bytes, 1, sizeof(bytes) - 1, stdout);
	end(p, p->count, p->ranks);
	return 0;
}

static int play_no_result(struct play *p)
{
	(void)p;
	(void)printf("everything went well\n");
	return 0;
}

static int play_no_sample(struct play *p)
{
	all_ranks(p);
	end(p, p->count, p->ranks);
	return 0;
}

static int play_refuse(struct play *p)
{
	char buf[1024];

	(void)fprintf(stderr, "--------\n%s\nmore about it\n",
		      text(p, 0, buf, sizeof(buf)));
	return 0;
}

static int play_say(struct play *p)
{
	char buf[256];

	return printf("%s\n", text(p, 0, buf, sizeof(buf))) < 0;
}

static int play_exit(struct play *p)
{
	char buf[1024];

	if (p->n_words > 1)
		(void)fprintf(stderr, "%s\n", text(p, 1, buf, sizeof(buf)));
	return number(p, 0);
}

static int play_signal(struct play *p)
{
	(void)signal(number(p, 0), SIG_DFL); /* a sanitizer would catch it */
	(void)kill(getpid(), number(p, 0));
	return 0;
}

static int play_die(struct play *p)
{
	body(p);
	(void)fflush(stdout);
	return play_signal(p);
}

/* Another behaviour, but not before the first word is the name of a file. */
static int play_when(struct play *p);

/* A rank ended by a signal as mpirun tells it. */
static int play_rank_killed(struct play *p)
{
	body(p);
	(void)fprintf(stderr,
		      "------\nPrimary job  terminated normally\n------\nmpirun noticed "
		      "that process rank 0 with PID 0 on node %s exited on signal %d "
		      "(Killed).\n",
		      p->nodes[0], number(p, 0));
	return 128 + number(p, 0);
}

static int play_late(struct play *p)
{
	whole(p);
	return number(p, 0);
}

static int play_watchdog(struct play *p)
{
	all_ranks(p);
	return 124;
}

static int play_world(struct play *p)
{
	int ranks = number(p, 0);

	for (int i = 0; i < ranks && i < p->ranks; i++)
		rank_record(p, i);
	all_samples(p);
	end(p, p->count, ranks);
	return 0;
}

static int play_rank_missing(struct play *p)
{
	for (int i = 0; i + 1 < p->ranks; i++)
		rank_record(p, i);
	all_samples(p);
	end(p, p->count, p->ranks);
	return 0;
}

static int play_rank_twice(struct play *p)
{
	rank_record(p, 0);
	whole(p);
	return 0;
}

static int play_miscount(struct play *p)
{
	body(p);
	end(p, p->count + 1, p->ranks);
	return 0;
}

static int play_no_end(struct play *p)
{
	body(p);
	return 0;
}

static int play_after_end(struct play *p)
{
	whole(p);
	check(p, true);
	return 0;
}

/* Plain text, as much as the first word says in MiB, then a good result. */
static int play_flood(struct play *p)
{
	char line[1024];

	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	for (long k = number(p, 0) * 1024L; k > 0; k--)
		(void)fwrite(line, 1, sizeof(line), stdout);
	whole(p);
	return 0;
}

static int play_flood_records(struct play *p)
{
	all_ranks(p);
	for (int k = 1; k < 1 << 30; k++)
		sample(p, 0, "fake.rate", k, "B/s", k);
	return 0;
}

static int play_nan(struct play *p)
{
	body(p);
	sample(p, 0, "fake.rate", NAN, "B/s", 4);
	end(p, p->count, p->ranks);
	return 0;
}

static int play_undeclared(struct play *p)
{
	body(p);
	sample(p, 0, "fake.secret", 1, "B/s", 1);
	end(p, p->count, p->ranks);
	return 0;
}

static int play_unit(struct play *p)
{
	body(p);
	sample(p, 0, "fake.rate", 1, "MB/s", 4);
	end(p, p->count, p->ranks);
	return 0;
}

static int play_oversized(struct play *p)
{
	static char why[5000];

	body(p);
	memset(why, 'x', sizeof(why) - 1);
	event(p, "remark", why);
	end(p, p->count, p->ranks);
	return 0;
}

/* A record that is the controller's to make, and one that names its step itself. */
static int play_forged(struct play *p)
{
	struct record r = record_make(RECORD_KIND_step);

	body(p);
	r.u.step.step = 1;
	r.u.step.attempt = 1;
	r.u.step.event = "ended";
	r.u.step.key = "x";
	r.u.step.cause = "ok";
	print_record(p, &r);
	end(p, p->count, p->ranks);
	return 0;
}

static int play_named(struct play *p)
{
	struct record r = record_make(RECORD_KIND_valid);

	body(p);
	r.u.valid.step = 1;
	r.u.valid.node = "another";
	r.u.valid.check = "residual";
	r.u.valid.ok = true;
	print_record(p, &r);
	end(p, p->count, p->ranks);
	return 0;
}

/* A daemon that keeps our pipes and ignores TERM. */
static int play_leave(struct play *p)
{
	pid_t pid;

	whole(p);
	pid = fork();
	if (!pid) {
		(void)setsid();
		if (fork())
			_exit(0);
		(void)signal(SIGTERM, SIG_IGN);
		for (;;)
			(void)pause();
	}
	return pid < 0;
}

static int not_run(struct play *p, const char *what)
{
	char buf[1024];

	all_ranks(p);
	event(p, what, text(p, 0, buf, sizeof(buf)));
	end(p, p->count, p->ranks);
	return 3;
}

static int play_skip(struct play *p)
{
	return not_run(p, "skip");
}

static int play_invalid(struct play *p)
{
	return not_run(p, "invalid");
}

static const struct {
	const char *name;
	int (*play)(struct play *p);
} behaviours[] = {
	/* [fake.rate=X] [fake.time=X] [reps=N] [grow=SHARE] [slow=NODE] */
	{"ok", play_ok},
	{"failed", play_failed},
	{"hang", play_hang},
	{"hang-term", play_hang_term}, /* TERM does not end it */
	{"half-line", play_half_line},
	{"torn", play_torn},
	{"garbage", play_garbage},
	{"no-result", play_no_result},
	{"no-sample", play_no_sample},
	{"refuse", play_refuse},           /* TEXT */
	{"say", play_say},                 /* TEXT, well: the answer of a node */
	{"exit", play_exit},               /* STATUS [TEXT] */
	{"signal", play_signal},           /* NUMBER, before any record */
	{"die", play_die},                 /* NUMBER, before the end */
	{"rank-killed", play_rank_killed}, /* NUMBER */
	{"late", play_late},               /* STATUS, after a good result */
	{"watchdog", play_watchdog},
	{"world", play_world}, /* RANKS */
	{"rank-missing", play_rank_missing},
	{"rank-twice", play_rank_twice},
	{"miscount", play_miscount},
	{"no-end", play_no_end},
	{"after-end", play_after_end},
	{"flood", play_flood}, /* MIB */
	{"flood-records", play_flood_records},
	{"nan", play_nan},
	{"undeclared", play_undeclared},
	{"unit", play_unit},
	{"oversized", play_oversized},
	{"forged", play_forged},
	{"named", play_named},
	{"leave", play_leave},
	{"when", play_when},       /* FILE BEHAVIOUR [WORD...] */
	{"skip", play_skip},       /* TEXT */
	{"invalid", play_invalid}, /* TEXT */
};

/* The behaviour @name. Ends the process on nonsense. */
static int (*behaviour(const char *name))(struct play *p)
{
	for (size_t i = 0; i < sizeof(behaviours) / sizeof(behaviours[0]); i++) {
		if (!strcmp(name, behaviours[i].name))
			return behaviours[i].play;
	}
	(void)fprintf(stderr, "assay-fake: no behaviour '%s'\n", name);
	exit(2);
}

static int play_when(struct play *p)
{
	const struct timespec moment = {.tv_nsec = 5000000};
	const char *file = p->words[0], *name = p->words[1];

	if (p->n_words < 2)
		return 2;
	while (access(file, F_OK))
		(void)nanosleep(&moment, NULL);
	p->n_words -= 2;
	memmove(p->words, p->words + 2, p->n_words * sizeof(*p->words));
	return behaviour(name)(p);
}

/* Cuts "+NODE" off a glob: false when that node is not among the step's. */
static bool takes_part(const struct play *p, char *glob)
{
	char *plus = strchr(glob, '+');

	if (!plus)
		return true;
	*plus = '\0';
	for (int i = 0; i < p->n_nodes; i++) {
		if (!strcmp(p->nodes[i], plus + 1))
			return true;
	}
	return false;
}

/* The behaviour for @key: its function, its words in @p. */
static int (*find(struct play *p, const char *key))(struct play *p)
{
	const char *script = getenv("ASSAY_TEST_LAUNCHER");
	FILE *f = script && *script ? fopen(script, "re") : NULL;
	char *name = NULL;
	static char line[4096];

	while (f && !name && fgets(line, sizeof(line), f)) {
		char *save = NULL, *glob = strtok_r(line, " \t\n", &save);

		if (!glob || *glob == '#' || !takes_part(p, glob) ||
		    fnmatch(glob, key, 0))
			continue;
		name = strtok_r(NULL, " \t\n", &save);
		while (p->n_words < MAX_WORDS &&
		       (p->words[p->n_words] = strtok_r(NULL, " \t\n", &save)))
			p->n_words++;
	}
	if (f)
		(void)fclose(f);
	return behaviour(name ? name : "ok");
}

/* From the test launcher, or this machine alone when there is none. */
static void read_step(struct play *p)
{
	const char *path = getenv("ASSAY_TEST_NODES"), *n;
	static char host[256], line[512];
	FILE *f = path ? fopen(path, "re") : NULL;

	p->ranks = (n = getenv("ASSAY_TEST_RANKS")) ? (int)strtol(n, NULL, 10) : 1;
	p->per_node = (n = getenv("ASSAY_TEST_PER_NODE")) ? (int)strtol(n, NULL, 10) : 1;
	while (f && p->n_nodes < MAX_NODES && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		p->nodes[p->n_nodes++] = strdup(line);
	}
	if (f)
		(void)fclose(f);
	if (!p->n_nodes) {
		(void)gethostname(host, sizeof(host) - 1);
		p->nodes[p->n_nodes++] = host;
	}
	if (p->per_node < 1 || p->ranks > p->n_nodes * p->per_node) {
		(void)fprintf(stderr, "assay-fake: %d ranks on %d nodes\n", p->ranks,
			      p->n_nodes);
		exit(2);
	}
}

static int describe(void)
{
	(void)printf(
		"{\"kernel\":\"fake\",\"help\":\"measures nothing, for tests\","
		"\"shape\":\"set\",\"version\":\"%s\",\"build\":\"%s\",\"metrics\":["
		"{\"name\":\"fake.rate\",\"unit\":\"B/s\",\"better\":\"higher\","
		"\"reduce\":\"best\",\"help\":\"as the script says\"},"
		"{\"name\":\"fake.time\",\"unit\":\"s\",\"better\":\"lower\","
		"\"reduce\":\"median\",\"help\":\"as the script says\"},"
		"{\"name\":\"fake.rank_rate\",\"unit\":\"B/s\",\"better\":\"higher\","
		"\"reduce\":\"median\",\"unrated\":true,\"help\":\"of one rank\"},"
		"{\"name\":\"fake.rank_wait\",\"unit\":\"ratio\",\"better\":\"lower\","
		"\"reduce\":\"median\",\"unrated\":true,\"help\":\"of one rank\"}],"
		"\"options\":[{\"name\":\"size\",\"type\":\"size\",\"default\":\"1M\","
		"\"help\":\"of nothing\"},{\"name\":\"mode\",\"type\":\"choice\","
		"\"default\":\"a\",\"choices\":[\"a\",\"b\"],\"help\":\"of nothing\"}],"
		"\"fit\":{\"options\":[\"size\"],\"power\":1,\"bytes\":1,\"of\":\"all\","
		"\"strict\":false,\"least\":1,\"multiple\":1048576}}\n",
		ASSAY_VERSION, ASSAY_BUILD);
	return 0;
}

/* Options of every kernel and its own, each with a value. */
static int check_words(int argc, char **argv)
{
	static const char *const known[] = {"--format", "--cpuset", "--threads",
					    "--limit",  "--size",   "--mode"};

	for (int i = 1; i < argc; i += 2) {
		bool ok = false;

		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			ok = ok || (!strcmp(argv[i], known[k]) && i + 1 < argc);
		if (!ok) {
			(void)fprintf(stderr, "assay-fake: unknown option '%s'\n",
				      argv[i]);
			return -1;
		}
	}
	return 0;
}

/* Prints @line with the name of the node instead of this machine's. */
static void print_as(const char *node, const char *line)
{
	static const char key[] = "\"host\":\"";
	const char *host = strstr(line, key);

	if (!host) {
		(void)fputs(line, stdout);
		return;
	}
	host += sizeof(key) - 1;
	(void)printf("%.*s%s%s", (int)(host - line), line, node, strchr(host, '"'));
}

/* Runs the words here, but as on a machine of that name. */
static int run_as(const char *node, char **words)
{
	char *line = NULL;
	size_t size = 0;
	int fds[2], status = 0;
	FILE *out;
	pid_t pid;

	if (pipe(fds))
		return 127;
	pid = fork();
	if (!pid) {
		(void)dup2(fds[1], 1);
		(void)close(fds[0]);
		(void)close(fds[1]);
		(void)execvp(words[0], words);
		perror(words[0]);
		_exit(127);
	}
	(void)close(fds[1]);
	out = fdopen(fds[0], "r");
	while (out && getline(&line, &size, out) > 0)
		print_as(node, line);
	free(line);
	if (out)
		(void)fclose(out);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int reach(struct play *p, char **argv)
{
	char key[512];
	int (*play)(struct play * p);

	(void)snprintf(key, sizeof(key), "reach@%s", argv[2]);
	play = find(p, key);
	if (play != play_ok)
		return play(p);
	return run_as(argv[2], argv + 3);
}

int main(int argc, char **argv)
{
	static struct play p;
	const char *key = getenv("ASSAY_TEST_KEY");

	if (argc == 2 && !strcmp(argv[1], "--describe"))
		return describe();
	if (argc == 2 && !strcmp(argv[1], "--version"))
		return printf("assay-fake %s (%s)\n", ASSAY_VERSION, ASSAY_BUILD) < 0;
	read_step(&p);
	if (argc > 3 && !strcmp(argv[1], "--reach"))
		return reach(&p, argv);
	if (check_words(argc, argv))
		return 2;
	return find(&p, key ? key : "by-hand")(&p);
}
