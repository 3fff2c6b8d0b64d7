/* SPDX-License-Identifier: Apache-2.0 */
/* TCP between two ranks on each of their networks: see links.h. */
#include "links.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

struct links {
	int fd;
	uint16_t port;
	uint32_t token;
	pthread_t thread;
};

/* Four bytes fit into the buffer of any new connection, so this never waits. */
static void *answer(void *ctx)
{
	const struct links *l = ctx;
	const uint32_t token = htonl(l->token);
	int fd;

	for (;;) {
		fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd >= 0) {
			(void)send(fd, &token, sizeof(token), MSG_NOSIGNAL);
			(void)close(fd);
		} else if (errno == EINVAL || errno == EBADF) {
			return NULL; /* links_close() has shut it down */
		} else if (errno == EMFILE || errno == ENFILE) {
			(void)poll(NULL, 0, 100);
		}
	}
}

int links_open(struct links **out, uint32_t token, struct err *e)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	struct links *l = mem_calloc(1, sizeof(*l));
	socklen_t len = sizeof(a);
	int rc;

	l->token = token;
	l->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0 || bind(l->fd, (struct sockaddr *)&a, sizeof(a)) ||
	    listen(l->fd, 64) || getsockname(l->fd, (struct sockaddr *)&a, &len)) {
		err_sys(e, errno, "a socket to listen on");
	} else {
		l->port = ntohs(a.sin_port);
		rc = pthread_create(&l->thread, NULL, answer, l);
		if (!rc) {
			*out = l;
			return 0;
		}
		err_sys(e, rc, "a thread");
	}
	if (l->fd >= 0)
		(void)close(l->fd);
	free(l);
	return -1;
}

void links_close(struct links *l)
{
	if (!l)
		return;
	(void)shutdown(l->fd, SHUT_RDWR);
	(void)pthread_join(l->thread, NULL);
	(void)close(l->fd);
	free(l);
}

static json_t *net(const struct ifaddrs *i)
{
	const struct sockaddr_in *a = (const void *)i->ifa_addr;
	const struct sockaddr_in *m = (const void *)i->ifa_netmask;
	char address[INET_ADDRSTRLEN] = "", mask[INET_ADDRSTRLEN] = "255.255.255.255";

	(void)inet_ntop(AF_INET, &a->sin_addr, address, sizeof(address));
	if (m)
		(void)inet_ntop(AF_INET, &m->sin_addr, mask, sizeof(mask));
	return json_pack("{s:s, s:s, s:s, s:b}", "name", i->ifa_name, "address", address,
			 "mask", mask, "up",
			 (i->ifa_flags & IFF_UP) && (i->ifa_flags & IFF_RUNNING));
}

json_t *links_card(const struct links *l, const char *host)
{
	json_t *card = json_pack("{s:s, s:i, s:I, s:[]}", "host", host, "port", l->port,
				 "token", (json_int_t)l->token, "nets");
	struct ifaddrs *all = NULL;

	if (getifaddrs(&all))
		return card;
	for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET ||
		    (i->ifa_flags & IFF_LOOPBACK))
			continue;
		/* a name that is not UTF-8 gives no object, and is not appended */
		(void)json_array_append_new(json_object_get(card, "nets"), net(i));
	}
	freeifaddrs(all);
	return card;
}

/* One connection on its way. */
struct
try {
	const char *name, *to;
	int fd;        /* -1: done */
	bool answered; /* connected, and waits for the token */
	char problem[96];
};

