/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parses lines of kallsyms.
 */
#ifndef PERF_SYMBOL_KALLSYMS_H
#define PERF_SYMBOL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line of kallsyms: "address type name[\t[module]]". */
struct kallsym {
	uint64_t addr;
	char type;
	const char *name;
	size_t name_size;
	const char *module;		/* "[name]", or NULL */
	size_t module_size;
};

/* Split the line at @line into @k. Return: the next line, or NULL at the end. */
const char *kallsym_parse(const char *line, struct kallsym *k);

/* Return true if the symbol is a function. */
bool kallsym_is_code(const struct kallsym *k);

#endif
