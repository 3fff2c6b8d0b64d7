/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of `assay import` before anything is made of them: what each is, what its reader
 * found, and what is wrong with those that are nothing. One that cannot be read is a
 * result like a node that did not answer: it is said, and the others go on.
 */
#ifndef ASSAY_CMD_IMPORT_H
#define ASSAY_CMD_IMPORT_H

#include "base/names.h"
#include "cmd/cmd.h"
#include "record/reading.h"

/* One file and what is in it. Where a reader joins texts, of all of one node together. */
struct import_source {
	const char *path, *node;
	struct strbuf text;
	const struct reader *reader; /* NULL: nobody's */
	struct reading reading;      /* empty where it is bad */
	const char *bad;             /* why it is none, with file and line; or NULL */
};

/* Zeroed before, import_sources_release() after. */
struct import_sources {
	struct arena *arena; /* of texts */
	struct import_source *items;
	size_t n, n_bad;
	const char *kernels; /* what the kernels say of their metrics: JSON */
};

/*
 * Reads @paths. @reader names the reader of all, or NULL; @node the node of all, NULL:
 * each is of the node it is called after. What is bad, or was left aside, is said on
 * stderr. ERR_USAGE for words that cannot be meant, a path that is not there, and where
 * not one file holds a result.
 */
int import_read(struct import_sources *x, const struct cmd_env *env, const char *run_id,
		const char *reader, const char *node, char **paths, int n, struct err *e);
/* The kernel a result is of; NULL: of none. */
const char *import_kernel(const struct import_source *s, const struct reading_result *r);
/* Its text is a table that says whose its values are, not one node's output. */
bool import_is_table(const struct import_source *s);
void import_sources_release(struct import_sources *x);

#endif
