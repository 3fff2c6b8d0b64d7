/* SPDX-License-Identifier: Apache-2.0 */
/* User and password: see credentials.h. */
#include "bios/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { MAX_FILE = 16384, MAX_ANSWER = 512 };

static void forget(char *text)
{
	if (text)
		explicit_bzero(text, strlen(text));
	free(text);
}

void credentials_release(struct credentials *c)
{
	forget(c->user);
	forget(c->password);
	memset(c, 0, sizeof(*c));
}

void credentials_copy(struct credentials *c, const struct credentials *from)
{
	if (from && !c->user)
		c->user = mem_strdup(from->user);
	if (from && !c->password)
		c->password = mem_strdup(from->password);
}

static char *take(const char *name)
{
	char *value = getenv(name), *copy;

	if (!value)
		return NULL;
	copy = mem_strdup(value);
	explicit_bzero(value, strlen(value));
	(void)unsetenv(name);
	return copy;
}

void credentials_take(struct credentials *c)
{
	c->user = take("ASSAY_BMC_USER");
	c->password = take("ASSAY_BMC_PASSWORD");
}

static void set(char **to, const char *value, size_t len)
{
	forget(*to);
	*to = mem_calloc(len + 1, 1);
	memcpy(*to, value, len);
}

/* The text of an error names the line and never holds it. */
static int parse(struct credentials *c, const char *text, const char *path, struct err *e)
{
	static const char user[] = "user=", password[] = "password=";

	for (int n = 1; *text; n++) {
		size_t len = strcspn(text, "\n"), end = len;

		if (end && text[end - 1] == '\r')
			end--;
		if (!strncmp(text, user, sizeof(user) - 1))
			set(&c->user, text + sizeof(user) - 1, end - (sizeof(user) - 1));
		else if (!strncmp(text, password, sizeof(password) - 1))
			set(&c->password, text + sizeof(password) - 1,
			    end - (sizeof(password) - 1));
		else if (end && *text != '#')
			return err_set(e, ERR_USAGE,
				       "%s:%d: expected user=... or password=...", path,
				       n);
		text += len + (text[len] == '\n');
	}
	if (!c->user || !*c->user || !c->password)
		return err_set(e, ERR_USAGE, "%s: no line '%s...'", path,
			       c->user && *c->user ? password : user);
	return 0;
}

static int read_file(struct credentials *c, int fd, const char *path, struct err *e)
{
	struct strbuf text = {0};
	struct stat st;
	int rc = -1;

	if (fstat(fd, &st))
		err_sys(e, errno, "credentials '%s'", path);
	else if (!S_ISREG(st.st_mode))
		err_set(e, ERR_USAGE, "credentials '%s': not a file", path);
	else if (st.st_mode & 077)
		err_set(e, ERR_USAGE,
			"credentials '%s' may be read by others (mode %04o), expected "
			"0600: chmod 600 %s",
			path, (unsigned int)(st.st_mode & 07777), path);
	else if (!file_read_fd(&text, fd, path, MAX_FILE, e))
		rc = parse(c, strbuf_str(&text), path, e);
	if (text.buf)
		explicit_bzero(text.buf, text.cap);
	strbuf_release(&text);
	return rc;
}

int credentials_read(struct credentials *c, const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int rc;

	if (fd < 0) {
		err_sys(e, errno, "credentials '%s'", path);
		e->kind = ERR_USAGE;
		return -1;
	}
	rc = read_file(c, fd, path, e);
	(void)close(fd);
	if (rc)
		e->kind = ERR_USAGE;
	return rc;
}

/* One line of @tty, its echo switched off for a password. */
static char *answer(int tty, const char *question, bool echo)
{
	struct termios old, quiet;
	char line[MAX_ANSWER];
	char *copy;
	ssize_t n;

	(void)dprintf(tty, "%s: ", question);
	if (tcgetattr(tty, &old))
		return NULL;
	quiet = old;
	quiet.c_lflag &= ~(tcflag_t)(echo ? 0 : ECHO);
	(void)tcsetattr(tty, TCSAFLUSH, &quiet);
	n = read(tty, line, sizeof(line) - 1);
	(void)tcsetattr(tty, TCSAFLUSH, &old);
	if (!echo)
		(void)dprintf(tty, "\n");
	if (n <= 0)
		return NULL;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	copy = mem_strdup(line);
	explicit_bzero(line, sizeof(line));
	return copy;
}

int credentials_ask(struct credentials *c, struct err *e)
{
	int tty;

	if (c->user && c->password)
		return 0;
	tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (tty >= 0 && !c->user)
		c->user = answer(tty, "user of the BMCs", true);
	if (tty >= 0 && c->user && !c->password)
		c->password = answer(tty, "password", false);
	if (tty >= 0)
		(void)close(tty);
	if (c->user && c->password)
		return 0;
	return err_set(e, ERR_USAGE,
		       "no user and password for the BMCs: name a file in the site "
		       "(bmc.credentials), or set ASSAY_BMC_USER and ASSAY_BMC_PASSWORD");
}
