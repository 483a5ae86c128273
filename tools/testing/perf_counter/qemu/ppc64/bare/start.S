/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vectors, from address 0 on, and the way to C. The machine starts at 0x100
 * with 32 bits, without translation, and stays without in kernel mode.
 */
#include "bare.h"

	.section .vectors, "ax"
	.machine power8

	.org	0x100
start:
	.globl	start
	lis	%r1, STACK@h
	li	%r3, 0
	mfmsr	%r4
	li	%r5, 1
	rldicr	%r5, %r5, 63, 0
	or	%r4, %r4, %r5		/* SF */
	mtmsrd	%r4
	lis	%r12, begin@h
	ori	%r12, %r12, begin@l
	mtctr	%r12
	bctr

/* VECTOR_INSNS instructions: the handler's address, with CTR in SPRG2 */
	.macro	vector at
	.org	\at
	mtsprg	1, %r0
	mfctr	%r0
	mtsprg	2, %r0
	ld	%r0, HANDLERS + \at / 32 * 8(0)
	mtctr	%r0
	mfsprg	%r0, 1
	bctr
	.endm

	vector	0x200
	vector	0x300
	vector	0x380
	vector	0x400
	vector	0x480
	vector	0x500
	vector	0x600
	vector	0x700
	vector	0x800
	vector	0x900
	vector	0xa00
	vector	0xc00
	vector	0xd00
	vector	0xe40
	vector	0xf00
	vector	0xf20
	vector	0xf40
	vector	0xf60
	vector	0xf80

	.org	SHARED
	.skip	0x100 + NR_VECTORS * 8
	.org	0x4000

	.text
begin:
	lis	%r2, .TOC.@h
	ori	%r2, %r2, .TOC.@l
	stdu	%r3, -64(%r1)
	bl	bare_main
	nop
	b	.

/* A CPU that rtas_start_cpu() has started: with 64 bits, and the function in r3 */
	.globl	start_second
start_second:
	lis	%r1, STACK2@h
	lis	%r2, .TOC.@h
	ori	%r2, %r2, .TOC.@l
	li	%r0, 0
	stdu	%r0, -64(%r1)
	mr	%r12, %r3
	mtctr	%r12
	bctrl
	b	.

/* LEAVE_INSNS instructions: back to where the sequence goes on in kernel mode */
	.globl	leave_user
leave_user:
	ld	%r0, RESUME(0)
	mtctr	%r0
	bctr

/* Unexpected interrupts: void unexpected(u64 vector, u64 srr0, u64 srr1) */
	.globl	unexpected_entry
unexpected_entry:
	mfctr	%r3
	mfsrr0	%r4
	mfsrr1	%r5
	lis	%r1, STACK2@h
	lis	%r2, .TOC.@h
	ori	%r2, %r2, .TOC.@l
	li	%r0, 0
	stdu	%r0, -64(%r1)
	bl	unexpected
	nop
	b	.

/* Notes what the PMI finds, writes PMC1 and MMCR0, and returns. */
	.globl	handle_pmi
handle_pmi:
	std	%r9, SAVE(0)
	std	%r10, SAVE + 8(0)
	ld	%r9, PMI_COUNT(0)
	addi	%r9, %r9, 1
	std	%r9, PMI_COUNT(0)
	mfsrr0	%r9
	std	%r9, PMI_SRR0(0)
	mfsrr1	%r9
	std	%r9, PMI_SRR1(0)
	mfspr	%r9, SPR_SIAR
	std	%r9, PMI_SIAR(0)
	mfspr	%r9, SPR_SDAR
	std	%r9, PMI_SDAR(0)
	mfspr	%r9, SPR_SIER
	std	%r9, PMI_SIER(0)
	mfspr	%r9, SPR_MMCR0
	std	%r9, PMI_FOUND(0)
	mfspr	%r9, SPR_PMC1
	std	%r9, PMI_PMC1(0)
	ld	%r9, PMI_RELOAD(0)
	mtspr	SPR_PMC1, %r9
	ld	%r9, PMI_MMCR0(0)
	mtspr	SPR_MMCR0, %r9
	ld	%r9, SAVE(0)
	ld	%r10, SAVE + 8(0)
	mfsprg	%r0, 2
	mtctr	%r0
	mfsprg	%r0, 1
	rfid

/* u64 hcall(u64 opcode, ...): up to five arguments */
	.globl	hcall
hcall:
	sc	1
	blr

/* u64 hcall_second(u64 opcode, ...): hcall() that returns the second result, in r4 */
	.globl	hcall_second
hcall_second:
	sc	1
	mr	%r3, %r4
	blr

/*
 * void measure(void (*sequence)(void), u64 start, u64 stop): write MMCR0, call the
 * sequence, write MMCR0. Counted besides the sequence: BCTRL and the last MTSPR.
 */
	.globl	measure, measure_call, measure_return
measure:
	mflr	%r0
	std	%r0, 16(%r1)
	std	%r31, -8(%r1)
	stdu	%r1, -64(%r1)
	mr	%r31, %r5
	mtctr	%r3
	mtspr	SPR_MMCR0, %r4
measure_call:
	bctrl
measure_return:
	mtspr	SPR_MMCR0, %r31
	addi	%r1, %r1, 64
	ld	%r31, -8(%r1)
	ld	%r0, 16(%r1)
	mtlr	%r0
	blr
