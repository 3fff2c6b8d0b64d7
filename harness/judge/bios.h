/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BIOS settings of all nodes against a profile, against what the running system shows,
 * and against each other: what rule `bios` says in verdicts, and `assay bios` in tables
 * and steps. Made once from the journal's records.
 */
#ifndef ASSAY_JUDGE_BIOS_H
#define ASSAY_JUDGE_BIOS_H

#include "base/names.h"
#include "judge/judge_config.h"
#include "record/settings.h"

enum bios_result {
	BIOS_MATCH,
	BIOS_MISMATCH,
	BIOS_PENDING,      /* another value waits for a restart, or for a job */
	BIOS_ABSENT,       /* this board has no such attribute */
	BIOS_UNREADABLE,   /* nothing is known of this node */
	BIOS_CONTRADICTED, /* the running system shows something else than BIOS says */
	BIOS_ODD,          /* not as most like nodes have it */
	BIOS_RESULTS
};

const char *bios_result_name(enum bios_result r);

/* One attribute of one node; texts live in the view's arena. */
struct bios_finding {
	enum bios_result result;
	const char *attribute; /* as the node has it; NULL for BIOS_UNREADABLE */
	struct setting_value current, pending;
	bool has_pending, absent;
	enum setting_state state;
	const char *shown;                  /* by the running system, BIOS_CONTRADICTED */
	const char *wanted;                 /* first wanted value, NULL where none is */
	const struct profile_attribute *by; /* of the profile, or NULL */
	const char *remark; /* BIOS_MATCH: how it is not quite as written; else NULL */
	const char *meant;  /* BIOS_ABSENT: a name that is nearly it, or NULL */
	const char *usual;  /* BIOS_ODD: what most have, NULL: they have none */
	size_t usual_n, like_n; /* so many of so many like nodes have that */
};

struct bios_node {
	const char *name;
	const struct record_bios
		*record; /* of BIOS itself, NULL: only the system's view */
	const char *source;
	const char *job_id, *job_state; /* of an open job, NULL: none */
	bool job_known;                 /* somebody looked for jobs */
	bool by_job; /* iDRAC: only a job applies what is pending; others: a restart */
	const char *setting; /* the one profile marked `setting` that it matches */
	const char *chassis; /* by its BMC, or NULL */
	bool readable;
	const char *error;    /* why it is not readable */
	const char *os_error; /* why its system could not be asked as well; else NULL */
	size_t n_read;        /* attributes that were read */
	size_t n_wanted,
		n_match; /* of the profile's attributes that a node has to have */
	struct bios_finding
		*findings; /* what is not as it should be, then what matches */
	size_t n, cap;
	uint32_t *values; /* of the fleet's; internal */
	size_t n_values;
	size_t group; /* of like nodes */
};

struct bios_view {
	struct arena arena;
	const struct profile *profile; /* NULL: none, or not known */
	const char *profile_name;      /* as the site says, NULL: none */
	struct bios_node *nodes;       /* that have a record, in the order of the plan */
	size_t n;
	struct names index;   /* of their names */
	const char **remarks; /* attributes without a usual value */
	size_t n_remarks, cap_remarks;
	size_t *like;        /* nodes of each group */
	struct names absent; /* attributes that boards do not have */
	const char **meant;  /* what each may be called instead, or NULL */
	size_t cap_meant;
};

/* @config and @state must outlive the view; bios_view_release() after. */
void bios_view_make(struct bios_view *v, const struct state *state,
		    const struct judge_config *config);
void bios_view_release(struct bios_view *v);

/* One sentence about a finding, beginning with its result; appended to @out. */
void bios_sentence(const struct bios_view *v, const struct bios_node *n,
		   const struct bios_finding *f, struct strbuf *out);
/* The open job is at work already: nothing can be changed until it has ended. */
bool bios_job_runs(const struct bios_node *n);
/* @v is one of the values the profile wants of @f. */
bool bios_is_wanted(const struct bios_finding *f, const struct setting_value *v);
/* A value for people: as it is, "null", or "empty". Appended. */
void bios_add_value(struct strbuf *out, const struct setting_value *v);

/*
 * @value is @wanted: NULL when it is, as written; else *remark says how it still counts
 * as the same, or -1. Blanks at the ends and runs of them never matter; case, leading
 * zeros and the registry's name for a value do not either, but are remarked.
 */
int bios_same(const struct setting_value *value, const char *shown, const char *wanted,
	      const char **remark);

/* Parts of bios_view_make(). */

/* Compares one node's settings with the profile and with the system's. bios_compare.c */
void bios_compare(struct bios_view *v, struct bios_node *n, const struct settings *own,
		  const struct settings *os);
struct bios_finding *bios_add(struct bios_view *v, struct bios_node *n,
			      enum bios_result result, const struct setting *s);
/* All wanted values of @p are there. */
bool bios_matches(const struct profile *p, const struct settings *own);

struct fleet; /* bios_fleet.c */
struct fleet *fleet_open(struct bios_view *v, const struct bios_known *known);
void fleet_add(struct fleet *f, struct bios_node *n, const struct settings *own);
/* Adds BIOS_ODD findings and remarks. */
void fleet_close(struct fleet *f);

#endif
