/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cursor that goes through bytes and never beyond their end: to read what is not there sets
 * @bad, which stays, and yields zeros. So there is one check, at the end.
 */
#ifndef PERF_FILE_CURSOR_H
#define PERF_FILE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * struct cursor - what is left to be read
 * @at: the next byte
 * @left: how many there are
 * @bad: there was less than somebody wanted
 */
struct cursor {
	const uint8_t *at;
	size_t left;
	bool bad;
};

/* The next @size bytes, or NULL. */
static inline const void *skip(struct cursor *c, uint64_t size)
{
	const void *at = c->at;

	if (size > c->left) {
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
