// SPDX-License-Identifier: GPL-2.0
/*
 * The machine around the PMU: descriptor tables, traps, the local APIC, the second CPU, and
 * the serial port for TAP.
 */
#include "machine.h"
#include "pmu.h"
#include "sequences.h"

#define SERIAL		0x3f8
#define SERIAL_STATUS	(SERIAL + 5)
#define DEBUG_EXIT	0xf4
#define PIC1_MASK	0x21
#define PIC2_MASK	0xa1

#define MSR_SYSENTER_CS	0x174
#define MSR_SYSENTER_ESP 0x175
#define MSR_SYSENTER_EIP 0x176
#define MSR_STAR	0xc0000081
#define MSR_LSTAR	0xc0000082
#define MSR_SYSCALL_MASK 0xc0000084

#define GATE_INTERRUPT	0x8e00UL
#define GATE_CALL	0x8c00UL
#define GATE_DPL3	0x6000UL
#define TSS_PRESENT	0x8900UL

#define STUB_SIZE	16

struct gate {
	u64 low, high;
};

struct tss {
	u32 reserved;
	u32 rsp0[2];
	u32 rest[23];
} __packed;

static struct gate idt[NR_VECTORS];
static struct tss tss[NR_CPUS];
static char trap_stacks[NR_CPUS][4096] __aligned(16);
static struct cpu cpus[NR_CPUS];
static int tests, failures;

static void (*second_cpu_work)(void);
static bool second_cpu_up, second_cpu_done;

