/* SPDX-License-Identifier: Apache-2.0 */
/* The entry that every fuzz target defines, called by libFuzzer or by replay.c. */
#ifndef ASSAY_TESTS_FUZZ_FUZZ_H
#define ASSAY_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise of the code under test: ends the process, for the fuzzer to keep. */
#define FUZZ_EXPECT(condition)                   \
	do {                                     \
		if (!(condition))                \
			fuzz_failed(#condition); \
	} while (0)

__attribute__((noreturn)) static inline void fuzz_failed(const char *condition)
{
	__builtin_printf("broken: %s\n", condition);
	__builtin_trap();
}

#endif
