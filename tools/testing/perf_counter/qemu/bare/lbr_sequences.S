/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code whose branches are recorded. Above every branch that is taken is its record, in the
 * order of execution: its kind, its target, and its cycles. The cycles are the number of
 * instructions since the previous record, including the branch. The records of a sequence are the
 * table NAME_branches, which ends with a kind of 0.
 *
 * The numbers after instructions begin again at 1 after each record, and have "k" in kernel mode
 * and "u" in user mode where a sequence changes the mode.
 */
#include "bare.h"
#include "lbr.h"
#include "sequences.inc"

	.text
	.code64

	.set	FAR_TO_USER, LBR_FAR | LBR_USER
	.set	FAR_TO_KERNEL, LBR_FAR | LBR_KERNEL | LBR_FROM_USER

/*
 * Add the record of a branch whose first byte is at @from. "9b" is the instruction that follows the
 * macro.
 */
	.macro	branch_at from, what, to, cycles
9:	.pushsection .rodata
	.quad	\from, \to, \what, \cycles
	.popsection
	.endm

/*
 * Add the expected record of the branch that follows the macro: branch for kernel mode, branch_user
 * for user mode.
 */
	.macro	branch what, to, cycles
	branch_at 9b, LBR_KERNEL | \what, \to, \cycles
	.endm

	.macro	branch_user what, to, cycles
	branch_at 9b, LBR_USER | LBR_FROM_USER | \what, \to, \cycles
	.endm

/* A sequence begins with the CALL of measure(), the first recorded branch. */
	.macro	lbr_sequence name
	.pushsection .rodata
	.balign	8
	.globl	\name\()_branches
\name\()_branches:
	.popsection
	sequence \name
	branch_at measure_call, LBR_KERNEL | LBR_IND_CALL, \name, 1
	.endm

	.macro	end_of_branches
	.pushsection .rodata
	.quad	0, 0, 0, 0
	.popsection
	.endm

/* Enter user mode by IRET, which has 2 bytes and is the 7th instruction since a branch. */
	.macro	enter_user_recorded flags=2
	enter_user \flags
	branch_at 1b-2, FAR_TO_USER, 1b, 7
	.endm

/* Add the record of RET in leave_user, the 2nd instruction after the return to the kernel. */
	.macro	left_user
	branch_at leave_user_ret, LBR_KERNEL | LBR_RET, measure_return, 2
	end_of_branches
	.endm

lbr_sequence lbr_kinds
	xorl	%eax, %eax		/* 1 */
	branch	LBR_COND, 1f, 2
	jz	1f			/* 2 */
	ud2
1:	jnz	1f			/* 1: not taken */
	movl	$2, %ecx		/* 2 */
	branch	LBR_COND, 1f, 3
	loop	1f			/* 3 */
	ud2
1:	xorl	%ecx, %ecx		/* 1 */
	branch	LBR_COND, 1f, 2
	jrcxz	1f			/* 2 */
	ud2
1:	branch	LBR_JMP, 1f, 1
	jmp	1f			/* 1 */
	ud2
1:	movl	$1f, %eax		/* 1 */
	branch	LBR_IND_JMP, 1f, 2
	jmp	*%rax			/* 2 */
	ud2
1:	branch	LBR_IND_JMP, lbr_jumped, 1
	jmp	*pointer		/* 1 */
	ud2
lbr_jumped:
	branch	LBR_CALL, callee, 1
	call	callee			/* 1 */
	branch_at callee_ret, LBR_KERNEL | LBR_RET, 9b, 2
	branch	LBR_CALL, 1f, 1
	call	1f			/* 1: of the next instruction */
1:	popq	%rax			/* 1 */
	movl	$callee, %eax		/* 2 */
	branch	LBR_IND_CALL, callee, 3
	call	*%rax			/* 3 */
	branch_at callee_ret, LBR_KERNEL | LBR_RET, 9b, 2
	branch	LBR_FAR, far_callee, 1
	rex.w lcall *far_pointer	/* 1 */
	branch_at far_callee, LBR_KERNEL | LBR_FAR, 9b, 1
	branch	LBR_FAR, 1f, 1
	rex.w ljmp *far_jump_pointer	/* 1 */
	ud2
	.globl	far_jumped
