/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An instruction pointer and the code that it points to.
 */
#ifndef PERF_SYMBOL_LOCATION_H
#define PERF_SYMBOL_LOCATION_H

#include <stdint.h>

struct dso;
struct symbol;

/*
 * Mode of the CPU; the value is the letter that reports print in front of a symbol. The location of
 * MODE_NOWHERE is not known: its address means nothing. Its symbol, if any, says what is there.
 */
enum cpu_mode {
	MODE_KERNEL		= 'k',
	MODE_USER		= '.',
	MODE_GUEST_KERNEL	= 'g',
	MODE_GUEST_USER		= 'u',
	MODE_HYPERVISOR		= 'H',
	MODE_NOWHERE		= '-',
};

/* The text in the place of a location of MODE_NOWHERE. */
#define LOCATION_NOT_RECORDED "[not recorded]"

/**
 * struct location - an instruction pointer and the code that it points to
 * @ip: instruction pointer
 * @addr: offset in the file for code of a user's file, otherwise @ip; in a module that was
 *	loaded again, the address that @ip would have at the module's first place
 * @mode: mode of the CPU
 * @dso: dso that is mapped at @ip, or NULL
 * @symbol: function at @ip, or NULL
 * @symbol_offset: offset of @ip in @symbol
 * @back: distance in bytes from the address that is looked up to @ip: 1 for a return address, which
 *	is after the call; otherwise 0
 * @depth: number of functions that are inlined at @ip and that this function calls; for a
 *	location that is not a frame of a call chain, 0
 */
struct location {
	uint64_t ip;
	uint64_t addr;
	enum cpu_mode mode;
	struct dso *dso;
	struct symbol *symbol;
	uint64_t symbol_offset;
	uint8_t back;
	uint16_t depth;
};

#endif
