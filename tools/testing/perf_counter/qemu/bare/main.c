// SPDX-License-Identifier: GPL-2.0
/*
 * A test of an x86 PMU without a kernel: it counts with the counters that the machine's CPUID
 * announces, and compares every number with one that was worked out by hand, beside the
 * instructions in sequences.S. Prints TAP on the first serial port and leaves QEMU through its
 * isa-debug-exit device.
 *
 * A word on the command line chooses the test; without a word, the program runs the general
 * tests. "icount" adds a test that the clock agrees with the cycles. "long" counts a loop that
 * takes seconds. "late", "again", "stale", "nmi-at" and "sleep" test machines with these
 * properties. "events", with the name of a model, tests which counters count an event. "irqs-off"
 * tests the records of how long interrupts are off. "migrate" counts while the machine is being
 * moved, until a byte arrives on the serial port.
 */
#include "bare.h"
#include "lbr.h"
#include "machine.h"
#include "pmu.h"
#include "sequences.h"
#include "test_registers.h"

/* Architectural events that are missing: the last-level cache, mispredictions. */
#define EVENTS_MISSING (1 << 3 | 1 << 4 | 1 << 6)

struct counts {
	const char *name;
	void (*sequence)(void);
	u64 user;
	u64 kernel;
	u64 more_cycles;
	void (*before)(void);
};

static void test_after_reset(void)
{
	u32 a, b, c, d;

	if (!pmu.intel)
		return;
	cpuid(0xa, &a, &b, &c, &d);
	check("CPUID leaf 0xA: counters of 48 bits", a >> 16 & 0xff, 48);
	check("CPUID leaf 0xA: fixed counters of 48 bits", d >> 5 & 0xff, 48);
	check("CPUID leaf 0xA: events that are missing", b, EVENTS_MISSING);
	check("after a reset GLOBAL_CTRL has the general counters", rdmsr(MSR_GLOBAL_CTRL),
	      (1 << pmu.num_gp) - 1);
}

static void fault_in_kernel(void)
{
	set_vector(VEC_PF, handle_fault_kernel);
}

static void leave_by(int vector)
{
	set_vector(vector, leave_user);
}

static void leave_by_pf(void) { leave_by(VEC_PF); }
static void leave_by_de(void) { leave_by(0); }
static void leave_by_db(void) { leave_by(1); }
static void leave_by_ud(void) { leave_by(6); }
static void leave_by_gp(void) { leave_by(VEC_GP); }

static void interrupt_pending(void)
{
	set_vector(VEC_IRQ, handle_irq);
	apic_write(APIC_ICR, ICR_SELF | VEC_IRQ);
}

static const struct counts table[] = {
	{ "nothing", seq_empty, 0, 1 },
	{ "straight code", seq_nops, 0, 100 },
	{ "a loop", seq_loop, 0, 2000002 },
	{ "rep stos", seq_rep_stos, 0, 6, 100 },
	{ "repe cmps", seq_repe_cmps, 0, 5, 7 },
	{ "rep with a count of 0", seq_rep_none, 0, 4 },
	{ "an instruction across two pages", seq_page_crossing, 0, 7 },
	{ "loads from a device", seq_mmio, 0, 6 },
	{ "code that changes itself", seq_self_modifying, 0, 5 },
	{ "a fault that returns elsewhere", seq_fault_kernel, 0, 9, 0, fault_in_kernel },
	{ "iret, int", seq_iret_int, 11, 9 },
	{ "sysret, syscall", seq_sysret_syscall, 8, 7 },
	{ "sysexit, sysenter", seq_sysexit_sysenter, 6, 6 },
	{ "far ret, far call", seq_far_ret_call, 5, 8 },
	{ "iret, page fault", seq_fault_load, 4, 9, 0, leave_by_pf },
	{ "iret, page fault of a locked access", seq_fault_locked, 3, 9, 0, leave_by_pf },
	{ "iret, divide error", seq_fault_divide, 4, 9, 0, leave_by_de },
	{ "iret, undefined opcode", seq_fault_undefined, 2, 9, 1, leave_by_ud },
	{ "iret, privileged instruction", seq_fault_privileged, 3, 9, 1, leave_by_gp },
	{ "iret, nothing to fetch", seq_fault_fetch, 2, 9, 0, leave_by_pf },
	{ "iret, single step", seq_single_step, 1, 9, 0, leave_by_db },
	{ "iret, interrupt, int", seq_interrupt, 5, 11, 0, interrupt_pending },
	{ "to user mode twice", seq_twice, 10, 21 },
	{ "a loop in user mode", seq_user_loop, 2000002, 9 },
};

/* AMD has no SYSENTER in long mode. */
static bool can_run(const struct counts *c)
{
	return pmu.intel || c->sequence != seq_sysexit_sysenter;
}

static u64 count(const struct counts *c, u64 event, u64 modes)
{
	u64 counted;

	if (c->before)
		c->before();
	counted = pmu_count(c->sequence, event | modes);
	reset_vectors();
	return counted;
}

static void test_sequences(void)
{
	for (int i = 0; i < ARRAY_SIZE(table); i++) {
		const struct counts *c = &table[i];
		u64 kernel = c->kernel + OVERHEAD;

		if (!can_run(c))
			continue;
		check("%s: instructions in user mode", count(c, pmu.insns, EVTSEL_USR),
		      c->user, c->name);
		check("%s: instructions in kernel mode", count(c, pmu.insns, EVTSEL_OS),
		      kernel, c->name);
		check("%s: instructions in both", count(c, pmu.insns, EVTSEL_USR | EVTSEL_OS),
		      c->user + kernel, c->name);
		check("%s: cycles", count(c, pmu.cycles, EVTSEL_USR | EVTSEL_OS),
		      c->user + kernel + c->more_cycles, c->name);
	}
}

