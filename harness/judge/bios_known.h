/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of BIOS attributes on all boards, from configs/bios.yaml: which of them
 * say nothing about a machine, which are its identity, which can be set only while
 * another one has a certain value, and where racadm keeps them.
 */
#ifndef ASSAY_JUDGE_BIOS_KNOWN_H
#define ASSAY_JUDGE_BIOS_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/* Names, or patterns with '*'. */
struct bios_known_list {
	const char **items;
	size_t n;
};

/* The children can be set only while the attribute has, after a reboot, this value. */
struct bios_known_parent {
	const char *name, *value;
	struct bios_known_list children;
};

struct bios_known_group {
	const char *name; /* ProcSettings */
	struct bios_known_list attributes;
};

struct bios_known {
	struct arena arena;
	struct bios_known_list ignore; /* noise: other values mean nothing */
	struct bios_known_list
		identity; /* what the machine is: like nodes should have the same */
	struct bios_known_list unique; /* differs on every node */
	struct bios_known_parent *parents;
	size_t n_parents;
	struct bios_known_group *groups;
	size_t n_groups;
};

/* ERR_USAGE with file:line:col. bios_known_release() after, also after an error. */
int bios_known_load(struct bios_known *k, const char *path, struct err *e);
void bios_known_release(struct bios_known *k);

bool bios_known_has(const struct bios_known_list *list, const char *name);
/* It says something about how a machine is set: neither noise nor of one node alone. */
bool bios_known_counts(const struct bios_known *k, const char *name);
/* The parent of an attribute, NULL when it has none; its group, NULL when not known. */
const struct bios_known_parent *bios_known_parent(const struct bios_known *k,
						  const char *name);
const char *bios_known_group(const struct bios_known *k, const char *name);

#endif
