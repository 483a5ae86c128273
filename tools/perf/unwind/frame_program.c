// SPDX-License-Identifier: GPL-2.0
/*
 * Executes the programs of call frame information.
 *
 * The programs may be damaged. Each operation takes at least a byte of the program, so that they
 * end, and their number has a limit.
 */
#include <dwarf.h>
#include <stdlib.h>

#include "util/util.h"
#include "frame_ops.h"
#include "frame_pointer.h"
#include "frame_program.h"

/* Maximum number of operations that are executed for a row. */
#define OPERATIONS_MAX 16384

/* Maximum depth of DW_CFA_remember_state. Compilers use 1. */
#define REMEMBER_DEPTH 8

/* An operation with its operand in the lower 6 bits. */
#define OPERATION_MASK	0xc0
#define OPERAND_MASK	0x3f

/* A place where a value of the caller is. */
enum place_kind {
	PLACE_UNCHANGED,		/* no operation has named the register */
	PLACE_LOST,
	PLACE_REGISTER,			/* register @base plus @offset */
	PLACE_AT_CFA,			/* in memory, at the CFA plus @offset */
	PLACE_CFA,			/* the CFA plus @offset */
	PLACE_AT_EXPRESSION,		/* in memory, at the result of @block */
	PLACE_EXPRESSION,		/* the result of @block */
};

/**
 * struct place - the place of a value
 * @kind: enum place_kind
 * @base: number of a register
 * @offset: distance in bytes, or the number of bytes in @block
 * @block: expression
 */
struct place {
	uint8_t kind;
	uint8_t base;
	int64_t offset;
	const uint8_t *block;
};

/* The places at an instruction. */
struct places {
	struct place cfa;
	struct place registers[FRAME_REGISTERS];
};

/**
 * struct execution - the execution of the programs of a function
 * @function: function
 * @bytes: rest of the program
 * @addr: address of the instruction that rules are wanted for
 * @at: address that the program has come to
 * @operations: number of operations so far
 * @nr_registers: number of registers in use
 * @now: places at @at
 * @initial: places after the program of the CIE
 * @remembered: places of DW_CFA_remember_state
 * @nr_remembered: number of @remembered
 */
struct execution {
	const struct frame_function *function;
	struct frame_bytes bytes;
	uint64_t addr;
	uint64_t at;
	unsigned int operations;
	unsigned int nr_registers;
	struct places now;
	struct places initial;
	struct places remembered[REMEMBER_DEPTH];
	unsigned int nr_remembered;
};

/* Set the place of a register. Registers that are not in use, such as vectors, are ignored. */
static bool set(struct execution *e, uint64_t number, struct place place)
{
	if (number < e->nr_registers)
		e->now.registers[number] = place;
	return true;
}

static bool set_kind(struct execution *e, uint64_t number, enum place_kind kind, int64_t offset)
{
	return set(e, number, (struct place){ .kind = kind, .offset = offset });
}

static bool set_register(struct execution *e, uint64_t number, uint64_t base)
{
	if (base >= e->nr_registers)
		return set_kind(e, number, PLACE_LOST, 0);
	return set(e, number, (struct place){ .kind = PLACE_REGISTER, .base = base });
}

static bool restore(struct execution *e, uint64_t number)
{
	if (number < e->nr_registers)
		e->now.registers[number] = e->initial.registers[number];
	return true;
}

static bool set_cfa(struct execution *e, uint64_t base, int64_t offset)
{
	if (base >= e->nr_registers)
		return false;
	e->now.cfa = (struct place){ .kind = PLACE_REGISTER, .base = base, .offset = offset };
	return true;
}

/* Change the offset of the CFA, or its register, which it must have. */
static bool change_cfa_offset(struct execution *e, int64_t offset)
{
	return e->now.cfa.kind == PLACE_REGISTER && set_cfa(e, e->now.cfa.base, offset);
}

static bool change_cfa_register(struct execution *e, uint64_t base)
{
	return e->now.cfa.kind == PLACE_REGISTER && set_cfa(e, base, e->now.cfa.offset);
}

static bool read_block(struct execution *e, enum place_kind kind, struct place *place)
{
	uint64_t size = frame_bytes_uleb128(&e->bytes);

	*place = (struct place){ .kind = kind, .offset = size };
	place->block = frame_bytes_take(&e->bytes, size);
	return place->block;
}