far_jumped:
1:	branch	LBR_FAR, lbr_interrupt, 1
	int	$VEC_IRQ		/* 1 */
	branch_at lbr_interrupt, LBR_KERNEL | LBR_FAR, 9b, 1
	branch	LBR_RET, measure_return, 1
	ret				/* 1 */
	end_of_branches

callee:	nop				/* 1 */
callee_ret:
	ret				/* 2 */
far_callee:
	lretq				/* 1 */
	.globl	lbr_interrupt
lbr_interrupt:
	iretq				/* 1 */

/* REP and a branch that is not taken have no records; 106 cycles, 100 of which are of REP */
lbr_sequence lbr_none
	movl	$scratch, %edi		/* 1 */
	movl	$100, %ecx		/* 2 */
	xorl	%eax, %eax		/* 3 */
	rep stosb			/* 4, and 100 */
	jnz	1f			/* 5: not taken */
1:	branch	LBR_RET, measure_return, 106
	ret				/* 6 */
	end_of_branches

/* A jump to the mapping at HIGH and back, where addresses have all their bits. */
lbr_sequence lbr_high
	movabsq	$HIGH + 1f, %rax	/* 1 */
	branch	LBR_IND_JMP, HIGH+1f, 2
	jmp	*%rax			/* 2 */
1:	branch_at HIGH+9b, LBR_KERNEL | LBR_JMP, HIGH+1f, 1
	jmp	1f			/* 1 */
	ud2
1:	movl	$2f, %eax		/* 1 */
	branch_at HIGH+9b, LBR_KERNEL | LBR_IND_JMP, 2f, 2
	jmp	*%rax			/* 2 */
2:	branch	LBR_RET, measure_return, 1
	ret				/* 1 */
	end_of_branches

lbr_sequence lbr_iret_int
	enter_user_recorded
	branch_user LBR_JMP, 1f, 1
	jmp	1f			/* 1u */
1:	branch_user LBR_CALL, 1f, 1
	call	1f			/* 1u */
1:	addq	$8, %rsp		/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 2
	int	$VEC_RETURN		/* 2u */
	left_user

lbr_sequence lbr_sysret_syscall
	movq	%rsp, kernel_sp		/* 1k */
	movl	$1f, %ecx		/* 2k */
	movl	$2, %r11d		/* 3k */
	movl	$user_stack_top, %esp	/* 4k */
	branch_at 9b, FAR_TO_USER, 1f, 5
	sysretq				/* 5k */
1:	nop				/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 2
	syscall				/* 2u */
	left_user

lbr_sequence lbr_sysexit_sysenter
	movq	%rsp, kernel_sp		/* 1k */
	movl	$1f, %edx		/* 2k */
	movl	$user_stack_top, %ecx	/* 3k */
	branch_at 9b, FAR_TO_USER, 1f, 4
	rex.w sysexit			/* 4k */
1:	nop				/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 2
	sysenter			/* 2u */
	left_user

lbr_sequence lbr_far_ret_call
	movq	%rsp, kernel_sp		/* 1k */
	pushq	$USER_SS		/* 2k */
	pushq	$user_stack_top		/* 3k */
	pushq	$USER_CS		/* 4k */
	pushq	$1f			/* 5k */
	branch_at 9b, FAR_TO_USER, 1f, 6
	lretq				/* 6k */
1:	nop				/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 2
	lcall	*gate_pointer		/* 2u */
	left_user

/* An instruction that faults does not retire and has no record; its exception has one. */
lbr_sequence lbr_fault_load
	enter_user_recorded
	movl	$HOLE, %edx		/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 1
	jmp	*(%rdx)
	left_user

lbr_sequence lbr_fault_call
	enter_user_recorded
	movl	$HOLE + 8, %esp		/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 1
	call	callee
	left_user

lbr_sequence lbr_fault_ret
	enter_user_recorded
	movl	$HOLE, %esp		/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 1
	ret
	left_user

/* IRET reads more than one word of its stack: the second is in the hole. */
lbr_sequence lbr_fault_iret
	enter_user_recorded
	movl	$HOLE - 8, %esp		/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 1
	iretq
	left_user

