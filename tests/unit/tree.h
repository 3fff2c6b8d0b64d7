/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded machines for tests: a temporary folder that stands for "/". */
#ifndef ASSAY_TESTS_TREE_H
#define ASSAY_TESTS_TREE_H

#include "host/io.h"

struct tree {
	char dir[64];
	struct host_io io; /* of the folder */
};

/* An empty machine. tree_remove() it. */
void tree_make(struct tree *t);
/* The machine in tests/data/trees/NAME.tree. */
void tree_load(struct tree *t, const char *name);
/* Writes a file of it, folders as needed. */
void tree_put(const struct tree *t, const char *path, const char *text);
void tree_remove(struct tree *t);

#endif
