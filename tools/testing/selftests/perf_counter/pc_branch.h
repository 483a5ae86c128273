/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A loop whose branches are known.
 */
#ifndef PC_BRANCH_H
#define PC_BRANCH_H

#include <linux/types.h>

/*
 * A round of br_work(): a jump, a call, an indirect jump, an indirect call, a conditional jump
 * that is not taken and one that is. Each has a label where it is and, behind it, one where it
 * goes or comes back to.
 */
void br_work(__u64 rounds);
extern const char br_top[], br_jmp[], br_jmp_to[], br_call[], br_call_to[], br_ind[], br_ind_to[],
	br_ind_call[], br_ind_call_to[], br_cond[], br_end[], br_leaf[], br_ret[];

asm(".pushsection .text\n"
	".globl br_work, br_top, br_jmp, br_jmp_to, br_call, br_call_to, br_ind, br_ind_to\n"
	".globl br_ind_call, br_ind_call_to, br_cond, br_end, br_leaf, br_ret\n"
	".type br_work, @function\n"
	"br_work:\n"
	"br_top:\n"
	"	nop\n"
	"br_jmp:\n"
	"	jmp br_jmp_to\n"
	"	ud2\n"
	"br_jmp_to:\n"
	"	nop\n"
	"br_call:\n"
	"	call br_leaf\n"
	"br_call_to:\n"
	"	lea br_ind_to(%rip), %rax\n"
	"br_ind:\n"
	"	jmp *%rax\n"
	"	ud2\n"
	"br_ind_to:\n"
	"	lea br_leaf(%rip), %rax\n"
	"br_ind_call:\n"
	"	call *%rax\n"
	"br_ind_call_to:\n"
	"	test %rdi, %rdi\n"
	"	jz br_end\n"
	"	dec %rdi\n"
	"br_cond:\n"
	"	jnz br_top\n"
	"br_end:\n"
	"	ret\n"
	"br_leaf:\n"
	"	nop\n"
	"br_ret:\n"
	"	ret\n"
	".size br_work, . - br_work\n"
	".popsection\n");

#endif
