/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the kernels of a plan can be run on this node. */
#ifndef ASSAY_KERNELS_PROBE_PROGRAMS_H
#define ASSAY_KERNELS_PROBE_PROGRAMS_H

#include "base/err.h"
#include "base/strbuf.h"

/*
 * Asks each kernel of @list ("stream,hpl") for its version, as the program beside this
 * one. Appends those that do not answer as this build, each with why: a program that is
 * not there or lacks a library, or one of another build. -1: nothing could be asked.
 */
int programs_check(const char *list, struct strbuf *broken, struct err *e);

#endif
