/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a program could be started on this machine, found out without starting it. */
#ifndef ASSAY_BASE_PROGRAM_H
#define ASSAY_BASE_PROGRAM_H

#include <stdbool.h>

#include "base/strbuf.h"

/*
 * @command as a launcher takes it, started in @dir (NULL: where we are): a path, which
 * when it is relative begins in @dir, or a name that is looked up in PATH and then in
 * @dir. False with one sentence appended to @why: "command not found: 'xhpl'", "no such
 * directory: '/opt'", "command cannot be executed: '/opt/x'".
 */
bool program_check(const char *command, const char *dir, struct strbuf *why);

#endif
