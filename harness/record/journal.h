/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The journal: journal.jsonl, the only product of a run. One write() per record,
 * fdatasync at the start and the end of a step. What is on disk is never changed, except
 * that a last line cut by a crash is removed when the run is resumed.
 */
#ifndef ASSAY_RECORD_JOURNAL_H
#define ASSAY_RECORD_JOURNAL_H

#include "record/record.h"

struct journal; /* is a record_sink: journal_sink() */

/* Creates DIR/journal.jsonl (it must not exist) or, with @resume, opens it to append. */
int journal_open(struct journal **j, const char *dir, bool resume, struct err *e);
struct record_sink *journal_sink(struct journal *j);
/*
 * Appends one record with the current wall time. A write that fails part of the way is
 * taken back, so the file always ends in a whole line; the error is ERR_SYSTEM (exit 4).
 */
int journal_put(struct journal *j, const struct record *r, struct err *e);
int journal_sync(struct journal *j, struct err *e);
void journal_close(struct journal *j);

/*
 * Reads DIR/journal.jsonl, calling @fn for each record in order; the record's texts are
 * in @texts, see record_read(). A last line without newline is ignored (a crash cut it).
 * A damaged line in the middle is counted in *damaged and skipped: the rest is still
 * worth having, and the judge says so.
 */
int journal_read(const char *dir, struct names *texts,
		 int (*fn)(void *ctx, const struct record *r, struct err *e), void *ctx,
		 size_t *damaged, struct err *e);

#endif
