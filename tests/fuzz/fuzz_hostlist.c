/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hostlists: any text is expanded to names that are names, or refused with a reason; what
 * was expanded is folded and expanded again to the same names.
 */
#include <string.h>

#include "base/node_name.h"
#include "config/hostlist.h"
#include "fuzz.h"

/* Lists larger than this are expanded only: folding them again finds nothing new. */
enum { MAX_FOLD = 2000 };

static void check_names(struct arena *a, const char **names, size_t n)
{
	struct strbuf folded = {0};
	const char **again = NULL;
	size_t n_again = 0;
	struct err e = {0};

	FUZZ_EXPECT(n > 0 && n <= HOSTLIST_MAX_NAMES);
	for (size_t i = 0; i < n; i++)
		FUZZ_EXPECT(node_name_valid(names[i]));
	if (n > MAX_FOLD)
		return;
	hostlist_fold(&folded, names, n);
	FUZZ_EXPECT(!hostlist_expand(a, strbuf_str(&folded), &again, &n_again, &e));
	FUZZ_EXPECT(n_again == n);
	for (size_t i = 0; i < n; i++)
		FUZZ_EXPECT(!strcmp(names[i], again[i]));
	strbuf_release(&folded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	const char *text = arena_strndup(&arena, (const char *)data, size);
	const char **names = NULL;
	size_t n = 0;
	struct err e = {0};

	if (hostlist_expand(&arena, text, &names, &n, &e))
		FUZZ_EXPECT(e.kind == ERR_USAGE && e.msg[0]);
	else
		check_names(&arena, names, n);
	arena_release(&arena);
	return 0;
}
