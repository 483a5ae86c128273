/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code that is counted. A whole sequence is executed between the two MTSPR of measure(). The
 * tables in main.c have the numbers of instructions from here.
 *
 * Every instruction that completes is followed by its number. "5" is the 5th instruction of the
 * sequence. In a sequence that enters user mode, each mode is numbered separately: "u5" is the 5th
 * instruction in user mode, and "k5" the 5th in kernel mode. The handler that ends user mode
 * continues the sequence at its label NAME_resume.
 */
#include "bare.h"

	.text
	.machine power9

	.macro	sequence name
	.globl	\name
	.balign	32
\name:
	.endm

/*
 * Begin a sequence in user mode: the first 8 instructions in kernel mode (k1 to k8), the last of
 * which is RFID.
 */
	.macro	user_sequence name
	sequence \name
	mflr	%r8			/* k1 */
	lis	%r9, \name\()_user@h	/* k2 */
	ori	%r9, %r9, \name\()_user@l /* k3 */
	mtsrr0	%r9			/* k4 */
	mfmsr	%r9			/* k5 */
	ori	%r9, %r9, 0xc030	/* k6: set EE, PR, IR, DR */
	mtsrr1	%r9			/* k7 */
	.globl	\name\()_rfid
\name\()_rfid:
	rfid				/* k8 */
	.globl	\name\()_user
\name\()_user:
	.endm

/*
 * End a sequence in user mode: the last 2 instructions in kernel mode (k19 and k20). The 10
 * before them (k9 to k18) are the VECTOR_INSNS of the vector and the LEAVE_INSNS of leave_user().
 */
	.macro	end_user name
	.globl	\name\()_resume
\name\()_resume:
	mtlr	%r8			/* k19 */
	blr				/* k20 */
	.endm

sequence seq_empty
	blr				/* 1 */

sequence seq_nops
	.rept	99
	nop				/* 1 to 99 */
	.endr
	blr				/* 100 */

/* 1,000,000 + 4 instructions */
sequence seq_loop
	lis	%r9, 1000000@h
	ori	%r9, %r9, 1000000@l
	mtctr	%r9
1:	bdnz	1b
	blr

/* 8 instructions; the 5th overwrites the 7th with an equal one */
sequence seq_self_modifying
	lis	%r9, 1f@h		/* 1 */
	ori	%r9, %r9, 1f@l		/* 2 */
	lis	%r10, 0x6000		/* 3: NOP */
	nop				/* 4 */
	stw	%r10, 0(%r9)		/* 5 */
	nop				/* 6 */
1:	nop				/* 7 */
	blr				/* 8 */

/* 20 instructions, with 5 loads, 6 stores, and 4 branches, 3 of which are taken */
sequence seq_memory
	lis	%r9, scratch@h		/* 1 */
	ori	%r9, %r9, scratch@l	/* 2 */
	ld	%r10, 0(%r9)		/* 3: load at 0 */
	std	%r10, 8(%r9)		/* 4: store at 8 */
	nop				/* 5 */
	lq	%r10, 0(%r9)		/* 6: load at 0 */
	stq	%r10, 16(%r9)		/* 7: store at 16 */
	lwarx	%r11, 0, %r9		/* 8: load at 0 */
	stwcx.	%r11, 0, %r9		/* 9: store at 0 */
	lswi	%r5, %r9, 8		/* 10: load at 0 */
	stswi	%r5, %r9, 8		/* 11: store at 0 */
	dcbz	0, %r9			/* 12: store at 0 */
	dcbf	0, %r9			/* 13: neither a load nor a store */
	lbzu	%r10, 1(%r9)		/* 14: load at 1 */
	stbx	%r10, 0, %r9		/* 15: store at 1 */
	b	1f			/* 16: branch, taken */
1:	cmpd	%r10, %r10		/* 17 */
	bne	1f			/* 18: branch, not taken */
	beq	1f			/* 19: branch, taken */
	nop
1:	blr				/* 20: branch, taken */

/* Read PMC1 twice in the middle of a translation block, and store the values in scratch. */
sequence seq_read
	nop				/* 1 */
	mfspr	%r9, SPR_PMC1		/* 2 */
	nop				/* 3 */
	nop				/* 4 */
	mfspr	%r10, SPR_PMC1		/* 5 */
	lis	%r11, scratch@h		/* 6 */
	ori	%r11, %r11, scratch@l	/* 7 */
	std	%r9, 0(%r11)		/* 8 */
	std	%r10, 8(%r11)		/* 9 */
	blr				/* 10 */

/* Read SPR_ICOUNT twice; it advances by 1,000,004 instructions. */
sequence seq_icount
	mfspr	%r9, SPR_ICOUNT
	lis	%r10, 1000000@h		/* 1 */
	ori	%r10, %r10, 1000000@l	/* 2 */
	mtctr	%r10			/* 3 */
1:	bdnz	1b
	mfspr	%r10, SPR_ICOUNT	/* 1,000,004 */
	lis	%r11, scratch@h
	ori	%r11, %r11, scratch@l
	std	%r9, 0(%r11)
	std	%r10, 8(%r11)
	blr

/* 11 instructions; the 4th clears the run latch, and the 8th sets it */
sequence seq_run_latch
	li	%r9, 0			/* 1 */
	li	%r10, 1			/* 2 */
	nop				/* 3 */
	mtspr	SPR_CTRLT, %r9		/* 4 */
	nop				/* 5 */
	nop				/* 6 */
	nop				/* 7 */
	mtspr	SPR_CTRLT, %r10		/* 8 */
	nop				/* 9 */
	nop				/* 10 */
	blr				/* 11 */

