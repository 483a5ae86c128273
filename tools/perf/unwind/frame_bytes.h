/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reads numbers from the bytes of call frame information, which may be damaged.
 */
#ifndef PERF_UNWIND_FRAME_BYTES_H
#define PERF_UNWIND_FRAME_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/**
 * struct frame_bytes - bytes that are read from the front
 * @at: next byte
 * @end: end of the bytes
 * @failed: true after a read beyond @end; every read then gives 0
 */
struct frame_bytes {
	const uint8_t *at;
	const uint8_t *end;
	bool failed;
};

static inline size_t frame_bytes_left(const struct frame_bytes *bytes)
{
	return bytes->end - bytes->at;
}

/* Skip @size bytes. Return the first one, or NULL if there are fewer. */
static inline const uint8_t *frame_bytes_take(struct frame_bytes *bytes, uint64_t size)
{
	const uint8_t *taken = bytes->at;

	if (size > frame_bytes_left(bytes)) {
		bytes->failed = true;
		bytes->at = bytes->end;
		return NULL;
	}
	bytes->at += size;
	return taken;
}

/* Read an unsigned number of @size bytes, at most 8, the lowest byte first. */
static inline uint64_t frame_bytes_number(struct frame_bytes *bytes, unsigned int size)
{
	const uint8_t *taken = frame_bytes_take(bytes, size);
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; taken && i < size; i++)
		value |= (uint64_t)taken[i] << (8 * i);
	return value;
}

/* Read a signed number of @size bytes, 1 to 8. */
static inline int64_t frame_bytes_signed(struct frame_bytes *bytes, unsigned int size)
{
	unsigned int unused = 64 - 8 * size;

	return (int64_t)(frame_bytes_number(bytes, size) << unused) >> unused;
}

/*
 * Read the bits of a LEB128 number. @shift is set to their number, and @last to the last byte; bits
 * beyond 64 are dropped.
 */
static inline uint64_t frame_bytes_leb128(struct frame_bytes *bytes, unsigned int *shift,
					  uint8_t *last)
{
	uint64_t value = 0;

	*shift = 0;
	do {
		*last = frame_bytes_number(bytes, 1);
		if (*shift < 64) {
			value |= (uint64_t)(*last & 0x7f) << *shift;
			*shift += 7;
		}
	} while (*last & 0x80);
	return value;
}

static inline uint64_t frame_bytes_uleb128(struct frame_bytes *bytes)
{
	unsigned int shift;
	uint8_t last;

	return frame_bytes_leb128(bytes, &shift, &last);
}

static inline int64_t frame_bytes_sleb128(struct frame_bytes *bytes)
{
	unsigned int shift;
	uint8_t last;
	uint64_t value = frame_bytes_leb128(bytes, &shift, &last);

	if (shift < 64 && last & 0x40)
		value |= ~0ULL << shift;
	return value;
}

#endif
