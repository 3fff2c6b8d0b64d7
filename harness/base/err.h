/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of the harness itself: what it could not do, and the exit status that follows.
 * A slow, wrong, dead or unreadable node is data and never one of these.
 *
 * Every function that can fail returns 0 or -1 and takes `struct err *` last. The first
 * function that knows says why (err_set), callers may add where (err_at), only main
 * prints. Texts: lower case, no full stop, what failed first, names in single quotes,
 * then what was expected.
 */
#ifndef ASSAY_BASE_ERR_H
#define ASSAY_BASE_ERR_H

enum err_kind {
	ERR_NONE = 0,
	ERR_USAGE,    /* bad command line or configuration: exit status 2 */
	ERR_SYSTEM,   /* disk, memory, operating system: exit status 4 */
	ERR_NOTFOUND, /* a file or key that need not exist; 4 when it reaches main */
};

struct err {
	enum err_kind kind;
	char msg[1024];
};

/* Sets the message, cut to the buffer. Always returns -1, so `return err_set(...)`. */
int err_set(struct err *e, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set with ": " and the text of the errno value @sys added. Returns -1. */
int err_sys(struct err *e, int sys, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "where: " in front of the message that is there. Returns -1. */
int err_at(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Makes the message fit for a terminal, as utf8_printable() does: for functions whose
 * messages quote text from outside. Returns -1.
 */
int err_clean(struct err *e);

/*
 * That these return -1 is said where compilers and static analysis see it: otherwise they
 * follow, in every caller, a path on which a failed function returned 0.
 */
static inline int err_failed(int minus_one)
{
	(void)minus_one;
	return -1;
}

#define err_set(...)   err_failed((err_set)(__VA_ARGS__))
#define err_sys(...)   err_failed((err_sys)(__VA_ARGS__))
#define err_at(...)    err_failed((err_at)(__VA_ARGS__))
#define err_clean(...) err_failed((err_clean)(__VA_ARGS__))

/* Exit status of d4 for an error that reached main: 2 or 4; 0 when nothing is set. */
int err_exit_status(const struct err *e);

#endif
