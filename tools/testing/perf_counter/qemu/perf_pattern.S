/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that perf_branches.c samples. Each branch of the pattern has a label before it and one
 * at its target. The numbers are the instructions since the previous branch, 14 in a round.
 */
	.text
	.globl	pattern, nested
	.globl	p_round, p_call, p_callee, p_ret, p_returned, p_ind_call, p_ind_returned
	.globl	p_jmp, p_jmp_to, p_ind_jmp, p_jumped, p_jnz
	.globl	n_call, n_middle, n_middle_call, n_inner, n_leaf, pattern_end

/* void pattern(uint64_t rounds) */
pattern:
	leaq	p_callee(%rip), %rdx
	leaq	p_jumped(%rip), %rsi
p_round:
p_call:
	call	p_callee		/* 1 */
p_returned:
	nop				/* 1 */
p_ind_call:
	call	*%rdx			/* 2 */
p_ind_returned:
	testq	%rdx, %rdx		/* 1 */
	jz	p_round			/* 2: never */
p_jmp:
	jmp	p_jmp_to		/* 3 */
	ud2
p_jmp_to:
p_ind_jmp:
	jmp	*%rsi			/* 1 */
	ud2
p_jumped:
	decq	%rdi			/* 1 */
p_jnz:
	jnz	p_round			/* 2 */
	ret
p_callee:
	nop				/* 1 */
p_ret:
	ret				/* 2 */

/* void nested(uint64_t rounds): only the leaf returns before the last round. */
nested:
n_call:
	call	n_middle
	ret
n_middle:
	nop
n_middle_call:
	call	n_inner
	ret
n_inner:
1:	call	n_leaf
	decq	%rdi
	jnz	1b
	ret
n_leaf:
	ret
pattern_end:

	.section .note.GNU-stack, "", @progbits
