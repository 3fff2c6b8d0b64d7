/* SPDX-License-Identifier: Apache-2.0 */
/* bed-agent: runs a command on a testbed node over its management network, like ssh. */
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "wire.h"

enum { FAILED = 255 }; /* as ssh: everything that is not the command's own status */

/* As ssh, which says "ssh: ..." and leaves with 255. */
static void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)fputs("bed-agent: ", stderr);
	(void)vfprintf(stderr, format, args);
	(void)fputc('\n', stderr);
	va_end(args);
	exit(FAILED);
}

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until @fd is ready for @events; gives up at time @until (0: never). */
static void await(int fd, short events, double until, const char *node)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	do {
		double left = until > 0 ? until - now() : 0;

		if (until > 0 && left <= 0)
			fail("connect to host %s port " BED_PORT ": Connection timed out",
			     node);
		n = poll(&p, 1, until > 0 ? (int)(left * 1000) + 1 : -1);
	} while (n == 0 || (n < 0 && errno == EINTR));
}

static int connect_to(const char *node, double until)
{
	struct addrinfo want = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
	struct addrinfo *a = NULL;
	char banner[sizeof(BED_BANNER)] = "";
	int fd, e = getaddrinfo(node, BED_PORT, &want, &a);
	socklen_t size = sizeof(e);

	if (e)
		fail("Could not resolve hostname %s: %s", node, gai_strerror(e));
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		fail("socket: %s", strerror(errno));
	if (connect(fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS)
		fail("connect to host %s: %s", node, strerror(errno));
	freeaddrinfo(a);
	await(fd, POLLOUT, until, node);
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &e, &size) || e)
		fail("connect to host %s port " BED_PORT ": %s", node, strerror(e));
	await(fd, POLLIN, until, node);
	if (fcntl(fd, F_SETFL, 0))
		fail("fcntl: %s", strerror(errno));
	if (wire_get(fd, banner, strlen(BED_BANNER)) || strcmp(banner, BED_BANNER) != 0)
		fail("Connection closed by %s", node);
	return fd;
}

static void *pump_input(void *arg)
{
	static char bytes[WIRE_CHUNK];
	int fd = *(int *)arg;
	ssize_t n;

	while ((n = read(0, bytes, sizeof(bytes))) > 0) {
		if (wire_send(fd, WIRE_INPUT, bytes, (size_t)n))
			return NULL;
	}
	(void)wire_send(fd, WIRE_END, "", 0);
	return NULL;
}

/* Prints what the command prints; its exit status. */
static int pump_output(int fd, const char *node)
{
	static char bytes[WIRE_MAX];
	struct wire_head h;
	int status;

	for (;;) {
		if (wire_receive(fd, &h, bytes))
			fail("Connection to %s closed by remote host", node);
		if (h.type == WIRE_STATUS && h.size == sizeof(status)) {
			memcpy(&status, bytes, sizeof(status));
			return status < 0 ? FAILED : status;
		}
		if (h.type != WIRE_OUTPUT && h.type != WIRE_ERRORS)
			fail("nonsense from %s", node);
		if (wire_put(h.type == WIRE_OUTPUT ? 1 : 2, bytes, h.size))
			return FAILED;
	}
}

/* Joined by blanks and not quoted: so does ssh, and callers must quote for it. */
static void join(char *out, size_t size, char *const *words, int n)
{
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; i < n; i++) {
		int len =
			snprintf(out + used, size - used, "%s%s", i ? " " : "", words[i]);

		if (len < 0 || (size_t)len >= size - used)
			fail("command longer than %zu bytes", size - 1);
		used += (size_t)len;
	}
}

int main(int argc, char **argv)
{
	static char words[WIRE_MAX];
	double timeout = 5;
	bool no_input = false;
	pthread_t input;
	int fd, o;

	while ((o = getopt(argc, argv, "+nt:")) != -1) {
		if (o == 'n')
			no_input = true;
		else if (o == 't')
			timeout = strtod(optarg, NULL);
		else
			optind = argc;
	}
	if (argc - optind < 2) {
		(void)fprintf(stderr,
			      "usage: bed-agent [-n] [-t SECONDS] NODE WORD...\n"
			      "-n: no stdin; -t: time to connect (5; 0: for ever)\n");
		return FAILED;
	}
	(void)signal(SIGPIPE, SIG_IGN);
	join(words, sizeof(words), argv + optind + 1, argc - optind - 1);
	fd = connect_to(argv[optind], timeout > 0 ? now() + timeout : 0);
	if (wire_send(fd, WIRE_COMMAND, words, strlen(words)))
		fail("Connection closed by %s", argv[optind]);
	if (no_input) {
		(void)wire_send(fd, WIRE_END, "", 0);
	} else if (pthread_create(&input, NULL, pump_input, &fd)) {
		fail("cannot start a thread");
	}
	return pump_output(fd, argv[optind]);
}
