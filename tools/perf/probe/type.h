/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of variables, as debug information has them and as tracefs calls them.
 */
#ifndef PERF_PROBE_TYPE_H
#define PERF_PROBE_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "util/util.h"

/**
 * type_of() - the type of a variable, member, function or pointer
 * @die: what has it
 * @type: gets it, without names and qualifiers
 *
 * Return: 0, or -1 when it has none, as void.
 */
int type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Is it passed in a register of whole numbers? */
bool type_is_integer(Dwarf_Die *type);

/* Is it a structure, a union or a class? */
bool type_is_structure(Dwarf_Die *type);

/* Is it a pointer to char? */
bool type_is_string(Dwarf_Die *type);

/**
 * type_fetch() - what tracefs calls a type
 * @type: as type_of() has it
 * @err: why there is no such
 *
 * Return: "s32" for example, or NULL with @err set.
 */
const char *type_fetch(Dwarf_Die *type, struct error *err);

/* How C has the type of a variable; the caller frees it. */
char *type_name(Dwarf_Die *variable);

/**
 * type_member() - find a member
 * @type: a structure
 * @name: the name of the member, which may be in a member without a name
 * @member: gets it
 * @offset: gets where it is in the structure
 * @err: why not
 *
 * Return: 0, or -1 with @err set.
 */
int type_member(Dwarf_Die *type, const char *name, Dwarf_Die *member, long *offset,
		struct error *err);

#endif
