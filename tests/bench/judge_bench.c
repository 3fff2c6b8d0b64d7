/* SPDX-License-Identifier: Apache-2.0 */
/* Times the parts of judging a run folder: replay of its journal, and the rules. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "judge/judge.h"

static int fail(const struct err *e)
{
	(void)fprintf(stderr, "judge_bench: %s\n", e->msg);
	return err_exit_status(e);
}

int main(int argc, char **argv)
{
	const char *configs = argc > 2 ? argv[2] : SOURCE_DIR "/configs";
	struct judge_config *config = NULL;
	struct summary summary = {0};
	struct state state = {0};
	struct err e = {0};
	double start = clock_now(), replayed, judged;
	int rc = 2;

	if (argc < 2) {
		(void)fprintf(stderr, "usage: judge_bench RUN-FOLDER [CONFIGS]\n");
		return 2;
	}
	if (judge_config_load(&config, configs, NULL, &e) ||
	    state_replay(&state, argv[1], &e)) {
		rc = fail(&e);
		goto out;
	}
	replayed = clock_now();
	if (judge(&summary, &state, config, &e)) {
		rc = fail(&e);
		goto out;
	}
	judged = clock_now();
	(void)printf("replay %.3f s, judge %.3f s: %zu verdicts, %s\n", replayed - start,
		     judged - replayed, summary.n_verdicts, verdict_name(summary.word));
	rc = 0;
out:
	summary_release(&summary);
	state_release(&state);
	judge_config_free(config);
	return rc;
}
