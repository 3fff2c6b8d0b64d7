/* SPDX-License-Identifier: Apache-2.0 */
/* Units: see units.h. */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { DECIMAL = 1, BINARY = 2, SMALL = 4 };

static const struct prefix {
	const char *name;
	double factor;
	int set;
} prefixes[] = {
	/* from big to small: formatting takes the first that fits */
	{"E", 1e18, DECIMAL},
	{"P", 1e15, DECIMAL},
	{"T", 1e12, DECIMAL},
	{"G", 1e9, DECIMAL},
	{"M", 1e6, DECIMAL},
	{"k", 1e3, DECIMAL},
	{"Ei", 0x1p60, BINARY},
	{"Pi", 0x1p50, BINARY},
	{"Ti", 0x1p40, BINARY},
	{"Gi", 0x1p30, BINARY},
	{"Mi", 0x1p20, BINARY},
	{"Ki", 0x1p10, BINARY},
	{"", 1, DECIMAL | BINARY | SMALL},
	{"m", 1e-3, SMALL},
	{"u", 1e-6, SMALL},
	{"n", 1e-9, SMALL},
};

/* The dimensions, how they are printed, and what an error offers. */
static const struct dimension {
	const char *unit, *shown;
	int set; /* prefixes when printed */
	const char *allowed;
} dimensions[] = {
	{"B/s", "B/s", DECIMAL,
	 "kB/s, MB/s, GB/s, TB/s, KiB/s .. TiB/s, kb/s, Mb/s or Gb/s"},
	{"FLOP/s", "FLOP/s", DECIMAL, "MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s or GFLOPS"},
	{"s", "s", SMALL, "ns, us, ms, s, min or h"},
	{"1/s", "/s", DECIMAL, "1/s, k/s, M/s or G/s"},
	{"B", "B", DECIMAL, "B, kB, MB, GB, TB, KiB, MiB, GiB or TiB"},
	{"Hz", "Hz", DECIMAL, "Hz, kHz, MHz or GHz"},
	{"T/s", "T/s", DECIMAL, "MT/s or GT/s"},
	{"Celsius", "C", 0, "C or Celsius"},
	{"W", "W", DECIMAL, "W, kW or MW"},
	{"ratio", "%", 0, "% or a bare number"},
};

/* Every way to write a unit; a prefix of its set may stand in front. */
static const struct spelling {
	const char *name, *unit;
	double factor;
	int set;
} spellings[] = {
	{"B/s", "B/s", 1, DECIMAL | BINARY},
	{"b/s", "B/s", 0.125, DECIMAL},
	{"bit/s", "B/s", 0.125, DECIMAL},
	{"FLOP/s", "FLOP/s", 1, DECIMAL},
	{"FLOPS", "FLOP/s", 1, DECIMAL},
	{"Flop/s", "FLOP/s", 1, DECIMAL},
	{"Flops", "FLOP/s", 1, DECIMAL},
	{"flop/s", "FLOP/s", 1, DECIMAL},
	{"flops", "FLOP/s", 1, DECIMAL}, /* HPL's "Gflops" */
	{"s", "s", 1, SMALL},
	{"min", "s", 60, 0},
	{"h", "s", 3600, 0},
	{"1/s", "1/s", 1, 0},
	{"/s", "1/s", 1, DECIMAL},
	{"B", "B", 1, DECIMAL | BINARY},
	{"Hz", "Hz", 1, DECIMAL},
	{"T/s", "T/s", 1, DECIMAL},
	{"C", "Celsius", 1, 0},
	{"Celsius", "Celsius", 1, 0},
	{"W", "W", 1, DECIMAL},
	{"%", "ratio", 0.01, 0},
	{"", "ratio", 1, 0},
};

#define N_OF(array) (sizeof(array) / sizeof((array)[0]))

static const struct dimension *dimension_find(const char *unit)
{
	for (size_t i = 0; i < N_OF(dimensions); i++) {
		if (!strcmp(dimensions[i].unit, unit))
			return &dimensions[i];
	}
	return NULL;
}