/* CALL of measure() counts as a branch and as a store. */
static void test_events(void)
{
	const u64 both = EVTSEL_USR | EVTSEL_OS;

	check("branches", pmu_count(seq_memory, pmu.branches | both), 3 + 1);
	check("loads", pmu_count(seq_memory, pmu.loads | both), 5);
	check("stores", pmu_count(seq_memory, pmu.stores | both), 4 + 1);
	check("branches of a loop", pmu_count(seq_loop, pmu.branches | both), 1000001 + 1);
	check("conditional branches", pmu_count(seq_branches, pmu.conditional | both), 7);
	check("near branches taken", pmu_count(seq_branches, pmu.taken | both), 4 + 2 + 3 + 3 + 1);
	check("near returns", pmu_count(seq_branches, pmu.returns | both), 3);
	check("far branches", pmu_count(seq_branches, pmu.far | both), 0);
	check("branches of all kinds", pmu_count(seq_branches, pmu.branches | both),
	      7 + 2 + 3 + 3 + 1);
	check("instructions among branches", pmu_count(seq_branches, pmu.insns | both),
	      22 + OVERHEAD);
	check("conditional branches of a loop", pmu_count(seq_loop, pmu.conditional | both),
	      1000000);
	check("branches taken of a loop", pmu_count(seq_loop, pmu.taken | both), 999999 + 1 + 1);
	check("far branches there and back", pmu_count(seq_iret_int, pmu.far | both), 2);
	check("near branches taken there and back", pmu_count(seq_iret_int, pmu.taken | both),
	      1 + 1);
	if (pmu.calls)
		check("near calls", pmu_count(seq_branches, pmu.calls | both), 3 + 1);
	check("an event that is not emulated", pmu_count(seq_loop, 0x41 | both), 0);
	check("neither user nor kernel mode", pmu_count(seq_loop, pmu.insns), 0);
}

/* A cycle completes one instruction, or none in 100 cycles of seq_rep_stos. */
static void test_thresholds(void)
{
	const u64 insns = pmu.insns | EVTSEL_OS, cycles = pmu.cycles | EVTSEL_OS;
	const u64 n = 6 + OVERHEAD;

	check("cmask 1", pmu_count(seq_rep_stos, insns | EVTSEL_CMASK(1)), n);
	check("cmask 2", pmu_count(seq_rep_stos, insns | EVTSEL_CMASK(2)), 0);
	check("cmask 1, inverted", pmu_count(seq_rep_stos, insns | EVTSEL_CMASK(1) | EVTSEL_INV),
	      100);
	check("cmask 2, inverted", pmu_count(seq_rep_stos, insns | EVTSEL_CMASK(2) | EVTSEL_INV),
	      n + 100);
	check("inv without cmask", pmu_count(seq_rep_stos, insns | EVTSEL_INV), n);
	check("cycles, cmask 1", pmu_count(seq_rep_stos, cycles | EVTSEL_CMASK(1)), n + 100);
	check("cycles, cmask 1, inverted",
	      pmu_count(seq_rep_stos, cycles | EVTSEL_CMASK(1) | EVTSEL_INV), 0);
	check("edge", pmu_count(seq_rep_stos, insns | EVTSEL_EDGE), 0);
}

/*
 * Count with all counters at once, if the PMU has a register that starts all of them; then
 * with each counter alone.
 */
static void test_all_counters(void)
{
	pmu_reset();
	for (int i = 0; i < pmu.num_gp; i++)
		pmu_set(i, (i % 2 ? pmu.cycles : pmu.insns) | EVTSEL_OS, 1000 * i);
	pmu_measure_all(seq_rep_stos);
	for (int i = 0; pmu.global && i < pmu.num_gp; i++)
		check("counter %d beside all others", pmu_value(i),
		      1000 * i + 6 + OVERHEAD + (i % 2 ? 100 : 0), i);
	for (int i = 0; i < pmu.num_gp; i++) {
		pmu_reset();
		pmu_measure(i, seq_nops, pmu.insns | EVTSEL_OS);
		for (int j = 0; j < pmu.num_gp; j++)
			if (j != i && pmu_value(j))
				check("counter %d while %d counts", pmu_value(j), 0, j, i);
		check("counter %d alone", pmu_value(i), 100 + OVERHEAD, i);
	}
}

static void test_fixed_counters(void)
{
	static const char * const modes[] = { "", "kernel", "user", "both" };
	const u64 user = 11, kernel = 9 + OVERHEAD;

	for (int i = 0; i < 3; i++) {
		if (!(pmu.fixed_mask & 1 << i))
			continue;
		for (u64 mode = 1; mode <= 3; mode++) {
			pmu_reset();
			wrmsr(MSR_FIXED_CTR_CTRL, mode << 4 * i);
			measure(seq_iret_int, MSR_GLOBAL_CTRL, 1UL << (32 + i));
			check("fixed counter %d: %s", rdmsr(MSR_FIXED_CTR0 + i),
			      (mode & 1 ? kernel : 0) + (mode & 2 ? user : 0), i, modes[mode]);
		}
		pmu_reset();
		wrmsr(MSR_FIXED_CTR_CTRL, 3UL << 4 * i);
		measure(seq_rep_stos, MSR_GLOBAL_CTRL, 1UL << (32 + i));
		check("fixed counter %d: rep stos", rdmsr(MSR_FIXED_CTR0 + i),
		      6 + OVERHEAD + (i ? 100 : 0), i);
	}
}

