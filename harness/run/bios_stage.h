/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BIOS stage: the settings of all nodes, from where the site says, as records into a
 * sink. What cannot be read is a record with its reason; nothing of it keeps a node from
 * being measured.
 */
#ifndef ASSAY_RUN_BIOS_STAGE_H
#define ASSAY_RUN_BIOS_STAGE_H

#include "bios/credentials.h"
#include "bios/source.h"
#include "run/runner.h"

struct bios_stage {
	struct runner *runner; /* how nodes are reached; its *stop ends the stage */
	const struct site *site;
	const struct credentials *credentials; /* NULL: none are needed */
	/* attributes that make a fingerprint: NULL: all */
	bool (*counts)(const void *ctx, const char *name);
	const void *ctx;
	struct record_sink *sink;
};

/*
 * The source the site's `bmc` asks for, NULL when it asks for none. ERR_USAGE for one
 * that is none, and where something it needs is missing.
 */
int bios_stage_source(const struct site *site, const struct bios_source **out,
		      struct err *e);

/* The source needs a user and a password. */
bool bios_stage_needs_credentials(const struct site *site);

/* Reads @nodes from @source. */
int bios_stage_read(const struct bios_stage *b, const struct bios_source *source,
		    const char *const *nodes, size_t n, struct err *e);

/*
 * What the running system of @node shows, from the JSON text of its facts; no record when
 * it shows nothing, and then the reason is appended to @why (may be NULL).
 */
int bios_stage_facts(const struct bios_stage *b, const char *node, const char *facts,
		     struct strbuf *why, struct err *e);

#endif
