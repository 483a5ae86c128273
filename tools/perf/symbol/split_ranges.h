/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The address ranges of an entry in split debug information.
 */
#ifndef PERF_SYMBOL_SPLIT_RANGES_H
#define PERF_SYMBOL_SPLIT_RANGES_H

#include <elfutils/libdw.h>

#include "ranges.h"
#include "split_file.h"

/**
 * struct split_addresses - the addresses of a unit, and its lists of ranges
 * @version: version of DWARF
 * @big_endian: order of the bytes
 * @size: size of an address in bytes: 4 or 8
 * @base: address that ranges are relative to
 * @info: .debug_info.dwo of the unit, as libdw reads it
 * @addresses: addresses of the unit, from .debug_addr of the program
 * @lists: lists of ranges: those of .debug_ranges that belong to the unit for DWARF 4, otherwise
 *	.debug_rnglists.dwo
 */
struct split_addresses {
	uint16_t version;
	bool big_endian;
	uint8_t size;
	uint64_t base;
	struct split_bytes info;
	struct split_bytes addresses;
	struct split_bytes lists;
};

/* Add the address ranges of an entry to @ranges until it has @max ranges. */
void split_add_ranges(const struct split_addresses *addresses, struct ranges *ranges, size_t max,
		      Dwarf_Die *die, uint32_t value);

#endif
