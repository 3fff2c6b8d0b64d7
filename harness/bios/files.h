/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saved settings: files, and folders of them, one or more files a node, of any source,
 * which their content tells. A file is of the node it is called after: n17.xml,
 * n17.bios.json with n17.settings.json and n17.jobs.json beside it, and n17.facts.json
 * for what its running system shows.
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
	struct names seen;    /* a file is read once, however often it is named */
	const char **skipped; /* what of the folders is no dump, and why: a line each */
	size_t n_skipped, cap_skipped;
	bool folders; /* one of the words was a folder */
};

/*
 * Adds a file, or the dumps of a folder: those with the end of a dump's name, and those
 * whose content is that of one; all else in it (folders, copies of editors, README) is
 * said in `skipped`, but for names that begin with a dot. ERR_USAGE for what is not there
 * or cannot be read, and for a folder without a dump.
 */
int bios_files_add(struct bios_files *f, const char *path, struct err *e);
void bios_files_release(struct bios_files *f);

/*
 * Reads what there is of one node: its BIOS settings, and what its system shows where the
 * record of the probe is there as well; the number of readings, 1 or 2. A text of no
 * known kind, one that is too large and files of two sources are the reading's `error`.
 * bios_reading_release() after, for both.
 */
#define BIOS_FILES_NONE "there is no file of it among the saved settings"
enum { BIOS_FILES_READINGS = 2 };
size_t bios_files_read(const struct bios_files_node *node,
		       struct bios_reading out[BIOS_FILES_READINGS]);

#endif
