/* SPDX-License-Identifier: Apache-2.0 */
/* Running kernels from tests: see run.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/kernel/run.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

static int output(void *ctx, int fd, const char *data, size_t len)
{
	struct run *r = ctx;

	strbuf_add(fd == 1 ? &r->out : &r->err, data, len);
	return r->until && strstr(strbuf_str(&r->out), r->until) != NULL;
}

static void ended(void *ctx, const struct spawn_result *result)
{
	((struct run *)ctx)->end = *result;
}

/* The next word of *@p, or NULL: up to a blank, or between single quotes. */
static char *next_word(char **p)
{
	char *word = *p + strspn(*p, " "), end = ' ';

	if (!*word)
		return NULL;
	if (*word == '\'') {
		word++;
		end = '\'';
	}
	*p = strchrnul(word, end);
	if (**p)
		*(*p)++ = '\0';
	return word;
}

/* argv of @words, in @a; NULL-terminated. */
static const char **split(struct arena *a, const char *words)
{
	const char **argv = arena_alloc(a, strlen(words) + 2, sizeof(*argv));
	char self[PATH_MAX] = "", *p = arena_strdup(a, words), *word;
	const char *folder;
	size_t n = 0;

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	folder = dirname(self);
	while ((word = next_word(&p))) {
		if (!strncmp(word, "assay-", 6))
			argv[n++] = arena_printf(a, "%s/%s", folder, word);
		else
			argv[n++] = word;
	}
	return argv;
}

static void add_record(struct run *r, const char *json, size_t len)
{
	struct err e = {0};

	mem_grow(&r->records, &r->cap, r->n + 1, sizeof(*r->records));
	if (record_decode(json, len, &r->arena, &r->records[r->n], &e))
		fail_msg("%.*s: %s", (int)len, json, e.msg);
	r->n++;
}

static void read_records(struct run *r)
{
	static const char mark[] = "@assay ";
	const size_t mark_len = sizeof(mark) - 1;
	const char *p = strbuf_str(&r->out);

	while (*p) {
		size_t len = strcspn(p, "\n");

		assert_int_equal(p[len], '\n'); /* no line is cut */
		if (len > mark_len && !strncmp(p, mark, mark_len)) {
			assert_true(len + 1 < 4096);
			add_record(r, p + mark_len, len - mark_len);
		}
		p += len + 1;
	}
	if (r->n && r->end.exit <= 3) { /* not ended by its watchdog */
		const struct record *last = &r->records[r->n - 1];

		assert_int_equal(last->kind, RECORD_KIND_end);
		assert_int_equal(last->u.end.count, r->n - 1);
	}
}

static void start(struct run *r, double limit, const char *words, const char *until)
{
	static const char *const env[] = {
		"OMP_*", "OPENBLAS_*", "HWLOC_*",
#ifdef __SANITIZE_ADDRESS__
		/* Leaks are looked for in the unit tests and by valgrind. What MPI keeps
		 * until the end hides them here, and telling it apart needs whole stacks,
		 * which cost two seconds a launch and can deadlock with the loader at the
		 * end. */
		"ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=1",
#endif
		NULL};
	struct spawn_command c = {
		.env = env, .limit = limit, .output = output, .ended = ended, .ctx = r};
	struct spawn *s;
	struct err e = {0};

	*r = (struct run){.until = until};
	c.argv = split(&r->arena, words);
	assert_int_equal(spawn_open(&s, "kernel-tests", &e), 0);
	assert_int_equal(spawn_start(s, &c, &e), 0);
	while (spawn_running(s))
		assert_int_equal(spawn_pump(s, 1, &e), 0);
	spawn_close(s);
}

void run_until(struct run *r, double limit, const char *words, const char *text)
{
	start(r, limit, words, text);
	if (r->end.end != SPAWN_STOPPED)
		fail_msg("'%s' was to be ended at '%s': %s%s", words, text,
			 strbuf_str(&r->out), strbuf_str(&r->err));
}

void run(struct run *r, double limit, const char *words)
{
	start(r, limit, words, NULL);
	if (r->end.end != SPAWN_EXITED)
		fail_msg("'%s' did not end by itself within %g s: %s", words, limit,
			 strbuf_str(&r->err));
	assert_int_equal(r->end.left, 0);
	read_records(r);
}

void run_release(struct run *r)
{
	strbuf_release(&r->out);
	strbuf_release(&r->err);
	arena_release(&r->arena);
	free(r->records);
}

const struct record *run_record(const struct run *r, enum record_kind kind, size_t i)
{
	for (size_t j = 0; j < r->n; j++) {
		if (r->records[j].kind == kind && !i--)
			return &r->records[j];
	}
	return NULL;
}

size_t run_count(const struct run *r, enum record_kind kind)
{
	size_t n = 0;

	while (run_record(r, kind, n))
		n++;
	return n;
}

const char *run_event(const struct run *r, const char *what)
{
	const struct record *event;

	for (size_t i = 0; (event = run_record(r, RECORD_KIND_event, i)); i++) {
		if (!strcmp(event->u.event.what, what))
			return event->u.event.text;
	}
	return NULL;
}
