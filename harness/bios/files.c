/* SPDX-License-Identifier: Apache-2.0 */
/* Which saved files are of which node: see files.h. */
#include "bios/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/node_name.h"

/* Ends of names; what they say of the content. */
static const struct {
	const char *end, *role;
} roles[] = {
	{".bios_settings.json", "settings"},
	{".settings.json", "settings"},
	{".pending.json", "settings"},
	{".jobs.json", "jobs"},
	{".registry.json", "registry"},
	{".system.json", "system"},
	{".bios.json", ""},
	{".scp.xml", ""},
	{".scp.json", ""},
	{".redfish.json", ""},
	{".racadm.txt", ""},
	{".facts.json", ""},
	{".json", ""},
	{".xml", ""},
	{".txt", ""},
};

/* Ends of names that editors, patches and package managers give to old copies. */
static const char *const copies[] = {"~",    ".bak", ".orig", ".old",  ".swp",
				     ".swo", ".tmp", ".rej",  ".save", ".rpmsave"};

static bool ends(const char *name, const char *with)
{
	size_t len = strlen(name), n = strlen(with);

	return len > n && !strcmp(name + len - n, with);
}

static bool is_packed(const char *name)
{
	return ends(name, ".gz") || ends(name, ".xz") || ends(name, ".bz2") ||
	       ends(name, ".zst") || ends(name, ".zip") || ends(name, ".tar");
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Place in `roles`, or their number. */
static size_t role_of(const char *name)
{
	size_t i = 0;

	while (i < sizeof(roles) / sizeof(roles[0]) && !ends(name, roles[i].end))
		i++;
	return i;
}

static bool is_called_a_dump(const char *name)
{
	return role_of(name) < sizeof(roles) / sizeof(roles[0]) &&
	       strncasecmp(name, "README", 6) != 0;
}

/* An old one of something: of an editor, or rotated (n17.xml.1). */
static bool is_copy(const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
		if (ends(name, copies[i]))
			return true;
	}
	return *name == '#' ||
	       (dot && dot[1] && strspn(dot, ".0123456789") == strlen(dot));
}

/* The node a file is called after, in @a, and its role. */
static const char *split(struct arena *a, const char *path, const char **role)
{
	const char *name = base_of(path), *dot;
	size_t i = role_of(name);

	*role = "";
	if (i < sizeof(roles) / sizeof(roles[0])) {
		*role = roles[i].role;
		return arena_strndup(a, name, strlen(name) - strlen(roles[i].end));
	}
	dot = strrchr(name, '.');
	return dot && dot != name ? arena_strndup(a, name, (size_t)(dot - name)) : name;
}

static void add_of(struct bios_files *f, const char *name, const char *role,
		   const char *path)
{
	size_t i = names_add(&f->nodes, name, NULL);
	struct bios_files_node *node;

	mem_grow(&f->items, &f->cap, i + 1, sizeof(*f->items));
	node = &f->items[i];
	node->name = f->nodes.items[i];
	if (node->n == node->cap) {
		size_t cap = node->cap;

		mem_grow(&node->paths, &node->cap, node->n + 1, sizeof(*node->paths));
		mem_grow(&node->roles, &cap, node->n + 1, sizeof(*node->roles));
	}
	node->paths[node->n] = arena_strdup(&f->nodes.arena, path);
	node->roles[node->n++] = role;
}

/* @st NULL: there is nothing behind its name. The same file again is no second one. */
static int add_file(struct bios_files *f, const char *path, const struct stat *st,
		    struct err *e)
{
	const char *role, *name = split(&f->nodes.arena, path, &role);
	bool fresh = true;

	if (!node_name_valid(name))
		return err_set(e, ERR_USAGE,
			       "'%.200s': a file is called after its node, and '%.64s' "
			       "is no name of one",
			       path, name);
	if (st)
		(void)names_add(&f->seen,
				arena_printf(&f->nodes.arena, "%ju %ju %s",
					     (uintmax_t)st->st_dev, (uintmax_t)st->st_ino,
					     name),
				&fresh);
	if (fresh)
		add_of(f, name, role, path);
	return 0;
}

static void skip(struct bios_files *f, const char *path, const char *why)
{
	mem_grow(&f->skipped, &f->cap_skipped, f->n_skipped + 1, sizeof(*f->skipped));
	f->skipped[f->n_skipped++] = arena_printf(&f->nodes.arena, "'%s': %s", path, why);
}

/* Whatever it is called, it is a dump. */
static bool is_dump(const char *path)
{
	struct strbuf text = {0};
	struct err e = {0};
	bool is = !file_read(&text, path, BIOS_MAX_TEXT, &e) &&
		  bios_source_of(strbuf_str(&text), text.len);

	strbuf_release(&text);
	return is;
}

/*
 * One thing in a folder. A link to nothing and a pipe that are called like a dump are the
 * node's, which cannot be read then: left out, it would not be missed.
 */
static bool add_entry(struct bios_files *f, const char *path)
{
	const char *name = base_of(path), *why = NULL;
	struct err e = {0};
	struct stat st;
	bool there = !stat(path, &st);

	if (there && S_ISDIR(st.st_mode))
		why = "a folder in a folder: name it by itself to have it read";
	else if (is_copy(name))
		why = "by its name an old copy of something";
	else if (is_packed(name))
		why = "packed: unpack it to have it read";
	else if (!is_called_a_dump(name) && !(there && S_ISREG(st.st_mode)))
		why = "not a file";
	else if (!is_called_a_dump(name) && !is_dump(path))
		why = "neither by its name nor by its content saved settings";
	else if (add_file(f, path, there ? &st : NULL, &e))
		why = "a file is called after its node, and this is no name of one";
	if (why)
		skip(f, path, why);
	return !why;
}

/* By bytes, so that the order does not depend on the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static int add_folder(struct bios_files *f, const char *path, struct err *e)
{
	size_t len = strlen(path);
	struct dirent **list;
	int n = scandir(path, &list, is_visible, by_name);
	bool any = false;

	f->folders = true;
	if (n < 0) {
		err_sys(e, errno, "cannot read folder '%.200s'", path);
		e->kind = ERR_USAGE;
		return -1;
	}
	for (int i = 0; i < n; i++) {
		const char *slash = len && path[len - 1] == '/' ? "" : "/";

		any |= add_entry(f, arena_printf(&f->nodes.arena, "%s%s%s", path, slash,
						 list[i]->d_name));
		free(list[i]);
	}
	free(list);
	return any ? 0
		   : err_set(e, ERR_USAGE, "'%.200s': no file with saved settings in it",
			     path);
}

int bios_files_add(struct bios_files *f, const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st)) {
		err_sys(e, errno, "'%.200s'", path);
		e->kind = ERR_USAGE;
		return -1;
	}
	if (S_ISDIR(st.st_mode))
		return add_folder(f, path, e);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_USAGE,
			       "'%.200s': not a file; save what it gives in one that is "
			       "called after the node",
			       path);
	return add_file(f, path, &st, e);
}

void bios_files_release(struct bios_files *f)
{
	for (size_t i = 0; i < f->nodes.n; i++) {
		free(f->items[i].paths);
		free(f->items[i].roles);
	}
	free(f->items);
	free(f->skipped);
	names_release(&f->seen);
	names_release(&f->nodes);
	memset(f, 0, sizeof(*f));
}
