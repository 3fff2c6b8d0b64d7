/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source redfish: the settings of many nodes from their BMCs, side by side. One session
 * for each BMC, which is closed whatever happens: after an error, after a signal. iDRAC's
 * paths are tried first, then those the service itself names.
 */
#ifndef ASSAY_BIOS_REDFISH_H
#define ASSAY_BIOS_REDFISH_H

#include <signal.h>

#include "bios/source.h"

struct redfish_target {
	const char *node;
	const char *address; /* host name, with an optional port */
	const char *pin;     /* "sha256//..." of its public key, or NULL */
};

struct redfish_options {
	const char *user, *password;
	const char *ca; /* file, or NULL */
	bool insecure;
	bool chassis;   /* ask for chassis and sled */
	double limit;   /* s of one request; 0: REDFISH_LIMIT */
	double pause;   /* s before a busy BMC is asked again, then twice; 0: 2 s */
	size_t at_once; /* connections; 0: REDFISH_AT_ONCE */
	/* set by a signal handler: open sessions are closed, the rest is not read */
	const volatile sig_atomic_t *stop;
};

enum { REDFISH_LIMIT = 90, REDFISH_AT_ONCE = 64, REDFISH_REFUSALS = 3 };

/*
 * Reads all targets and hands each reading over, in the order in which they come; @i is
 * the target's place. What a BMC does wrong is the reading's `error`:
 * - busy (503): asked three times in all, with growing pauses;
 * - a wrong password: tried once on each BMC, and after three refusals on no other one;
 *   until one BMC has accepted it no more than three are asked at the same time;
 * - no JSON, cut off, too large, too slow.
 * An error of @fn ends it. 0 also when *stop was set; what was not read is not handed
 * over then. -1 with ERR_USAGE for an address that is none.
 */
int redfish_read(const struct redfish_target *targets, size_t n,
		 const struct redfish_options *o,
		 int (*fn)(void *ctx, size_t i, struct bios_reading *r, struct err *e),
		 void *ctx, struct err *e);

#endif
