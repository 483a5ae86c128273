// SPDX-License-Identifier: GPL-2.0
/*
 * Branch records for each kind of branch, with each filter, and their freezing. The records
 * were worked out by hand beside the branches in lbr_sequences.S; this file applies the
 * filters, and expects zeros in all other entries.
 */
#include "lbr.h"
#include "lbr_sequences.h"
#include "pmu.h"
#include "sequences.h"

#define MAX_ENTRIES	32
#define ALL		(LBR_KINDS | LBR_KERNEL | LBR_USER)

struct sequence {
	const char *name;
	void (*run)(void);
	const struct branch *branches;
	void (*before)(void);
};

static void interrupts_return(void)
{
	set_vector(VEC_IRQ, lbr_interrupt);
}

static void interrupt_pending(void)
{
	set_vector(VEC_IRQ, handle_irq);
	apic_write(APIC_ICR, ICR_SELF | VEC_IRQ);
}

static void exceptions_leave(void)
{
	static const int vectors[] = { 0, 1, 6, VEC_GP, VEC_PF };

	for (int i = 0; i < ARRAY_SIZE(vectors); i++)
		set_vector(vectors[i], leave_user);
}

static const struct sequence sequences[] = {
	{ "kinds of branches", lbr_kinds, lbr_kinds_branches, interrupts_return },
	{ "no branches", lbr_none, lbr_none_branches },
	{ "high addresses", lbr_high, lbr_high_branches },
	{ "iret, int", lbr_iret_int, lbr_iret_int_branches },
	{ "sysret, syscall", lbr_sysret_syscall, lbr_sysret_syscall_branches },
	{ "sysexit, sysenter", lbr_sysexit_sysenter, lbr_sysexit_sysenter_branches },
	{ "far ret, far call", lbr_far_ret_call, lbr_far_ret_call_branches },
	{ "jmp, fault of its load", lbr_fault_load, lbr_fault_load_branches, exceptions_leave },
	{ "call, fault of its push", lbr_fault_call, lbr_fault_call_branches, exceptions_leave },
	{ "ret, fault of its pop", lbr_fault_ret, lbr_fault_ret_branches, exceptions_leave },
	{ "iret, fault", lbr_fault_iret, lbr_fault_iret_branches, exceptions_leave },
	{ "nothing to fetch", lbr_fault_fetch, lbr_fault_fetch_branches, exceptions_leave },
	{ "int, refused", lbr_fault_int, lbr_fault_int_branches, exceptions_leave },
	{ "divide error", lbr_fault_divide, lbr_fault_divide_branches, exceptions_leave },
	{ "undefined opcode", lbr_fault_undefined, lbr_fault_undefined_branches,
	  exceptions_leave },
	{ "interrupt", lbr_interrupted, lbr_interrupted_branches, interrupt_pending },
};

/* Add a record as the youngest. */
static void push(struct lbr_entry *entries, struct lbr_entry youngest)
{
	for (int i = MAX_ENTRIES - 1; i > 0; i--)
		entries[i] = entries[i - 1];
	entries[0] = youngest;
}

/* Apply a filter to a sequence's records, the youngest first. Returns their number. */
static int expected_of(const struct branch *b, u32 what, struct lbr_entry *expected)
{
	u64 cycles = 0;
	int n = 0;

	for (; b->what; b++) {
		struct branch left = *b;

		cycles += b->cycles;
		if (!(b->what & what & LBR_KINDS) || !(b->what & what & (LBR_KERNEL | LBR_USER)))
			continue;
		left.cycles = cycles;
		push(expected, lbr_entry_of(&left, !(what & (b->what & LBR_FROM_USER ? LBR_USER :
									    LBR_KERNEL))));
		cycles = 0;
		n++;
	}
	return n;
}

static bool same(const struct lbr_entry *a, const struct lbr_entry *b)
{
	return a->from == b->from && a->to == b->to && a->info == b->info;
}

