/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the boot loader to C in long mode, on either CPU, and from a trap to C and back.
 * Memory is mapped one to one, in pages of 2 MB that user mode may access, except a hole
 * for faults.
 */
#include "bare.h"
#include "lbr.h"

#define MULTIBOOT_MAGIC	0x1badb002
#define CR0_PG_WP_PE	0x80010001
#define CR4_PAE_OSFXSR	0x220
#define MSR_EFER	0xc0000080
#define EFER_SCE_LME	0x101
#define PAGE_RWU	0x7
#define PAGE_RWU_LARGE	0x87
#define STACK_SIZE	0x4000

	.section .multiboot, "a"
	.balign	4
	.long	MULTIBOOT_MAGIC, 0, -MULTIBOOT_MAGIC

	.text
	.code32
	.globl	start
start:
	cli
	movl	%ebx, multiboot_info
	movl	$(pdpt + PAGE_RWU), pml4
	movl	$pdpt, %edi
	movl	$(pd + PAGE_RWU), %eax
	movl	$4, %ecx
1:	movl	%eax, (%edi)
	addl	$8, %edi
	addl	$0x1000, %eax
	loop	1b
	movl	$pd, %edi
	movl	$PAGE_RWU_LARGE, %eax
	movl	$2048, %ecx
1:	movl	%eax, (%edi)
	addl	$8, %edi
	addl	$0x200000, %eax
	loop	1b
	movl	$0, pd + HOLE / 0x200000 * 8
	/* Map all memory a second time, at negative addresses. */
	movl	$(pdpt + PAGE_RWU), pml4 + 511 * 8
	xorl	%edi, %edi
	jmp	long_mode

/* %edi: the number of this CPU */
long_mode:
	movl	$CR4_PAE_OSFXSR, %eax
	movl	%eax, %cr4
	movl	$pml4, %eax
	movl	%eax, %cr3
	movl	$MSR_EFER, %ecx
	movl	$EFER_SCE_LME, %eax
	xorl	%edx, %edx
	wrmsr
	movl	$CR0_PG_WP_PE, %eax
	movl	%eax, %cr0
	lgdt	gdt_pointer
	ljmp	$KERNEL_CS, $1f

	.code64
1:	movl	$KERNEL_SS, %eax
	movl	%eax, %ds
	movl	%eax, %es
	movl	%eax, %ss
	movl	%edi, %eax
	incl	%eax
	imull	$STACK_SIZE, %eax
	leaq	stacks(%rax), %rsp
	call	main_of_cpu
	cli
	hlt

/*
 * Add the record of a branch in real mode: its kind; where it is and where it goes, each as a
 * segment and a label in the trampoline; and the cycles since the previous branch.
 */
	.macro	real_branch what, from_segment, from, to_segment, to, cycles
	.pushsection .rodata
	.quad	\what, \from_segment, TRAMPOLINE - 16 * \from_segment + \from - trampoline
	.quad	\to_segment, TRAMPOLINE - 16 * \to_segment + \to - trampoline, \cycles
	.popsection
	.endm

	.section .rodata
	.balign	8
	.globl	real_branches
real_branches:
	.text

	.set	SEG, TRAMPOLINE >> 4
	.set	OTHER_SEG, SEG - 0x100

/* The first code of the second CPU, copied to TRAMPOLINE. */
	.code16
	.globl	trampoline, trampoline_end, trampoline_msr, trampoline_value
trampoline:
	cli
	movl	%cs:(trampoline_msr - trampoline), %ecx
	jecxz	not_recorded
	movw	$TRAMPOLINE - 16, %sp
	movw	$real_interrupt - trampoline, 4 * VEC_REAL
	movw	$SEG, 4 * VEC_REAL + 2
	movl	%cs:(trampoline_value - trampoline), %eax
	movl	%cs:(trampoline_value + 4 - trampoline), %edx
	wrmsr
	real_branch LBR_FAR, SEG, real_ljmp, OTHER_SEG, real_other, 1
real_ljmp:
	ljmp	$OTHER_SEG, $0x1000 + real_other - trampoline	/* 1 */
