/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of what is plugged in: memory modules by DMI, network devices by PCI. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "host/dmi.h"
#include "host/facts_gather.h"

static const char devices[] = "/sys/bus/pci/devices";

/* A machine has a few; what has thousands is no machine. */
enum { MAX_DEVICES = 256, MAX_HOPS = 16 };

void facts_smbios(struct gather *g)
{
	static const char path[] = "/sys/firmware/dmi/tables/DMI";
	struct strbuf table = {0};
	struct err e = {0};
	json_t *o;

	if (host_io_bytes(g->io, path, DMI_MAX_TABLE, &table, &e)) {
		if (e.kind != ERR_NOTFOUND)
			gather_unreadable(g, NULL, "smbios", e.msg);
	} else {
		o = dmi_decode(strbuf_str(&table), table.len);
		if (o)
			(void)json_object_set_new(g->facts, "smbios", o);
	}
	strbuf_release(&table);
}

/* "0000:41:00.0" and nothing else: it goes into paths. */
static bool is_address(const char *s, size_t len)
{
	static const char form[] = "xxxx:xx:xx.x";

	/* a domain may have more digits where there are many */
	while (len > sizeof(form) - 1 && isxdigit((unsigned char)*s)) {
		s++;
		len--;
	}
	if (len != sizeof(form) - 1)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (form[i] == 'x' ? !isxdigit((unsigned char)s[i]) : s[i] != form[i])
			return false;
	}
	return true;
}

/* Network devices have base class 02. */
static const char *class_of(unsigned long class)
{
	if (class >> 16 != 2)
		return NULL;
	switch (class >> 8) {
	case 0x0200:
		return "ethernet";
	case 0x0207:
		return "infiniband";
	case 0x0208:
		return "fabric";
	default:
		return "network";
	}
}

/* An attribute of the device with this address. */
static const char *attribute(struct arena *a, const char *address, const char *name)
{
	return arena_printf(a, "%s/%s/%s", devices, address, name);
}

/* "16.0 GT/s PCIe" in transfers a second, "16" lanes; absent where nobody knows. */
static void put_link(struct gather *g, struct arena *a, const char *address,
		     const char *which, json_t *o, const char *prefix, struct strbuf *why)
{
	const char *speed = arena_printf(a, "%s_link_speed", which);
	const char *width = arena_printf(a, "%s_link_width", which);
	struct strbuf s = {0};
	char *end;
	double v;

	if (gather_line(g, attribute(a, address, speed), &s, why) > 0) {
		v = strtod(strbuf_str(&s), &end);
		if (!strncmp(end, " GT/s", 5) && v > 0 && v < 1e4)
			(void)json_object_set_new(o, arena_printf(a, "%s_speed", prefix),
						  json_real(v * 1e9));
	}
	if (gather_line(g, attribute(a, address, width), &s, why) > 0) {
		v = strtod(strbuf_str(&s), &end);
		if (!*end && v >= 1 && v <= 32) /* 0 and 63: no link */
			(void)json_object_set_new(o, arena_printf(a, "%s_width", prefix),
						  json_integer((json_int_t)v));
	}
	strbuf_release(&s);
}

/* Addresses on the way from the device up to the root port; the device is first. */
static size_t path_up(struct gather *g, struct arena *a, const char *address,
		      const char *hops[MAX_HOPS])
{
	struct strbuf target = {0};
	struct err e = {0};
	size_t n = 0, len;

	if (!host_io_link(g->io, arena_printf(a, "%s/%s", devices, address), &target,
			  &e)) {
		len = target.len;
		while (len && n < MAX_HOPS) {
			size_t end = len;

			while (len && target.buf[len - 1] != '/')
				len--;
			if (!is_address(target.buf + len, end - len))
				break;
			hops[n++] = arena_strndup(a, target.buf + len, end - len);
			len -= len > 0;
		}
	}
	strbuf_release(&target);
	if (!n)
		hops[n++] = address;
	return n;
}

/*
 * Links on the way up, the device's own first. Behind a switch there are more: a link
 * joins a port that looks down with the device, or the switch's port that looks up, below
 * it.
 */
static json_t *links(struct gather *g, struct arena *a, const char *address,
		     struct strbuf *why)
{
	const char *hops[MAX_HOPS];
	size_t n = path_up(g, a, address, hops);
	json_t *list = json_array();

	for (size_t i = 0; i < n; i += 2) {
		json_t *o = json_object();

		put_link(g, a, hops[i], "current", o, "now", why);
		put_link(g, a, hops[i], "max", o, "max", why);
		if (i + 1 < n)
			put_link(g, a, hops[i + 1], "max", o, "port", why);
		if (!json_object_size(o)) { /* conventional PCI, or inside the CPU */
			json_decref(o);
			break;
		}
		(void)json_object_set_new(o, "device", json_string(hops[i]));
		if (i + 1 < n)
			(void)json_object_set_new(o, "port", json_string(hops[i + 1]));
		(void)json_array_append_new(list, o);
	}
	return list;
}

