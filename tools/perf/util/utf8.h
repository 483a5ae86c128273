/* SPDX-License-Identifier: GPL-2.0 */
/* Decoding of UTF-8 (RFC 3629). */
#ifndef PERF_UTIL_UTF8_H
#define PERF_UTIL_UTF8_H

#include <stddef.h>
#include <stdint.h>

/**
 * utf8_decode() - decode one character
 * @bytes: bytes to decode; reading stops at the first that cannot continue the character
 * @left: number of bytes, at least 1
 * @character: receives the character
 *
 * Return: the number of bytes of the character, or 0 if @bytes do not begin with one.
 */
size_t utf8_decode(const unsigned char *bytes, size_t left, uint32_t *character);

#endif
