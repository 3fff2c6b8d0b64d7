/* SPDX-License-Identifier: Apache-2.0 */
/* What judge_config_load() reads, for the rules. */
#ifndef ASSAY_JUDGE_JUDGE_CONFIG_H
#define ASSAY_JUDGE_JUDGE_CONFIG_H

#include "judge/baseline.h"
#include "judge/cpus.h"
#include "judge/judge.h"
#include "judge/bios_known.h"
#include "judge/profile.h"
#include "judge/theory.h"

struct judge_config {
	struct cpus cpus;
	struct theory theory;
	struct baselines baselines;
	struct bios_known known;
	struct profile *profiles; /* shipped ones, then a site's own */
	size_t n_profiles, cap_profiles;
	const char *profile_folder; /* of the shipped ones */
	struct arena arena;         /* owns the texts of files */
	struct judge_file *files;
	size_t n_files, cap_files;
};

/*
 * References and limits are in the units their metrics are declared with. Metrics no
 * kernel of the run has are not looked at. ERR_USAGE with file:line:col.
 */
int judge_config_check(const struct judge_config *c, const struct metrics *m,
		       struct err *e);

#endif
