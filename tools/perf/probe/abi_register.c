// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of x86-64, and the registers of a function's parameters: System V ABI, AMD64,
 * 3.2.3 and figure 3.36.
 *
 * Each whole number or pointer is passed in the next register. A parameter of another type takes
 * several registers, or none, so that the registers of the parameters after it are unknown.
 */
#include <dwarf.h>
#include <string.h>

#include "abi_register.h"
#include "type.h"

const char *abi_register_name(unsigned int number)
{
	static const char *const names[] = {
		"ax", "dx", "cx", "bx", "si", "di", "bp", "sp",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};

	return number < ARRAY_SIZE(names) ? names[number] : NULL;
}

/* Return true if the function was compiled from a language that follows the ABI. */
static bool is_c(Dwarf_Die *cu)
{
	switch (dwarf_srclang(cu)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/*
 * Return true if the compiler changed the function's parameters, which it may do if it knows all
 * callers.
 */
static bool is_changed(const struct place *p, Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	Dwarf_Word convention;

	if (strchr(p->function, '.'))
		return true;
	return dwarf_attr_integrate(function, DW_AT_calling_convention, &attr) &&
	       (dwarf_formudata(&attr, &convention) || convention != DW_CC_normal);
}

/*
 * Return true if the function may have a hidden parameter, the address of the structure to return.
 */
static bool has_hidden(Dwarf_Die *function)
{
	Dwarf_Die type;

	return dwarf_hasattr_integrate(function, DW_AT_type) &&
	       (type_of(function, &type) || !(type_is_integer(&type) ||
					      dwarf_tag(&type) == DW_TAG_base_type));
}

static int refuse(struct error *err, const char *why)
{
	error_set(err, "its register is unknown: %s", why);
	return -1;
}

/*
 * Return the index of a parameter, or -1 if the parameter, or one before it, is neither a whole
 * number nor a pointer.
 */
static int find_number(Dwarf_Die *function, Dwarf_Die *variable)
{
	struct child child;
	Dwarf_Die type;
	int nr = 0;
	bool more;

	for (more = child_first(&child, function); more; more = child_next(&child)) {
		if (dwarf_tag(&child.die) != DW_TAG_formal_parameter)
			continue;
		if (type_of(&child.die, &type) || !type_is_integer(&type))
			return -1;
		if (dwarf_dieoffset(&child.die) == dwarf_dieoffset(variable))
			return nr;
		nr++;
	}
	return -1;
}

int abi_register_find(char **fetch, const struct place *place, Dwarf_Die *variable,
		      struct error *err)
{
	static const char *const names[] = { "di", "si", "dx", "cx", "r8", "r9" };
	Dwarf_Die function = place->scopes.dies[0], cu = place->scopes.cu;
	int nr;

	if (!is_c(&cu))
		return refuse(err, "the function is not C or C++");
	if (is_changed(place, &function))
		return refuse(err, "the compiler has changed the function's parameters");
	if (has_hidden(&function))
		return refuse(err, "the function returns a structure");
	nr = find_number(&function, variable);
	if (nr < 0)
		return refuse(err, "it or one before it is no whole number or pointer");
	if (nr >= (int)ARRAY_SIZE(names))
		return refuse(err, "only the first six parameters come in registers");
	*fetch = xasprintf("%%%s", names[nr]);
	return 0;
}
