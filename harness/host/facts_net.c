/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of adapters and network interfaces: ports, rates, firmware, where they sit. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "host/facts_gather.h"

static const char adapters[] = "/sys/class/infiniband";
static const char interfaces[] = "/sys/class/net";

enum { MAX_ADAPTERS = 64, MAX_PORTS = 16, MAX_INTERFACES = 128, MAX_NAME = 64 };

/* Names the kernel gives devices: they become keys and parts of paths. */
static bool is_name(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "0123456789._-:@");

	return n && !s[n] && n <= MAX_NAME && *s != '.';
}

/* A line of a file below @folder, as a text; "1: DOWN" without its number. */
static void put(struct gather *g, struct arena *a, const char *folder, const char *file,
		json_t *o, const char *key, struct strbuf *why)
{
	struct strbuf s = {0};
	const char *text, *colon;

	if (gather_line(g, arena_printf(a, "%s/%s", folder, file), &s, why) > 0) {
		text = strbuf_str(&s);
		colon = strchr(text, ':');
		if (colon && colon[1] == ' ' &&
		    strspn(text, "0123456789") == (size_t)(colon - text))
			text = colon + 2;
		(void)json_object_set_new(o, key, gather_text(text, strlen(text)));
	}
	strbuf_release(&s);
}

/* "200 Gb/sec (4X HDR)": B/s, and the width and generation as they are. */
static void put_rate(struct gather *g, struct arena *a, const char *folder, json_t *o,
		     struct strbuf *why)
{
	struct strbuf s = {0};
	const char *text, *open;
	char *end;
	double v;

	if (gather_line(g, arena_printf(a, "%s/rate", folder), &s, why) > 0) {
		text = strbuf_str(&s);
		v = strtod(text, &end);
		if (isdigit((unsigned char)*text) && !strncmp(end, " Gb/sec", 7) &&
		    v < 1e6)
			(void)json_object_set_new(o, "rate", json_real(v * 1e9 / 8));
		open = strchr(text, '(');
		if (open && strchr(open, ')'))
			(void)json_object_set_new(
				o, "width",
				gather_text(open + 1, strcspn(open + 1, ")")));
	}
	strbuf_release(&s);
}

/* The PCI address a `device` link ends in, and the domain that is near to it. */
static void put_place(struct gather *g, struct arena *a, const char *folder, json_t *o)
{
	struct strbuf s = {0}, why = {0};
	const char *slash;
	struct err e = {0};

	if (!host_io_link(g->io, arena_printf(a, "%s/device", folder), &s, &e)) {
		slash = strrchr(strbuf_str(&s), '/');
		if (slash && strchr(slash, ':'))
			(void)json_object_set_new(
				o, "pci", gather_text(slash + 1, strlen(slash + 1)));
	}
	/* -1, firmware did not say, is no number and so absent */
	(void)gather_number(g, arena_printf(a, "%s/device/numa_node", folder), o, "numa",
			    &why);
	strbuf_release(&s);
	strbuf_release(&why);
}

static void port(struct gather *g, struct arena *a, const char *folder,
		 const char *number, json_t *ports, struct strbuf *why)
{
	json_t *o = json_object();

	(void)json_object_set_new(o, "port", json_integer(strtol(number, NULL, 10)));
	put(g, a, folder, "state", o, "state", why);
	put(g, a, folder, "phys_state", o, "physical", why);
	put(g, a, folder, "link_layer", o, "layer", why);
	put(g, a, folder, "lid", o, "lid", why);
	put_rate(g, a, folder, o, why);
	(void)json_array_append_new(ports, o);
}

static void adapter(struct gather *g, struct arena *a, const char *name)
{
	const char *folder = arena_printf(a, "%s/%s", adapters, name);
	const char *ports = arena_printf(a, "%s/ports", folder), **numbers;
	json_t *o = json_object(), *list = json_array();
	struct strbuf why = {0};
	struct err e = {0};
	size_t n;

	put(g, a, folder, "hca_type", o, "type", &why);
	put(g, a, folder, "fw_ver", o, "firmware", &why);
	put(g, a, folder, "board_id", o, "board", &why);
	put(g, a, folder, "node_guid", o, "guid", &why);
	put_place(g, a, folder, o);
	if (host_io_list(g->io, ports, a, &numbers, &n, &e)) {
		if (e.kind != ERR_NOTFOUND && !why.len)
			strbuf_addstr(&why, e.msg);
		n = 0;
	}
	for (size_t i = 0; i < n && i < MAX_PORTS; i++) {
		if (is_name(numbers[i]))
			port(g, a, arena_printf(a, "%s/%s", ports, numbers[i]),
			     numbers[i], list, &why);
	}
	(void)json_object_set_new(o, "ports", list);
	(void)json_object_set_new(gather_group(g, "hca"), name, o);
	if (why.len)
		gather_unreadable(g, "hca", name, strbuf_str(&why));
	strbuf_release(&why);
}

void facts_hca(struct gather *g)
{
	struct arena a = {0};
	const char **names;
	struct err e = {0};
	size_t n;

	if (host_io_list(g->io, adapters, &a, &names, &n, &e)) {
		if (e.kind != ERR_NOTFOUND)
			gather_unreadable(g, NULL, "hca", e.msg);
		n = 0;
	}
	for (size_t i = 0; i < n && i < MAX_ADAPTERS; i++) {
		if (is_name(names[i]))
			adapter(g, &a, names[i]);
	}
	arena_release(&a);
}

/* Some of these cannot be read while the interface is down: then nobody knows them. */
static void interface(struct gather *g, struct arena *a, const char *name)
{
	const char *folder = arena_printf(a, "%s/%s", interfaces, name);
	json_t *o = json_object(), *v;
	struct strbuf why = {0};

	(void)gather_number(g, arena_printf(a, "%s/mtu", folder), o, "mtu", &why);
	if (gather_number(g, arena_printf(a, "%s/carrier", folder), o, "carrier", &why) >
	    0) {
		v = json_object_get(o, "carrier");
		(void)json_object_set_new(o, "carrier",
					  json_boolean(json_integer_value(v) != 0));
	}
	if (gather_number(g, arena_printf(a, "%s/speed", folder), o, "speed", &why) > 0) {
		v = json_object_get(o, "speed"); /* Mbit/s; 2^32 - 1: not known */
		if (json_integer_value(v) > 0 && json_integer_value(v) < 100000000)
			(void)json_object_set_new(
				o, "speed",
				json_real((double)json_integer_value(v) * 1e6 / 8));
		else
			(void)json_object_del(o, "speed");
	}
	put_place(g, a, folder, o);
	(void)json_object_set_new(gather_group(g, "net"), name, o);
	strbuf_release(&why);
}

void facts_net(struct gather *g)
{
	struct arena a = {0};
	const char **names;
	struct err e = {0};
	size_t n, taken = 0;

	if (host_io_list(g->io, interfaces, &a, &names, &n, &e))
		n = 0;
	for (size_t i = 0; i < n && taken < MAX_INTERFACES; i++) {
		/* bridges, bonds, loopback and the like have no device */
		if (!is_name(names[i]) ||
		    !host_io_exists(g->io, arena_printf(&a, "%s/%s/device", interfaces,
							names[i])))
			continue;
		interface(g, &a, names[i]);
		taken++;
	}
	arena_release(&a);
}
