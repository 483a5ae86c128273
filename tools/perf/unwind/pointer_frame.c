// SPDX-License-Identifier: GPL-2.0
/*
 * The value of the frame pointer in an x86 function, by the call frame information of its file.
 */
#include <dwarf.h>

#include "frame_code.h"
#include "pointer_frame.h"

/* Distance in bytes from the first push of a function up to which it may set its frame pointer. */
#define PROLOGUE_SIZE 16

/* DWARF's numbers of registers, and the size of a word; see stack_walk.c. */
struct pointer_abi {
	unsigned int return_register;
	unsigned int stack_pointer;
	unsigned int frame_pointer;
	int64_t word;
};

static const struct pointer_abi abis[] = {
	{ .return_register = 16, .stack_pointer = 7, .frame_pointer = 6, .word = 8 },
	{ .return_register = 8, .stack_pointer = 4, .frame_pointer = 5, .word = 4 },
};

static const struct pointer_abi *find_abi(const struct frame_row *row)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(abis); i++) {
		if (row->return_register == abis[i].return_register)
			return &abis[i];
	}
	return NULL;
}

/* Return the rule for the caller's frame pointer; NULL if its value is that of the function. */
static const struct frame_rule *find_rule(const struct frame_row *row, unsigned int number)
{
	size_t i;

	for (i = 0; i < row->nr_rules; i++) {
		if (row->rules[i].target == number)
			return &row->rules[i];
	}
	return NULL;
}

/* Return true if the frame pointer has the address of the frame: the two words below the CFA. */
static bool is_set(const struct frame_row *row, const struct pointer_abi *abi)
{
	return row->cfa.kind == FRAME_IN_REGISTER && row->cfa.base == abi->frame_pointer &&
	       row->cfa.offset == 2 * abi->word;
}

/*
 * Return true if the function, which has just pushed the frame pointer, is about to set it. Only a
 * function that keeps a frame pointer finds its CFA by it. The table of rows may be dropped here.
 */
static bool is_set_soon(struct dso *dso, uint64_t addr, const struct pointer_abi *abi)
{
	const struct frame_row *row;
	unsigned int i;

	for (i = 1; i <= PROLOGUE_SIZE; i++) {
		row = dso_frame_own_row(dso, addr + i);
		if (!row || !row->known)
			return false;
		if (is_set(row, abi))
			return true;
	}
	return false;
}

/*
 * Return true if a rule is "in memory, at the address that the frame pointer has". Expressions of
 * rules begin with the CFA on their stack.
 */
static bool is_at_pointer(const struct frame_rule *rule, const struct pointer_abi *abi)
{
	const Dwarf_Op *op = rule->ops;
	size_t nr = rule->nr_ops;

	if (rule->kind != FRAME_AT_EXPRESSION)
		return false;
	if (nr == 2 && op->atom == DW_OP_call_frame_cfa) {
		op++;
		nr--;
	}
	return nr == 1 && op->atom == DW_OP_breg0 + abi->frame_pointer && !op->number;
}

/*
 * Find the value where the caller's frame pointer has been saved, at the CFA plus @rule->offset.
 * Where that is below the stack pointer, and only the rest of an epilogue follows, it has been
 * restored.
 */
static enum pointer_frame of_saved(struct dso *dso, uint64_t addr, struct frame_row *row,
				   const struct pointer_abi *abi, int64_t saved)
{
	if (row->cfa.kind != FRAME_IN_REGISTER)
		return POINTER_UNKNOWN;
	if (row->cfa.base == abi->frame_pointer)
		return POINTER_OTHER;
	if (row->cfa.base != abi->stack_pointer)
		return POINTER_UNKNOWN;
	if (row->cfa.offset + saved < 0)
		return dso_is_epilogue(dso, row, addr) ? POINTER_CALLERS : POINTER_OTHER;
	if (row->cfa.offset == 2 * abi->word && saved == -2 * abi->word &&
	    is_set_soon(dso, addr, abi))
		return POINTER_CALLERS;
	return POINTER_OTHER;
}

static enum pointer_frame find_value(struct dso *dso, uint64_t addr, struct frame_row *row)
{
	const struct pointer_abi *abi;
	const struct frame_rule *rule;

	if (!row->known)
		return POINTER_UNKNOWN;
	if (row->signal)
		return POINTER_SIGNAL;
	if (row->outermost)
		return POINTER_OUTERMOST;
	abi = find_abi(row);
	if (!abi)
		return POINTER_UNKNOWN;
	if (is_set(row, abi))
		return POINTER_OWN;
	rule = find_rule(row, abi->frame_pointer);
	if (!rule || (rule->kind == FRAME_IN_REGISTER && rule->base == abi->frame_pointer &&
		      !rule->offset))
		return row->cfa.kind == FRAME_IN_REGISTER &&
		       row->cfa.base == abi->frame_pointer ? POINTER_OTHER : POINTER_CALLERS;
	if (is_at_pointer(rule, abi))
		return POINTER_OWN;
	return rule->kind == FRAME_AT_CFA ? of_saved(dso, addr, row, abi, rule->offset) :
					    POINTER_UNKNOWN;
}

static enum pointer_frame look_up(struct dso *dso, uint64_t addr)
{
	struct frame_row *row = dso_frame_own_row(dso, addr);
	enum pointer_frame value;

	if (!row)
		return POINTER_UNKNOWN;
	if (row->pointer_known)
		return row->pointer;
	value = find_value(dso, addr, row);
	/* The row may have been dropped, and be one that only the debug file has. */
	row = dso_frame_own_row(dso, addr);
	if (row) {
		row->pointer = value;
		row->pointer_known = true;
	}
	return value;
}

enum pointer_frame dso_pointer_frame(struct dso *dso, uint64_t addr, bool is_return)
{
	enum pointer_frame value = look_up(dso, addr - is_return);

	/* The kernel calls a signal handler as if by the instruction before the trampoline. */
	if (value == POINTER_UNKNOWN && is_return && look_up(dso, addr) == POINTER_SIGNAL)
		return POINTER_SIGNAL;
	return value;
}
