/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The link register of powerpc in call chains of user code.
 */
#ifndef PERF_MACHINE_LINK_REGISTER_H
#define PERF_MACHINE_LINK_REGISTER_H

#include "state.h"

/**
 * struct link_register - the state of the function where a chain begins
 * @at: first entry of the chain, an instruction pointer; NULL: the chain has no link register
 * @known: true if @frame is known
 * @frame: state of the function's frame
 */
struct link_register {
	const struct location *at;
	bool known;
	struct powerpc_frame frame;
};

/**
 * link_register_begin() - Begin with the first entry of a chain
 * @lr: filled in
 * @machine: recorded machine
 * @at: first entry; must not move
 */
void link_register_begin(struct link_register *lr, const struct machine *machine,
			 const struct location *at);

/**
 * link_register_spoils() - Find out whether an entry is not a caller
 * @lr: state at the first entry
 * @nth: index of the entry; 1 follows the first
 * @entry: location of the entry
 * @next: address in the next entry, or 0
 *
 * Return: True if the chain must leave out the entry.
 */
bool link_register_spoils(const struct link_register *lr, uint64_t nth,
			  const struct location *entry, uint64_t next);

#endif
