/* SPDX-License-Identifier: Apache-2.0 */
/* States made by hand, line by line as a journal holds them, and configurations as text.
 */
#ifndef ASSAY_TESTS_JUDGE_FIXTURE_H
#define ASSAY_TESTS_JUDGE_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "judge/judge.h"
#include "judge/judge_config.h"

struct fixture {
	struct state state;
	struct judge_config *config;
	struct summary summary;
	char dir[64]; /* configuration folder, made on demand */
};

/* A fixture without records whose configuration has no CPU, limit or baseline. */
void fixture_init(struct fixture *f);
void fixture_release(struct fixture *f);

/* Replaces a file of the configuration ("baselines/x.yaml"). */
void fixture_file(struct fixture *f, const char *name, const char *text);
/* Loads the folder (and @baseline, may be NULL); 0 or -1 and @e. */
int fixture_load(struct fixture *f, const char *baseline, struct err *e);
/* As fixture_load, which must work. */
void fixture_config(struct fixture *f);

/* Adds one record, given as JSON. */
void fixture_line(struct fixture *f, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The plan record: @nodes and @requires as JSON lists; kernels stream, dgemm and hpl. */
void fixture_plan(struct fixture *f, const char *nodes, const char *requires,
		  int repeats);
/* A physical machine with @sockets of 64 cores, of the class @cpu; NULL: no fact is
 * known. */
void fixture_node(struct fixture *f, const char *node, const char *cpu, int sockets);
/* Step @id stage/name@node of kernel stream, place all-cores, as ended with @cause. */
void fixture_step(struct fixture *f, int id, const char *name, const char *node,
		  const char *cause, const char *request);
void fixture_sample(struct fixture *f, int step, const char *node, const char *metric,
		    const char *at, double value, int repetition);

/* Judges, which must work; the result is f->summary. */
const struct summary *fixture_judge(struct fixture *f);

/* The only verdict of @rule about @metric on @node (NULL: any); fails when not one. */
const struct verdict *fixture_verdict(const struct fixture *f, const char *rule,
				      const char *metric, const char *node);
size_t fixture_count(const struct fixture *f, const char *rule, const char *metric,
		     const char *node);

#endif