/* Names of the children in a folder of the device: mlx5_0, ib0. */
static void put_names(struct gather *g, struct arena *a, const char *address,
		      const char *folder, json_t *list)
{
	const char **names;
	struct err e = {0};
	size_t n;

	if (host_io_list(g->io, attribute(a, address, folder), a, &names, &n, &e))
		return;
	for (size_t i = 0; i < n && i < 8; i++)
		(void)json_array_append_new(list,
					    gather_text(names[i], strlen(names[i])));
}

static void put_hex(struct gather *g, struct arena *a, const char *address,
		    const char *name, json_t *o)
{
	struct strbuf s = {0}, why = {0};
	const char *text;

	if (gather_line(g, attribute(a, address, name), &s, &why) > 0) {
		text = strbuf_str(&s);
		text += strncmp(text, "0x", 2) ? 0 : 2;
		(void)json_object_set_new(o, name, gather_text(text, strlen(text)));
	}
	strbuf_release(&s);
	strbuf_release(&why);
}

static void put_driver(struct gather *g, struct arena *a, const char *address, json_t *o)
{
	struct strbuf s = {0};
	struct err e = {0};

	if (!host_io_link(g->io, attribute(a, address, "driver"), &s, &e)) {
		const char *slash = strrchr(strbuf_str(&s), '/');
		const char *name = slash ? slash + 1 : strbuf_str(&s);

		(void)json_object_set_new(o, "driver", gather_text(name, strlen(name)));
	}
	strbuf_release(&s);
}

static void device(struct gather *g, struct arena *a, const char *address,
		   const char *class)
{
	json_t *o = json_object(), *names = json_array(), *list;
	struct strbuf why = {0}, node = {0};

	(void)json_object_set_new(o, "class", json_string(class));
	put_hex(g, a, address, "vendor", o);
	put_hex(g, a, address, "device", o);
	put_driver(g, a, address, o);
	put_names(g, a, address, "infiniband", names);
	put_names(g, a, address, "net", names);
	if (json_array_size(names))
		(void)json_object_set(o, "names", names);
	json_decref(names);
	/* -1, firmware did not say, is no number and so absent */
	(void)gather_number(g, attribute(a, address, "numa_node"), o, "numa", &node);
	list = links(g, a, address, &why);
	if (why.len)
		gather_unreadable(g, "pci", address, strbuf_str(&why));
	if (json_array_size(list) && !why.len)
		(void)json_object_set(o, "links", list);
	json_decref(list);
	(void)json_object_set_new(gather_group(g, "pci"), address, o);
	strbuf_release(&why);
	strbuf_release(&node);
}

/* "12" -> names of the slots firmware numbers; address without the function. */
static void slots(struct gather *g, struct arena *a)
{
	static const char folder[] = "/sys/bus/pci/slots";
	json_t *pci = json_object_get(g->facts, "pci"), *o;
	struct strbuf s = {0}, why = {0};
	const char **names, *address;
	struct err e = {0};
	size_t n;

	if (host_io_list(g->io, folder, a, &names, &n, &e))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		const char *path = arena_printf(a, "%s/%s/address", folder, names[i]);

		if (gather_line(g, path, &s, &why) <= 0)
			continue;
		json_object_foreach(pci, address, o)
		{
			if (!strncmp(address, strbuf_str(&s), s.len) &&
			    address[s.len] == '.')
				(void)json_object_set_new(
					o, "slot",
					gather_text(names[i], strlen(names[i])));
		}
	}
	strbuf_release(&s);
	strbuf_release(&why);
}

void facts_pci(struct gather *g)
{
	struct strbuf s = {0}, why = {0};
	struct arena a = {0};
	const char **names;
	struct err e = {0};
	size_t n, taken = 0;

	if (host_io_list(g->io, devices, &a, &names, &n, &e)) {
		if (e.kind != ERR_NOTFOUND)
			gather_unreadable(g, NULL, "pci", e.msg);
		n = 0;
	}
	for (size_t i = 0; i < n && taken < MAX_DEVICES; i++) {
		const char *class;
		int rc;

		if (!is_address(names[i], strlen(names[i])))
			continue;
		strbuf_reset(&why);
		rc = gather_line(g, attribute(&a, names[i], "class"), &s, &why);
		if (rc < 0)
			gather_unreadable(g, "pci", names[i], strbuf_str(&why));
		if (rc <= 0)
			continue;
		class = class_of(strtoul(strbuf_str(&s), NULL, 16));
		if (!class)
			continue;
		device(g, &a, names[i], class);
		taken++;
	}
	slots(g, &a);
	strbuf_release(&s);
	strbuf_release(&why);
	arena_release(&a);
}
