/* SPDX-License-Identifier: Apache-2.0 */
/* Programs looked for: see program.h. */
#include "base/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

enum { MOST_NAME = 300 };

/* There is a file at @dir/@name; *runs: which can be executed. */
static bool is_there(const char *dir, size_t len, const char *name, bool *runs)
{
	struct strbuf path = {0};
	struct stat st;
	bool there;

	if (len)
		strbuf_add(&path, dir, len);
	else if (*name != '/')
		strbuf_addch(&path, '.');
	strbuf_addf(&path, "%s%s", *name == '/' ? "" : "/", name);
	there = !stat(strbuf_str(&path), &st) && S_ISREG(st.st_mode);
	*runs = there && !access(strbuf_str(&path), X_OK);
	strbuf_release(&path);
	return there;
}

static bool in_path(const char *name)
{
	const char *path = getenv("PATH");
	bool runs = false;

	while (path && *path && !runs) {
		const size_t n = strcspn(path, ":");

		(void)is_there(path, n, name, &runs);
		path += n + (path[n] == ':');
	}
	return runs;
}

static bool fault(struct strbuf *why, const char *what, const char *name)
{
	strbuf_addf(why, "%s: '", what);
	utf8_printable(why, name, strnlen(name, MOST_NAME));
	strbuf_addch(why, '\'');
	return false;
}

bool program_check(const char *command, const char *dir, struct strbuf *why)
{
	const size_t len = dir && *command != '/' ? strlen(dir) : 0;
	bool runs, there;
	struct stat st;

	if (dir && (stat(dir, &st) || !S_ISDIR(st.st_mode)))
		return fault(why, "no such directory", dir);
	if (!strchr(command, '/') && in_path(command))
		return true;
	if (!strchr(command, '/') && !dir)
		return fault(why, "command not found", command);
	there = is_there(dir, len, command, &runs);
	if (!there)
		return fault(why, "command not found", command);
	return runs || fault(why, "command cannot be executed", command);
}
