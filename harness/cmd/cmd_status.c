/* SPDX-License-Identifier: Apache-2.0 */
/* assay status: what a run is doing, from its journal alone. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "base/units.h"
#include "base/utf8.h"
#include "cmd/cmd.h"
#include "run/folder.h"

struct tally {
	size_t planned, started, ended, good;
};

static void count(const struct state *s, struct tally *t)
{
	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < s->n_steps; i++) {
		const struct state_step *st = &s->steps[i];

		if (!st->id)
			continue;
		t->planned++;
		t->started += st->phase == STATE_STARTED;
		t->ended += st->phase == STATE_ENDED;
		t->good += st->phase == STATE_ENDED && st->ended.cause &&
			   !strcmp(st->ended.cause, "ok");
	}
}

static void print_running(const struct state *s, double now)
{
	struct strbuf key = {0};
	char took[UNITS_TEXT], limit[UNITS_TEXT];

	for (size_t i = 0; i < s->n_steps; i++) {
		const struct state_step *st = &s->steps[i];

		if (!st->id || st->phase != STATE_STARTED)
			continue;
		strbuf_reset(&key);
		utf8_printable(&key, st->planned.key, strlen(st->planned.key));
		(void)printf(
			"  step %lld %s: for %s of at most %s\n", (long long)st->id,
			strbuf_str(&key),
			units_format_duration(took, sizeof(took), now - st->t_started),
			st->planned.limit.set
				? units_format_duration(limit, sizeof(limit),
							st->planned.limit.v)
				: "no limit");
	}
	strbuf_release(&key);
}

static void print_state(const struct state *s, const char *who)
{
	struct tally t;
	char text[UNITS_TEXT];
	double now = clock_wall();

	count(s, &t);
	if (*who)
		(void)printf("running (%s), for %s\n", who,
			     units_format_duration(text, sizeof(text),
						   now - s->t_first - s->paused));
	else if (s->has_end)
		(void)printf("ended: %s, exit status %lld\n",
			     s->end.verdict ? s->end.verdict : "no verdict",
			     s->end.exit == RECORD_NO_INT ? -1LL
							  : (long long)s->end.exit);
	else
		(void)printf(
			"interrupted: no process writes here and the journal has no end; "
			"continue it with assay run --resume\n");
	(void)printf("%zu nodes asked for, %zu answered the probe\n", s->n_nodes,
		     s->n_facts);
	(void)printf("%zu of %zu steps ended, %zu of them ok\n", t.ended, t.planned,
		     t.good);
	if (s->damaged)
		(void)printf("%zu damaged lines in the journal\n", s->damaged);
	if (*who)
		print_running(s, now);
	else if (t.started)
		(void)printf("%zu steps were in flight: a resumed run does them again\n",
			     t.started);
}

static int run(const struct cmd_env *env, int argc, char **argv, struct err *e)
{
	struct state s = {0};
	char who[320];
	char **words;
	int n, rc = cmd_options(&cmd_status, NULL, 0, argc, argv, &words, &n, e);

	(void)env;
	if (rc)
		return rc > 0 ? 0 : -1;
	if (n != 1)
		return err_set(e, ERR_USAGE, "one run folder, not %d", n);
	if (state_replay(&s, words[0], e)) {
		if (e->kind == ERR_NOTFOUND)
			e->kind = ERR_USAGE;
		state_release(&s);
		return err_at(e, "no run in '%s'", words[0]);
	}
	folder_holder(words[0], who, sizeof(who));
	print_state(&s, who);
	state_release(&s);
	return 0;
}

const struct command_def cmd_status = {
	.name = "status",
	.usage = "DIR",
	.help = "what a run is doing, from another terminal",
	.run = run,
};
