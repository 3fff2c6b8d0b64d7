/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saved settings: files, and folders of them, one or more files a node, of any source,
 * which their content tells. A file is of the node it is called after: n17.xml,
 * n17.bios.json with n17.settings.json and n17.jobs.json beside it.
 */
#ifndef ASSAY_BIOS_FILES_H
#define ASSAY_BIOS_FILES_H

#include "base/names.h"
#include "bios/source.h"

/* The files of one node. */
struct bios_files_node {
	const char *name;
	const char **paths, **roles;
	size_t n, cap;
};

struct bios_files {
	struct names nodes; /* numbers the items */
	struct bios_files_node *items;
	size_t cap;
};

/*
 * Adds a file, or all files of a folder (its folders, and names that begin with a dot,
 * are left out). ERR_USAGE for what is not there and for a folder without files.
 */
int bios_files_add(struct bios_files *f, const char *path, struct err *e);
void bios_files_release(struct bios_files *f);

/*
 * Reads what there is of one node; a text of no known kind, one that is too large and
 * files of two sources are the reading's `error`. bios_reading_release() after.
 */
void bios_files_read(const struct bios_files_node *node, struct bios_reading *out);

#endif
