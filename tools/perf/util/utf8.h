/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Characters in UTF-8 (RFC 3629).
 */
#ifndef PERF_UTIL_UTF8_H
#define PERF_UTIL_UTF8_H

#include <stddef.h>
#include <stdint.h>

/**
 * utf8_decode() - the character that bytes begin with
 * @bytes: the bytes; reading stops at the first that does not belong to it
 * @left: how many there are, at least 1
 * @character: gets it
 *
 * Return: how many bytes it has, or 0 when it is none.
 */
size_t utf8_decode(const unsigned char *bytes, size_t left, uint32_t *character);

#endif
