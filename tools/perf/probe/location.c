// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the register or memory of a variable.
 *
 * Debug information has a list of address ranges with a place for each, or a single place. A single
 * place is valid only after the function's prologue; at the first instruction, the ABI tells where
 * parameters are. A single place that is a register is never used, because compilers that write no
 * lists use the register for other values as soon as the variable is not needed any more.
 */
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "abi_register.h"
#include "location.h"

#define BP 6
#define SP 7

/* The sum of a register and an offset in bytes. */
struct address {
	unsigned int reg;
	long offset;
};

/* Return true if the attribute has a single place, not a list. */
static bool is_single(Dwarf_Attribute *attr)
{
	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return true;
	default:
		return false;
	}
}

static int address_of_op(const Dwarf_Op *op, struct address *address)
{
	if (op->atom == DW_OP_bregx) {
		*address = (struct address){ op->number, op->number2 };
		return 0;
	}
	if (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31)
		return -1;
	*address = (struct address){ op->atom - DW_OP_breg0, op->number };
	return 0;
}

/* Find the canonical frame address at @pc in one of the call frame tables. */
static int frame_address_by(Dwarf_CFI *cfi, Dwarf_Addr pc, struct address *address)
{
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t nr;
	int ret;

	if (!cfi || dwarf_cfi_addrframe(cfi, pc, &frame))
		return -1;
	ret = dwarf_frame_cfa(frame, &ops, &nr) || nr != 1 || address_of_op(ops, address);
	free(frame);
	return ret ? -1 : 0;
}

static int frame_address(const struct place *p, struct address *address)
{
	Dwarf_Addr addr = p->addr + p->binary->file.bias, bias;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(p->binary->file.module, &bias);

	if (!frame_address_by(cfi, addr - bias, address))
		return 0;
	cfi = dwfl_module_dwarf_cfi(p->binary->file.module, &bias);
	return frame_address_by(cfi, addr - bias, address);
}

/*
 * Find the address that offsets in the frame are relative to. If the function has a single frame
 * base that is a register, call frame information must confirm it.
 */
static int frame_base(const struct place *p, struct address *base)
{
	Dwarf_Die function = p->scopes.dies[0];
	struct address frame;
	Dwarf_Attribute attr;
	size_t length;
	Dwarf_Op *ops;

	if (!dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, p->pc, &ops, &length, 1) != 1 || length != 1)
		return -1;
	if (ops->atom == DW_OP_call_frame_cfa)
		return frame_address(p, base);
	if (ops->atom == DW_OP_reg6)
		*base = (struct address){ BP, 0 };
	else if (address_of_op(ops, base))
		return -1;
	if (!is_single(&attr))
		return base->reg == BP || base->reg == SP ? 0 : -1;
	return base->reg == BP && !frame_address(p, &frame) && frame.reg == BP ? 0 : -1;
}

static int in_memory(struct value_location *location, const struct address *address, long offset,
		     struct error *err)
{
	const char *reg = abi_register_name(address->reg);

	if (!reg) {
		error_set(err, "its address is in a register that tracefs does not know");
		return -1;
	}
	*location = (struct value_location){
		.in_memory = true, .base = xasprintf("%%%s", reg),
		.offset = address->offset + offset,
	};
	return 0;
}

static int in_register(struct value_location *location, unsigned int number, struct error *err)
{
	const char *reg = abi_register_name(number);

	if (!reg) {
		error_set(err, "it is in a register that tracefs does not know");
		return -1;
	}
	*location = (struct value_location){ .base = xasprintf("%%%s", reg) };
	return 0;
}

static int of_expression(struct value_location *location, const struct place *p, const Dwarf_Op *op,
			 struct error *err)
{
	struct address address;

	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return in_register(location, op->atom - DW_OP_reg0, err);
	if (op->atom == DW_OP_fbreg) {
		if (!frame_base(p, &address))
			return in_memory(location, &address, op->number, err);
		error_set(err, "debug information does not tell reliably where the frame is here");
		return -1;
	}
	if (!address_of_op(op, &address))
		return in_memory(location, &address, 0, err);
	if (op->atom == DW_OP_addr)
		error_set(err, "it is a global or static variable, which is not fetched");
	else
		error_set(err, "it is neither in a register nor in the function's frame");
	return -1;
}

/*
 * Return true if the code was compiled with optimization. gcc records its options; with other
 * compilers only hints are found.
 */
static bool says_optimized(Dwarf_Die *cu, Dwarf_Die *function)
{
	Dwarf_Attribute attr;
	const char *producer = dwarf_formstring(dwarf_attr(cu, DW_AT_producer, &attr));
	bool optimized = false;

	if (!producer || strncmp(producer, "GNU ", 4))
		return dwarf_hasattr(function, DW_AT_call_all_calls) ||
		       dwarf_hasattr(function, DW_AT_GNU_all_call_sites);
		/* The last -O counts. */
	while ((producer = strstr(producer, " -O"))) {
		producer += 3;
		optimized = *producer != '0';
	}
	return optimized;
}

/*
 * Return true if the function was optimized. A store to memory may then happen later than its line.
 */
static bool is_optimized(const struct place *p)
{
	Dwarf_Die function = p->scopes.dies[0], cu = p->scopes.cu;
	Dwarf_Attribute attr;
	struct child child;
	bool more;

	if (says_optimized(&cu, &function))
		return true;
	for (more = child_first(&child, &function); more; more = child_next(&child)) {
		if (dwarf_attr(&child.die, DW_AT_location, &attr) && !is_single(&attr))
			return true;
	}
	return false;
}

/*
 * Check that the only known place of a variable is valid at the probe, and set @err if it is not.
 * It is not valid in the prologue, if the place is a register, or if optimized code may write the
 * variable later.
 */
static int check_single(const struct place *p, const Dwarf_Op *op, struct error *err)
{
	if (p->in_prologue)
		error_set(err, "the function has not stored it yet here; use FUNCTION or a later line");
	else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		error_set(err, "its register may have another value by now; use %s",
			  "the function's beginning, or compile with -O0 or -O2");
	else if (is_optimized(p))
		error_set(err, "it is in memory, which optimized code may write later; use %s",
			  "the function's beginning, or compile with -O0");
	else
		return 0;
	return -1;
}

static int refuse_optimized(struct error *err)
{
	error_set(err, "it has been optimized out here");
	return -1;
}

int location_find(struct value_location *location, const struct place *place, Dwarf_Die *variable,
		  struct error *err)
{
	Dwarf_Attribute attr;
	size_t length;
	Dwarf_Op *ops;
	bool single;
	int nr;

	*location = (struct value_location){ 0 };
	if (!dwarf_attr(variable, DW_AT_location, &attr))
		return refuse_optimized(err);
	single = is_single(&attr);
	nr = dwarf_getlocation_addr(&attr, place->pc, &ops, &length, 1);
	if (nr != 1 || !length)
		return refuse_optimized(err);
	if (length != 1) {
		error_set(err, "it is in several registers or places");
		return -1;
	}
	if (single && ops->atom != DW_OP_addr) {
		if (place->at_entry)
			return abi_register_find(&location->base, place, variable, err);
		if (check_single(place, ops, err))
			return -1;
	}
	return of_expression(location, place, ops, err);
}

char *location_fetch(const struct value_location *location)
{
	return location->in_memory ? xasprintf("%+ld(%s)", location->offset, location->base) :
				     xstrdup(location->base);
}
