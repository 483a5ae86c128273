/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cursor that reads bytes and never leaves them: reading past the end yields zeros and sets
 * @bad, which stays set. So callers check once, at the end.
 */
#ifndef PERF_FILE_CURSOR_H
#define PERF_FILE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * struct cursor - the bytes that have not been read
 * @at: next byte
 * @left: number of bytes left
 * @bad: more bytes were asked for than were left
 */
struct cursor {
	const uint8_t *at;
	size_t left;
	bool bad;
};

/* Skip @size bytes. Return: their start; NULL, even for 0 bytes, if @bad is set. */
static inline const void *skip(struct cursor *c, uint64_t size)
{
	const void *at = c->at;

	if (c->bad || size > c->left) {
		c->bad = true;
		c->left = 0;
		return NULL;
	}
	c->at += size;
	c->left -= size;
	return at;
}

static inline uint64_t get_u64(struct cursor *c)
{
	const void *at = skip(c, sizeof(uint64_t));
	uint64_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint32_t get_u32(struct cursor *c)
{
	const void *at = skip(c, sizeof(uint32_t));
	uint32_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

static inline uint16_t get_u16(struct cursor *c)
{
	const void *at = skip(c, sizeof(uint16_t));
	uint16_t value = 0;

	if (at)
		memcpy(&value, at, sizeof(value));
	return value;
}

#endif