bool units_known(const char *unit)
{
	return dimension_find(unit) != NULL;
}

static int complain(struct err *e, const char *text, const char *what, const char *hint)
{
	err_set(e, ERR_USAGE, "%s '%.80s'%s%s", what, text, *hint ? ", " : "", hint);
	return err_clean(e);
}

static const char *skip_blanks(const char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

static const char *skip_digits(const char *s)
{
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

/*
 * Decimal number at @s, strict: strtod() would also take hex, "inf" and "nan". Returns
 * the first character after it, NULL when there is no number.
 */
static const char *number(const char *s, double *value)
{
	const char *p = s + (*s == '-' || *s == '+');
	const char *from = p;
	char *end;

	p = skip_digits(p);
	if (*p == '.')
		p = skip_digits(p + 1);
	if (p == from || (p == from + 1 && *from == '.'))
		return NULL;
	if (*p == 'e' || *p == 'E') {
		const char *x = p + 1 + (p[1] == '-' || p[1] == '+');

		if (isdigit((unsigned char)*x))
			p = skip_digits(x);
	}
	*value = strtod(s, &end);
	return end == p ? p : NULL; /* infinite when out of range: scale() says so */
}

/* Factor to the base unit when @text is a prefix and the name of @s, else 0. */
static double spelled(const char *text, size_t len, const struct spelling *s)
{
	size_t n = strlen(s->name);

	if (len < n || memcmp(text + len - n, s->name, n) != 0)
		return 0;
	if (len == n)
		return s->factor;
	for (size_t i = 0; i < N_OF(prefixes); i++) {
		const struct prefix *p = &prefixes[i];

		if (p->set & s->set && strlen(p->name) == len - n &&
		    !memcmp(text, p->name, len - n))
			return s->factor * p->factor;
	}
	return 0;
}

/* Splits "NUMBER UNIT"; *rest is the unit without blanks around it, *len its length. */
static int split(const char *text, double *value, const char **rest, size_t *len,
		 struct err *e)
{
	const char *p = number(skip_blanks(text), value);

	if (!p)
		return complain(e, text, "no number in", "expected for example 378 GB/s");
	p = skip_blanks(p);
	*rest = p;
	*len = strlen(p);
	while (*len && (p[*len - 1] == ' ' || p[*len - 1] == '\t'))
		(*len)--;
	return 0;
}

static int scale(const char *text, double *value, double factor, struct err *e)
{
	*value *= factor;
	if (!isfinite(*value))
		return complain(e, text, "number out of range in", "");
	return 0;
}

static int unit_error(const char *text, size_t len, const char *allowed, struct err *e)
{
	err_set(e, ERR_USAGE, "%s '%.80s', expected %s",
		len ? "unknown unit in" : "no unit in", text, allowed);
	return err_clean(e);
}

int units_parse(const char *text, const char *unit, double *value, struct err *e)
{
	const struct dimension *d = dimension_find(unit);
	const char *rest;
	size_t len;

	if (!d)
		return complain(e, unit, "unknown base unit", "");
	if (split(text, value, &rest, &len, e))
		return -1;
	for (size_t i = 0; i < N_OF(spellings); i++) {
		double factor = 0;

		if (!strcmp(spellings[i].unit, unit))
			factor = spelled(rest, len, &spellings[i]);
		if (factor > 0)
			return scale(text, value, factor, e);
	}
	return unit_error(text, len, d->allowed, e);
}

int units_parse_any(const char *text, double *value, const char **unit, struct err *e)
{
	const char *rest;
	size_t len;

	if (split(text, value, &rest, &len, e))
		return -1;
	for (size_t i = 0; i < N_OF(spellings); i++) {
		double factor = spelled(rest, len, &spellings[i]);

		if (factor > 0) {
			*unit = spellings[i].unit;
			return scale(text, value, factor, e);
		}
	}
	return unit_error(
		text, len,
		"a unit such as GB/s, GFLOP/s, us, M/s, GiB, GHz, MT/s, C, W or %", e);
}

int units_memory_speed(const char *text, double *transfers, struct err *e)
{
	const char *rest;
	size_t len;

	if (split(text, transfers, &rest, &len, e))
		return -1;
	if (len == 3 && !strncasecmp(rest, "mhz", 3))
		return scale(text, transfers, 1e6, e);
	return units_parse(text, "T/s", transfers, e);
}

int units_duration(const char *text, double *seconds, struct err *e)
{
	static const struct {
		const char *name;
		double s;
	} parts[] = {{"d", 86400}, {"h", 3600}, {"min", 60},
		     {"ms", 1e-3}, {"m", 60},   {"s", 1}};
	static const char hint[] = "expected for example 90s, 5m, 1h30m or 2d";
	const char *p = skip_blanks(text);
	double last = INFINITY, value;

	*seconds = 0;
	do {
		size_t i = 0;

		p = *p == '-' ? NULL : number(p, &value);
		if (!p)
			return complain(e, text, "no time in", hint);
		p = skip_blanks(p);
		while (i < N_OF(parts) &&
		       strncmp(p, parts[i].name, strlen(parts[i].name)) != 0)
			i++;
		/* each part once, from big to small: "30m1h" is a slip of the pen */
		if (i == N_OF(parts) || parts[i].s >= last)
			return complain(e, text, *p ? "bad time" : "no unit in", hint);
		last = parts[i].s;
		*seconds += value * last;
		p = skip_blanks(p + strlen(parts[i].name));
	} while (*p);
	return scale(text, seconds, 1, e);
}

/*
 * @text is digits, optionally a fraction, and one of @suffixes; *bytes is that much,
 * rounded down. Integers throughout: a double has no room for 2^63 - 1.
 */
struct suffix {
	const char *name;
	int64_t factor;
};

static int bytes_of(const char *text, const struct suffix *suffixes, size_t n,
		    const char *allowed, int64_t *bytes, struct err *e)
{
	const char *p = skip_blanks(text), *q;
	int64_t whole, part = 0, ten = 1;
	size_t i = 0, len;
	char *end;

	if (!isdigit((unsigned char)*p))
		return complain(e, text, "no size in", allowed);
	errno = 0;
	whole = strtoll(p, &end, 10);
	if (errno)
		return complain(e, text, "size out of range", "");
	q = end;
	if (*q == '.') {
		/* three digits of a fraction keep part * factor within 64 bits */
		for (q++; isdigit((unsigned char)*q) && ten < 1000; q++, ten *= 10)
			part = part * 10 + (*q - '0');
		if (ten == 1 || isdigit((unsigned char)*q))
			return complain(e, text, "bad size",
					"at most three digits after '.'");
	}
	q = skip_blanks(q);
	len = strlen(q);
	while (len && (q[len - 1] == ' ' || q[len - 1] == '\t'))
		len--;
	while (i < n &&
	       (strlen(suffixes[i].name) != len || memcmp(q, suffixes[i].name, len)))
		i++;
	if (i == n)
		return complain(e, text, "unknown unit in", allowed);
	if (__builtin_mul_overflow(whole, suffixes[i].factor, bytes) ||
	    __builtin_add_overflow(*bytes, part * suffixes[i].factor / ten, bytes))
		return complain(e, text, "size out of range", "");
	return 0;
}

int units_size(const char *text, int64_t *bytes, struct err *e)
{
	static const struct suffix suffixes[] = {
		{"", 1},
		{"B", 1},
		{"k", INT64_C(1) << 10},
		{"K", INT64_C(1) << 10},
		{"M", INT64_C(1) << 20},
		{"G", INT64_C(1) << 30},
		{"T", INT64_C(1) << 40},
		{"P", INT64_C(1) << 50},
		{"KiB", INT64_C(1) << 10},
		{"MiB", INT64_C(1) << 20},
		{"GiB", INT64_C(1) << 30},
		{"TiB", INT64_C(1) << 40},
		{"PiB", INT64_C(1) << 50},
		{"kB", 1000},
		{"MB", 1000000},
		{"GB", 1000000000},
		{"TB", INT64_C(1000000000000)},
		{"PB", INT64_C(1000000000000000)},
	};

	return bytes_of(text, suffixes, N_OF(suffixes),
			"expected bytes such as 4294967296, 64M, 4G, 4GiB or 4GB", bytes,
			e);
}

int units_meminfo(const char *text, int64_t *bytes, struct err *e)
{
	static const struct suffix suffixes[] = {{"kB", 1024}};

	return bytes_of(text, suffixes, N_OF(suffixes), "expected kB of /proc/meminfo",
			bytes, e);
}

/* Three digits of @x; a whole number without prefix stays whole. */
static void three_digits(char *buf, size_t size, double x, bool whole)
{
	double size_of_x = fabs(x);
	int decimals = size_of_x < 9.995 ? 2 : size_of_x < 99.95 ? 1 : 0;

	if (whole || size_of_x >= 1e6)
		(void)snprintf(buf, size, size_of_x < 1e6 ? "%.0f" : "%.3g", x);
	else if (size_of_x < 0.995)
		(void)snprintf(buf, size, "%.3g", x);
	else
		(void)snprintf(buf, size, "%.*f", decimals, x);
}

char *units_format(char *buf, size_t size, double value, const char *unit)
{
	const struct dimension *d = dimension_find(unit);
	const struct prefix *p = NULL;
	char digits[32];

	if (d && !strcmp(d->unit, "ratio") && isfinite(value)) {
		(void)snprintf(buf, size, fabs(value) < 1e4 ? "%.1f %%" : "%.3g %%",
			       value * 100);
		return buf;
	}
	/* 0.9995: what rounds to 1000 of one prefix is 1.00 of the next */
	for (size_t i = 0; d && d->set && value != 0 && i < N_OF(prefixes); i++) {
		if (!(prefixes[i].set & d->set))
			continue;
		p = &prefixes[i];
		if (fabs(value) >= p->factor * 0.9995 ||
		    (d->set == DECIMAL && p->factor == 1))
			break;
	}
	if (!isfinite(value))
		p = NULL;
	if (p)
		value /= p->factor;
	three_digits(digits, sizeof(digits), value,
		     (!p || p->factor == 1) && value == rint(value));
	(void)snprintf(buf, size, "%s %s%s", digits, p ? p->name : "",
		       d ? d->shown : unit);
	return buf;
}

char *units_format_memory(char *buf, size_t size, double bytes)
{
	const struct prefix *p = &prefixes[0];

	for (size_t i = 0; i < N_OF(prefixes); i++) {
		if (!(prefixes[i].set & BINARY))
			continue;
		p = &prefixes[i];
		if (!isfinite(bytes) || fabs(bytes) >= p->factor || p->factor == 1)
			break;
	}
	if (!isfinite(bytes))
		(void)snprintf(buf, size, "%g B", bytes);
	else
		(void)snprintf(buf, size, "%.4g %sB", bytes / p->factor, p->name);
	return buf;
}

char *units_format_rate(char *buf, size_t size, double bytes)
{
	double bits = 8 * bytes;

	if (!isfinite(bits) || bits >= 1e15)
		(void)snprintf(buf, size, "%g b/s", bits);
	else
		(void)snprintf(buf, size, "%.4g %sb/s", bits / (bits < 1e9 ? 1e6 : 1e9),
			       bits < 1e9 ? "M" : "G");
	return buf;
}

char *units_format_duration(char *buf, size_t size, double seconds)
{
	long long s;

	if (!isfinite(seconds) || fabs(seconds) >= 1e15)
		(void)snprintf(buf, size, "%gs", seconds);
	else if (seconds < 9.95)
		(void)snprintf(buf, size, "%.1fs", seconds);
	else if ((s = llround(seconds)) < 60)
		(void)snprintf(buf, size, "%llds", s);
	else if (s < 3600)
		(void)snprintf(buf, size, "%lldm%02llds", s / 60, s % 60);
	else
		(void)snprintf(buf, size, "%lldh%02lldm", s / 3600, s % 3600 / 60);
	return buf;
}