/*
 * Return the place of the interrupt of the nth event; 0 unless there is exactly one
 * interrupt.
 */
static u64 overflow_at(void (*sequence)(void), u64 event, u64 n)
{
	pmu_reset();
	pmi_record();
	pmu_set(0, event | EVTSEL_INT, -n);
	pmu_measure_set(sequence);
	return this_cpu()->pmis == 1 ? this_cpu()->pmi_ip : 0;
}

/* Overflow at the nth instruction. The first one is CALL, the others are NOPs of one byte. */
static void test_overflow_exact(void)
{
	int wrong = 0;

	for (u64 n = 1; n <= 99; n++)
		wrong += overflow_at(seq_nops, pmu.insns | EVTSEL_OS, n) != (u64)seq_nops + n - 1;
	check("an overflow interrupts behind the instruction, of 99 wrong", wrong, 0);

	wrong = 0;
	/* CALL, 3 instructions, and then n rounds of REP STOSB. */
	for (u64 n = 1; n <= 99; n++)
		wrong += overflow_at(seq_rep_stos, pmu.cycles | EVTSEL_OS, 4 + n) !=
				(u64)seq_rep_stos + 12 ||
			 this_cpu()->pmi_cx != 100 - n;
	check("an overflow interrupts between two repetitions, of 99 wrong", wrong, 0);
}

/*
 * Offsets of the ends of the instructions in seq_memory: MOV 5, MOV 7, MOV 10, INC 12,
 * LOCK INC 15, PUSH 16, POP 17, NOP 18, JMP 20, JNZ 22. CALL of measure() ends at offset 0.
 */
static void test_overflow_of_events(void)
{
	static const u8 loads[] = { 7, 12, 15, 17 };
	static const u8 stores[] = { 0, 10, 12, 15, 16 };
	static const u8 branches[] = { 0, 20, 22 };

	for (int i = 0; i < ARRAY_SIZE(loads); i++)
		check("load %d overflows", overflow_at(seq_memory, pmu.loads | EVTSEL_OS, i + 1) -
		      (u64)seq_memory, loads[i], i + 1);
	for (int i = 0; i < ARRAY_SIZE(stores); i++)
		check("store %d overflows", overflow_at(seq_memory, pmu.stores | EVTSEL_OS, i + 1) -
		      (u64)seq_memory, stores[i], i + 1);
	for (int i = 0; i < ARRAY_SIZE(branches); i++)
		check("branch %d overflows",
		      overflow_at(seq_memory, pmu.branches | EVTSEL_OS, i + 1) - (u64)seq_memory,
		      branches[i], i + 1);
}

/* With "late", the interrupt of each overflow comes 30 instructions later. */
static void test_late(void)
{
	int wrong = 0;

	for (u64 n = 1; n <= 60; n++)
		wrong += overflow_at(seq_nops, pmu.insns | EVTSEL_OS, n) !=
			 (u64)seq_nops + n - 1 + 30;
	check("a late interrupt, of 60 wrong", wrong, 0);
	/* The counter has stopped before the late interrupt, which does not change the count. */
	overflow_at(seq_nops, pmu.insns | EVTSEL_OS, 100);
	check("a counter that was stopped: what it counted", pmu_value(0), 100 + OVERHEAD - 100);
	seq_nops();
	check("... and its interrupt", this_cpu()->pmis, 1);
	/* A late interrupt comes at HLT at the latest. */
	check("a late interrupt ends HLT",
	      overflow_at(seq_halt, pmu.insns | EVTSEL_OS, 2) - (u64)seq_halt, 2);
}

/* With "again", another interrupt comes 60 cycles later, in the handler or after it. */
static void test_again(void)
{
	struct cpu *cpu = this_cpu();

	pmu_reset();
	pmi_record();
	pmu_set(0, pmu.insns | EVTSEL_OS | EVTSEL_INT, -10UL);
	pmu_measure_set(seq_nops);
	for (int i = 0; i < 100; i++)
		asm volatile("nop");
	check("an interrupt that comes again", cpu->pmis, 2);
	if (pmu.global)
		check("... without a status", rdmsr(pmu.msr_status), 0);
	/*
	 * Masking does not cancel a latched NMI. Intel's LVTPC is masked from the first NMI
	 * on.
	 */
	check("... and leaves the LVTPC", !!(apic_read(APIC_LVTPC) & LVT_MASKED), pmu.intel);
}

/* With "stale", an overflow also sets the status bits of the other counters. */
static void test_stale(void)
{
	pmu_reset();
	pmi_record();
	pmu_set(0, pmu.insns | EVTSEL_OS, -10UL);
	pmu_set(1, pmu.insns | EVTSEL_OS, 0);
	pmu_set(2, pmu.insns | EVTSEL_USR, 0);
	wrmsr(pmu.msr_status_reset, rdmsr(pmu.msr_status));
	measure(seq_nops, pmu.msr_ctrl, 3);
	check("a stale status", rdmsr(pmu.msr_status), 3);
	check("... of a counter that goes on", pmu_value(1), 100 + OVERHEAD);
	check("... nobody's interrupt", this_cpu()->pmis, 0);
}

/* Return a mask of the counters that count this event, on a machine that restricts events. */
static u64 counters_of(u64 event)
{
	u64 mask = 0;

	pmu_reset();
	for (int i = 0; i < pmu.num_gp; i++)
		pmu_set(i, event | EVTSEL_OS, 0);
	pmu_measure_all(seq_nops);
	for (int i = 0; i < pmu.num_gp; i++)
		mask |= pmu_value(i) ? 1UL << i : 0;
	return mask;
}

