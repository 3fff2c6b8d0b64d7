/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8 checks: see utf8.h. */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

size_t utf8_char(const char *s, size_t len)
{
	const unsigned char *p = (const unsigned char *)s;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c;
	size_t n;

	if (!len)
		return 0;
	if (p[0] < 0x80)
		return 1;
	n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;
	if (p[0] < 0xc2 || p[0] > 0xf4 || n > len)
		return 0;
	c = p[0] & (0x7fU >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff)
		return 0;
	return n;
}

bool utf8_valid(const char *s, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = utf8_char(s + i, len - i);

		if (!n || !s[i])
			return false;
		i += n;
	}
	return true;
}

static void clean(struct strbuf *out, const char *s, size_t len, bool printable)
{
	for (size_t i = 0; i < len;) {
		size_t n = utf8_char(s + i, len - i);
		unsigned char c = (unsigned char)s[i];
		bool c1 = n == 2 && c == 0xc2 && (unsigned char)s[i + 1] < 0xa0;

		if (!n || (!c && !printable)) {
			strbuf_addstr(out, "\xef\xbf\xbd");
			n = 1;
		} else if (printable && (c < 0x20 || c == 0x7f || c1)) {
			strbuf_addf(out, "\\x%02x", c1 ? (unsigned char)s[i + 1] : c);
		} else {
			strbuf_add(out, s + i, n);
		}
		i += n;
	}
}

void utf8_clean(struct strbuf *out, const char *s, size_t len)
{
	clean(out, s, len, false);
}

void utf8_printable(struct strbuf *out, const char *s, size_t len)
{
	clean(out, s, len, true);
}
