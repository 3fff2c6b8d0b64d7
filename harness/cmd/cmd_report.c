/* SPDX-License-Identifier: Apache-2.0 */
/* assay report: a run's reports, printed or written; its verdict is not our status. */
#include <string.h>

#include "cmd/judged.h"

enum { MAX_FORMATS = 64 };

struct wish {
	struct judged_options judged;
	const char *dir, *formats, *output;
	const struct report_writer *writers[MAX_FORMATS];
	size_t n;
};

/* The writer whose suffix the file's name has, else that for people. */
static const struct report_writer *by_suffix(const char *file)
{
	const char *dot = file ? strrchr(file, '.') : NULL;

	for (size_t i = 0; dot && report_at(i); i++) {
		if (!strcmp(report_at(i)->suffix, dot))
			return report_at(i);
	}
	return report_find("term");
}

static int choose(struct wish *w, struct err *e)
{
	if (w->formats) {
		if (judged_formats(w->formats, w->writers, &w->n, e))
			return err_at(e, "--format");
	} else {
		w->writers[w->n++] = by_suffix(w->output);
	}
	if (w->n > 1 && w->output)
		return err_set(e, ERR_USAGE,
			       "--output takes one report, not %zu: leave it out to "
			       "write them into the run folder",
			       w->n);
	return 0;
}

static int write_out(const struct wish *w, const struct judged *v, struct err *e)
{
	const struct report_style plain = {.width = 100, .dir = w->dir};

	if (w->n == 1 && (!w->output || !strcmp(w->output, "-")))
		return judged_print(v, w->writers[0]->name, stdout, e);
	if (w->output)
		return report_save_as(w->writers[0], &v->summary, &plain, w->output, e);
	for (size_t i = 0; i < w->n; i++) {
		if (report_save(w->writers[i], &v->summary, w->dir, e))
			return -1;
	}
	return 0;
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	struct wish w = {0};
	const struct cmd_option options[] = {
		{"format", 0, CMD_TEXT, "LIST",
		 "term, json, junit; several are written into the run folder",
		 &w.formats},
		{"output", 'o', CMD_TEXT, "FILE|-",
		 "where one report goes; default: standard output", &w.output},
		{"baseline", 0, CMD_TEXT, "FILE", "references that win over all others",
		 &w.judged.baseline},
		{"configs", 0, CMD_TEXT, "DIR",
		 "cpus.yaml, theory.yaml, baselines/; default: those of the run",
		 &w.judged.configs},
	};
	struct judged v = {0};
	char **words;
	int n, rc;

	rc = cmd_options(&cmd_report, options, sizeof(options) / sizeof(options[0]), argc,
			 argv, &words, &n, e);
	if (rc)
		return rc > 0 ? 0 : -1;
	if (n != 1)
		return err_set(e, ERR_USAGE, "one run folder, not %d", n);
	w.dir = words[0];
	if (choose(&w, e))
		return -1;
	rc = judged_open(&v, env, w.dir, &w.judged, e);
	if (!rc)
		rc = write_out(&w, &v, e);
	judged_release(&v);
	return rc;
}

const struct command_def cmd_report = {
	.name = "report",
	.usage = "DIR [options]",
	.help = "prints or writes a run's reports; 0 whatever the verdict",
	.run = run,
};
