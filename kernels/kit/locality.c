/* SPDX-License-Identifier: Apache-2.0 */
/* Near and far: see locality.h. */
#include "kernels/kit/locality.h"

#include <stdlib.h>
#include <string.h>

#include "host/io.h"

static const char nodes[] = "/sys/devices/system/node";

void locality_release(struct locality *l)
{
	arena_release(&l->arena);
	*l = (struct locality){.n = 0};
}

/* Domains that have CPUs. */
static void read_domains(struct locality *l, const struct host_io *io)
{
	struct strbuf cpus = {0};
	const char **names;
	struct err e = {0};
	size_t n;

	if (host_io_list(io, nodes, &l->arena, &names, &n, &e))
		return;
	l->domains = arena_alloc(&l->arena, n + 1, sizeof(*l->domains));
	for (size_t i = 0; i < n; i++) {
		const char *number = names[i] + 4;
		char *end;
		long id;

		if (strncmp(names[i], "node", 4) != 0 || !*number)
			continue;
		id = strtol(number, &end, 10);
		if (*end || id < 0 || id > 65535 ||
		    host_io_line(
			    io, arena_printf(&l->arena, "%s/%s/cpulist", nodes, names[i]),
			    &cpus, &e) ||
		    !cpus.len)
			continue;
		l->domains[l->n++] = (struct locality_domain){
			.id = (int)id,
			.cpus = arena_strdup(&l->arena, strbuf_str(&cpus))};
	}
	strbuf_release(&cpus);
}

/* Id of the device's domain; -1 with @e set when nobody says. */
static int domain_of(const struct host_io *io, const char *device, struct arena *a,
		     struct err *e)
{
	static const char *const classes[] = {"infiniband", "net"};
	const char *name = arena_strndup(a, device, strcspn(device, ":"));

	if (strchr(name, '/') || *name == '.')
		return err_set(e, ERR_USAGE, "'%.64s' is no name of a device", device);
	for (size_t i = 0; i < 2; i++) {
		const char *folder =
			arena_printf(a, "/sys/class/%s/%s", classes[i], name);
		struct err why = {0};
		uint64_t id;

		if (!host_io_exists(io, folder))
			continue;
		if (!host_io_exists(io, arena_printf(a, "%s/device", folder)))
			return err_set(e, ERR_NOTFOUND,
				       "'%.64s' is no device of its own: name the one "
				       "below it",
				       name);
		if (host_io_number(io, arena_printf(a, "%s/device/numa_node", folder),
				   &id, &why) ||
		    id > 65535)
			return err_set(e, ERR_NOTFOUND,
				       "firmware does not say at which NUMA domain "
				       "'%.64s' is",
				       name);
		return (int)id;
	}
	return err_set(e, ERR_NOTFOUND, "there is no network device '%.64s'", name);
}

static int index_of(const struct locality *l, int id)
{
	for (int i = 0; i < l->n; i++) {
		if (l->domains[i].id == id)
			return i;
	}
	return -1;
}

/*
 * The distances in a domain's file are in the order of all domains, those without CPUs,
 * too, by rising numbers.
 */
static int farthest(const struct locality *l, const struct host_io *io, struct arena *a)
{
	const char *path =
		arena_printf(a, "%s/node%d/distance", nodes, l->domains[l->near].id);
	struct strbuf text = {0};
	const char **names, *p;
	struct err e = {0};
	int far = -1;
	long most = 0;
	size_t n;

	if (host_io_list(io, nodes, a, &names, &n, &e) ||
	    host_io_line(io, path, &text, &e))
		n = 0;
	p = strbuf_str(&text);
	for (size_t i = 0; i < n; i++) {
		char *end;
		int at;
		long distance;

		if (strncmp(names[i], "node", 4) != 0 ||
		    names[i][4 + strspn(names[i] + 4, "0123456789")] || !names[i][4])
			continue;
		distance = strtol(p, &end, 10);
		if (end == p)
			break;
		p = end;
		at = index_of(l, (int)strtol(names[i] + 4, NULL, 10));
		if (at >= 0 && at != l->near && distance >= most) {
			most = distance;
			far = at;
		}
	}
	strbuf_release(&text);
	return far;
}

int locality_read(struct locality *l, const char *root, const char *device, struct err *e)
{
	const struct host_io io = {.root = root};
	int id;

	*l = (struct locality){.near = -1, .far = -1};
	id = domain_of(&io, device, &l->arena, e);
	if (id < 0)
		return -1;
	read_domains(l, &io);
	if (l->n < 2)
		return err_set(e, ERR_NOTFOUND,
			       "the node has one NUMA domain with CPUs: all are as near "
			       "to '%.64s'",
			       device);
	l->near = index_of(l, id);
	if (l->near < 0)
		return err_set(e, ERR_NOTFOUND,
			       "'%.64s' is at NUMA domain %d, which has no CPUs", device,
			       id);
	l->far = farthest(l, &io, &l->arena);
	if (l->far < 0)
		return err_set(e, ERR_NOTFOUND,
			       "the system does not say how far NUMA domains are apart");
	return 0;
}
