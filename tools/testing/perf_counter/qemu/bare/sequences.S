/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that is counted. A whole sequence is executed between the two WRMSR of measure(). The
 * tables in main.c have the numbers of instructions from here.
 *
 * Every instruction that completes is followed by its number. "5" is the 5th instruction of the
 * sequence. In a sequence that changes the mode, each mode is numbered separately: "5u" is the 5th
 * instruction in user mode, and "5k" the 5th in kernel mode. The instructions of enter_user, 1k to
 * 7k, and of leave_user, 1k and 2k, are numbered where they are defined.
 */
#include "bare.h"
#include "sequences.inc"

	.text
	.code64

/*
 * void measure(void (*sequence)(void), u32 msr, u64 value): write the value, which starts
 * counters, call the sequence, and write zero. These instructions are counted in addition to the
 * sequence: CALL, 3 instructions that prepare the second WRMSR, and this WRMSR.
 */
	.globl	measure
measure:
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	pushq	%rbp
	movl	%esi, %ebp
	movl	%esi, %ecx
	movl	%edx, %eax
	shrq	$32, %rdx
	wrmsr
	.globl	measure_call, measure_return
measure_call:
	call	*%rdi
measure_return:
	movl	%ebp, %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
	popq	%rbp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	ret

sequence seq_empty
	ret				/* 1 */

sequence seq_nops
	.rept	99
	nop				/* 1 to 99 */
	.endr
	ret				/* 100 */

/* 2 * 1,000,000 + 2 instructions, 1,000,001 branches including RET */
sequence seq_loop
	movl	$1000000, %ecx
1:	decl	%ecx
	jnz	1b
	ret

/* 6 instructions; 100 more cycles, one for each repetition */
sequence seq_rep_stos
	movl	$scratch, %edi		/* 1 */
	movl	$100, %ecx		/* 2 */
	xorl	%eax, %eax		/* 3 */
	rep stosb			/* 4 */
	nop				/* 5 */
	ret				/* 6 */

/* 5 instructions; the comparison ends at the 8th byte: 7 more cycles */
sequence seq_repe_cmps
	movl	$compared, %esi		/* 1 */
	movl	$compared + 8, %edi	/* 2 */
	movl	$100, %ecx		/* 3 */
	repe cmpsb			/* 4 */
	ret				/* 5 */

/* 4 instructions, no more cycles */
sequence seq_rep_none
	movl	$scratch, %edi		/* 1 */
	xorl	%ecx, %ecx		/* 2 */
	rep stosb			/* 3 */
	ret				/* 4 */

/* 7 instructions, of which the 3rd lies across the end of a page */
	.balign	4096
	.skip	4096 - 7
	.globl	seq_page_crossing
seq_page_crossing:
	nop				/* 1 */
	nop				/* 2 */
	movabsq	$0x1122334455667788, %rax /* 3 */
	nop				/* 4 */
	nop				/* 5 */
	nop				/* 6 */
	ret				/* 7 */

/* 6 instructions; with icount, QEMU executes the loads from the device twice */
sequence seq_mmio
	movl	$APIC + 0x20, %edx	/* 1 */
	nop				/* 2 */
	movl	(%rdx), %eax		/* 3 */
	nop				/* 4 */
	movl	(%rdx), %eax		/* 5 */
	ret				/* 6 */

/* 5 instructions, of which the 2nd changes the 4th from INC to DEC of %eax */
sequence seq_self_modifying
	movl	$0xc8, %ecx		/* 1 */
	movb	%cl, 1f + 1		/* 2 */
	nop				/* 3 */
1:	incl	%eax			/* 4 */
	ret				/* 5 */

/* 11 instructions, with 5 loads, 4 stores and 3 branches */
sequence seq_memory
	movl	$scratch, %edx		/* 1 */
	movl	(%rdx), %eax		/* 2: load */
	movl	%eax, 4(%rdx)		/* 3: store */
	incl	(%rdx)			/* 4: load, store */
	lock incl (%rdx)		/* 5: load, store */
	pushq	%rax			/* 6: store */
	popq	%rax			/* 7: load */
	nop				/* 8 */
	jmp	1f			/* 9: branch */
1:	jnz	1f			/* 10: branch */
1:	ret				/* 11: load, branch */

/*
 * 22 instructions. Branches: 7 conditional ones, of which 4 are taken; 2 jumps, 3 calls, and
 * 3 returns, including the last one.
 */
sequence seq_branches
	movl	$2, %ecx		/* 1 */
1:	loop	1b			/* 2: conditional, taken; 3: not taken */
	jrcxz	1f			/* 4: conditional, taken */
	ud2