static void test_constraints(const char *command_line)
{
	static const struct {
		const char *model;
		u32 event;
		u64 counters;
	} table[] = {
		{ "nehalem", 0x0140, 0x3 }, { "nehalem", 0x0144, 0xf }, { "nehalem", 0x0151, 0x3 },
		{ "haswell", 0x0148, 0x4 }, { "haswell", 0x0248, 0xf }, { "haswell", 0x01c0, 0x2 },
		{ "haswell", 0x00c0, 0xf }, { "haswell", 0x08cd, 0x8 },
		{ "skylake", 0x81d0, 0xf }, { "skylake", 0x0190, 0xff }, { "skylake", 0x01cd, 0xf },
		{ "icelake", 0x0148, 0xf }, { "icelake", 0x0156, 0xf }, { "icelake", 0x0157, 0xff },
		{ "icelake", 0x0160, 0xf }, { "icelake", 0x01e6, 0xf }, { "icelake", 0x01e7, 0xff },
		{ "icelake", 0x04a3, 0xff }, { "icelake", 0x01a3, 0xf }, { "icelake", 0x01c0, 0 },
		{ "sapphirerapids", 0x0151, 0xf }, { "sapphirerapids", 0x013c, 0xff },
		{ "sapphirerapids", 0x0190, 0xff }, { "sapphirerapids", 0x04a4, 0x1 },
		{ "sapphirerapids", 0x20d1, 0xf }, { "sapphirerapids", 0x01ce, 0x1 },
		{ "alderlake", 0x0151, 0xf }, { "alderlake", 0x0190, 0xff },
		{ "small", 0x0151, 0x3f }, { "small", 0x0190, 0x3f },
		{ "bulldozer", 0x0100, 0x38 }, { "bulldozer", 0x1100, 0x08 },
		{ "bulldozer", 0x0103, 0x08 }, { "bulldozer", 0x0104, 0x38 },
		{ "bulldozer", 0x0304, 0x08 }, { "bulldozer", 0x012e, 0x09 },
		{ "bulldozer", 0x0131, 0x07 }, { "bulldozer", 0x0331, 0 },
		{ "bulldozer", 0x0123, 0x07 }, { "bulldozer", 0x0124, 0x3f },
		{ "bulldozer", 0x018f, 0x01 }, { "bulldozer", 0x00c0, 0x3f },
		{ "bulldozer", 0x01d3, 0x07 }, { "bulldozer", 0x01dc, 0x3f },
		{ "bulldozer", 0x01e9, 0 },
	};
	int found = 0;

	for (int i = 0; i < ARRAY_SIZE(table); i++) {
		if (!contains(command_line, table[i].model))
			continue;
		found++;
		check("event %x: counters", counters_of(table[i].event), table[i].counters,
		      (u64)table[i].event);
	}
	check("a model that is known", found > 0, 1);
}

/* The handler restarts the counter with its period, without losing an event. */
static void test_sampling(u64 period)
{
	struct cpu *cpu = this_cpu();

	pmu_reset();
	pmi_record();
	cpu->pmi_period = period;
	cpu->pmi_expected_ip = (u64)user_loop_decl_end;
	pmu_set(0, pmu.insns | EVTSEL_USR | EVTSEL_INT, -period);
	pmu_measure_set(seq_user_loop);
	cpu->pmi_period = 0;
	check("period %l: samples", cpu->pmis, 2000002 / period, period);
	check("period %l: samples elsewhere", cpu->pmis_elsewhere, 0, period);
	check("period %l: what is left", (pmu_value(0) + period) & PMU_MASK, 2000002 % period,
	      period);
}

static void test_lvtpc(void)
{
	struct cpu *cpu = this_cpu();

	pmu_reset();
	pmi_record();
	pmu_set(0, pmu.insns | EVTSEL_OS | EVTSEL_INT, -10UL);
	pmu_measure_set(seq_nops);
	check("a PMI masks the LVTPC", !!(apic_read(APIC_LVTPC) & LVT_MASKED), pmu.intel);
	pmu_set(0, pmu.insns | EVTSEL_OS | EVTSEL_INT, -10UL);
	pmu_measure_set(seq_nops);
	check("a masked LVTPC: interrupts", cpu->pmis, pmu.intel ? 1 : 2);

	pmi_record();
	apic_write(APIC_LVTPC, LVT_NMI | LVT_MASKED);
	pmu_set(0, pmu.insns | EVTSEL_OS | EVTSEL_INT, -10UL);
	pmu_measure_set(seq_nops);
	check("LVTPC masked by hand: interrupts", cpu->pmis, 0);
	check("... but the counter has overflowed", pmu_value(0), 100 + OVERHEAD - 10);

	pmi_record();
	pmu_set(0, pmu.insns | EVTSEL_OS, -10UL);
	pmu_measure_set(seq_nops);
	check("without INT: interrupts", cpu->pmis, 0);

	pmi_record();
	apic_write(APIC_LVTPC, VEC_PMI);
	pmu_set(0, pmu.insns | EVTSEL_OS | EVTSEL_INT, -10UL);
	sti();
	pmu_measure_set(seq_nops);
	cli();
	check("PMI by vector: interrupts", cpu->pmis, 1);
	check("PMI by vector: where", cpu->pmi_ip - (u64)seq_nops, 9);
}

