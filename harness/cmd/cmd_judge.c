/* SPDX-License-Identifier: Apache-2.0 */
/* assay judge: a run's journal judged again, perhaps against other references. */
#include "cmd/judged.h"

static int judge_one(const struct cmd_env *env, const char *dir,
		     const struct judged_options *o,
		     const struct report_writer *const *writers, size_t n, struct err *e)
{
	struct judged v = {0};
	int status = -1;

	if (judged_open(&v, env, dir, o, e))
		goto out;
	/* first what is on the screen: a full disk must not hide the verdict */
	if (judged_print(&v, "term", stdout, e))
		goto out;
	for (size_t i = 0; i < n; i++) {
		if (report_save(writers[i], &v.summary, dir, e))
			goto out;
	}
	status = v.summary.exit;
out:
	judged_release(&v);
	return status;
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	const struct report_writer *writers[64];
	struct judged_options o = {0};
	const char *formats = NULL;
	const struct cmd_option options[] = {
		{"baseline", 0, CMD_TEXT, "FILE", "references that win over all others",
		 &o.baseline},
		{"configs", 0, CMD_TEXT, "DIR",
		 "cpus.yaml, theory.yaml, baselines/; default: those of the run",
		 &o.configs},
		{"format", 0, CMD_TEXT, "LIST",
		 "reports to write into the folder: term,json,...; default all",
		 &formats},
	};
	size_t n = 0;
	char **words;
	int n_words, rc;

	rc = cmd_options(&cmd_judge, options, sizeof(options) / sizeof(options[0]), argc,
			 argv, &words, &n_words, e);
	if (rc)
		return rc > 0 ? 0 : -1;
	if (n_words != 1)
		return err_set(e, ERR_USAGE, "one run folder, not %d", n_words);
	if (formats && judged_formats(formats, writers, &n, e))
		return err_at(e, "--format");
	for (; !formats && report_at(n); n++)
		writers[n] = report_at(n);
	return judge_one(env, words[0], &o, writers, n, e);
}

const struct command_def cmd_judge = {
	.name = "judge",
	.usage = "DIR [options]",
	.help = "judges a run again and writes its reports; exit status as of a run",
	.run = run,
};
