/* SPDX-License-Identifier: Apache-2.0 */
/* The keys of a plan: see form.h. */
#include "plan/form.h"

#include <ctype.h>
#include <string.h>

#include "plan/placement.h"

enum { MOST_AT_ONCE = 64, DAY = 86400 };

static const char *const on_words[] = {"node", "pairs", "sets", "all", NULL};
static const char *const scaling_words[] = {"none", "weak", "strong", NULL};

#define LIMIT(field) .offset = offsetof(struct plan_limits, field)
const struct conf_key form_limits[] = {
	{"time", CONF_DURATION, LIMIT(time), .min = 1, .max = 365.0 * DAY},
	{"step", CONF_DURATION, LIMIT(step), .min = 1, .max = 30.0 * DAY},
	{"rounds", CONF_INT, LIMIT(rounds), .min = 1, .max = 100},
	{"repeats", CONF_INT, LIMIT(repeats), .min = 0, .max = 100},
	{"probe", CONF_DURATION, LIMIT(probe), .min = 1, .max = DAY},
	{"preflight", CONF_BOOL, LIMIT(preflight)},
};
const size_t form_n_limits = sizeof(form_limits) / sizeof(form_limits[0]);

#define STEP(field) .offset = offsetof(struct plan_step, field)
const struct conf_key form_step[] = {
	{"kernel", CONF_NAME, STEP(kernel), .flags = CONF_MUST},
	{"name", CONF_NAME, STEP(name)},
	{"on", CONF_CHOICE, STEP(on), .choices = on_words},
	{"place", CONF_TEXT, STEP(place)},
	{"limit", CONF_DURATION, STEP(limit), .min = 1, .max = 30.0 * DAY},
	{"estimate", CONF_DURATION, STEP(estimate), .min = 0, .max = 30.0 * DAY},
	{"sizes", CONF_TEXTS, STEP(sizes),
	 .n_offset = offsetof(struct plan_step, n_sizes)},
	{"scaling", CONF_CHOICE, STEP(scaling), .choices = scaling_words},
	{"command", CONF_TEXTS, STEP(command),
	 .n_offset = offsetof(struct plan_step, n_command)},
	{"reader", CONF_NAME, STEP(reader)},
	{"dir", CONF_TEXT, STEP(dir)},
};
const size_t form_n_step = sizeof(form_step) / sizeof(form_step[0]);

/* A number from 1 to @most that is all of @text; 0 when it is none. */
static int positive(const char *text, size_t len, int most)
{
	int v = 0;

	for (size_t i = 0; i < len; i++) {
		if (!isdigit((unsigned char)text[i]) || (!i && text[i] == '0'))
			return 0;
		v = v * 10 + (text[i] - '0');
		if (v > most)
			return 0;
	}
	return v;
}

int form_at_once(const struct yaml_pair *pair, struct plan_stage *stage, struct err *e)
{
	const char *text = pair->value->text;

	if (conf_expect(pair->key, pair->value, YAML_TEXT, e))
		return -1;
	stage->one_per_chassis = !strcmp(text, "one-per-chassis");
	stage->at_once = positive(text, strlen(text), MOST_AT_ONCE);
	if (stage->at_once || stage->one_per_chassis || !strcmp(text, "all"))
		return 0;
	return yaml_error(pair->value, e,
			  "'at_once': '%.64s', expected all, one-per-chassis or 1 to %d",
			  text, MOST_AT_ONCE);
}

static int check_sizes(const struct yaml_node *value, const struct plan_step *step,
		       struct err *e)
{
	for (size_t i = 0; i < step->n_sizes; i++) {
		const char *size = step->sizes[i];

		if (strcmp(size, "all") != 0 && !positive(size, strlen(size), 1000000))
			return yaml_error(
				value->kind == YAML_LIST ? value->items[i] : value, e,
				"'sizes': '%.64s', expected a number of nodes or all",
				size);
	}
	return 0;
}

int form_step_check(const struct yaml_pair *pair, const struct plan_step *step,
		    struct err *e)
{
	if (!strcmp(pair->key->text, "place") && placement_check(step->place, e))
		return yaml_at(pair->value, e);
	if (!strcmp(pair->key->text, "sizes"))
		return check_sizes(pair->value, step, e);
	return 0;
}
