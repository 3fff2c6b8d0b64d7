/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one step printed: finds the records in it, checks each against the step and the
 * metrics its kernel declared, hands on the good ones with step, attempt and node added,
 * and says at the end what the step came to. Starts nothing and reads nothing itself.
 */
#ifndef ASSAY_RUN_HARVEST_H
#define ASSAY_RUN_HARVEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spawn.h"
#include "base/strbuf.h"
#include "plan/step.h"
#include "record/metrics.h"
#include "record/record.h"
#include "run/lines.h"
#include "run/refusal.h"

/* A line of a kernel and its newline are less than this; bytes. */
enum { HARVEST_LINE = 4096 };

/*
 * All pairs of a thousand nodes are some 200 MB of records. What prints more has gone mad
 * and would only fill the disk until its time limit.
 */
#define HARVEST_MOST ((size_t)1 << 30)

struct harvest {
	const struct step *step;
	const struct metrics *metrics;
	/* where good records go; -1 is an error of the harness and stops all */
	int (*put)(void *ctx, const struct record *r, struct err *e);
	void *ctx;
	struct lines out, err;
	size_t bytes; /* of record lines */
	size_t most;  /* of them before it is ended */
	/* what was seen */
	int64_t marked; /* record lines before the end record */
	bool *rank_seen;
	int64_t ranks_seen;
	size_t samples;
	struct strbuf text;     /* of a program that is no kernel of ours */
	size_t good;            /* results in it that are whole */
	size_t missing;         /* and those that are not */
	bool part;              /* the good ones count, though it did not bring all */
	bool explained;         /* it says itself why it is none: that is the problem */
	const char *text_cause; /* of the first result of it that is none, or NULL */
	bool failed;            /* a check of the kernel's own is not ok */
	bool ended;
	int64_t end_count, end_ranks;
	/* the first of each; empty while there was none */
	struct strbuf problem, skip, invalid, complaint, killed;
	const char *hint;       /* against something said on stderr, or NULL */
	struct refusal refusal; /* why the program was never started */
};

/* @s and @m are borrowed. @most bytes of record lines are read, 0: HARVEST_MOST. */
void harvest_init(struct harvest *h, const struct step *s, const struct metrics *m,
		  size_t most,
		  int (*put)(void *ctx, const struct record *r, struct err *e),
		  void *ctx);
/* Bytes of stdout. 1: that is more than any kernel prints, end it; -1: put() failed. */
int harvest_out(struct harvest *h, const char *data, size_t len, struct err *e);
/* Bytes of stderr: looks for the sentence that says why a launcher refused. */
void harvest_err(struct harvest *h, const char *data, size_t len);
/* No more comes, and so it ended. */
int harvest_end(struct harvest *h, const struct spawn_result *r, struct err *e);
/*
 * Cause and reason of the ended record. Only a result that is complete is "ok": a record
 * of every rank, at least one sample, the end record with the right numbers, and exit
 * status 0, or 1 when a check of the kernel's own failed (which is for the judge). The
 * reason of another one ends with a hint where the table of hints has one.
 * @direct: no launcher stands between us and the kernel.
 */
const char *harvest_cause(const struct harvest *h, const struct spawn_result *r,
			  bool direct, struct strbuf *reason);
/*
 * The signal that ended the step's processes, 0 none: that of our child, or what its exit
 * status says of the rank that mpirun started. One that was never started had none.
 */
int harvest_signal(const struct harvest *h, const struct spawn_result *r);
/* Which node of the step has this rank; NULL: none. */
const char *harvest_node(const struct step *s, int64_t rank);
/* Appends "ended by signal 9 (Killed)", "exit status 5", "command not found: 'xhpl'". */
void harvest_how(const struct harvest *h, const struct spawn_result *r,
		 struct strbuf *reason);
/*
 * Appends "; it printed: ..." with the line of a foreign program's stdout that sounds
 * like the reason of a failure, or with @last, where none does, the last one.
 */
void harvest_words(const struct harvest *h, bool last, struct strbuf *reason);
void harvest_release(struct harvest *h);

#endif
