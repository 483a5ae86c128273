// SPDX-License-Identifier: GPL-2.0
/*
 * Values of call frame information: rules, expressions, and invalid ones.
 */
#include <dwarf.h>

#include "unwind/frame_value.h"
#include "unit.h"

#define CFA 0x7000

static uint64_t words[4] = { 0x11, 0x22, 0x8000000000000033, 0x44 };
static struct unwind unwind = {
	.word = 8, .stack_pointer = 7, .stack = (unsigned char *)words,
	.stack_size = sizeof(words), .stack_start = 0x1000,
	.registers = { [3] = 0x1008, [7] = 0x1000, [16] = 0x40100b },
	.known = { [3] = true, [7] = true, [16] = true },
};

static const uint64_t no_value = 0xdead;

/* Return the value of a rule; no_value if it has none. */
static uint64_t value_of(const struct frame_rule *rule, uint64_t *missed)
{
	uint64_t value = 0;

	return frame_value(&unwind, rule, CFA, &value, missed) ? value : no_value;
}

/* A rule under test; @missed is the address of the memory that it lacks. */
#define CHECK_RULE(what, expected, ...) do {					\
	const struct frame_rule rule = { __VA_ARGS__ };				\
	check_number(value_of(&rule, &missed), expected, what);			\
} while (0)

static void check_ops(const char *what, uint64_t expected, const Dwarf_Op *ops, size_t nr)
{
	const struct frame_rule rule = {
		.kind = FRAME_EXPRESSION, .nr_ops = nr, .ops = (Dwarf_Op *)ops,
	};
	uint64_t missed;

	check_number(value_of(&rule, &missed), expected, what);
}

#define CHECK_OPS(what, expected, ...) \
	check_ops(what, expected, (const Dwarf_Op[]){ __VA_ARGS__ }, \
		  ARRAY_SIZE(((const Dwarf_Op[]){ __VA_ARGS__ })))

static void test_rules(void)
{
	uint64_t missed;

	CHECK_RULE("register and offset", 0x1000, .kind = FRAME_IN_REGISTER, .base = 3,
		   .offset = -8);
	CHECK_RULE("a register that is not known", no_value, .kind = FRAME_IN_REGISTER, .base = 4);
	CHECK_RULE("the CFA and an offset", CFA + 16, .kind = FRAME_CFA, .offset = 16);
	CHECK_RULE("memory at the CFA", 0x22, .kind = FRAME_AT_CFA, .offset = 0x1008 - CFA);
	CHECK_RULE("memory that was recorded in part", no_value, .kind = FRAME_AT_CFA,
		   .offset = 0x1019 - CFA);
	check_number(missed, 0x1019, "the missing address is returned");
	CHECK_RULE("memory below the stack", no_value, .kind = FRAME_AT_CFA,
		   .offset = 0xff8 - CFA);
	CHECK_RULE("a value that is lost", no_value, .kind = FRAME_LOST);
}

