#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same tests in a build with AddressSanitizer and UBSan.
#
#     asan.sh BUILD-FOLDER build
#     asan.sh BUILD-FOLDER test [CTEST-OPTION...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../../jobs/setup.sh"

build=$1
if [ "$2" = build ]; then
	setup_build "$build" -DASSAY_SANITIZE=ON -DASSAY_TESTS=ON -DCMAKE_BUILD_TYPE=Debug \
		-DCMAKE_C_FLAGS_DEBUG="-O1 -g"
	exit
fi
export ASAN_OPTIONS=strict_string_checks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export LSAN_OPTIONS=suppressions=$here/lsan.supp:print_suppressions=0
# Only what failed is printed, so that it is found; marked, since the closing line of this
# ctest is not that of the one around it. Those on a cluster take long and test how
# processes and nodes meet, not memory.
ctest --test-dir "$build" --parallel "$(nproc)" --output-on-failure --no-tests=error \
	-LE '^cluster$' "${@:3}" 2>&1 |
	sed -u -e '/^ *Start *[0-9]*: /d' -e '/ \.\.*   *Passed /d' -e 's/^/| /'
