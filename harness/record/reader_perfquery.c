/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Saved outputs of perfquery (infiniband-diags), with -x or without: counters of ports of
 * switches and adapters, which InfiniBand gives to whoever may ask. Their totals tell
 * nothing; of each port the text has to hold two readings, one behind the other. What
 * moved between the first and the last is for rule `counter`, under the names of sysfs.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "record/reading.h"

static const char classic[] = "# Port counters: ",
		  extended[] = "# Port extended counters: ";

/* @most: where the classic one stops counting (IBTA 1.2.1, 16.1.3.5); -x has 64 bits. */
static const struct known {
	const char *word, *name;
	double most;
} known[] = {
	{"SymbolErrorCounter", "symbol_error", 0xffff},
	{"LinkErrorRecoveryCounter", "link_error_recovery", 0xff},
	{"LinkDownedCounter", "link_downed", 0xff},
	{"PortRcvErrors", "port_rcv_errors", 0xffff},
	{"PortRcvRemotePhysicalErrors", "port_rcv_remote_physical_errors", 0xffff},
	{"PortRcvSwitchRelayErrors", "port_rcv_switch_relay_errors", 0xffff},
	{"PortXmitDiscards", "port_xmit_discards", 0xffff},
	{"PortXmitConstraintErrors", "port_xmit_constraint_errors", 0xff},
	{"PortRcvConstraintErrors", "port_rcv_constraint_errors", 0xff},
	{"LocalLinkIntegrityErrors", "local_link_integrity_errors", 0xf},
	{"ExcessiveBufferOverrunErrors", "excessive_buffer_overrun_errors", 0xf},
	{"PortXmitPkts", "port_xmit_packets", 0xffffffff},
	{"PortXmitWait", "port_xmit_wait", 0xffffffff},
};

enum { N_KNOWN = sizeof(known) / sizeof(known[0]), PORT_NAME = 64 };

/* A counter of a port, as often as it was read; [1]: with -x. */
struct entry {
	double first[2], last[2];
	size_t n[2];
	double most;
};

struct text {
	struct names names; /* "lid-1719:2/symbol_error" */
	struct entry *entries;
	size_t cap;
	char port[PORT_NAME]; /* whose counters the lines are; "" before the first */
	bool wide;
};

static bool knows(const char *text)
{
	return strstr(text, classic) || strstr(text, extended);
}

/* "Lid 1719 port 2 (CapMask: ...)" is port lid-1719:2; false for anything else. */
static bool port_of(const char *title, char name[PORT_NAME])
{
	const char *port = strstr(title, " port "), *number = port ? port + 6 : NULL;
	const size_t digits = number ? strspn(number, "0123456789") : 0;
	size_t n = 0;

	if (!digits || (number[digits] && number[digits] != ' '))
		return false;
	for (const char *c = title; c < port && n < PORT_NAME / 2; c++) {
		if (isalnum((unsigned char)*c) || strchr(",.-", *c))
			name[n++] = (char)tolower((unsigned char)*c);
		else if (n && name[n - 1] != '-')
			name[n++] = '-';
	}
	(void)snprintf(name + n, PORT_NAME - n, ":%.*s", digits < 8 ? (int)digits : 8,
		       number);
	return n > 0;
}

static void begin_port(struct text *t, const char *title, bool wide)
{
	t->wide = wide;
	if (!port_of(title, t->port))
		t->port[0] = '\0';
}

/* "SymbolErrorCounter:..............12" */
static void read_counter(struct text *t, char *line)
{
	const size_t len = strcspn(line, ":");
	const char *digits = line + len + strspn(line + len, ":. \t");
	char name[2 * PORT_NAME], *end;
	unsigned long long v;
	struct entry *x;
	size_t k = 0, i;

	while (k < N_KNOWN &&
	       (strlen(known[k].word) != len || memcmp(known[k].word, line, len) != 0))
		k++;
	errno = 0;
	v = strtoull(digits, &end, 10);
	if (k == N_KNOWN || !t->port[0] || !isdigit((unsigned char)*digits) || *end ||
	    errno)
		return;
	(void)snprintf(name, sizeof(name), "%s/%s", t->port, known[k].name);
	i = names_add(&t->names, name, NULL);
	mem_grow(&t->entries, &t->cap, i + 1, sizeof(*t->entries));
	x = &t->entries[i];
	if (!x->n[0] && !x->n[1])
		x->most = known[k].most;
	if (!x->n[t->wide]++)
		x->first[t->wide] = (double)v;
	x->last[t->wide] = (double)v;
}

static bool stuck(const struct entry *x)
{
	return x->n[1] < 2 && x->n[0] > 1 && x->first[0] >= x->most;
}

/* What has 64 bits goes before what stops at 15 or 255. */
static void say(const struct text *t, size_t i, struct reading *r)
{
	const struct entry *x = &t->entries[i];
	const int wide = x->n[1] > 1;

	if (x->n[wide] < 2 || stuck(x))
		return;
	reading_counter(r, t->names.items[i], "before", x->first[wide]);
	reading_counter(r, t->names.items[i], "after", x->last[wide]);
}

/* A counter that stands at its limit cannot tell that nothing happened. */
static void tell_stuck(const struct text *t, struct reading *r)
{
	size_t n = 0, first = 0;

	for (size_t i = t->names.n; i-- > 0;) {
		if (stuck(&t->entries[i])) {
			first = i;
			n++;
		}
	}
	if (n)
		reading_event(
			r, "warn",
			arena_printf(&r->arena,
				     "%zu of the counters, such as %s, stood at their "
				     "limit and count no more: clear them (perfquery "
				     "-R) or read them with -x",
				     n, t->names.items[first]));
}

static void read_text(const char *text, struct reading *r)
{
	struct text t = {.wide = false};
	char line[READING_LINE];

	while (reading_line(&text, line)) {
		if (!strncmp(line, classic, sizeof(classic) - 1))
			begin_port(&t, line + sizeof(classic) - 1, false);
		else if (!strncmp(line, extended, sizeof(extended) - 1))
			begin_port(&t, line + sizeof(extended) - 1, true);
		else if (line[0] == '#')
			t.port[0] = '\0';
		else
			read_counter(&t, line);
	}
	if (t.names.n) {
		reading_begin(r, "");
		for (size_t i = 0; i < t.names.n; i++)
			say(&t, i, r);
		if (r->items[0].n)
			reading_valid(r, "readings", NAN, NAN, true, NULL);
		else
			reading_lacks(r,
				      "no counter was read twice in a state to count: "
				      "they tell of trouble by moving, so give a later "
				      "reading of the same ports too");
		tell_stuck(&t, r);
	}
	names_release(&t.names);
	free(t.entries);
}

const struct reader reader_perfquery = {
	.name = "perfquery",
	.kernel = "net",
	.help = "perfquery",
	.joins = true,
	.knows = knows,
	.read = read_text,
};
