/* SPDX-License-Identifier: Apache-2.0 */
/* What a test left behind: looked up without the code under test. */
#ifndef TESTS_FAULT_LEFT_H
#define TESTS_FAULT_LEFT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Live processes whose environment holds the text "ASSAY_RUN=@run". */
size_t left_marked(const char *run);
/* Children of this process, zombies too. */
size_t left_children(void);
/* Open descriptors of this process. */
size_t left_fds(void);
/* The process exists and is no zombie. */
bool left_alive(pid_t pid);
/* Waits up to @seconds for the process to be gone; whether it is. */
bool left_gone(pid_t pid, double seconds);

#endif
