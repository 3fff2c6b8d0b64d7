/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is known of BIOS attributes on all boards, from configs/bios.yaml: which of them
 * say nothing about a machine, which are its identity, which can be set only while
 * another one has a certain value, and where racadm keeps them.
 */
#ifndef ASSAY_JUDGE_KNOWN_H
#define ASSAY_JUDGE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/* Names, or patterns with '*'. */
struct known_list {
	const char **items;
	size_t n;
};

/* The children can be set only while the attribute has, after a reboot, this value. */
struct known_parent {
	const char *name, *value;
	struct known_list children;
};

struct known_group {
	const char *name; /* ProcSettings */
	struct known_list attributes;
};

struct known {
	struct arena arena;
	struct known_list ignore; /* noise: other values mean nothing */
	struct known_list
		identity; /* what the machine is: like nodes should have the same */
	struct known_list unique; /* differs on every node */
	struct known_parent *parents;
	size_t n_parents;
	struct known_group *groups;
	size_t n_groups;
};

/* ERR_USAGE with file:line:col. known_release() after, also after an error. */
int known_load(struct known *k, const char *path, struct err *e);
void known_release(struct known *k);

bool known_has(const struct known_list *list, const char *name);
/* It says something about how a machine is set: neither noise nor of one node alone. */
bool known_counts(const struct known *k, const char *name);
/* The parent of an attribute, NULL when it has none; its group, NULL when not known. */
const struct known_parent *known_parent(const struct known *k, const char *name);
const char *known_group(const struct known *k, const char *name);

#endif