/*
 * Compare all entries with the expected ones, print the differences, and return their
 * number.
 */
static int wrong_entries(const struct lbr_entry *expected)
{
	int wrong = 0;

	for (int i = 0; i < lbr.entries; i++) {
		struct lbr_entry e = lbr_read(i);

		if (same(&e, &expected[i]))
			continue;
		wrong++;
		say("entry %d: from 0x%x to 0x%x info 0x%x, not from 0x%x to 0x%x info 0x%x", i,
		    e.from, e.to, e.info, expected[i].from, expected[i].to, expected[i].info);
	}
	return wrong;
}

static int record(const struct sequence *s, u32 what)
{
	struct lbr_entry expected[MAX_ENTRIES] = { };

	if (s->before)
		s->before();
	lbr_prepare(what);
	measure(s->run, lbr.msr_switch, lbr.on);
	reset_vectors();
	expected_of(s->branches, lbr_recorded(what), expected);
	return wrong_entries(expected);
}

static void test_sequences(void)
{
	static const struct {
		const char *name;
		u32 what;
	} filters[] = {
		{ "all", ALL }, { "kernel", LBR_KINDS | LBR_KERNEL },
		{ "user", LBR_KINDS | LBR_USER },
		{ "conditional", LBR_COND | LBR_KERNEL | LBR_USER },
		{ "jumps", LBR_JMP | LBR_KERNEL | LBR_USER },
		{ "indirect jumps", LBR_IND_JMP | LBR_KERNEL | LBR_USER },
		{ "calls", LBR_CALL | LBR_KERNEL | LBR_USER },
		{ "indirect calls", LBR_IND_CALL | LBR_KERNEL | LBR_USER },
		{ "returns", LBR_RET | LBR_KERNEL | LBR_USER },
		{ "far branches", LBR_FAR | LBR_KERNEL | LBR_USER },
		{ "far branches to user mode", LBR_FAR | LBR_USER },
		{ "nothing", LBR_KERNEL | LBR_USER },
	};

	for (int i = 0; i < ARRAY_SIZE(sequences); i++) {
		/* AMD has no SYSENTER in long mode. */
		if (!pmu.intel && sequences[i].run == lbr_sysexit_sysenter)
			continue;
		for (int j = 0; j < ARRAY_SIZE(filters); j++)
			check("records, %s, %s: wrong ones", record(&sequences[i], filters[j].what),
			      0, sequences[i].name, filters[j].name);
	}
}

/* #DB switches off Intel's older LBRs; the other recorders have a record of it. */
static void test_debug_exception(void)
{
	static const struct sequence on = {
		"", lbr_single_step, lbr_single_step_branches, exceptions_leave
	};
	static const struct sequence off = {
		"", lbr_single_step_off, lbr_single_step_off_branches, exceptions_leave
	};

	check("records, single step: wrong ones",
	      record(lbr.type == LBR_MODEL ? &off : &on, ALL), 0);
}

static void fill(struct lbr_entry *entries, int n, struct branch branch)
{
	for (int i = 0; i < n; i++)
		entries[i] = lbr_entry_of(&branch, false);
}

/* After more branches than there are entries, all records are those of the loop. */
static void test_wrap(void)
{
	struct lbr_entry expected[MAX_ENTRIES];

	fill(expected, MAX_ENTRIES, (struct branch) {
		(u64)lbr_loop_branch, (u64)lbr_loop_target, LBR_COND | LBR_KERNEL, 2
	});
	lbr_prepare(LBR_COND | LBR_KERNEL);
	measure(lbr_loop, lbr.msr_switch, lbr.on);
	check("more than %d branches: wrong ones", wrong_entries(expected), 0, lbr.entries);
}

static void test_cycles(void)
{
	struct branch last = { 0, 0, LBR_RET, 2000002 };
	struct lbr_entry expected;

	lbr_prepare(LBR_RET | LBR_KERNEL);
	measure(seq_loop, lbr.msr_switch, lbr.on);
	expected = lbr_entry_of(&last, false);
	check("cycles saturate", lbr_read(0).info, expected.info);
}

