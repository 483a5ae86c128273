// SPDX-License-Identifier: GPL-2.0
/* Decoding of UTF-8 (RFC 3629). */
#include "utf8.h"

/* Return the length of a character that begins with @byte, or 0 if no character begins with it. */
static size_t length_by_first(unsigned char byte)
{
	if (byte < 0x80)
		return 1;
	if (byte >= 0xc2 && byte <= 0xdf)
		return 2;
	if (byte >= 0xe0 && byte <= 0xef)
		return 3;
	return byte >= 0xf0 && byte <= 0xf4 ? 4 : 0;
}

size_t utf8_decode(const unsigned char *bytes, size_t left, uint32_t *character)
{
	/*
	 * The smallest character of each length. A smaller character encoded in as many bytes is
	 * not valid UTF-8.
	 */
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t i, n = length_by_first(bytes[0]);
	uint32_t c;

	if (!n || n > left)
		return 0;
	c = n == 1 ? bytes[0] : bytes[0] & (0x7f >> n);
	for (i = 1; i < n; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (bytes[i] & 0x3f);
	}
	if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*character = c;
	return n;
}