/* JMP has retired when the fetch at its target faults. */
lbr_sequence lbr_fault_fetch
	enter_user_recorded
	movl	$HOLE, %edx		/* 1u */
	branch_user LBR_IND_JMP, HOLE, 2
	jmp	*%rdx			/* 2u */
	branch_at HOLE, FAR_TO_KERNEL, leave_user, 0
	left_user

/*
 * In user mode there is no gate for VEC_IRQ, and the fault comes after INT has been
 * counted.
 */
lbr_sequence lbr_fault_int
	enter_user_recorded
	nop				/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 2
	int	$VEC_IRQ
	left_user

lbr_sequence lbr_fault_divide
	enter_user_recorded
	xorl	%ecx, %ecx		/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 1
	divl	%ecx
	left_user

/* An instruction that is refused at decoding takes a cycle. */
lbr_sequence lbr_fault_undefined
	enter_user_recorded
	nop				/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 2
	ud2
	left_user

/* An interrupt is pending when IRET sets IF. */
lbr_sequence lbr_interrupted
	enter_user_recorded 0x202
	branch_at 1b, FAR_TO_KERNEL, handle_irq, 0
	branch_at handle_irq_iret, FAR_TO_USER, 1b, 2
	nop				/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 2
	int	$VEC_RETURN		/* 2u */
	left_user

/* #DB comes after the instruction that follows IRET. */
lbr_sequence lbr_single_step
	enter_user_recorded 0x102
	nop				/* 1u */
	branch_at 9b, FAR_TO_KERNEL, leave_user, 1
	nop
	left_user

/* Intel's older LBR switches itself off at #DB. */
lbr_sequence lbr_single_step_off
	enter_user_recorded 0x102
	nop				/* 1u */
	nop
	end_of_branches

/* JNZ is taken 100 times, each time 2 cycles after the last branch, except the first time. */
	.globl	lbr_loop_branch, lbr_loop_target
sequence lbr_loop
	movl	$101, %ecx
lbr_loop_target:
	decl	%ecx			/* 1 */
lbr_loop_branch:
	jnz	lbr_loop_target		/* 2 */
	ret

/* Switch the recorder off within a sequence: sequence_arg is the number of its register. */
	.macro	switch_off
	movl	sequence_arg, %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
	.endm

/*
 * In call-stack mode: the first label 1 is called and returns; label 3 is called and calls label 4;
 * these two calls remain. A CALL of the next instruction is not recorded as a call.
 */
lbr_sequence lbr_stack
	call	1f
	jmp	2f			/* 2 */
1:	ret				/* 1 */
2:	int	$VEC_IRQ		/* 3; 4 is IRET */
	branch	LBR_CALL, 3f, 5
	call	3f			/* 5 since the call that has returned */
	ret
3:	call	1f			/* 1: of the next instruction */
1:	popq	%rax			/* 2 */
	jnz	1f			/* 3 */
1:	movl	$4f, %eax		/* 4 */
	branch	LBR_IND_CALL, 4f, 5
	call	*%rax			/* 5 */
	ret
4:	switch_off
	ret
	end_of_branches

/* In call-stack mode: more returns than recorded calls, and then the only call that remains. */
lbr_sequence lbr_stack_empty
	popq	%r8
	pushq	$1f
	ret				/* from this sequence's call */
1:	pushq	$2f
	ret				/* without a recorded call */
2:	pushq	$3f
	ret				/* without a recorded call */
3:	call	4f
	.globl	lbr_stack_empty_call, lbr_stack_empty_target
	.set	lbr_stack_empty_call, . - 5
	jmp	*%r8
4:
lbr_stack_empty_target:
	switch_off
	ret
	end_of_branches

/* A recursion that is 50 deep, always by the same CALL. */
sequence lbr_stack_deep
	movl	$49, %r8d
	call	1f
	ret
1:	decl	%r8d
	jz	2f
	.globl	lbr_stack_deep_call, lbr_stack_deep_target
lbr_stack_deep_call:
	call	1b
	ret
	.set	lbr_stack_deep_target, 1b
2:	movl	sequence_arg, %ecx
	jrcxz	3f
	switch_off
3:	ret

	.data
	.balign	8
pointer:
	.quad	lbr_jumped
far_pointer:
	.quad	far_callee
	.word	KERNEL_CS
	.balign	8
far_jump_pointer:
	.quad	far_jumped
	.word	KERNEL_CS

	.section .note.GNU-stack, "", @progbits