static void test_call_stack(void)
{
	const u32 what = LBR_CALL | LBR_IND_CALL | LBR_RET | LBR_KERNEL | LBR_CALL_STACK;
	struct lbr_entry expected[MAX_ENTRIES] = { };

	interrupts_return();
	sequence_arg = lbr.msr_switch;
	lbr_prepare(what | LBR_KINDS);
	measure(lbr_stack, lbr.msr_switch, lbr.on);
	expected_of(lbr_stack_branches, ALL, expected);
	check("call stack: wrong ones", wrong_entries(expected), 0);
	lbr_prepare(what);
	measure(lbr_stack, lbr.msr_switch, lbr.on);
	check("call stack, no other kinds: wrong ones", wrong_entries(expected), 0);
	lbr_prepare(what & ~LBR_KERNEL);
	measure(lbr_stack, lbr.msr_switch, lbr.on);
	check("call stack, another privilege: the youngest", lbr_read(0).from, 0);
	reset_vectors();

	lbr_prepare(what);
	measure(lbr_stack_empty, lbr.msr_switch, lbr.on);
	check("returns from nothing, and a call", lbr_read(0).from, (u64)lbr_stack_empty_call);
	check("... where to", lbr_target(lbr_read(0).to), (u64)lbr_stack_empty_target);
	check("... and nothing below", lbr_read(1).from, 0);

	fill(expected, MAX_ENTRIES, (struct branch) {
		(u64)lbr_stack_deep_call, (u64)lbr_stack_deep_target, LBR_CALL | LBR_KERNEL, 3
	});
	lbr_prepare(what);
	measure(lbr_stack_deep, lbr.msr_switch, lbr.on);
	check("deeper than the entries: wrong ones", wrong_entries(expected), 0);
	sequence_arg = 0;
	lbr_prepare(what);
	measure(lbr_stack_deep, lbr.msr_switch, lbr.on);
	for (int i = 0; i < MAX_ENTRIES; i++)
		expected[i] = (struct lbr_entry) { };
	check("... and all have returned: entries left", wrong_entries(expected), 0);
}

/* Return the youngest record when counter 0 overflows at the nth event of this sequence. */
static struct lbr_entry frozen_with(const struct sequence *s, u64 event, u64 n, u64 debugctl)
{
	struct lbr_entry e;

	if (s->before)
		s->before();
	pmu_reset();
	pmi_record();
	wrmsr(MSR_DEBUGCTL, debugctl);
	lbr_prepare(ALL);
	pmu_set(0, event | EVTSEL_INT, -n);
	wrmsr(lbr.msr_switch, lbr.on | (lbr.type == LBR_MODEL ? debugctl : 0));
	this_cpu()->pmi_keep_status = true;
	pmu_measure_set(s->run);
	this_cpu()->pmi_keep_status = false;
	e = lbr_read(0);
	reset_vectors();
	return e;
}

static struct lbr_entry frozen_at(const struct sequence *s, u64 event, u64 n)
{
	return frozen_with(s, event, n, DEBUGCTL_FREEZE_LBRS);
}

static bool is_entry_of(struct lbr_entry e, const struct branch *branch)
{
	struct lbr_entry expected = lbr_entry_of(branch, false);

	/* The cycles are not compared: the first record's include instructions of measure(). */
	return e.from == expected.from && lbr_target(e.to) == lbr_target(expected.to);
}

