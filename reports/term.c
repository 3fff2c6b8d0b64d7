/* SPDX-License-Identifier: Apache-2.0 */
/* Text for people: see term.h. */
#include "reports/term.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "base/utf8.h"

enum { DEFAULT_WIDTH = 100, LEAST_WIDTH = 40 };

static const char *const signs[][2] = {
	[SIGN_LEAST] = {">=", "\xe2\x89\xa5"}, [SIGN_MOST] = {"<=", "\xe2\x89\xa4"},
	[SIGN_RANGE] = {"..", "\xe2\x80\x93"}, [SIGN_CUT] = {"...", "\xe2\x80\xa6"},
	[SIGN_BULLET] = {"-", "\xe2\x80\xa2"}, [SIGN_ABOUT] = {"~", "\xe2\x89\x88"},
};

/* Select Graphic Rendition, ECMA-48 8.3.117. */
static const char *const colours[VERDICT_WORDS] = {
	[VERDICT_FAIL] = "1;31",       [VERDICT_ERROR] = "1;35",
	[VERDICT_INCONCLUSIVE] = "33", [VERDICT_UNJUDGED] = "36",
	[VERDICT_WARN] = "33",         [VERDICT_SKIP] = "36",
	[VERDICT_PASS] = "32",
};

void term_init(struct term *t, const struct report_style *style)
{
	memset(t, 0, sizeof(*t));
	t->style = *style;
	if (t->style.width <= 0)
		t->style.width = DEFAULT_WIDTH;
	if (t->style.width < LEAST_WIDTH)
		t->style.width = LEAST_WIDTH;
}

void term_release(struct term *t)
{
	strbuf_release(&t->out);
	memset(t, 0, sizeof(*t));
}

const char *term_sign(const struct term *t, enum term_sign sign)
{
	return signs[sign][t->style.utf8];
}

/* The well-formed character of @n bytes at @s. */
static uint32_t code_point(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t c = n == 1 ? p[0] : p[0] & (0x7fU >> n);

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

struct span {
	uint32_t from, to;
};

static bool within(uint32_t c, const struct span *spans, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (c >= spans[i].from && c <= spans[i].to)
			return true;
	}
	return false;
}

/* Zero width, marks of direction, separators of lines, tags, not characters at all. */
static bool hidden(uint32_t c)
{
	static const struct span spans[] = {
		{0xad, 0xad},     {0x61c, 0x61c},   {0x180e, 0x180e},   {0x200b, 0x200f},
		{0x2028, 0x202e}, {0x2060, 0x206f}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
		{0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff},
	};

	return within(c, spans, sizeof(spans) / sizeof(spans[0]));
}

/*
 * Unicode's East Asian Width W and F, and emoji, by blocks. Not wcwidth(): that knows
 * nothing in the C locale.
 */
