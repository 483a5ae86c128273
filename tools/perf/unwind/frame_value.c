// SPDX-License-Identifier: GPL-2.0
/*
 * Evaluates rules of call frame information. Expressions are those of the DWARF standard,
 * version 5, section 2.5; the PLT, signal trampolines and functions that align their stack use
 * them.
 */
#include <dwarf.h>
#include <string.h>

#include "frame_value.h"

/* Maximum number of values on the stack of an expression. */
#define EXPRESSION_DEPTH 32
/* Maximum number of operations that are executed for an expression. */
#define EXPRESSION_STEPS 1000

/**
 * struct expression - an expression that is being evaluated
 * @unwind: frame that has registers and memory
 * @cfa: canonical frame address
 * @values: stack of the expression
 * @nr: number of @values
 * @missed: address of memory that was needed and not recorded, or 0
 */
struct expression {
	const struct unwind *unwind;
	uint64_t cfa;
	uint64_t values[EXPRESSION_DEPTH];
	unsigned int nr;
	uint64_t missed;
};

/* Truncate a value to the size of the machine's addresses. */
static uint64_t address(const struct unwind *unwind, uint64_t value)
{
	return unwind->word == 4 ? (uint32_t)value : value;
}

bool frame_memory(const struct unwind *unwind, uint64_t addr, uint64_t *value)
{
	uint64_t at = addr - unwind->stack_start;

	if (at > unwind->stack_size || unwind->stack_size - at < unwind->word)
		return false;
	/* Recordings of the other byte order are refused when they are opened. */
	if (unwind->word == 4) {
		uint32_t word;

		memcpy(&word, unwind->stack + at, sizeof(word));
		*value = word;
	} else {
		memcpy(value, unwind->stack + at, sizeof(*value));
	}
	return true;
}

static bool push(struct expression *e, uint64_t value)
{
	if (e->nr == EXPRESSION_DEPTH)
		return false;
	e->values[e->nr++] = value;
	return true;
}

static bool push_register(struct expression *e, uint64_t number, uint64_t offset)
{
	if (number >= FRAME_REGISTERS || !e->unwind->known[number])
		return false;
	return push(e, e->unwind->registers[number] + offset);
}

/* Push a copy of the value that is @depth below the top. */
static bool pick(struct expression *e, unsigned int depth)
{
	return depth < e->nr && push(e, e->values[e->nr - 1 - depth]);
}

static bool load(struct expression *e)
{
	uint64_t *top = &e->values[e->nr - 1], addr;

	if (!e->nr)
		return false;
	addr = address(e->unwind, *top);
	if (frame_memory(e->unwind, addr, top))
		return true;
	e->missed = addr;
	return false;
}

/* Do an operation that ignores the signs of its operands. @b was on top. */
static bool calculate(unsigned int op, uint64_t a, uint64_t b, uint64_t *result)
{
	switch (op) {
	case DW_OP_and:
		*result = a & b;
		return true;
	case DW_OP_or:
		*result = a | b;
		return true;
	case DW_OP_xor:
		*result = a ^ b;
		return true;
	case DW_OP_plus:
		*result = a + b;
		return true;
	case DW_OP_minus:
		*result = a - b;
		return true;
	case DW_OP_mul:
		*result = a * b;
		return true;
	case DW_OP_shl:
		*result = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*result = b < 64 ? a >> b : 0;
		return true;
	default:
		return false;
	}
}

/* Do an operation on signed operands. @b was on top. */
static bool compare(unsigned int op, int64_t a, int64_t b, uint64_t *result)
{
	switch (op) {
	case DW_OP_shra:
		*result = a >> (b >= 0 && b < 63 ? b : 63);
		return true;
	case DW_OP_eq:
		*result = a == b;
		return true;
	case DW_OP_ne:
		*result = a != b;
		return true;
	case DW_OP_ge:
		*result = a >= b;
		return true;
	case DW_OP_gt:
		*result = a > b;
		return true;
	case DW_OP_le:
		*result = a <= b;
		return true;
	case DW_OP_lt:
		*result = a < b;
		return true;
	default:
		return false;
	}
}

static bool compute(struct expression *e, unsigned int op)
{
	uint64_t a, b, result;

	if (e->nr < 2)
		return false;
	a = e->values[e->nr - 2];
	b = e->values[e->nr - 1];
	if (!calculate(op, a, b, &result) && !compare(op, a, b, &result))
		return false;
	e->values[--e->nr - 1] = result;
	return true;
}