/* The records are the branches from the first to the overflow. */
static void test_freeze(void)
{
	const struct sequence *kinds = &sequences[0];
	const u64 user = EVTSEL_USR, both = EVTSEL_USR | EVTSEL_OS;
	const struct branch *b = lbr_kinds_branches;
	int wrong = 0;

	for (u64 n = 0; b->what; b++) {
		n += b->cycles;
		wrong += !is_entry_of(frozen_at(kinds, pmu.cycles | both, n), b);
		if (b[1].cycles > 1)
			wrong += !is_entry_of(frozen_at(kinds, pmu.cycles | both, n + 1), b);
	}
	check("frozen by a branch, or what follows it: wrong ones", wrong, 0);
	check("frozen by INT", is_entry_of(frozen_at(&sequences[3], pmu.insns | user, 4),
					   &lbr_iret_int_branches[4]), 1);
	check("frozen by SYSCALL", is_entry_of(frozen_at(&sequences[4], pmu.insns | user, 2),
					       &lbr_sysret_syscall_branches[2]), 1);
	check("frozen by IRET", is_entry_of(frozen_at(&sequences[3], pmu.insns | EVTSEL_OS, 1 + 7),
					    &lbr_iret_int_branches[1]), 1);

	if (lbr.streamlined) {
		struct lbr_entry youngest = lbr_read(0), e;

		check("frozen: LBR_FRZ", rdmsr(pmu.msr_status) & STATUS_LBR_FRZ, STATUS_LBR_FRZ);
		seq_empty();
		e = lbr_read(0);
		check("frozen: nothing more is recorded", same(&e, &youngest), 1);
		wrmsr(pmu.msr_status_reset, STATUS_LBR_FRZ);
		measure(seq_empty, lbr.msr_switch, lbr.on);
		check("LBR_FRZ reset: the youngest", lbr_target(lbr_read(0).to),
		      (u64)measure_return);
	} else {
		check("frozen: DEBUGCTL", rdmsr(MSR_DEBUGCTL), DEBUGCTL_FREEZE_LBRS);
	}
	wrmsr(lbr.msr_switch, 0);
	wrmsr(MSR_DEBUGCTL, 0);
	check("not to be frozen: the handler's are younger",
	      is_entry_of(frozen_with(kinds, pmu.insns | both, 3, 0), &lbr_kinds_branches[1]), 0);
	wrmsr(lbr.msr_switch, 0);
	pmu_reset();
}

static void test_registers_arch(void)
{
	u32 a, b, c, d;

	cpuid(0x1c, &a, &b, &c, &d);
	check("CPUID leaf 0x1C: depths, linear addresses, and no loss in a sleep", a,
	      1U << 31 | 0xf);
	check("CPUID leaf 0x1C: filters, call stack", b, 7);
	check("CPUID leaf 0x1C: flags, cycles, types", c, 7);
	check("LBR_FMT", rdmsr(MSR_PERF_CAPABILITIES) & 0x3f, 0x3f);
	accepted("LBR_CTL, all that there are", MSR_ARCH_LBR_CTL, 0x7f000e);
	check("... and they read back", rdmsr(MSR_ARCH_LBR_CTL), 0x7f000e);
	refused("LBR_CTL, bit 4", MSR_ARCH_LBR_CTL, 1 << 4);
	refused("LBR_CTL, bit 23", MSR_ARCH_LBR_CTL, 1 << 23);
	refused("LBR_CTL, bit 63", MSR_ARCH_LBR_CTL, 1UL << 63);
	refused("LBR_DEPTH of 0", MSR_ARCH_LBR_DEPTH, 0);
	refused("LBR_DEPTH of 12", MSR_ARCH_LBR_DEPTH, 12);
	refused("LBR_DEPTH of 40", MSR_ARCH_LBR_DEPTH, 40);
	wrmsr(MSR_DEBUGCTL, DEBUGCTL_LBR);
	check("DEBUGCTL.LBR is none", rdmsr(MSR_DEBUGCTL), 0);
	for (int depth = 8; depth <= 32; depth += 8) {
		lbr_set_depth(depth);
		check("LBR_DEPTH of %d", rdmsr(MSR_ARCH_LBR_DEPTH), depth, depth);
		test_wrap();
		lbr_set_depth(depth);
		check("... clears: the youngest", lbr_read(0).from, 0);
		check("... and the oldest", lbr_read(depth - 1).from, 0);
		if (depth < 32)
			missing("an entry too many", MSR_ARCH_LBR_FROM + depth);
	}
	wrmsr(MSR_ARCH_LBR_FROM + 31, 1);
	wrmsr(MSR_ARCH_LBR_TO + 31, 2);
	wrmsr(MSR_ARCH_LBR_INFO + 31, 3);
	check("what is written to an entry is in it", lbr_read(31).from == 1 &&
	      lbr_read(31).to == 2 && lbr_read(31).info == 3, 1);
	check("... and in no other", lbr_read(30).from | lbr_read(0).from, 0);
}

