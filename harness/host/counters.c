/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: see counters.h. */
#include "host/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_PORTS = 128, PORT_NAME = 64, SNMP_BYTES = 65536 };

/* A file below a port's folder; @of: what it is a share of. */
struct file {
	const char *path, *of;
	bool background;
};

static const struct file ib_files[] = {
	{"counters/symbol_error", NULL, false},
	{"counters/link_error_recovery", NULL, false},
	{"counters/link_downed", NULL, false},
	{"counters/port_rcv_errors", NULL, false},
	{"counters/port_rcv_remote_physical_errors", NULL, false},
	{"counters/port_rcv_switch_relay_errors", NULL, false},
	{"counters/local_link_integrity_errors", NULL, false},
	{"counters/excessive_buffer_overrun_errors", NULL, false},
	{"counters/port_xmit_constraint_errors", NULL, false},
	{"counters/port_rcv_constraint_errors", NULL, false},
	{"counters/port_xmit_discards", "port_xmit_packets", false},
	{"counters/port_xmit_wait", NULL, false},
	{"counters/port_xmit_packets", NULL, true},
	/* of RoCE, where the network may lose what InfiniBand cannot */
	{"hw_counters/out_of_sequence", NULL, false},
	{"hw_counters/packet_seq_err", NULL, false},
	{"hw_counters/local_ack_timeout_err", NULL, false},
	{NULL, NULL, false},
};

static const struct file net_files[] = {
	{"statistics/rx_errors", NULL, false},
	{"statistics/tx_errors", NULL, false},
	{"statistics/rx_crc_errors", NULL, false},
	{"statistics/tx_carrier_errors", NULL, false},
	{"statistics/rx_dropped", "rx_packets", false},
	{"statistics/rx_missed_errors", "rx_packets", false},
	{"statistics/tx_dropped", "tx_packets", false},
	{"carrier_changes", NULL, false},
	{"statistics/rx_packets", NULL, true},
	{"statistics/tx_packets", NULL, true},
	{NULL, NULL, false},
};

void counters_release(struct counters *c)
{
	free(c->items);
	arena_release(&c->arena);
	*c = (struct counters){.n = 0};
}

const struct counter *counters_find(const struct counters *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!strcmp(c->items[i].name, name))
			return &c->items[i];
	}
	return NULL;
}

void counters_add(struct counters *c, const char *name, const char *unit, double value)
{
	mem_grow(&c->items, &c->cap, c->n + 1, sizeof(*c->items));
	c->items[c->n++] = (struct counter){
		.name = arena_strdup(&c->arena, name), .unit = unit, .value = value};
}

static void add(struct counters *c, const char *port, const struct file *f, uint64_t n)
{
	const char *slash = strrchr(f->path, '/');

	mem_grow(&c->items, &c->cap, c->n + 1, sizeof(*c->items));
	c->items[c->n++] = (struct counter){
		.name = arena_printf(&c->arena, "%s/%s", port,
				     slash ? slash + 1 : f->path),
		.of = f->of ? arena_printf(&c->arena, "%s/%s", port, f->of) : NULL,
		.unit = "ratio",
		.value = (double)n,
		.background = f->background,
	};
}

static void read_files(struct counters *c, const struct host_io *io, const char *folder,
		       const char *port, const struct file *f)
{
	struct arena a = {0};

	for (; f->path; f++) {
		struct err e = {0};
		uint64_t n;

		/* "N/A (...)" and a port without this counter: it is absent */
		if (!host_io_number(io, arena_printf(&a, "%s/%s", folder, f->path), &n,
				    &e))
			add(c, port, f, n);
	}
	arena_release(&a);
}

/* Names below @folder, at most MOST_PORTS of usual length. */
static size_t list(const struct host_io *io, const char *folder, struct arena *a,
		   const char ***names)
{
	struct err e = {0};
	size_t n, kept = 0;

	if (host_io_list(io, folder, a, names, &n, &e))
		return 0;
	for (size_t i = 0; i < n && kept < MOST_PORTS; i++) {
		if (strlen((*names)[i]) <= PORT_NAME)
			(*names)[kept++] = (*names)[i];
	}
	return kept;
}

static void adapters(struct counters *c, const struct host_io *io)
{
	const char **devices, **ports;
	struct arena a = {0};
	size_t n = list(io, "/sys/class/infiniband", &a, &devices);

	for (size_t i = 0; i < n; i++) {
		const char *folder =
			arena_printf(&a, "/sys/class/infiniband/%s/ports", devices[i]);
		size_t n_ports = list(io, folder, &a, &ports);

		for (size_t k = 0; k < n_ports; k++)
			read_files(c, io, arena_printf(&a, "%s/%s", folder, ports[k]),
				   arena_printf(&a, "%s:%s", devices[i], ports[k]),
				   ib_files);
	}
	arena_release(&a);
}

static void interfaces(struct counters *c, const struct host_io *io)
{
	struct strbuf type = {0};
	struct arena a = {0};
	const char **names;
	size_t n = list(io, "/sys/class/net", &a, &names);

	for (size_t i = 0; i < n; i++) {
		const char *folder = arena_printf(&a, "/sys/class/net/%s", names[i]);
		struct err e = {0};

		/* 772: loopback */
		if (!host_io_line(io, arena_printf(&a, "%s/type", folder), &type, &e) &&
		    strcmp(strbuf_str(&type), "772") != 0)
			read_files(c, io, folder, names[i], net_files);
	}
	strbuf_release(&type);
	arena_release(&a);
}

/* The @n-th word of a line, "" when it has less. */
static const char *word(struct arena *a, const char *line, size_t n)
{
	while (n-- && *line && *line != '\n') {
		line += strcspn(line, " \n");
		line += strspn(line, " ");
	}
	return arena_strndup(a, line, strcspn(line, " \n"));
}

/* /proc/net/snmp has pairs of lines: "Tcp: NAME NAME ...", "Tcp: VALUE VALUE ...". */
static void segments(struct counters *c, const struct host_io *io)
{
	static const struct file files[] = {{"RetransSegs", "OutSegs", false},
					    {"OutSegs", NULL, true}};
	struct strbuf text = {0};
	struct arena a = {0};
	struct err e = {0};
	const char *names = NULL, *values;

	if (!host_io_read(io, "/proc/net/snmp", SNMP_BYTES, &text, &e))
		names = strstr(strbuf_str(&text), "Tcp: ");
	values = names ? strstr(names + 1, "\nTcp: ") : NULL;
	for (size_t i = 1; values; i++) {
		const char *name = word(&a, names, i), *value = word(&a, values + 1, i);
		char *end;
		const unsigned long long n = strtoull(value, &end, 10);

		if (!*name || !*value)
			break;
		for (size_t k = 0; k < sizeof(files) / sizeof(files[0]); k++) {
			if (!strcmp(files[k].path, name) && !*end)
				add(c, "tcp", &files[k], n);
		}
	}
	strbuf_release(&text);
	arena_release(&a);
}

void counters_ports(struct counters *c, const struct host_io *io)
{
	adapters(c, io);
	interfaces(c, io);
	segments(c, io);
}
