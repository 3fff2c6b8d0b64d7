/* SPDX-License-Identifier: Apache-2.0 */
/* CPU masks and lists: see cpulist.h. */
#include "kernels/kit/cpulist.h"

#include <stdlib.h>

#include "base/mem.h"

bool cpumask_has(const struct cpumask *m, int cpu)
{
	const unsigned c = (unsigned)cpu;

	return c < CPULIST_MAX && (m->bits[c / 64] >> (c % 64) & 1);
}

void cpumask_add(struct cpumask *m, int cpu)
{
	if (cpu >= 0 && cpu < CPULIST_MAX)
		m->bits[cpu / 64] |= (uint64_t)1 << (cpu % 64);
}

int cpumask_count(const struct cpumask *m)
{
	int n = 0;

	for (size_t i = 0; i < CPULIST_MAX / 64; i++)
		n += __builtin_popcountll(m->bits[i]);
	return n;
}

int cpumask_list(const struct cpumask *m, int *cpus)
{
	int n = 0;

	for (int i = 0; i < CPULIST_MAX; i++) {
		if (cpumask_has(m, i))
			cpus[n++] = i;
	}
	return n;
}

/* A CPU number at *@p, before @end; -1 when there is none. */
static int number(const char **p, const char *end)
{
	int n = -1;

	for (; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
		n = (n < 0 ? 0 : n) * 10 + (**p - '0');
		if (n >= CPULIST_MAX)
			return -1;
	}
	return n;
}

int cpulist_parse(const char *text, size_t len, int **cpus, int *n, struct err *e)
{
	const char *p = text, *end = text + len;
	const int shown = len < 64 ? (int)len : 64;
	struct cpumask seen = {0};

	*cpus = mem_calloc(CPULIST_MAX, sizeof(**cpus));
	*n = 0;
	for (;;) {
		int first = number(&p, end), last = first;

		if (p < end && *p == '-') {
			p++;
			last = number(&p, end);
		}
		if (first < 0 || last < first || (p < end && *p != ','))
			return err_set(e, ERR_USAGE,
				       "CPU list '%.*s' is not like 0-3,8 with numbers "
				       "below %d",
				       shown, text, CPULIST_MAX);
		for (int cpu = first; cpu <= last; cpu++) {
			if (cpumask_has(&seen, cpu))
				return err_set(e, ERR_USAGE,
					       "CPU %d is in the list '%.*s' twice", cpu,
					       shown, text);
			cpumask_add(&seen, cpu);
			(*cpus)[(*n)++] = cpu;
		}
		if (p == end)
			return 0;
		p++;
	}
}

void cpulist_format(const int *cpus, int n, struct strbuf *out)
{
	for (int i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && cpus[j] == cpus[j - 1] + 1;)
			j++;
		strbuf_addf(out, "%s%d", i ? "," : "", cpus[i]);
		if (j - i > 1)
			strbuf_addf(out, "-%d", cpus[j - 1]);
	}
}

void cpumask_format(const struct cpumask *m, struct strbuf *out)
{
	int *cpus = mem_calloc(CPULIST_MAX, sizeof(*cpus));

	cpulist_format(cpus, cpumask_list(m, cpus), out);
	free(cpus);
}