static void test_registers_model(void)
{
	test_wrap();
	refused("LBR_TOS of an entry too many", MSR_LBR_TOS, lbr.entries);
	accepted("LBR_TOS", MSR_LBR_TOS, lbr.entries - 1);
	check("... which reads back", rdmsr(MSR_LBR_TOS), lbr.entries - 1);
	wrmsr(MSR_LBR_TO + lbr.entries - 1, 0x1234);
	check("... and is the youngest", lbr_read(0).to, 0x1234);
	accepted("LBR_SELECT, all kinds", MSR_LBR_SELECT, 0x1ff);
	if (lbr.call_stack)
		accepted("LBR_SELECT, call stack", MSR_LBR_SELECT, 1 << 9);
	else
		refused("LBR_SELECT, call stack", MSR_LBR_SELECT, 1 << 9);
	refused("LBR_SELECT, bit 10", MSR_LBR_SELECT, 1 << 10);
	if (lbr.entries == 16)
		missing("an entry too many", MSR_LBR_FROM + 16);
	if (!lbr.cycles)
		missing("LBR_INFO", MSR_LBR_INFO);
	/*
	 * Bits 61 and 62 are flags when a record is read, and part of the address when it
	 * is written.
	 */
	if (lbr.format == 4) {
		refused("LBR_FROM without its sign", MSR_LBR_FROM, 0x1fff800000000000);
		accepted("LBR_FROM with its sign", MSR_LBR_FROM, 0x7fff800000000000);
	}
	wrmsr(MSR_LBR_SELECT, 0);
}

static void test_registers_amd(void)
{
	test_wrap();
	accepted("LBR_SELECT, reserved bits", MSR_AMD_LBR_SELECT, -1UL);
	check("... which read as zero", rdmsr(MSR_AMD_LBR_SELECT), 0x1ff);
	accepted("DBG_EXTN_CFG, reserved bits", MSR_AMD_DBG_EXTN_CFG, ~(1UL << 6));
	check("... which read as zero", rdmsr(MSR_AMD_DBG_EXTN_CFG), 0);
	wrmsr(MSR_AMD_LBR_SELECT, 0);
}

static void test_accesses_counted(void)
{
	u64 reads = rdmsr(MSR_ACCESSES + 0), writes = rdmsr(MSR_ACCESSES + 1);

	lbr_read(0);
	wrmsr(lbr.msr_switch, 0);
	check("accesses: RDMSR of branch records", rdmsr(MSR_ACCESSES + 0) - reads,
	      lbr.type == LBR_AMD ? 2 : lbr.cycles ? 3 + (lbr.type == LBR_MODEL) : 3);
	check("accesses: WRMSR of branch records", rdmsr(MSR_ACCESSES + 1) - writes, 1);
}

int lbr_repeat(void)
{
	static const struct sequence high = { "", lbr_high, lbr_high_branches };
	int wrong = 0;

	for (int i = 0; i < 300; i++)
		wrong += record(&high, ALL);
	return wrong;
}

void lbr_prepare_real_mode(void)
{
	lbr_prepare(ALL);
	trampoline_msr = lbr.msr_switch;
	trampoline_value = lbr.on;
}