/* Instruction 2 of seq_halt is HLT: the interrupt of its own overflow wakes the CPU. */
static void test_halt(void)
{
	pmu_reset();
	pmi_record();
	pmu_set(0, pmu.insns | EVTSEL_OS | EVTSEL_INT, -3UL);
	pmu_measure_set(seq_halt);
	check("HLT overflows: interrupts", this_cpu()->pmis, 1);
	check("HLT overflows: where", this_cpu()->pmi_ip - (u64)seq_halt, 2);
}

/* The PMU's interrupt comes before all others that are due at the same time. */
static void test_boundaries(void)
{
	check("the last instruction of user mode overflows: INT",
	      overflow_at(seq_iret_int, pmu.insns | EVTSEL_USR, 11), (u64)leave_user);
	check("the last instruction of user mode overflows: SYSCALL",
	      overflow_at(seq_sysret_syscall, pmu.insns | EVTSEL_USR, 8), (u64)leave_user);
	check("the last instruction of kernel mode overflows: SYSRET",
	      overflow_at(seq_sysret_syscall, pmu.insns | EVTSEL_OS, 6), (u64)sysret_target);

	leave_by_pf();
	check("an overflow, and nothing to fetch",
	      overflow_at(seq_fault_fetch, pmu.insns | EVTSEL_USR, 2), HOLE);
	reset_vectors();

	interrupt_pending();
	check("an overflow, and an interrupt is pending",
	      overflow_at(seq_sti, pmu.insns | EVTSEL_OS, 3) - (u64)seq_sti, 2);
	reset_vectors();
}

/* With icount, a cycle is a nanosecond, with and without interrupts of counters. */
static void test_clock(void)
{
	pmu_reset();
	pmi_record();
	this_cpu()->pmi_period = 777;
	pmu_set(0, pmu.insns | EVTSEL_OS | EVTSEL_USR | EVTSEL_INT, -777UL);
	pmu_set(1, pmu.cycles | EVTSEL_OS | EVTSEL_USR, 0);
	pmu_measure_all(seq_clock);
	this_cpu()->pmi_period = 0;
	check("the clock and the cycles", sequence_result, sequence_arg);
	check("... with interrupts", this_cpu()->pmis > 200, 1);
}

static void test_overflow_status(void)
{
	if (!pmu.global)
		return;
	pmu_reset();
	for (int i = 0; i < pmu.num_gp; i++)
		pmu_set(i, pmu.insns | EVTSEL_OS, i % 2 ? -50UL : -1000UL);
	pmu_measure_all(seq_nops);
	for (int i = 0; i < pmu.num_gp; i++)
		check("status of counter %d", rdmsr(pmu.msr_status) >> i & 1, i % 2, i);
	wrmsr(pmu.msr_status_reset, 1 << 1);
	check("status after a reset of one bit", rdmsr(pmu.msr_status),
	      (0xaa & ((1 << pmu.num_gp) - 1)) & ~2UL);
	if (!pmu.intel)
		return;
	pmu_reset();
	wrmsr(MSR_FIXED_CTR_CTRL, FIXED_OS | FIXED_PMI);
	wrmsr(MSR_FIXED_CTR0, -20UL & PMU_MASK);
	pmi_record();
	this_cpu()->pmi_keep_status = true;
	measure(seq_nops, MSR_GLOBAL_CTRL, 1UL << 32);
	this_cpu()->pmi_keep_status = false;
	check("fixed counter: interrupts", this_cpu()->pmis, 1);
	check("fixed counter: where", this_cpu()->pmi_ip - (u64)seq_nops, 19);
	check("fixed counter: status", rdmsr(MSR_GLOBAL_STATUS), 1UL << 32);
}

static void test_freeze(void)
{
	if (!pmu.intel)
		return;
	pmu_reset();
	pmi_record();
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_FREEZE_ON_PMI);
	pmu_set(0, pmu.insns | EVTSEL_OS | EVTSEL_INT, -10UL);
	pmu_set(1, pmu.insns | EVTSEL_OS, 0);
	this_cpu()->pmi_keep_status = true;
	pmu_measure_all(seq_nops);
	this_cpu()->pmi_keep_status = false;
	check("frozen: the counter that overflowed", pmu_value(0), 0);
	check("frozen: another one", pmu_value(1), 10);
	check("frozen: GLOBAL_CTRL in the handler", this_cpu()->pmi_ctrl,
	      pmu.version >= 4 ? (1 << pmu.num_gp) - 1 : 0);
	check("frozen: CTR_FRZ", rdmsr(MSR_GLOBAL_STATUS) >> 59 & 1, pmu.version >= 4);
	if (pmu.version >= 4) {
		pmu_measure_all(seq_nops);
		check("CTR_FRZ is still set: another one", pmu_value(1), 10);
		wrmsr(MSR_GLOBAL_STATUS_RESET, STATUS_CTR_FRZ);
		pmu_measure_all(seq_nops);
		check("CTR_FRZ reset: another one", pmu_value(1), 10 + 100 + OVERHEAD);
		wrmsr(MSR_GLOBAL_STATUS_SET, STATUS_CTR_FRZ);
		pmu_measure_all(seq_nops);
		check("CTR_FRZ set: another one", pmu_value(1), 10 + 100 + OVERHEAD);
	}
	wrmsr(MSR_DEBUGCTL, 0);
}

