/* SPDX-License-Identifier: Apache-2.0 */
/* NPS and CCX-as-NUMA decoded: see numa.h. */
#include "bios/numa.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "record/json.h"

enum { SAME_PART = 11 };

/* What a socket has; all of them have to agree. */
struct socket {
	long domains; /* with CPUs */
	long caches;  /* 0: not known */
	bool one_l3;  /* each domain has the CPUs of exactly one L3 */
	long part;    /* domains of one part of the socket; 0: not known */
};

static long count(const json_t *facts, const char *group, const char *fact)
{
	const json_t *v = json_object_get(json_object_get(facts, group), fact);

	return json_is_integer(v) ? (long)json_integer_value(v) : 0;
}

static bool has_cpus(const json_t *domain)
{
	return *json_member_text(domain, "cpus") != '\0';
}

static bool in_package(const json_t *o, long package)
{
	const json_t *v = json_object_get(o, "package");

	return json_is_integer(v) && json_integer_value(v) == package;
}

/* CPU lists are written one way only, so like lists are like texts. */
static bool is_one_l3(const json_t *facts, const json_t *domain)
{
	const json_t *list = json_object_get(json_object_get(facts, "cache"), "l3");
	json_t *cache;
	size_t i;

	json_array_foreach(list, i, cache)
	{
		if (!strcmp(json_member_text(cache, "cpus"),
			    json_member_text(domain, "cpus")))
			return true;
	}
	return false;
}

/*
 * How many domains of the package are as near to @domain as another L3 of the same part,
 * itself counted; 0 when its distances do not tell.
 */
static long part_of(const json_t *numa, const json_t *domain, long package)
{
	const json_t *row = json_object_get(domain, "distances");
	json_t *other;
	long n = 0;
	size_t i;

	if (json_array_size(row) != json_array_size(numa))
		return 0;
	json_array_foreach(numa, i, other)
	{
		n += has_cpus(other) && in_package(other, package) &&
		     json_integer_value(json_array_get(row, i)) <= SAME_PART;
	}
	return n;
}

static struct socket look_at(const json_t *facts, long package)
{
	const json_t *numa = json_object_get(facts, "numa");
	const json_t *l3 = json_object_get(json_object_get(facts, "cache"), "l3");
	struct socket s = {.one_l3 = json_array_size(l3) > 0};
	json_t *item;
	size_t i;

	json_array_foreach(l3, i, item)
	{
		s.caches += in_package(item, package);
	}
	json_array_foreach(numa, i, item)
	{
		long part;

		if (!has_cpus(item) || !in_package(item, package))
			continue;
		part = part_of(numa, item, package);
		s.part = !s.domains || s.part == part ? part : 0;
		s.domains++;
		s.one_l3 &= is_one_l3(facts, item);
	}
	return s;
}

/* The same from counts alone, where facts do not say which package a domain is in. */
static struct socket from_counts(const json_t *facts, long sockets, long total)
{
	long caches = count(facts, "cache", "l3_instances");
	struct socket s = {0};

	if (total % sockets == 0)
		s.domains = total / sockets;
	if (caches % sockets == 0)
		s.caches = caches / sockets;
	s.one_l3 = s.caches && s.caches == s.domains;
	return s;
}

static struct socket look(const json_t *facts, long sockets, long total)
{
	struct socket s = look_at(facts, 0);
	long seen = s.domains;

	for (long i = 1; i < sockets && i < 64; i++) {
		struct socket other = look_at(facts, i);

		seen += other.domains;
		if (other.domains != s.domains || other.caches != s.caches ||
		    other.one_l3 != s.one_l3 || other.part != s.part)
			return (struct socket){0};
	}
	return seen == total ? s : from_counts(facts, sockets, total);
}

static bool is_nps(long n)
{
	return n == 1 || n == 2 || n == 4;
}

static struct numa_firmware decode(const struct socket *s)
{
	struct numa_firmware out = {-1, NUMA_CCX_UNKNOWN};

	if (!s->domains)
		return out;
	if (!s->caches) {
		if (s->domains == 1)
			out.nps = 1;
		return out;
	}
	if (!s->one_l3 || s->caches != s->domains) {
		out.ccx = NUMA_CCX_OFF;
		out.nps = is_nps(s->domains) ? (int)s->domains : -1;
		return out;
	}
	if (s->part > 1) {
		out.ccx = NUMA_CCX_ON;
		if (s->domains % s->part == 0 && is_nps(s->domains / s->part))
			out.nps = (int)(s->domains / s->part);
		return out;
	}
	out.ccx = is_nps(s->domains) ? NUMA_CCX_AMBIGUOUS : NUMA_CCX_ON;
	if (s->domains == 1 || (s->part == 1 && is_nps(s->domains)))
		out.nps = (int)s->domains;
	return out;
}

struct numa_firmware numa_decode(const json_t *facts)
{
	const json_t *numa = json_object_get(facts, "numa");
	long sockets = count(facts, "cpu", "sockets"), total = 0;
	struct socket s;
	json_t *item;
	size_t i;

	json_array_foreach(numa, i, item)
	{
		total += has_cpus(item);
	}
	if (!numa)
		total = count(facts, "cpu", "numa_domains");
	if (sockets < 1 || total < 1)
		return (struct numa_firmware){-1, NUMA_CCX_UNKNOWN};
	if (total == 1 && sockets == 2)
		return (struct numa_firmware){0, NUMA_CCX_OFF};
	s = look(facts, sockets, total);
	return decode(&s);
}
