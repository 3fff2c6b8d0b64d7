/* SPDX-License-Identifier: Apache-2.0 */
/* The resolver of the system, one thread a name: see resolve.h. */
#include "resolve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/strbuf.h"

static void add_addresses(struct strbuf *line, const struct addrinfo *list)
{
	for (const struct addrinfo *i = list; i; i = i->ai_next) {
		char text[INET6_ADDRSTRLEN] = "";
		const void *address =
			i->ai_family == AF_INET
				? (const void *)&(
					  (const struct sockaddr_in *)(const void *)
						  i->ai_addr)
					  ->sin_addr
				: &((const struct sockaddr_in6 *)(const void *)i->ai_addr)
					   ->sin6_addr;

		if (inet_ntop(i->ai_family, address, text, sizeof(text)))
			strbuf_addf(line, "%s%s", i == list ? "" : " ", text);
	}
}

static void *look_up(void *name)
{
	const struct addrinfo want = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *list = NULL;
	struct strbuf line = {0};
	int rc = getaddrinfo(name, NULL, &want, &list);

	strbuf_addf(&line, "%s\t", (const char *)name);
	if (rc)
		strbuf_addf(&line, "! %s",
			    rc == EAI_SYSTEM ? strerror(errno) : gai_strerror(rc));
	else
		add_addresses(&line, list);
	strbuf_addch(&line, '\n');
	/* one write() a line: nothing waits in a buffer when we are ended */
	(void)!write(STDOUT_FILENO, line.buf, line.len);
	if (list)
		freeaddrinfo(list);
	strbuf_release(&line);
	return NULL;
}

int resolve(char *const *names, int n, struct err *e)
{
	pthread_t threads[RESOLVE_MAX];
	int started = 0, rc = 0;

	if (n < 1 || n > RESOLVE_MAX)
		return err_set(e, ERR_USAGE, "--resolve wants 1 to %d names, not %d",
			       RESOLVE_MAX, n);
	while (started < n && !rc) {
		rc = pthread_create(&threads[started], NULL, look_up, names[started]);
		started += !rc;
	}
	for (int i = 0; i < started; i++)
		(void)pthread_join(threads[i], NULL);
	return rc ? err_sys(e, rc, "a thread") : 0;
}