real_other:
	real_branch LBR_JMP, OTHER_SEG, real_jmp, OTHER_SEG, real_lcall, 1
real_jmp:
	jmp	real_lcall		/* 1 */
	nop
real_lcall:
	real_branch LBR_FAR, OTHER_SEG, real_lcall, SEG, real_lret, 1
	lcall	$SEG, $real_lret - trampoline	/* 1 */
real_int:
	real_branch LBR_FAR, SEG, real_lret, OTHER_SEG, real_int, 1
	real_branch LBR_FAR, OTHER_SEG, real_int, SEG, real_interrupt, 1
	int	$VEC_REAL		/* 1 */
real_back:
	real_branch LBR_FAR, SEG, real_interrupt, OTHER_SEG, real_back, 1
	real_branch LBR_FAR, OTHER_SEG, real_back, SEG, real_end, 1
	ljmp	$SEG, $real_end - trampoline	/* 1 */
real_lret:
	lret				/* 1 */
real_interrupt:
	iret				/* 1 */
real_end:
	movl	%cs:(trampoline_msr - trampoline), %ecx
	xorl	%eax, %eax
	xorl	%edx, %edx
	wrmsr
not_recorded:
	lgdtl	%cs:(trampoline_gdt - trampoline)
	movl	$1, %eax
	movl	%eax, %cr0
	ljmpl	$0x08, $trampoline32
	.balign	8
trampoline_gdt:
	.word	gdt32_end - gdt32 - 1
	.long	gdt32
/* The register that switches branch records on; 0: they are not tested. */
	.balign	8
trampoline_value:
	.quad	0
trampoline_msr:
	.long	0
trampoline_end:

	.section .rodata
	.quad	0
	.text

	.code32
trampoline32:
	movl	$0x10, %eax
	movl	%eax, %ds
	movl	$1, %edi
	jmp	long_mode

	.code64
/* The entries of traps, for some of which the CPU has pushed an error code. */
	.altmacro
	.macro	stub vector
	.balign	16
	.if !(\vector == 8 || (\vector >= 10 && \vector <= 14) || \vector == 17)
	pushq	$0
	.endif
	pushq	$\vector
	jmp	trap
	.endm

	.balign	16
	.globl	stubs
stubs:
	.set	i, 0
	.rept	NR_VECTORS
	stub	%i
	.set	i, i + 1
	.endr

trap:
	pushq	%r11
	pushq	%r10
	pushq	%r9
	pushq	%r8
	pushq	%rdi
	pushq	%rsi
	pushq	%rbp
	pushq	%rbx
	pushq	%rdx
	pushq	%rcx
	pushq	%rax
	movq	%rsp, %rdi
	cld
	call	handle_trap
	popq	%rax
	popq	%rcx
	popq	%rdx
	popq	%rbx
	popq	%rbp
	popq	%rsi
	popq	%rdi
	popq	%r8
	popq	%r9
	popq	%r10
	popq	%r11
	addq	$16, %rsp
	iretq

	.data
	.globl	multiboot_info
multiboot_info:
	.long	0
	.balign	16
gdt32:
	.quad	0, 0x00cf9b000000ffff, 0x00cf93000000ffff
gdt32_end:
	.globl	gdt
gdt:
	.quad	0
	.quad	0x00af9b000000ffff	/* KERNEL_CS */
	.quad	0x00cf93000000ffff	/* KERNEL_SS */
	.quad	0x00cffb000000ffff	/* USER_CS32 */
	.quad	0x00cff3000000ffff	/* USER_SS */
	.quad	0x00affb000000ffff	/* USER_CS */
	.quad	0x00cff3000000ffff	/* USER_SS2 */
	.quad	0, 0, 0, 0		/* TSS_SEL */
	.quad	0, 0			/* GATE_SEL */
gdt_end:
gdt_pointer:
	.word	gdt_end - gdt - 1
	.quad	gdt

	.bss
	.balign	0x1000
pml4:	.skip	0x1000
pdpt:	.skip	0x1000
	.globl	pd
pd:	.skip	0x4000
stacks:	.skip	NR_CPUS * STACK_SIZE

	.section .note.GNU-stack, "", @progbits
