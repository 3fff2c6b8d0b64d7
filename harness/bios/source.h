/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where BIOS settings are read: from saved files, on the node, from its BMC, from what
 * the probe found. One file source_NAME.c and one line in sources.def each. Readers only:
 * what the settings should be is the judge's business, and a source that finds none says
 * so, never that there are none.
 */
#ifndef ASSAY_BIOS_SOURCE_H
#define ASSAY_BIOS_SOURCE_H

#include "base/arena.h"
#include "base/err.h"
#include "record/record.h"
#include "record/settings.h"

/* What was read of one node, by one source. */
struct bios_reading {
	struct arena arena; /* owns all texts */
	const char *source;
	struct settings settings;
	const char *job;     /* JSON as in the record; NULL: nobody looked */
	const char *chassis; /* JSON as in the record, or NULL */
	const char *link;    /* path of the settings object on the BMC, or NULL */
	const char *remark;  /* or NULL */
	const char *error;   /* why there are no settings, one sentence; else NULL */
};

/* One answer: of a file, a command or a BMC. */
struct bios_text {
	const char *text;
	size_t len;
	const char *role; /* what its file's name says it is: "settings", "jobs"; or "" */
	const char *name; /* of the file, NULL: it is none */
};

enum bios_where {
	BIOS_FILE,  /* saved files only */
	BIOS_NODE,  /* commands on the node; their output may be saved, too */
	BIOS_BMC,   /* the controller asks the BMC itself: bios/redfish.h */
	BIOS_FACTS, /* the record of assay-probe */
};

struct bios_source {
	const char *name, *help;
	enum bios_where where;
	/* The @i-th command of a source on the node, NULL-terminated; NULL at the end. */
	const char *const *(*command)(size_t i);
	/* A saved text is of this source. */
	bool (*is)(const char *text, size_t len);
	/* Reads the texts of one node into @out; -1 and the reason when it cannot. */
	int (*read)(struct bios_reading *out, const struct bios_text *texts, size_t n,
		    struct err *e);
};

#define SOURCE(name) extern const struct bios_source source_##name;
#include "bios/sources.def"
#undef SOURCE

/* By name, or NULL; by number for listing, NULL at the end. */
const struct bios_source *bios_source_find(const char *name);
const struct bios_source *bios_source_at(size_t i);
/* ERR_USAGE with a suggestion for a name that is none. */
int bios_source_pick(const struct bios_source **out, const char *name, struct err *e);
/* The source a saved text is of, NULL when it is of none. */
const struct bios_source *bios_source_of(const char *text, size_t len);

/* For readers: adds to the remark on the whole reading. */
void bios_remark(struct bios_reading *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Bytes of one answer or file at most: real ones have less than 1 MiB. */
enum { BIOS_MAX_TEXT = 16 << 20 };

/*
 * Reads the texts of one node. What cannot be read, and an answer without a single
 * attribute, is `error`. bios_reading_release() after.
 */
void bios_read(struct bios_reading *out, const struct bios_source *source,
	       const struct bios_text *texts, size_t n);
void bios_reading_release(struct bios_reading *r);

/* The record of @node; its texts are the reading's, or in its arena. */
struct record bios_record(struct bios_reading *r, const char *node);

#endif
