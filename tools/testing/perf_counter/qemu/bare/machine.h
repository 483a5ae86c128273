/* SPDX-License-Identifier: GPL-2.0 */
/* The machine around the PMU: registers, traps, the local APIC, the second CPU. */
#ifndef MACHINE_H
#define MACHINE_H

#include "bare.h"

#define ARRAY_SIZE(a)	((int)(sizeof(a) / sizeof((a)[0])))

#define APIC_ID		0x20
#define APIC_SPURIOUS	0xf0
#define APIC_ICR	0x300
#define APIC_ICR_HIGH	0x310
#define APIC_LVTPC	0x340
#define APIC_SW_ENABLE	0x100
#define ICR_SELF	0x40000
#define ICR_INIT	0x4500
#define ICR_STARTUP	0x4600
#define LVT_NMI		0x400
#define LVT_MASKED	0x10000

#define CR4_PCE		0x100
#define MSR_EFER	0xc0000080
#define EFER_SVME	0x1000

#define PMU_MAX_GP	8

/* State of a CPU: results of its traps, and the values that start its counters. */
struct cpu {
	u64 fixup;		/* where the CPU continues after an expected #GP */
	bool faulted;		/* whether a #GP came */
	int pmis;
	int pmis_elsewhere;	/* number of PMIs that were not at pmi_expected_ip */
	u64 pmi_ip, pmi_cx, pmi_ctrl, pmi_expected_ip;
	u64 pmi_period;		/* written to the counter by the handler; 0: nothing is written */
	bool pmi_keep_status;
	bool pmi_reads;		/* the handler reads counter 1 by RDPMC */
	u64 evtsel[PMU_MAX_GP];
};

static inline u64 rdmsr(u32 msr)
{
	u32 lo, hi;

	asm volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr) : "memory");
	return (u64)hi << 32 | lo;
}

static inline void wrmsr(u32 msr, u64 value)
{
	asm volatile("wrmsr" : : "a"((u32)value), "d"((u32)(value >> 32)), "c"(msr) : "memory");
}

static inline u64 rdpmc(u32 counter)
{
	u32 lo, hi;

	asm volatile("rdpmc" : "=a"(lo), "=d"(hi) : "c"(counter) : "memory");
	return (u64)hi << 32 | lo;
}

static inline u64 read_cr4(void)
{
	u64 value;

	asm volatile("mov %%cr4, %0" : "=r"(value));
	return value;
}

static inline void write_cr4(u64 value)
{
	asm volatile("mov %0, %%cr4" : : "r"(value) : "memory");
}

static inline void sti(void)
{
	asm volatile("sti" : : : "memory");
}

static inline void cli(void)
{
	asm volatile("cli" : : : "memory");
}

static inline void cpuid(u32 leaf, u32 *a, u32 *b, u32 *c, u32 *d)
{
	asm volatile("cpuid" : "=a"(*a), "=b"(*b), "=c"(*c), "=d"(*d) : "a"(leaf), "c"(0));
}

static inline u32 apic_read(u32 reg)
{
	u32 value;

	asm volatile("movl (%1), %0" : "=r"(value) : "r"((u64)(APIC + reg)) : "memory");
	return value;
}

static inline void apic_write(u32 reg, u32 value)
{
	asm volatile("movl %0, (%1)" : : "r"(value), "r"((u64)(APIC + reg)) : "memory");
}

struct cpu *this_cpu(void);
bool rdmsr_faults(u32 msr);
bool wrmsr_faults(u32 msr, u64 value);
bool rdpmc_faults(u32 counter);
/* Check that writing this value is refused. */
void refused(const char *what, u32 msr, u64 value);
void accepted(const char *what, u32 msr, u64 value);
void missing(const char *what, u32 msr);

/* Set the handler of a trap; reset_vectors() restores the default. */
void set_vector(int vector, void *handler);
void reset_vectors(void);

bool start_second_cpu(void (*work)(void));
void wait_for_second_cpu(void);

/* Print a line; the formats are %s, %d for an int, and %l and %x for a u64. */
void say(const char *format, ...);
void check(const char *format, u64 got, u64 expected, ...);
bool serial_has_input(void);
bool contains(const char *string, const char *word);
void __noreturn finish(void);

void test_main(const char *command_line);

#endif