/* Addresses of Intel's older LBRs do not include the segment's base. */
static u64 real_address(u64 segment, u64 offset)
{
	return lbr.type == LBR_MODEL ? offset : 16 * segment + offset;
}

int lbr_wrong_in_real_mode(void)
{
	struct lbr_entry expected[MAX_ENTRIES] = { };
	const struct real_branch *b = real_branches;

	for (; b->what; b++) {
		const struct branch branch = {
			real_address(b->from_segment, b->from),
			real_address(b->to_segment, b->to), b->what, b->cycles
		};

		push(expected, lbr_entry_of(&branch, false));
	}
	return wrong_entries(expected);
}

/* Record two indirect jumps, and two more after the machine has been moved. */
void test_lbr_migration_begin(void)
{
	interrupts_return();
	lbr_prepare(LBR_IND_JMP | LBR_KERNEL);
	wrmsr(lbr.msr_switch, lbr.on);
	lbr_kinds();
}

void test_lbr_migration_end(void)
{
	/*
	 * Cycles of the records, the youngest first. The second jump of each pair comes one
	 * cycle after the first; between the pairs are more cycles than a record can hold.
	 */
	static const u64 cycles[] = { 1, 1 << 16, 1 };
	struct lbr_entry expected[MAX_ENTRIES] = { };
	int n;

	lbr_kinds();
	wrmsr(lbr.msr_switch, 0);
	reset_vectors();
	/* Only the INFO registers have the cycles of these records. */
	n = expected_of(lbr_kinds_branches, LBR_IND_JMP | LBR_KERNEL, expected);
	for (int i = 0; i < 3; i++) {
		struct branch b = { .what = LBR_IND_JMP | LBR_KERNEL, .cycles = cycles[i] };
		struct lbr_entry e = lbr_read(i), of = lbr_entry_of(&b, false);

		check("migration: record %d, from", e.from, expected[i % n].from, i);
		check("migration: record %d, to", lbr_target(e.to), lbr_target(expected[i % n].to),
		      i);
		check("migration: record %d, info", e.info, of.info, i);
	}
	check("migration: the oldest record, from", lbr_read(3).from, expected[1].from);
	check("migration: what there are more", lbr_read(4).from, 0);
}

/* A sleep clears the entries, but does not change the settings of the recorder. */
void test_lbr_sleep(void)
{
	struct lbr_entry none[MAX_ENTRIES] = { };
	u32 a, b, c, d;
	u64 select = 0;

	if (lbr.type == LBR_ARCH) {
		cpuid(0x1c, &a, &b, &c, &d);
		check("CPUID leaf 0x1C: lost in a deep sleep", a & 1 << 30, 1 << 30);
	}
	check("records before a sleep: wrong ones", record(&sequences[0], ALL), 0);
	if (lbr.type == LBR_MODEL)
		select = rdmsr(MSR_LBR_SELECT);
	/* The interrupt arrives while the CPU sleeps. */
	interrupt_pending();
	asm volatile("sti; hlt; cli" : : : "memory");
	reset_vectors();
	check("records after a sleep: entries left", wrong_entries(none), 0);
	if (lbr.type == LBR_MODEL) {
		check("... the youngest", rdmsr(MSR_LBR_TOS), 0);
		check("... LBR_SELECT", rdmsr(MSR_LBR_SELECT), select);
	} else {
		check("... LBR_DEPTH", rdmsr(MSR_ARCH_LBR_DEPTH), lbr.entries);
	}
	check("records of what comes then: wrong ones", record(&sequences[0], ALL), 0);
}

void test_lbr(void)
{
	test_sequences();
	test_debug_exception();
	test_cycles();
	if (lbr.call_stack)
		test_call_stack();
	test_freeze();
	if (lbr.type == LBR_ARCH)
		test_registers_arch();
	else if (lbr.type == LBR_MODEL)
		test_registers_model();
	else
		test_registers_amd();
	test_accesses_counted();
}
