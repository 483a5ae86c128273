// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a powerpc function's frame and return address, by the call frame information of
 * its file.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "call_frame.h"
#include "powerpc_frame.h"

#define STACK_POINTER 1

/* Find the return address. Return false if the function has no return address. */
static bool find_return_address(Dwarf_Frame *rules, enum return_address *where)
{
	int column = dwarf_frame_info(rules, NULL, NULL, NULL);
	Dwarf_Op memory[3], *ops;
	size_t nr;

	if (column < 0 || dwarf_frame_register(rules, column, memory, &ops, &nr))
		return false;
	if (!nr) {
		*where = RETURN_IN_LR;
		return !ops;
	}
	*where = ops->atom == DW_OP_regx ? RETURN_IN_REGISTER : RETURN_IN_MEMORY;
	return true;
}

/* Find whether the function has made its frame. Until then, the CFA is its stack pointer. */
static bool find_whether_made(Dwarf_Frame *rules, bool *made)
{
	Dwarf_Op *ops;
	size_t nr;

	if (dwarf_frame_cfa(rules, &ops, &nr))
		return false;
	*made = !(nr == 1 && ops->atom == DW_OP_bregx && ops->number == STACK_POINTER &&
		  !ops->number2);
	return true;
}

bool dso_powerpc_frame(struct dso *dso, uint64_t addr, struct powerpc_frame *frame)
{
	Dwarf_Frame *rules = dso_frame(dso, addr);
	bool known = rules && find_return_address(rules, &frame->return_address) &&
		     find_whether_made(rules, &frame->made);

	free(rules);
	return known;
}
