/* SPDX-License-Identifier: Apache-2.0 */
/* assay run: the words of the command line, then campaign.h. */
#include <string.h>

#include "cmd/campaign.h"

static int one_plan(struct campaign_args *a, char **words, int n, struct err *e)
{
	if (a->resume) {
		if (n || a->plan || a->site || a->nodes || a->hostfile || a->output ||
		    a->sets.n || a->dry_run || a->topology)
			return err_set(e, ERR_USAGE,
				       "--resume DIR takes plan, nodes, --set and output "
				       "from the "
				       "run folder: leave them out");
		return 0;
	}
	if (a->topology && !a->dry_run)
		return err_set(e, ERR_USAGE,
			       "--topology is for --dry-run: real nodes look as they do");
	if (!n)
		return err_set(
			e, ERR_USAGE,
			"no plan given: a file, or the name of a shipped one such as "
			"'local'; see assay run --help");
	if (n != 1)
		return err_set(e, ERR_USAGE, "one plan, not %d", n);
	a->plan = words[0];
	return 0;
}

static int go(const struct cmd_env *env, const struct campaign_args *a, struct err *e)
{
	struct campaign c;
	int status = a->resume ? campaign_resume(&c, env, a, e)
			       : campaign_prepare(&c, env, a, e);

	if (!status && a->dry_run)
		status = campaign_dry_run(&c, stdout, e);
	else if (!status)
		status = campaign_run(&c, e);
	campaign_release(&c);
	return status;
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	struct campaign_args a = {.argc = argc, .argv = argv};
	const struct cmd_option options[] = {
		{"site", 0, CMD_TEXT, "FILE", "the machines and how to reach them",
		 &a.site},
		{"nodes", 0, CMD_TEXT, "LIST|-",
		 "node names: n[001-064], or - to read them", &a.nodes},
		{"hostfile", 0, CMD_TEXT, "FILE",
		 "node names, one a line as mpirun reads them", &a.hostfile},
		{"launcher", 0, CMD_TEXT, "NAME",
		 "auto, mpirun, local: assay list launchers", &a.launcher},
		{"output", 'o', CMD_TEXT, "DIR",
		 "run folder; default assay-run-DATE-TIME-PLAN", &a.output},
		{"baseline", 0, CMD_TEXT, "FILE", "references besides those shipped",
		 &a.baseline},
		{"time-limit", 0, CMD_TEXT, "T", "of the whole run: 4h, 90m, 30s",
		 &a.time_limit},
		{"set", 0, CMD_LIST, "KEY=VALUE",
		 "STAGE.key=value or KERNEL.option=value", &a.sets},
		{"resume", 0, CMD_TEXT, "DIR", "continue an interrupted run", &a.resume},
		{"dry-run", 0, CMD_FLAG, NULL,
		 "print what would be started, start the probe only", &a.dry_run},
		{"topology", 0, CMD_TEXT, "FILE|DIR|TEXT",
		 "dry run as if every node looked like this: hwloc's XML, a recorded "
		 "tree, or hwloc's synthetic description",
		 &a.topology},
		{"allow-root", 0, CMD_FLAG, NULL, "run as root; recorded", &a.allow_root},
		{"mask-users", 0, CMD_FLAG, NULL,
		 "name no user whose processes are found on a node", &a.mask_users},
		{"quiet", 'q', CMD_FLAG, NULL, "no progress on stderr", &a.quiet},
	};
	char **words, **copy = argv;
	int n, rc;

	rc = cmd_options(&cmd_run, options, sizeof(options) / sizeof(options[0]), argc,
			 copy, &words, &n, e);
	if (rc)
		rc = rc > 0 ? 0 : -1;
	else if (one_plan(&a, words, n, e))
		rc = -1;
	else
		rc = go(env, &a, e);
	cmd_list_release(&a.sets);
	return rc;
}

const struct command_def cmd_run = {
	.name = "run",
	.usage = "PLAN [options] | --resume DIR [options]",
	.help = "measures the nodes as the plan says, judges and reports them",
	.run = run,
};
