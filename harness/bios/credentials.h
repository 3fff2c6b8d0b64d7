/* SPDX-License-Identifier: Apache-2.0 */
/*
 * User and password of the BMCs. They come from a file of mode 0600, the environment or a
 * prompt, and go to the BMCs and nowhere else: no command line, no environment of a
 * child, no record, report, log or error text ever holds them.
 */
#ifndef ASSAY_BIOS_CREDENTIALS_H
#define ASSAY_BIOS_CREDENTIALS_H

#include "base/err.h"

struct credentials {
	char *user, *password; /* NULL: not known */
};

/*
 * Takes ASSAY_BMC_USER and ASSAY_BMC_PASSWORD out of our environment: removed, and their
 * text there overwritten, so that neither a child nor /proc shows them. Called before
 * anything is started.
 */
void credentials_take(struct credentials *c);

/*
 * Reads the lines `user=...` and `password=...` of @path; all behind the '=' counts, as
 * it is. ERR_USAGE, also for a file that others than its owner may read.
 */
int credentials_read(struct credentials *c, const char *path, struct err *e);

/* Asks on the terminal what is not known yet. ERR_USAGE where there is none. */
int credentials_ask(struct credentials *c, struct err *e);

/* Takes over what @from has and @c has not; @from NULL has nothing. */
void credentials_copy(struct credentials *c, const struct credentials *from);

/* Overwrites and frees them. */
void credentials_release(struct credentials *c);

#endif
