/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines in the plain form, which is how record_encode() writes nearly all of them, read
 * without a tree of JSON: large journals are replayed in a quarter of the time.
 */
#ifndef ASSAY_RECORD_PLAIN_H
#define ASSAY_RECORD_PLAIN_H

#include "base/names.h"
#include "record/record.h"

/*
 * Plain is: no white space, the kind first, texts of printable ASCII without escapes, no
 * "nonfinite", and JSON fields whose text is what record_decode() would make of them.
 * False says only that a line is not like that; what is plain record_decode() reads, too,
 * with the same values. Texts go into @texts, each once.
 */
bool record_read_plain(const char *line, size_t len, struct names *texts,
		       struct record *r);

#endif