static void test_version_4(void)
{
	pmu_reset();
	wrmsr(MSR_GLOBAL_STATUS_SET, 1UL << 32 | 1);
	check("GLOBAL_STATUS_SET", rdmsr(MSR_GLOBAL_STATUS), 1UL << 32 | 1);
	wrmsr(MSR_GLOBAL_STATUS_RESET, 1UL << 32 | 1);
	check("GLOBAL_STATUS_RESET", rdmsr(MSR_GLOBAL_STATUS), 0);
	check("GLOBAL_INUSE: nothing", rdmsr(MSR_GLOBAL_INUSE), 0);
	wrmsr(MSR_EVTSEL0 + 2, 0xc0);
	wrmsr(MSR_FIXED_CTR_CTRL, FIXED_USR);
	check("GLOBAL_INUSE: two counters", rdmsr(MSR_GLOBAL_INUSE), 1UL << 32 | 1 << 2);
	wrmsr(MSR_FIXED_CTR_CTRL, FIXED_USR | FIXED_PMI);
	check("GLOBAL_INUSE: and the PMI", rdmsr(MSR_GLOBAL_INUSE), 1UL << 63 | 1UL << 32 | 1 << 2);
	wrmsr(MSR_FIXED_CTR_CTRL, 0);
	wrmsr(MSR_EVTSEL0 + 2, EVTSEL_INT);
	check("GLOBAL_INUSE: the PMI", rdmsr(MSR_GLOBAL_INUSE), 1UL << 63);
}

static void test_widths(void)
{
	pmu_reset();
	wrmsr(pmu_msr_counter(0), 0x80000000);
	check("32 bits, the highest set", rdmsr(pmu_msr_counter(0)),
	      pmu.intel ? 0xffff80000000 : 0x80000000);
	wrmsr(pmu_msr_counter(0), 0x123400000001);
	check("the other 16 bits", rdmsr(pmu_msr_counter(0)), pmu.intel ? 1 : 0x123400000001);
	if (!pmu.intel)
		return;
	wrmsr(MSR_FIXED_CTR0, 0x123480000000);
	check("a fixed counter has all of them", rdmsr(MSR_FIXED_CTR0), 0x123480000000);
	if (pmu.full_width) {
		wrmsr(MSR_PMC0, 0x123480000000);
		check("full-width write", rdmsr(MSR_PMC0), 0x123480000000);
		check("... seen at the old address", rdmsr(MSR_PERFCTR0), 0x123480000000);
	}
}

static void test_refusals_intel(void)
{
	/* Only version 3 of the emulated versions has this bit. */
	if (pmu.version == 3)
		accepted("event select, ANY", MSR_EVTSEL0, EVTSEL_ANY);
	else
		refused("event select, ANY", MSR_EVTSEL0, EVTSEL_ANY);
	refused("event select, bit 32", MSR_EVTSEL0, 1UL << 32);
	accepted("event select, all others", MSR_EVTSEL0, 0xffffffff & ~(EVTSEL_ANY | EVTSEL_EN));
	refused("fixed counter control, ANY", MSR_FIXED_CTR_CTRL, 4);
	refused("fixed counter control, a fourth counter", MSR_FIXED_CTR_CTRL, 1 << 12);
	refused("global control, a counter too many", MSR_GLOBAL_CTRL, 1UL << pmu.num_gp);
	/* Linux expects a fourth fixed counter on the large cores of a hybrid machine. */
	if (pmu.large)
		accepted("global control, slots and their metrics", MSR_GLOBAL_CTRL,
			 1UL << 35 | 1UL << 48);
	else
		refused("global control, a fixed one too many", MSR_GLOBAL_CTRL, 1UL << 35);
	refused("global status", MSR_GLOBAL_STATUS, 0);
	accepted("status reset", MSR_GLOBAL_STATUS_RESET,
		 1UL << 63 | 1UL << 62 | (u64)pmu.fixed_mask << 32 | 1);
	refused("status reset, bit 36", MSR_GLOBAL_STATUS_RESET, 1UL << 36);
	refused("fixed counter, bit 48", MSR_FIXED_CTR0, 1UL << 48);
	if (pmu.num_gp < PMU_MAX_GP) {
		missing("a general counter too many", MSR_PERFCTR0 + pmu.num_gp);
		missing("an event select too many", MSR_EVTSEL0 + pmu.num_gp);
	}
	missing("a fixed counter too many", MSR_FIXED_CTR0 + 3);
	if (pmu.full_width)
		refused("full-width write, bit 48", MSR_PMC0, 1UL << 48);
	else
		missing("a full-width counter", MSR_PMC0);
	if (pmu.capabilities)
		refused("PERF_CAPABILITIES", MSR_PERF_CAPABILITIES, 0);
	else
		missing("PERF_CAPABILITIES", MSR_PERF_CAPABILITIES);
	if (pmu.version >= 4) {
		refused("GLOBAL_INUSE", MSR_GLOBAL_INUSE, 0);
		accepted("status reset, CTR_FRZ", MSR_GLOBAL_STATUS_RESET, STATUS_CTR_FRZ);
		refused("status set, bit 36", MSR_GLOBAL_STATUS_SET, 1UL << 36);
	} else {
		missing("GLOBAL_INUSE", MSR_GLOBAL_INUSE);
		missing("GLOBAL_STATUS_SET", MSR_GLOBAL_STATUS_SET);
		refused("status reset, CTR_FRZ", MSR_GLOBAL_STATUS_RESET, STATUS_CTR_FRZ);
	}
	for (int i = 0; i < 3; i++)
		if (!(pmu.fixed_mask & 1 << i)) {
			missing("a fixed counter that is not there", MSR_FIXED_CTR0 + i);
			refused("its control", MSR_FIXED_CTR_CTRL, 1 << 4 * i);
			refused("its enable bit", MSR_GLOBAL_CTRL, 1UL << (32 + i));
		}
}

