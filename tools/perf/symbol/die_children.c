// SPDX-License-Identifier: GPL-2.0
/*
 * Walks through the children of an entry of debug information.
 */
#include <dwarf.h>

#include "die_children.h"

bool child_first(struct child *child, Dwarf_Die *parent)
{
	child->nr = 0;
	return dwarf_child(parent, &child->die) == 0;
}

bool child_next(struct child *child)
{
	return ++child->nr < CHILDREN_MAX && dwarf_siblingof(&child->die, &child->die) == 0;
}

bool die_has_functions(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_module:
		return true;
	default:
		return false;
	}
}