static size_t width_of(uint32_t c)
{
	static const struct span wide[] = {
		{0x1100, 0x115f},   {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
		{0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
		{0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff},
		{0x20000, 0x3fffd},
	};
	static const struct span none[] = {{0x300, 0x36f}, {0x20d0, 0x20ff}};

	if (c < 0x300)
		return 1;
	if (within(c, none, sizeof(none) / sizeof(none[0])))
		return 0;
	return within(c, wide, sizeof(wide) / sizeof(wide[0])) ? 2 : 1;
}

size_t term_columns(const char *s, size_t len)
{
	size_t columns = 0;

	for (size_t i = 0; i < len;) {
		size_t n = utf8_char(s + i, len - i);

		columns += n ? width_of(code_point(s + i, n)) : 1;
		i += n ? n : 1;
	}
	return columns;
}

/* External text as it is shown, whole. */
static void show(const struct term *t, struct strbuf *to, const char *s)
{
	struct strbuf plain = {0};

	utf8_printable(&plain, s, strlen(s));
	for (size_t i = 0; i < plain.len;) {
		size_t n = utf8_char(plain.buf + i, plain.len - i);
		uint32_t c = code_point(plain.buf + i, n);

		if (c == 0xfffd && !t->style.utf8)
			strbuf_addch(to, '?');
		else if (hidden(c) || (c > 0x7f && !t->style.utf8))
			strbuf_addf(to, "\\u%04x", c);
		else
			strbuf_add(to, plain.buf + i, n);
		i += n;
	}
	strbuf_release(&plain);
}

/* Bytes of the text that fit into @room columns. */
static size_t fitting(const char *s, size_t len, size_t room)
{
	size_t columns = 0, i = 0;

	while (i < len) {
		size_t n = utf8_char(s + i, len - i);

		n = n ? n : 1;
		columns += term_columns(s + i, n);
		if (columns > room)
			break;
		i += n;
	}
	return i;
}

void term_clean(const struct term *t, struct strbuf *to, const char *s, size_t max)
{
	const char *sign = term_sign(t, SIGN_CUT);
	struct strbuf all = {0};

	if (!s)
		return;
	show(t, &all, s);
	if (term_columns(strbuf_str(&all), all.len) <= max) {
		strbuf_add(to, strbuf_str(&all), all.len);
	} else {
		strbuf_add(to, all.buf,
			   fitting(all.buf, all.len,
				   max - term_columns(sign, strlen(sign))));
		strbuf_addstr(to, sign);
	}
	strbuf_release(&all);
}

void term_end(struct term *t)
{
	while (t->out.len && t->out.buf[t->out.len - 1] == ' ')
		strbuf_truncate(&t->out, t->out.len - 1);
	strbuf_addch(&t->out, '\n');
	t->column = 0;
}

void term_pad(struct term *t, size_t column)
{
	for (; t->column < column; t->column++)
		strbuf_addch(&t->out, ' ');
}

/* Bytes of a long word for @room columns, one character at least; up to a comma. */
static size_t part(const char *s, size_t len, size_t room)
{
	size_t n = fitting(s, len, room);
	const char *comma = n < len ? memrchr(s, ',', n) : NULL;

	if (comma)
		return (size_t)(comma - s) + 1;
	return n ? n : utf8_char(s, len) ? utf8_char(s, len) : 1;
}

static void add_word(struct term *t, size_t indent, const char *s, size_t len)
{
	size_t width = (size_t)t->style.width;

	while (t->column + term_columns(s, len) > width) {
		/* a word that fits a line of its own goes there, whole */
		if (t->column > indent && indent + term_columns(s, len) <= width) {
			term_end(t);
			term_pad(t, indent);
			break;
		}
		if (t->column + 8 <= width) {
			size_t n = part(s, len, width - t->column);

			strbuf_add(&t->out, s, n);
			s += n;
			len -= n;
		}
		term_end(t);
		term_pad(t, indent);
	}
	strbuf_add(&t->out, s, len);
	t->column += term_columns(s, len);
}

/* The word of @len bytes at @s is a unit, perhaps with a bracket or comma after it. */
static bool is_unit(const char *s, size_t len)
{
	static const char *const units[] = {"%", "B", "s", "Hz", "W", "T/s", "Celsius"};

	while (len && strchr(".,;:)", s[len - 1]))
		len--;
	if (len > 2 && !memcmp(s + len - 2, "/s", 2))
		return len <= 8; /* GB/s, TFLOP/s */
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n = strlen(units[i]);

		/* with a prefix of up to two letters: GiB, ms, MHz */
		if (len >= n && len <= n + 2 && !memcmp(s + len - n, units[i], n))
			return true;
	}
	return false;
}

/* Length of the word at @s; a number and its unit are one word. */
static size_t word_length(const char *s)
{
	size_t len = strcspn(s, " ");

	if (len && s[len] && s[len - 1] >= '0' && s[len - 1] <= '9') {
		size_t next = strcspn(s + len + 1, " ");

		if (is_unit(s + len + 1, next))
			return len + 1 + next;
	}
	return len;
}

void term_wrap(struct term *t, size_t indent, const char *text)
{
	if (indent > (size_t)t->style.width / 2)
		indent = (size_t)t->style.width / 2;
	while (*text) {
		size_t len = word_length(text);

		if (len)
			add_word(t, indent, text, len);
		text += len;
		if (*text) {
			text++;
			strbuf_addch(&t->out, ' ');
			t->column++;
		}
	}
}

void term_wrapf(struct term *t, size_t indent, const char *fmt, ...)
{
	struct strbuf text = {0};
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	term_wrap(t, indent, strbuf_str(&text));
	strbuf_release(&text);
}

static void in_colour(struct term *t, const char *colour, const char *text)
{
	if (t->style.colour)
		strbuf_addf(&t->out, "\033[%sm%s\033[0m", colour, text);
	else
		strbuf_addstr(&t->out, text);
	t->column += strlen(text);
}

void term_title(struct term *t, const char *text)
{
	term_end(t);
	in_colour(t, "1", text);
	term_end(t);
}

void term_word(struct term *t, enum verdict_word word)
{
	in_colour(t, colours[word], verdict_name(word));
}

char *term_number(char *buf, size_t size, struct record_num v, const char *unit)
{
	if (!v.set)
		(void)snprintf(buf, size, "-");
	else if (unit)
		(void)units_format(buf, size, v.v, unit);
	else
		(void)snprintf(buf, size, "%.6g", v.v);
	/* a unit nobody knows is a kernel's text, cut anywhere by the buffer */
	for (char *s = buf; unit && !units_known(unit) && *s; s++) {
		if (*s < 0x20 || *s > 0x7e)
			*s = '?';
	}
	return buf;
}

char *term_count(char *buf, size_t size, size_t n)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%zu", n);
	size_t k = 0;

	for (int i = 0; i < len && k + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			buf[k++] = ',';
		buf[k++] = digits[i];
	}
	buf[k] = '\0';
	return buf;
}

void term_counts(struct strbuf *to, const size_t counts[VERDICT_WORDS])
{
	const char *comma = "";
	char n[32];

	for (int w = 0; w < VERDICT_WORDS; w++) {
		if (!counts[w])
			continue;
		strbuf_addf(to, "%s%s %s", comma, term_count(n, sizeof(n), counts[w]),
			    verdict_name(w));
		comma = ", ";
	}
}

void term_shell_word(struct strbuf *to, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./,:+@%=";

	if (*s && strspn(s, plain) == strlen(s)) {
		strbuf_addstr(to, s);
		return;
	}
	strbuf_addch(to, '\'');
	for (; *s; s++) {
		if (*s == '\'')
			strbuf_addstr(to, "'\\''");
		else
			strbuf_addch(to, *s);
	}
	strbuf_addch(to, '\'');
}
