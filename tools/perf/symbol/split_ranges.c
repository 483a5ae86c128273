// SPDX-License-Identifier: GPL-2.0
/*
 * The address ranges of an entry in split debug information.
 *
 * Its lists of ranges are relative to addresses that only the program has: DWARF 5, sections 2.17.3
 * and 7.25; in DWARF 4, as extended by GCC, they are in .debug_ranges of the program. libdw can
 * read the lists only if it opens the file itself, even if the file is a device.
 */
#include <dwarf.h>

#include "file/file.h"
#include "split_ranges.h"

/* A list that is read, and the address that its ranges are relative to. */
struct list {
	const struct split_addresses *of;
	struct cursor bytes;
	uint64_t base;
};

static uint64_t get_number(struct list *list, size_t size)
{
	const uint8_t *at = skip(&list->bytes, size);

	return at ? split_number(at, size, list->of->big_endian) : 0;
}

static uint64_t get_address(struct list *list)
{
	return get_number(list, list->of->size);
}

static uint64_t get_uleb128(struct list *list)
{
	unsigned int shift = 0;
	uint64_t value = 0;
	const uint8_t *at;

	do {
		at = skip(&list->bytes, 1);
		if (!at)
			return 0;
		if (shift < 64)
			value |= (uint64_t)(*at & 0x7f) << shift;
		shift += 7;
	} while (*at & 0x80);
	return value;
}

/* Read the index of an address from the list, and return the address. */
static uint64_t get_indexed(struct list *list)
{
	uint64_t number = get_uleb128(list), size = list->of->size;

	if (number >= list->of->addresses.size / size) {
		list->bytes.bad = true;
		return 0;
	}
	return split_number(list->of->addresses.bytes + number * size, size,
			    list->of->big_endian);
}

/* Read an entry of DWARF 4. Return: true for a range; the end of the list sets @bad. */
static bool next_of_4(struct list *list, uint64_t *start, uint64_t *end)
{
	uint64_t highest = list->of->size == 4 ? UINT32_MAX : UINT64_MAX;

	*start = get_address(list);
	*end = get_address(list);
	if (*start == highest) {
		list->base = *end;
		return false;
	}
	if (!*start && !*end)
		list->bytes.bad = true;
	*start += list->base;
	*end += list->base;
	return true;
}

/* Read an entry of DWARF 5. Return: true for a range; the end of the list sets @bad. */
static bool next_of_5(struct list *list, uint64_t *start, uint64_t *end)
{
	switch (get_number(list, 1)) {
	case DW_RLE_base_addressx:
		list->base = get_indexed(list);
		return false;
	case DW_RLE_startx_endx:
		*start = get_indexed(list);
		*end = get_indexed(list);
		return true;
	case DW_RLE_startx_length:
		*start = get_indexed(list);
		*end = *start + get_uleb128(list);
		return true;
	case DW_RLE_offset_pair:
		*start = list->base + get_uleb128(list);
		*end = list->base + get_uleb128(list);
		return true;
	case DW_RLE_base_address:
		list->base = get_address(list);
		return false;
	case DW_RLE_start_end:
		*start = get_address(list);
		*end = get_address(list);
		return true;
	case DW_RLE_start_length:
		*start = get_address(list);
		*end = *start + get_uleb128(list);
		return true;
	default:	/* DW_RLE_end_of_list, or damaged */
		list->bytes.bad = true;
		return false;
	}
}

/*
 * Find the offset of the list with a number, DW_FORM_rnglistx, which libdw does not know here. The
 * section starts with its length (4 bytes, or 12), version, sizes, and the number of offsets; the
 * offsets are relative to the first of them.
 */
static bool offset_of_number(const struct split_addresses *addresses, uint64_t number,
			     uint64_t *offset)
{
	struct list list = {
		.of = addresses,
		.bytes = { addresses->lists.bytes, addresses->lists.size, false },
	};
	size_t size = 4, header = 12;
	uint64_t nr;

	if (get_number(&list, 4) == UINT32_MAX) {
		skip(&list.bytes, 8);
		size = 8;
		header = 20;
	}
	skip(&list.bytes, 4);
	nr = get_number(&list, 4);
	if (list.bytes.bad || number >= nr)
		return false;
	skip(&list.bytes, number * size);
	*offset = header + get_number(&list, size);
	return !list.bytes.bad;
}

/* Find the offset of the list that DW_AT_ranges names. */
static bool offset_of(const struct split_addresses *addresses, Dwarf_Attribute *attribute,
		      Dwarf_Word *offset)
{
	const uint8_t *end = addresses->info.bytes + addresses->info.size;
	struct list list = { .of = addresses };

	if (attribute->form != DW_FORM_rnglistx)
		return !dwarf_formudata(attribute, offset);
	if (attribute->valp < addresses->info.bytes || attribute->valp >= end)
		return false;
	list.bytes = (struct cursor){ attribute->valp, end - attribute->valp, false };
	return offset_of_number(addresses, get_uleb128(&list), offset);
}

static void add_list(const struct split_addresses *addresses, struct ranges *ranges, size_t max,
		     uint64_t offset, uint32_t value)
{
	struct list list = {
		.of = addresses, .base = addresses->base,
		.bytes = { addresses->lists.bytes, addresses->lists.size, false },
	};
	uint64_t start, end;
	bool is_range;

	skip(&list.bytes, offset);
	while (!list.bytes.bad && ranges->nr < max) {
		is_range = addresses->version < 5 ? next_of_4(&list, &start, &end) :
						    next_of_5(&list, &start, &end);
		if (is_range && !list.bytes.bad)
			ranges_add(ranges, start, end, value);
	}
}

void split_add_ranges(const struct split_addresses *addresses, struct ranges *ranges, size_t max,
		      Dwarf_Die *die, uint32_t value)
{
	Dwarf_Attribute attribute;
	Dwarf_Addr start, end;
	Dwarf_Word offset;

	if (dwarf_attr(die, DW_AT_ranges, &attribute)) {
		if (offset_of(addresses, &attribute, &offset))
			add_list(addresses, ranges, max, offset, value);
	} else if (ranges->nr < max && dwarf_hasattr(die, DW_AT_low_pc) &&
		   !dwarf_lowpc(die, &start) && !dwarf_highpc(die, &end)) {
		ranges_add(ranges, start, end, value);
	}
}
