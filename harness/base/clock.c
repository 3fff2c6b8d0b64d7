/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks: see clock.h. */
#include "base/clock.h"

#include <time.h>

static double seconds(clockid_t id)
{
	struct timespec ts = {0};

	(void)clock_gettime(id, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

double clock_now(void)
{
	return seconds(CLOCK_MONOTONIC);
}

double clock_wall(void)
{
	return seconds(CLOCK_REALTIME);
}