static void test_refusals_amd(void)
{
	accepted("event select, reserved bits", MSR_K7_EVTSEL0, 1UL << 63 | EVTSEL_ANY);
	check("... which read as zero", rdmsr(MSR_K7_EVTSEL0), 0);
	if (pmu.num_gp > 4) {
		wrmsr(MSR_CORE_CTL0, 0x76);
		check("the two addresses of a counter", rdmsr(MSR_K7_EVTSEL0), 0x76);
	} else {
		missing("a core counter", MSR_CORE_CTL0);
	}
	if (pmu.global)
		refused("global status", MSR_AMD_GLOBAL_STATUS, 0);
	else
		missing("global control", MSR_AMD_GLOBAL_CTL);
}

/* With virtualization enabled, a counter may count the host only or guests only. */
static void test_host_and_guest(void)
{
	const u64 event = pmu.insns | EVTSEL_OS, efer = rdmsr(MSR_EFER);
	const u64 counted = 100 + OVERHEAD;

	check("for guests, SVM disabled", pmu_count(seq_nops, event | EVTSEL_AMD_GUEST), counted);
	wrmsr(MSR_EFER, efer | EFER_SVME);
	check("for guests, SVM enabled", pmu_count(seq_nops, event | EVTSEL_AMD_GUEST), 0);
	check("for the host, SVM enabled", pmu_count(seq_nops, event | EVTSEL_AMD_HOST), counted);
	check("for both, SVM enabled",
	      pmu_count(seq_nops, event | EVTSEL_AMD_HOST | EVTSEL_AMD_GUEST), counted);
	wrmsr(MSR_EFER, efer);
}

static void test_rdpmc(void)
{
	const u64 event = pmu.insns | EVTSEL_OS | EVTSEL_USR;

	pmu_reset();
	sequence_arg = 1;
	pmu_measure(1, seq_rdpmc, event);
	check("RDPMC twice", sequence_result, 4);
	check("RDPMC after all is the counter", rdpmc(1), pmu_value(1));
	check("RDPMC of a counter too many: #GP", rdpmc_faults(pmu.num_gp), 1);
	check("RDPMC, bit 29: #GP", rdpmc_faults(1 << 29), 1);
	if (pmu.intel) {
		wrmsr(MSR_FIXED_CTR0, 0x123456789abc);
		check("RDPMC of a fixed counter", rdpmc(1 << 30), 0x123456789abc);
		check("RDPMC of a fixed one too many: #GP", rdpmc_faults(1 << 30 | 3), 1);
	}
	check("RDPMC, bit 31: #GP", rdpmc_faults(1U << 31), 1);

	set_vector(VEC_GP, leave_user);
	sequence_arg = 0;
	sequence_result = 0;
	seq_rdpmc_user();
	check("RDPMC in user mode without CR4.PCE", sequence_result, 0);
	write_cr4(read_cr4() | CR4_PCE);
	seq_rdpmc_user();
	check("RDPMC in user mode with CR4.PCE", sequence_result, 1);
	write_cr4(read_cr4() & ~CR4_PCE);
	reset_vectors();
}

static void test_accesses(void)
{
	u64 before[4];

	for (int i = 0; i < 4; i++)
		before[i] = rdmsr(MSR_ACCESSES + i);
	pmu_value(0);
	pmu_value(0);
	wrmsr(pmu_msr_counter(0), 0);
	wrmsr(pmu_msr_counter(0), 0);
	wrmsr(pmu_msr_counter(0), 0);
	rdpmc(0);
	apic_write(APIC_LVTPC, LVT_NMI);
	apic_write(APIC_LVTPC + 0x10, LVT_MASKED);
	rdmsr(0x1b);
	check("accesses: RDMSR", rdmsr(MSR_ACCESSES + 0) - before[0], 2);
	check("accesses: WRMSR", rdmsr(MSR_ACCESSES + 1) - before[1], 3);
	check("accesses: RDPMC", rdmsr(MSR_ACCESSES + 2) - before[2], 1);
	check("accesses: LVTPC", rdmsr(MSR_ACCESSES + 3) - before[3], 1);
	check("accesses cannot be written", wrmsr_faults(MSR_ACCESSES, 0), 1);
}

/* Return the longest stretch with interrupts off since the last call. */
static u64 irqs_off(void)
{
	return rdmsr(MSR_IRQS_OFF);
}

/*
 * Test stretches from CLI to the instruction that sets the flag again, which is the last
 * one of a stretch. External interrupts are masked, so that none begins a stretch of its
 * own.
 */
static void test_irqs_off(void)
{
	u64 begin, end;

	sti();
	irqs_off();
	check("no stretch with interrupts off", irqs_off(), 0);
	asm volatile("cli\n1: .rept 5; nop; .endr; sti\n2: lea 1b(%%rip), %0; lea 2b(%%rip), %1"
		     : "=r"(begin), "=r"(end));
	check("5 NOPs and STI", irqs_off(), 6);
	check("... which began behind CLI", rdmsr(MSR_IRQS_OFF + 1), begin);
	check("... and ended behind STI", rdmsr(MSR_IRQS_OFF + 2), end);
	check("the next read is of what came later", irqs_off(), 0);
	check("... and so is where that was", rdmsr(MSR_IRQS_OFF + 1), 0);
	asm volatile("cli; nop; sti; nop; cli; .rept 3; nop; .endr; sti; nop; cli; nop; sti");
	check("the longest of three", irqs_off(), 4);
	asm volatile("pushfq; cli; nop; popfq" : : : "memory");
	check("NOP and POPF", irqs_off(), 2);
	asm volatile("mov $1000, %%ecx; cli; 1: dec %%ecx; jnz 1b; sti" : : : "ecx");
	check("a loop of 1,000 rounds", irqs_off(), 2001);
	asm volatile("cli; nop; cli; nop; sti; sti");
	check("CLI and STI a second time", irqs_off(), 4);
	/* Return as from an interrupt: PUSH of SS, RSP, RFLAGS, CS, RIP, and IRET. */
	asm volatile("mov %%rsp, %%rcx; pushfq; pop %%rdx; mov %%ss, %%esi; mov %%cs, %%edi\n"
		     "lea 1f(%%rip), %%rax; cli; push %%rsi; push %%rcx; push %%rdx; push %%rdi\n"
		     "push %%rax; iretq\n1:"
		     : : : "rax", "rcx", "rdx", "rsi", "rdi", "memory");
	check("5 PUSHs and IRET", irqs_off(), 6);
	cli();
	check("a stretch that has not ended is none", irqs_off(), 0);
	sti();
	check("... until it has", irqs_off() > 10, 1);
	cli();
	check("the longest stretch cannot be written", wrmsr_faults(MSR_IRQS_OFF, 0), 1);
}

