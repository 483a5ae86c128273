// SPDX-License-Identifier: GPL-2.0
/*
 * Encoded addresses in .eh_frame: Linux Standard Base, Core, section 10.5 (DWARF extensions).
 */
#include "frame_pointer.h"

/* The lower four bits of an encoding are the format; the next three are what it is relative to. */
#define FORMAT_MASK	0x0f
#define RELATIVE_MASK	0x70
#define RELATIVE_NOT	0x00
#define RELATIVE_PLACE	0x10
#define INDIRECT	0x80

enum format {
	FORMAT_ABSOLUTE	= 0x00,
	FORMAT_ULEB128	= 0x01,
	FORMAT_UDATA2	= 0x02,
	FORMAT_UDATA4	= 0x03,
	FORMAT_UDATA8	= 0x04,
	FORMAT_SLEB128	= 0x09,
	FORMAT_SDATA2	= 0x0a,
	FORMAT_SDATA4	= 0x0b,
	FORMAT_SDATA8	= 0x0c,
};

bool frame_pointer_number(struct frame_bytes *bytes, unsigned int encoding, unsigned int word,
			  uint64_t *value)
{
	switch (encoding & FORMAT_MASK) {
	case FORMAT_ABSOLUTE:
		*value = frame_bytes_number(bytes, word);
		break;
	case FORMAT_ULEB128:
		*value = frame_bytes_uleb128(bytes);
		break;
	case FORMAT_UDATA2:
		*value = frame_bytes_number(bytes, 2);
		break;
	case FORMAT_UDATA4:
		*value = frame_bytes_number(bytes, 4);
		break;
	case FORMAT_UDATA8:
	case FORMAT_SDATA8:
		*value = frame_bytes_number(bytes, 8);
		break;
	case FORMAT_SLEB128:
		*value = frame_bytes_sleb128(bytes);
		break;
	case FORMAT_SDATA2:
		*value = frame_bytes_signed(bytes, 2);
		break;
	case FORMAT_SDATA4:
		*value = frame_bytes_signed(bytes, 4);
		break;
	default:
		return false;
	}
	return !bytes->failed;
}

bool frame_pointer_read(struct frame_bytes *bytes, unsigned int encoding, unsigned int word,
			uint64_t place, uint64_t *addr)
{
	if (encoding & INDIRECT || !frame_pointer_number(bytes, encoding, word, addr))
		return false;
	switch (encoding & RELATIVE_MASK) {
	case RELATIVE_NOT:
		break;
	case RELATIVE_PLACE:
		*addr += place;
		break;
	default:
		return false;
	}
	if (word == 4)
		*addr = (uint32_t)*addr;
	return true;
}
