/* SPDX-License-Identifier: Apache-2.0 */
/* What the controller wants done or looked up on a node in the middle of a run. */
#ifndef ASSAY_KERNELS_PROBE_CHORES_H
#define ASSAY_KERNELS_PROBE_CHORES_H

#include "base/err.h"
#include "host/io.h"

/* Ends what an interrupted start of run @id left here and prints how many there were. */
int chores_end_run(const char *id, struct err *e);

/* Prints the number of host_oom_kills(), or nothing where it is not known. */
int chores_oom_kills(const struct host_io *io, struct err *e);

#endif
