/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vectors, from address 0 on, and the code that calls C. The machine starts at 0x100 in
 * 32-bit mode. Address translation is off, and stays off in kernel mode.
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
	or	%r4, %r4, %r5		/* MSR[SF]: 64-bit mode */
	mtmsrd	%r4
	lis	%r12, begin@h
	ori	%r12, %r12, begin@l
	mtctr	%r12
	bctr

/* Save CTR in SPRG2, and branch to the vector's handler: VECTOR_INSNS instructions. */
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

/* The start of the second CPU, by RTAS: in 64-bit mode, with the function in r3. */
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

/* Continue the sequence in kernel mode: LEAVE_INSNS instructions. */
	.globl	leave_user
leave_user:
	ld	%r0, RESUME(0)
	mtctr	%r0
	bctr

/* The handler of unexpected interrupts: call unexpected(vector, srr0, srr1). */
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

/* Handle a PMI: record the PMU's registers, write PMC1 and MMCR0, and return. */
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
 * sequence, write MMCR0. BCTRL and the last MTSPR are counted in addition to the sequence.
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
