/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge on any journal: lines that are records make a state, and whatever that says,
 * judging it ends, every series has a verdict, and every number is one or was measured as
 * none.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"
#include "judge/judge.h"

enum { MOST_STEPS = 4096 }; /* a step of a high number costs memory, and finds nothing */

static void add_line(struct state *s, const char *line, size_t len)
{
	struct record r;
	struct err e = {0};

	if (record_decode(line, len, &s->arena, &r, &e))
		return;
	if (r.kind == RECORD_KIND_step && r.u.step.step > MOST_STEPS)
		return;
	(void)state_add(s, &r, &e);
}

static void expect_number(struct record_num v)
{
	FUZZ_EXPECT(!v.set || isfinite(v.v));
}

static void check(const struct summary *s)
{
	size_t with_series = 0;

	for (size_t i = 0; i < s->n_verdicts; i++) {
		const struct verdict *v = &s->verdicts[i];

		FUZZ_EXPECT(v->id && v->rule && v->why && v->word < VERDICT_WORDS);
		FUZZ_EXPECT(v->word != VERDICT_UNJUDGED || v->cause);
		with_series += v->series != NULL;
		expect_number(v->reference);
		expect_number(v->low);
		expect_number(v->high);
		expect_number(v->spread);
		if (strcmp(v->rule, "valid") != 0)
			expect_number(v->value);
	}
	FUZZ_EXPECT(with_series >= s->n_series);
	FUZZ_EXPECT(s->exit == 0 || s->exit == 1 || s->exit == 3);
	FUZZ_EXPECT(s->exit != 0 || (s->n_nodes && !s->counts[VERDICT_ERROR]));
	for (size_t i = 0; i < s->n_nodes; i++)
		FUZZ_EXPECT(s->nodes[i].why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct judge_config *config; /* loaded once, kept until the end */
	const char *at = (const char *)data, *end = at + size;
	struct summary summary = {0};
	struct state state = {0};
	struct err e = {0};

	if (!config)
		FUZZ_EXPECT(!judge_config_load(&config, SOURCE_DIR "/configs", NULL, &e));
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		if (!stop)
			stop = end;
		add_line(&state, at, (size_t)(stop - at));
		at = stop + 1;
	}
	/* a kernel may declare another unit than a reference has: a usage error */
	if (judge(&summary, &state, config, &e))
		FUZZ_EXPECT(e.kind == ERR_USAGE && e.msg[0]);
	else
		check(&summary);
	summary_release(&summary);
	state_release(&state);
	return 0;
}
