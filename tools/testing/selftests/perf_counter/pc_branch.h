/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A loop whose branches are known.
 */
#ifndef PC_BRANCH_H
#define PC_BRANCH_H

#include <linux/types.h>

/*
 * A round of br_work() has a jump, a call, an indirect jump, an indirect call, a conditional jump
 * that is not taken and a conditional jump that is taken. Each of them has a label at its address.
 * The unconditional jumps have another label at their target, and the calls have one at their
 * return address.
 */
void br_work(__u64 rounds);
extern const char br_top[], br_jmp[], br_jmp_to[], br_call[], br_call_to[], br_ind[], br_ind_to[],
	br_ind_call[], br_ind_call_to[], br_cond[], br_end[], br_leaf[], br_ret[];

#endif /* PC_BRANCH_H */
