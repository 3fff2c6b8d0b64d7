/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What bed-agent and bed-init say to each other over TCP: after the banner, frames. The
 * client sends one COMMAND, then INPUT, then END; the server sends OUTPUT and ERRORS,
 * then one STATUS. Both ends run on one machine, so numbers go as they are in memory.
 */
#ifndef BED_WIRE_H
#define BED_WIRE_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define BED_PORT   "514"
#define BED_BANNER "bed 1\n"

enum wire_type {
	WIRE_COMMAND = 1, /* words for sh -c, without a zero byte */
	WIRE_INPUT,       /* bytes for the command's stdin */
	WIRE_END,         /* stdin is at its end */
	WIRE_OUTPUT,      /* bytes of the command's stdout */
	WIRE_ERRORS,      /* bytes of the command's stderr */
	WIRE_STATUS,      /* an int: the exit status, or -1 for death by a signal */
};

struct wire_head {
	uint32_t type, size;
};

#define WIRE_CHUNK 16384  /* bytes of input and output moved at once */
#define WIRE_MAX   131072 /* bytes a frame carries: the kernel's limit on one argument */

/* All of @size or -1. */
static inline int wire_put(int fd, const void *bytes, size_t size)
{
	const char *p = bytes;

	while (size > 0) {
		ssize_t n = write(fd, p, size);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

/* All of @size or -1; an end of file in between is an error too. */
static inline int wire_get(int fd, void *bytes, size_t size)
{
	char *p = bytes;

	while (size > 0) {
		ssize_t n = read(fd, p, size);

		if (n == 0 || (n < 0 && errno != EINTR))
			return -1;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static inline int wire_send(int fd, enum wire_type type, const void *bytes, size_t size)
{
	char frame[sizeof(struct wire_head) + WIRE_CHUNK];
	struct wire_head h = {.type = type, .size = (uint32_t)size};
	size_t now = size < WIRE_CHUNK ? size : WIRE_CHUNK;

	/* in one write: two small ones would wait for each other's acknowledgement */
	memcpy(frame, &h, sizeof(h));
	memcpy(frame + sizeof(h), bytes, now);
	if (wire_put(fd, frame, sizeof(h) + now))
		return -1;
	return wire_put(fd, (const char *)bytes + now, size - now);
}

/* One frame; @bytes holds WIRE_MAX. -1 at the end of the connection or for nonsense. */
static inline int wire_receive(int fd, struct wire_head *h, void *bytes)
{
	if (wire_get(fd, h, sizeof(*h)) || h->size > WIRE_MAX)
		return -1;
	return wire_get(fd, bytes, h->size);
}

#endif
