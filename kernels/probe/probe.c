/* SPDX-License-Identifier: Apache-2.0 */
/* assay-probe: the facts of the machine it runs on, as a record or for people. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assay_build.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/program.h"
#include "base/suggest.h"
#include "chores.h"
#include "host/busy.h"
#include "host/facts.h"
#include "inventory.h"
#include "programs.h"
#include "record/record.h"
#include "resolve.h"

struct options {
	struct host_io io;
	const char *save, *programs;
	const char *run, *end_run; /* ids */
	const char *find, *dir;    /* a command, and where it would be started */
	bool records, mask_users, done;
	bool resolve, oom_kills;
	char **words; /* after the options */
	int n_words;
};

/* Seconds over which processes are watched, what else is gathered meanwhile. */
static const double watch = 0.1;

static const struct option longopts[] = {
	{"format", required_argument, NULL, 'f'},
	{"save", required_argument, NULL, 's'},
	{"root", required_argument, NULL, 'r'},
	{"mask-users", no_argument, NULL, 'm'},
	{"programs", required_argument, NULL, 'p'},
	{"resolve", no_argument, NULL, 'n'},
	{"run", required_argument, NULL, 'i'},
	{"end-run", required_argument, NULL, 'e'},
	{"oom-kills", no_argument, NULL, 'o'},
	{"find", required_argument, NULL, 'c'},
	{"dir", required_argument, NULL, 'd'},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static const char help[] =
	"usage: assay-probe [--format text|records] [--save FILE] [--mask-users] [--root "
	"DIR]\n"
	"                   [--programs LIST] [--run ID]\n"
	"       assay-probe --resolve NAME... | --end-run ID | --oom-kills\n"
	"       assay-probe --find COMMAND [--dir DIR]\n"
	"\n"
	"Shows what this node is: CPUs, caches, NUMA domains, memory, adapters, system, "
	"firmware.\n"
	"\n"
	"options:\n"
	"  --format text     a few lines for people (default on a terminal)\n"
	"  --format records  one record for assay, with hwloc's XML (default otherwise)\n"
	"  --save FILE       writes the record to FILE (0600): run by root it has what "
	"only\n"
	"                    root can read; name it under 'facts' in the site file\n"
	"  --mask-users      names no user whose processes are found busy\n"
	"  --root DIR        a recorded tree of /proc and /sys instead of this machine\n"
	"  --programs LIST   asks these kernels, as stream,fence, whether they run here\n"
	"  --run ID          what runs here with ASSAY_RUN=ID belongs to who asks\n"
	"  --resolve         prints the addresses of the names, each when it is known\n"
	"  --end-run ID      ends all processes with ASSAY_RUN=ID; prints how many\n"
	"  --oom-kills       prints how many processes the kernel ended since boot for "
	"want\n"
	"                    of memory, or nothing\n"
	"  --find COMMAND    prints why that could not be started here in --dir DIR, or\n"
	"                    nothing\n"
	"  --help, --version\n";

static int unknown(const char *word, struct err *e)
{
	const char *names[] = {"format",  "save", "root",    "mask-users", "programs",
			       "resolve", "run",  "end-run", "oom-kills",  "find",
			       "dir",     "help", "version"};
	const size_t n = sizeof(names) / sizeof(names[0]);
	const char *near = strncmp(word, "--", 2) ? NULL : suggest(word + 2, names, n);

	if (near)
		return err_set(e, ERR_USAGE,
			       "unknown option '%.60s', did you mean '--%s'?", word,
			       near);
	return err_set(e, ERR_USAGE, "unknown option '%.60s', see --help", word);
}

/* Where an option that is plain text belongs; NULL: it is another. */
static const char **text_of(struct options *o, int option)
{
	switch (option) {
	case 's':
		return &o->save;
	case 'r':
		return &o->io.root;
	case 'p':
		return &o->programs;
	case 'i':
		return &o->run;
	case 'c':
		return &o->find;
	case 'd':
		return &o->dir;
	default:
		return NULL;
	}
}

static int parse(int argc, char **argv, struct options *o, struct err *e)
{
	struct stat st;
	int c;

	opterr = 0;
	o->io.root = "/";
	o->records = !isatty(STDOUT_FILENO);
	while ((c = getopt_long(argc, argv, ":", longopts, NULL)) != -1) {
		const char **text = text_of(o, c);

		if (text) {
			*text = optarg;
			continue;
		}
		switch (c) {
		case 'f':
			o->records = !strcmp(optarg, "records");
			if (!o->records && strcmp(optarg, "text") != 0)
				return err_set(
					e, ERR_USAGE,
					"--format '%.40s', expected text or records",
					optarg);
			break;
		case 'm':
			o->mask_users = true;
			break;
		case 'n':
			o->resolve = true;
			break;
		case 'e':
			if (!*optarg)
				return err_set(e, ERR_USAGE, "--end-run needs an id");
			o->end_run = optarg;
			break;
		case 'o':
			o->oom_kills = true;
			break;
		case 'h':
			o->done = true;
			(void)fputs(help, stdout);
			return 0;
		case 'V':
			o->done = true;
			(void)printf("assay-probe %s (%s)\n", ASSAY_VERSION, ASSAY_BUILD);
			return 0;
		case ':':
			return err_set(e, ERR_USAGE, "option '%.60s' needs a value",
				       argv[optind - 1]);
		default:
			return unknown(argv[optind - 1], e);
		}
	}
	o->words = argv + optind;
	o->n_words = argc - optind;
	if (optind < argc && !o->resolve)
		return err_set(e, ERR_USAGE, "unexpected word '%.60s', see --help",
			       argv[optind]);
	if (o->dir && !o->find)
		return err_set(e, ERR_USAGE, "--dir is for --find");
	if (!o->io.root || stat(o->io.root, &st) || !S_ISDIR(st.st_mode))
		return err_set(e, ERR_USAGE, "--root '%.200s', expected a folder",
			       o->io.root);
	return 0;
}

/* The node record; the controller fills in the name it asked by. */
static void encode(const json_t *facts, const struct topology *t, const char *class_name,
		   const char *broken, struct strbuf *line)
{
	struct record r = record_make(RECORD_KIND_node);
	char *text = json_dumps(facts, JSON_COMPACT | JSON_REAL_PRECISION(17));
	struct strbuf xml = {0};
	struct err e = {0};

	r.u.node.node = "";
	r.u.node.host = json_string_value(
		json_object_get(json_object_get(facts, "os"), "hostname"));
	r.u.node.class = class_name;
	r.u.node.build = ASSAY_BUILD;
	r.u.node.broken = *broken ? broken : NULL;
	r.u.node.facts = text;
	if (t && !topology_xml(t, &xml, &e))
		r.u.node.topology = strbuf_str(&xml);
	record_encode(&r, line);
	free(text);
	strbuf_release(&xml);
}

static int print(const struct strbuf *text, struct err *e)
{
	if (fwrite(strbuf_str(text), 1, text->len, stdout) != text->len || fflush(stdout))
		return err_sys(e, errno, "write the result");
	return 0;
}

/* What others do on a node that is about to be measured. */
static json_t *watch_others(const struct options *o, const struct busy_look *first)
{
	/* over ssh no environment comes along */
	const struct busy_options busy = {getpid(), o->run ? o->run : getenv("ASSAY_RUN"),
					  o->mask_users};
	struct busy_look second;
	json_t *clean;

	while (clock_now() < first->t + watch)
		(void)usleep((useconds_t)((first->t + watch - clock_now()) * 1e6) + 1);
	busy_look(&o->io, clock_now(), &second);
	clean = busy_compare(&o->io, first, &second, &busy);
	busy_release(&second);
	return clean;
}

static json_t *gather(const struct options *o, struct topology **t)
{
	/* not of a recorded machine, and not for ever: such facts are of this moment */
	bool live = o->records && !o->save && !strcmp(o->io.root, "/");
	double start = clock_wall();
	struct busy_look first = {0};
	struct err why = {0};
	json_t *facts;

	if (live)
		busy_look(&o->io, clock_now(), &first);
	if (topology_load(t, &o->io, &why))
		*t = NULL; /* a fact like others: see facts_gather() */
	facts = facts_gather(&o->io, *t, why.msg);
	if (live) {
		(void)json_object_set_new(facts, "clean", watch_others(o, &first));
		(void)json_object_set_new(
			facts, "clock",
			json_pack("{s:f, s:f}", "start", start, "end", clock_wall()));
	}
	busy_release(&first);
	return facts;
}

static int probe(const struct options *o, struct err *e)
{
	struct strbuf line = {0}, out = {0}, class_name = {0}, broken = {0};
	struct topology *t;
	json_t *facts = gather(o, &t);
	int rc = o->programs ? programs_check(o->programs, &broken, e) : 0;

	facts_class(facts, t, &class_name);
	encode(facts, t, strbuf_str(&class_name), strbuf_str(&broken), &line);
	if (o->records) {
		struct record end = record_make(RECORD_KIND_end);

		end.u.end.count = 1;
		end.u.end.ranks = 1;
		strbuf_addf(&out, "@assay %s\n@assay ", strbuf_str(&line));
		record_encode(&end, &out);
		strbuf_addch(&out, '\n');
	} else {
		inventory(facts, strbuf_str(&class_name), &out);
		if (broken.len)
			strbuf_addf(&out, "%-11s%s\n", "broken", strbuf_str(&broken));
	}
	if (!rc && o->save) {
		strbuf_addch(&line, '\n');
		rc = file_save(o->save, strbuf_str(&line), line.len, e);
	}
	if (!rc)
		rc = print(&out, e);
	json_decref(facts);
	topology_free(t);
	strbuf_release(&line);
	strbuf_release(&out);
	strbuf_release(&class_name);
	strbuf_release(&broken);
	return rc;
}

static int find(const struct options *o, struct err *e)
{
	struct strbuf why = {0};
	int rc = 0;

	if (!program_check(o->find, o->dir, &why)) {
		strbuf_addch(&why, '\n');
		rc = print(&why, e);
	}
	strbuf_release(&why);
	return rc;
}

static int go(const struct options *o, struct err *e)
{
	if (o->find)
		return find(o, e);
	if (o->resolve)
		return resolve(o->words, o->n_words, e);
	if (o->end_run)
		return chores_end_run(o->end_run, e);
	return o->oom_kills ? chores_oom_kills(&o->io, e) : probe(o, e);
}

int main(int argc, char **argv)
{
	struct options o = {0};
	struct err e = {0};
	int rc = parse(argc, argv, &o, &e);

	if (!rc && o.done)
		return fflush(stdout) ? 4 : 0;
	if (!rc)
		rc = go(&o, &e);
	if (rc) {
		(void)fprintf(stderr, "assay-probe: %s\n", e.msg);
		return err_exit_status(&e);
	}
	return 0;
}
