/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Examines types of variables, and translates them to tracefs' names.
 */
#ifndef PERF_PROBE_TYPE_H
#define PERF_PROBE_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "util/util.h"

/**
 * type_of() - Find the type of a variable, member, function or pointer
 * @die: entry in the debug information
 * @type: set to the type, without typedefs and qualifiers
 *
 * Return: 0, or -1 if it has no type, like void.
 */
int type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Return true if a value of the type is passed in a general register. */
bool type_is_integer(Dwarf_Die *type);

/* Return true for a structure, a union or a class. */
bool type_is_structure(Dwarf_Die *type);

/* Return true for a pointer to char. */
bool type_is_string(Dwarf_Die *type);

/**
 * type_fetch() - Return tracefs' name of a type
 * @type: type from type_of()
 * @err: set to the reason if tracefs cannot fetch the type
 *
 * Return: The name, such as "s32"; NULL with @err set.
 */
const char *type_fetch(Dwarf_Die *type, struct error *err);

/* Return the type of a variable in C syntax; the caller frees the text. */
char *type_name(Dwarf_Die *variable);

/**
 * type_member() - Find a member of a structure
 * @type: structure
 * @name: name of the member, which may be in a member without a name
 * @member: set to the member
 * @offset: set to its offset in the structure in bytes
 * @err: set to the reason if it cannot be fetched
 *
 * Return: 0, or -1 with @err set.
 */
int type_member(Dwarf_Die *type, const char *name, Dwarf_Die *member, long *offset,
		struct error *err);

#endif
