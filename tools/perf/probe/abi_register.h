/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of x86-64, and the registers of a function's parameters.
 */
#ifndef PERF_PROBE_ABI_REGISTER_H
#define PERF_PROBE_ABI_REGISTER_H

#include "place.h"

/* Return tracefs' name of the register with DWARF's number @number, or NULL. */
const char *abi_register_name(unsigned int number);

/**
 * abi_register_find() - Find the register of a parameter
 * @fetch: set to the text that makes tracefs fetch the register; the caller frees it
 * @place: first instruction of the function
 * @variable: parameter
 * @err: set to the reason if the register is unknown
 *
 * Return: 0, or -1 with @err set.
 */
int abi_register_find(char **fetch, const struct place *place, Dwarf_Die *variable,
		      struct error *err);

#endif
