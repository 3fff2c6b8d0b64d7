/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that gather facts share; parts of facts.c. */
#ifndef ASSAY_HOST_FACTS_GATHER_H
#define ASSAY_HOST_FACTS_GATHER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "host/io.h"
#include "host/topology.h"

struct gather {
	const struct host_io *io;
	const struct topology *t;
	json_t *facts, *unreadable;
};

/* The object of a group, made when it is first needed; NULL: the facts themselves. */
json_t *gather_group(struct gather *g, const char *name);

/* Notes why a fact (of @group, may be NULL) is there and could not be read. */
void gather_unreadable(struct gather *g, const char *group, const char *fact,
		       const char *why);

/* A text fit for a record, at most HOST_IO_LINE bytes. */
json_t *gather_text(const char *s, size_t len);
void gather_count(json_t *o, const char *key, uint64_t n);

/* A whole file; false when there is none, noted when it is unreadable. */
bool gather_file(struct gather *g, const char *path, const char *group, const char *fact,
		 struct strbuf *out);

/*
 * One line of a file: 1 when there is one, 0 when there is no file or it is empty, -1
 * when it could not be read; the first reason of an entry stays in *@why ("" before).
 */
int gather_line(struct gather *g, const char *path, struct strbuf *out,
		struct strbuf *why);

/* The same for a whole number below 2^53, set as @key of @o; -1 for other texts, too. */
int gather_number(struct gather *g, const char *path, json_t *o, const char *key,
		  struct strbuf *why);

/* Groups of facts, one file each. */
void facts_smbios(struct gather *g); /* facts_pci.c */
void facts_pci(struct gather *g);
void facts_hca(struct gather *g); /* facts_net.c */
void facts_net(struct gather *g);
/* @cpu is the first that is online. */
void facts_firmware(struct gather *g, unsigned int cpu); /* facts_firmware.c */

#endif