/* 10 instructions in user mode */
user_sequence seq_user
	.rept	9
	nop				/* u1 to u9 */
	.endr
	.globl	seq_user_sc
seq_user_sc:
	sc				/* u10 */
end_user seq_user

/* 1,000,000 + 4 instructions in user mode */
user_sequence seq_user_loop
	lis	%r9, 1000000@h
	ori	%r9, %r9, 1000000@l
	mtctr	%r9
1:	bdnz	1b
	sc
end_user seq_user_loop

/* 4 instructions in user mode: the load does not complete */
user_sequence seq_load_fault
	nop				/* u1 */
	lis	%r9, HOLE@h		/* u2 */
	nop				/* u3 */
	nop				/* u4 */
	lwz	%r10, 0(%r9)
	nop
	nop
end_user seq_load_fault

/* 5 instructions in user mode: the first store completes, the second faults */
user_sequence seq_store_fault
	lis	%r10, scratch@h		/* u1 */
	ori	%r10, %r10, scratch@l	/* u2 */
	lis	%r9, HOLE@h		/* u3 */
	std	%r10, 0(%r10)		/* u4: store */
	nop				/* u5 */
	std	%r10, 0(%r9)
	std	%r10, 0(%r10)
end_user seq_store_fault

/* 1 instruction in user mode */
user_sequence seq_illegal
	nop				/* u1 */
	.long	0
end_user seq_illegal

/* 1 instruction in user mode */
user_sequence seq_privileged
	nop				/* u1 */
	mfmsr	%r9
end_user seq_privileged

/* 3 instructions in user mode, including a trap instruction whose condition is false */
user_sequence seq_trap
	nop				/* u1 */
	li	%r9, 1			/* u2 */
	tdeqi	%r9, 2			/* u3 */
	tdeqi	%r9, 1
end_user seq_trap

/* 1 instruction in user mode */
user_sequence seq_trap_always
	nop				/* u1 */
	trap
end_user seq_trap_always

/* 4 instructions in user mode: the 4th branches to an address that is not mapped */
user_sequence seq_fetch_fault
	nop				/* u1 */
	lis	%r9, HOLE@h		/* u2 */
	mtctr	%r9			/* u3 */
	.globl	seq_fetch_fault_bctr
seq_fetch_fault_bctr:
	bctr				/* u4 */
end_user seq_fetch_fault

/* Read UPMC1 twice, and store the values in scratch. */
user_sequence seq_user_read
	nop				/* u1 */
	mfspr	%r9, SPR_UPMC1		/* u2 */
	nop				/* u3 */
	mfspr	%r10, SPR_UPMC1		/* u4 */
	lis	%r11, scratch@h
	ori	%r11, %r11, scratch@l
	std	%r9, 0(%r11)
	std	%r10, 8(%r11)
	sc
end_user seq_user_read

/* Read SPR_ICOUNT twice; it advances by 2 instructions. */
user_sequence seq_user_icount
	mfspr	%r9, SPR_ICOUNT
	nop				/* 1 */
	mfspr	%r10, SPR_ICOUNT	/* 2 */
	mfspr	%r12, SPR_ACCESSES
	lis	%r11, scratch@h
	ori	%r11, %r11, scratch@l
	std	%r9, 0(%r11)
	std	%r10, 8(%r11)
	std	%r12, 16(%r11)
	sc
end_user seq_user_icount

/* Branches of every form, in user mode; their records are in main.c. */
	.macro	at name
	.globl	at_\name
at_\name:
	.endm

user_sequence seq_branches
at b_first
	b	1f			/* 1st branch */
	nop
1:	li	%r9, 2
	mtctr	%r9
at bdnz
	bdnz	at_bdnz			/* 2nd; 3rd, not taken */
at bl
	bl	3f			/* 4th */
at b_second
	b	4f			/* 6th */
3:
at blr
	blr				/* 5th */
4:	lis	%r9, at_5@h
	ori	%r9, %r9, at_5@l
	mtctr	%r9
at bctr
	bctr				/* 7th */
	nop
at 5
	cmpd	%r9, %r9
at beq
	beq	6f			/* 8th */
	nop
6:	bne	7f			/* 9th, not taken */
	lis	%r9, at_8@h
	ori	%r9, %r9, at_8@l
	mtctr	%r9
at bctrl
	bctrl				/* 10th */
7:	nop
at 8
	sc
end_user seq_branches

/* Enable interrupts before leave_user(): an interrupt that is pending comes here. */
	.globl	enable_and_leave, enable_and_leave_pmi
enable_and_leave:
	mfmsr	%r0
	ori	%r0, %r0, 0x8000
	mtmsrd	%r0, 1
enable_and_leave_pmi:
	nop
	b	leave_user

/* u64 read_bhrb(u64 entry): return the entry with this number */
	.globl	read_bhrb
read_bhrb:
	lis	%r9, 1f@h
	ori	%r9, %r9, 1f@l
	sldi	%r3, %r3, 3
	add	%r9, %r9, %r3
	mtctr	%r9
	bctr
	.set	entry, 0
1:	.rept	32
	mfbhrbe	%r3, entry
	blr
	.set	entry, entry + 1
	.endr

	.globl	clear_bhrb
clear_bhrb:
	clrbhrb
	blr

	.bss
	.balign	128
	.globl	scratch
scratch:
	.skip	256
