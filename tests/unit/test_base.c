/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, string buffers, arenas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/strbuf.h"

static void err_keeps_the_first_cause_and_adds_where(void **unused)
{
	struct err e = {0};

	(void)unused;
	assert_int_equal(err_exit_status(&e), 0);
	assert_int_equal(err_set(&e, ERR_USAGE, "no unit in '%s'", "12"), -1);
	assert_int_equal(err_at(&e, "plan.yaml:%d", 3), -1);
	assert_string_equal(e.msg, "plan.yaml:3: no unit in '12'");
	assert_int_equal(err_exit_status(&e), 2);
	assert_int_equal(err_sys(&e, ENOSPC, "write '%s'", "x"), -1);
	assert_string_equal(e.msg, "write 'x': No space left on device");
	assert_int_equal(err_exit_status(&e), 4);
	/* its own text as an argument */
	err_set(&e, ERR_USAGE, "a: %s", e.msg);
	assert_string_equal(e.msg, "a: write 'x': No space left on device");
}

static void err_cuts_long_texts(void **unused)
{
	struct err e = {0};
	char *big = mem_calloc(5000, 1);

	(void)unused;
	memset(big, 'x', 4999);
	err_set(&e, ERR_SYSTEM, "%s", big);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	err_at(&e, "%s", big);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	free(big);
}

static void strbuf_grows_and_resets(void **unused)
{
	struct strbuf sb = {0};
	char *s;

	(void)unused;
	assert_string_equal(strbuf_str(&sb), "");
	strbuf_truncate(&sb, 0);
	for (int i = 0; i < 1000; i++)
		strbuf_addf(&sb, "%d,", i % 10);
	assert_int_equal(sb.len, 2000);
	strbuf_truncate(&sb, 3);
	strbuf_addch(&sb, '!');
	strbuf_add(&sb, "a\0b", 3);
	assert_int_equal(sb.len, 7);
	assert_memory_equal(sb.buf, "0,1!a\0b", 8);
	s = strbuf_detach(&sb);
	assert_memory_equal(s, "0,1!a\0b", 8);
	free(s);
	assert_int_equal(sb.len, 0);
	s = strbuf_detach(&sb);
	assert_string_equal(s, "");
	free(s);
	strbuf_release(&sb);
}

static void formatted_texts_of_every_length_are_whole(void **unused)
{
	char text[1000];
	struct arena a = {0};

	(void)unused;
	memset(text, 'x', sizeof(text));
	for (int len = 0; len < (int)sizeof(text); len++) {
		struct strbuf sb = {0};

		strbuf_addf(&sb, "%.*s", len, text);
		strbuf_addf(&sb, "%.*s%d", len, text, 7);
		assert_int_equal(sb.len, 2 * len + 1);
		assert_int_equal(strspn(strbuf_str(&sb), "x"), 2 * len);
		assert_string_equal(sb.buf + 2 * (size_t)len, "7");
		assert_string_equal(arena_printf(&a, "%.*s%d", len, text, 7),
				    sb.buf + len);
		strbuf_release(&sb);
	}
	arena_release(&a);
}

static void arena_gives_aligned_zeroed_memory(void **unused)
{
	struct arena a = {0};

	(void)unused;
	for (size_t i = 1; i < 3000; i += 7) {
		char *p = arena_alloc(&a, i, 1);
		assert_int_equal((uintptr_t)p % 16, 0);
		assert_int_equal(p[0] | p[i - 1], 0);
		memset(p, 1, i);
		assert_string_equal(arena_printf(&a, "%zu", (size_t)12), "12");
	}
	assert_non_null(arena_alloc(&a, 1000, 1000));
	assert_null(arena_strdup(&a, NULL));
	assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
	assert_memory_equal(arena_dup(&a, "abcdef", 3, 2), "abcdef", 6);
	assert_null(arena_dup(&a, NULL, 0, 8));
	arena_release(&a);
	arena_release(&a);
}

static void an_arena_takes_over_another(void **unused)
{
	struct arena a = {0}, b = {0}, none = {0};
	const char *mine, *theirs;

	(void)unused;
	arena_adopt(&a, &none);
	assert_null(a.blocks);
	theirs = arena_strdup(&b, "theirs");
	arena_adopt(&a, &b);
	assert_null(b.blocks);
	mine = arena_strdup(&a, "mine");
	(void)arena_alloc(&b, 1000, 1000);
	theirs = arena_strdup(&b, theirs);
	arena_adopt(&a, &b);
	arena_release(&b);
	assert_string_equal(mine, "mine");
	assert_string_equal(theirs, "theirs");
	arena_release(&a);
}

static void mem_grow_keeps_and_zeroes(void **unused)
{
	int *v = NULL;
	size_t cap = 0;

	(void)unused;
	for (size_t i = 0; i < 1000; i++) {
		mem_grow(&v, &cap, i + 1, sizeof(*v));
		assert_int_equal(v[i], 0);
		v[i] = (int)i;
	}
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(v[i], (int)i);
	free(v);
}

static void file_save_replaces_whole_files_only(void **unused)
{
	char dir[] = "/tmp/assay-save-XXXXXX", path[64];
	struct strbuf sb = {0};
	struct err e = {0};
	struct stat st;

	(void)unused;
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/f", dir);
	assert_int_equal(file_save(path, "first", 5, &e), 0);
	assert_int_equal(file_save(path, "a\0b", 3, &e), 0);
	assert_int_equal(file_read(&sb, path, 10, &e), 0);
	assert_int_equal(sb.len, 3);
	assert_memory_equal(sb.buf, "a\0b", 3);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(unlink(path), 0);
	/* a folder cannot be replaced, and nothing stays beside it */
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(file_save(path, "x", 1, &e), -1);
	assert_int_equal(e.kind, ERR_SYSTEM);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(file_save(path, "x", 1, &e), -1);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(err_keeps_the_first_cause_and_adds_where),
		cmocka_unit_test(err_cuts_long_texts),
		cmocka_unit_test(strbuf_grows_and_resets),
		cmocka_unit_test(formatted_texts_of_every_length_are_whole),
		cmocka_unit_test(arena_gives_aligned_zeroed_memory),
		cmocka_unit_test(an_arena_takes_over_another),
		cmocka_unit_test(mem_grow_keeps_and_zeroes),
		cmocka_unit_test(file_save_replaces_whole_files_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
