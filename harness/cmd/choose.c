/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a command: see choose.h. */
#include "cmd/choose.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/node_name.h"
#include "config/hostfile.h"
#include "config/hostlist.h"

static int this_machine(struct arena *a, const char ***nodes, size_t *n, struct err *e)
{
	char name[NODE_NAME_MAX + 1] = "";

	if (gethostname(name, sizeof(name) - 1) || !*name)
		return err_sys(e, errno, "gethostname");
	*nodes = arena_alloc(a, 1, sizeof(**nodes));
	(*nodes)[0] = arena_strdup(a, name);
	*n = 1;
	return 0;
}

static int of_hostfile(const char *path, struct arena *a, const char ***nodes, size_t *n,
		       struct err *e)
{
	struct hostfile h = {0};
	int rc = hostfile_read(&h, path, e);

	if (!rc) {
		*nodes = arena_alloc(a, h.n, sizeof(**nodes));
		for (*n = 0; *n < h.n; (*n)++)
			(*nodes)[*n] = arena_strdup(a, h.nodes[*n].name);
	}
	hostfile_release(&h);
	return rc;
}

int choose_nodes(const struct site *site, const struct slurm *slurm, const char *list,
		 const char *hostfile, struct arena *a, const char ***nodes, size_t *n,
		 struct err *e)
{
	if (list && hostfile)
		return err_set(e, ERR_USAGE, "--nodes and --hostfile exclude each other");
	if (hostfile || (list && !strcmp(list, "-")))
		return of_hostfile(hostfile ? hostfile : "-", a, nodes, n, e);
	if (list) {
		if (hostlist_expand(a, list, nodes, n, e))
			return err_at(e, "--nodes");
		(void)hostlist_unique(*nodes, n);
		return 0;
	}
	if (!site->n_nodes && !slurm->n_nodes)
		return this_machine(a, nodes, n, e);
	*nodes = site->n_nodes ? site->nodes : slurm->nodes;
	*n = site->n_nodes ? site->n_nodes : slurm->n_nodes;
	return 0;
}
