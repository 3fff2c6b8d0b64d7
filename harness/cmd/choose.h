/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which nodes a command is about: --nodes, --hostfile, the site, the Slurm allocation, or
 * this machine.
 */
#ifndef ASSAY_CMD_CHOOSE_H
#define ASSAY_CMD_CHOOSE_H

#include "base/arena.h"
#include "base/err.h"
#include "plan/site.h"
#include "run/slurm.h"

/*
 * Names, each once, in @a. @list is a hostlist, or "-" for a hostfile on stdin; NULL for
 * an option that was not given. ERR_USAGE for a bad list, and for both at a time.
 */
int choose_nodes(const struct site *site, const struct slurm *slurm, const char *list,
		 const char *hostfile, struct arena *a, const char ***nodes, size_t *n,
		 struct err *e);

#endif
