// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses to the PMU's registers: on real hardware they are most of the cost of an operation.
 * The emulated PMU counts them in registers of its own; see ../../qemu/README.rst.
 */
#include <fcntl.h>
#include <unistd.h>

#include "bench.h"

/* Counts of accesses to the PMU since the machine started. */
#define MSR_READS	0x40000f00
#define MSR_WRITES	0x40000f01
#define MSR_RDPMCS	0x40000f02

static int msrs = -1;

/*
 * Open the MSR file of CPU 0. Return true if this machine counts the accesses to the registers of
 * its PMU.
 */
bool registers_init(void)
{
	uint64_t value;

	msrs = open("/dev/cpu/0/msr", O_RDONLY | O_CLOEXEC);
	return msrs >= 0 && pread(msrs, &value, sizeof(value), MSR_READS) == sizeof(value);
}

static uint64_t count_of(uint32_t msr)
{
	uint64_t value;

	if (pread(msrs, &value, sizeof(value), msr) != sizeof(value))
		die("/dev/cpu/0/msr");
	return value;
}

/* Return the number of accesses to the PMU's registers so far, of all kinds. */
uint64_t registers_accessed(void)
{
	return count_of(MSR_READS) + count_of(MSR_WRITES) + count_of(MSR_RDPMCS);
}

/*
 * Call cost_fault_in_frames() below eight callers whose chain of frames ends with a zero. The C
 * library keeps no frame pointers, so without these frames a call chain would follow whatever value
 * is in the register.
 */
__asm__(".pushsection .text\n"
	".globl cost_fault\n"
	"cost_fault:\n"
	"	push %rbp\n"
	"	xor %ebp, %ebp\n"
	"	call 1f\n"
	"	pop %rbp\n"
	"	ret\n"
	"1:\n"
	".rept 7\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	call 1f\n"
	"	pop %rbp\n"
	"	ret\n"
	"1:\n"
	".endr\n"
	"	jmp cost_fault_in_frames\n"
	".popsection\n");
