/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded machines for tests: see tree.h. */
#include "tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tree_make(struct tree *t)
{
	(void)snprintf(t->dir, sizeof(t->dir), "/tmp/assay-tree-XXXXXX");
	assert_non_null(mkdtemp(t->dir));
	t->io.root = t->dir;
}

void tree_load(struct tree *t, const char *name)
{
	char cmd[512];

	tree_make(t);
	(void)snprintf(cmd, sizeof(cmd), "'%s/trees/unpack' '%s/trees/%s.tree' '%s'",
		       TEST_DATA, TEST_DATA, name, t->dir);
	assert_int_equal(system(cmd), 0);
}

void tree_put(const struct tree *t, const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *f;

	(void)snprintf(full, sizeof(full), "%s%s", t->dir, path);
	for (char *s = full + strlen(t->dir) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		(void)mkdir(full, 0777);
		*s = '/';
	}
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void tree_remove(struct tree *t)
{
	assert_int_equal(nftw(t->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}