static void test_expressions(void)
{
	/* ld's expression for the CFA in a PLT adds 8 from the 11th of every 16 bytes on. */
	CHECK_OPS("the CFA in a PLT", 0x1010, { DW_OP_breg7, 8, 0, 0 }, { DW_OP_breg16, 0, 0, 2 },
		  { DW_OP_lit15, 0, 0, 4 }, { DW_OP_and, 0, 0, 5 }, { DW_OP_lit11, 0, 0, 6 },
		  { DW_OP_ge, 0, 0, 7 }, { DW_OP_lit3, 0, 0, 8 }, { DW_OP_shl, 0, 0, 9 },
		  { DW_OP_plus, 0, 0, 10 });
	CHECK_OPS("memory at a register", 0x22, { DW_OP_breg3, 0, 0, 0 }, { DW_OP_deref, 0, 0, 2 });
	CHECK_OPS("a value of more than 32 bits", 0x8000000000000033, { DW_OP_breg3, 8, 0, 0 },
		  { DW_OP_deref, 0, 0, 2 });
	CHECK_OPS("the CFA", CFA + 1, { DW_OP_call_frame_cfa, 0, 0, 0 },
		  { DW_OP_plus_uconst, 1, 0, 0 });
	CHECK_OPS("signs", 1, { DW_OP_const1s, -1, 0, 0 }, { DW_OP_lit1, 0, 0, 2 },
		  { DW_OP_lt, 0, 0, 3 });
	CHECK_OPS("the order of operands", 7, { DW_OP_lit10, 0, 0, 0 }, { DW_OP_lit3, 0, 0, 1 },
		  { DW_OP_minus, 0, 0, 2 });
	CHECK_OPS("swap", (uint64_t)-7, { DW_OP_lit10, 0, 0, 0 }, { DW_OP_lit3, 0, 0, 1 },
		  { DW_OP_swap, 0, 0, 2 }, { DW_OP_minus, 0, 0, 3 });
	/* The branch skips "lit9" if the value is 1. A literal has 1 byte, a branch has 3. */
	CHECK_OPS("a branch that is taken", 5, { DW_OP_lit5, 0, 0, 0 }, { DW_OP_lit1, 0, 0, 1 },
		  { DW_OP_bra, 1, 0, 2 }, { DW_OP_lit9, 0, 0, 5 }, { DW_OP_nop, 0, 0, 6 });
	CHECK_OPS("a branch that is not", 9, { DW_OP_lit5, 0, 0, 0 }, { DW_OP_lit0, 0, 0, 1 },
		  { DW_OP_bra, 1, 0, 2 }, { DW_OP_lit9, 0, 0, 5 }, { DW_OP_nop, 0, 0, 6 });
}

static void test_refused(void)
{
	Dwarf_Op deep[64];
	size_t i;

	CHECK_OPS("memory that was not recorded", no_value, { DW_OP_breg7, -8, 0, 0 },
		  { DW_OP_deref, 0, 0, 2 });
	CHECK_OPS("a register that is not known", no_value, { DW_OP_breg0, 0, 0, 0 });
	CHECK_OPS("a register that there is not", no_value, { DW_OP_bregx, 1000, 0, 0 });
	CHECK_OPS("an operation without operands", no_value, { DW_OP_plus, 0, 0, 0 });
	CHECK_OPS("an operation with one of two", no_value, { DW_OP_lit1, 0, 0, 0 },
		  { DW_OP_plus, 0, 0, 1 });
	CHECK_OPS("a value that was dropped", no_value, { DW_OP_lit1, 0, 0, 0 },
		  { DW_OP_drop, 0, 0, 1 });
	CHECK_OPS("a value below all", no_value, { DW_OP_lit1, 0, 0, 0 }, { DW_OP_pick, 1, 0, 1 });
	CHECK_OPS("an operation that is unknown", no_value, { DW_OP_lit1, 0, 0, 0 },
		  { DW_OP_call2, 0, 0, 1 });
	CHECK_OPS("a loop without an end", no_value, { DW_OP_lit1, 0, 0, 0 },
		  { DW_OP_skip, -3, 0, 1 });
	CHECK_OPS("a branch into the middle", no_value, { DW_OP_lit1, 0, 0, 0 },
		  { DW_OP_skip, 100, 0, 1 });
	for (i = 0; i < ARRAY_SIZE(deep); i++)
		deep[i] = (Dwarf_Op){ .atom = DW_OP_lit1, .offset = i };
	check_ops("more values than an expression has", no_value, deep, ARRAY_SIZE(deep));
}

/* A machine with addresses of 32 bits: the upper bits do not count. */
static void test_32_bits(void)
{
	uint64_t missed;

	unwind.word = 4;
	CHECK_RULE("32 bits: memory", 0x80000000, .kind = FRAME_AT_CFA, .offset = 0x1014 - CFA);
	CHECK_RULE("32 bits: below 0", 0xffffffff, .kind = FRAME_IN_REGISTER, .base = 3,
		   .offset = -0x1009);
	unwind.word = 8;
}

int main(void)
{
	test_rules();
	test_expressions();
	test_refused();
	test_32_bits();
	return unit_finish();
}