static const char *text(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static bool number(const char *s, uint32_t *out)
{
	struct in_addr a;

	if (inet_pton(AF_INET, s, &a) != 1)
		return false;
	*out = ntohl(a.s_addr);
	return true;
}

/* The network of @self that @address is in, by its mask; NULL: none. */
static const json_t *way_to(const json_t *self, const char *address)
{
	uint32_t to, from, mask;
	const json_t *n;
	size_t i;

	if (!number(address, &to))
		return NULL;
	json_array_foreach(json_object_get(self, "nets"), i, n)
	{
		if (number(text(n, "address"), &from) && number(text(n, "mask"), &mask) &&
		    (from & mask) == (to & mask))
			return n;
	}
	return NULL;
}

static void done(struct try *t, const char *problem)
{
	(void)snprintf(t->problem, sizeof(t->problem), "%s", problem);
	if (t->fd >= 0)
		(void)close(t->fd);
	t->fd = -1;
}

static void begin(struct try *t, const char *from, uint16_t port)
{
	struct sockaddr_in a = {.sin_family = AF_INET};

	t->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (t->fd < 0) {
		done(t, strerror(errno));
		return;
	}
	(void)inet_pton(AF_INET, from, &a.sin_addr);
	if (bind(t->fd, (struct sockaddr *)&a, sizeof(a))) {
		done(t, strerror(errno));
		return;
	}
	(void)inet_pton(AF_INET, t->to, &a.sin_addr);
	a.sin_port = htons(port);
	if (connect(t->fd, (struct sockaddr *)&a, sizeof(a)) && errno != EINPROGRESS)
		done(t, strerror(errno));
}

static void go_on(struct try *t, uint32_t token)
{
	uint32_t got = 0;
	socklen_t len = sizeof(int);
	int error = 0;
	ssize_t n;

	if (!t->answered) {
		(void)getsockopt(t->fd, SOL_SOCKET, SO_ERROR, &error, &len);
		t->answered = true;
		if (error)
			done(t, strerror(error));
		return;
	}
	n = recv(t->fd, &got, sizeof(got), 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0)
		done(t, strerror(errno));
	else if (n != sizeof(got) || ntohl(got) != token)
		done(t, "another program, or another node, has that address");
	else
		done(t, "");
}

/* Until each has its answer, or time is up. */
static void wait_for(struct try *tries, size_t n, uint32_t token, double wait)
{
	struct pollfd *fds = mem_calloc(n + 1, sizeof(*fds));
	const double end = clock_now() + wait;
	size_t open = n;

	while (open) {
		const double left = end - clock_now();

		open = 0;
		for (size_t i = 0; i < n; i++) {
			fds[i] = (struct pollfd){.fd = tries[i].fd,
						 .events = tries[i].answered ? POLLIN
									     : POLLOUT};
			open += tries[i].fd >= 0;
		}
		if (!open || left <= 0)
			break;
		if (poll(fds, n, (int)(left * 1e3) + 1) < 0 && errno != EINTR)
			break;
		for (size_t i = 0; i < n; i++) {
			if (tries[i].fd >= 0 && fds[i].revents)
				go_on(&tries[i], token);
		}
	}
	for (size_t i = 0; i < n; i++) {
		char problem[64];

		if (tries[i].fd < 0)
			continue;
		(void)snprintf(problem, sizeof(problem), "no answer in %g s", wait);
		done(&tries[i], problem);
	}
	free(fds);
}

json_t *links_try(const json_t *self, const json_t *peer, double wait)
{
	const json_t *nets = json_object_get(peer, "nets"), *net, *way;
	const uint32_t token =
		(uint32_t)json_integer_value(json_object_get(peer, "token"));
	const uint16_t port = (uint16_t)json_integer_value(json_object_get(peer, "port"));
	struct try *tries = mem_calloc(json_array_size(nets) + 1, sizeof(*tries));
	json_t *out = json_array();
	size_t n = 0, i;

	json_array_foreach(nets, i, net)
	{
		way = way_to(self, text(net, "address"));
		if (!way)
			continue;
		tries[n] = (struct try){
			.fd = -1, .name = text(way, "name"), .to = text(net, "address")};
		if (json_is_true(json_object_get(way, "up")))
			begin(&tries[n++], text(way, "address"), port);
		else
			done(&tries[n++], "no carrier");
	}
	wait_for(tries, n, token, wait);
	for (i = 0; i < n; i++)
		(void)json_array_append_new(
			out, json_pack("{s:s, s:s, s:s}", "name", tries[i].name, "to",
				       tries[i].to, "problem", tries[i].problem));
	free(tries);
	return out;
}
