/* SPDX-License-Identifier: Apache-2.0 */
/* The two clocks of the harness: durations are monotonic, records carry wall time. */
#ifndef ASSAY_BASE_CLOCK_H
#define ASSAY_BASE_CLOCK_H

/* Seconds on CLOCK_MONOTONIC: only differences mean something. */
double clock_now(void);
/* Seconds since the epoch, CLOCK_REALTIME. */
double clock_wall(void);

#endif
