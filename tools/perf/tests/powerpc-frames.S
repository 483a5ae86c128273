/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call frame information of powerpc functions, for tests of the return address. There is no code,
 * so this can be assembled on any machine. FRAME_SECTION is the section.
 */
	.cfi_sections FRAME_SECTION
	.text

	.macro function name
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc simple
	.cfi_return_column 65
	.cfi_def_cfa 1, 0
	.skip	4
	.endm

	.macro end name
	.skip	64
	.cfi_endproc
	.size	\name, . - \name
	.endm

	/* The usual prologue: mflr r0; std r0,16(r1); stdu r1,-32(r1) */
	function usual
	.cfi_register 65, 0
	.skip	4
	.cfi_offset 65, 16
	.skip	4
	.cfi_def_cfa_offset 32
	end usual

	/* The frame is made first: stdu r1,-32(r1); mflr r0; std r0,48(r1) */
	function frame_first
	.cfi_def_cfa_offset 32
	.skip	4
	.cfi_register 65, 0
	.skip	4
	.cfi_offset 65, 16
	end frame_first

	/* r31 has a copy of the stack pointer, for alloca(). */
	function pointer
	.cfi_offset 65, 16
	.cfi_def_cfa 31, 0
	end pointer

	/* The first function of a thread. */
	function outermost
	.cfi_undefined 65
	end outermost

	.section .note.GNU-stack, "", @progbits
