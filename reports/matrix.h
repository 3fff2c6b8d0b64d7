/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics that were measured between CPUs of one NUMA domain and memory of another, as
 * the matrices people know: a row for the CPUs, a column for the memory.
 */
#ifndef ASSAY_REPORTS_MATRIX_H
#define ASSAY_REPORTS_MATRIX_H

#include "judge/verdict.h"
#include "reports/term.h"

/* Appends one matrix for each step, metric and class of nodes; of several nodes medians.
 */
void matrix_add(struct term *t, const struct summary *s);

#endif