static bool set_block(struct execution *e, enum place_kind kind)
{
	uint64_t number = frame_bytes_uleb128(&e->bytes);
	struct place place;

	return read_block(e, kind, &place) && set(e, number, place);
}

static bool remember(struct execution *e)
{
	if (e->nr_remembered == REMEMBER_DEPTH)
		return false;
	e->remembered[e->nr_remembered++] = e->now;
	return true;
}

static bool recall(struct execution *e)
{
	if (!e->nr_remembered)
		return false;
	e->now = e->remembered[--e->nr_remembered];
	return true;
}

static bool advance(struct execution *e, uint64_t delta)
{
	uint64_t more;

	return !__builtin_mul_overflow(delta, e->function->code_align, &more) &&
	       !__builtin_add_overflow(e->at, more, &e->at);
}

/* Return @number, a factored offset from the CFA, in bytes. */
static int64_t factored(const struct execution *e, uint64_t number)
{
	return number * (uint64_t)e->function->data_align;
}

static uint64_t uleb128(struct execution *e)
{
	return frame_bytes_uleb128(&e->bytes);
}

static int64_t factored_sleb128(struct execution *e)
{
	return factored(e, frame_bytes_sleb128(&e->bytes));
}

/* Execute an operation that sets the CFA. Return false if @op does not set it. */
static bool execute_cfa(struct execution *e, uint8_t op)
{
	uint64_t number;

	switch (op) {
	case DW_CFA_def_cfa:
		number = uleb128(e);
		return set_cfa(e, number, uleb128(e));
	case DW_CFA_def_cfa_sf:
		number = uleb128(e);
		return set_cfa(e, number, factored_sleb128(e));
	case DW_CFA_def_cfa_register:
		return change_cfa_register(e, uleb128(e));
	case DW_CFA_def_cfa_offset:
		return change_cfa_offset(e, uleb128(e));
	case DW_CFA_def_cfa_offset_sf:
		return change_cfa_offset(e, factored_sleb128(e));
	case DW_CFA_def_cfa_expression:
		return read_block(e, PLACE_EXPRESSION, &e->now.cfa);
	default:
		return false;
	}
}

/* Execute an operation that sets the place of a register. Return false if @op sets no register. */
static bool execute_register(struct execution *e, uint8_t op)
{
	uint64_t number;

	switch (op) {
	case DW_CFA_offset_extended:
		number = uleb128(e);
		return set_kind(e, number, PLACE_AT_CFA, factored(e, uleb128(e)));
	case DW_CFA_offset_extended_sf:
		number = uleb128(e);
		return set_kind(e, number, PLACE_AT_CFA, factored_sleb128(e));
	case DW_CFA_GNU_negative_offset_extended:
		number = uleb128(e);
		return set_kind(e, number, PLACE_AT_CFA, -(uint64_t)factored(e, uleb128(e)));
	case DW_CFA_val_offset:
		number = uleb128(e);
		return set_kind(e, number, PLACE_CFA, factored(e, uleb128(e)));
	case DW_CFA_val_offset_sf:
		number = uleb128(e);
		return set_kind(e, number, PLACE_CFA, factored_sleb128(e));
	case DW_CFA_restore_extended:
		return restore(e, uleb128(e));
	case DW_CFA_undefined:
		return set_kind(e, uleb128(e), PLACE_LOST, 0);
	case DW_CFA_same_value:
		number = uleb128(e);
		return set_register(e, number, number);
	case DW_CFA_register:
		number = uleb128(e);
		return set_register(e, number, uleb128(e));
	case DW_CFA_expression:
		return set_block(e, PLACE_AT_EXPRESSION);
	case DW_CFA_val_expression:
		return set_block(e, PLACE_EXPRESSION);
	default:
		return execute_cfa(e, op);
	}
}

static bool execute_extended(struct execution *e, uint8_t op)
{
	const struct frame_function *function = e->function;

	switch (op) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_set_loc:
		/*
		 * Refuse a relative address: no compiler uses one, and its base is not known here.
		 */
		return frame_pointer_read(&e->bytes, function->encoding & 0x0f, function->word, 0,
					  &e->at) && !(function->encoding & 0x70);
	case DW_CFA_advance_loc1:
		return advance(e, frame_bytes_number(&e->bytes, 1));
	case DW_CFA_advance_loc2:
		return advance(e, frame_bytes_number(&e->bytes, 2));
	case DW_CFA_advance_loc4:
		return advance(e, frame_bytes_number(&e->bytes, 4));
	case DW_CFA_remember_state:
		return remember(e);
	case DW_CFA_restore_state:
		return recall(e);
	case DW_CFA_GNU_args_size:
		/* The size of pushed arguments matters to exceptions only. */
		uleb128(e);
		return true;
	default:
		return execute_register(e, op);
	}
}

