/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of x86-64, and which of them a function's parameters come in.
 */
#ifndef PERF_PROBE_ABI_REGISTER_H
#define PERF_PROBE_ABI_REGISTER_H

#include "place.h"

/* What tracefs calls a register that has a number in debug information; NULL: nothing. */
const char *abi_register_name(unsigned int number);

/**
 * abi_register_find() - the register that a parameter comes in
 * @fetch: gets what tracefs fetches; the caller frees it
 * @place: the function's beginning
 * @variable: the parameter
 * @err: why it is not known
 *
 * Return: 0, or -1 with @err set.
 */
int abi_register_find(char **fetch, const struct place *place, Dwarf_Die *variable,
		      struct error *err);

#endif
