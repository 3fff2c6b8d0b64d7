/* SPDX-License-Identifier: Apache-2.0 */
/* Counters and gauges of CPUs and memory: see counters.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "host/counters.h"

enum { MOST = 4096, MOST_CPUS_ASKED = 16 };

static const char edac[] = "/sys/devices/system/edac/mc";
static const char cpus[] = "/sys/devices/system/cpu";
static const char hwmon[] = "/sys/class/hwmon";

/* Names below @folder that begin with @prefix. */
static size_t list(const struct host_io *io, const char *folder, const char *prefix,
		   struct arena *a, const char ***names)
{
	struct err e = {0};
	size_t n, kept = 0;

	if (host_io_list(io, folder, a, names, &n, &e))
		return 0;
	for (size_t i = 0; i < n && kept < MOST; i++) {
		if (!strncmp((*names)[i], prefix, strlen(prefix)))
			(*names)[kept++] = (*names)[i];
	}
	return kept;
}

static bool number(const struct host_io *io, const char *path, uint64_t *v)
{
	struct err e = {0};

	return !host_io_number(io, path, v, &e);
}

/* Errors of a memory controller that were corrected (ce) or could not be (ue). */
static void memory_errors(struct counters *c, const struct host_io *io)
{
	static const char *const files[] = {"ce_count", "ue_count"};
	struct arena a = {0};
	const char **names;
	size_t n = list(io, edac, "mc", &a, &names);

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < 2; k++) {
			uint64_t v;

			if (number(io,
				   arena_printf(&a, "%s/%s/%s", edac, names[i], files[k]),
				   &v))
				counters_add(
					c, arena_printf(&a, "%s/%s", names[i], files[k]),
					"ratio", (double)v);
		}
	}
	arena_release(&a);
}

/*
 * Times a core, or its whole package, was slowed down for its heat. Of a package each CPU
 * tells the same, so the CPUs' sum says only that it happened.
 */
static void throttles(struct counters *c, const struct host_io *io)
{
	static const char *const files[] = {"core_throttle_count",
					    "package_throttle_count"};
	struct arena a = {0};
	const char **names;
	size_t n = list(io, cpus, "cpu", &a, &names);

	for (size_t k = 0; k < 2; k++) {
		double sum = 0;
		size_t found = 0;

		for (size_t i = 0; i < n; i++) {
			uint64_t v;

			if (!number(io,
				    arena_printf(&a, "%s/%s/thermal_throttle/%s", cpus,
						 names[i], files[k]),
				    &v))
				continue;
			sum += (double)v;
			found++;
		}
		if (found)
			counters_add(c, arena_printf(&a, "cpus/%s", files[k]), "ratio",
				     sum);
	}
	arena_release(&a);
}

void counters_node(struct counters *c, const struct host_io *io)
{
	memory_errors(c, io);
	throttles(c, io);
}

/* The CPUs' own sensors, whatever the maker calls them. */
static bool is_of_cpus(const char *name)
{
	static const char *const names[] = {"k10temp", "zenpower", "coretemp",
					    "cpu_thermal"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

/* The hottest of the inputs of one device. */
static double hottest_of(const struct host_io *io, const char *folder)
{
	struct arena a = {0};
	const char **names;
	size_t n = list(io, folder, "temp", &a, &names);
	double hottest = NAN;

	for (size_t i = 0; i < n; i++) {
		const char *end = strstr(names[i], "_input");
		uint64_t milli;

		if (!end || end[6] ||
		    !number(io, arena_printf(&a, "%s/%s", folder, names[i]), &milli))
			continue;
		if (!((double)milli / 1000 <= hottest))
			hottest = (double)milli / 1000;
	}
	arena_release(&a);
	return hottest;
}

static double temperature(const struct host_io *io)
{
	struct strbuf name = {0};
	struct arena a = {0};
	const char **names;
	size_t n = list(io, hwmon, "hwmon", &a, &names);
	double hottest = NAN;

	for (size_t i = 0; i < n; i++) {
		const char *folder = arena_printf(&a, "%s/%s", hwmon, names[i]);
		struct err e = {0};
		double t;

		if (host_io_line(io, arena_printf(&a, "%s/name", folder), &name, &e) ||
		    !is_of_cpus(strbuf_str(&name)))
			continue;
		t = hottest_of(io, folder);
		if (!isnan(t) && !(t <= hottest))
			hottest = t;
	}
	strbuf_release(&name);
	arena_release(&a);
	return hottest;
}

/*
 * scaling_cur_freq is what APERF/MPERF give on x86 since Linux 4.13. Some of the CPUs are
 * enough: asking all 128 each second would be a load of its own.
 */
static double frequency(const struct host_io *io, const int *asked, size_t n)
{
	const size_t some = n < MOST_CPUS_ASKED ? n : MOST_CPUS_ASKED;
	double sum = 0;
	size_t found = 0;

	for (size_t i = 0; i < some; i++) {
		char path[128];
		uint64_t khz;

		(void)snprintf(path, sizeof(path), "%s/cpu%d/cpufreq/scaling_cur_freq",
			       cpus, asked[i * n / some]);
		if (!number(io, path, &khz))
			continue;
		sum += (double)khz * 1e3;
		found++;
	}
	return found ? sum / (double)found : NAN;
}

struct counters_gauges counters_gauges(const struct host_io *io, const int *asked,
				       size_t n)
{
	return (struct counters_gauges){frequency(io, asked, n), temperature(io)};
}

void counters_unreadable(const struct host_io *io, const int *asked, size_t n,
			 struct strbuf *out)
{
	const struct counters_gauges g = counters_gauges(io, asked, n);
	struct counters c = {0};
	const char *sep = "";

	if (isnan(g.frequency)) {
		strbuf_addstr(out, "clock (cpufreq)");
		sep = ", ";
	}
	if (isnan(g.temperature)) {
		strbuf_addf(out, "%stemperature (hwmon)", sep);
		sep = ", ";
	}
	memory_errors(&c, io);
	if (!c.n)
		strbuf_addf(out, "%smemory errors (EDAC)", sep);
	counters_release(&c);
}
