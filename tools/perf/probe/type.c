// SPDX-License-Identifier: GPL-2.0
/*
 * Examines types of variables, and translates them to tracefs' names.
 */
#include <dwarf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "scopes.h"
#include "type.h"

/* Maximum nesting of types. */
#define NESTING_MAX 32
/* Maximum nesting of structures without names. */
#define MEMBER_NESTING_MAX 6

/* Find the type of @die; it may be a typedef or have qualifiers. */
static int named_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, type) ?
	       0 : -1;
}

static bool is_other_name(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return true;
	default:
		return false;
	}
}

int type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Die next;
	int depth;

	if (named_type(die, type))
		return -1;
	for (depth = 0; is_other_name(type); depth++) {
		if (depth == NESTING_MAX || named_type(type, &next))
			return -1;
		*type = next;
	}
	return 0;
}

static unsigned long encoding_of(Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;

	if (!dwarf_attr(type, DW_AT_encoding, &attr) || dwarf_formudata(&attr, &encoding))
		return 0;
	return encoding;
}

/* Return DW_ATE_signed, DW_ATE_unsigned, or 0 for other types. */
static unsigned long signedness(Dwarf_Die *type)
{
	Dwarf_Die underlying;

	if (dwarf_tag(type) == DW_TAG_enumeration_type && !encoding_of(type)) {
		if (type_of(type, &underlying))
			return 0;
		type = &underlying;
	}
	switch (encoding_of(type)) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return DW_ATE_signed;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_UTF:
		return DW_ATE_unsigned;
	default:
		return 0;
	}
}

static bool is_number(Dwarf_Die *type)
{
	int tag = dwarf_tag(type), size = dwarf_bytesize(type);

	if (tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type)
		return false;
	return (size == 1 || size == 2 || size == 4 || size == 8) && signedness(type);
}

static bool is_reference(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool type_is_integer(Dwarf_Die *type)
{
	return is_number(type) || is_reference(type) || dwarf_tag(type) == DW_TAG_pointer_type;
}

bool type_is_structure(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_class_type;
}

bool type_is_string(Dwarf_Die *type)
{
	const char *name;
	Dwarf_Die to;

	if (dwarf_tag(type) != DW_TAG_pointer_type || type_of(type, &to) ||
	    dwarf_tag(&to) != DW_TAG_base_type)
		return false;
	name = dwarf_diename(&to);
	return name && !strcmp(name, "char");
}

const char *type_fetch(Dwarf_Die *type, struct error *err)
{
	static const char *const names[2][9] = {
		{ [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" },
		{ [1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64" },
	};

	if (is_number(type))
		return names[signedness(type) == DW_ATE_signed][dwarf_bytesize(type)];
	if (dwarf_tag(type) == DW_TAG_pointer_type)
		return "x64";
	if (type_is_structure(type))
		error_set(err, "it is a structure or union; name a member of it");
	else if (dwarf_tag(type) == DW_TAG_array_type)
		error_set(err, "it is an array, which tracefs cannot fetch");
	else if (is_reference(type))
		error_set(err, "it is a reference; name a member by NAME->MEMBER");
	else
		error_set(err, "its type is neither a whole number nor a pointer");
	return NULL;
}

static char *name_of(Dwarf_Die *type, int depth)
{
	const char *name = dwarf_diename(type), *before = "", *behind = "";
	char *inner, *whole;
	Dwarf_Die next;

	switch (dwarf_tag(type)) {
	case DW_TAG_structure_type:
		before = "struct ";
		break;
	case DW_TAG_union_type:
		before = "union ";
		break;
	case DW_TAG_enumeration_type:
		before = "enum ";
		break;
	case DW_TAG_subroutine_type:
		return xstrdup("FUNCTION");
	case DW_TAG_const_type:
		before = "const ";
		break;
	case DW_TAG_volatile_type:
		before = "volatile ";
		break;
	case DW_TAG_pointer_type:
		behind = " *";
		break;
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		behind = " &";
		break;
	case DW_TAG_array_type:
		behind = " []";
		break;
	}
	if (name || type_is_structure(type) || dwarf_tag(type) == DW_TAG_enumeration_type)
		return xasprintf("%s%s", before, name ?: "{...}");
	if (!depth)
		return xstrdup("...");
	inner = named_type(type, &next) ? xstrdup("void") : name_of(&next, depth - 1);
	whole = xasprintf("%s%s%s", before, inner, behind);
	free(inner);
	return whole;
}

char *type_name(Dwarf_Die *variable)
{
	Dwarf_Die type;

	return named_type(variable, &type) ? xstrdup("void") : name_of(&type, NESTING_MAX);
}

static int member_offset(Dwarf_Die *member, bool in_union, long *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	*offset = 0;
	if (!dwarf_attr(member, DW_AT_data_member_location, &attr))
		return in_union ? 0 : -1;
	if (dwarf_formudata(&attr, &value) || value > INT_MAX)
		return -1;
	*offset = value;
	return 0;
}

static bool is_bit_field(Dwarf_Die *member)
{
	return dwarf_hasattr(member, DW_AT_bit_size) ||
	       dwarf_hasattr(member, DW_AT_data_bit_offset);
}

/* Return 1 if the member is found, 0 if not, -1 if it cannot be fetched. */
static int find_member(Dwarf_Die *type, const char *name, Dwarf_Die *member, long *offset,
		       int depth)
{
	bool in_union = dwarf_tag(type) == DW_TAG_union_type, more;
	struct child child;
	const char *other;
	Dwarf_Die inner;
	long start;
	int ret;

	for (more = child_first(&child, type); more; more = child_next(&child)) {
		if (dwarf_tag(&child.die) != DW_TAG_member)
			continue;
		other = dwarf_diename(&child.die);
		if (other && !strcmp(other, name)) {
			*member = child.die;
			return is_bit_field(member) || member_offset(member, in_union, offset) ?
			       -1 : 1;
		}
		if (other || !depth || type_of(&child.die, &inner) || !type_is_structure(&inner))
			continue;
		ret = find_member(&inner, name, member, offset, depth - 1);
		if (ret && member_offset(&child.die, in_union, &start))
			return -1;
		if (ret > 0)
			*offset += start;
		if (ret)
			return ret;
	}
	return 0;
}

int type_member(Dwarf_Die *type, const char *name, Dwarf_Die *member, long *offset,
		struct error *err)
{
	int ret;

	if (dwarf_hasattr(type, DW_AT_declaration)) {
		error_set(err, "this file does not have the members of its structure");
		return -1;
	}
	ret = find_member(type, name, member, offset, MEMBER_NESTING_MAX);
	if (ret > 0)
		return 0;
	if (ret < 0)
		error_set(err, "'%s' is a bit field, or has no fixed place", name);
	else
		error_set(err, "struct %s has no member '%s'", dwarf_diename(type) ?: "{...}",
			  name);
	return -1;
}
