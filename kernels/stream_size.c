/* SPDX-License-Identifier: Apache-2.0 */
/* The size of STREAM's arrays: see stream_size.h. */
#include "kernels/stream_size.h"

static const uint64_t page = 4096, huge_page = (uint64_t)2 << 20;

static uint64_t round_up(uint64_t x, uint64_t to)
{
	return (x + to - 1) / to * to;
}

struct stream_size stream_size(const struct stream_want *want)
{
	const uint64_t threads = (uint64_t)want->threads;
	struct stream_size s = {.guessed = !want->llc};
	uint64_t llc = want->llc, bytes;

	if (!llc)
		llc = STREAM_LLC_A_THREAD * threads;
	if (s.guessed && llc < STREAM_LLC_AT_LEAST)
		llc = STREAM_LLC_AT_LEAST;
	s.least = 4 * llc;
	bytes = want->asked ? want->asked : s.least;
	s.small = bytes < s.least;
	s.part = round_up((bytes + threads - 1) / threads, page);
	s.array = s.part * threads;
	s.stride = s.part + 2 * (uint64_t)STREAM_PAD;
	/* no two threads first-touch one huge page, unless the parts are small ones */
	s.stride = round_up(s.stride, s.part >= huge_page ? huge_page : page);
	return s;
}
