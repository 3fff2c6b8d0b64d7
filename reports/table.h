/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the term report: a line for each row of like verdicts. */
#ifndef ASSAY_REPORTS_TABLE_H
#define ASSAY_REPORTS_TABLE_H

#include "reports/rows.h"
#include "reports/term.h"

/*
 * Adds the table with its origins below. Where it is too wide for the screen every row
 * becomes a paragraph. Beyond 60 rows the good ones are left out first, and counted.
 */
void table_add(struct term *t, const struct rows *rows);

#endif