static bool swap(struct expression *e)
{
	uint64_t *top = &e->values[e->nr - 1], below;

	if (e->nr < 2)
		return false;
	below = top[-1];
	top[-1] = top[0];
	top[0] = below;
	return true;
}

static bool change_top(struct expression *e, const Dwarf_Op *op)
{
	uint64_t *top = &e->values[e->nr - 1];

	if (!e->nr)
		return false;
	switch (op->atom) {
	case DW_OP_plus_uconst:
		*top += op->number;
		return true;
	case DW_OP_neg:
		*top = -*top;
		return true;
	case DW_OP_not:
		*top = ~*top;
		return true;
	case DW_OP_abs:
		*top = (int64_t)*top < 0 ? -*top : *top;
		return true;
	default:
		return false;
	}
}

static bool execute(struct expression *e, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(e, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(e, op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return push_register(e, op->number, op->number2);
	case DW_OP_addr:
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		/* libdw has extended the signs. */
		return push(e, op->number);
	case DW_OP_call_frame_cfa:
		return push(e, e->cfa);
	case DW_OP_deref:
		return load(e);
	case DW_OP_dup:
		return pick(e, 0);
	case DW_OP_over:
		return pick(e, 1);
	case DW_OP_pick:
		return op->number < EXPRESSION_DEPTH && pick(e, op->number);
	case DW_OP_drop:
		if (!e->nr)
			return false;
		e->nr--;
		return true;
	case DW_OP_swap:
		return swap(e);
	case DW_OP_nop:
		return true;
	default:
		return change_top(e, op) || compute(e, op->atom);
	}
}

/*
 * Set @i to the index of the operation that the branch at @i leads to. Return false if there is
 * none.
 */
static bool branch(const struct frame_rule *rule, uint32_t *i)
{
	const Dwarf_Op *op = &rule->ops[*i];
		/* The offset counts from the next operation, which is 3 bytes after this one. */
	uint64_t target = op->offset + 3 + (int16_t)op->number;
	uint32_t k;

	for (k = 0; k < rule->nr_ops; k++) {
		if (rule->ops[k].offset == target) {
			*i = k;
			return true;
		}
	}
	return false;
}

/*
 * Execute the operation at @i and set @i to the next one. Return false if the expression is
 * invalid.
 */
static bool step(struct expression *e, const struct frame_rule *rule, uint32_t *i)
{
	const Dwarf_Op *op = &rule->ops[*i];

	switch (op->atom) {
	case DW_OP_skip:
		return branch(rule, i);
	case DW_OP_bra:
		if (!e->nr)
			return false;
		if (e->values[--e->nr])
			return branch(rule, i);
		break;
	default:
		if (!execute(e, op))
			return false;
	}
	(*i)++;
	return true;
}

static bool evaluate(const struct unwind *unwind, const struct frame_rule *rule, uint64_t cfa,
		     uint64_t *value, uint64_t *missed)
{
	struct expression e = { .unwind = unwind, .cfa = cfa };
	unsigned int steps = 0;
	uint32_t i = 0;
	bool ok = true;

	/* Rules for registers begin with the CFA, which an operation of libdw pushes. */
	while (ok && i < rule->nr_ops)
		ok = steps++ < EXPRESSION_STEPS && step(&e, rule, &i);
	if (missed)
		*missed = e.missed;
	if (!ok || !e.nr)
		return false;
	*value = e.values[e.nr - 1];
	return true;
}

bool frame_value(const struct unwind *unwind, const struct frame_rule *rule, uint64_t cfa,
		 uint64_t *value, uint64_t *missed)
{
	uint64_t at = address(unwind, cfa + rule->offset);
	bool in_memory = false;

	if (missed)
		*missed = 0;
	switch (rule->kind) {
	case FRAME_IN_REGISTER:
		if (!unwind->known[rule->base])
			return false;
		*value = unwind->registers[rule->base] + rule->offset;
		break;
	case FRAME_CFA:
		*value = cfa + rule->offset;
		break;
	case FRAME_AT_CFA:
		in_memory = true;
		break;
	case FRAME_AT_EXPRESSION:
		in_memory = true;
		if (!evaluate(unwind, rule, cfa, &at, missed))
			return false;
		at = address(unwind, at);
		break;
	case FRAME_EXPRESSION:
		if (!evaluate(unwind, rule, cfa, value, missed))
			return false;
		break;
	default:
		return false;
	}
	if (in_memory && !frame_memory(unwind, at, value)) {
		if (missed)
			*missed = at;
		return false;
	}
	*value = address(unwind, *value);
	return true;
}