static bool execute(struct execution *e)
{
	uint8_t op = frame_bytes_number(&e->bytes, 1), operand = op & OPERAND_MASK;

	switch (op & OPERATION_MASK) {
	case DW_CFA_advance_loc:
		return advance(e, operand);
	case DW_CFA_offset:
		return set_kind(e, operand, PLACE_AT_CFA, factored(e, uleb128(e)));
	case DW_CFA_restore:
		return restore(e, operand);
	default:
		return execute_extended(e, op);
	}
}

/* Execute a program until it has passed the wanted instruction. */
static bool execute_all(struct execution *e, const struct frame_bytes *program)
{
	e->bytes = *program;
	while (frame_bytes_left(&e->bytes) && e->at <= e->addr) {
		if (e->operations++ == OPERATIONS_MAX || !execute(e) || e->bytes.failed)
			return false;
	}
	return true;
}

static bool set_rule(struct frame_rule *rule, const struct place *place, unsigned int word)
{
	rule->base = place->base;
	rule->offset = place->offset;
	switch (place->kind) {
	case PLACE_LOST:
		rule->kind = FRAME_LOST;
		return true;
	case PLACE_REGISTER:
		rule->kind = FRAME_IN_REGISTER;
		return true;
	case PLACE_AT_CFA:
		rule->kind = FRAME_AT_CFA;
		return true;
	case PLACE_CFA:
		rule->kind = FRAME_CFA;
		return true;
	case PLACE_AT_EXPRESSION:
		rule->kind = FRAME_AT_EXPRESSION;
		return frame_ops_read(rule, place->block, place->offset, word, true);
	case PLACE_EXPRESSION:
		rule->kind = FRAME_EXPRESSION;
		return frame_ops_read(rule, place->block, place->offset, word, true);
	default:
		return false;
	}
}

/* Set the rule for the CFA, whose own expression does not begin with the CFA on the stack. */
static bool set_cfa_rule(struct frame_rule *rule, const struct place *place, unsigned int word)
{
	if (place->kind != PLACE_EXPRESSION)
		return set_rule(rule, place, word);
	rule->kind = FRAME_EXPRESSION;
	return frame_ops_read(rule, place->block, place->offset, word, false);
}

static struct frame_row *make_row(const struct execution *e)
{
	const struct frame_function *function = e->function;
	struct frame_row *row;
	size_t i, nr = 0;

	for (i = 0; i < e->nr_registers; i++)
		nr += e->now.registers[i].kind != PLACE_UNCHANGED;
	row = xcalloc(1, sizeof(*row) + nr * sizeof(row->rules[0]));
	row->signal = function->signal;
	row->return_register = function->return_register;
	row->outermost = e->now.registers[row->return_register].kind == PLACE_LOST;
	row->known = set_cfa_rule(&row->cfa, &e->now.cfa, function->word);
	for (i = 0; i < e->nr_registers; i++) {
		const struct place *place = &e->now.registers[i];
		struct frame_rule *rule = &row->rules[row->nr_rules];

		if (place->kind == PLACE_UNCHANGED)
			continue;
		/* A register whose expression cannot be evaluated is lost. */
		if (!set_rule(rule, place, function->word))
			rule->kind = FRAME_LOST;
		rule->target = i;
		row->nr_rules++;
	}
	return row;
}

struct frame_row *frame_program_row(const struct frame_function *function, uint64_t addr,
				    unsigned int nr_registers)
{
	struct execution e;

	if (function->return_register >= nr_registers)
		return NULL;
	e.function = function;
	e.addr = addr;
	e.at = function->start;
	e.operations = 0;
	e.nr_registers = nr_registers;
	e.nr_remembered = 0;
	memset(&e.now, 0, sizeof(e.now));
	memset(&e.initial, 0, sizeof(e.initial));
	if (!execute_all(&e, &function->common))
		return NULL;
	e.initial = e.now;
	if (!execute_all(&e, &function->own))
		return NULL;
	return make_row(&e);
}
