/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program that is a kernel does before it has ranks, and the form of its lines:
 * for the kit's own main(), and for a kernel that talks without MPI.
 */
#ifndef ASSAY_KERNELS_KIT_START_H
#define ASSAY_KERNELS_KIT_START_H

#include "kernels/kit/options.h"

/* What a record line begins with. */
#define START_MARK "@assay "
/* Bytes of a printed line, newline included: pipes keep lines below it whole. */
enum { START_LINE = 4096 };

/*
 * Reads the command line into @v, which is to be released, and arms the watchdog. False
 * when that is all: --help, --describe and --version are printed, a wrong option is told
 * on stderr (by rank 0, as far as the launcher says); *status is then the exit status.
 */
bool start(const struct kernel *kernel, struct kit_values *v, int argc, char *const *argv,
	   int *status);

/* Tells @e on stderr, by one rank as above; gives the exit status. */
int start_failed(const struct kernel *kernel, const struct err *e);

/* The environment in force, what of it matters, as a JSON object; free() it. */
char *start_env(void);

#endif
