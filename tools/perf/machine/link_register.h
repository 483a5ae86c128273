/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The link register of powerpc in call chains of user code.
 */
#ifndef PERF_MACHINE_LINK_REGISTER_H
#define PERF_MACHINE_LINK_REGISTER_H

#include "state.h"

/**
 * struct link_register - what is known of the register where a chain begins
 * @at: the first entry: where it was running; NULL: the chain has no link register
 * @known: @frame is known
 * @frame: what the function has done
 */
struct link_register {
	const struct location *at;
	bool known;
	struct powerpc_frame frame;
};

/**
 * link_register_begin() - a chain begins
 * @lr: to be filled in
 * @machine: the machine that was recorded
 * @at: its first entry; stays where it is
 */
void link_register_begin(struct link_register *lr, const struct machine *machine,
			 const struct location *at);

/**
 * link_register_spoils() - find out whether the link register makes an entry no caller
 * @lr: what was known at the first entry
 * @nth: which entry it is: 1 follows the first
 * @entry: what is there
 * @next: the address in the entry behind it, or 0
 *
 * Return: whether it is none.
 */
bool link_register_spoils(const struct link_register *lr, uint64_t nth,
			  const struct location *entry, uint64_t next);

#endif
