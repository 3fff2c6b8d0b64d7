/* SPDX-License-Identifier: Apache-2.0 */
/* Contents of messages: see content.h. */
#include "kernels/net/content.h"

#include <string.h>

/* Odd constants with mixed bits: every byte of the product depends on both factors. */
static uint64_t word_at(uint64_t seed, uint64_t i)
{
	const uint64_t x = (seed * 0xD1B54A32D192ED03U + i + 1) * 0x9E3779B97F4A7C15U;

	return x ^ x >> 29;
}

void content_fill(unsigned char *p, uint64_t size, uint64_t seed)
{
	const uint64_t words = size / 8, rest = size % 8;
	uint64_t w;

	for (uint64_t i = 0; i < words; i++) {
		w = word_at(seed, i);
		memcpy(p + 8 * i, &w, 8);
	}
	w = word_at(seed, words);
	memcpy(p + 8 * words, &w, rest);
}

static uint64_t wrong_bytes(const unsigned char *p, uint64_t n, uint64_t expected)
{
	unsigned char bytes[8];
	uint64_t wrong = 0;

	memcpy(bytes, &expected, 8);
	for (uint64_t i = 0; i < n; i++)
		wrong += p[i] != bytes[i];
	return wrong;
}

uint64_t content_wrong(const unsigned char *p, uint64_t size, uint64_t seed)
{
	const uint64_t words = size / 8;
	uint64_t wrong = 0, w;

	for (uint64_t i = 0; i < words; i++) {
		memcpy(&w, p + 8 * i, 8);
		if (w != word_at(seed, i))
			wrong += wrong_bytes(p + 8 * i, 8, word_at(seed, i));
	}
	return wrong + wrong_bytes(p + 8 * words, size % 8, word_at(seed, words));
}
