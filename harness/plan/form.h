/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of a plan's keys, shared by plan_load() and plan_set(). */
#ifndef ASSAY_PLAN_FORM_H
#define ASSAY_PLAN_FORM_H

#include "config/conf.h"
#include "plan/plan.h"

extern const struct conf_key form_limits[]; /* into struct plan_limits */
extern const size_t form_n_limits;
extern const struct conf_key form_step[]; /* into struct plan_step */
extern const size_t form_n_step;

/* "all", "one-per-chassis" or a number of launches at the same time. */
int form_at_once(const struct yaml_pair *pair, struct plan_stage *stage, struct err *e);

/* What the table alone cannot check of a step's key that was just decoded into @step. */
int form_step_check(const struct yaml_pair *pair, const struct plan_step *step,
		    struct err *e);

#endif
