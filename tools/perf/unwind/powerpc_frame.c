// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a powerpc function's frame and return address, by the call frame information of
 * its file.
 */
#include "call_frame.h"
#include "powerpc_frame.h"

#define STACK_POINTER 1

static enum return_address find_return_address(const struct frame_row *row)
{
	size_t i;

	for (i = 0; i < row->nr_rules; i++) {
		const struct frame_rule *rule = &row->rules[i];

		if (rule->target != row->return_register)
			continue;
		if (rule->kind != FRAME_IN_REGISTER)
			return RETURN_IN_MEMORY;
		return rule->base == row->return_register ? RETURN_IN_LR : RETURN_IN_REGISTER;
	}
	return RETURN_IN_LR;
}

bool dso_powerpc_frame(struct dso *dso, uint64_t addr, struct powerpc_frame *frame)
{
	const struct frame_row *row = dso_frame_row(dso, addr);

	if (!row || row->outermost)
		return false;
	frame->return_address = find_return_address(row);
	/* Until the frame is made, the CFA is the stack pointer. */
	frame->made = !(row->cfa.kind == FRAME_IN_REGISTER && row->cfa.base == STACK_POINTER &&
			!row->cfa.offset);
	return true;
}