/* Results of the second CPU, which counts and samples at the same time as the first one. */
static u64 second_cpu_counted, second_cpu_pmis, second_cpu_wrong_records, wrong_in_real_mode;

static void work_of_second_cpu(void)
{
	if (lbr.type)
		wrong_in_real_mode = lbr_wrong_in_real_mode();
	second_cpu_counted = pmu_count(seq_loop, pmu.insns | EVTSEL_OS);
	pmu_reset();
	pmi_record();
	pmu_set(0, pmu.insns | EVTSEL_OS | EVTSEL_INT, -1000000UL);
	pmu_measure_set(seq_loop);
	second_cpu_pmis = this_cpu()->pmis;
	if (lbr.type)
		second_cpu_wrong_records = lbr_repeat();
}

static void test_two_cpus(void)
{
	u64 counted, wrong_records = 0;

	pmu_reset();
	pmi_record();
	if (lbr.type)
		lbr_prepare_real_mode();
	if (!start_second_cpu(work_of_second_cpu)) {
		say("one CPU: nothing to do for two");
		return;
	}
	counted = pmu_count(seq_loop, pmu.insns | EVTSEL_OS);
	if (lbr.type)
		wrong_records = lbr_repeat();
	wait_for_second_cpu();
	check("the first CPU, beside the second", counted, 2000002 + OVERHEAD);
	check("the second CPU, beside the first", second_cpu_counted, 2000002 + OVERHEAD);
	check("the second CPU's interrupts", second_cpu_pmis, 1);
	check("the first CPU's", this_cpu()->pmis, 0);
	if (!lbr.type)
		return;
	check("the first CPU's branch records: wrong ones", wrong_records, 0);
	check("the second CPU's", second_cpu_wrong_records, 0);
	check("... and in real mode", wrong_in_real_mode, 0);
}

/* Run the loop in user mode, with samples, until a byte arrives. */
static void test_migration(void)
{
	const u64 period = 777777;
	struct cpu *cpu = this_cpu();
	u64 rounds = 0;

	pmu_reset();
	pmi_record();
	cpu->pmi_period = period;
	pmu_set(0, pmu.insns | EVTSEL_USR | EVTSEL_INT, -period);
	if (pmu.num_gp > 1)
		pmu_set(1, pmu.cycles | EVTSEL_USR, 0);
	if (lbr.type)
		test_lbr_migration_begin();
	say("ready to migrate");
	while (!serial_has_input()) {
		pmu_measure_all(seq_user_loop);
		rounds++;
	}
	if (lbr.type)
		test_lbr_migration_end();
	check("migration: cycles", pmu_value(1), rounds * 2000002);
	check("migration: samples", cpu->pmis, rounds * 2000002 / period);
	check("migration: what is left", (pmu_value(0) + period) & PMU_MASK,
	      rounds * 2000002 % period);
}

void test_main(const char *command_line)
{
	pmu_detect();
	lbr_detect();
	if (contains(command_line, "migrate")) {
		test_migration();
	} else if (contains(command_line, "long")) {
		check("a long loop", pmu_count(seq_long_loop, pmu.insns | EVTSEL_OS),
		      1200000002UL + OVERHEAD);
	} else if (contains(command_line, "late")) {
		test_late();
	} else if (contains(command_line, "again")) {
		test_again();
	} else if (contains(command_line, "stale")) {
		test_stale();
	} else if (contains(command_line, "irqs-off")) {
		test_irqs_off();
	} else if (contains(command_line, "nmi-at")) {
		test_nmi_at();
	} else if (contains(command_line, "sleep")) {
		test_lbr_sleep();
	} else if (contains(command_line, "events")) {
		test_constraints(command_line);
	} else {
		test_after_reset();
		test_sequences();
		test_events();
		test_thresholds();
		test_all_counters();
		if (pmu.intel)
			test_fixed_counters();
		test_overflow_exact();
		test_overflow_of_events();
		test_sampling(20000);
		test_sampling(1000);
		test_lvtpc();
		test_halt();
		test_boundaries();
		if (contains(command_line, "icount"))
			test_clock();
		test_overflow_status();
		test_freeze();
		if (pmu.intel && pmu.version >= 4)
			test_version_4();
		test_widths();
		if (pmu.intel) {
			test_refusals_intel();
		} else {
			test_refusals_amd();
			test_host_and_guest();
		}
		test_registers();
		test_rdpmc();
		test_accesses();
		if (lbr.type)
			test_lbr();
		test_two_cpus();
	}
	finish();
}
