/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would put a node's BIOS settings right, in an order that works: a parent before
 * what it locks, and a restart between, since firmware looks at the value that was
 * applied. Only said, never done.
 */
#ifndef ASSAY_JUDGE_REMEDY_H
#define ASSAY_JUDGE_REMEDY_H

#include "judge/bios.h"

enum remedy_kind {
	REMEDY_SET,    /* give the attribute this value */
	REMEDY_WAIT,   /* until the job has ended that changes settings now */
	REMEDY_DELETE, /* the job that would apply what is not wanted */
	REMEDY_CLEAR,  /* take back what is pending: it is not wanted */
	REMEDY_JOB,    /* queue the job that applies what is pending */
	REMEDY_REBOOT,
	REMEDY_NOTE, /* what nobody can do by a command: `text` */
};

struct remedy_step {
	enum remedy_kind kind;
	int round; /* from 1: all settings of a round go in one restart */
	const char *attribute, *value; /* REMEDY_SET */
	bool literal;                  /* BIOS holds a number there, no text */
	const char *group;             /* where racadm keeps it, NULL: not known */
	const char *job;               /* REMEDY_WAIT, REMEDY_DELETE */
	const char *text;
};

struct remedy {
	struct remedy_step *steps; /* in order */
	size_t n, cap;
};

/* Texts are the view's or in its arena; remedy_release() after. */
void remedy_make(struct remedy *r, struct bios_view *v, const struct bios_node *n,
		 const struct bios_known *known);
void remedy_release(struct remedy *r);

#endif
