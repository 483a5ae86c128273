// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes the expressions of call frame information (DWARF 5, section 7.7).
 */
#include <dwarf.h>
#include <stdlib.h>

#include "util/util.h"
#include "frame_bytes.h"
#include "frame_ops.h"

/* Maximum number of operations. The longest known ones, of signal trampolines, have a dozen. */
#define OPS_MAX 64

static bool is_register_plus(uint8_t atom)
{
	return atom >= DW_OP_breg0 && atom <= DW_OP_breg31;
}

static bool has_no_operand(uint8_t atom)
{
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return true;
	switch (atom) {
	case DW_OP_deref:
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_over:
	case DW_OP_swap:
	case DW_OP_abs:
	case DW_OP_and:
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_or:
	case DW_OP_plus:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
	case DW_OP_xor:
	case DW_OP_eq:
	case DW_OP_ge:
	case DW_OP_gt:
	case DW_OP_le:
	case DW_OP_lt:
	case DW_OP_ne:
	case DW_OP_nop:
		return true;
	default:
		return false;
	}
}

/* Read the operands of @op, which has some. Return false if the operation is unknown. */
static bool read_operands(struct frame_bytes *bytes, Dwarf_Op *op, unsigned int word)
{
	if (is_register_plus(op->atom)) {
		op->number = frame_bytes_sleb128(bytes);
		return true;
	}
	switch (op->atom) {
	case DW_OP_addr:
		op->number = frame_bytes_number(bytes, word);
		return true;
	case DW_OP_const1u:
	case DW_OP_pick:
		op->number = frame_bytes_number(bytes, 1);
		return true;
	case DW_OP_const2u:
		op->number = frame_bytes_number(bytes, 2);
		return true;
	case DW_OP_const4u:
		op->number = frame_bytes_number(bytes, 4);
		return true;
	case DW_OP_const8u:
	case DW_OP_const8s:
		op->number = frame_bytes_number(bytes, 8);
		return true;
	case DW_OP_const1s:
		op->number = frame_bytes_signed(bytes, 1);
		return true;
	case DW_OP_const2s:
	case DW_OP_skip:
	case DW_OP_bra:
		op->number = frame_bytes_signed(bytes, 2);
		return true;
	case DW_OP_const4s:
		op->number = frame_bytes_signed(bytes, 4);
		return true;
	case DW_OP_constu:
	case DW_OP_plus_uconst:
		op->number = frame_bytes_uleb128(bytes);
		return true;
	case DW_OP_consts:
		op->number = frame_bytes_sleb128(bytes);
		return true;
	case DW_OP_bregx:
		op->number = frame_bytes_uleb128(bytes);
		op->number2 = frame_bytes_sleb128(bytes);
		return true;
	default:
		return false;
	}
}

bool frame_ops_read(struct frame_rule *rule, const uint8_t *block, size_t size, unsigned int word,
		    bool with_cfa)
{
	struct frame_bytes bytes = { .at = block, .end = block + size };
	Dwarf_Op ops[OPS_MAX] = {};
	size_t nr = 0;

	/* No branch can lead to the offset of the operation that is added. */
	if (with_cfa)
		ops[nr++] = (Dwarf_Op){ .atom = DW_OP_call_frame_cfa, .offset = UINT64_MAX };
	while (frame_bytes_left(&bytes)) {
		Dwarf_Op *op = &ops[nr];

		if (nr++ == OPS_MAX)
			return false;
		op->offset = bytes.at - block;
		op->atom = frame_bytes_number(&bytes, 1);
		if (!has_no_operand(op->atom) &&
		    (!read_operands(&bytes, op, word) || bytes.failed))
			return false;
	}
	rule->ops = xcalloc(nr, sizeof(*ops));
	rule->nr_ops = nr;
	memcpy(rule->ops, ops, nr * sizeof(*ops));
	return true;
}