1:	xorl	%eax, %eax		/* 5 */
	jnz	1f			/* 6: conditional, not taken */
	jz	1f			/* 7: conditional, taken */
	ud2
1:	jmp	1f			/* 8: jump */
1:	movl	$2f, %eax		/* 9 */
	jmp	*%rax			/* 10: jump */
2:	call	3f			/* 11: call */
	movl	$3f, %eax		/* 13 */
	call	*%rax			/* 14: call */
	testl	%eax, %eax		/* 16 */
	jz	2b			/* 17: conditional, not taken */
	jnz	1f			/* 18: conditional, taken */
	ud2
1:	nop				/* 19 */
	call	1f			/* 20: call without a return */
1:	popq	%rax			/* 21 */
	ret				/* 22: return */
3:	ret				/* 12, 15: return */

/* 9 instructions in kernel mode: the load faults, and the handler returns to label 1 */
sequence seq_fault_kernel
	movq	$1f, fault_fixup	/* 1 */
	movl	$HOLE, %edx		/* 2 */
	nop				/* 3 */
	movl	(%rdx), %eax		/* not completed */
	nop
	nop
1:	nop				/* 8 */
	ret				/* 9 */

	.globl	handle_fault_kernel
handle_fault_kernel:
	movq	fault_fixup, %rax	/* 4 */
	movq	%rax, 8(%rsp)		/* 5 */
	addq	$8, %rsp		/* 6 */
	iretq				/* 7 */

/* The end of all returns from user mode: 2 instructions in kernel mode (1k and 2k). */
	.globl	leave_user
leave_user:
	movq	kernel_sp, %rsp		/* 1k */
	.globl	leave_user_ret
leave_user_ret:
	ret				/* 2k */

/*
 * 11 instructions in user mode (1u to 11u), 9 in kernel mode: 7 of enter_user and 2 of leave_user
 */
sequence seq_iret_int
	enter_user
	.rept	10
	nop				/* 1u to 10u */
	.endr
	int	$VEC_RETURN		/* 11u */

/* 8 instructions in user mode (1u to 8u), 7 in kernel mode: 1k to 5k, and 2 of leave_user */
sequence seq_sysret_syscall
	movq	%rsp, kernel_sp		/* 1k */
	movl	$1f, %ecx		/* 2k */
	movl	$2, %r11d		/* 3k */
	movl	$user_stack_top, %esp	/* 4k */
	sysretq				/* 5k */
	.globl	sysret_target
sysret_target:
1:	.rept	7
	nop				/* 1u to 7u */
	.endr
	syscall				/* 8u */

/* 6 instructions in user mode (1u to 6u), 6 in kernel mode: 1k to 4k, and 2 of leave_user */
sequence seq_sysexit_sysenter
	movq	%rsp, kernel_sp		/* 1k */
	movl	$1f, %edx		/* 2k */
	movl	$user_stack_top, %ecx	/* 3k */
	rex.w sysexit			/* 4k */
1:	.rept	5
	nop				/* 1u to 5u */
	.endr
	sysenter			/* 6u */

/* 5 instructions in user mode (1u to 5u), 8 in kernel mode: 1k to 6k, and 2 of leave_user */
sequence seq_far_ret_call
	movq	%rsp, kernel_sp		/* 1k */
	pushq	$USER_SS		/* 2k */
	pushq	$user_stack_top		/* 3k */
	pushq	$USER_CS		/* 4k */
	pushq	$1f			/* 5k */
	lretq				/* 6k */
1:	.rept	4
	nop				/* 1u to 4u */
	.endr
	lcall	*gate_pointer		/* 5u */

/* 4 instructions in user mode, 9 in kernel mode: the load does not complete */
sequence seq_fault_load
	enter_user
	movl	$HOLE, %edx		/* 1u */
	nop				/* 2u */
	nop				/* 3u */
	nop				/* 4u */
	movl	(%rdx), %eax
	nop
	int	$VEC_RETURN

/*
 * 3 instructions in user mode, 9 in kernel mode: the read of a read-modify-write faults, in a
 * translation block of its own
 */
sequence seq_fault_locked
	enter_user
	movl	$HOLE, %edx		/* 1u */
	jmp	1f			/* 2u */
1:	nop				/* 3u */
	lock incl (%rdx)

/* 4 instructions in user mode, 9 in kernel mode */
sequence seq_fault_divide
	enter_user
	xorl	%ecx, %ecx		/* 1u */
	xorl	%edx, %edx		/* 2u */
	xorl	%eax, %eax		/* 3u */
	nop				/* 4u */
	divl	%ecx
	nop

/* 2 instructions in user mode, 9 in kernel mode */
sequence seq_fault_undefined
	enter_user
	nop				/* 1u */
	nop				/* 2u */
	ud2

