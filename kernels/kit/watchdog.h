/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog: no kernel outlives its limit, whatever it is stuck in. A timer's signal
 * handler writes one line and ends the process; it needs no thread of ours to be alive.
 */
#ifndef ASSAY_KERNELS_KIT_WATCHDOG_H
#define ASSAY_KERNELS_KIT_WATCHDOG_H

#include "base/err.h"

/* Seconds after its limit at which a kernel ends itself, and its exit status then. */
enum { WATCHDOG_GRACE = 5, WATCHDOG_EXIT = 124 };

/* Arms it for @limit s from now; 0 arms nothing. @kernel is borrowed. */
int watchdog_arm(const char *kernel, double limit, struct err *e);

/* What the kernel is in from now on, for the line: "setup", "run"; a literal. */
void watchdog_phase(const char *phase);

#endif
