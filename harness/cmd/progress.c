/* SPDX-License-Identifier: Apache-2.0 */
/* Progress on stderr: see progress.h. */
#include "cmd/progress.h"

#include <stdarg.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"

/* Judging a large run costs; it may take this share of the time, at most. */
#define JUDGE_SHARE 0.02

static void duration(char *buf, size_t size, double s)
{
	long n = s > 0 ? (long)(s + 0.5) : 0;

	if (n < 60)
		(void)snprintf(buf, size, "%lds", n);
	else if (n < 3600)
		(void)snprintf(buf, size, "%ldm%02lds", n / 60, n % 60);
	else
		(void)snprintf(buf, size, "%ldh%02ldm", n / 3600, n / 60 % 60);
}

static void clear(struct progress *p)
{
	if (p->live)
		(void)fputs("\r\033[K", p->out);
}

static void state_text(const struct progress *p, char *buf, size_t size)
{
	char elapsed[32], left[32], extra[64] = "";

	duration(elapsed, sizeof(elapsed), clock_now() - p->t0);
	duration(left, sizeof(left), p->left - (clock_now() - p->since));
	if (p->extra)
		(void)snprintf(extra, sizeof(extra), " and %zu/%zu more", p->extra_done,
			       p->extra);
	(void)snprintf(buf, size, "%zu/%zu steps%s, %s elapsed, about %s left%s%s",
		       p->done, p->planned, extra, elapsed, left,
		       p->worst ? ", worst " : "", p->worst ? p->worst : "");
}

static void redraw(struct progress *p)
{
	char text[160], line[400];

	if (!p->live || p->quiet)
		return;
	state_text(p, text, sizeof(text));
	(void)snprintf(line, sizeof(line), "%s%s%s", text, p->running ? ": " : "",
		       p->running ? p->now : "");
	clear(p);
	(void)fprintf(p->out, "%.*s", p->width - 1, line);
	(void)fflush(p->out);
}

static void started(void *ctx, const struct step *s, size_t k, size_t n)
{
	struct progress *p = ctx;
	struct strbuf name = {0};

	(void)k;
	(void)n;
	p->running++;
	utf8_printable(&name, s->key, strlen(s->key));
	(void)snprintf(p->now, sizeof(p->now), "%s", strbuf_str(&name));
	strbuf_release(&name);
	redraw(p);
}

static void ask_judge(struct progress *p)
{
	double now = clock_now();

	if (!p->judge || now - p->judged_at < 1.0 ||
	    p->judge_cost > JUDGE_SHARE * (now - p->judged_at))
		return;
	p->worst = p->judge(p->judge_ctx);
	p->judged_at = clock_now();
	p->judge_cost = p->judged_at - now;
}

static void ended(void *ctx, const struct step *s, const struct record_step *r)
{
	struct progress *p = ctx;
	struct strbuf line = {0};
	char text[160], took[32];

	*(s->request ? &p->extra_done : &p->done) += 1;
	p->running -= p->running > 0;
	p->left = p->left > s->cost ? p->left - s->cost : 0;
	p->since = clock_now();
	ask_judge(p);
	if (p->quiet)
		return;
	duration(took, sizeof(took), r->duration.set ? r->duration.v : 0);
	state_text(p, text, sizeof(text));
	utf8_printable(&line, s->key, strlen(s->key));
	strbuf_addf(&line, ": %s in %s", r->cause ? r->cause : "ended", took);
	if (r->reason) {
		strbuf_addstr(&line, ", ");
		utf8_printable(&line, r->reason, strlen(r->reason));
	}
	clear(p);
	(void)fprintf(p->out, "[%s] %s\n", text, strbuf_str(&line));
	(void)fflush(p->out);
	strbuf_release(&line);
	redraw(p);
}

static void tick(void *ctx)
{
	redraw(ctx);
}

void progress_init(struct progress *p, FILE *out, const struct report_style *style,
		   bool terminal)
{
	memset(p, 0, sizeof(*p));
	p->calls = (struct runner_progress){started, ended, tick, p};
	p->out = out;
	/* the live line needs a terminal that can erase; colour says the same */
	p->live = terminal && style->colour;
	p->width = style->width;
	p->t0 = p->judged_at = clock_now();
}

void progress_plan(struct progress *p, const struct steps *steps)
{
	p->since = clock_now();
	for (size_t i = 0; i < steps->n; i++) {
		*(steps->items[i].request ? &p->extra : &p->planned) += 1;
		p->left += steps->items[i].cost;
	}
}

void progress_say(struct progress *p, const char *fmt, ...)
{
	va_list ap;

	if (p->quiet)
		return;
	clear(p);
	va_start(ap, fmt);
	(void)vfprintf(p->out, fmt, ap);
	va_end(ap);
	(void)fputc('\n', p->out);
	(void)fflush(p->out);
	redraw(p);
}

void progress_end(struct progress *p)
{
	clear(p);
	(void)fflush(p->out);
	p->live = false;
}