/* 3 instructions in user mode, 9 in kernel mode */
sequence seq_fault_privileged
	enter_user
	nop				/* 1u */
	nop				/* 2u */
	nop				/* 3u */
	hlt

/* 2 instructions in user mode, 9 in kernel mode: JMP completes, the fetch at its target faults */
sequence seq_fault_fetch
	enter_user
	movl	$HOLE, %edx		/* 1u */
	jmp	*%rdx			/* 2u */

/*
 * 1 instruction in user mode, 9 in kernel mode: #DB comes after the instruction that follows IRET
 */
sequence seq_single_step
	enter_user 0x102
	nop				/* 1u */
	nop
	int	$VEC_RETURN

/*
 * 5 instructions in user mode (1u to 5u), 9 in kernel mode: 7 of enter_user and 2 of leave_user. An
 * interrupt is pending when IRET sets IF; its handler adds 2 in kernel mode (1k and 2k).
 */
sequence seq_interrupt
	enter_user 0x202
	nop				/* 1u */
	nop				/* 2u */
	nop				/* 3u */
	nop				/* 4u */
	int	$VEC_RETURN		/* 5u */

	.globl	handle_irq
handle_irq:
	movabsl	%eax, APIC_EOI		/* 1k */
	.globl	handle_irq_iret
handle_irq_iret:
	iretq				/* 2k */

/* 10 instructions in user mode (1u to 10u), 21 in kernel mode (1k to 21k) */
sequence seq_twice
	call	1f			/* 1k */
	call	1f			/* 11k */
	ret				/* 21k */
1:	enter_user			/* 2k to 8k, 12k to 18k */
	.rept	4
	nop				/* 1u to 4u, 6u to 9u */
	.endr
	int	$VEC_RETURN		/* 5u, 10u; 9k, 10k and 19k, 20k */

/* 2 + 2 * 1,000,000 instructions in user mode; samples have the address of the end of DECL */
	.globl	user_loop_decl_end
sequence seq_user_loop
	enter_user
	movl	$1000000, %ecx
1:	decl	%ecx
user_loop_decl_end:
	jnz	1b
	int	$VEC_RETURN

/* Read the counter in sequence_arg twice by RDPMC; it advances by 4 instructions. */
sequence seq_rdpmc
	movl	sequence_arg, %ecx
	rdpmc				/* 1 */
	movl	%eax, %r8d		/* 2 */
	nop				/* 3 */
	nop				/* 4 */
	rdpmc
	subl	%r8d, %eax
	movl	%eax, sequence_result
	ret

/* RDPMC in user mode; sets sequence_result to 1 if RDPMC does not fault */
sequence seq_rdpmc_user
	enter_user
	movl	sequence_arg, %ecx
	rdpmc
	movl	$1, sequence_result
	int	$VEC_RETURN

/* A pending interrupt is taken after the instruction that follows STI. */
sequence seq_sti
	sti				/* 1 */
	nop				/* 2 */
	nop
	cli
	ret

/* 2 + 2 * 600,000,000 instructions, more than a budget of QEMU's PMU holds (../README.rst) */
sequence seq_long_loop
	movl	$600000000, %ecx
1:	decl	%ecx
	jnz	1b
	ret

/*
 * Store by how much the TSC advances in sequence_arg, and by how much counter 1 advances in
 * sequence_result.
 */
sequence seq_clock
	movl	$1, %ecx
	rdtsc				/* 1 */
	movl	%eax, %r8d		/* 2 */
	nop				/* 3 */
	rdpmc
	movl	%eax, %r9d
	movl	$100000, %esi
1:	decl	%esi
	jnz	1b
	rdtsc				/* 1 */
	subl	%r8d, %eax		/* 2 */
	movl	%eax, %r8d		/* 3 */
	rdpmc
	subl	%r9d, %eax
	movl	%eax, sequence_result
	movl	%r8d, sequence_arg
	ret

/* 3 instructions including RET; the interrupt of an overflow at HLT wakes the CPU */
sequence seq_halt
	nop				/* 1 */
	hlt				/* 2 */
	ret				/* 3 */

	.data
	.balign	16
	.globl	gate_pointer, kernel_sp, scratch, compared, fault_fixup
	.globl	sequence_arg, sequence_result, user_stack_top
gate_pointer:
	.long	0
	.word	GATE_SEL
	.balign	8
kernel_sp:	.quad	0
fault_fixup:	.quad	0
sequence_arg:	.long	0
sequence_result: .long	0
compared:	.ascii	"abcdefghabcdefgX"
	.bss
	.balign	64
scratch:	.skip	256
		.skip	4096
user_stack_top:

	.section .note.GNU-stack, "", @progbits