static void write_port(u16 port, u8 value)
{
	asm volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void write_port_long(u16 port, u32 value)
{
	asm volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static u8 read_port(u16 port)
{
	u8 value;

	asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static void put(const char *string)
{
	for (; *string; string++)
		write_port(SERIAL, *string);
}

static void put_number(u64 number, u32 base)
{
	char text[24], *p = text + sizeof(text);

	*--p = '\0';
	do {
		*--p = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	put(p);
}

static void put_format(const char *format, __builtin_va_list args)
{
	for (; *format; format++) {
		if (*format != '%') {
			write_port(SERIAL, *format);
			continue;
		}
		switch (*++format) {
		case 'd':
			put_number(__builtin_va_arg(args, int), 10);
			break;
		case 'l':
			put_number(__builtin_va_arg(args, u64), 10);
			break;
		case 'x':
			put_number(__builtin_va_arg(args, u64), 16);
			break;
		case 's':
			put(__builtin_va_arg(args, const char *));
			break;
		}
	}
}

void say(const char *format, ...)
{
	__builtin_va_list args;

	__builtin_va_start(args, format);
	put("# ");
	put_format(format, args);
	put("\n");
	__builtin_va_end(args);
}

void check(const char *format, u64 got, u64 expected, ...)
{
	__builtin_va_list args;

	__builtin_va_start(args, expected);
	failures += got != expected;
	put(got == expected ? "ok " : "not ok ");
	put_number(++tests, 10);
	put(" - ");
	put_format(format, args);
	put("\n");
	if (got != expected)
		say("expected %l (0x%x), got %l (0x%x)", expected, expected, got, got);
	__builtin_va_end(args);
}

bool serial_has_input(void)
{
	return read_port(SERIAL_STATUS) & 1;
}

bool contains(const char *string, const char *word)
{
	for (; *string; string++) {
		int i = 0;

		while (word[i] && string[i] == word[i])
			i++;
		if (!word[i])
			return true;
	}
	return false;
}

/* QEMU's exit status is twice the value, plus one. */
void finish(void)
{
	put("1..");
	put_number(tests, 10);
	put("\n");
	write_port_long(DEBUG_EXIT, failures ? 2 : 1);
	for (;;)
		asm volatile("cli; hlt");
}

struct cpu *this_cpu(void)
{
	return &cpus[apic_read(APIC_ID) >> 24];
}

bool rdmsr_faults(u32 msr)
{
	struct cpu *cpu = this_cpu();

	cpu->faulted = false;
	asm volatile("movq $1f, %0\n\trdmsr\n1:"
		     : "=m"(cpu->fixup) : "c"(msr) : "eax", "edx", "memory");
	cpu->fixup = 0;
	return cpu->faulted;
}

bool wrmsr_faults(u32 msr, u64 value)
{
	struct cpu *cpu = this_cpu();

	cpu->faulted = false;
	asm volatile("movq $1f, %0\n\twrmsr\n1:"
		     : "=m"(cpu->fixup)
		     : "c"(msr), "a"((u32)value), "d"((u32)(value >> 32)) : "memory");
	cpu->fixup = 0;
	return cpu->faulted;
}

bool rdpmc_faults(u32 counter)
{
	struct cpu *cpu = this_cpu();

	cpu->faulted = false;
	asm volatile("movq $1f, %0\n\trdpmc\n1:"
		     : "=m"(cpu->fixup) : "c"(counter) : "eax", "edx", "memory");
	cpu->fixup = 0;
	return cpu->faulted;
}

void refused(const char *what, u32 msr, u64 value)
{
	check("#GP: %s", wrmsr_faults(msr, value), 1, what);
}

void accepted(const char *what, u32 msr, u64 value)
{
	check("no #GP: %s", wrmsr_faults(msr, value), 0, what);
}

void missing(const char *what, u32 msr)
{
	check("#GP: read of %s", rdmsr_faults(msr), 1, what);
	check("#GP: write of %s", wrmsr_faults(msr, 0), 1, what);
}

void handle_trap(struct frame *frame)
{
	struct cpu *cpu = this_cpu();

	if (frame->vector == VEC_NMI || frame->vector == VEC_PMI) {
		pmi_handle(frame);
		if (frame->vector == VEC_PMI)
			apic_write(APIC_EOI - APIC, 0);
		return;
	}
	if (frame->vector == VEC_GP && cpu->fixup) {
		cpu->faulted = true;
		frame->ip = cpu->fixup;
		return;
	}
	put("Bail out! trap ");
	put_number(frame->vector, 10);
	put(" at 0x");
	put_number(frame->ip, 16);
	put("\n");
	write_port_long(DEBUG_EXIT, 3);
}

static struct gate make_gate(void *handler, u64 type)
{
	u64 address = (u64)handler;

	return (struct gate) {
		.low = (address & 0xffff) | KERNEL_CS << 16 | type << 32 |
		       (address >> 16 & 0xffff) << 48,
		.high = address >> 32,
	};
}

void set_vector(int vector, void *handler)
{
	idt[vector] = make_gate(handler, GATE_INTERRUPT);
}

void reset_vectors(void)
{
	for (int i = 0; i < NR_VECTORS; i++)
		set_vector(i, stubs + i * STUB_SIZE);
	idt[VEC_RETURN] = make_gate(leave_user, GATE_INTERRUPT | GATE_DPL3);
}

static void load_tables(int id)
{
	struct { u16 limit; u64 base; } __packed pointer = {
		sizeof(idt) - 1, (u64)idt
	};
	u64 base = (u64)&tss[id], stack = (u64)trap_stacks[id] + sizeof(trap_stacks[id]);
	u16 selector = TSS_SEL + 16 * id;

	tss[id].rsp0[0] = stack;
	tss[id].rsp0[1] = stack >> 32;
	gdt[selector / 8] = (sizeof(struct tss) - 1) | (base & 0xffffff) << 16 |
			    TSS_PRESENT << 32 | (base >> 24 & 0xff) << 56;
	gdt[selector / 8 + 1] = base >> 32;
	asm volatile("lidt %0; ltr %1" : : "m"(pointer), "r"(selector));
	apic_write(APIC_SPURIOUS, APIC_SW_ENABLE | 0xff);
	apic_write(APIC_LVTPC, LVT_NMI);
}

/* All returns from user mode lead to leave_user. */
static void open_ways_back(void)
{
	struct gate call = make_gate(leave_user, GATE_CALL | GATE_DPL3);

	gdt[GATE_SEL / 8] = call.low;
	gdt[GATE_SEL / 8 + 1] = call.high;
	wrmsr(MSR_STAR, (u64)KERNEL_CS << 32 | (u64)(USER_CS32 | 3) << 48);
	wrmsr(MSR_LSTAR, (u64)leave_user);
	wrmsr(MSR_SYSCALL_MASK, 0x700);
	wrmsr(MSR_SYSENTER_CS, KERNEL_CS);
	wrmsr(MSR_SYSENTER_ESP, (u64)trap_stacks[0] + sizeof(trap_stacks[0]));
	wrmsr(MSR_SYSENTER_EIP, (u64)leave_user);
}

/* Return a flag that the other CPU sets after it has stored its results. */
static bool is_set(bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

static void set(bool *flag)
{
	__atomic_store_n(flag, true, __ATOMIC_RELEASE);
}

bool start_second_cpu(void (*work)(void))
{
	char *to = (char *)TRAMPOLINE;

	for (char *from = trampoline; from < trampoline_end; from++)
		*to++ = *from;
	second_cpu_work = work;
	apic_write(APIC_ICR_HIGH, 1 << 24);
	apic_write(APIC_ICR, ICR_INIT);
	apic_write(APIC_ICR_HIGH, 1 << 24);
	apic_write(APIC_ICR, ICR_STARTUP | TRAMPOLINE >> 12);
	/* The second CPU takes a while to start; a machine may not have one. */
	for (int i = 0; i < 10000000 && !is_set(&second_cpu_up); i++)
		asm volatile("pause");
	return is_set(&second_cpu_up);
}

void wait_for_second_cpu(void)
{
	while (!is_set(&second_cpu_done))
		asm volatile("pause");
}

void main_of_cpu(void)
{
	int id = apic_read(APIC_ID) >> 24;

	if (id == 0) {
		/* The timer's vector is also the vector of an exception. */
		write_port(PIC1_MASK, 0xff);
		write_port(PIC2_MASK, 0xff);
		reset_vectors();
		load_tables(0);
		open_ways_back();
		test_main((char *)(u64)*(u32 *)(u64)(multiboot_info + 16));
	}
	load_tables(id);
	set(&second_cpu_up);
	second_cpu_work();
	set(&second_cpu_done);
}
