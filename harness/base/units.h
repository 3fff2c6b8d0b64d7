/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers with units, in and out. Inside the harness every number is in the SI base unit
 * of its dimension, and a dimension is named by that unit as records write it: B/s,
 * FLOP/s, s, 1/s, B, Hz, T/s (transfers, memory speed), Celsius, W, ratio.
 *
 * Upper and lower case matter: GB/s are bytes, Gb/s are bits, GiB/s are 2^30 bytes.
 * STREAM and OSU's MB/s is 10^6 B/s. Sizes of memory are binary by convention of its
 * makers: see units_format_memory() and units_meminfo().
 *
 * Errors are ERR_USAGE and quote the text; callers add file:line:col by err_at().
 */
#ifndef ASSAY_BASE_UNITS_H
#define ASSAY_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Room for any text the format functions make. */
enum { UNITS_TEXT = 64 };

/* @unit is one of the base units above. */
bool units_known(const char *unit);

/*
 * "378 GB/s", "-4 %", "2.45 GHz" as a number of the dimension @unit. A bare number is
 * allowed for ratio only; a number that is not finite never.
 */
int units_parse(const char *text, const char *unit, double *value, struct err *e);

/* As units_parse() when the text itself says the dimension: *unit is its base unit. */
int units_parse_any(const char *text, double *value, const char **unit, struct err *e);

/* "2933 MT/s", "2933 MHz" and firmware's "2666 Mhz" are one class of memory speed: T/s.
 */
int units_memory_speed(const char *text, double *transfers, struct err *e);

/* "4h", "90s", "1h30m", "1.5 h", "500ms" as seconds; d, h, m or min, s, ms. */
int units_duration(const char *text, double *seconds, struct err *e);

/*
 * Bytes as command lines write them: "4294967296", "4G" and "4GiB" (all the same), "4GB"
 * (10^9), "1.5G"; K, M, G, T, P are binary. Parts of a byte are dropped, beyond 2^63 - 1
 * is an error.
 */
int units_size(const char *text, int64_t *bytes, struct err *e);

/* "268435456 kB" of /proc/meminfo, whose kB is 1024 bytes. */
int units_meminfo(const char *text, int64_t *bytes, struct err *e);

/*
 * A number and its unit with the SI prefix that fits, three digits: "29.1 GB/s",
 * "1.38 TFLOP/s", "2.45 GHz", "174 ns", "6.80 M/s", "92.3 %" (ratio), "8 B". Always
 * returns @buf; @size UNITS_TEXT is always enough for a unit that is known.
 */
char *units_format(char *buf, size_t size, double value, const char *unit);

/* Bytes with binary prefixes, four digits: "512 GiB", "503.6 GiB", "8 B". */
char *units_format_memory(char *buf, size_t size, double bytes);

/* B/s of a port as its makers count, in bits: "200 Gb/s", "2.5 Gb/s". */
char *units_format_rate(char *buf, size_t size, double bytes);

/* Seconds for people: "1h30m", "4m05s", "42s", "3.2s". */
char *units_format_duration(char *buf, size_t size, double seconds);

#endif
